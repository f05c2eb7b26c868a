/* Structures that may grow, between a library and a caller of other versions: each of them knows
 * a part of what the other one knows. */
#include "base/options.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 << 10 };

/* The same structure in three versions. */
typedef struct first {
    size_t struct_size;
    uint64_t a;
} first;

typedef struct second {
    size_t struct_size;
    uint64_t a;
    uint32_t b, reserved;
} second;

typedef struct third {
    size_t struct_size;
    uint64_t a;
    uint32_t b, reserved;
    double c;
} third;

/* What a library of the second version does with the caller's options. */
static const second defaults = {.struct_size = sizeof defaults, .a = 10, .b = 20};

static nd_status read_second(const void *given, second *out, nd_error *error) {
    *out = defaults;
    return nd_options_read(given, out, sizeof *out, sizeof(first), "nd_test_options", error);
}

/* In memory of exactly this size, so that a sanitizer sees what is read behind it. */
static void *exactly(const void *bytes, size_t size) {
    void *copy = malloc(size);
    assert_non_null(copy);
    return memcpy(copy, bytes, size);
}

static void expect(const void *given, size_t size, uint64_t a, uint32_t b) {
    void *copy = exactly(given, size);
    second made;
    nd_error error = {.message = ""};
    if (read_second(copy, &made, &error) != ND_OK) fail_msg("%s", error.message);
    assert_int_equal(made.struct_size, sizeof made);
    assert_true(made.a == a && made.b == b && made.reserved == 0);
    free(copy);
}

static void test_callers(void **state) {
    (void)state;
    second none;
    assert_int_equal(read_second(NULL, &none, NULL), ND_OK);
    assert_memory_equal(&none, &defaults, sizeof none);
    const first older = {sizeof older, 1};
    const second same = {sizeof same, 1, 2, 0};
    const third newer = {sizeof newer, 1, 2, 0, 0};
    expect(&older, sizeof older, 1, 20); /* what the caller does not know has its default */
    expect(&same, sizeof same, 1, 2);
    expect(&newer, sizeof newer, 1, 2);
}

/* An older library knows nothing that the newer caller wants of it. */
static void test_unknown_members(void **state) {
    (void)state;
    third newer = {sizeof newer, 1, 2, 0, 0};
    memset(&newer.c, 1, sizeof newer.c);
    second out;
    nd_error error;
    assert_int_equal(read_second(&newer, &out, &error), ND_ERR_ARGUMENT);
    assert_string_equal(error.message, "nd_test_options has a member behind byte 24, which this "
                                       "version of the library does not know: it must be 0");
    assert_memory_equal(&out, &defaults, sizeof out);
    for (size_t at = sizeof out; at < sizeof newer; at++) {
        newer.c = 0;
        ((unsigned char *)&newer)[at] = 1;
        assert_int_equal(read_second(&newer, &out, NULL), ND_ERR_ARGUMENT);
    }
}

/* Sizes that no version has had. */
static void test_sizes_out_of_range(void **state) {
    (void)state;
    second out;
    nd_error error;
    char message[200];
    for (size_t size = 0; size < sizeof(first); size++) {
        void *given = exactly(&size, sizeof size);
        assert_int_equal(read_second(given, &out, &error), ND_ERR_ARGUMENT);
        snprintf(message, sizeof message,
                 "nd_test_options.struct_size must be the size of the structure, 16 or more, not "
                 "%zu",
                 size);
        assert_string_equal(error.message, message);
        free(given);
    }
    char *large = calloc(1, MOST + 1);
    size_t size = MOST;
    assert_non_null(large);
    memcpy(large, &size, sizeof size);
    assert_int_equal(read_second(large, &out, NULL), ND_OK);
    size++;
    memcpy(large, &size, sizeof size);
    assert_int_equal(read_second(large, &out, NULL), ND_ERR_ARGUMENT);
    size = SIZE_MAX;
    memcpy(large, &size, sizeof size);
    assert_int_equal(read_second(large, &out, NULL), ND_ERR_ARGUMENT);
    free(large);
    /* A size between two versions takes a part of a member; that is the caller's affair, and
     * nothing behind it is read. */
    struct {
        size_t struct_size;
        uint64_t a;
        uint32_t b;
    } odd = {sizeof(first) + 4, 1, 2};
    expect(&odd, sizeof(first) + 4, 1, 2);
}

/* ---- nd_X_options_init of the second version, for callers of all */

static void test_init(void **state) {
    (void)state;
    enum { ROOM = 64 };
    for (size_t size = 0; size <= ROOM; size++) {
        unsigned char *filled = malloc(ROOM + 8);
        size_t said, known = size < sizeof defaults ? size : sizeof defaults;
        assert_non_null(filled);
        memset(filled, 0x5a, ROOM + 8);
        nd_options_init(filled, size, &defaults, sizeof defaults);
        size_t written = size < sizeof size ? 0 : size;
        for (size_t i = written; i < ROOM + 8; i++) assert_int_equal(filled[i], 0x5a);
        if (written > 0) {
            memcpy(&said, filled, sizeof said);
            assert_int_equal(said, size);
            assert_memory_equal(filled + sizeof said, (const char *)&defaults + sizeof said,
                                known - sizeof said);
            for (size_t i = known; i < size; i++) assert_int_equal(filled[i], 0);
        }
        free(filled);
    }
}

/* ---- results */

static void test_results(void **state) {
    (void)state;
    const second made = {.struct_size = 12345, .a = 7, .b = 8};
    nd_error error;
    assert_int_equal(nd_results_check(NULL, sizeof(first), "nd_test_info", &error), ND_OK);
    nd_results_write(NULL, &made, sizeof made);
    for (size_t size = 0; size < sizeof(first); size++) {
        first small = {size, 99};
        assert_int_equal(nd_results_check(&small, sizeof(first), "nd_test_info", &error),
                         ND_ERR_ARGUMENT);
        assert_non_null(strstr(error.message, "nd_test_info.struct_size"));
        assert_true(small.struct_size == size && small.a == 99);
    }
    first *older = exactly(&(first){sizeof(first), 99}, sizeof(first));
    assert_int_equal(nd_results_check(older, sizeof(first), "nd_test_info", &error), ND_OK);
    nd_results_write(older, &made, sizeof made);
    assert_true(older->struct_size == sizeof *older && older->a == 7);
    free(older);
    third newer = {sizeof newer, 99, 99, 99, 99};
    assert_int_equal(nd_results_check(&newer, sizeof(first), "nd_test_info", &error), ND_OK);
    nd_results_write(&newer, &made, sizeof made);
    assert_true(newer.struct_size == sizeof newer && newer.a == 7 && newer.b == 8 &&
                newer.reserved == 0 && newer.c == 0);
    newer.struct_size = MOST + 1;
    assert_int_equal(nd_results_check(&newer, sizeof(first), "nd_test_info", &error),
                     ND_ERR_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_callers),
                                       cmocka_unit_test(test_unknown_members),
                                       cmocka_unit_test(test_sizes_out_of_range),
                                       cmocka_unit_test(test_init), cmocka_unit_test(test_results)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
