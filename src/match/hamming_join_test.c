/* The join of fingerprints against brute force: all widths, every k, even, clustered, identical and hostile sets; the same answer at any number of threads and with any memory; failures. Threads come from
 * nd_run_workers(). */
#include "match/hamming_join.h"

#include "match/fingerprint_key.h"
#include "match/hamming_design.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 6000, MOST_CALLS = 1 << 22 };

static nd_fingerprint random_fingerprint(uint64_t *seed, uint32_t bits) {
    nd_fingerprint f = {random_next(seed), random_next(seed)};
    return nd_fingerprint_and(f, nd_fingerprint_mask(bits));
}

static nd_fingerprint flip_some(nd_fingerprint f, uint64_t *seed, uint32_t bits, uint32_t most) {
    for (uint64_t i = random_below(seed, most + 1); i > 0; i--) {
        uint32_t bit = (uint32_t)random_below(seed, bits);
        if (bit < 64) f.low ^= UINT64_C(1) << bit;
        else f.high ^= UINT64_C(1) << (bit - 64);
    }
    return f;
}

typedef enum shape { EVEN, CLUSTERED, IDENTICAL, ENDS, SAME_UPPER, FEW_BITS, CENTRE, SHAPES } shape;

static nd_fingerprint make(shape kind, uint64_t *seed, uint32_t bits, const nd_fingerprint *before, size_t count) {
    nd_fingerprint all = nd_fingerprint_mask(bits), centre = nd_fingerprint_and((nd_fingerprint){0x0123456789abcdefULL, 0xfedcba9876543210ULL}, all);
    nd_fingerprint f = random_fingerprint(seed, bits);
    switch (kind) {
    case CLUSTERED: return count && random_below(seed, 3) ? flip_some(before[random_below(seed, count)], seed, bits, 4) : f;
    case IDENTICAL: return random_below(seed, 4) ? centre : flip_some(centre, seed, bits, 3);
    case ENDS: return flip_some(random_below(seed, 2) ? all : (nd_fingerprint){0, 0}, seed, bits, 2);
    case SAME_UPPER: return bits > 64 ? (nd_fingerprint){f.low, centre.high} : (nd_fingerprint){(f.low & all.low >> bits / 2) | centre.low, 0};
    case FEW_BITS: return nd_fingerprint_and(f, (nd_fingerprint){0x00f0100f00ff010fULL, 0x1000000000000001ULL});
    case CENTRE: return flip_some(centre, seed, bits, bits / 8);
    default: return f;
    }
}

/* What the callbacks get, one behind the other: of equal ones their number and they, of pairs 0, a, b and the distance. */
typedef struct answer {
    uint32_t *words;
    size_t count;
    size_t pairs, equals, calls;
    size_t end_at; /* calls */
} answer;

static void add(answer *a, uint32_t word) {
    assert_true(a->count < MOST_CALLS);
    a->words[a->count++] = word;
}

static nd_status take_equal(void *context, const uint32_t *numbers, size_t count, nd_error *error) {
    answer *a = context;
    assert_true(count > 1 && a->pairs == 0);
    add(a, (uint32_t)count);
    for (size_t i = 0; i < count; i++) add(a, numbers[i]);
    a->equals++;
    return ++a->calls == a->end_at ? nd_fail(error, ND_ERR_CANCELLED, "enough") : ND_OK;
}

