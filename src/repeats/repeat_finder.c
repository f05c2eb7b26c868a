#include "repeats/repeat_finder.h"

#include "base/hash.h"
#include "base/limits.h"
#include "base/workers.h"
#include "io/external_sort.h"
#include "io/spool_blocks.h"

#include <pthread.h>
#include <string.h>

/* PART_BITS: partitions of the sorters, as bits. MOST_QUEUED: words of records that a thread
 * collects before it takes the lock: a multiple of 1, 2 and 3. */
enum { PART_BITS = ND_LIMIT(10, 2), PARTS = 1 << PART_BITS, MOST_QUEUED = ND_LIMIT(6144, 6) };

/* Bits of the filter of groups that have windows left to compare. */
enum { GROUP_BITS = ND_LIMIT(27, 3) };

/* Behind each text. */
static const char separator[] = "\xff\xff\xff\xff\xff\xff\xff\xff";

struct nd_repeat_finder {
    const nd_run *run;
    nd_symbols symbols;
    uint32_t least;
    nd_spool texts;
    uint64_t size;    /* symbols in `texts`; all offsets count symbols */
    uint64_t *begins; /* by text: its offset in `texts` */
    size_t text_count, text_capacity;
    uint64_t targets;          /* offset of the first text whose repeats are reported; 0: all are */
    nd_external_sort *anchors; /* hash; anchor word */
    nd_external_sort *members; /* anchor word; first anchor of the group; number of the group */
    nd_external_sort *ranges;  /* hash; range word */
    nd_external_sort *windows; /* hash; more of it, offset */
    nd_external_sort *repeats; /* repeat word; offset of the source */
    nd_external_sort *copies;  /* repeat word of a range; offset of the same range elsewhere */
    nd_external_sort *repeated;   /* the repeats of copies, as `repeats` */
    unsigned shift;               /* from an offset in `texts` to a part */
    _Atomic uint64_t groups;      /* of three or more anchors */
    _Atomic uint64_t *unresolved; /* bits of groups */
    nd_repeats_kept keep;
};

/* ---- words of records
 *
 * An anchor word is offset << 24 | back << 12 | windows; a repeat word is offset << 24 |
 * verified << 12 | windows. The offset is that of the anchor, or of the first window. A range word
 * is more bits of the hash << 52 | offset << 12 | windows. */

enum { OFFSET_SHIFT = 24, FIELD_BITS = 12, FIELD_MASK = (1 << FIELD_BITS) - 1 };

#define NO_SOURCE UINT64_MAX

typedef struct window_range {
    uint64_t begin; /* offset in `texts` of the first window */
    uint32_t count;
} window_range;

static uint64_t anchor_word(uint64_t offset, const nd_anchor *a) {
    return offset << OFFSET_SHIFT | (uint64_t)a->back << FIELD_BITS | a->windows;
}

static uint64_t offset_of(uint64_t word) { return word >> OFFSET_SHIFT; }
static uint32_t back_of(uint64_t word) { return word >> FIELD_BITS & FIELD_MASK; }
static uint32_t windows_of(uint64_t word) { return word & FIELD_MASK; }

static window_range windows_at(uint64_t word) {
    return (window_range){offset_of(word) - back_of(word), windows_of(word)};
}

/* ---- adding texts */

/* Shares of the budget, in percent. At one time there are, beside the texts: anchors and members;
 * members, repeats and ranges; ranges, repeats, windows and copies; copies and both kinds of
 * repeats. */
enum {
    TEXT_SHARE = 30,
    ANCHOR_SHARE = 40,
    MEMBER_SHARE = 20,
    RANGE_SHARE = 20,
    WINDOW_SHARE = 20,
    COPY_SHARE = 10,
    REPEAT_SHARE = 10
};

static size_t share_of(const nd_run *run, unsigned percent) {
    uint64_t share = run->budget.shared / 100 * percent / ND_LIMIT(1, 1 << 14);
    return (size_t)(share < 1 << 12 ? 1 << 12 : share);
}

static nd_status create_sorter(const nd_run *run, unsigned share, unsigned words, unsigned keys,
                               const char *what, nd_external_sort **out, nd_error *error) {
    const nd_external_sort_settings settings = {.disk = run->space,
                                                .parts = PARTS,
                                                .memory_limit = share_of(run, share),
                                                .words = words,
                                                .keys = keys,
                                                .what = what};
    return nd_external_sort_create_records(&run->allocator, &settings, out, error);
}

