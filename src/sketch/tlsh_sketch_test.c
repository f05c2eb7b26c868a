/* Digests as sketches, against the digests themselves. */
#include "sketch/tlsh_sketch.h"

#include "test.h"

#include <string.h>

enum { TEXTS = 60, LONGEST = 400 };

static void test_sketches(void **state) {
    (void)state;
    static char texts[TEXTS][LONGEST];
    size_t lengths[TEXTS], without = 0;
    unsigned char sketches[TEXTS][ND_TLSH_SKETCH_SIZE];
    nd_tlsh digests[TEXTS], loaded;
    bool has[TEXTS];
    uint64_t seed = 1;
    for (size_t t = 0; t < TEXTS; t++) {
        lengths[t] = random_below(&seed, LONGEST);
        for (size_t i = 0; i < lengths[t]; i++)
            texts[t][i] = (char)random_below(&seed, t % 3 ? 256 : 1);
        has[t] = nd_tlsh_make(ND_TLSH_128_1, texts[t], lengths[t], &digests[t]);
        without += !has[t];
        assert_int_equal(nd_tlsh_sketch_make(texts[t], lengths[t], sketches[t]), has[t]);
        assert_int_equal(nd_tlsh_sketch_load(sketches[t], &loaded), has[t]);
        if (has[t]) assert_memory_equal(&loaded, &digests[t], sizeof loaded);
    }
    assert_in_range(without, TEXTS / 4, TEXTS * 3 / 4);
    for (size_t a = 0; a < TEXTS; a++)
        for (size_t b = 0; b < TEXTS; b++)
            assert_int_equal(nd_tlsh_sketch_distance(sketches[a], sketches[b]),
                             has[a] && has[b] ? nd_tlsh_distance(&digests[a], &digests[b], true)
                                              : UINT32_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sketches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
