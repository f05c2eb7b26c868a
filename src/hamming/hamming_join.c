#include "hamming/hamming_join.h"

#include "base/bits.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/workers.h"
#include "io/external_sort.h"
#include "io/spool.h"
#include "hamming/bit_order.h"
#include "hamming/hamming_planner.h"
#include "hamming/join_prefilter.h"
#include "hamming/block_join.h"
#include "hamming/window_partitions.h"

#include <inttypes.h>
#include <string.h>

enum {
    PART = ND_LIMIT(1 << 13,
                    40), /* fingerprints per part of a sort or partition, if spread evenly */
    MOST_PART_BITS = ND_LIMIT(12, 4), /* of the number of a part */
    ROWS = ND_LIMIT(1 << 12, 48)      /* records that a thread reads at once */
};

struct nd_hamming_joiner {
    nd_allocator allocator;
    nd_temp_space *disk;
    nd_hamming_joiner_settings settings;
    /* Words of a record: the fingerprint, the low word first; then one word with the number in its
     * low 32 bits and the set above. */
    unsigned words;
    uint64_t counts[2]; /* distinct fingerprints of each set */
    unsigned sort_bits;
    nd_external_sort
        *sorter;      /* all records, in parts by a hash of the fingerprint; NULL: consumed */
    nd_spool records; /* the distinct fingerprints, each with its first number */
    uint64_t all_or[2], all_and[2]; /* of the fingerprints */
    nd_bit_window windows[ND_WINDOW_MOST];
    nd_window_partitions *partitions; /* NULL: all are compared with all */
    uint32_t window;                  /* the window that is partitioned and joined now */
    unsigned partition_bits;          /* of this window */
    const nd_hamming_joiner_sink *sink;
    nd_sequencer turns;
    /* While the larger set is filtered: */
    nd_join_prefilter *filter;
    nd_spool passed; /* the records that pass, in order */
};

static const char what[] = "fingerprints";

/* Bits of the number of a part, so that a part has some thousand fingerprints. */
static unsigned part_bits_of(uint64_t count) {
    unsigned bits = 0;
    while (bits < MOST_PART_BITS && count >> bits > PART) bits++;
    return bits;
}

nd_status nd_hamming_joiner_create(const nd_hamming_joiner_settings *settings, nd_temp_space *disk,
                                   const nd_allocator *allocator, nd_hamming_joiner **out,
                                   nd_error *error) {
    ND_TRY(nd_hamming_check_width(settings->bits, settings->k, error));
    if (settings->threads < 1 || settings->threads > ND_MAX_WORKERS)
        return nd_fail(error, ND_ERR_ARGUMENT, "threads must be 1 to %d, not %u", ND_MAX_WORKERS,
                       settings->threads);
    nd_hamming_joiner *j = nd_allocate_zero(allocator, 1, sizeof *j);
    if (!j) return nd_fail_memory(error, sizeof *j, what);
    j->allocator = *allocator;
    j->disk = disk;
    j->settings = *settings;
    j->words = settings->bits > 64 ? 3 : 2;
    j->sort_bits = part_bits_of(settings->expected);
    j->all_and[0] = j->all_and[1] = ~UINT64_C(0);
    nd_spool_init(&j->records, allocator, disk, settings->memory_limit / 2, what);
    nd_spool_init(&j->passed, allocator, disk, settings->memory_limit / 2, what);
    const nd_external_sort_settings sorting = {.disk = disk,
                                               .parts = (size_t)1 << j->sort_bits,
                                               .memory_limit = settings->memory_limit / 2,
                                               .words = j->words,
                                               .keys = j->words,
                                               .what = what};
    nd_status status = nd_external_sort_create_records(allocator, &sorting, &j->sorter, error);
    if (status != ND_OK) {
        nd_hamming_joiner_free(j);
        return status;
    }
    *out = j;
    return ND_OK;
}

void nd_hamming_joiner_free(nd_hamming_joiner *j) {
    if (!j) return;
    nd_external_sort_free(j->sorter);
    nd_window_partitions_free(j->partitions);
    nd_join_prefilter_free(j->filter);
    nd_spool_free(&j->records);
    nd_spool_free(&j->passed);
    nd_allocator allocator = j->allocator;
    nd_release(&allocator, j);
}

