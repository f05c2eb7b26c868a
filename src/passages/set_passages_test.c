/* set_passages.h: passages of a query in a set of shingles, by hand. */
#include "passages/set_passages.h"
#include "similarity/packed_set.h"
#include "test.h"

#include <string.h>

enum { VALUES = 60, TOKENS = 40, NGRAM = 3 };

/* Two queries; the second is a part of the set. The last NGRAM - 1 tokens of each begin no shingle.
 */
typedef struct world {
    uint64_t values[VALUES], shingles[TOKENS];
    uint32_t begins[3];
    unsigned char packed[8 * VALUES + 64];
    size_t size;
    nd_passage_queries queries;
    nd_set_finder finder;
} world;

static void pack(world *w, uint64_t least) {
    uint64_t scratch[VALUES];
    w->values[0] = 1;
    assert_int_equal(nd_packed_set_sort(w->values, scratch, VALUES), VALUES);
    w->values[0] = least;
    memset(w->packed, 0, sizeof w->packed);
    w->size = nd_packed_set_size(VALUES);
    nd_packed_set_pack(w->values, VALUES, w->packed);
}

static void begin(world *w) {
    uint64_t seed = 1;
    *w = (world){.begins = {0, 5, TOKENS}, .finder = {.least = 8}};
    for (size_t i = 0; i < VALUES; i++) w->values[i] = random_below(&seed, ND_SET_MASK) + 1;
    pack(w, 1);
    for (size_t i = 0; i < TOKENS; i++)
        w->shingles[i] = i < 5 ? random_below(&seed, ND_SET_MASK) + 1 : w->values[i + 10];
    for (size_t i = 0; i < 2; i++) w->shingles[3 + i] = w->shingles[TOKENS - 2 + i] = 0;
    w->finder.allocator = nd_allocator_or_default(NULL);
    w->queries = (nd_passage_queries){.ngram = NGRAM, .begins = w->begins, .count = 2};
    assert_int_equal(
        nd_ngram_positions_create(w->shingles, w->begins, 2, 1, NULL, &w->queries.positions, NULL),
        ND_OK);
    w->finder.queries = &w->queries;
}

static void end(world *w) {
    nd_ngram_positions_free(w->queries.positions);
    nd_set_finder_free(&w->finder);
}

static bool find(world *w) {
    bool whole;
    assert_int_equal(nd_set_find(&w->finder, w->packed, w->size, &whole, NULL), ND_OK);
    return whole;
}

static void assert_found(const world *w) {
    assert_int_equal(w->finder.found_count, 1);
    const nd_query_passage *f = &w->finder.found[0];
    assert_int_equal(f->query, 1);
    assert_int_equal(f->tokens.a_begin, 0);
    assert_int_equal(f->tokens.a_end, TOKENS - 5);
    assert_int_equal(f->tokens.tokens, TOKENS - 5);
}

static void test_whole(void **state) {
    (void)state;
    world w;
    begin(&w);
    assert_true(find(&w));
    assert_found(&w);
    w.finder.least = TOKENS - 4;
    assert_true(find(&w));
    assert_int_equal(w.finder.found_count, 0);
    w.packed[0] = 0;
    w.size = 1;
    assert_true(find(&w));
    assert_int_equal(w.finder.found_count, 0);
    end(&w);
}

/* A set that contains 0 is rejected: 0 marks a position where no shingle begins. */
static void test_zero(void **state) {
    (void)state;
    world w;
    begin(&w);
    pack(&w, 0);
    assert_false(find(&w));
    assert_int_equal(w.finder.found_count, 0);
    end(&w);
}

/* Damage that is not rejected gives a set of other values, which has no longer run. */
static void test_damage(void **state) {
    (void)state;
    world w;
    size_t rejected = 0;
    begin(&w);
    for (size_t bit = 0; bit < 8 * w.size; bit++) {
        w.packed[bit / 8] ^= (unsigned char)(1u << bit % 8);
        if (!find(&w)) {
            rejected++;
            assert_int_equal(w.finder.found_count, 0);
        }
        for (size_t i = 0; i < w.finder.found_count; i++)
            assert_true(w.finder.found[i].tokens.a_end <= TOKENS - 5);
        w.packed[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    assert_true(rejected > 100);
    for (size_t whole = w.size; w.size-- > 0;) assert_true(w.size < whole && !find(&w));
    w.size = nd_packed_set_size(VALUES);
    assert_true(find(&w));
    assert_found(&w);
    end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_whole), cmocka_unit_test(test_zero),
                                       cmocka_unit_test(test_damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
