#include "dedup/anchor_search.h"

#include "similarity/ordered_set.h"
#include "sketch/band_key.h"

/* Shingles ahead of a lookup at which the filter is prefetched; and shingles that are looked up in
 * the table together. */
enum { AHEAD = 16, TOGETHER = 32 };

/* MOST_TESTED: patterns that are tested for a text, of one table. MOST_OF_PATTERNS: documents of
 * small patterns that it makes pairs with. */
enum { MOST_TESTED = 1 << 14, MOST_OF_PATTERNS = 1 << 12 };

struct nd_anchor_search {
    const nd_anchor_table *table;
    nd_ordered_set likely; /* shingles of the text that may be anchors */
    uint16_t *counts;      /* by document - first: rare anchors in the text */
    uint32_t *touched;     /* documents with a count; in the end, the documents that have enough */
    size_t touched_count, touched_capacity;
    uint8_t *has;     /* by common anchor: 1 if the text has it */
    uint32_t *common; /* the common anchors of the text */
    size_t common_count;
    uint32_t *tested; /* by pattern: the number of the search that tested it */
    uint32_t searches;
    uint32_t *buckets;
    size_t bucket_count, left_out;
};

nd_status nd_anchor_search_create(const nd_anchor_table *table, nd_anchor_search **out,
                                  nd_error *error) {
    const nd_allocator *a = &table->allocator;
    nd_anchor_search *s = nd_allocate_zero(a, 1, sizeof *s);
    if (!s) return nd_fail_memory(error, sizeof *s, "a search");
    s->table = table;
    nd_ordered_set_init(&s->likely, a);
    s->counts = nd_allocate_zero(a, table->count, sizeof *s->counts);
    s->has = nd_allocate_zero(a, table->common_count, sizeof *s->has);
    s->common = nd_allocate(a, table->common_count, sizeof *s->common);
    s->tested = nd_allocate_zero(a, table->pattern_count, sizeof *s->tested);
    s->buckets = nd_allocate(a, table->pattern_count, sizeof *s->buckets);
    if (!s->counts || !s->has || !s->common || !s->tested || !s->buckets) {
        nd_anchor_search_free(s);
        return nd_fail_memory(error, table->count * sizeof *s->counts, "a search");
    }
    *out = s;
    return ND_OK;
}

void nd_anchor_search_free(nd_anchor_search *s) {
    if (!s) return;
    const nd_allocator *a = &s->table->allocator;
    nd_ordered_set_free(&s->likely);
    nd_release(a, s->counts);
    nd_release(a, s->touched);
    nd_release(a, s->has);
    nd_release(a, s->common);
    nd_release(a, s->tested);
    nd_release(a, s->buckets);
    nd_release(a, s);
}

/* The bits of a shingle that its number has. Different shingles may share a number, which is looked
 * up once. */
static uint64_t reduced(uint64_t shingle) {
    const uint64_t high = ~UINT64_C(0) << (64 - ND_BAND_PART_BITS), low = UINT32_MAX;
    return shingle & (high | low);
}

/* Moves the shingles that may be anchors to the front, reduced. Returns how many they are. */
static size_t keep_likely(const nd_anchor_table *t, uint64_t *shingles, size_t count) {
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            __builtin_prefetch(&t->filter[nd_band_number(shingles[i + AHEAD]) >> t->shift]);
        uint64_t number = nd_band_number(shingles[i]), bits = nd_anchor_bits(number);
        bool likely = (t->filter[number >> t->shift] & bits) == bits;
        shingles[used] = reduced(shingles[i]);
        used += likely;
    }
    return used;
}

static void take_entry(nd_anchor_search *s, uint32_t entry, uint32_t own) {
    if (entry & ND_COMMON_ANCHOR) {
        s->has[entry & ~ND_COMMON_ANCHOR] = 1;
        s->common[s->common_count++] = entry & ~ND_COMMON_ANCHOR;
    } else if (entry != own && s->counts[entry]++ == 0) s->touched[s->touched_count++] = entry;
}

/* Looks up to TOGETHER distinct numbers up. */
static nd_status look_up(nd_anchor_search *s, uint32_t own, const uint64_t *shingles, size_t count,
                         nd_error *error) {
    const nd_anchor_table *t = s->table;
    uint32_t begins[TOGETHER], ends[TOGETHER];
    size_t entries = 0;
    for (size_t i = 0; i < count; i++)
        __builtin_prefetch(&t->begins[nd_band_number(shingles[i]) >> t->shift]);
    for (size_t i = 0; i < count; i++) {
        size_t step = nd_band_number(shingles[i]) >> t->shift;
        begins[i] = t->begins[step];
        ends[i] = t->begins[step + 1];
        entries += ends[i] - begins[i];
        __builtin_prefetch(&t->entries[begins[i]]);
    }
    if (!nd_reserve(&t->allocator, &s->touched, &s->touched_capacity, s->touched_count + entries))
        return nd_fail_memory(error, entries * sizeof *s->touched, "a search");
    for (size_t i = 0; i < count; i++)
        for (uint32_t e = begins[i]; e < ends[i]; e++)
            if (t->entries[e] >> 32 == (uint32_t)shingles[i])
                take_entry(s, (uint32_t)t->entries[e], own);
    return ND_OK;
}