nd_status nd_hamming_joiner_put(nd_hamming_joiner *j, uint32_t set, nd_fingerprint fingerprint,
                                uint32_t number, nd_error *error) {
    if (!nd_fingerprint_fits(fingerprint, j->settings.bits))
        return nd_fail(error, ND_ERR_ARGUMENT, "a fingerprint has more than %u bits",
                       j->settings.bits);
    if (set > j->settings.two_sets)
        return nd_fail(error, ND_ERR_ARGUMENT, "a join of %s has no set %u",
                       j->settings.two_sets ? "two sets" : "a set", set);
    uint64_t last = (uint64_t)set << 32 | number,
             record[3] = {fingerprint.low, j->words > 2 ? fingerprint.high : last, last};
    uint64_t hash = nd_mix64(fingerprint.low ^ nd_mix64(fingerprint.high));
    return nd_external_sort_push_record(
        j->sorter, j->sort_bits ? (size_t)(hash >> (64 - j->sort_bits)) : 0, record, error);
}

/* ---- equal fingerprints */

/* What a thread makes of a part: the sorted records, reduced to the distinct fingerprints of each
 * set; and the numbers of equal fingerprints, group behind group. */
typedef struct equals_worker {
    nd_part_buffer part;
    size_t distinct;
    uint32_t *numbers;
    size_t number_count, number_capacity;
    struct equal_group {
        size_t end; /* in numbers */
        uint32_t set;
    } * groups;
    size_t group_count, group_capacity;
    uint64_t counts[2], all_or[2], all_and[2];
} equals_worker;

static uint32_t set_of(uint64_t last) { return (uint32_t)(last >> 32); }

static nd_status note_equal(const nd_hamming_joiner *j, equals_worker *w, size_t begin, size_t end,
                            nd_error *error) {
    const uint64_t *last = w->part.words + j->words - 1; /* last words of the records */
    if (!nd_reserve(&j->allocator, &w->numbers, &w->number_capacity,
                    w->number_count + (end - begin)) ||
        !nd_reserve(&j->allocator, &w->groups, &w->group_capacity, w->group_count + 1))
        return nd_fail_memory(error, (end - begin) * sizeof *w->numbers, "equal fingerprints");
    uint32_t set = set_of(last[begin * j->words]);
    for (; begin < end; begin++) w->numbers[w->number_count++] = (uint32_t)last[begin * j->words];
    w->groups[w->group_count++] = (struct equal_group){w->number_count, set};
    return ND_OK;
}

/* The same fingerprint and the same set. */
static inline bool is_same(const uint64_t *a, const uint64_t *b, unsigned words) {
    return a[0] == b[0] && (words == 2 || a[1] == b[1]) &&
           set_of(a[words - 1]) == set_of(b[words - 1]);
}

static nd_status find_equals(const nd_hamming_joiner *j, equals_worker *w, nd_error *error) {
    unsigned words = j->words;
    uint64_t *records = w->part.words;
    w->distinct = w->number_count = w->group_count = 0;
    for (size_t begin = 0, end; begin < w->part.count; begin = end) {
        const uint64_t *first = records + begin * words;
        for (end = begin + 1; end < w->part.count && is_same(first, records + end * words, words);
             end++)
            continue;
        if (end - begin > 1) ND_TRY(note_equal(j, w, begin, end, error));
        for (unsigned i = 0; i + 1 < words; i++) {
            w->all_or[i] |= first[i];
            w->all_and[i] &= first[i];
        }
        w->counts[set_of(first[words - 1])]++;
        if (w->distinct < begin)
            memcpy(records + w->distinct * words, first, words * sizeof *records);
        w->distinct++;
    }
    return ND_OK;
}

/* Emits the part, which is the next in order. */
static nd_status emit_part(nd_hamming_joiner *j, equals_worker *w, size_t part, nd_error *error) {
    nd_external_sort_drop(j->sorter, part);
    ND_TRY(nd_spool_append(&j->records, w->part.words, w->distinct * j->words * sizeof(uint64_t),
                           error));
    for (size_t i = 0, begin = 0; j->sink->equal && i < w->group_count;
         begin = w->groups[i].end, i++)
        ND_TRY(j->sink->equal(j->sink->context, w->groups[i].set, w->numbers + begin,
                              w->groups[i].end - begin, error));
    return ND_OK;
}

