#include "hamming/block_join.h"

#include "base/bits.h"
#include "base/limits.h"
#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = ND_BLOCK_PADDING, /* fingerprints that the kernels hold against others at a time */
    TILE = ND_LIMIT(2048, 2 * BLOCK), /* that these are: they stay in the first cache */
    SPLIT_LEAST = ND_LIMIT(256, 20),  /* below it nothing is split */
    GROUP = ND_LIMIT(8, 2), /* fingerprints of a group, where there are bits enough for as few */
    LEVELS = 4,             /* of splitting */
    DENSE = 4               /* pairs a fingerprint, from which on sets are connected instead */
};

static const char what[] = "pairs of fingerprints";

typedef struct room {
    uint64_t *keys;
    uint32_t *numbers, *starts;
    size_t key_capacity, number_capacity, start_capacity;
} room;

/* What a level splits, by one window at a time: the one set or both. */
typedef struct level {
    room rooms[2];
    nd_bit_window windows[ND_WINDOW_MOST];
} level;

/* A set while it is connected: [0, next) have been held against the others, [next, reached) are
 * connected and wait for that, nothing behind is connected so far. */
typedef struct reach {
    uint64_t *keys;
    uint32_t *numbers, *hits;
    size_t key_capacity, number_capacity, hit_capacity;
    size_t next, reached, count;
} reach;

struct nd_block_join {
    nd_block_join_settings settings;
    nd_allocator allocator;
    const nd_kernel *kernel;
    unsigned words;
    uint64_t left_out[(LEVELS + 1) * ND_WINDOW_MOST][2];
    size_t left_out_count;
    size_t found; /* of the sets that are held against each other, whether told or not */
    level levels[LEVELS];
    reach reaches[2];
    uint64_t hits[BLOCK * (TILE + BLOCK) + 16];
    uint32_t few_hits[BLOCK + 16];
};

nd_status nd_block_join_create(const nd_block_join_settings *settings,
                               const nd_allocator *allocator, nd_block_join **out,
                               nd_error *error) {
    nd_block_join *f = nd_allocate(allocator, 1, sizeof *f);
    if (!f) return nd_fail_memory(error, sizeof *f, what);
    f->settings = *settings;
    f->allocator = *allocator;
    f->kernel = nd_kernel_get();
    f->words = settings->bits > 64 ? 2 : 1;
    f->left_out_count = f->found = 0;
    memset(f->levels, 0, sizeof f->levels);
    memset(f->reaches, 0, sizeof f->reaches);
    *out = f;
    return ND_OK;
}

void nd_block_join_free(nd_block_join *f) {
    if (!f) return;
    nd_allocator allocator = f->allocator;
    for (size_t i = 0; i < 2 * LEVELS; i++) {
        room *r = &f->levels[i / 2].rooms[i % 2];
        nd_release(&allocator, r->keys);
        nd_release(&allocator, r->numbers);
        nd_release(&allocator, r->starts);
    }
    for (size_t i = 0; i < 2; i++) {
        nd_release(&allocator, f->reaches[i].keys);
        nd_release(&allocator, f->reaches[i].numbers);
        nd_release(&allocator, f->reaches[i].hits);
    }
    nd_release(&allocator, f);
}

void nd_block_join_exclude(nd_block_join *f, const nd_bit_window *windows, size_t count) {
    for (size_t i = 0; i < count; i++)
        memcpy(f->left_out[i], windows[i].mask, sizeof f->left_out[i]);
    f->left_out_count = count;
}

/* ---- costs, nanoseconds: between those of a core with AVX-512 and one with AVX2, the same for
 * all, since the order of the pairs depends on them */

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

static double cost_of_set(uint32_t bits, uint32_t k, double varying, double count, double share,
                          int levels);

/* By k + 1 windows of an even spread; `move` for each fingerprint and window. */
static double cost_of_split(uint32_t bits, uint32_t k, double varying, double count, double share,
                            uint32_t most, double move, int levels) {
    double lot = varying / (k + 1), width = lot < most ? lot : most, groups = exp2(width);
    return (k + 1) * (count * move + groups * cost_of_set(bits, k, varying - width, count / groups,
                                                          share, levels));
}

/* What it costs to move a fingerprint within a cache, with its share of the groups' beginnings. */
static const double move_near = 5;

/* Splitting again up to `levels` times. */
static double cost_of_set(uint32_t bits, uint32_t k, double varying, double count, double share,
                          int levels) {
    double all = cost_of_all(bits, count, share), split = all;
    uint32_t most = count < SPLIT_LEAST || levels == 0 ? 0
                                                       : most_width(k, (uint32_t)varying, count);
    if (most > 0)
        split = cost_of_split(bits, k, varying, count, share, most, move_near, levels - 1);
    return split < all ? split : all;
}

