#include "similarity/overlap_index.h"

#include "base/limits.h"

#include <string.h>

/* A shingle of more sets is common. With fewer than some hundred, sets that common shingles alone
 * make candidates are compared too often. */
enum { COMMON = ND_LIMIT(512, 2) };

/* Bits of the map that counts the distinct shingles of a text: a divisor of 2^24. */
enum { SEEN_BITS = 1 << 16 };

/* Positions ahead of a lookup at which the table is prefetched. */
enum { AHEAD = 8 };

/* The list of a shingle: an index in `members` from 1 on, or that it is common. 0: none. */
#define IS_COMMON UINT32_MAX

/* The last member of a list. */
#define LAST (UINT32_C(1) << 31)

struct nd_overlap_index {
    nd_allocator allocator;
    const nd_listed_set *sets;
    size_t count;
    nd_overlap_settings settings;
    size_t smallest;  /* the size of the smallest set */
    uint32_t *common; /* by set: its common shingles */
    /* By shingle: the upper half of the hash, and its list (while the index is made, its path).
     * Open addressing with linear probing from the lower half; 0: free. Shingles that agree in all
     * these bits share a slot: then counts are too large, never too small. */
    uint64_t *slots;
    size_t mask;
    uint32_t *members;
    size_t member_count;
};

/* The sets that have a shingle, while the index is made: this set, the set of the path before it,
 * and so on to path 0, which is empty. Paths are a tree: shingles that the same sets have, as those
 * of one paragraph of a menu, share a path. */
typedef struct path {
    uint32_t before;
    uint32_t set;
    uint32_t size;
    uint32_t next; /* the last path that goes on from here; then its list */
} path;

typedef struct path_tree {
    path *paths;
    uint32_t count;
} path_tree;

struct nd_overlap_search {
    nd_allocator allocator;
    const nd_overlap_index *index;
    double *least;     /* by set: the least similarity that is searched for */
    uint32_t *counts;  /* by set: shingles of the text that the set has, common ones left out */
    uint32_t *touched; /* the sets with a count */
    size_t touched_count;
    uint32_t *weights; /* by the beginning of a list: shingles of the text that have it */
    uint32_t *lists;   /* the lists with a weight */
    size_t list_count;
    size_t common;                 /* common shingles of the text */
    size_t distinct;               /* it has at least so many distinct shingles */
    uint64_t seen[SEEN_BITS / 64]; /* bits of its shingles */
    nd_similar_set *similar;
    size_t similar_count;
};

/* ---- making the index */

static inline uint32_t list_at(const nd_overlap_index *x, size_t slot) {
    return (uint32_t)x->slots[slot];
}

static inline void set_list(nd_overlap_index *x, size_t slot, uint64_t hash, uint32_t list) {
    x->slots[slot] = hash >> 32 << 32 | list;
}

/* The slot of a shingle, or the free slot where it would be. The bits of shingles are mixed. */
static inline size_t slot_of(const nd_overlap_index *x, uint64_t hash) {
    size_t slot = (size_t)hash & x->mask;
    while (x->slots[slot] != 0 && x->slots[slot] >> 32 != hash >> 32) slot = (slot + 1) & x->mask;
    return slot;
}

/* Returns the path that leads on from `before` to `set`. */
static uint32_t go_on(path_tree *t, uint32_t before, uint32_t set) {
    uint32_t next = t->paths[before].next;
    if (next != 0 && t->paths[next].set == set) return next;
    next = t->count++;
    t->paths[next] = (path){.before = before, .set = set, .size = t->paths[before].size + 1};
    return t->paths[before].next = next;
}

static void make_paths(nd_overlap_index *x, path_tree *t) {
    for (size_t s = 0; s < x->count; s++) {
        for (size_t i = 0; i < x->sets[s].size; i++) {
            uint64_t hash = x->sets[s].hashes[i];
            size_t slot = slot_of(x, hash);
            set_list(x, slot, hash, go_on(t, list_at(x, slot), (uint32_t)s));
        }
    }
}

