#include "match/hamming_join.h"

#include "base/hash.h"
#include "base/workers.h"
#include "io/part_sorter.h"
#include "io/spool.h"
#include "match/fingerprint_key.h"
#include "match/hamming_costs.h"
#include "match/near_pairs.h"
#include "match/window_parts.h"

#include <inttypes.h>
#include <string.h>

#ifdef ND_TINY_LIMITS
enum { PART = 40, MOST_PART_BITS = 4, ROWS = 48 };
#else
enum { PART = 1 << 13, MOST_PART_BITS = 12, ROWS = 1 << 12 }; /* fingerprints; of a part, at most so many parts; of a block of the scan */
#endif

struct nd_hamming_join {
    nd_allocator allocator;
    nd_scratch_disk *disk;
    uint32_t bits, k, threads;
    unsigned words; /* of a record: the fingerprint, the low word first, and a number */
    size_t memory_limit;
    unsigned sort_bits;
    nd_part_sorter *sorter;         /* all records, in parts by a hash of the fingerprint */
    nd_spool records;               /* the distinct ones, each with its first number */
    uint64_t all_or[2], all_and[2]; /* of the fingerprints */
    /* Of the window that is worked on. */
    nd_fingerprint_window windows[ND_WINDOW_MOST];
    uint32_t window;
    unsigned part_bits;
    nd_window_parts *parts;
    const nd_hamming_join_sink *sink;
    nd_turns turns;
};

static const char what[] = "fingerprints";

/* For parts of some thousand fingerprints. */
static unsigned part_bits_of(uint64_t count) {
    unsigned bits = 0;
    while (bits < MOST_PART_BITS && count >> bits > PART) bits++;
    return bits;
}

nd_status nd_hamming_join_create(uint32_t bits, uint32_t k, uint64_t expected, size_t memory_limit, uint32_t threads, nd_scratch_disk *disk,
                                 const nd_allocator *allocator, nd_hamming_join **out, nd_error *error) {
    ND_TRY(nd_hamming_check_width(bits, k, error));
    if (threads < 1 || threads > ND_MAX_WORKERS) return nd_fail(error, ND_ERR_ARGUMENT, "threads must be 1 to %d, not %u", ND_MAX_WORKERS, threads);
    nd_hamming_join *j = nd_allocate_zero(allocator, 1, sizeof *j);
    if (!j) return nd_fail_memory(error, sizeof *j, what);
    j->allocator = *allocator;
    j->disk = disk;
    j->bits = bits;
    j->k = k;
    j->threads = threads;
    j->words = bits > 64 ? 3 : 2;
    j->memory_limit = memory_limit;
    j->sort_bits = part_bits_of(expected);
    j->all_and[0] = j->all_and[1] = ~UINT64_C(0);
    nd_spool_init(&j->records, allocator, disk, memory_limit / 2, what);
    nd_status status = nd_part_sorter_create(allocator, disk, (size_t)1 << j->sort_bits, memory_limit / 2, what, &j->sorter, error);
    if (status != ND_OK) {
        nd_hamming_join_free(j);
        return status;
    }
    nd_part_sorter_set_records(j->sorter, j->words, j->words);
    *out = j;
    return ND_OK;
}

void nd_hamming_join_free(nd_hamming_join *j) {
    if (!j) return;
    nd_part_sorter_free(j->sorter);
    nd_window_parts_free(j->parts);
    nd_spool_free(&j->records);
    nd_allocator allocator = j->allocator;
    nd_release(&allocator, j);
}

nd_status nd_hamming_join_put(nd_hamming_join *j, nd_fingerprint fingerprint, uint32_t number, nd_error *error) {
    nd_fingerprint mask = nd_fingerprint_mask(j->bits);
    if ((fingerprint.low & ~mask.low) || (fingerprint.high & ~mask.high))
        return nd_fail(error, ND_ERR_ARGUMENT, "a fingerprint has more than %u bits", j->bits);
    uint64_t record[3] = {fingerprint.low, j->words > 2 ? fingerprint.high : number, number};
    uint64_t hash = nd_mix64(fingerprint.low ^ nd_mix64(fingerprint.high));
    return nd_part_sorter_push_record(j->sorter, j->sort_bits ? (size_t)(hash >> (64 - j->sort_bits)) : 0, record, error);
}