nd_status nd_repeat_finder_create(const nd_run *run, nd_symbols symbols, uint32_t least,
                                  nd_repeat_finder **out, nd_error *error) {
    nd_repeat_finder *f = nd_allocate_zero(&run->allocator, 1, sizeof *f);
    if (!f) return nd_fail_memory(error, sizeof *f, "a finder of repeats");
    f->run = run;
    f->symbols = symbols;
    f->least = least;
    nd_spool_init(&f->texts, &run->allocator, run->space, share_of(run, TEXT_SHARE), "texts");
    nd_status status = create_sorter(run, ANCHOR_SHARE, 2, 1, "anchors", &f->anchors, error);
    if (status == ND_OK) *out = f;
    else nd_repeat_finder_free(f);
    return status;
}

void nd_repeat_finder_free(nd_repeat_finder *f) {
    if (!f) return;
    const nd_allocator a = f->run->allocator;
    nd_spool_free(&f->texts);
    nd_external_sort_free(f->anchors);
    nd_external_sort_free(f->members);
    nd_external_sort_free(f->ranges);
    nd_external_sort_free(f->windows);
    nd_external_sort_free(f->repeats);
    nd_external_sort_free(f->copies);
    nd_external_sort_free(f->repeated);
    nd_release(&a, f->begins);
    nd_release(&a, (void *)f->unresolved);
    nd_release(&a, f);
}

nd_status nd_repeat_finder_add(nd_repeat_finder *f, const void *text, size_t length,
                               const nd_anchor *anchors, size_t anchor_count, nd_error *error) {
    uint64_t begin = f->size;
    if (length >= ND_REPEATS_TEXT_MOST - begin)
        return nd_fail(error, ND_ERR_INPUT, "more than 2^40 %s of text",
                       f->symbols == ND_SYMBOL_BYTES ? "bytes" : "tokens");
    if (!nd_reserve(&f->run->allocator, &f->begins, &f->text_capacity, f->text_count + 1))
        return nd_fail_memory(error, f->text_count * sizeof *f->begins, "the offsets of texts");
    f->begins[f->text_count++] = begin;
    ND_TRY(nd_spool_append(&f->texts, text, length * f->symbols, error));
    ND_TRY(nd_spool_append(&f->texts, separator, f->symbols, error));
    f->size += length + 1;
    for (size_t i = 0; i < anchor_count; i++) {
        const uint64_t record[] = {anchors[i].hash,
                                   anchor_word(begin + anchors[i].offset, &anchors[i])};
        ND_TRY(nd_external_sort_push_record(f->anchors, (size_t)(record[0] >> (64 - PART_BITS)),
                                            record, error));
    }
    return ND_OK;
}

uint64_t nd_repeat_finder_begin(const nd_repeat_finder *f, uint64_t text) {
    return f->begins[text];
}

void nd_repeat_finder_begin_targets(nd_repeat_finder *f) { f->targets = f->size; }

/* Whether a window may be the first one of others that are reported. */
static bool is_source(const nd_repeat_finder *f, uint64_t offset) {
    return f->targets == 0 || offset < f->targets;
}

/* ---- passes over the parts of a sorter, on several threads */

/* Records for one sorter. */
typedef struct record_queue {
    nd_external_sort *to;
    unsigned words;
    uint64_t queued[MOST_QUEUED];
    size_t count; /* words */
} record_queue;

typedef struct pass_worker {
    size_t number; /* of the part */
    nd_part_buffer part, other_part;
    record_queue queues[2];
    nd_spool_blocks own, other; /* of the texts */
} pass_worker;

typedef struct pass pass;
typedef nd_status pass_fn(pass *p, pass_worker *w, nd_error *error);

/* Calls fn with each part of a sorter in a worker's `part`. */
struct pass {
    nd_repeat_finder *finder;
    nd_external_sort *from;
    bool again; /* the parts are loaded once more, later */
    pass_fn *fn;
    pthread_mutex_t lock; /* of the sorters that get records */
    atomic_size_t next;
    atomic_bool failed;
    nd_external_sort *to[2];
    unsigned words[2];
};

