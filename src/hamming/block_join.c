#include "hamming/block_join.h"

#include "base/bits.h"
#include "base/limits.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = ND_BLOCK_PADDING, /* fingerprints that a kernel compares with others at a time */
    TILE = ND_LIMIT(2048, 2 * BLOCK), /* the others: so many stay in the first-level cache */
    SPLIT_LEAST = ND_LIMIT(256, 20),  /* smaller sets are not split */
    GROUP = ND_LIMIT(8,
                     2), /* fingerprints per group that windows aim at, if there are bits enough */
    LEVELS = 4,          /* of splitting */
    DENSE = 4 /* pairs per fingerprint above which a set is connected instead (`groups`) */
};

static const char what[] = "pairs of fingerprints";

/* A set in groups: group g is from starts[g] to starts[g + 1]. */
typedef struct room {
    uint64_t *keys;
    uint32_t *numbers, *starts;
    size_t key_capacity, number_capacity, start_capacity;
} room;

/* A level of splitting: the set, or both sets, grouped by one window at a time. */
typedef struct level {
    room rooms[2];
    nd_bit_window windows[ND_WINDOW_MOST];
} level;

/* Breadth-first search for the connected components of a set. [0, next): reached, and compared with
 * all that is unreached. [next, reached): reached, not yet compared. [reached, count): unreached.
 */
typedef struct frontier {
    uint64_t *keys;
    uint32_t *numbers, *hits;
    size_t key_capacity, number_capacity, hit_capacity;
    size_t next, reached, count;
} frontier;

struct nd_block_join {
    nd_block_join_settings settings;
    nd_allocator allocator;
    const nd_kernel *kernel;
    unsigned words; /* of a fingerprint */
    /* Masks of the excluded windows, then of the windows that the levels above are done with. */
    uint64_t excluded[(LEVELS + 1) * ND_WINDOW_MOST][2];
    size_t excluded_count;
    size_t found; /* pairs of the sets that are compared now, excluded ones too */
    level levels[LEVELS];
    frontier frontiers[2];
    uint64_t hits[BLOCK * (TILE + BLOCK) + 16];
    uint32_t few_hits[BLOCK + 16];
};

nd_status nd_block_join_create(const nd_block_join_settings *settings,
                               const nd_allocator *allocator, nd_block_join **out,
                               nd_error *error) {
    nd_block_join *j = nd_allocate(allocator, 1, sizeof *j);
    if (!j) return nd_fail_memory(error, sizeof *j, what);
    j->settings = *settings;
    j->allocator = *allocator;
    j->kernel = nd_kernel_get();
    j->words = settings->bits > 64 ? 2 : 1;
    for (size_t i = 0; i < settings->excluded_count; i++)
        memcpy(j->excluded[i], settings->excluded[i].mask, sizeof j->excluded[i]);
    j->excluded_count = settings->excluded_count;
    j->found = 0;
    memset(j->levels, 0, sizeof j->levels);
    memset(j->frontiers, 0, sizeof j->frontiers);
    *out = j;
    return ND_OK;
}

void nd_block_join_free(nd_block_join *j) {
    if (!j) return;
    nd_allocator allocator = j->allocator;
    for (size_t i = 0; i < 2 * LEVELS; i++) {
        room *r = &j->levels[i / 2].rooms[i % 2];
        nd_release(&allocator, r->keys);
        nd_release(&allocator, r->numbers);
        nd_release(&allocator, r->starts);
    }
    for (size_t i = 0; i < 2; i++) {
        nd_release(&allocator, j->frontiers[i].keys);
        nd_release(&allocator, j->frontiers[i].numbers);
        nd_release(&allocator, j->frontiers[i].hits);
    }
    nd_release(&allocator, j);
}

/* ---- costs in nanoseconds
 *
 * They lie between those of a core with AVX-512 and those of one with AVX2. All machines use the
 * same costs, because the order of the pairs depends on them. */

