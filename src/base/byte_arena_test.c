/* byte_arena.h: strings are found again by their offsets, however often the array has moved. */
#include "base/byte_arena.h"

#include "test.h"

enum { STRINGS = 2000, LONGEST = 40 };

/* Byte i of string s. */
static char byte_of(size_t s, size_t i) { return (char)(s * 7 + i); }

static size_t length_of(size_t s) { return s * 13 % (LONGEST + 1); }

static void fill(char *string, size_t s) {
    for (size_t i = 0; i < length_of(s); i++) string[i] = byte_of(s, i);
}

static void test_found_again(void **state) {
    (void)state;
    nd_byte_arena arena = {0};
    size_t offsets[STRINGS], total = 0;
    char string[LONGEST];
    for (int round = 0; round < 2; round++) {
        for (size_t s = 0; s < STRINGS; s++) {
            fill(string, s);
            assert_true(nd_byte_arena_add(&arena, &nd_allocator_default, string, length_of(s),
                                          &offsets[s]));
        }
        for (size_t s = 0; s < STRINGS; s++) {
            fill(string, s);
            assert_memory_equal(nd_byte_arena_at(&arena, offsets[s]), string, length_of(s));
            total += length_of(s);
        }
        assert_int_equal(arena.size, total);
        nd_byte_arena_clear(&arena);
        total = 0;
    }
    nd_byte_arena_free(&arena, &nd_allocator_default);
    assert_null(arena.bytes);
    nd_byte_arena_free(&arena, &nd_allocator_default);
}

static void test_empty_string_has_an_address(void **state) {
    (void)state;
    nd_byte_arena arena = {0};
    size_t offset = 1;
    assert_true(nd_byte_arena_add(&arena, &nd_allocator_default, NULL, 0, &offset));
    assert_int_equal(offset, 0);
    assert_non_null(nd_byte_arena_at(&arena, offset));
    nd_byte_arena_free(&arena, &nd_allocator_default);
}

/* What was reserved is added without another request for memory. */
static void test_reserved(void **state) {
    (void)state;
    failing_allocator limited = {.left = 1};
    nd_allocator allocator = failing_allocator_make(&limited);
    nd_byte_arena arena = {0};
    size_t offset;
    assert_true(nd_byte_arena_reserve(&arena, &allocator, 1000));
    for (int i = 0; i < 100; i++)
        assert_true(nd_byte_arena_add(&arena, &allocator, "0123456789", 10, &offset));
    assert_int_equal(offset, 990);
    nd_byte_arena_free(&arena, &allocator);
    assert_int_equal(limited.live, 0);
}

static void test_out_of_memory(void **state) {
    (void)state;
    failing_allocator limited = {.left = 1};
    nd_allocator allocator = failing_allocator_make(&limited);
    nd_byte_arena arena = {0};
    size_t offset = 0;
    assert_true(nd_byte_arena_add(&arena, &allocator, "abc", 3, &offset));
    static const char large[1000];
    assert_false(nd_byte_arena_add(&arena, &allocator, large, sizeof large, &offset));
    assert_false(nd_byte_arena_reserve(&arena, &allocator, SIZE_MAX));
    assert_false(nd_byte_arena_reserve(&arena, &allocator, SIZE_MAX - 3));
    assert_int_equal(offset, 0);
    assert_int_equal(arena.size, 3);
    assert_memory_equal(nd_byte_arena_at(&arena, 0), "abc", 3);
    nd_byte_arena_free(&arena, &allocator);
    assert_int_equal(limited.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found_again), cmocka_unit_test(test_empty_string_has_an_address),
        cmocka_unit_test(test_reserved), cmocka_unit_test(test_out_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