/* Whether a document has enough anchors in the text, `rare` of them rare ones. */
static bool has_enough(const nd_anchor_search *s, uint32_t document, uint32_t rare) {
    const nd_anchor_table *t = s->table;
    uint32_t begin = t->common_begins[document], end = t->common_begins[document + 1], found = rare,
             needed = t->needed[document];
    if (found + (end - begin) < needed) return false;
    for (uint32_t i = begin; i < end; i++) found += s->has[t->commons[i]];
    return found >= needed;
}

/* Takes the documents of a pattern of which the text has enough common anchors. */
static nd_status take_pattern(nd_anchor_search *s, const nd_anchor_pattern *p, uint32_t own,
                              size_t *taken, nd_error *error) {
    const nd_anchor_table *t = s->table;
    if (p->bucket != ND_NO_BUCKET) {
        s->buckets[s->bucket_count++] = p->bucket;
        return ND_OK;
    }
    if (*taken + p->count > MOST_OF_PATTERNS) {
        s->left_out += p->count;
        return ND_OK;
    }
    if (!nd_reserve(&t->allocator, &s->touched, &s->touched_capacity, s->touched_count + p->count))
        return nd_fail_memory(error, p->count * sizeof *s->touched, "a search");
    for (uint32_t i = p->begin; i < p->begin + p->count; i++)
        if (t->members[i] != own) s->touched[s->touched_count++] = t->first + t->members[i];
    *taken += p->count;
    return ND_OK;
}

/* The first index in `led` of the patterns of an anchor whose key is not below `key`. */
static uint32_t first_led(const nd_anchor_table *t, uint32_t anchor, uint64_t key) {
    uint32_t low = t->led_begins[anchor], high = t->led_begins[anchor + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->patterns[t->led[middle]].key < key) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Finds the patterns of which the text has enough common anchors, and from which nothing keeps it
 * apart. */
static nd_status find_patterns(nd_anchor_search *s, uint32_t self, uint32_t own, nd_error *error) {
    const nd_anchor_table *t = s->table;
    uint64_t key = nd_anchor_key(t, self);
    size_t taken = 0, tests = 0;
    s->searches++;
    for (size_t i = 0; i < s->common_count; i++) {
        uint32_t anchor = s->common[i];
        for (uint32_t k = first_led(t, anchor, key); k < t->led_begins[anchor + 1]; k++) {
            uint32_t pattern = t->led[k];
            if (t->patterns[pattern].key != key) break;
            if (s->tested[pattern] == s->searches) continue;
            s->tested[pattern] = s->searches;
            if (++tests > MOST_TESTED) s->left_out += t->patterns[pattern].count;
            else if (has_enough(s, t->members[t->patterns[pattern].begin], 0))
                ND_TRY(take_pattern(s, &t->patterns[pattern], own, &taken, error));
        }
    }
    return ND_OK;
}

/* Keeps the documents that have enough, and sets all counts to 0 again. */
static void keep_enough(nd_anchor_search *s) {
    const nd_anchor_table *t = s->table;
    size_t used = 0;
    for (size_t i = 0; i < s->touched_count; i++) {
        uint32_t document = s->touched[i];
        bool enough = has_enough(s, document, s->counts[document]);
        s->counts[document] = 0;
        s->touched[used] = t->first + document;
        used += enough;
    }
    s->touched_count = used;
}

nd_status nd_anchor_search_run(nd_anchor_search *s, uint32_t self, uint64_t *shingles, size_t count,
                               nd_anchored *out, nd_error *error) {
    const nd_anchor_table *t = s->table;
    uint32_t own = self >= t->first && self - t->first < t->count ? self - t->first
                                                                  : ND_COMMON_ANCHOR;
    s->touched_count = s->common_count = s->bucket_count = s->left_out = 0;
    ND_TRY(nd_ordered_set_make(&s->likely, shingles, keep_likely(t, shingles, count), error));
    for (size_t i = 0; i < s->likely.size; i += TOGETHER) {
        size_t left = s->likely.size - i;
        ND_TRY(look_up(s, own, s->likely.values + i, left < TOGETHER ? left : TOGETHER, error));
    }
    keep_enough(s);
    nd_status status = find_patterns(s, self, own, error);
    for (size_t i = 0; i < s->common_count; i++) s->has[s->common[i]] = 0;
    *out = (nd_anchored){.documents = s->touched,
                         .document_count = s->touched_count,
                         .buckets = s->buckets,
                         .bucket_count = s->bucket_count,
                         .left_out = s->left_out};
    return status;
}