static double cost_of_all(uint32_t bits, double count, double share) {
    const double each = 4, comparison = bits > 64 ? 0.1 : 0.05;
    return count * each + count * count * share * comparison;
}

/* The most bits of a window; 0: there are too few fingerprints or bits. */
static uint32_t most_width(uint32_t k, uint32_t varying, double count) {
    uint32_t share = (varying + k) / (k + 1);
    double least = count / GROUP;
    uint32_t few = least < 2                           ? 0
                   : least >= 1 << ND_WINDOW_MOST_BITS ? ND_WINDOW_MOST_BITS
                                                       : (uint32_t)ilogb(least);
    return varying < k + 1 ? 0 : share < few ? share : few;
}

static double cost_of_set(const nd_block_split *s, int levels);

/* Splitting by k + 1 windows, for fingerprints that are spread evenly. */
static double cost_of_split(const nd_block_split *s, uint32_t most, int levels) {
    double bits = s->varying / (s->k + 1), width = bits < most ? bits : most, groups = exp2(width);
    nd_block_split group = *s;
    group.varying = s->varying - width;
    group.count = s->count / groups;
    return (s->k + 1) * (s->count * s->move + groups * cost_of_set(&group, levels));
}

/* Moving one fingerprint within a cache, with its share of setting up the groups. */
static const double move_near = 5;

/* A set that is in a cache, and may be split up to `levels` times. */
static double cost_of_set(const nd_block_split *s, int levels) {
    double all = cost_of_all(s->bits, s->count, s->share), split = all;
    uint32_t most = s->count < SPLIT_LEAST || levels == 0
                        ? 0
                        : most_width(s->k, (uint32_t)s->varying, s->count);
    if (most > 0) {
        nd_block_split near = *s;
        near.move = move_near;
        split = cost_of_split(&near, most, levels - 1);
    }
    return split < all ? split : all;
}

uint32_t nd_block_join_window_bits(const nd_block_split *s) {
    uint32_t most = most_width(s->k, (uint32_t)s->varying, s->count);
    if (most == 0) return 0;
    return cost_of_split(s, most, LEVELS) < cost_of_all(s->bits, s->count, s->share) ? most : 0;
}

/* ---- comparing all with all */

static inline nd_status report(nd_block_join *j, const uint64_t *a, const uint64_t *b,
                               uint32_t a_number, uint32_t b_number, nd_error *error) {
    uint64_t low = a[0] ^ b[0], high = j->words > 1 ? a[1] ^ b[1] : 0;
    j->found++;
    for (size_t i = 0; i < j->excluded_count; i++)
        if (!((low & j->excluded[i][0]) | (high & j->excluded[i][1]))) return ND_OK;
    nd_block_pair pair = {.a_key = a,
                          .b_key = b,
                          .a = a_number,
                          .b = b_number,
                          .distance = nd_popcount(low) + nd_popcount(high)};
    return j->settings.fn(j->settings.context, &pair, error);
}

static inline nd_block_set part_of(const nd_block_set *set, size_t begin, size_t count,
                                   unsigned words) {
    return (nd_block_set){set->keys + begin * words, set->numbers + begin, count};
}

/* Compares `rows` with `tile`: no more pairs than BLOCK * (TILE + BLOCK). Kernels are fast with
 * whole blocks, so the last block is filled up with the keys behind the tile, and their hits are
 * dropped. */
static nd_status compare_block(nd_block_join *j, const nd_block_set *rows, const nd_block_set *tile,
                               nd_error *error) {
    size_t count = (tile->count + BLOCK - 1) / BLOCK * BLOCK, found;
    unsigned words = j->words, k = j->settings.k;
    if (words == 1)
        found = j->kernel->near64_pairs(rows->keys, rows->count, tile->keys, count, k, j->hits);
    else found = j->kernel->near128_pairs(rows->keys, rows->count, tile->keys, count, k, j->hits);
    for (size_t h = 0; h < found; h++) {
        size_t x = (size_t)(j->hits[h] >> 32), y = (uint32_t)j->hits[h];
        if (y < tile->count)
            ND_TRY(report(j, rows->keys + x * words, tile->keys + y * words, rows->numbers[x],
                          tile->numbers[y], error));
    }
    return ND_OK;
}