/* ---- equal fingerprints */

/* What a thread has of a part: its records, sorted, become the distinct ones; and the numbers of equal ones, one lot behind the other. */
typedef struct equals_worker {
    nd_part_buffer part;
    size_t distinct;
    uint32_t *numbers;
    size_t number_count, number_capacity;
    size_t *ends; /* of the lots */
    size_t lot_count, lot_capacity;
    uint64_t all_or[2], all_and[2];
} equals_worker;

static nd_status note_equal(const nd_hamming_join *j, equals_worker *w, size_t begin, size_t end, nd_error *error) {
    if (!nd_reserve(&j->allocator, &w->numbers, &w->number_capacity, w->number_count + (end - begin)) ||
        !nd_reserve(&j->allocator, &w->ends, &w->lot_capacity, w->lot_count + 1))
        return nd_fail_memory(error, (end - begin) * sizeof *w->numbers, "equal fingerprints");
    for (; begin < end; begin++) w->numbers[w->number_count++] = (uint32_t)w->part.words[begin * j->words + j->words - 1];
    w->ends[w->lot_count++] = w->number_count;
    return ND_OK;
}

static inline bool same_key(const uint64_t *a, const uint64_t *b, unsigned words) { return a[0] == b[0] && (words == 1 || a[1] == b[1]); }

static nd_status find_equals(const nd_hamming_join *j, equals_worker *w, nd_error *error) {
    unsigned words = j->words;
    uint64_t *records = w->part.words;
    w->distinct = w->number_count = w->lot_count = 0;
    for (size_t begin = 0, end; begin < w->part.count; begin = end) {
        const uint64_t *first = records + begin * words;
        for (end = begin + 1; end < w->part.count && same_key(first, records + end * words, words - 1); end++) continue;
        if (end - begin > 1) ND_TRY(note_equal(j, w, begin, end, error));
        for (unsigned i = 0; i + 1 < words; i++) {
            w->all_or[i] |= first[i];
            w->all_and[i] &= first[i];
        }
        if (w->distinct < begin) memcpy(records + w->distinct * words, first, words * sizeof *records);
        w->distinct++;
    }
    return ND_OK;
}

/* Its turn has come. */
static nd_status give_part(nd_hamming_join *j, equals_worker *w, size_t part, nd_error *error) {
    nd_part_sorter_drop(j->sorter, part);
    ND_TRY(nd_spool_append(&j->records, w->part.words, w->distinct * j->words * sizeof(uint64_t), error));
    for (size_t i = 0, begin = 0; j->sink->equal && i < w->lot_count; begin = w->ends[i], i++)
        ND_TRY(j->sink->equal(j->sink->context, w->numbers + begin, w->ends[i] - begin, error));
    return ND_OK;
}

static nd_status find_parts_equals(nd_hamming_join *j, equals_worker *w, nd_error *error) {
    for (size_t part; part = nd_turns_take(&j->turns), part < nd_part_sorter_parts(j->sorter);) {
        bool reached;
        ND_TRY(nd_part_sorter_load_records(j->sorter, part, &w->part, error));
        ND_TRY(find_equals(j, w, error));
        ND_TRY(nd_turns_await(&j->turns, part, true, &reached));
        ND_TRY(give_part(j, w, part, error));
        nd_turns_advance(&j->turns);
    }
    return ND_OK;
}

static nd_status run_equals(void *context, uint32_t index, nd_error *error) {
    nd_hamming_join *j = context;
    equals_worker w = {.all_and = {~UINT64_C(0), ~UINT64_C(0)}};
    nd_error own = {0};
    (void)index;
    (void)error;
    nd_status status = find_parts_equals(j, &w, &own);
    if (status != ND_OK) nd_turns_fail(&j->turns, status, &own);
    pthread_mutex_lock(&j->turns.lock);
    for (unsigned i = 0; i < 2; i++) {
        j->all_or[i] |= w.all_or[i];
        j->all_and[i] &= w.all_and[i];
    }
    pthread_mutex_unlock(&j->turns.lock);
    nd_part_buffer_free(&j->allocator, &w.part);
    nd_release(&j->allocator, w.numbers);
    nd_release(&j->allocator, w.ends);
    return ND_OK;
}