/* The part of a record by its first word, for sorters by offset and by hash. */
static size_t part_of(const nd_repeat_finder *f, const record_queue *q, const uint64_t *record) {
    return q->to == f->windows || q->to == f->ranges ? (size_t)(record[0] >> (64 - PART_BITS))
                                                     : (size_t)(offset_of(record[0]) >> f->shift);
}

static nd_status flush(pass *p, record_queue *q, nd_error *error) {
    nd_status status = ND_OK;
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < q->count && status == ND_OK; i += q->words)
        status = nd_external_sort_push_record(q->to, part_of(p->finder, q, q->queued + i),
                                              q->queued + i, error);
    pthread_mutex_unlock(&p->lock);
    q->count = 0;
    return status;
}

static nd_status queue_record(pass *p, record_queue *q, const uint64_t *record, nd_error *error) {
    memcpy(q->queued + q->count, record, q->words * sizeof *record);
    q->count += q->words;
    return q->count == MOST_QUEUED ? flush(p, q, error) : ND_OK;
}

static nd_status run_parts(pass *p, pass_worker *w, nd_error *error) {
    while (!atomic_load(&p->failed)) {
        size_t part = atomic_fetch_add(&p->next, 1);
        if (part >= PARTS) break;
        ND_TRY(nd_progress_report(p->finder->run->progress, ND_STAGE_MATCH, part, PARTS, error));
        ND_TRY(nd_external_sort_load_records(p->from, part, &w->part, error));
        w->number = part;
        ND_TRY(p->fn(p, w, error));
        if (p->again) continue;
        pthread_mutex_lock(&p->lock);
        nd_external_sort_drop(p->from, part);
        pthread_mutex_unlock(&p->lock);
    }
    for (unsigned i = 0; i < 2; i++)
        if (w->queues[i].count > 0) ND_TRY(flush(p, &w->queues[i], error));
    return ND_OK;
}

static void open_worker(const pass *p, pass_worker *w) {
    w->own.spool = w->other.spool = &p->finder->texts;
    for (unsigned i = 0; i < 2; i++) {
        w->queues[i].to = p->to[i];
        w->queues[i].words = p->words[i];
    }
}

static nd_status run_worker(void *context, uint32_t index, nd_error *error) {
    (void)index;
    pass *p = context;
    const nd_allocator *a = &p->finder->run->allocator;
    pass_worker *w = nd_allocate_zero(a, 1, sizeof *w);
    if (!w) {
        atomic_store(&p->failed, true);
        return nd_fail_memory(error, sizeof *w, "a worker");
    }
    open_worker(p, w);
    nd_status status = run_parts(p, w, error);
    if (status != ND_OK) atomic_store(&p->failed, true);
    nd_part_buffer_free(a, &w->part);
    nd_part_buffer_free(a, &w->other_part);
    nd_spool_blocks_free(&w->own);
    nd_spool_blocks_free(&w->other);
    nd_release(a, w);
    return status;
}

static nd_status run_pass(pass *p, nd_error *error) {
    const nd_run *run = p->finder->run;
    ND_TRY(nd_external_sort_flush(p->from, error));
    pthread_mutex_init(&p->lock, NULL);
    nd_status status = nd_run_workers(&run->allocator, run->threads, run_worker, p, error);
    pthread_mutex_destroy(&p->lock);
    return status;
}

/* ---- step 1: groups of anchors */

/* Queues the members of a group. The first one has windows to compare with only if there are at
 * least two others. */
static nd_status queue_group(pass *p, pass_worker *w, const uint64_t *records, size_t count,
                             nd_error *error) {
    uint64_t group = count < 3 ? 0 : 1 + atomic_fetch_add(&p->finder->groups, 1),
             first = offset_of(records[1]);
    for (size_t i = group ? 0 : 1; i < count; i++) {
        const uint64_t member[] = {records[2 * i + 1], i == 0 ? NO_SOURCE : first, group};
        ND_TRY(queue_record(p, &w->queues[0], member, error));
    }
    return ND_OK;
}

/* pass_fn */
static nd_status group_anchors(pass *p, pass_worker *w, nd_error *error) {
    const uint64_t *words = w->part.words;
    for (size_t begin = 0, end; begin < w->part.count; begin = end) {
        for (end = begin + 1; end < w->part.count && words[2 * end] == words[2 * begin];) end++;
        bool matters = end - begin > 1 && is_source(p->finder, offset_of(words[2 * begin + 1]));
        if (matters) ND_TRY(queue_group(p, w, words + 2 * begin, end - begin, error));
    }
    return ND_OK;
}