uint32_t nd_block_join_window_bits(uint32_t bits, uint32_t k, uint32_t varying, double count,
                                   double share, double move) {
    uint32_t most = most_width(k, varying, count);
    if (most == 0) return 0;
    return cost_of_split(bits, k, varying, count, share, most, move, LEVELS) <
                   cost_of_all(bits, count, share)
               ? most
               : 0;
}

/* ---- all with all */

static inline nd_status tell(nd_block_join *f, const uint64_t *a, const uint64_t *b,
                             uint32_t a_number, uint32_t b_number, nd_error *error) {
    uint64_t low = a[0] ^ b[0], high = f->words > 1 ? a[1] ^ b[1] : 0;
    f->found++;
    for (size_t i = 0; i < f->left_out_count; i++)
        if (!((low & f->left_out[i][0]) | (high & f->left_out[i][1]))) return ND_OK;
    nd_block_pair pair = {a, b, a_number, b_number, nd_ones(low) + nd_ones(high)};
    return f->settings.fn(f->settings.context, &pair, error);
}

/* `queries` fingerprints of `a` from the i-th on with [from, end) of `b`, no more pairs than of a
 * block and a tile. The kernels are fast with whole blocks: what they find behind `end` is left. */
static nd_status compare_block(nd_block_join *f, const nd_block_set *a, size_t i, size_t queries,
                               const nd_block_set *b, size_t from, size_t end, nd_error *error) {
    size_t count = (end - from + BLOCK - 1) / BLOCK * BLOCK, found;
    unsigned words = f->words, k = f->settings.k;
    if (words == 1)
        found = f->kernel->near64_pairs(a->keys + i, queries, b->keys + from, count, k, f->hits);
    else
        found = f->kernel->near128_pairs(a->keys + 2 * i, queries, b->keys + 2 * from, count, k,
                                         f->hits);
    for (size_t h = 0; h < found; h++) {
        size_t x = i + (size_t)(f->hits[h] >> 32), y = from + (uint32_t)f->hits[h];
        if (y < end)
            ND_TRY(tell(f, a->keys + x * words, b->keys + y * words, a->numbers[x], b->numbers[y],
                        error));
    }
    return ND_OK;
}

/* Those of `count` keys that are near one. */
static inline size_t near_one(const nd_block_join *f, const uint64_t *keys, size_t count,
                              const uint64_t *key, uint32_t *hits) {
    return f->words == 1 ? f->kernel->near64(keys, count, key[0], f->settings.k, hits)
                         : f->kernel->near128(keys, count, key[0], key[1], f->settings.k, hits);
}

/* Fingerprints [i, end) among themselves, at most BLOCK. */
static nd_status compare_few(nd_block_join *f, const nd_block_set *set, size_t i, size_t end,
                             nd_error *error) {
    unsigned words = f->words;
    for (; i + 1 < end; i++) {
        const uint64_t *key = set->keys + i * words;
        size_t found = near_one(f, key + words, end - i - 1, key, f->few_hits);
        for (size_t h = 0; h < found; h++) {
            size_t y = i + 1 + f->few_hits[h];
            ND_TRY(tell(f, key, set->keys + y * words, set->numbers[i], set->numbers[y], error));
        }
    }
    return ND_OK;
}

static nd_status connect(nd_block_join *f, const nd_block_set *a, const nd_block_set *b,
                         nd_error *error);

/* Whether there are so many pairs between `count` fingerprints that they are better connected. */
static inline bool is_dense(const nd_block_join *f, size_t count) {
    return f->settings.groups && f->found / DENSE > count;
}

static nd_status compare_within(nd_block_join *f, const nd_block_set *set, nd_error *error) {
    f->found = 0;
    for (size_t tile = 0, end; tile < set->count; tile = end) {
        end = set->count - tile < TILE ? set->count : tile + TILE;
        for (size_t i = 0; i < end; i += BLOCK) {
            size_t from = i + BLOCK > tile ? i + BLOCK : tile;
            if (i >= tile) ND_TRY(compare_few(f, set, i, from < end ? from : end, error));
            if (from < end)
                ND_TRY(compare_block(f, set, i, set->count - i < BLOCK ? set->count - i : BLOCK,
                                     set, from, end, error));
            if (is_dense(f, set->count)) return connect(f, set, NULL, error);
        }
    }
    return ND_OK;
}

static nd_status compare_between(nd_block_join *f, const nd_block_set *a, const nd_block_set *b,
                                 nd_error *error) {
    f->found = 0;
    for (size_t tile = 0, end; tile < b->count; tile = end) {
        end = b->count - tile < TILE ? b->count : tile + TILE;
        size_t most = BLOCK * (TILE + BLOCK) / (end - tile + BLOCK), queries;
        for (size_t i = 0; i < a->count; i += queries) {
            queries = a->count - i < most ? a->count - i : most;
            ND_TRY(compare_block(f, a, i, queries, b, tile, end, error));
            if (is_dense(f, a->count + b->count)) return connect(f, a, b, error);
        }
    }
    return ND_OK;
}