/* Finds which of `count` keys are near one key; returns their number. */
static inline size_t find_near(const nd_block_join *j, const uint64_t *keys, size_t count,
                               const uint64_t *key, uint32_t *hits) {
    return j->words == 1 ? j->kernel->near64(keys, count, key[0], j->settings.k, hits)
                         : j->kernel->near128(keys, count, key[0], key[1], j->settings.k, hits);
}

/* Compares fingerprints [i, end), at most BLOCK, with each other. */
static nd_status compare_few(nd_block_join *j, const nd_block_set *set, size_t i, size_t end,
                             nd_error *error) {
    unsigned words = j->words;
    for (; i + 1 < end; i++) {
        const uint64_t *key = set->keys + i * words;
        size_t found = find_near(j, key + words, end - i - 1, key, j->few_hits);
        for (size_t h = 0; h < found; h++) {
            size_t y = i + 1 + j->few_hits[h];
            ND_TRY(report(j, key, set->keys + y * words, set->numbers[i], set->numbers[y], error));
        }
    }
    return ND_OK;
}

static nd_status connect(nd_block_join *j, const nd_block_set *a, const nd_block_set *b,
                         nd_error *error);

/* Whether `count` fingerprints have so many pairs that connecting them costs less. */
static inline bool is_dense(const nd_block_join *j, size_t count) {
    return j->settings.groups && j->found / DENSE > count;
}

static nd_status compare_within(nd_block_join *j, const nd_block_set *set, nd_error *error) {
    j->found = 0;
    for (size_t tile = 0, end; tile < set->count; tile = end) {
        end = set->count - tile < TILE ? set->count : tile + TILE;
        for (size_t i = 0; i < end; i += BLOCK) {
            size_t from = i + BLOCK > tile ? i + BLOCK : tile;
            if (i >= tile) ND_TRY(compare_few(j, set, i, from < end ? from : end, error));
            if (from < end) {
                size_t count = set->count - i < BLOCK ? set->count - i : BLOCK;
                nd_block_set rows = part_of(set, i, count, j->words),
                             others = part_of(set, from, end - from, j->words);
                ND_TRY(compare_block(j, &rows, &others, error));
            }
            if (is_dense(j, set->count)) return connect(j, set, NULL, error);
        }
    }
    return ND_OK;
}

static nd_status compare_between(nd_block_join *j, const nd_block_set *a, const nd_block_set *b,
                                 nd_error *error) {
    j->found = 0;
    for (size_t tile = 0, end; tile < b->count; tile = end) {
        end = b->count - tile < TILE ? b->count : tile + TILE;
        size_t most = BLOCK * (TILE + BLOCK) / (end - tile + BLOCK), count;
        nd_block_set others = part_of(b, tile, end - tile, j->words);
        for (size_t i = 0; i < a->count; i += count) {
            count = a->count - i < most ? a->count - i : most;
            nd_block_set rows = part_of(a, i, count, j->words);
            ND_TRY(compare_block(j, &rows, &others, error));
            if (is_dense(j, a->count + b->count)) return connect(j, a, b, error);
        }
    }
    return ND_OK;
}

/* ---- connecting: only the connected components are wanted
 *
 * A breadth-first search. A fingerprint that has been reached is not searched for again, so there
 * are never more pairs than fingerprints, and a set of which all are near each other takes one
 * round. A pair that is excluded connects its two fingerprints as well: it was reported elsewhere.
 */