/* ---- step 2: windows compared with the first ones */

/* The number of equal bytes from the beginning on. */
static size_t equal_bytes(const char *a, const char *b, size_t most) {
    size_t i = 0;
    for (; i + 8 <= most; i += 8) {
        uint64_t difference = nd_load_le64((const unsigned char *)a + i) ^
                              nd_load_le64((const unsigned char *)b + i);
        if (difference) return i + (size_t)__builtin_ctzll(difference) / 8;
    }
    while (i < most && a[i] == b[i]) i++;
    return i;
}

/* The number of equal bytes before two ends. */
static size_t equal_bytes_before(const char *a, const char *b, size_t most) {
    size_t i = 0;
    while (i < most && a[-(ptrdiff_t)i - 1] == b[-(ptrdiff_t)i - 1]) i++;
    return i;
}

/* Views symbols [offset, offset + size). */
static nd_status view(const nd_repeat_finder *f, nd_spool_blocks *blocks, uint64_t offset,
                      size_t size, const char **out, nd_error *error) {
    return nd_spool_blocks_view(blocks, size * f->symbols, offset * f->symbols, out, error);
}

/* Finds the windows of an anchor that are equal to those at the same distance from another one. */
static nd_status match_windows(const nd_repeat_finder *f, pass_worker *w, uint64_t word,
                               uint64_t first, window_range *out, nd_error *error) {
    window_range own = windows_at(word);
    uint64_t offset = offset_of(word);
    size_t back = back_of(word), size = own.count + f->least - 1, ahead = size - back,
           other_back = first < back ? (size_t)first : back;
    if (ahead > f->size - first) ahead = (size_t)(f->size - first);
    const char *a, *b;
    ND_TRY(view(f, &w->own, own.begin, size, &a, error));
    ND_TRY(view(f, &w->other, first - other_back, other_back + ahead, &b, error));
    a += back * f->symbols;
    b += other_back * f->symbols;
    size_t before = equal_bytes_before(a, b, other_back * f->symbols) / f->symbols,
           behind = equal_bytes(a, b, ahead * f->symbols) / f->symbols;
    *out = (window_range){own.begin, 0};
    if (before + behind < f->least) return ND_OK;
    uint64_t begin = offset - before, end = offset + behind - f->least + 1,
             own_end = own.begin + own.count;
    if (begin < own.begin) begin = own.begin;
    if (end > own_end) end = own_end;
    if (begin < end) *out = (window_range){begin, (uint32_t)(end - begin)};
    return ND_OK;
}

static nd_status queue_repeat(pass *p, record_queue *q, window_range range, uint64_t source,
                              bool verified, nd_error *error) {
    const uint64_t record[] = {
        range.begin << OFFSET_SHIFT | (uint64_t)verified << FIELD_BITS | range.count, source};
    return queue_record(p, q, record, error);
}

/* Queues the repeats, and with ND_REPEATS_KEEP_NONE their sources. */
static nd_status queue_pair(pass *p, record_queue *q, window_range range, uint64_t source,
                            bool verified, nd_error *error) {
    ND_TRY(queue_repeat(p, q, range, source, verified, error));
    if (p->finder->keep == ND_REPEATS_KEEP_FIRST) return ND_OK;
    return queue_repeat(p, q, (window_range){source, range.count}, range.begin, verified, error);
}

static uint64_t group_bit(uint64_t group) { return nd_mix64(group) >> (64 - GROUP_BITS); }

static void mark_unresolved(pass *p, uint64_t group) {
    uint64_t bit = group_bit(group);
    atomic_fetch_or(&p->finder->unresolved[bit / 64], UINT64_C(1) << bit % 64);
}

static bool is_unresolved(const nd_repeat_finder *f, uint64_t group) {
    uint64_t bit = group_bit(group);
    return group > 0 && f->unresolved[bit / 64] >> bit % 64 & 1;
}

