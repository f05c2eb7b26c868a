#include "repeats/repeat_finder.h"

#include "base/hash.h"
#include "io/spool_blocks.h"
#include "repeats/sorted_parts.h"

#include <stdatomic.h>
#include <string.h>

/* The filter of groups that have windows left to compare has eight bits for each symbol of the
 * texts, which are more than there are groups, but at most 2^MOST_GROUP_BITS. */
enum { FEWEST_GROUP_BITS = 3, MOST_GROUP_BITS = ND_LIMIT(27, 3) };

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
    nd_external_sort *members; /* anchor word; first anchor of the group; the group */
    nd_external_sort *ranges;  /* hash; range word */
    nd_external_sort *windows; /* hash; more of it, offset */
    nd_external_sort *repeats; /* repeat word; offset of the source */
    nd_external_sort *copies;  /* repeat word of a range; offset of the same range elsewhere */
    nd_external_sort *repeated;   /* the repeats of copies, as `repeats` */
    unsigned shift;               /* from an offset in `texts` to a part */
    _Atomic uint64_t *unresolved; /* the filter of groups */
    unsigned group_bits;
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
 * repeats; and a tenth for reading parts. */
enum {
    TEXT_SHARE = 30,
    ANCHOR_SHARE = 40,
    MEMBER_SHARE = 20,
    RANGE_SHARE = 20,
    WINDOW_SHARE = 20,
    COPY_SHARE = 10,
    REPEAT_SHARE = 10
};

static nd_status create_sorter(const nd_run *run, unsigned share, unsigned words, unsigned keys,
                               const char *what, nd_external_sort **out, nd_error *error) {
    const nd_parts_settings settings = {share, words, keys, what};
    return nd_parts_create(run, &settings, out, error);
}

