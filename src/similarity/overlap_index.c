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

/* `lists` of a shingle: an index in `members`, or that it is common. */
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
    uint64_t *hashes; /* open addressing with linear probing; 0: free */
    uint32_t *lists;  /* by slot: first the number of sets that have the shingle */
    uint32_t *members;
    size_t mask;
};

struct nd_overlap_search {
    nd_allocator allocator;
    const nd_overlap_index *index;
    uint32_t *counts;  /* by set: shingles of the text that the set has, common ones left out */
    uint32_t *touched; /* the sets with a count */
    size_t touched_count;
    size_t common;                 /* common shingles of the text */
    size_t distinct;               /* it has at least so many distinct shingles */
    uint64_t seen[SEEN_BITS / 64]; /* bits of its shingles */
    nd_similar_set *similar;
    size_t similar_count;
};

/* ---- making the index */

static inline uint64_t nonzero(uint64_t hash) { return hash + !hash; }

/* The slot of a shingle, or the free slot where it would be. The bits of shingles are mixed. */
static inline size_t slot_of(const nd_overlap_index *x, uint64_t hash) {
    size_t slot = (size_t)hash & x->mask;
    while (x->hashes[slot] != 0 && x->hashes[slot] != hash) slot = (slot + 1) & x->mask;
    return slot;
}

static void count_sets(nd_overlap_index *x) {
    for (size_t s = 0; s < x->count; s++) {
        for (size_t i = 0; i < x->sets[s].size; i++) {
            uint64_t hash = nonzero(x->sets[s].hashes[i]);
            size_t slot = slot_of(x, hash);
            x->hashes[slot] = hash;
            x->lists[slot]++;
        }
    }
}

/* Replaces the number of sets by the end of their list, from which the list is filled. */
static void place_lists(nd_overlap_index *x) {
    uint32_t end = 0;
    for (size_t slot = 0; slot <= x->mask; slot++) {
        if (x->hashes[slot] == 0) continue;
        if (x->lists[slot] > COMMON) x->lists[slot] = IS_COMMON;
        else x->lists[slot] = end += x->lists[slot];
    }
}

/* Fills the lists from behind, so that in the end each list begins where its first member is. */
static void fill_lists(nd_overlap_index *x) {
    for (size_t s = x->count; s-- > 0;) {
        for (size_t i = 0; i < x->sets[s].size; i++) {
            uint32_t *list = &x->lists[slot_of(x, nonzero(x->sets[s].hashes[i]))];
            if (*list != IS_COMMON) x->members[--*list] |= (uint32_t)s;
            else x->common[s]++;
        }
    }
}

/* Marks the last member of each list. The ends are known only between the two steps. */
static void mark_ends(nd_overlap_index *x) {
    for (size_t slot = 0; slot <= x->mask; slot++)
        if (x->hashes[slot] != 0 && x->lists[slot] != IS_COMMON)
            x->members[x->lists[slot] - 1] = LAST;
}

static nd_status fill(nd_overlap_index *x, size_t shingles, nd_error *error) {
    const nd_allocator *a = &x->allocator;
    size_t slots = 16;
    while (slots / 4 * 3 < shingles) slots *= 2;
    x->mask = slots - 1;
    x->hashes = nd_allocate_zero(a, slots, sizeof *x->hashes);
    x->lists = nd_allocate_zero(a, slots, sizeof *x->lists);
    x->members = nd_allocate_zero(a, shingles, sizeof *x->members);
    x->common = nd_allocate_zero(a, x->count, sizeof *x->common);
    if (!x->hashes || !x->lists || !x->members || !x->common)
        return nd_fail_memory(error, slots * 12 + shingles * 4, "the shingles of a sample");
    count_sets(x);
    place_lists(x);
    mark_ends(x);
    fill_lists(x);
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
    nd_release(&a, x->hashes);
    nd_release(&a, x->lists);
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
    s->counts = nd_allocate_zero(allocator, index->count, sizeof *s->counts);
    s->touched = nd_allocate(allocator, index->count, sizeof *s->touched);
    s->similar = nd_allocate(allocator, index->count, sizeof *s->similar);
    if (!s->counts || !s->touched || !s->similar) {
        nd_overlap_search_free(s);
        return nd_fail_memory(error, index->count * 20, "a search");
    }
    *out = s;
    return ND_OK;
}