static nd_status find_equals_of_parts(nd_hamming_joiner *j, equals_worker *w, nd_error *error) {
    for (size_t part;
         part = nd_sequencer_next(&j->turns), part < nd_external_sort_parts(j->sorter);) {
        ND_TRY(nd_external_sort_load_records(j->sorter, part, &w->part, error));
        ND_TRY(find_equals(j, w, error));
        ND_TRY(nd_sequencer_await(&j->turns, part));
        ND_TRY(emit_part(j, w, part, error));
        nd_sequencer_advance(&j->turns);
    }
    return ND_OK;
}

static nd_status run_equals(void *context, uint32_t index, nd_error *error) {
    nd_hamming_joiner *j = context;
    equals_worker w = {.all_and = {~UINT64_C(0), ~UINT64_C(0)}};
    nd_error own = {0};
    (void)index;
    (void)error;
    nd_status status = find_equals_of_parts(j, &w, &own);
    if (status != ND_OK) nd_sequencer_fail(&j->turns, status, &own);
    pthread_mutex_lock(&j->turns.lock);
    for (unsigned i = 0; i < 2; i++) {
        j->all_or[i] |= w.all_or[i];
        j->all_and[i] &= w.all_and[i];
        j->counts[i] += w.counts[i];
    }
    pthread_mutex_unlock(&j->turns.lock);
    nd_part_buffer_free(&j->allocator, &w.part);
    nd_release(&j->allocator, w.numbers);
    nd_release(&j->allocator, w.groups);
    return ND_OK;
}

/* ---- filtering the larger of two sets
 *
 * A record that cannot be near the other set is dropped, so that it is not partitioned again by
 * each window. */

static uint64_t record_count(const nd_hamming_joiner *j) {
    return j->records.size / (j->words * sizeof(uint64_t));
}

/* Points *records to part `part` of all records, at most ROWS. They are in memory, or are read into
 * `room`, which has room for ROWS. */
static nd_status view_rows(const nd_hamming_joiner *j, size_t part, uint64_t *room,
                           const uint64_t **records, size_t *count, nd_error *error) {
    size_t size = j->words * sizeof(uint64_t);
    uint64_t first = (uint64_t)part * ROWS;
    const void *view;
    *count = record_count(j) - first < ROWS ? (size_t)(record_count(j) - first) : ROWS;
    ND_TRY(nd_spool_view(&j->records, *count * size, first * size, room, &view, error));
    *records = view;
    return ND_OK;
}

static uint32_t smaller_set(const nd_hamming_joiner *j) { return j->counts[1] < j->counts[0]; }

static nd_status fill_filter(nd_hamming_joiner *j, nd_error *error) {
    nd_status status = ND_OK;
    uint32_t few = smaller_set(j);
    uint64_t *room = nd_allocate(&j->allocator, (size_t)ROWS * j->words, sizeof *room);
    if (!room) return nd_fail_memory(error, (size_t)ROWS * j->words * sizeof *room, what);
    for (size_t part = 0; status == ND_OK && (uint64_t)part * ROWS < record_count(j); part++) {
        const uint64_t *records;
        size_t count = 0;
        status = view_rows(j, part, room, &records, &count, error);
        for (size_t i = 0; i < count && status == ND_OK; i++)
            if (set_of(records[(i + 1) * j->words - 1]) == few)
                nd_join_prefilter_add(j->filter, records + i * j->words);
    }
    nd_release(&j->allocator, room);
    return status;
}

/* Copies the records of the smaller set, and those of the larger that pass, to the front of `to`.
 */
static size_t filter_rows(const nd_hamming_joiner *j, const uint64_t *records, size_t count,
                          uint64_t *to) {
    bool may[ROWS];
    uint32_t few = smaller_set(j);
    size_t done = 0;
    nd_join_prefilter_probe(j->filter, records, j->words, count, may);
    for (size_t i = 0; i < count; i++) {
        const uint64_t *record = records + i * j->words;
        bool stays = may[i] || set_of(record[j->words - 1]) == few;
        memmove(to + done * j->words, record, j->words * sizeof *record);
        done += stays;
    }
    return done;
}