/* pass_fn */
static nd_status compare_members(pass *p, pass_worker *w, nd_error *error) {
    for (size_t i = 0; i < w->part.count; i++) {
        const uint64_t *member = w->part.words + 3 * i;
        window_range matched;
        if (member[1] == NO_SOURCE) continue;
        ND_TRY(match_windows(p->finder, w, member[0], member[1], &matched, error));
        if (matched.count > 0)
            ND_TRY(queue_pair(p, &w->queues[0], matched,
                              member[1] - (offset_of(member[0]) - matched.begin), true, error));
        if (member[2] > 0 && matched.count < windows_of(member[0])) mark_unresolved(p, member[2]);
    }
    return ND_OK;
}

/* ---- step 3: ranges of other windows */

/* Queues a range of windows by the hash of their symbols. */
static nd_status queue_range(pass *p, pass_worker *w, window_range range, nd_error *error) {
    const nd_repeat_finder *f = p->finder;
    size_t size = range.count + f->least - 1;
    const char *text;
    if (range.count == 0) return ND_OK;
    ND_TRY(view(f, &w->own, range.begin, size, &text, error));
    static const nd_hash_key key = {ND_HASH_C0, ND_HASH_C1, ND_HASH_C2, ND_HASH_C3};
    uint64_t hash = nd_mix64(nd_hash_token(&key, text, size * f->symbols) + range.count),
             first = nd_symbol_at(f->symbols, (const unsigned char *)text, 0);
    const uint64_t record[] = {hash, nd_mix64(hash ^ first) >> 52 << 52 |
                                         range.begin << FIELD_BITS | range.count};
    return queue_record(p, &w->queues[0], record, error);
}

/* pass_fn */
static nd_status hash_ranges(pass *p, pass_worker *w, nd_error *error) {
    for (size_t i = 0; i < w->part.count; i++) {
        const uint64_t *member = w->part.words + 3 * i;
        window_range own = windows_at(member[0]), matched = {own.begin, 0};
        if (!is_unresolved(p->finder, member[2])) continue;
        if (member[1] != NO_SOURCE)
            ND_TRY(match_windows(p->finder, w, member[0], member[1], &matched, error));
        uint64_t end = matched.begin + matched.count, own_end = own.begin + own.count;
        ND_TRY(queue_range(p, w, (window_range){own.begin, (uint32_t)(matched.begin - own.begin)},
                           error));
        ND_TRY(queue_range(p, w, (window_range){end, (uint32_t)(own_end - end)}, error));
    }
    return ND_OK;
}

static window_range range_at(uint64_t word) {
    return (window_range){word >> FIELD_BITS & (ND_REPEATS_TEXT_MOST - 1),
                          (uint32_t)(word & FIELD_MASK)};
}

static bool same_range(const uint64_t *a, const uint64_t *b) {
    return a[0] == b[0] && a[1] >> 52 == b[1] >> 52 && windows_of(a[1]) == windows_of(b[1]);
}

/* Queues windows by the hash of their symbols. */
static nd_status queue_windows(pass *p, pass_worker *w, window_range range, nd_error *error) {
    const nd_symbols kind = p->finder->symbols;
    uint32_t least = p->finder->least;
    uint64_t rolling = 0, leaving = 1;
    const char *text;
    ND_TRY(view(p->finder, &w->own, range.begin, range.count + least - 1, &text, error));
    const unsigned char *symbols = (const unsigned char *)text;
    for (uint32_t i = 0; i < least; i++) {
        rolling = rolling * ND_HASH_POLY + nd_symbol_at(kind, symbols, i) + 1;
        leaving *= ND_HASH_POLY;
    }
    for (uint32_t i = 0;; i++) {
        uint64_t first = nd_symbol_at(kind, symbols, i), hash = nd_mix64(rolling),
                 more = nd_mix64(hash ^ ND_HASH_C0 ^ first);
        const uint64_t record[] = {hash, more >> 40 << 40 | (range.begin + i)};
        ND_TRY(queue_record(p, &w->queues[0], record, error));
        if (i + 1 == range.count) return ND_OK;
        rolling = rolling * ND_HASH_POLY + nd_symbol_at(kind, symbols, i + least) + 1 -
                  (first + 1) * leaving;
    }
}

/* Queues a copy of a range by the range's offset, in pieces that lie within one part. */
static nd_status queue_copy(pass *p, pass_worker *w, window_range range, uint64_t copy,
                            nd_error *error) {
    while (range.count > 0) {
        uint64_t part_end = ((range.begin >> p->finder->shift) + 1) << p->finder->shift;
        uint32_t count = range.count;
        if (part_end - range.begin < count) count = (uint32_t)(part_end - range.begin);
        const uint64_t record[] = {range.begin << OFFSET_SHIFT | count, copy};
        ND_TRY(queue_record(p, &w->queues[1], record, error));
        range = (window_range){range.begin + count, range.count - count};
        copy += count;
    }
    return ND_OK;
}