void nd_overlap_search_free(nd_overlap_search *s) {
    if (!s) return;
    const nd_allocator a = s->allocator;
    nd_release(&a, s->counts);
    nd_release(&a, s->touched);
    nd_release(&a, s->similar);
    nd_release(&a, s);
}

static void count_members(nd_overlap_search *s, uint32_t list) {
    const uint32_t *member = s->index->members + list;
    for (bool last = false; !last; member++) {
        uint32_t set = *member & ~LAST;
        last = *member & LAST;
        if (s->counts[set]++ == 0) s->touched[s->touched_count++] = set;
    }
}

/* Shingles with the same bit count once, so the number is never too large. */
static inline void count_distinct(nd_overlap_search *s, uint64_t hash) {
    uint64_t *word = &s->seen[(hash >> 40) % SEEN_BITS / 64], bit = UINT64_C(1)
                                                                    << (hash >> 40) % 64;
    s->distinct += !(*word & bit);
    *word |= bit;
}

/* Counts the shingles that the text shares with each set. Repeats make the counts too large, never
 * too small. */
static void count_shared(nd_overlap_search *s, const uint64_t *shingles, size_t count) {
    const nd_overlap_index *x = s->index;
    s->touched_count = s->common = s->distinct = 0;
    memset(s->seen, 0, sizeof s->seen);
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(&x->hashes[(size_t)nonzero(shingles[i + AHEAD]) & x->mask]);
        count_distinct(s, shingles[i]);
        size_t slot = slot_of(x, nonzero(shingles[i]));
        if (x->hashes[slot] == 0) continue;
        if (x->lists[slot] == IS_COMMON) s->common++;
        else count_members(s, x->lists[slot]);
    }
}

static size_t smaller_of(size_t a, size_t b) { return a < b ? a : b; }

/* Whether so many shared shingles may be enough for a set of this size. One more than there are is
 * granted, so that rounding loses no pair. */
static bool may_reach(const nd_overlap_search *s, size_t shared, size_t size) {
    double threshold = s->index->settings.threshold;
    if (s->index->settings.measure == ND_MEASURE_CONTAINMENT)
        return (double)(shared + 1) >= threshold * (double)smaller_of(s->distinct, size);
    return (double)(shared + 1) * (1 + threshold) >= threshold * (double)(s->distinct + size);
}

static bool set_may_reach(const nd_overlap_search *s, uint32_t set) {
    size_t common = smaller_of(s->common, s->index->common[set]);
    return may_reach(s, s->counts[set] + common, s->index->sets[set].size);
}

/* Whether common shingles alone may be enough for some set. Such a set is perhaps not touched. */
static bool common_may_reach(const nd_overlap_search *s) {
    return s->common > 0 && may_reach(s, s->common, s->index->smallest);
}

static bool any_may_reach(const nd_overlap_search *s) {
    if (common_may_reach(s)) return true;
    for (size_t i = 0; i < s->touched_count; i++)
        if (set_may_reach(s, s->touched[i])) return true;
    return false;
}

/* The least intersection of similar sets of these sizes, or less. */
static double least_intersection(const nd_overlap_search *s, size_t size, size_t other) {
    double threshold = s->index->settings.threshold;
    return s->index->settings.measure == ND_MEASURE_CONTAINMENT
               ? threshold * (double)smaller_of(size, other) - 1
               : threshold / (1 + threshold) * (double)(size + other) - 1;
}

/* The intersection of a text and a set; any smaller number, if they are not similar: the search
 * ends when more hashes of the text are missing in the set than similar sets allow. */
static size_t intersection_of(const nd_overlap_search *s, const nd_listed_set *set,
                              const uint64_t *text, size_t size) {
    double least = least_intersection(s, size, set->size);
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
    nd_overlap overlap = {size, other->size, intersection_of(s, other, text, size)};
    double similarity = s->index->settings.measure == ND_MEASURE_CONTAINMENT
                            ? nd_containment(overlap)
                            : nd_jaccard(overlap);
    if (similarity < s->index->settings.threshold) return;
    s->similar[s->similar_count++] = (nd_similar_set){
        .set = set,
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