static nd_status filter_parts(nd_hamming_joiner *j, uint64_t *room, nd_error *error) {
    for (size_t part;
         part = nd_sequencer_next(&j->turns), (uint64_t)part * ROWS < record_count(j);) {
        const uint64_t *records;
        size_t count;
        ND_TRY(nd_progress_poll(j->disk->progress, error));
        ND_TRY(view_rows(j, part, room, &records, &count, error));
        count = filter_rows(j, records, count, room);
        ND_TRY(nd_sequencer_await(&j->turns, part));
        ND_TRY(nd_spool_append(&j->passed, room, count * j->words * sizeof *room, error));
        nd_sequencer_advance(&j->turns);
    }
    return ND_OK;
}

static nd_status run_filter(void *context, uint32_t index, nd_error *error) {
    nd_hamming_joiner *j = context;
    nd_error own = {0};
    (void)index;
    (void)error;
    uint64_t *room = nd_allocate(&j->allocator, (size_t)ROWS * j->words, sizeof *room);
    nd_status status = room ? filter_parts(j, room, &own)
                            : nd_fail_memory(&own, (size_t)ROWS * j->words * sizeof *room, what);
    if (status != ND_OK) nd_sequencer_fail(&j->turns, status, &own);
    nd_release(&j->allocator, room);
    return ND_OK;
}

/* ---- pairs */

/* Buffers of one thread. */
typedef struct pairs_worker {
    nd_pair_queue queue;
    nd_block_join *block;
    nd_window_partition part;
    uint32_t *starts;
    size_t start_capacity;
    struct set_room {
        uint64_t *keys;
        uint32_t *numbers;
        size_t key_capacity, number_capacity;
    } rooms[2];
    uint64_t *read; /* ROWS records */
} pairs_worker;

static nd_status reserve(const nd_hamming_joiner *j, struct set_room *room, size_t count,
                         nd_error *error) {
    if (nd_reserve(&j->allocator, &room->keys, &room->key_capacity,
                   (count + ND_BLOCK_PADDING) * (j->words - 1)) &&
        nd_reserve(&j->allocator, &room->numbers, &room->number_capacity, count))
        return ND_OK;
    return nd_fail_memory(error, count * j->words * sizeof(uint64_t), what);
}

/* Joins one set with itself, or two sets. */
static nd_status join_sets(const nd_hamming_joiner *j, pairs_worker *w, const nd_block_set sets[2],
                           nd_error *error) {
    return j->settings.two_sets ? nd_block_join_between(w->block, &sets[0], &sets[1], error)
                                : nd_block_join_within(w->block, &sets[0], error);
}

/* Joins a partition of the window: one group of fingerprints with the same value after the other.
 */
static nd_status join_partition(const nd_hamming_joiner *j, pairs_worker *w, size_t part,
                                nd_error *error) {
    const nd_bit_window *window = &j->windows[j->window];
    struct set_room *room = &w->rooms[0];
    bool two_sets = j->settings.two_sets;
    uint32_t width = window->width - j->partition_bits;
    ND_TRY(nd_window_partitions_load(j->partitions, part, &w->part, error));
    ND_TRY(reserve(j, room, w->part.count, error));
    if (!nd_reserve(&j->allocator, &w->starts, &w->start_capacity,
                    ((size_t)1 << (width + two_sets)) + 1))
        return nd_fail_memory(error, sizeof *w->starts << (width + two_sets), what);
    const nd_block_grouping grouping = {.window = window,
                                        .width = width,
                                        .two_sets = two_sets,
                                        .records = w->part.records,
                                        .count = w->part.count,
                                        .words = j->words};
    nd_block_join_group(&grouping, w->starts, room->keys, room->numbers);
    for (size_t g = 0; g >> width == 0; g++) {
        nd_block_set sets[2];
        for (size_t s = 0; s <= two_sets; s++) {
            size_t begin = w->starts[(g << two_sets) + s],
                   count = w->starts[(g << two_sets) + s + 1] - begin;
            sets[s] = (nd_block_set){room->keys + begin * (j->words - 1), room->numbers + begin,
                                     count};
        }
        if (two_sets || sets[0].count > 1) ND_TRY(join_sets(j, w, sets, error));
    }
    return ND_OK;
}