/* ---- pairs */

/* One thread's means. */
typedef struct pairs_worker {
    nd_pair_queue queue;
    nd_near_finder *finder;
    nd_window_part part;
    uint32_t *starts;
    size_t start_capacity;
    struct near_room {
        uint64_t *keys;
        uint32_t *numbers;
        size_t key_capacity, number_capacity;
    } rooms[2];
    uint64_t *read; /* ROWS records */
} pairs_worker;

static nd_status reserve(const nd_hamming_join *j, struct near_room *room, size_t count, nd_error *error) {
    if (nd_reserve(&j->allocator, &room->keys, &room->key_capacity, (count + ND_NEAR_BEHIND) * (j->words - 1)) &&
        nd_reserve(&j->allocator, &room->numbers, &room->number_capacity, count))
        return ND_OK;
    return nd_fail_memory(error, count * j->words * sizeof(uint64_t), what);
}

static uint64_t record_count(const nd_hamming_join *j) { return j->records.size / (j->words * sizeof(uint64_t)); }

/* A part of the window's: its groups one after the other. */
static nd_status find_in_part(const nd_hamming_join *j, pairs_worker *w, size_t part, nd_error *error) {
    const nd_fingerprint_window *window = &j->windows[j->window];
    struct near_room *room = &w->rooms[0];
    uint32_t width = window->width - j->part_bits;
    ND_TRY(nd_window_parts_load(j->parts, part, &w->part, error));
    ND_TRY(reserve(j, room, w->part.count, error));
    if (!nd_reserve(&j->allocator, &w->starts, &w->start_capacity, ((size_t)1 << width) + 1))
        return nd_fail_memory(error, sizeof *w->starts << width, what);
    nd_near_group(window, width, w->part.records, w->part.count, j->words, w->starts, room->keys, room->numbers);
    for (size_t g = 0; g >> width == 0; g++) {
        size_t begin = w->starts[g], count = w->starts[g + 1] - begin;
        nd_near_set set = {room->keys + begin * (j->words - 1), room->numbers + begin, count};
        if (count > 1) ND_TRY(nd_near_within(w->finder, &set, error));
    }
    return ND_OK;
}

/* Records [first, first + ROWS), fewer at the end. */
static nd_status load_rows(const nd_hamming_join *j, pairs_worker *w, struct near_room *room, uint64_t first, nd_near_set *set, nd_error *error) {
    size_t size = j->words * sizeof(uint64_t), count = record_count(j) - first < ROWS ? (size_t)(record_count(j) - first) : ROWS;
    const void *view;
    ND_TRY(reserve(j, room, count, error));
    ND_TRY(nd_spool_view(&j->records, count * size, first * size, w->read, &view, error));
    const uint64_t *records = view;
    for (size_t i = 0; i < count; i++) {
        for (unsigned k = 0; k + 1 < j->words; k++) room->keys[i * (j->words - 1) + k] = records[i * j->words + k];
        room->numbers[i] = (uint32_t)records[(i + 1) * j->words - 1];
    }
    memset(room->keys + count * (j->words - 1), 0, ND_NEAR_BEHIND * (j->words - 1) * sizeof *room->keys);
    *set = (nd_near_set){room->keys, room->numbers, count};
    return ND_OK;
}

/* Block `part` of all records against itself and all later ones. */
static nd_status find_in_rows(const nd_hamming_join *j, pairs_worker *w, size_t part, nd_error *error) {
    nd_near_set rows, others;
    if (!w->read) w->read = nd_allocate(&j->allocator, (size_t)ROWS * j->words, sizeof *w->read);
    if (!w->read) return nd_fail_memory(error, (size_t)ROWS * j->words * sizeof *w->read, what);
    ND_TRY(load_rows(j, w, &w->rooms[0], (uint64_t)part * ROWS, &rows, error));
    ND_TRY(nd_near_within(w->finder, &rows, error));
    for (uint64_t first = ((uint64_t)part + 1) * ROWS; first < record_count(j); first += ROWS) {
        ND_TRY(load_rows(j, w, &w->rooms[1], first, &others, error));
        ND_TRY(nd_near_between(w->finder, &rows, &others, error));
    }
    return ND_OK;
}

