/* The join of fingerprints, of one set and of two, and their groups, against brute force: all
 * widths, every k, even, clustered, identical and hostile sets; the same answer at any number of
 * threads and with any memory; failures. Threads come from nd_run_workers(). */
#include "hamming/hamming_join.h"

#include "base/union_find.h"
#include "hamming/bit_order.h"
#include "hamming/hamming_design.h"
#include "test.h"
#include "fingerprint_shapes.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 6000, MOST_CALLS = 1 << 22 };

/* One set: all pairs, or connected components. Two sets: the second has three of eight
 * fingerprints, or (TWO_UNEVEN) one of 40. */
typedef enum kind_of_join { ONE_SET, GROUPS, TWO_SETS, TWO_UNEVEN, TWO_GROUPS, JOINS } kind_of_join;

static bool has_two(kind_of_join of) { return of >= TWO_SETS; }
static bool of_groups(kind_of_join of) { return of == GROUPS || of == TWO_GROUPS; }

static uint32_t set_of(kind_of_join of, size_t i) {
    return of == TWO_UNEVEN ? i % 40 == 7 : has_two(of) ? i * 3 % 8 < 3 : 0;
}

/* A log of the callbacks. Equal fingerprints: their count, then their numbers. A pair: 0, a, b,
 * distance. */
typedef struct answer {
    kind_of_join of;
    uint32_t *words;
    size_t count;
    size_t pairs, equals, calls;
    size_t end_at; /* the call that ends the join */
} answer;

static void add(answer *a, uint32_t word) {
    assert_true(a->count < MOST_CALLS);
    a->words[a->count++] = word;
}

static nd_status add_equal(void *context, uint32_t set, const uint32_t *numbers, size_t count,
                           nd_error *error) {
    answer *a = context;
    assert_true(count > 1 && a->pairs == 0);
    add(a, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(set_of(a->of, numbers[i] / 3), set);
        add(a, numbers[i]);
    }
    a->equals++;
    return ++a->calls == a->end_at ? nd_fail(error, ND_ERR_CANCELLED, "enough") : ND_OK;
}

static nd_status add_pairs(void *context, const nd_numbered_pair *pairs, size_t count,
                           nd_error *error) {
    answer *a = context;
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        add(a, 0);
        add(a, pairs[i].a);
        add(a, pairs[i].b);
        add(a, pairs[i].distance);
    }
    a->pairs += count;
    return ++a->calls == a->end_at ? nd_fail(error, ND_ERR_CANCELLED, "enough") : ND_OK;
}

typedef struct way {
    uint32_t threads;
    size_t memory;
    uint64_t expected;
} way;

typedef struct fingerprints {
    const nd_fingerprint *all;
    size_t count;
    uint32_t bits, k; /* of their join */
} fingerprints;

static nd_status join(const fingerprints *set, way w, const nd_allocator *allocator, answer *a,
                      nd_error *error) {
    nd_temp_space disk = {.directory = "."};
    nd_hamming_joiner *j;
    nd_hamming_joiner_sink sink = {.context = a, .equal = add_equal, .pairs = add_pairs};
    nd_hamming_joiner_settings settings = {.bits = set->bits,
                                           .k = set->k,
                                           .two_sets = has_two(a->of),
                                           .groups = of_groups(a->of),
                                           .threads = w.threads,
                                           .expected = w.expected,
                                           .memory_limit = w.memory};
    a->count = a->pairs = a->equals = a->calls = 0;
    ND_TRY(nd_hamming_joiner_create(&settings, &disk, allocator, &j, error));
    nd_status status = ND_OK;
    for (size_t i = 0; status == ND_OK && i < set->count; i++)
        status = nd_hamming_joiner_put(j, set_of(a->of, i), set->all[i], (uint32_t)i * 3 + 1,
                                       error);
    if (status == ND_OK) status = nd_hamming_joiner_run(j, &sink, error);
    nd_hamming_joiner_free(j);
    assert_int_equal(disk.now, 0);
    return status;
}

/* By brute force: the first index of each fingerprint in its set, how many fingerprints come
 * several times, the pairs of first indexes, and the connected components. */
typedef struct truth {
    uint32_t first[MOST], parent[MOST];
    size_t equals, pairs;
} truth;

static void find_truth(const nd_fingerprint *all, size_t count, uint32_t k, kind_of_join of,
                       truth *t) {
    t->equals = t->pairs = 0;
    nd_union_find_init(t->parent, count);
    for (size_t i = 0; i < count; i++) {
        size_t members = 0;
        t->first[i] = (uint32_t)i;
        for (size_t h = count; h-- > 0;) {
            if (set_of(of, h) != set_of(of, i) ||
                nd_fingerprint_weight(nd_fingerprint_xor(all[h], all[i])) > 0)
                continue;
            t->first[i] = (uint32_t)h;
            members++;
        }
        t->equals += members > 1 && t->first[i] == i;
        if (t->first[i] != i) continue;
        for (size_t h = 0; h < i; h++) {
            bool wanted = t->first[h] == h && (!has_two(of) || set_of(of, h) != set_of(of, i));
            if (!wanted || nd_fingerprint_weight(nd_fingerprint_xor(all[h], all[i])) > k) continue;
            t->pairs++;
            nd_union_find_join(t->parent, (uint32_t)h, (uint32_t)i);
        }
    }
}