/* Reads a part of all records, and separates the sets. */
static nd_status load_rows(const nd_hamming_joiner *j, pairs_worker *w, struct set_room *room,
                           size_t part, nd_block_set sets[2], nd_error *error) {
    const uint64_t *records;
    size_t count, done = 0;
    ND_TRY(view_rows(j, part, w->read, &records, &count, error));
    ND_TRY(reserve(j, room, count, error));
    for (uint32_t s = 0; s < 2; s++) {
        sets[s] = (nd_block_set){room->keys + done * (j->words - 1), room->numbers + done, done};
        for (size_t i = 0; i < count; i++) {
            const uint64_t *record = records + i * j->words;
            if (set_of(record[j->words - 1]) != s) continue;
            memcpy(room->keys + done * (j->words - 1), record, (j->words - 1) * sizeof *record);
            room->numbers[done++] = (uint32_t)record[j->words - 1];
        }
        sets[s].count = done - sets[s].count;
    }
    memset(room->keys + count * (j->words - 1), 0,
           ND_BLOCK_PADDING * (j->words - 1) * sizeof *room->keys);
    return ND_OK;
}

/* Joins part `part` of all records with itself and with all later ones. */
static nd_status join_rows(const nd_hamming_joiner *j, pairs_worker *w, size_t part,
                           nd_error *error) {
    nd_block_set rows[2], others[2];
    if (!w->read) w->read = nd_allocate(&j->allocator, (size_t)ROWS * j->words, sizeof *w->read);
    if (!w->read) return nd_fail_memory(error, (size_t)ROWS * j->words * sizeof *w->read, what);
    ND_TRY(load_rows(j, w, &w->rooms[0], part, rows, error));
    ND_TRY(join_sets(j, w, rows, error));
    while ((uint64_t)++part * ROWS < record_count(j)) {
        ND_TRY(load_rows(j, w, &w->rooms[1], part, others, error));
        ND_TRY(nd_block_join_between(w->block, &rows[0], &others[j->settings.two_sets], error));
        if (j->settings.two_sets)
            ND_TRY(nd_block_join_between(w->block, &others[0], &rows[1], error));
    }
    return ND_OK;
}

static nd_status put_ordered(void *context, const nd_block_pair *pair, nd_error *error) {
    uint32_t a = pair->a, b = pair->b;
    return nd_pair_queue_put(
        context, (nd_numbered_pair){a < b ? a : b, a < b ? b : a, pair->distance}, error);
}

static nd_status put_as_found(void *context, const nd_block_pair *pair, nd_error *error) {
    return nd_pair_queue_put(context, (nd_numbered_pair){pair->a, pair->b, pair->distance}, error);
}

static nd_status find_pairs_of_parts(nd_hamming_joiner *j, pairs_worker *w, nd_error *error) {
    const nd_hamming_joiner_settings *s = &j->settings;
    const nd_block_join_settings settings = {.bits = s->bits,
                                             .k = s->k,
                                             .groups = s->groups,
                                             .excluded = j->windows,
                                             .excluded_count = j->partitions ? j->window : 0,
                                             .fn = s->two_sets ? put_as_found : put_ordered,
                                             .context = &w->queue};
    size_t parts = j->partitions ? (size_t)1 << j->partition_bits
                                 : (size_t)((record_count(j) + ROWS - 1) / ROWS);
    ND_TRY(nd_block_join_create(&settings, &j->allocator, &w->block, error));
    for (size_t part; part = nd_sequencer_next(&j->turns), part < parts;) {
        if (atomic_load(&j->turns.failed)) return ND_OK;
        ND_TRY(nd_progress_poll(j->disk->progress, error));
        nd_pair_queue_begin_part(&w->queue, part);
        ND_TRY(j->partitions ? join_partition(j, w, part, error) : join_rows(j, w, part, error));
        ND_TRY(nd_pair_queue_end_part(&w->queue, error));
    }
    return nd_pair_queue_finish(&w->queue, error);
}

static nd_status run_pairs(void *context, uint32_t index, nd_error *error) {
    nd_hamming_joiner *j = context;
    nd_error own = {0};
    (void)index;
    (void)error;
    pairs_worker *w = nd_allocate_zero(&j->allocator, 1, sizeof *w);
    nd_status status = w ? ND_OK : nd_fail_memory(&own, sizeof *w, what);
    if (w) {
        w->queue.turns = &j->turns;
        w->queue.fn = j->sink->pairs;
        w->queue.context = j->sink->context;
        status = find_pairs_of_parts(j, w, &own);
        nd_block_join_free(w->block);
        nd_release(&j->allocator, w->part.words);
        nd_release(&j->allocator, w->starts);
        nd_release(&j->allocator, w->read);
        for (size_t i = 0; i < 2; i++) {
            nd_release(&j->allocator, w->rooms[i].keys);
            nd_release(&j->allocator, w->rooms[i].numbers);
        }
        nd_release(&j->allocator, w);
    }
    if (status != ND_OK) nd_sequencer_fail(&j->turns, status, &own);
    return ND_OK;
}

