/* read_ahead.h against its decoder: one that gives numbered bytes, and fails behind some of them or
 * ends. */
#include "io/read_ahead.h"

#include "base/limits.h"
#include "test.h"

#include <string.h>

enum { STEP = ND_LIMIT(256 << 10, 1000), PIECE = 4 * STEP }; /* of read_ahead.c */

/* Gives `left` more bytes, and then its failure, or the end. */
typedef struct numbers {
    nd_byte_source source;
    uint64_t next, left;
    const char *failure; /* NULL: none */
    bool early;          /* it comes with the last bytes, even if these are as many as wanted */
    size_t calls;
} numbers;

static unsigned char byte_of(uint64_t number) { return (unsigned char)(number * 37 >> 3); }

/* nd_read_ahead_fn */
static nd_status give(void *context, void *buffer, size_t size, size_t *got, nd_error *error) {
    numbers *n = context;
    unsigned char *out = buffer;
    *got = n->left < size ? (size_t)n->left : size;
    assert_int_equal(size, STEP);
    n->calls++;
    for (size_t i = 0; i < *got; i++) out[i] = byte_of(n->next++);
    n->left -= *got;
    n->source.position += *got;
    bool fails = *got < size || (n->early && n->left == 0);
    return fails && n->failure ? nd_fail(error, ND_ERR_INPUT, "%s", n->failure) : ND_OK;
}

static nd_read_ahead *open_numbers(numbers *n, uint32_t threads) {
    nd_read_ahead *ahead = NULL;
    assert_int_equal(
        nd_read_ahead_open(give, n, &n->source, threads, &nd_allocator_default, &ahead, NULL),
        ND_OK);
    return ahead;
}

static void check(uint64_t count, size_t piece, uint32_t threads, const char *failure, bool early) {
    static unsigned char bytes[4 * PIECE];
    numbers n = {.left = count, .failure = failure, .early = early};
    nd_read_ahead *ahead = open_numbers(&n, threads);
    nd_error error = {.status = ND_OK};
    uint64_t read = 0;
    size_t got = piece;
    nd_status status = ND_OK;
    assert_int_equal(nd_read_ahead_position(ahead), 0);
    while (got == piece && status == ND_OK) {
        status = nd_read_ahead_read(ahead, bytes, piece, &got, &error);
        for (size_t i = 0; i < got; i++)
            if (bytes[i] != byte_of(read + i)) fail_msg("byte %zu", (size_t)read + i);
        read += got;
        assert_true(nd_read_ahead_position(ahead) >= read);
        assert_true(nd_read_ahead_position(ahead) <= read + PIECE);
    }
    assert_int_equal(read, count);
    assert_int_equal(status, failure ? ND_ERR_INPUT : ND_OK);
    if (failure) assert_string_equal(error.message, failure);
    size_t calls = n.calls;
    /* Nothing is read behind the end or the failure. */
    assert_int_equal(calls, count / STEP + (count % STEP > 0 || count == 0 || !early));
    assert_int_equal(nd_read_ahead_read(ahead, bytes, piece, &got, NULL), status);
    assert_int_equal(got, 0);
    nd_read_ahead_close(ahead);
    assert_int_equal(n.calls, calls);
}

static void test_bytes(void **state) {
    (void)state;
    static const uint64_t counts[] = {0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 5 * PIECE + 77};
    static const size_t pieces[] = {77, STEP + 9, PIECE - 1, PIECE, PIECE + 1, 4 * PIECE};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
            for (uint32_t threads = 1; threads < 3; threads++) {
                check(counts[c], pieces[p], threads, NULL, false);
                check(counts[c], pieces[p], threads, "damaged", false);
                check(counts[c], pieces[p], threads, "damaged", true);
            }
        }
}

static void test_closing_early(void **state) {
    (void)state;
    static unsigned char bytes[2 * PIECE];
    for (size_t read = 0; read <= sizeof bytes; read += PIECE) {
        numbers n = {.left = 9 * PIECE};
        nd_read_ahead *ahead = open_numbers(&n, 2);
        size_t got;
        if (read > 0) assert_int_equal(nd_read_ahead_read(ahead, bytes, read, &got, NULL), ND_OK);
        nd_read_ahead_close(ahead);
        assert_int_equal(n.calls, read == 0 ? 0 : 4 * (read / PIECE + 1));
    }
}

static void test_memory(void **state) {
    (void)state;
    static unsigned char bytes[4 * PIECE];
    nd_status status = ND_ERR_MEMORY;
    for (long left = 0; status != ND_OK; left++) {
        failing_allocator counts = {.left = left};
        const nd_allocator allocator = failing_allocator_make(&counts);
        numbers n = {.left = 3 * PIECE};
        nd_read_ahead *ahead = NULL;
        nd_error error;
        size_t got = 0;
        status = nd_read_ahead_open(give, &n, &n.source, 2, &allocator, &ahead, &error);
        if (status == ND_OK) status = nd_read_ahead_read(ahead, bytes, sizeof bytes, &got, &error);
        nd_read_ahead_close(ahead);
        assert_int_equal(counts.live, 0);
        assert_int_equal(status, left < 4 ? ND_ERR_MEMORY : ND_OK);
        assert_true(status != ND_OK || got == 3 * PIECE);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bytes),
                                       cmocka_unit_test(test_closing_early),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
