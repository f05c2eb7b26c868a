/* Searching the sets of a sample, compared with comparing each of them. */
#include "similarity/overlap_index.h"

#include "test.h"

#include <string.h>

enum { SETS = 60, LARGEST = 400, TEXTS = 300 };

static uint64_t hashes[SETS][LARGEST];
static nd_listed_set sets[SETS];

/* Hashes from a pool, so that texts overlap; the first ones are in nearly every text. */
static size_t fill(uint64_t *out, uint64_t *seed) {
    size_t begin = random_below(seed, 4) * 300, count = 1 + random_below(seed, LARGEST / 2),
           menu = random_below(seed, 2) * random_below(seed, LARGEST / 2);
    for (size_t i = 0; i < count; i++) out[i] = nd_mix64(1000 + begin + random_below(seed, 300));
    for (size_t i = 0; i < menu; i++) out[count + i] = i == 7 ? 0 : nd_mix64(i);
    return count + menu;
}

/* Most texts are edited copies of a set. */
static size_t fill_text(uint64_t *out, uint64_t *seed) {
    const nd_listed_set *set = &sets[random_below(seed, SETS)];
    if (random_below(seed, 4) == 0) return fill(out, seed);
    size_t count = 0;
    memcpy(out, set->hashes, set->size * sizeof *out);
    count = set->size - random_below(seed, set->size / 2 + 1);
    while (count < LARGEST && random_below(seed, 20) > 0) {
        out[count] = random_below(seed, 2) ? random_next(seed) : out[random_below(seed, count)];
        count++;
    }
    return count;
}

static double similarity(nd_measure measure, nd_overlap overlap) {
    return measure == ND_MEASURE_CONTAINMENT ? nd_containment(overlap) : nd_jaccard(overlap);
}

static void check_text(nd_overlap_search *search, const nd_overlap_settings *settings,
                       const uint64_t *text, size_t count, size_t *found) {
    uint64_t given[LARGEST], set[LARGEST];
    bool seen[SETS] = {false};
    const nd_similar_set *similar;
    size_t similar_count, expected = 0;
    memcpy(given, text, count * sizeof *text);
    memcpy(set, text, count * sizeof *text);
    size_t size = nd_set_make(set, count);
    nd_overlap_search_run(search, given, count, &similar, &similar_count);
    for (size_t i = 0; i < similar_count; i++) {
        const nd_listed_set *s = &sets[similar[i].set];
        nd_overlap overlap = nd_set_overlap(set, size, s->hashes, s->size);
        assert_false(seen[similar[i].set]);
        seen[similar[i].set] = true;
        assert_int_equal(similar[i].intersection, overlap.intersection);
        assert_int_equal(similar[i].set_union, size + s->size - overlap.intersection);
        assert_int_equal(similar[i].smaller, size < s->size ? size : s->size);
        assert_true(similar[i].similarity == similarity(settings->measure, overlap));
    }
    for (size_t s = 0; s < SETS; s++)
        expected += similarity(settings->measure,
                               nd_set_overlap(set, size, sets[s].hashes, sets[s].size)) >=
                    settings->threshold;
    assert_int_equal(similar_count, expected);
    *found += expected;
}

/* A set whose least similarity is raised is found by its equal alone. */
static void check_raised(nd_overlap_search *search, double threshold) {
    for (uint32_t s = 0; s < SETS; s++) {
        uint64_t copy[2 * LARGEST];
        const nd_similar_set *similar;
        size_t count, equal = 0, halves = 0;
        memcpy(copy, sets[s].hashes, sets[s].size * sizeof *copy);
        nd_overlap_search_raise(search, s, 1);
        nd_overlap_search_run(search, copy, sets[s].size, &similar, &count);
        for (size_t i = 0; i < count; i++) equal += similar[i].set == s;
        assert_int_equal(equal, 1);
        memcpy(copy, sets[s].hashes, sets[s].size * sizeof *copy);
        nd_overlap_search_run(search, copy, sets[s].size / 2, &similar, &count);
        for (size_t i = 0; i < count; i++) halves += similar[i].set == s;
        assert_int_equal(halves, 0);
        nd_overlap_search_raise(search, s, threshold);
    }
}

static void check_search(nd_measure measure) {
    static const double thresholds[] = {.05, .3, .5, .8, 1};
    uint64_t seed = 5, text[LARGEST];
    nd_error error;
    for (size_t s = 0; s < SETS; s++) {
        size_t count = s % 3 == 2 ? sets[s - 1].size : fill(hashes[s], &seed);
        if (s % 3 == 2) memcpy(hashes[s], hashes[s - 1], sizeof hashes[s]);
        sets[s] = (nd_listed_set){hashes[s], nd_set_make(hashes[s], count)};
    }
    for (size_t t = 0; t < sizeof thresholds / sizeof *thresholds; t++) {
        nd_overlap_index *index;
        nd_overlap_search *search;
        size_t found = 0;
        const nd_overlap_settings settings = {measure, thresholds[t]};
        assert_int_equal(
            nd_overlap_index_create(sets, SETS, &settings, &nd_allocator_default, &index, &error),
            ND_OK);
        assert_int_equal(nd_overlap_search_create(index, &nd_allocator_default, &search, &error),
                         ND_OK);
        for (int i = 0; i < TEXTS; i++)
            check_text(search, &settings, text, fill_text(text, &seed), &found);
        for (size_t s = 0; s < SETS; s++)
            check_text(search, &settings, sets[s].hashes, sets[s].size, &found);
        assert_true(found >= SETS);
        if (measure == ND_MEASURE_JACCARD) check_raised(search, thresholds[t]);
        nd_overlap_search_free(search);
        nd_overlap_index_free(index);
    }
}

static void test_jaccard(void **state) {
    (void)state;
    check_search(ND_MEASURE_JACCARD);
}

static void test_containment(void **state) {
    (void)state;
    check_search(ND_MEASURE_CONTAINMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_jaccard),
                                       cmocka_unit_test(test_containment)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
