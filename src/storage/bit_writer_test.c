/* Numbers of any width, against their bits one by one. */
#include "storage/bit_writer.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 20000 };

static void check(size_t count, bool words, uint64_t seed) {
    static unsigned char wanted[MOST * 8 + 8], got[MOST * 8 + 8];
    nd_temp_space disk = {.directory = "."};
    nd_spool spool;
    nd_error error;
    size_t bit = 0;
    nd_spool_init(&spool, &nd_allocator_default, &disk, 1 << 20, "bits");
    nd_bit_writer stream = {.spool = &spool};
    memset(wanted, 0, sizeof wanted);
    for (size_t i = 0; i < count; i++) {
        unsigned size = 1 + (unsigned)random_below(&seed, 63);
        uint64_t value = random_next(&seed) >> (64 - size);
        for (unsigned b = 0; b < size; b++, bit++)
            wanted[bit / 8] |= (unsigned char)((value >> b & 1) << bit % 8);
        assert_int_equal(nd_bit_writer_put(&stream, &stream.bits, value, size, &error), ND_OK);
    }
    assert_int_equal((words ? nd_bit_writer_finish_word : nd_bit_writer_finish)(&stream, &error),
                     ND_OK);
    assert_int_equal(spool.size, words ? (bit + 63) / 64 * 8 : (bit + 7) / 8);
    assert_int_equal(nd_spool_read(&spool, got, (size_t)spool.size, 0, &error), ND_OK);
    assert_memory_equal(got, wanted, (size_t)spool.size);
    nd_spool_free(&spool);
}

static void test_bits(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++)
        check(seed < 20 ? (size_t)seed : MOST, seed % 2, seed);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
