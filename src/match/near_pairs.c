#include "match/near_pairs.h"

#include "kernel/kernel.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = ND_NEAR_BEHIND, /* fingerprints that the kernels hold against others at a time */
#ifdef ND_TINY_LIMITS
    TILE = 2 * BLOCK,
    SPLIT_LEAST = 20,
    GROUP = 2,
#else
    TILE = 2048,       /* that these are: they stay in the first cache */
    SPLIT_LEAST = 256, /* below it nothing is split */
    GROUP = 8,         /* fingerprints of a group, where there are bits enough for as few */
#endif
    LEVELS = 4 /* of splitting */
};

/* What a level splits, by one window at a time. */
typedef struct level {
    uint64_t *keys;
    uint32_t *numbers, *starts;
    size_t key_capacity, number_capacity, start_capacity;
    nd_fingerprint_window windows[ND_WINDOW_MOST];
} level;

struct nd_near_finder {
    nd_allocator allocator;
    const nd_kernel *kernel;
    nd_pair_queue *queue;
    uint32_t bits, k;
    unsigned words;
    uint64_t left_out[(LEVELS + 1) * ND_WINDOW_MOST][2];
    size_t left_out_count;
    level levels[LEVELS];
    uint64_t hits[BLOCK * (TILE + BLOCK) + 16];
    uint32_t few_hits[BLOCK + 16];
};

nd_status nd_near_finder_create(uint32_t bits, uint32_t k, nd_pair_queue *queue, const nd_allocator *allocator, nd_near_finder **out,
                                nd_error *error) {
    nd_near_finder *f = nd_allocate(allocator, 1, sizeof *f);
    if (!f) return nd_fail_memory(error, sizeof *f, "pairs of fingerprints");
    f->allocator = *allocator;
    f->kernel = nd_kernel_get();
    f->queue = queue;
    f->bits = bits;
    f->k = k;
    f->words = bits > 64 ? 2 : 1;
    f->left_out_count = 0;
    memset(f->levels, 0, sizeof f->levels);
    *out = f;
    return ND_OK;
}

void nd_near_finder_free(nd_near_finder *f) {
    if (!f) return;
    nd_allocator allocator = f->allocator;
    for (size_t i = 0; i < LEVELS; i++) {
        nd_release(&allocator, f->levels[i].keys);
        nd_release(&allocator, f->levels[i].numbers);
        nd_release(&allocator, f->levels[i].starts);
    }
    nd_release(&allocator, f);
}

void nd_near_leave_out(nd_near_finder *f, const nd_fingerprint_window *windows, size_t count) {
    for (size_t i = 0; i < count; i++) memcpy(f->left_out[i], windows[i].mask, sizeof f->left_out[i]);
    f->left_out_count = count;
}

/* ---- costs, nanoseconds: between those of a core with AVX-512 and one with AVX2, the same for all, since the order of the pairs depends on them */

static double cost_of_all(uint32_t bits, double count) {
    const double each = 4, comparison = bits > 64 ? 0.1 : 0.05;
    return count * each + count * count / 2 * comparison;
}

/* The most bits of a window; 0: there are too few fingerprints or bits. */
static uint32_t most_width(uint32_t k, uint32_t varying, double count) {
    uint32_t share = (varying + k) / (k + 1);
    double least = count / GROUP;
    uint32_t few = least < 2 ? 0 : least >= 1 << ND_WINDOW_MOST_BITS ? ND_WINDOW_MOST_BITS : (uint32_t)ilogb(least);
    return varying < k + 1 ? 0 : share < few ? share : few;
}

static double cost_of_set(uint32_t bits, uint32_t k, double varying, double count, int levels);

/* By k + 1 windows of an even spread; `move` for each fingerprint and window. */
static double cost_of_split(uint32_t bits, uint32_t k, double varying, double count, uint32_t most, double move, int levels) {
    double share = varying / (k + 1), width = share < most ? share : most, groups = exp2(width);
    return (k + 1) * (count * move + groups * cost_of_set(bits, k, varying - width, count / groups, levels));
}

/* What it costs to move a fingerprint within a cache, with its share of the groups' beginnings. */
static const double move_near = 5;

/* Splitting again up to `levels` times. */
static double cost_of_set(uint32_t bits, uint32_t k, double varying, double count, int levels) {
    double all = cost_of_all(bits, count), split = all;
    uint32_t most = count < SPLIT_LEAST || levels == 0 ? 0 : most_width(k, (uint32_t)varying, count);
    if (most > 0) split = cost_of_split(bits, k, varying, count, most, move_near, levels - 1);
    return split < all ? split : all;
}

uint32_t nd_near_split(uint32_t bits, uint32_t k, uint32_t varying, double count, double move) {
    uint32_t most = most_width(k, varying, count);
    if (most == 0) return 0;
    return cost_of_split(bits, k, varying, count, most, move, LEVELS) < cost_of_all(bits, count) ? most : 0;
}

/* ---- all with all */