static uint8_t marks[(size_t)MOST * MOST / 8];

/* Marks a pair that must not be marked yet. */
static void mark(size_t x, size_t y) {
    size_t bit = x * MOST + y;
    assert_false(marks[bit / 8] >> bit % 8 & 1);
    marks[bit / 8] |= (uint8_t)(1u << bit % 8);
}

static void check_answer(const nd_fingerprint *all, size_t count, uint32_t k, const answer *a) {
    static truth t;
    static uint32_t parent[MOST];
    find_truth(all, count, k, a->of, &t);
    memset(marks, 0, sizeof marks);
    nd_union_find_init(parent, count);
    assert_int_equal(a->equals, t.equals);
    if (!of_groups(a->of)) assert_int_equal(a->pairs, t.pairs);
    for (size_t at = 0; at < a->count;) {
        uint32_t members = a->words[at++];
        for (uint32_t i = 0; i < members; i++, at++) {
            assert_true(a->words[at] % 3 == 1 && (i == 0 || a->words[at] > a->words[at - 1]));
            assert_int_equal(t.first[a->words[at] / 3], a->words[at - i] / 3);
        }
        if (members > 0) continue;
        uint32_t x = a->words[at] / 3, y = a->words[at + 1] / 3;
        assert_true(has_two(a->of) ? set_of(a->of, x) == 0 && set_of(a->of, y) == 1 : x < y);
        assert_true(t.first[x] == x && t.first[y] == y);
        assert_int_equal(nd_fingerprint_weight(nd_fingerprint_xor(all[x], all[y])),
                         a->words[at + 2]);
        assert_true(a->words[at + 2] <= k);
        if (!of_groups(a->of)) mark(x, y);
        nd_union_find_join(parent, x, y);
        at += 3;
    }
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(nd_union_find_root(parent, i), nd_union_find_root(t.parent, i));
}

static answer answer_make(void) { return (answer){.words = malloc(MOST_CALLS * sizeof(uint32_t))}; }

static void check_set(shape kind, kind_of_join of, uint32_t bits, uint32_t k, size_t count,
                      uint64_t seed) {
    static const way ways[] = {{2, 10000000, MOST}, {7, 10000000, 0}, {1, 1, 0}, {3, 20000, MOST}};
    static nd_fingerprint all[MOST];
    static answer a, other;
    nd_error error;
    if (!a.words) a = answer_make(), other = answer_make();
    a.of = other.of = of;
    const fingerprints set = {.all = all, .count = count, .bits = bits, .k = k};
    for (size_t i = 0; i < count; i++) all[i] = make(kind, &seed, bits, all, i);
    for (size_t i = 0; i < 4; i++) {
        uint64_t expected = ways[i].expected;
        if (i % 2 == 0 &&
            join(&set, (way){1, 10000000, expected}, &nd_allocator_default, &a, &error) != ND_OK)
            fail_msg("%s", error.message);
        if (i == 0) check_answer(all, count, k, &a);
        way w = {ways[i].threads, ways[i].memory, i % 2 ? ways[i - 1].expected : expected};
        if (join(&set, w, &nd_allocator_default, &other, &error) != ND_OK)
            fail_msg("%s", error.message);
        assert_int_equal(a.count, other.count);
        assert_memory_equal(a.words, other.words, a.count * sizeof *a.words);
        assert_int_equal(a.calls, other.calls);
    }
}

static void test_against_brute_force(void **state) {
    (void)state;
    static const uint32_t widths[] = {16, 32, 64, 128};
    static const size_t counts[] = {0, 1, 2, 9, 70, 500, 1500};
    size_t checked = 0;
    for (size_t w = 0; w < 4; w++)
        for (uint32_t k = 0; k <= widths[w] / 4; k += k < 4 || k == 8 ? 1 : 4)
            for (unsigned kind = 0; kind < SHAPES; kind++)
                for (unsigned of = 0; of < JOINS; of++, checked++)
                    if (nd_mix64(checked) % 4 < test_rounds(4))
                        check_set((shape)kind, (kind_of_join)of, widths[w], k,
                                  counts[(checked + kind) % 7] + checked % 3, checked);
    print_message("%zu sets\n", checked);
}

static void test_large_sets(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < SHAPES; kind++) {
        const struct {
            kind_of_join of;
            uint32_t bits, k;
            size_t count;
        } sets[] = {{kind == CENTRE ? GROUPS : ONE_SET, 64, 3, MOST},
                    {ONE_SET, 128, 2, kind == CENTRE ? 1000 : MOST},
                    {TWO_SETS, 64, 3, kind == CENTRE ? 1000 : MOST},
                    {kind == ENDS ? GROUPS : TWO_UNEVEN, 128, 2, MOST}};
        for (unsigned i = 0; i < 4; i++)
            if ((kind + i) % 4 < test_rounds(4))
                check_set((shape)kind, sets[i].of, sets[i].bits, sets[i].k, sets[i].count, kind);
    }
}