/* Writes the sets of a path at the end of `members`, of which `count` are taken. */
static uint32_t write_list(nd_overlap_index *x, const path_tree *t, uint32_t from, uint32_t count) {
    uint32_t *member = x->members + count + t->paths[from].size;
    *--member = t->paths[from].set | LAST;
    for (uint32_t p = t->paths[from].before; p != 0; p = t->paths[p].before)
        *--member = t->paths[p].set;
    return count + t->paths[from].size;
}

static void count_common(nd_overlap_index *x, const path_tree *t, uint32_t from) {
    for (uint32_t p = from; p != 0; p = t->paths[p].before) x->common[t->paths[p].set]++;
}

/* Returns the list of a path. Shingles of one path share it. */
static uint32_t make_list(nd_overlap_index *x, path_tree *t, uint32_t from) {
    path *p = &t->paths[from];
    if (p->size > COMMON) {
        count_common(x, t, from);
        return IS_COMMON;
    }
    if (p->next == 0) {
        p->next = (uint32_t)x->member_count;
        x->member_count = write_list(x, t, from, p->next);
    }
    return p->next;
}

static void make_lists(nd_overlap_index *x, path_tree *t) {
    for (uint32_t p = 0; p < t->count; p++) t->paths[p].next = 0;
    x->member_count = 1;
    for (size_t slot = 0; slot <= x->mask; slot++)
        if (x->slots[slot] != 0)
            set_list(x, slot, x->slots[slot], make_list(x, t, list_at(x, slot)));
}

static nd_status fill(nd_overlap_index *x, size_t shingles, nd_error *error) {
    const nd_allocator *a = &x->allocator;
    path_tree tree = {.paths = nd_allocate(a, shingles + 1, sizeof *tree.paths), .count = 1};
    size_t slots = 16;
    while (slots / 4 * 3 < shingles) slots *= 2;
    x->mask = slots - 1;
    x->slots = nd_allocate_zero(a, slots, sizeof *x->slots);
    x->members = nd_allocate(a, shingles + 1, sizeof *x->members);
    x->common = nd_allocate_zero(a, x->count, sizeof *x->common);
    if (!x->slots || !x->members || !x->common || !tree.paths) {
        nd_release(a, tree.paths);
        return nd_fail_memory(error, slots * 8 + shingles * 20, "the shingles of a sample");
    }
    tree.paths[0] = (path){.size = 0};
    make_paths(x, &tree);
    make_lists(x, &tree);
    nd_release(a, tree.paths);
    return ND_OK;
}

nd_status nd_overlap_index_create(const nd_listed_set *sets, size_t count,
                                  const nd_overlap_settings *settings,
                                  const nd_allocator *allocator, nd_overlap_index **out,
                                  nd_error *error) {
    size_t shingles = 0, smallest = SIZE_MAX;
    nd_overlap_index *x = nd_allocate_zero(allocator, 1, sizeof *x);
    if (!x) return nd_fail_memory(error, sizeof *x, "the shingles of a sample");
    for (size_t s = 0; s < count; s++) {
        shingles += sets[s].size;
        if (sets[s].size < smallest) smallest = sets[s].size;
    }
    *x = (nd_overlap_index){.allocator = *allocator,
                            .sets = sets,
                            .count = count,
                            .settings = *settings,
                            .smallest = smallest};
    nd_status status = fill(x, shingles, error);
    if (status == ND_OK) *out = x;
    else nd_overlap_index_free(x);
    return status;
}

void nd_overlap_index_free(nd_overlap_index *x) {
    if (!x) return;
    const nd_allocator a = x->allocator;
    nd_release(&a, x->slots);
    nd_release(&a, x->members);
    nd_release(&a, x->common);
    nd_release(&a, x);
}

/* ---- searching */