static inline nd_status tell(nd_near_finder *f, const uint64_t *a, const uint64_t *b, uint32_t a_number, uint32_t b_number, nd_error *error) {
    uint64_t low = a[0] ^ b[0], high = f->words > 1 ? a[1] ^ b[1] : 0;
    for (size_t i = 0; i < f->left_out_count; i++)
        if (!((low & f->left_out[i][0]) | (high & f->left_out[i][1]))) return ND_OK;
    return nd_pair_queue_put(f->queue, a_number, b_number, (uint32_t)(__builtin_popcountll(low) + __builtin_popcountll(high)), error);
}

/* Fingerprints [i, i + BLOCK) of `a` with [from, end) of `b`, end - from <= TILE. The kernels are fast with whole blocks: what they find behind `end` is left. */
static nd_status compare_block(nd_near_finder *f, const nd_near_set *a, size_t i, const nd_near_set *b, size_t from, size_t end, nd_error *error) {
    size_t queries = a->count - i < BLOCK ? a->count - i : BLOCK, count = (end - from + BLOCK - 1) / BLOCK * BLOCK, found;
    unsigned words = f->words;
    if (words == 1) found = f->kernel->near64_pairs(a->keys + i, queries, b->keys + from, count, f->k, f->hits);
    else found = f->kernel->near128_pairs(a->keys + 2 * i, queries, b->keys + 2 * from, count, f->k, f->hits);
    for (size_t h = 0; h < found; h++) {
        size_t x = i + (size_t)(f->hits[h] >> 32), y = from + (uint32_t)f->hits[h];
        if (y < end) ND_TRY(tell(f, a->keys + x * words, b->keys + y * words, a->numbers[x], b->numbers[y], error));
    }
    return ND_OK;
}

/* Fingerprints [i, end) among themselves, at most BLOCK. */
static nd_status compare_few(nd_near_finder *f, const nd_near_set *set, size_t i, size_t end, nd_error *error) {
    unsigned words = f->words;
    for (; i + 1 < end; i++) {
        const uint64_t *key = set->keys + i * words;
        size_t found = words == 1 ? f->kernel->near64(key + 1, end - i - 1, key[0], f->k, f->few_hits)
                                  : f->kernel->near128(key + 2, end - i - 1, key[0], key[1], f->k, f->few_hits);
        for (size_t h = 0; h < found; h++) {
            size_t y = i + 1 + f->few_hits[h];
            ND_TRY(tell(f, key, set->keys + y * words, set->numbers[i], set->numbers[y], error));
        }
    }
    return ND_OK;
}

static nd_status compare_all(nd_near_finder *f, const nd_near_set *set, nd_error *error) {
    for (size_t tile = 0, end; tile < set->count; tile = end) {
        end = set->count - tile < TILE ? set->count : tile + TILE;
        for (size_t i = 0; i < end; i += BLOCK) {
            size_t from = i + BLOCK > tile ? i + BLOCK : tile;
            if (i >= tile) ND_TRY(compare_few(f, set, i, from < end ? from : end, error));
            if (from < end) ND_TRY(compare_block(f, set, i, set, from, end, error));
        }
    }
    return ND_OK;
}

nd_status nd_near_between(nd_near_finder *f, const nd_near_set *a, const nd_near_set *b, nd_error *error) {
    for (size_t tile = 0, end; tile < b->count; tile = end) {
        end = b->count - tile < TILE ? b->count : tile + TILE;
        for (size_t i = 0; i < a->count; i += BLOCK) ND_TRY(compare_block(f, a, i, b, tile, end, error));
    }
    return ND_OK;
}

/* ---- splitting */

/* Counts into starts, so that group g is then to begin at starts[g + 1]; the second of two steps moves that to starts[g] as it puts things there. */
static inline void sum_up(uint32_t *starts, size_t groups) {
    uint32_t sum = 0;
    for (size_t g = 0; g < groups; g++) {
        uint32_t here = starts[g + 1];
        starts[g + 1] = sum;
        sum += here;
    }
}

__attribute__((always_inline)) static inline void group(const nd_fingerprint_window *window, uint32_t width, const uint64_t *records, size_t count,
                                                        unsigned words, uint32_t *starts, uint64_t *keys, uint32_t *numbers) {
    uint32_t mask = (UINT32_C(1) << width) - 1;
    for (size_t i = 0; i < count; i++) starts[(nd_fingerprint_window_value(window, records + i * words) & mask) + 1]++;
    sum_up(starts, (size_t)mask + 1);
    for (size_t i = 0; i < count; i++) {
        const uint64_t *record = records + i * words;
        size_t to = starts[(nd_fingerprint_window_value(window, record) & mask) + 1]++;
        for (unsigned w = 0; w + 1 < words; w++) keys[to * (words - 1) + w] = record[w];
        numbers[to] = (uint32_t)record[words - 1];
    }
}