static nd_status find_parts_pairs(nd_hamming_join *j, pairs_worker *w, nd_error *error) {
    size_t parts = j->parts ? (size_t)1 << j->part_bits : (size_t)((record_count(j) + ROWS - 1) / ROWS);
    ND_TRY(nd_near_finder_create(j->bits, j->k, &w->queue, &j->allocator, &w->finder, error));
    nd_near_leave_out(w->finder, j->windows, j->parts ? j->window : 0);
    for (size_t part; part = nd_turns_take(&j->turns), part < parts;) {
        if (atomic_load(&j->turns.failed)) return ND_OK;
        nd_pair_queue_begin(&w->queue, part);
        ND_TRY(j->parts ? find_in_part(j, w, part, error) : find_in_rows(j, w, part, error));
        ND_TRY(nd_pair_queue_close_lot(&w->queue, true, error));
    }
    return nd_pair_queue_finish(&w->queue, error);
}

static nd_status run_pairs(void *context, uint32_t index, nd_error *error) {
    nd_hamming_join *j = context;
    nd_error own = {0};
    (void)index;
    (void)error;
    pairs_worker *w = nd_allocate_zero(&j->allocator, 1, sizeof *w);
    nd_status status = w ? ND_OK : nd_fail_memory(&own, sizeof *w, what);
    if (w) {
        w->queue.turns = &j->turns;
        w->queue.fn = j->sink->pairs;
        w->queue.context = j->sink->context;
        status = find_parts_pairs(j, w, &own);
        nd_near_finder_free(w->finder);
        nd_release(&j->allocator, w->part.words);
        nd_release(&j->allocator, w->starts);
        nd_release(&j->allocator, w->read);
        for (size_t i = 0; i < 2; i++) {
            nd_release(&j->allocator, w->rooms[i].keys);
            nd_release(&j->allocator, w->rooms[i].numbers);
        }
        nd_release(&j->allocator, w);
    }
    if (status != ND_OK) nd_turns_fail(&j->turns, status, &own);
    return ND_OK;
}

/* ---- the whole */

/* One round of parts in turns. */
static nd_status run_turns(nd_hamming_join *j, nd_worker_fn *fn, nd_error *error) {
    nd_turns_init(&j->turns);
    nd_status status = nd_run_workers(&j->allocator, j->threads, fn, j, error);
    if (status == ND_OK) status = nd_turns_result(&j->turns, error);
    nd_turns_free(&j->turns);
    return status;
}

nd_status nd_hamming_join_run(nd_hamming_join *j, const nd_hamming_join_sink *sink, nd_error *error) {
    const double move = 25; /* nanoseconds to distribute a fingerprint by a window */
    j->sink = sink;
    ND_TRY(run_turns(j, run_equals, error));
    nd_part_sorter_free(j->sorter);
    j->sorter = NULL;
    uint64_t count = record_count(j), varying[2] = {j->all_or[0] & ~j->all_and[0], j->all_or[1] & ~j->all_and[1]};
    if (j->k == 0 || count < 2) return ND_OK;
    uint32_t weight = (uint32_t)(__builtin_popcountll(varying[0]) + __builtin_popcountll(varying[1]));
    uint32_t width = nd_near_split(j->bits, j->k, weight, (double)count, move);
    if (width == 0 || !nd_fingerprint_windows_cut(varying, j->k + 1, width, j->windows)) return run_turns(j, run_pairs, error);
    ND_TRY(nd_window_parts_create(&j->allocator, j->disk, j->words, j->threads, j->memory_limit / 2, &j->parts, error));
    for (j->window = 0; j->window <= j->k; j->window++) {
        j->part_bits = part_bits_of(count);
        if (j->part_bits > j->windows[j->window].width) j->part_bits = j->windows[j->window].width;
        ND_TRY(nd_window_parts_fill(j->parts, &j->records, &j->windows[j->window], j->part_bits, error));
        ND_TRY(run_turns(j, run_pairs, error));
    }
    return ND_OK;
}