nd_status nd_overlap_search_create(const nd_overlap_index *index, const nd_allocator *allocator,
                                   nd_overlap_search **out, nd_error *error) {
    nd_overlap_search *s = nd_allocate_zero(allocator, 1, sizeof *s);
    if (!s) return nd_fail_memory(error, sizeof *s, "a search");
    s->allocator = *allocator;
    s->index = index;
    s->least = nd_allocate(allocator, index->count, sizeof *s->least);
    s->counts = nd_allocate_zero(allocator, index->count, sizeof *s->counts);
    s->touched = nd_allocate(allocator, index->count, sizeof *s->touched);
    s->similar = nd_allocate(allocator, index->count, sizeof *s->similar);
    s->weights = nd_allocate_zero(allocator, index->member_count, sizeof *s->weights);
    s->lists = nd_allocate(allocator, index->member_count, sizeof *s->lists);
    if (!s->least || !s->counts || !s->touched || !s->similar || !s->weights || !s->lists) {
        nd_overlap_search_free(s);
        return nd_fail_memory(error, index->count * 28 + index->member_count * 8, "a search");
    }
    for (size_t set = 0; set < index->count; set++) s->least[set] = index->settings.threshold;
    *out = s;
    return ND_OK;
}

void nd_overlap_search_raise(nd_overlap_search *s, uint32_t set, double least) {
    s->least[set] = least;
}

void nd_overlap_search_free(nd_overlap_search *s) {
    if (!s) return;
    const nd_allocator a = s->allocator;
    nd_release(&a, s->least);
    nd_release(&a, s->counts);
    nd_release(&a, s->touched);
    nd_release(&a, s->similar);
    nd_release(&a, s->weights);
    nd_release(&a, s->lists);
    nd_release(&a, s);
}

/* Shingles with the same bit count once, so the number is never too large. */
static inline void count_distinct(nd_overlap_search *s, uint64_t hash) {
    uint64_t *word = &s->seen[(hash >> 40) % SEEN_BITS / 64], bit = UINT64_C(1)
                                                                    << (hash >> 40) % 64;
    s->distinct += !(*word & bit);
    *word |= bit;
}

/* Weighs the lists of the text's shingles. Neighbouring shingles, and those of a template, share
 * lists, so that few lists are read afterwards. */
static void weigh_lists(nd_overlap_search *s, const uint64_t *shingles, size_t count) {
    const nd_overlap_index *x = s->index;
    s->list_count = s->common = s->distinct = 0;
    memset(s->seen, 0, sizeof s->seen);
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count) __builtin_prefetch(&x->slots[(size_t)shingles[i + AHEAD] & x->mask]);
        count_distinct(s, shingles[i]);
        uint32_t list = list_at(x, slot_of(x, shingles[i]));
        if (list == 0) continue;
        if (list == IS_COMMON) s->common++;
        else if (s->weights[list]++ == 0) s->lists[s->list_count++] = list;
    }
}

/* Adds the weight of a list to its sets, and takes it from the list. */
static void count_members(nd_overlap_search *s, uint32_t list) {
    const uint32_t *member = s->index->members + list;
    uint32_t weight = s->weights[list];
    s->weights[list] = 0;
    for (bool last = false; !last; member++) {
        uint32_t set = *member & ~LAST;
        last = *member & LAST;
        if (s->counts[set] == 0) s->touched[s->touched_count++] = set;
        s->counts[set] += weight;
    }
}

/* Counts the shingles that the text shares with each set. Repeats make the counts too large, never
 * too small. */
static void count_shared(nd_overlap_search *s, const uint64_t *shingles, size_t count) {
    weigh_lists(s, shingles, count);
    s->touched_count = 0;
    for (size_t i = 0; i < s->list_count; i++) count_members(s, s->lists[i]);
}

static size_t smaller_of(size_t a, size_t b) { return a < b ? a : b; }

/* Whether so many shared shingles may be enough for a set of this size. One more than there are is
 * granted, so that rounding loses no pair. */