static nd_status copy_set(nd_block_join *j, frontier *r, const nd_block_set *set, nd_error *error) {
    if (!nd_reserve(&j->allocator, &r->keys, &r->key_capacity, set->count * j->words) ||
        !nd_reserve(&j->allocator, &r->numbers, &r->number_capacity, set->count) ||
        !nd_reserve(&j->allocator, &r->hits, &r->hit_capacity, set->count + 16))
        return nd_fail_memory(error, set->count * (j->words + 1) * sizeof *r->keys, what);
    memcpy(r->keys, set->keys, set->count * j->words * sizeof *r->keys);
    memcpy(r->numbers, set->numbers, set->count * sizeof *r->numbers);
    r->next = r->reached = 0;
    r->count = set->count;
    return ND_OK;
}

/* Swaps unreached fingerprint i to the end of the reached ones. */
static void mark_reached(frontier *r, size_t i, unsigned words) {
    size_t to = r->reached++;
    uint32_t number = r->numbers[i];
    r->numbers[i] = r->numbers[to];
    r->numbers[to] = number;
    for (unsigned w = 0; w < words; w++) {
        uint64_t key = r->keys[i * words + w];
        r->keys[i * words + w] = r->keys[to * words + w];
        r->keys[to * words + w] = key;
    }
}

/* Compares the next reached fingerprint of `from` with all unreached ones of `others`, which may be
 * the same set. */
static nd_status reach_out(nd_block_join *j, frontier *from, frontier *others, nd_error *error) {
    const bool swapped = from == &j->frontiers[1]; /* the pair's first one is of `others` */
    unsigned words = j->words;
    size_t x = from->next++, first = others->reached;
    size_t found = find_near(j, others->keys + first * words, others->count - first,
                             from->keys + x * words, others->hits);
    for (size_t h = 0; h < found; h++) {
        size_t y = first + others->hits[h];
        const uint64_t *a = from->keys + x * words, *b = others->keys + y * words;
        if (swapped) ND_TRY(report(j, b, a, others->numbers[y], from->numbers[x], error));
        else ND_TRY(report(j, a, b, from->numbers[x], others->numbers[y], error));
        mark_reached(others, y, words);
    }
    return ND_OK;
}

/* b NULL: within `a`. */
static nd_status connect(nd_block_join *j, const nd_block_set *a, const nd_block_set *b,
                         nd_error *error) {
    frontier *r = j->frontiers, *of_b = b ? &r[1] : &r[0];
    ND_TRY(copy_set(j, &r[0], a, error));
    if (b) ND_TRY(copy_set(j, &r[1], b, error));
    for (;;) {
        if (of_b->next < of_b->reached) {
            ND_TRY(reach_out(j, of_b, &r[0], error));
            continue;
        }
        if (r[0].next == r[0].reached && r[0].reached++ == r[0].count) return ND_OK;
        ND_TRY(reach_out(j, &r[0], of_b, error));
    }
}

/* ---- splitting into groups, by counting sort */

/* Turns the counts starts[g + 1] into the beginnings of the groups, still at starts[g + 1]. The
 * copying that follows moves each on to its group's end, which is where group g + 1 begins. */
static inline void sum_up(uint32_t *starts, size_t groups) {
    uint32_t sum = 0;
    for (size_t g = 0; g < groups; g++) {
        uint32_t here = starts[g + 1];
        starts[g + 1] = sum;
        sum += here;
    }
}

static inline size_t group_of(const nd_bit_window *window, uint32_t mask, unsigned shift,
                              const uint64_t *record, unsigned words) {
    return (size_t)(nd_bit_window_value(window, record) & mask) << shift | record[words - 1] >> 32;
}

/* `words` is constant where this is inlined. Locals keep the loops free of reloads: the stores
 * might change what `g` points to, as far as the compiler knows. */
__attribute__((always_inline)) static inline void group(const nd_block_grouping *g, unsigned words,
                                                        uint32_t *starts, uint64_t *keys,
                                                        uint32_t *numbers) {
    const nd_bit_window window = *g->window;
    const uint64_t *const records = g->records;
    const size_t count = g->count;
    const unsigned shift = g->two_sets;
    const uint32_t mask = (UINT32_C(1) << g->width) - 1;
    for (size_t i = 0; i < count; i++)
        starts[group_of(&window, mask, shift, records + i * words, words) + 1]++;
    sum_up(starts, ((size_t)mask + 1) << shift);
    for (size_t i = 0; i < count; i++) {
        const uint64_t *record = records + i * words;
        size_t to = starts[group_of(&window, mask, shift, record, words) + 1]++;
        for (unsigned w = 0; w + 1 < words; w++) keys[to * (words - 1) + w] = record[w];
        numbers[to] = (uint32_t)record[words - 1];
    }
}