static nd_status take_pairs(void *context, const nd_hamming_pair *pairs, size_t count, nd_error *error) {
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

static nd_status join(const nd_fingerprint *all, size_t count, uint32_t bits, uint32_t k, way w, const nd_allocator *allocator, answer *a,
                      nd_error *error) {
    nd_scratch_disk disk = {.directory = "."};
    nd_hamming_join *j;
    nd_hamming_join_sink sink = {a, take_equal, take_pairs};
    a->count = a->pairs = a->equals = a->calls = 0;
    ND_TRY(nd_hamming_join_create(bits, k, w.expected, w.memory, w.threads, &disk, allocator, &j, error));
    nd_status status = ND_OK;
    for (size_t i = 0; status == ND_OK && i < count; i++) status = nd_hamming_join_put(j, all[i], (uint32_t)i * 3 + 1, error);
    if (status == ND_OK) status = nd_hamming_join_run(j, &sink, error);
    nd_hamming_join_free(j);
    assert_int_equal(disk.now, 0);
    return status;
}

/* Each fingerprint's first number, and which pairs are still to come. */
static void check_answer(const nd_fingerprint *all, size_t count, uint32_t k, const answer *a) {
    static uint32_t first[MOST];
    static uint8_t *seen;
    size_t equals = 0, pairs = 0;
    if (!seen) seen = malloc((size_t)MOST * MOST / 8);
    memset(seen, 0, (size_t)MOST * MOST / 8);
    for (size_t i = 0; i < count; i++) {
        size_t members = 0;
        for (first[i] = 0; nd_fingerprint_weight(nd_fingerprint_xor(all[first[i]], all[i])) > 0; first[i]++) continue;
        for (size_t h = i; first[i] == i && h < count; h++) members += nd_fingerprint_weight(nd_fingerprint_xor(all[h], all[i])) == 0;
        equals += members > 1;
        for (size_t h = 0; first[i] == i && h < i; h++) pairs += first[h] == h && nd_fingerprint_weight(nd_fingerprint_xor(all[h], all[i])) <= k;
    }
    assert_int_equal(a->equals, equals);
    assert_int_equal(a->pairs, k == 0 ? 0 : pairs);
    for (size_t at = 0; at < a->count;) {
        uint32_t members = a->words[at++];
        for (uint32_t i = 0; i < members; i++, at++) {
            assert_true(a->words[at] % 3 == 1 && (i == 0 || a->words[at] > a->words[at - 1]));
            assert_int_equal(first[a->words[at] / 3], a->words[at - i] / 3);
        }
        if (members > 0) continue;
        uint32_t x = a->words[at] / 3, y = a->words[at + 1] / 3;
        assert_true(x < y && first[x] == x && first[y] == y);
        assert_int_equal(nd_fingerprint_weight(nd_fingerprint_xor(all[x], all[y])), a->words[at + 2]);
        assert_true(a->words[at + 2] <= k);
        size_t place = (size_t)x * MOST + y;
        assert_false(seen[place / 8] >> place % 8 & 1);
        seen[place / 8] |= (uint8_t)(1u << place % 8);
        at += 3;
    }
}

static answer answer_make(void) { return (answer){.words = malloc(MOST_CALLS * sizeof(uint32_t))}; }

static void check_set(shape kind, uint32_t bits, uint32_t k, size_t count, uint64_t seed) {
    static const way ways[] = {{2, 10000000, MOST}, {7, 10000000, 0}, {1, 1, 0}, {3, 20000, MOST}};
    static nd_fingerprint all[MOST];
    static answer a, other;
    nd_error error;
    if (!a.words) a = answer_make(), other = answer_make();
    for (size_t i = 0; i < count; i++) all[i] = make(kind, &seed, bits, all, i);
    for (size_t i = 0; i < 4; i++) {
        uint64_t expected = ways[i].expected;
        if (i % 2 == 0 && join(all, count, bits, k, (way){1, 10000000, expected}, &nd_allocator_default, &a, &error) != ND_OK)
            fail_msg("%s", error.message);
        if (i == 0) check_answer(all, count, k, &a);
        way w = {ways[i].threads, ways[i].memory, i % 2 ? ways[i - 1].expected : expected};
        if (join(all, count, bits, k, w, &nd_allocator_default, &other, &error) != ND_OK) fail_msg("%s", error.message);
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
                for (size_t i = 0; i < 2; i++, checked++) check_set((shape)kind, widths[w], k, counts[(checked + kind) % 7] + checked % 3, checked);
    for (unsigned kind = 0; kind < SHAPES; kind++) {
        if (kind != CENTRE) check_set((shape)kind, 64, 3, MOST, kind);
        check_set((shape)kind, 128, 2, kind == CENTRE ? 1000 : MOST, kind);
    }
    print_message("%zu sets\n", checked);
}

/* The n-th allocation fails, for every n. */
static void test_without_memory(void **state) {
    (void)state;
    static nd_fingerprint all[400];
    uint64_t seed = 5;
    answer a = answer_make();
    for (size_t i = 0; i < 400; i++) all[i] = make(CLUSTERED, &seed, 64, all, i);
    for (uint32_t k = 3; k <= 16; k += 13)
        for (uint32_t threads = 1; threads <= 3; threads += 2)
            for (int little = 0; little < 2; little++) {
                nd_status status = ND_ERR_MEMORY;
                long n = 0;
                for (; status != ND_OK; n++) {
                    failing_allocator failing = {.left = n};
                    nd_allocator allocator = failing_allocator_make(&failing);
                    nd_error error = {0};
                    status = join(all, 400, 64, k, (way){threads, little ? 2000 : 10000000, 400}, &allocator, &a, &error);
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
        for (size_t end = 1; status != ND_OK; end++) {
            nd_error error;
            a.end_at = end;
            status = join(all, 400, 64, 3, (way){threads, 5000, 400}, &nd_allocator_default, &a, &error);
            if (status == ND_OK) assert_true(a.calls < end);
            else assert_int_equal(a.calls, end);
            if (status != ND_OK) assert_string_equal(error.message, "enough");
        }
    }
    free(a.words);
}

static void test_bad_arguments(void **state) {
    (void)state;
    nd_hamming_join *j;
    nd_error error;
    nd_scratch_disk disk = {.directory = "."};
    assert_int_equal(nd_hamming_join_create(48, 3, 0, 1000, 1, &disk, &nd_allocator_default, &j, &error), ND_ERR_ARGUMENT);
    assert_int_equal(nd_hamming_join_create(64, 17, 0, 1000, 1, &disk, &nd_allocator_default, &j, &error), ND_ERR_ARGUMENT);
    assert_int_equal(nd_hamming_join_create(64, 3, 0, 1000, 0, &disk, &nd_allocator_default, &j, &error), ND_ERR_ARGUMENT);
    assert_int_equal(nd_hamming_join_create(32, 3, 0, 1000, 1, &disk, &nd_allocator_default, &j, &error), ND_OK);
    assert_int_equal(nd_hamming_join_put(j, (nd_fingerprint){UINT64_C(1) << 32, 0}, 0, &error), ND_ERR_ARGUMENT);
    assert_int_equal(nd_hamming_join_put(j, (nd_fingerprint){0, 1}, 0, &error), ND_ERR_ARGUMENT);
    nd_hamming_join_free(j);
    nd_hamming_join_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_brute_force), cmocka_unit_test(test_without_memory),
                                       cmocka_unit_test(test_ended_by_a_callback), cmocka_unit_test(test_bad_arguments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