/* pass_fn. The windows of the first of several equal ranges stand for the windows of the others. */
static nd_status split_ranges(pass *p, pass_worker *w, nd_error *error) {
    const uint64_t *words = w->part.words, *first = NULL;
    for (size_t i = 0; i < w->part.count; i++) {
        const uint64_t *record = words + 2 * i;
        if (first && same_range(first, record)) {
            ND_TRY(queue_copy(p, w, range_at(first[1]), range_at(record[1]).begin, error));
            continue;
        }
        first = record;
        ND_TRY(queue_windows(p, w, range_at(record[1]), error));
    }
    return ND_OK;
}

static uint64_t window_offset(const uint64_t *record) {
    return record[1] & (ND_REPEATS_TEXT_MOST - 1);
}

static bool same_window(const uint64_t *a, const uint64_t *b) {
    return a[0] == b[0] && a[1] >> 40 == b[1] >> 40;
}

/* pass_fn */
static nd_status pair_windows(pass *p, pass_worker *w, nd_error *error) {
    const uint64_t *words = w->part.words;
    for (size_t first = 0, i = 1; i < w->part.count; i++) {
        const uint64_t *record = words + 2 * i;
        if (!same_window(words + 2 * first, record)) {
            first = i;
            continue;
        }
        ND_TRY(queue_pair(p, &w->queues[0], (window_range){window_offset(record), 1},
                          window_offset(words + 2 * first), false, error));
    }
    return ND_OK;
}

/* ---- step 4: copies of ranges */

/* The source of a window of a range: that of the window, if it has an earlier equal one, else the
 * window itself. `next`: an index of a repeat of the part that is not behind the window. */
static uint64_t source_of(const nd_part_buffer *repeats, uint64_t window, size_t *next) {
    while (*next < repeats->count && offset_of(repeats->words[2 * *next]) < window) ++*next;
    bool found = *next < repeats->count && offset_of(repeats->words[2 * *next]) == window;
    return found ? repeats->words[2 * *next + 1] : window;
}

/* Queues the repeats of a copy of a range. `next`: as above, for the range's first window. */
static nd_status queue_copied(pass *p, pass_worker *w, window_range range, uint64_t copy,
                              size_t next, nd_error *error) {
    window_range run = {copy, 0}; /* with neighbouring sources */
    uint64_t source = 0;
    for (uint32_t i = 0; i < range.count; i++) {
        uint64_t own = source_of(&w->other_part, range.begin + i, &next);
        if (run.count > 0 && own != source + run.count) {
            ND_TRY(queue_pair(p, &w->queues[0], run, source, false, error));
            run = (window_range){copy + i, 0};
        }
        if (run.count++ == 0) source = own;
    }
    return queue_pair(p, &w->queues[0], run, source, false, error);
}

/* pass_fn */
static nd_status resolve_copies(pass *p, pass_worker *w, nd_error *error) {
    size_t at = 0;
    if (w->part.count == 0) return ND_OK;
    ND_TRY(nd_external_sort_load_records(p->finder->repeats, w->number, &w->other_part, error));
    for (size_t i = 0; i < w->part.count; i++) {
        const uint64_t *record = w->part.words + 2 * i;
        window_range range = windows_at(record[0]);
        source_of(&w->other_part, range.begin, &at);
        ND_TRY(queue_copied(p, w, range, record[1], at, error));
    }
    return ND_OK;
}

/* ---- the steps */

static nd_status find_groups(nd_repeat_finder *f, nd_error *error) {
    pass p = {.finder = f, .from = f->anchors, .fn = group_anchors, .words = {3, 1}};
    while (f->size >> f->shift >= PARTS) f->shift++;
    ND_TRY(create_sorter(f->run, MEMBER_SHARE, 3, 1, "groups of anchors", &f->members, error));
    p.to[0] = f->members;
    ND_TRY(run_pass(&p, error));
    nd_external_sort_free(f->anchors);
    f->anchors = NULL;
    return ND_OK;
}