void nd_block_join_group(const nd_block_grouping *g, uint32_t *starts, uint64_t *keys,
                         uint32_t *numbers) {
    const unsigned key_words = g->words - 1;
    memset(starts, 0, (((size_t)1 << (g->width + g->two_sets)) + 1) * sizeof *starts);
    if (g->words == 2) group(g, 2, starts, keys, numbers);
    else group(g, 3, starts, keys, numbers);
    memset(keys + g->count * key_words, 0, ND_BLOCK_PADDING * key_words * sizeof *keys);
}

/* Groups a set by all bits of a window. */
static void group_set(const nd_bit_window *window, const nd_block_set *set, unsigned words,
                      room *r) {
    const nd_bit_window copy = *window;
    memset(r->starts, 0, (((size_t)1 << copy.width) + 1) * sizeof *r->starts);
    for (size_t i = 0; i < set->count; i++)
        r->starts[nd_bit_window_value(&copy, set->keys + i * words) + 1]++;
    sum_up(r->starts, (size_t)1 << copy.width);
    for (size_t i = 0; i < set->count; i++) {
        size_t to = r->starts[nd_bit_window_value(&copy, set->keys + i * words) + 1]++;
        for (unsigned w = 0; w < words; w++) r->keys[to * words + w] = set->keys[i * words + w];
        r->numbers[to] = set->numbers[i];
    }
    memset(r->keys + set->count * words, 0, ND_BLOCK_PADDING * words * sizeof *r->keys);
}

static nd_block_set group_at(const room *r, size_t g, unsigned words) {
    size_t begin = r->starts[g];
    return (nd_block_set){r->keys + begin * words, r->numbers + begin, r->starts[g + 1] - begin};
}

/* Adds the bits in which a fingerprint of the set differs from the first one of `a`. */
static void add_varying(const nd_block_set *a, const nd_block_set *set, unsigned words,
                        uint64_t varying[2]) {
    for (size_t i = 0; i < set->count; i++)
        for (unsigned w = 0; w < words; w++) varying[w] |= set->keys[i * words + w] ^ a->keys[w];
}

static void count_groups(const nd_bit_window *window, const nd_block_set *set, unsigned words,
                         uint32_t *counts) {
    memset(counts, 0, sizeof *counts << window->width);
    for (size_t i = 0; i < set->count; i++)
        counts[nd_bit_window_value(window, set->keys + i * words)]++;
}

/* What the groups of all windows will cost, by their real sizes; the sum stops at `enough`. */
static double cost_of_groups(const nd_block_join *j, level *l, uint32_t varying,
                             const nd_block_set *a, const nd_block_set *b, double enough) {
    double cost = 0;
    uint32_t bits = j->settings.bits, k = j->settings.k;
    const uint32_t *of_a = l->rooms[0].starts, *of_b = l->rooms[1].starts;
    for (uint32_t i = 0; i <= k && cost < enough; i++) {
        const nd_bit_window window = l->windows[i];
        count_groups(&window, a, j->words, l->rooms[0].starts);
        if (b) count_groups(&window, b, j->words, l->rooms[1].starts);
        cost += (double)(a->count + (b ? b->count : 0)) * move_near;
        for (size_t g = 0; g >> window.width == 0; g++) {
            nd_block_split group = {.bits = bits,
                                    .k = k,
                                    .varying = varying - window.width,
                                    .count = of_a[g] + (b ? of_b[g] : 0.0),
                                    .share = b ? nd_block_join_share(of_a[g], of_b[g]) : 0.5};
            cost += group.count < SPLIT_LEAST ? cost_of_all(bits, group.count, group.share)
                                              : cost_of_set(&group, LEVELS);
        }
    }
    return cost;
}