void nd_near_group(const nd_fingerprint_window *window, uint32_t width, const uint64_t *records, size_t count, unsigned words, uint32_t *starts,
                   uint64_t *keys, uint32_t *numbers) {
    const nd_fingerprint_window copy = *window;
    memset(starts, 0, (((size_t)1 << width) + 1) * sizeof *starts);
    if (words == 2) group(&copy, width, records, count, 2, starts, keys, numbers);
    else group(&copy, width, records, count, 3, starts, keys, numbers);
    memset(keys + count * (words - 1), 0, ND_NEAR_BEHIND * (words - 1) * sizeof *keys);
}

/* The same of a set. */
static void group_set(const nd_fingerprint_window *window, const nd_near_set *set, unsigned words, level *l) {
    const nd_fingerprint_window copy = *window;
    memset(l->starts, 0, (((size_t)1 << copy.width) + 1) * sizeof *l->starts);
    for (size_t i = 0; i < set->count; i++) l->starts[nd_fingerprint_window_value(&copy, set->keys + i * words) + 1]++;
    sum_up(l->starts, (size_t)1 << copy.width);
    for (size_t i = 0; i < set->count; i++) {
        size_t to = l->starts[nd_fingerprint_window_value(&copy, set->keys + i * words) + 1]++;
        for (unsigned w = 0; w < words; w++) l->keys[to * words + w] = set->keys[i * words + w];
        l->numbers[to] = set->numbers[i];
    }
    memset(l->keys + set->count * words, 0, ND_NEAR_BEHIND * words * sizeof *l->keys);
}

static uint32_t find_varying(const nd_near_set *set, unsigned words, uint64_t varying[2]) {
    varying[0] = varying[1] = 0;
    for (size_t i = 1; i < set->count; i++)
        for (unsigned w = 0; w < words; w++) varying[w] |= set->keys[i * words + w] ^ set->keys[w];
    return (uint32_t)(__builtin_popcountll(varying[0]) + __builtin_popcountll(varying[1]));
}

/* What the groups of all windows will cost, as large as they are. */
static double cost_of_groups(const nd_near_finder *f, level *l, uint32_t varying, const nd_near_set *set, double enough) {
    double cost = 0;
    for (uint32_t i = 0; i <= f->k && cost < enough; i++) {
        const nd_fingerprint_window window = l->windows[i];
        size_t groups = (size_t)1 << window.width;
        memset(l->starts, 0, groups * sizeof *l->starts);
        for (size_t j = 0; j < set->count; j++) l->starts[nd_fingerprint_window_value(&window, set->keys + j * f->words)]++;
        cost += (double)set->count * move_near;
        for (size_t g = 0; g < groups; g++)
            cost += l->starts[g] < SPLIT_LEAST ? cost_of_all(f->bits, l->starts[g])
                                               : cost_of_set(f->bits, f->k, varying - window.width, l->starts[g], LEVELS);
    }
    return cost;
}

/* Whether to split a set, with windows and room at the level when so. */
static nd_status plan(nd_near_finder *f, level *l, const nd_near_set *set, bool *split, nd_error *error) {
    uint64_t mask[2];
    double all = cost_of_all(f->bits, (double)set->count);
    *split = false;
    if (set->count < SPLIT_LEAST) return ND_OK;
    uint32_t varying = find_varying(set, f->words, mask), width = nd_near_split(f->bits, f->k, varying, (double)set->count, move_near);
    if (width == 0 || !nd_fingerprint_windows_cut(mask, f->k + 1, width, l->windows)) return ND_OK;
    if (!nd_reserve(&f->allocator, &l->keys, &l->key_capacity, (set->count + ND_NEAR_BEHIND) * f->words) ||
        !nd_reserve(&f->allocator, &l->numbers, &l->number_capacity, set->count) ||
        !nd_reserve(&f->allocator, &l->starts, &l->start_capacity, ((size_t)1 << width) + 1))
        return nd_fail_memory(error, set->count * f->words * sizeof *l->keys, "pairs of fingerprints");
    *split = cost_of_groups(f, l, varying, set, all) < all;
    return ND_OK;
}

static nd_status find_within(nd_near_finder *f, int depth, const nd_near_set *set, nd_error *error) {
    bool split = false;
    level *l = &f->levels[depth];
    size_t left_out = f->left_out_count;
    if (depth < LEVELS) ND_TRY(plan(f, l, set, &split, error));
    if (!split) return compare_all(f, set, error);
    for (uint32_t i = 0; i <= f->k; i++) {
        size_t groups = (size_t)1 << l->windows[i].width;
        group_set(&l->windows[i], set, f->words, l);
        for (size_t g = 0; g < groups; g++) {
            size_t begin = l->starts[g], count = l->starts[g + 1] - begin;
            nd_near_set part = {l->keys + begin * f->words, l->numbers + begin, count};
            if (count > 1) ND_TRY(find_within(f, depth + 1, &part, error));
        }
        memcpy(f->left_out[f->left_out_count++], l->windows[i].mask, sizeof l->windows[i].mask);
    }
    f->left_out_count = left_out;
    return ND_OK;
}

nd_status nd_near_within(nd_near_finder *f, const nd_near_set *set, nd_error *error) { return find_within(f, 0, set, error); }