nd_status nd_repeat_finder_create(const nd_run *run, nd_symbols symbols, uint32_t least,
                                  nd_repeat_finder **out, nd_error *error) {
    nd_repeat_finder *f = nd_allocate_zero(&run->allocator, 1, sizeof *f);
    if (!f) return nd_fail_memory(error, sizeof *f, "a finder of repeats");
    f->run = run;
    f->symbols = symbols;
    f->least = least;
    nd_spool_init(&f->texts, &run->allocator, run->space, nd_parts_memory(run, TEXT_SHARE),
                  "texts");
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

nd_status nd_repeat_finder_begin_text(nd_repeat_finder *f, nd_error *error) {
    if (!nd_reserve(&f->run->allocator, &f->begins, &f->text_capacity, f->text_count + 1))
        return nd_fail_memory(error, f->text_count * sizeof *f->begins, "the offsets of texts");
    f->begins[f->text_count++] = f->size;
    return ND_OK;
}

nd_status nd_repeat_finder_add_symbols(nd_repeat_finder *f, const void *symbols, size_t count,
                                       nd_error *error) {
    if (count >= ND_REPEATS_TEXT_MOST - f->size)
        return nd_fail(error, ND_ERR_INPUT, "more than 2^40 %s of text",
                       f->symbols == ND_SYMBOL_BYTES ? "bytes" : "tokens");
    f->size += count;
    return nd_spool_append(&f->texts, symbols, count * f->symbols, error);
}

nd_status nd_repeat_finder_end_text(nd_repeat_finder *f, nd_error *error) {
    f->size++;
    return nd_spool_append(&f->texts, separator, f->symbols, error);
}

nd_status nd_repeat_finder_add_anchors(void *finder, const nd_anchor *anchors, size_t count,
                                       nd_error *error) {
    nd_repeat_finder *f = finder;
    const uint64_t begin = f->begins[f->text_count - 1];
    for (size_t i = 0; i < count; i++) {
        const uint64_t record[] = {anchors[i].hash,
                                   anchor_word(begin + anchors[i].offset, &anchors[i])};
        ND_TRY(nd_external_sort_push_record(f->anchors, (size_t)(record[0] >> (64 - ND_PART_BITS)),
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

/* ---- passes over the parts of sorters */

/* A worker's own. */
typedef struct window_reader {
    nd_spool_blocks own, other; /* of the texts */
    /* Of resolve_copies: */
    nd_part_reader repeats;
    const uint64_t *repeat;           /* the next one; NULL: there is none */
    uint64_t range;                   /* repeat word of the last range; 0: there was none */
    uint64_t sources[FIELD_MASK + 1]; /* of its windows */
} window_reader;

static const nd_repeat_finder *finder_of(const nd_parts_worker *w) { return w->pass->context; }

/* Returns the next record of the part. NULL: there is none. */
static nd_status next_record(nd_parts_worker *w, const uint64_t **record, nd_error *error) {
    return nd_part_reader_next(&w->part, record, error);
}

static nd_status create_reader(nd_parts_worker *w, nd_error *error) {
    const nd_repeat_finder *f = finder_of(w);
    window_reader *r = w->own = nd_allocate_zero(&f->run->allocator, 1, sizeof *r);
    if (!r) return nd_fail_memory(error, sizeof *r, "a worker");
    r->own.spool = r->other.spool = &f->texts;
    return ND_OK;
}

static void destroy_reader(nd_parts_worker *w) {
    const nd_allocator *a = &finder_of(w)->run->allocator;
    window_reader *r = w->own;
    if (!r) return;
    nd_part_reader_free(a, &r->repeats);
    nd_spool_blocks_free(&r->own);
    nd_spool_blocks_free(&r->other);
    nd_release(a, r);
}

/* A sorter by the hash in the first word. */
static nd_parts_target by_hash(nd_external_sort *to) {
    return (nd_parts_target){to, 2, 64 - ND_PART_BITS};
}

/* A sorter by the offset in the first word. */
static nd_parts_target by_offset(const nd_repeat_finder *f, nd_external_sort *to, unsigned words) {
    return (nd_parts_target){to, words, OFFSET_SHIFT + f->shift};
}

/* ---- step 1: groups of anchors */

/* A group whose anchors come one by one. */
typedef struct anchor_group {
    uint64_t hash, first, second; /* the anchor words of the first two */
    size_t count;
} anchor_group;

static nd_status queue_member(nd_parts_worker *w, uint64_t anchor, uint64_t source, uint64_t group,
                              nd_error *error) {
    const uint64_t member[] = {anchor, source, group};
    return nd_parts_queue_record(w, 0, member, error);
}

/* Adds an anchor. The first two wait for the third: the first one has windows to compare with only
 * if there are at least two others, and then these have a group. */
static nd_status add_anchor(nd_parts_worker *w, anchor_group *g, const uint64_t *record,
                            nd_error *error) {
    uint64_t group = record[0] | 1, source = offset_of(g->first);
    if (++g->count == 1) {
        g->hash = record[0];
        g->first = record[1];
    } else if (g->count == 2) g->second = record[1];
    if (g->count < 3 || !is_source(finder_of(w), source)) return ND_OK;
    if (g->count == 3) {
        ND_TRY(queue_member(w, g->first, NO_SOURCE, group, error));
        ND_TRY(queue_member(w, g->second, source, group, error));
    }
    return queue_member(w, record[1], source, group, error);
}

static nd_status end_group(nd_parts_worker *w, anchor_group *g, nd_error *error) {
    uint64_t source = offset_of(g->first);
    bool pair = g->count == 2 && is_source(finder_of(w), source);
    g->count = 0;
    return pair ? queue_member(w, g->second, source, 0, error) : ND_OK;
}

/* take_part */
static nd_status group_anchors(nd_parts_worker *w, nd_error *error) {
    anchor_group group = {.count = 0};
    for (;;) {
        const uint64_t *record;
        ND_TRY(next_record(w, &record, error));
        if (!record || record[0] != group.hash) ND_TRY(end_group(w, &group, error));
        if (!record) return ND_OK;
        ND_TRY(add_anchor(w, &group, record, error));
    }
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
static nd_status match_windows(const nd_parts_worker *w, uint64_t word, uint64_t first,
                               window_range *out, nd_error *error) {
    const nd_repeat_finder *f = finder_of(w);
    window_reader *r = w->own;
    window_range own = windows_at(word);
    uint64_t offset = offset_of(word);
    size_t back = back_of(word), size = own.count + f->least - 1, ahead = size - back,
           other_back = first < back ? (size_t)first : back;
    if (ahead > f->size - first) ahead = (size_t)(f->size - first);
    const char *a, *b;
    ND_TRY(view(f, &r->own, own.begin, size, &a, error));
    ND_TRY(view(f, &r->other, first - other_back, other_back + ahead, &b, error));
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

static nd_status queue_repeat(nd_parts_worker *w, window_range range, uint64_t source,
                              bool verified, nd_error *error) {
    const uint64_t record[] = {
        range.begin << OFFSET_SHIFT | (uint64_t)verified << FIELD_BITS | range.count, source};
    return nd_parts_queue_record(w, 0, record, error);
}

/* Queues the repeats, and with ND_REPEATS_KEEP_NONE their sources. */
static nd_status queue_pair(nd_parts_worker *w, window_range range, uint64_t source, bool verified,
                            nd_error *error) {
    ND_TRY(queue_repeat(w, range, source, verified, error));
    if (finder_of(w)->keep == ND_REPEATS_KEEP_FIRST) return ND_OK;
    return queue_repeat(w, (window_range){source, range.count}, range.begin, verified, error);
}

static uint64_t group_bit(const nd_repeat_finder *f, uint64_t group) {
    return nd_mix64(group) >> (64 - f->group_bits);
}

static void mark_unresolved(const nd_parts_worker *w, uint64_t group) {
    const nd_repeat_finder *f = finder_of(w);
    uint64_t bit = group_bit(f, group);
    atomic_fetch_or(&f->unresolved[bit / 64], UINT64_C(1) << bit % 64);
}

static bool is_unresolved(const nd_repeat_finder *f, uint64_t group) {
    uint64_t bit = group_bit(f, group);
    return group > 0 && f->unresolved[bit / 64] >> bit % 64 & 1;
}

/* take_part */
static nd_status compare_members(nd_parts_worker *w, nd_error *error) {
    for (;;) {
        const uint64_t *member;
        window_range matched;
        ND_TRY(next_record(w, &member, error));
        if (!member) return ND_OK;
        if (member[1] == NO_SOURCE) continue;
        ND_TRY(match_windows(w, member[0], member[1], &matched, error));
        if (matched.count > 0)
            ND_TRY(queue_pair(w, matched, member[1] - (offset_of(member[0]) - matched.begin), true,
                              error));
        if (member[2] > 0 && matched.count < windows_of(member[0])) mark_unresolved(w, member[2]);
    }
}

/* ---- step 3: ranges of other windows */

/* Queues a range of windows by the hash of their symbols. */
static nd_status queue_range(nd_parts_worker *w, window_range range, nd_error *error) {
    window_reader *r = w->own;
    const nd_repeat_finder *f = finder_of(w);
    size_t size = range.count + f->least - 1;
    const char *text;
    if (range.count == 0) return ND_OK;
    ND_TRY(view(f, &r->own, range.begin, size, &text, error));
    static const nd_hash_key key = {ND_HASH_C0, ND_HASH_C1, ND_HASH_C2, ND_HASH_C3};
    uint64_t hash = nd_mix64(nd_hash_token(&key, text, size * f->symbols) + range.count),
             first = nd_symbol_at(f->symbols, (const unsigned char *)text, 0);
    const uint64_t record[] = {hash, nd_mix64(hash ^ first) >> 52 << 52 |
                                         range.begin << FIELD_BITS | range.count};
    return nd_parts_queue_record(w, 0, record, error);
}

/* take_part */
static nd_status hash_ranges(nd_parts_worker *w, nd_error *error) {
    for (;;) {
        const uint64_t *member;
        ND_TRY(next_record(w, &member, error));
        if (!member) return ND_OK;
        if (!is_unresolved(finder_of(w), member[2])) continue;
        window_range own = windows_at(member[0]), matched = {own.begin, 0};
        if (member[1] != NO_SOURCE) ND_TRY(match_windows(w, member[0], member[1], &matched, error));
        uint64_t end = matched.begin + matched.count, own_end = own.begin + own.count;
        ND_TRY(queue_range(w, (window_range){own.begin, (uint32_t)(matched.begin - own.begin)},
                           error));
        ND_TRY(queue_range(w, (window_range){end, (uint32_t)(own_end - end)}, error));
    }
}

static window_range range_at(uint64_t word) {
    return (window_range){word >> FIELD_BITS & (ND_REPEATS_TEXT_MOST - 1),
                          (uint32_t)(word & FIELD_MASK)};
}

static bool same_range(const uint64_t *a, const uint64_t *b) {
    return a[0] == b[0] && a[1] >> 52 == b[1] >> 52 && windows_of(a[1]) == windows_of(b[1]);
}

/* Queues windows by the hash of their symbols. */
static nd_status queue_windows(nd_parts_worker *w, window_range range, nd_error *error) {
    const nd_repeat_finder *f = finder_of(w);
    window_reader *r = w->own;
    const nd_symbols kind = f->symbols;
    uint32_t least = f->least;
    uint64_t rolling = 0, leaving = 1;
    const char *text;
    ND_TRY(view(f, &r->own, range.begin, range.count + least - 1, &text, error));
    const unsigned char *symbols = (const unsigned char *)text;
    for (uint32_t i = 0; i < least; i++) {
        rolling = rolling * ND_HASH_POLY + nd_symbol_at(kind, symbols, i) + 1;
        leaving *= ND_HASH_POLY;
    }
    for (uint32_t i = 0;; i++) {
        uint64_t first = nd_symbol_at(kind, symbols, i), hash = nd_mix64(rolling),
                 more = nd_mix64(hash ^ ND_HASH_C0 ^ first);
        const uint64_t record[] = {hash, more >> 40 << 40 | (range.begin + i)};
        ND_TRY(nd_parts_queue_record(w, 0, record, error));
        if (i + 1 == range.count) return ND_OK;
        rolling = rolling * ND_HASH_POLY + nd_symbol_at(kind, symbols, i + least) + 1 -
                  (first + 1) * leaving;
    }
}

/* Queues a copy of a range by the range's offset, in pieces that lie within one part. */
static nd_status queue_copy(nd_parts_worker *w, window_range range, uint64_t copy,
                            nd_error *error) {
    while (range.count > 0) {
        uint64_t part_end = ((range.begin >> finder_of(w)->shift) + 1) << finder_of(w)->shift;
        uint32_t count = range.count;
        if (part_end - range.begin < count) count = (uint32_t)(part_end - range.begin);
        const uint64_t record[] = {range.begin << OFFSET_SHIFT | count, copy};
        ND_TRY(nd_parts_queue_record(w, 1, record, error));
        range = (window_range){range.begin + count, range.count - count};
        copy += count;
    }
    return ND_OK;
}

/* take_part. The windows of the first of several equal ranges stand for the windows of the others.
 */
static nd_status split_ranges(nd_parts_worker *w, nd_error *error) {
    uint64_t first[] = {0, 0}; /* no range has 0 windows */
    for (;;) {
        const uint64_t *record;
        ND_TRY(next_record(w, &record, error));
        if (!record) return ND_OK;
        if (same_range(first, record)) {
            ND_TRY(queue_copy(w, range_at(first[1]), range_at(record[1]).begin, error));
            continue;
        }
        memcpy(first, record, sizeof first);
        ND_TRY(queue_windows(w, range_at(record[1]), error));
    }
}

static uint64_t window_offset(const uint64_t *record) {
    return record[1] & (ND_REPEATS_TEXT_MOST - 1);
}

static bool same_window(const uint64_t *a, const uint64_t *b) {
    return a[0] == b[0] && a[1] >> 40 == b[1] >> 40;
}

/* take_part */
static nd_status pair_windows(nd_parts_worker *w, nd_error *error) {
    uint64_t first[2];
    bool any = false;
    for (;; any = true) {
        const uint64_t *record;
        ND_TRY(next_record(w, &record, error));
        if (!record) return ND_OK;
        if (any && same_window(first, record))
            ND_TRY(queue_pair(w, (window_range){window_offset(record), 1}, window_offset(first),
                              false, error));
        else memcpy(first, record, sizeof first);
    }
}

/* ---- step 4: copies of ranges */

/* Finds the sources of the windows of a range: that of the window, if it has an earlier equal one,
 * else the window itself. Ranges come in ascending order, and no two have a window in common, as
 * anchors have none. So the repeats of the part are read once. */
static nd_status find_sources(window_reader *r, window_range range, nd_error *error) {
    for (uint32_t i = 0; i < range.count; i++) {
        uint64_t window = range.begin + i;
        while (r->repeat && offset_of(r->repeat[0]) < window)
            ND_TRY(nd_part_reader_next(&r->repeats, &r->repeat, error));
        bool found = r->repeat && offset_of(r->repeat[0]) == window;
        r->sources[i] = found ? r->repeat[1] : window;
    }
    return ND_OK;
}

/* Queues the repeats of a copy of the last range, of `count` windows. */
static nd_status queue_copied(nd_parts_worker *w, uint64_t copy, uint32_t count, nd_error *error) {
    const uint64_t *sources = ((const window_reader *)w->own)->sources;
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && sources[end] == sources[end - 1] + 1;) end++;
        ND_TRY(
            queue_pair(w, (window_range){copy + begin, end - begin}, sources[begin], false, error));
    }
    return ND_OK;
}

static nd_status open_repeats(nd_parts_worker *w, nd_error *error) {
    const nd_repeat_finder *f = finder_of(w);
    window_reader *r = w->own;
    r->range = 0;
    ND_TRY(nd_part_reader_open(&r->repeats, &f->run->allocator, f->repeats, w->number,
                               nd_parts_reading_memory(f->run), error));
    return nd_part_reader_next(&r->repeats, &r->repeat, error);
}

/* take_part */
static nd_status resolve_copies(nd_parts_worker *w, nd_error *error) {
    window_reader *r = w->own;
    const uint64_t *record;
    ND_TRY(next_record(w, &record, error));
    if (record) ND_TRY(open_repeats(w, error));
    while (record) {
        window_range range = windows_at(record[0]);
        if (record[0] != r->range) ND_TRY(find_sources(r, range, error));
        r->range = record[0];
        ND_TRY(queue_copied(w, record[1], range.count, error));
        ND_TRY(next_record(w, &record, error));
    }
    return ND_OK;
}

/* ---- the steps */

static nd_parts_pass pass_over(const nd_repeat_finder *f, nd_external_sort *from,
                               nd_status (*take_part)(nd_parts_worker *, nd_error *)) {
    return (nd_parts_pass){.run = f->run,
                           .from = from,
                           .context = f,
                           .create_worker = create_reader,
                           .take_part = take_part,
                           .destroy_worker = destroy_reader};
}

static void drop(nd_external_sort **sorter) {
    nd_external_sort_free(*sorter);
    *sorter = NULL;
}

static nd_status find_groups(nd_repeat_finder *f, nd_error *error) {
    nd_parts_pass p = pass_over(f, f->anchors, group_anchors);
    while (f->size >> f->shift >= ND_PARTS) f->shift++;
    ND_TRY(create_sorter(f->run, MEMBER_SHARE, 3, 1, "groups of anchors", &f->members, error));
    p.targets[0] = by_offset(f, f->members, 3);
    ND_TRY(nd_parts_run(&p, error));
    drop(&f->anchors);
    return ND_OK;
}

static nd_status compare_with_first(nd_repeat_finder *f, nd_error *error) {
    nd_parts_pass p = pass_over(f, f->members, compare_members);
    f->group_bits = FEWEST_GROUP_BITS;
    while (f->group_bits < MOST_GROUP_BITS && f->size >> (f->group_bits - 3) > 0) f->group_bits++;
    const size_t words = ((size_t)1 << f->group_bits) / 64 + 1;
    f->unresolved = nd_allocate_zero(&f->run->allocator, words, sizeof *f->unresolved);
    if (!f->unresolved)
        return nd_fail_memory(error, words * sizeof *f->unresolved, "groups of anchors");
    ND_TRY(create_sorter(f->run, REPEAT_SHARE, 2, 2, "repeats", &f->repeats, error));
    p.targets[0] = by_offset(f, f->repeats, 2);
    p.again = true;
    return nd_parts_run(&p, error);
}

static nd_status find_ranges(nd_repeat_finder *f, nd_error *error) {
    nd_parts_pass p = pass_over(f, f->members, hash_ranges);
    ND_TRY(create_sorter(f->run, RANGE_SHARE, 2, 2, "ranges of windows", &f->ranges, error));
    p.targets[0] = by_hash(f->ranges);
    ND_TRY(nd_parts_run(&p, error));
    drop(&f->members);
    return ND_OK;
}

static nd_status compare_ranges(nd_repeat_finder *f, nd_error *error) {
    nd_parts_pass split = pass_over(f, f->ranges, split_ranges);
    ND_TRY(create_sorter(f->run, WINDOW_SHARE, 2, 2, "windows of texts", &f->windows, error));
    ND_TRY(create_sorter(f->run, COPY_SHARE, 2, 2, "copies of ranges", &f->copies, error));
    split.targets[0] = by_hash(f->windows);
    split.targets[1] = by_offset(f, f->copies, 2);
    ND_TRY(nd_parts_run(&split, error));
    drop(&f->ranges);
    nd_parts_pass pair = pass_over(f, f->windows, pair_windows);
    pair.targets[0] = by_offset(f, f->repeats, 2);
    ND_TRY(nd_parts_run(&pair, error));
    drop(&f->windows);
    return ND_OK;
}

static nd_status find_copied(nd_repeat_finder *f, nd_error *error) {
    nd_parts_pass p = pass_over(f, f->copies, resolve_copies);
    ND_TRY(create_sorter(f->run, REPEAT_SHARE, 2, 2, "repeats", &f->repeated, error));
    ND_TRY(nd_external_sort_flush(f->repeats, error));
    p.targets[0] = by_offset(f, f->repeated, 2);
    ND_TRY(nd_parts_run(&p, error));
    drop(&f->copies);
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

/* Takes two parts of repeats, in ascending order. */
static nd_status take_part(reporter *r, nd_part_reader *a, nd_part_reader *b, nd_error *error) {
    const uint64_t *x, *y;
    ND_TRY(nd_part_reader_next(a, &x, error));
    ND_TRY(nd_part_reader_next(b, &y, error));
    while (x || y) {
        bool first = !y || (x && offset_of(x[0]) <= offset_of(y[0]));
        ND_TRY(take_repeat(r, first ? x : y, error));
        ND_TRY(first ? nd_part_reader_next(a, &x, error) : nd_part_reader_next(b, &y, error));
    }
    return ND_OK;
}

static nd_status report_parts(reporter *r, nd_part_reader *a, nd_part_reader *b, nd_error *error) {
    const nd_repeat_finder *f = r->finder;
    const nd_allocator *allocator = &f->run->allocator;
    size_t memory = nd_parts_reading_memory(f->run);
    for (size_t i = 0; i < ND_PARTS; i++) {
        ND_TRY(nd_progress_report(f->run->progress, ND_STAGE_WRITE, i, ND_PARTS, error));
        ND_TRY(nd_part_reader_open(a, allocator, f->repeats, i, memory, error));
        ND_TRY(nd_part_reader_open(b, allocator, f->repeated, i, memory, error));
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
    nd_part_reader repeats = {.words = 0}, repeated = {.words = 0};
    nd_status status = report_parts(&r, &repeats, &repeated, error);
    nd_part_reader_free(a, &repeats);
    nd_part_reader_free(a, &repeated);
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