/* ---- the whole */

/* Runs a step on all threads: they take parts in order, and emit them in order. */
static nd_status run_turns(nd_hamming_joiner *j, nd_worker_fn *fn, nd_error *error) {
    nd_sequencer_init(&j->turns);
    nd_status status = nd_run_workers(&j->allocator, j->settings.threads, fn, j, error);
    if (status == ND_OK) status = nd_sequencer_result(&j->turns, error);
    nd_sequencer_free(&j->turns);
    return status;
}

/* Nanoseconds to partition one fingerprint by one window. */
static const double move = 25;

static nd_status filter_larger(nd_hamming_joiner *j, const uint64_t varying[2], nd_error *error) {
    uint32_t few = smaller_set(j);
    const nd_join_prefilter_settings settings = {.k = j->settings.k,
                                                 .varying = {varying[0], varying[1]},
                                                 .few = (double)j->counts[few],
                                                 .many = (double)j->counts[1 - few],
                                                 .pass = (j->settings.k + 1) * move};
    ND_TRY(nd_join_prefilter_create(&settings, &j->allocator, &j->filter, error));
    if (!j->filter) return ND_OK;
    ND_TRY(fill_filter(j, error));
    ND_TRY(run_turns(j, run_filter, error));
    nd_join_prefilter_free(j->filter);
    j->filter = NULL;
    nd_spool_free(&j->records);
    j->records = j->passed;
    nd_spool_init(&j->passed, &j->allocator, j->disk, 0, what);
    j->counts[1 - few] = record_count(j) - j->counts[few];
    return ND_OK;
}

/* Partitions all records by each window, one after the other, and joins the partitions. */
static nd_status join_by_windows(nd_hamming_joiner *j, nd_error *error) {
    const nd_hamming_joiner_settings *s = &j->settings;
    ND_TRY(nd_window_partitions_create(&j->allocator, j->disk, j->words, s->threads,
                                       s->memory_limit / 2, &j->partitions, error));
    for (j->window = 0; j->window <= s->k; j->window++) {
        const nd_bit_window *window = &j->windows[j->window];
        j->partition_bits = part_bits_of(record_count(j));
        if (j->partition_bits > window->width) j->partition_bits = window->width;
        ND_TRY(nd_window_partitions_fill(j->partitions, &j->records, window, j->partition_bits,
                                         error));
        ND_TRY(run_turns(j, run_pairs, error));
    }
    return ND_OK;
}

nd_status nd_hamming_joiner_run(nd_hamming_joiner *j, const nd_hamming_joiner_sink *sink,
                                nd_error *error) {
    const nd_hamming_joiner_settings *s = &j->settings;
    if (!j->sorter) return nd_fail(error, ND_ERR_ARGUMENT, "a join runs once");
    j->sink = sink;
    ND_TRY(run_turns(j, run_equals, error));
    nd_external_sort_free(j->sorter);
    j->sorter = NULL;
    const uint64_t varying[2] = {j->all_or[0] & ~j->all_and[0], j->all_or[1] & ~j->all_and[1]};
    if (s->two_sets && j->counts[0] > 0 && j->counts[1] > 0)
        ND_TRY(filter_larger(j, varying, error));
    if (s->two_sets ? j->counts[0] == 0 || j->counts[1] == 0 : s->k == 0 || record_count(j) < 2)
        return ND_OK;
    const nd_block_split all = {
        .bits = s->bits,
        .k = s->k,
        .varying = nd_popcount(varying[0]) + nd_popcount(varying[1]),
        .count = (double)record_count(j),
        .share = s->two_sets ? nd_block_join_share((double)j->counts[0], (double)j->counts[1])
                             : 0.5,
        .move = move};
    uint32_t width = nd_block_join_window_bits(&all);
    bool splits = width > 0 && nd_bit_windows_cut(varying, s->k + 1, width, j->windows);
    return splits ? join_by_windows(j, error) : run_turns(j, run_pairs, error);
}