static nd_status reserve(const nd_block_join *j, room *r, size_t count, uint32_t width,
                         nd_error *error) {
    if (nd_reserve(&j->allocator, &r->keys, &r->key_capacity,
                   (count + ND_BLOCK_PADDING) * j->words) &&
        nd_reserve(&j->allocator, &r->numbers, &r->number_capacity, count) &&
        nd_reserve(&j->allocator, &r->starts, &r->start_capacity, ((size_t)1 << width) + 1))
        return ND_OK;
    return nd_fail_memory(error, count * j->words * sizeof *r->keys, what);
}

/* Decides whether to split a set, or two. If *split, the level has the windows and the room. */
static nd_status plan(nd_block_join *j, level *l, const nd_block_set *a, const nd_block_set *b,
                      bool *split, nd_error *error) {
    uint64_t mask[2] = {0, 0};
    uint32_t bits = j->settings.bits, k = j->settings.k;
    size_t count = a->count + (b ? b->count : 0);
    *split = false;
    if (count < SPLIT_LEAST) return ND_OK;
    add_varying(a, a, j->words, mask);
    if (b) add_varying(a, b, j->words, mask);
    uint32_t varying = nd_popcount(mask[0]) + nd_popcount(mask[1]);
    const nd_block_split all = {.bits = bits,
                                .k = k,
                                .varying = varying,
                                .count = (double)count,
                                .share = b ? nd_block_join_share((double)a->count, (double)b->count)
                                           : 0.5,
                                .move = move_near};
    uint32_t width = nd_block_join_window_bits(&all);
    if (width == 0 || !nd_bit_windows_cut(mask, k + 1, width, l->windows)) return ND_OK;
    ND_TRY(reserve(j, &l->rooms[0], a->count, width, error));
    if (b) ND_TRY(reserve(j, &l->rooms[1], b->count, width, error));
    double enough = cost_of_all(bits, all.count, all.share);
    *split = cost_of_groups(j, l, varying, a, b, enough) < enough;
    return ND_OK;
}

/* b NULL: within `a`. A window that is done is excluded for the windows after it: their groups
 * would find its pairs again. */
static nd_status find(nd_block_join *j, int depth, const nd_block_set *a, const nd_block_set *b,
                      nd_error *error) {
    bool split = false;
    level *l = &j->levels[depth];
    size_t excluded = j->excluded_count;
    if (depth < LEVELS) ND_TRY(plan(j, l, a, b, &split, error));
    if (!split) return b ? compare_between(j, a, b, error) : compare_within(j, a, error);
    for (uint32_t i = 0; i <= j->settings.k; i++) {
        group_set(&l->windows[i], a, j->words, &l->rooms[0]);
        if (b) group_set(&l->windows[i], b, j->words, &l->rooms[1]);
        for (size_t g = 0; g >> l->windows[i].width == 0; g++) {
            nd_block_set of_a = group_at(&l->rooms[0], g, j->words),
                         of_b = b ? group_at(&l->rooms[1], g, j->words) : of_a;
            if (b ? of_a.count > 0 && of_b.count > 0 : of_a.count > 1)
                ND_TRY(find(j, depth + 1, &of_a, b ? &of_b : NULL, error));
        }
        memcpy(j->excluded[j->excluded_count++], l->windows[i].mask, sizeof l->windows[i].mask);
    }
    j->excluded_count = excluded;
    return ND_OK;
}

nd_status nd_block_join_within(nd_block_join *j, const nd_block_set *set, nd_error *error) {
    return find(j, 0, set, NULL, error);
}

nd_status nd_block_join_between(nd_block_join *j, const nd_block_set *a, const nd_block_set *b,
                                nd_error *error) {
    return a->count > 0 && b->count > 0 ? find(j, 0, a, b, error) : ND_OK;
}