static nd_status compare_with_first(nd_repeat_finder *f, nd_error *error) {
    pass p = {.finder = f, .from = f->members, .again = true, .fn = compare_members};
    f->unresolved = nd_allocate_zero(&f->run->allocator, (UINT64_C(1) << GROUP_BITS) / 64 + 1,
                                     sizeof *f->unresolved);
    if (!f->unresolved)
        return nd_fail_memory(error, (UINT64_C(1) << GROUP_BITS) / 8, "groups of anchors");
    ND_TRY(create_sorter(f->run, REPEAT_SHARE, 2, 2, "repeats", &f->repeats, error));
    p.to[0] = f->repeats;
    p.words[0] = 2;
    return run_pass(&p, error);
}

static nd_status find_ranges(nd_repeat_finder *f, nd_error *error) {
    pass p = {.finder = f, .from = f->members, .fn = hash_ranges, .words = {2, 1}};
    ND_TRY(create_sorter(f->run, RANGE_SHARE, 2, 2, "ranges of windows", &f->ranges, error));
    p.to[0] = f->ranges;
    ND_TRY(run_pass(&p, error));
    nd_external_sort_free(f->members);
    f->members = NULL;
    return ND_OK;
}

static nd_status compare_ranges(nd_repeat_finder *f, nd_error *error) {
    pass split = {.finder = f, .from = f->ranges, .fn = split_ranges, .words = {2, 2}};
    ND_TRY(create_sorter(f->run, WINDOW_SHARE, 2, 2, "windows of texts", &f->windows, error));
    ND_TRY(create_sorter(f->run, COPY_SHARE, 2, 2, "copies of ranges", &f->copies, error));
    split.to[0] = f->windows;
    split.to[1] = f->copies;
    ND_TRY(run_pass(&split, error));
    nd_external_sort_free(f->ranges);
    f->ranges = NULL;
    pass pair = {.finder = f, .from = f->windows, .fn = pair_windows, .words = {2, 1}};
    pair.to[0] = f->repeats;
    ND_TRY(run_pass(&pair, error));
    nd_external_sort_free(f->windows);
    f->windows = NULL;
    return ND_OK;
}

static nd_status find_copied(nd_repeat_finder *f, nd_error *error) {
    pass p = {.finder = f, .from = f->copies, .fn = resolve_copies, .words = {2, 1}};
    ND_TRY(create_sorter(f->run, REPEAT_SHARE, 2, 2, "repeats", &f->repeated, error));
    ND_TRY(nd_external_sort_flush(f->repeats, error));
    p.to[0] = f->repeated;
    ND_TRY(run_pass(&p, error));
    nd_external_sort_free(f->copies);
    f->copies = NULL;
    return nd_external_sort_flush(f->repeated, error);
}

/* ---- reporting */

/* A run of windows with one distance to their sources. */
typedef struct repeat_run {
    uint64_t begin, end, source; /* offsets of windows in `texts` */
    bool verified;
} repeat_run;

typedef struct reporter {
    nd_repeat_finder *finder;
    nd_repeat_fn *fn;
    void *context;
    repeat_run run; /* end == 0: none */
    uint64_t text;  /* of the run before */
    nd_spool_blocks own, other;
} reporter;

static uint64_t text_at(const nd_repeat_finder *f, uint64_t offset) {
    uint64_t low = 0, high = f->text_count;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (f->begins[middle] <= offset) low = middle;
        else high = middle;
    }
    return low;
}

static nd_status report_run(reporter *r, const repeat_run *run, nd_error *error) {
    const nd_repeat_finder *f = r->finder;
    if (run->begin < f->targets || !is_source(f, run->source)) return ND_OK;
    while (r->text + 1 < f->text_count && f->begins[r->text + 1] <= run->begin) r->text++;
    uint64_t source_text = text_at(f, run->source);
    const nd_repeat repeat = {.text = r->text,
                              .begin = run->begin - f->begins[r->text],
                              .end = run->end - 1 + f->least - f->begins[r->text],
                              .source_text = source_text,
                              .source_begin = run->source - f->begins[source_text]};
    return r->fn(r->context, &repeat, error);
}