/* ---- connecting
 *
 * What has been connected is not looked for any more. So where all are near each other one round
 * connects them, and there are never more pairs than fingerprints. A pair that has been told
 * elsewhere connects as well. */

static nd_status copy_set(nd_block_join *f, reach *r, const nd_block_set *set, nd_error *error) {
    if (!nd_reserve(&f->allocator, &r->keys, &r->key_capacity, set->count * f->words) ||
        !nd_reserve(&f->allocator, &r->numbers, &r->number_capacity, set->count) ||
        !nd_reserve(&f->allocator, &r->hits, &r->hit_capacity, set->count + 16))
        return nd_fail_memory(error, set->count * (f->words + 1) * sizeof *r->keys, what);
    memcpy(r->keys, set->keys, set->count * f->words * sizeof *r->keys);
    memcpy(r->numbers, set->numbers, set->count * sizeof *r->numbers);
    r->next = r->reached = 0;
    r->count = set->count;
    return ND_OK;
}

/* What is near becomes the last of those that are reached. */
static void exchange(reach *r, size_t i, unsigned words) {
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

/* The next of `from` that waits against what `others` (maybe the same) has left. */
static nd_status reach_out(nd_block_join *f, reach *from, reach *others, bool swapped,
                           nd_error *error) {
    unsigned words = f->words;
    size_t x = from->next++, first = others->reached;
    size_t found = near_one(f, others->keys + first * words, others->count - first,
                            from->keys + x * words, others->hits);
    for (size_t h = 0; h < found; h++) {
        size_t y = first + others->hits[h];
        const uint64_t *a = from->keys + x * words, *b = others->keys + y * words;
        if (swapped) ND_TRY(tell(f, b, a, others->numbers[y], from->numbers[x], error));
        else ND_TRY(tell(f, a, b, from->numbers[x], others->numbers[y], error));
        exchange(others, y, words);
    }
    return ND_OK;
}

/* b NULL: within `a`. */
static nd_status connect(nd_block_join *f, const nd_block_set *a, const nd_block_set *b,
                         nd_error *error) {
    reach *r = f->reaches, *of_b = b ? &r[1] : &r[0];
    ND_TRY(copy_set(f, &r[0], a, error));
    if (b) ND_TRY(copy_set(f, &r[1], b, error));
    for (;;) {
        if (of_b->next < of_b->reached) {
            ND_TRY(reach_out(f, of_b, &r[0], b != NULL, error));
            continue;
        }
        if (r[0].next == r[0].reached && r[0].reached++ == r[0].count) return ND_OK;
        ND_TRY(reach_out(f, &r[0], of_b, false, error));
    }
}

/* ---- splitting */

/* Counts into starts, so that group g is then to begin at starts[g + 1]; the second of two steps
 * moves that to starts[g] as it puts things there. */
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

__attribute__((always_inline)) static inline void
group(const nd_bit_window *window, uint32_t width, unsigned shift, const uint64_t *records,
      size_t count, unsigned words, uint32_t *starts, uint64_t *keys, uint32_t *numbers) {
    uint32_t mask = (UINT32_C(1) << width) - 1;
    for (size_t i = 0; i < count; i++)
        starts[group_of(window, mask, shift, records + i * words, words) + 1]++;
    sum_up(starts, ((size_t)mask + 1) << shift);
    for (size_t i = 0; i < count; i++) {
        const uint64_t *record = records + i * words;
        size_t to = starts[group_of(window, mask, shift, record, words) + 1]++;
        for (unsigned w = 0; w + 1 < words; w++) keys[to * (words - 1) + w] = record[w];
        numbers[to] = (uint32_t)record[words - 1];
    }
}

void nd_block_join_group(const nd_bit_window *window, uint32_t width, bool two_sets,
                         const uint64_t *records, size_t count, unsigned words, uint32_t *starts,
                         uint64_t *keys, uint32_t *numbers) {
    const nd_bit_window copy = *window;
    memset(starts, 0, (((size_t)1 << (width + two_sets)) + 1) * sizeof *starts);
    if (words == 2) group(&copy, width, two_sets, records, count, 2, starts, keys, numbers);
    else group(&copy, width, two_sets, records, count, 3, starts, keys, numbers);
    memset(keys + count * (words - 1), 0, ND_BLOCK_PADDING * (words - 1) * sizeof *keys);
}

/* The same of a set, without the words. */
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

/* Those that vary from the first of `a`. */
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

/* What the groups of all windows will cost, as large as they are. */
static double cost_of_groups(const nd_block_join *f, level *l, uint32_t varying,
                             const nd_block_set *a, const nd_block_set *b, double enough) {
    double cost = 0;
    uint32_t bits = f->settings.bits, k = f->settings.k;
    const uint32_t *of_a = l->rooms[0].starts, *of_b = l->rooms[1].starts;
    for (uint32_t i = 0; i <= k && cost < enough; i++) {
        const nd_bit_window window = l->windows[i];
        count_groups(&window, a, f->words, l->rooms[0].starts);
        if (b) count_groups(&window, b, f->words, l->rooms[1].starts);
        cost += (double)(a->count + (b ? b->count : 0)) * move_near;
        for (size_t g = 0; g >> window.width == 0; g++) {
            double count = of_a[g] + (b ? of_b[g] : 0.0),
                   share = b ? nd_block_join_share(of_a[g], of_b[g]) : 0.5;
            cost += count < SPLIT_LEAST
                        ? cost_of_all(bits, count, share)
                        : cost_of_set(bits, k, varying - window.width, count, share, LEVELS);
        }
    }
    return cost;
}

static nd_status reserve(const nd_block_join *f, room *r, size_t count, uint32_t width,
                         nd_error *error) {
    if (nd_reserve(&f->allocator, &r->keys, &r->key_capacity,
                   (count + ND_BLOCK_PADDING) * f->words) &&
        nd_reserve(&f->allocator, &r->numbers, &r->number_capacity, count) &&
        nd_reserve(&f->allocator, &r->starts, &r->start_capacity, ((size_t)1 << width) + 1))
        return ND_OK;
    return nd_fail_memory(error, count * f->words * sizeof *r->keys, what);
}

/* Whether to split a set, or two, with windows and room at the level when so. */
static nd_status plan(nd_block_join *f, level *l, const nd_block_set *a, const nd_block_set *b,
                      bool *split, nd_error *error) {
    uint64_t mask[2] = {0, 0};
    uint32_t bits = f->settings.bits, k = f->settings.k;
    size_t count = a->count + (b ? b->count : 0);
    *split = false;
    if (count < SPLIT_LEAST) return ND_OK;
    double share = b ? nd_block_join_share((double)a->count, (double)b->count) : 0.5,
           all = cost_of_all(bits, (double)count, share);
    add_varying(a, a, f->words, mask);
    if (b) add_varying(a, b, f->words, mask);
    uint32_t varying = nd_ones(mask[0]) + nd_ones(mask[1]);
    uint32_t width = nd_block_join_window_bits(bits, k, varying, (double)count, share, move_near);
    if (width == 0 || !nd_bit_windows_cut(mask, k + 1, width, l->windows)) return ND_OK;
    ND_TRY(reserve(f, &l->rooms[0], a->count, width, error));
    if (b) ND_TRY(reserve(f, &l->rooms[1], b->count, width, error));
    *split = cost_of_groups(f, l, varying, a, b, all) < all;
    return ND_OK;
}

static nd_status find(nd_block_join *f, int depth, const nd_block_set *a, const nd_block_set *b,
                      nd_error *error) {
    bool split = false;
    level *l = &f->levels[depth];
    size_t left_out = f->left_out_count;
    if (depth < LEVELS) ND_TRY(plan(f, l, a, b, &split, error));
    if (!split) return b ? compare_between(f, a, b, error) : compare_within(f, a, error);
    for (uint32_t i = 0; i <= f->settings.k; i++) {
        group_set(&l->windows[i], a, f->words, &l->rooms[0]);
        if (b) group_set(&l->windows[i], b, f->words, &l->rooms[1]);
        for (size_t g = 0; g >> l->windows[i].width == 0; g++) {
            nd_block_set of_a = group_at(&l->rooms[0], g, f->words),
                         of_b = b ? group_at(&l->rooms[1], g, f->words) : of_a;
            if (b ? of_a.count > 0 && of_b.count > 0 : of_a.count > 1)
                ND_TRY(find(f, depth + 1, &of_a, b ? &of_b : NULL, error));
        }
        memcpy(f->left_out[f->left_out_count++], l->windows[i].mask, sizeof l->windows[i].mask);
    }
    f->left_out_count = left_out;
    return ND_OK;
}

nd_status nd_block_join_within(nd_block_join *f, const nd_block_set *set, nd_error *error) {
    return find(f, 0, set, NULL, error);
}

nd_status nd_block_join_between(nd_block_join *f, const nd_block_set *a, const nd_block_set *b,
                                nd_error *error) {
    return a->count > 0 && b->count > 0 ? find(f, 0, a, b, error) : ND_OK;
}