/* All fingerprints are near each other: `groups` reports a small part of all pairs. */
static void test_dense_groups(void **state) {
    (void)state;
    enum { FEW = 2000 };
    static nd_fingerprint all[FEW];
    uint64_t seed = 7;
    answer a = answer_make();
    nd_error error;
    for (size_t i = 0; i < FEW; i++) all[i] = make(CENTRE, &seed, 64, all, i);
    for (uint32_t k = 8; k <= 16; k += 8) {
        a.of = k == 8 ? TWO_GROUPS : GROUPS;
        const fingerprints set = {.all = all, .count = FEW, .bits = 64, .k = k};
        if (join(&set, (way){2, 10000000, FEW}, &nd_allocator_default, &a, &error) != ND_OK)
            fail_msg("%s", error.message);
        check_answer(all, FEW, k, &a);
        print_message("k = %u: %zu pairs\n", k, a.pairs);
        assert_true(a.pairs < FEW * (FEW - 1) / 2 / 4);
    }
    free(a.words);
}

/* The next number of a case that is tried: each, or, where tests are sparse, fewer from 16 on. */
static size_t next_case(size_t n) { return n + 1 + (test_sparsity() > 1 ? n / 16 : 0); }

/* The n-th allocation fails, for every n. */
static void test_without_memory(void **state) {
    (void)state;
    static nd_fingerprint all[400];
    uint64_t seed = 5;
    answer a = answer_make();
    for (size_t i = 0; i < 400; i++) all[i] = make(IDENTICAL, &seed, 64, all, i);
    for (uint32_t k = 3; k <= 16; k += 13)
        for (uint32_t threads = 1; threads <= 3; threads += 2)
            for (int little = 0; little < 2; little++) {
                a.of = little ? TWO_SETS : GROUPS;
                nd_status status = ND_ERR_MEMORY;
                long n = 0;
                for (; status != ND_OK; n = (long)next_case((size_t)n)) {
                    failing_allocator failing = {.left = n};
                    nd_allocator allocator = failing_allocator_make(&failing);
                    nd_error error = {0};
                    const fingerprints set = {.all = all, .count = 400, .bits = 64, .k = k};
                    status = join(&set, (way){threads, little ? 2000 : 10000000, 400}, &allocator,
                                  &a, &error);
                    assert_int_equal(failing.live, 0);
                    assert_true(status == ND_OK || status == ND_ERR_MEMORY);
                    assert_true(status == ND_OK || strstr(error.message, "memory"));
                }
                assert_true(n > 10);
            }
    free(a.words);
}

static void test_ended_by_a_callback(void **state) {
    (void)state;
    static nd_fingerprint all[400];
    uint64_t seed = 6;
    answer a = answer_make();
    for (size_t i = 0; i < 400; i++) all[i] = make(CLUSTERED, &seed, 64, all, i);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        nd_status status = ND_ERR_CANCELLED;
        for (size_t end = 1; status != ND_OK; end = next_case(end)) {
            nd_error error;
            a.end_at = end;
            const fingerprints set = {.all = all, .count = 400, .bits = 64, .k = 3};
            status = join(&set, (way){threads, 5000, 400}, &nd_allocator_default, &a, &error);
            if (status == ND_OK) assert_true(a.calls < end);
            else assert_int_equal(a.calls, end);
            if (status != ND_OK) assert_string_equal(error.message, "enough");
        }
    }
    free(a.words);
}

static void test_bad_arguments(void **state) {
    (void)state;
    static const nd_hamming_joiner_settings bad[] = {{.bits = 48, .k = 3, .threads = 1},
                                                     {.bits = 64, .k = 17, .threads = 1},
                                                     {.bits = 64, .k = 3}};
    const nd_hamming_joiner_settings good = {
        .bits = 32, .k = 3, .threads = 1, .memory_limit = 1000};
    nd_hamming_joiner *j;
    nd_error error;
    nd_temp_space disk = {.directory = "."};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(
            nd_hamming_joiner_create(&bad[i], &disk, &nd_allocator_default, &j, &error),
            ND_ERR_ARGUMENT);
    assert_int_equal(nd_hamming_joiner_create(&good, &disk, &nd_allocator_default, &j, &error),
                     ND_OK);
    assert_int_equal(nd_hamming_joiner_put(j, 0, (nd_fingerprint){UINT64_C(1) << 32, 0}, 0, &error),
                     ND_ERR_ARGUMENT);
    assert_int_equal(nd_hamming_joiner_put(j, 0, (nd_fingerprint){0, 1}, 0, &error),
                     ND_ERR_ARGUMENT);
    assert_int_equal(nd_hamming_joiner_put(j, 1, (nd_fingerprint){0, 0}, 0, &error),
                     ND_ERR_ARGUMENT);
    nd_hamming_joiner_free(j);
    nd_hamming_joiner_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_brute_force), cmocka_unit_test(test_large_sets),
        cmocka_unit_test(test_dense_groups),        cmocka_unit_test(test_without_memory),
        cmocka_unit_test(test_ended_by_a_callback), cmocka_unit_test(test_bad_arguments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