static bool may_reach(const nd_overlap_search *s, size_t shared, size_t size, double threshold) {
    if (s->index->settings.measure == ND_MEASURE_CONTAINMENT)
        return (double)(shared + 1) >= threshold * (double)smaller_of(s->distinct, size);
    return (double)(shared + 1) * (1 + threshold) >= threshold * (double)(s->distinct + size);
}

static bool set_may_reach(const nd_overlap_search *s, uint32_t set) {
    size_t common = smaller_of(s->common, s->index->common[set]);
    return may_reach(s, s->counts[set] + common, s->index->sets[set].size, s->least[set]);
}

/* Whether common shingles alone may be enough for some set. Such a set is perhaps not touched. */
static bool common_may_reach(const nd_overlap_search *s) {
    return s->common > 0 &&
           may_reach(s, s->common, s->index->smallest, s->index->settings.threshold);
}

static bool any_may_reach(const nd_overlap_search *s) {
    if (common_may_reach(s)) return true;
    for (size_t i = 0; i < s->touched_count; i++)
        if (set_may_reach(s, s->touched[i])) return true;
    return false;
}

/* The least intersection of similar sets of these sizes, or less. */
static double least_intersection(const nd_overlap_search *s, size_t size, size_t other,
                                 double threshold) {
    return s->index->settings.measure == ND_MEASURE_CONTAINMENT
               ? threshold * (double)smaller_of(size, other) - 1
               : threshold / (1 + threshold) * (double)(size + other) - 1;
}

/* The intersection of a text and a set; any smaller number, if they are not similar: the search
 * ends when more hashes of the text are missing in the set than similar sets allow. */
static size_t intersection_of(const nd_overlap_search *s, uint32_t number, const uint64_t *text,
                              size_t size) {
    const nd_listed_set *set = &s->index->sets[number];
    double least = least_intersection(s, size, set->size, s->least[number]);
    size_t most_missing = size - (size_t)(least > 0 ? least : 0), both = 0;
    for (size_t i = 0, j = 0; i < size && j < set->size && i - both <= most_missing;) {
        uint64_t x = text[i], y = set->hashes[j];
        both += x == y;
        i += x <= y;
        j += y <= x;
    }
    return both;
}

/* Compares the text with a set exactly, unless the counts exclude that they are similar. */
static void compare(nd_overlap_search *s, uint32_t set, const uint64_t *text, size_t size) {
    const nd_listed_set *other = &s->index->sets[set];
    if (!set_may_reach(s, set)) return;
    nd_overlap overlap = {size, other->size, intersection_of(s, set, text, size)};
    double similarity = s->index->settings.measure == ND_MEASURE_CONTAINMENT
                            ? nd_containment(overlap)
                            : nd_jaccard(overlap);
    if (similarity < s->least[set]) return;
    s->similar[s->similar_count++] = (nd_similar_set){
        .set = set,
        .similarity = similarity,
        .intersection = (uint32_t)overlap.intersection,
        .set_union = (uint32_t)(size + other->size - overlap.intersection),
        .smaller = (uint32_t)smaller_of(size, other->size)};
}

static void compare_all(nd_overlap_search *s, const uint64_t *text, size_t size) {
    s->distinct = size;
    if (common_may_reach(s)) {
        for (size_t set = 0; set < s->index->count; set++) compare(s, (uint32_t)set, text, size);
        return;
    }
    for (size_t i = 0; i < s->touched_count; i++) compare(s, s->touched[i], text, size);
}

void nd_overlap_search_run(nd_overlap_search *s, uint64_t *shingles, size_t count,
                           const nd_similar_set **similar, size_t *similar_count) {
    count_shared(s, shingles, count);
    s->similar_count = 0;
    if (any_may_reach(s)) compare_all(s, shingles, nd_set_make(shingles, count));
    for (size_t i = 0; i < s->touched_count; i++) s->counts[s->touched[i]] = 0;
    *similar = s->similar;
    *similar_count = s->similar_count;
}