/* Reports the windows of a run that are equal to their sources, symbol by symbol. */
static nd_status verify_run(reporter *r, nd_error *error) {
    enum { AT_ONCE = 1 << 12 };
    const nd_repeat_finder *f = r->finder;
    repeat_run left = r->run;
    while (left.begin < left.end) {
        uint64_t windows = left.end - left.begin < AT_ONCE ? left.end - left.begin : AT_ONCE;
        size_t size = (size_t)windows + f->least - 1;
        const char *a, *b;
        ND_TRY(view(f, &r->own, left.begin, size, &a, error));
        ND_TRY(view(f, &r->other, left.source, size, &b, error));
        size_t equal = equal_bytes(a, b, size * f->symbols) / f->symbols;
        repeat_run good = left;
        good.end = equal < f->least ? left.begin : left.begin + equal - f->least + 1;
        if (good.end > good.begin) ND_TRY(report_run(r, &good, error));
        /* Behind a symbol that differs no window with it is equal. */
        uint64_t skipped = equal == size ? windows : equal + 1;
        if (skipped > left.end - left.begin) skipped = left.end - left.begin;
        left.begin += skipped;
        left.source += skipped;
    }
    return ND_OK;
}

static nd_status end_run(reporter *r, nd_error *error) {
    if (r->run.end == 0) return ND_OK;
    nd_status status = r->run.verified ? report_run(r, &r->run, error) : verify_run(r, error);
    r->run.end = 0;
    return status;
}

static nd_status take_repeat(reporter *r, const uint64_t *record, nd_error *error) {
    const repeat_run next = {.begin = offset_of(record[0]),
                             .end = offset_of(record[0]) + windows_of(record[0]),
                             .source = record[1],
                             .verified = back_of(record[0]) > 0};
    repeat_run *run = &r->run;
    if (run->end == next.begin && run->verified == next.verified &&
        run->source + (run->end - run->begin) == next.source) {
        run->end = next.end;
        return ND_OK;
    }
    ND_TRY(end_run(r, error));
    *run = next;
    return ND_OK;
}

/* Takes two lists of repeats, in ascending order. */
static nd_status take_part(reporter *r, const nd_part_buffer *a, const nd_part_buffer *b,
                           nd_error *error) {
    for (size_t i = 0, k = 0; i < a->count || k < b->count;) {
        bool first = k == b->count || (i < a->count && a->words[2 * i] >> OFFSET_SHIFT <=
                                                           b->words[2 * k] >> OFFSET_SHIFT);
        ND_TRY(take_repeat(r, first ? a->words + 2 * i++ : b->words + 2 * k++, error));
    }
    return ND_OK;
}

static nd_status report_parts(reporter *r, nd_part_buffer *a, nd_part_buffer *b, nd_error *error) {
    const nd_repeat_finder *f = r->finder;
    for (size_t i = 0; i < PARTS; i++) {
        ND_TRY(nd_progress_report(f->run->progress, ND_STAGE_WRITE, i, PARTS, error));
        ND_TRY(nd_external_sort_load_records(f->repeats, i, a, error));
        ND_TRY(nd_external_sort_load_records(f->repeated, i, b, error));
        ND_TRY(take_part(r, a, b, error));
        nd_external_sort_drop(f->repeats, i);
        nd_external_sort_drop(f->repeated, i);
    }
    return end_run(r, error);
}

static nd_status report(nd_repeat_finder *f, nd_repeat_fn *fn, void *context, nd_error *error) {
    const nd_allocator *a = &f->run->allocator;
    reporter r = {.finder = f,
                  .fn = fn,
                  .context = context,
                  .own = {.spool = &f->texts},
                  .other = {.spool = &f->texts}};
    nd_part_buffer repeats = {0}, repeated = {0};
    nd_status status = report_parts(&r, &repeats, &repeated, error);
    nd_part_buffer_free(a, &repeats);
    nd_part_buffer_free(a, &repeated);
    nd_spool_blocks_free(&r.own);
    nd_spool_blocks_free(&r.other);
    return status;
}

nd_status nd_repeat_finder_run(nd_repeat_finder *f, nd_repeats_kept keep, nd_repeat_fn *fn,
                               void *context, nd_error *error) {
    f->keep = keep;
    ND_TRY(find_groups(f, error));
    ND_TRY(compare_with_first(f, error));
    ND_TRY(find_ranges(f, error));
    ND_TRY(compare_ranges(f, error));
    ND_TRY(find_copied(f, error));
    return report(f, fn, context, error);
}
