#include "contract.h"

static void free_all(void) {
    CALLED(nd_dictionary_free(dictionary));
    CALLED(nd_weights_free(weights));
    CALLED(nd_stop_words_free(stop));
    nd_analyzer_free(shingler);
    nd_analyzer_free(worder);
    CALLED(nd_minhash_free(minhash));
    CALLED(nd_bottom_k_free(sketch));
    nd_bottom_k_free(other_sketch);
    nd_bottom_k_free(third_sketch);
    CALLED(nd_simhash_free(simhash));
}

/* Every function of the map has been called above: one with a status in ways that fail and in one
 * that succeeds. */
static void test_all_are_here(void **state) {
    (void)state;
    char *map = source_text("src/neardup.map"), *header = header_text(), name[80], pattern[100];
    unsigned count = 0;
    int length;
    free_all();
    for (const char *at = strstr(map, "global:") + strlen("global:");
         sscanf(at, " nd_%60[a-z0-9_];%n", name, &length) == 1; at += length, count++) {
        snprintf(pattern, sizeof pattern, "nd_%s", name);
        size_t f = function_of(pattern);
        snprintf(pattern, sizeof pattern, "nd_status nd_%s(", name);
        bool has_status = strstr(header, pattern) != NULL;
        bool tried = has_status ? functions[f].refused && functions[f].granted
                                : functions[f].called;
        if (!tried) fail_msg("nd_%s: not tried in this test", name);
    }
    assert_true(count > 130);
    assert_int_equal(memory.live, 0);
    free(map);
    free(header);
}

static int enter(void **state) {
    if (enter_own_directory(state) != 0) return -1;
    allocator = failing_allocator_make(&memory);
    write_file("words", "the\nof\n");
    write_file("weights", "quick\t2.5\nbrown\t1\n");
    write_file("dictionary", "\xe6\xb7\xb1\xe5\x9c\xb3 10\n");
    if (mkdir("source", 0777) != 0) return -1;
    write_file("source/s", "a family with the same long text in all of them");
    return 0;
}

static int leave(void **state) {
    const char *const files[] = {"words", "weights", "dictionary"};
    for (size_t i = 0; i < 3; i++) unlink(files[i]);
    remove_directory("source");
    return leave_own_directory(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_sketches),
        cmocka_unit_test(test_fingerprints),
        cmocka_unit_test(test_plans),
        cmocka_unit_test(test_dedup),
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_exact_index),
        cmocka_unit_test(test_audit),
        cmocka_unit_test(test_tune),
        cmocka_unit_test(test_index_use),
        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_index_making),
        cmocka_unit_test(test_index),
        cmocka_unit_test(test_hamming_making),
        cmocka_unit_test(test_hamming),
        cmocka_unit_test(test_stream),
        cmocka_unit_test(test_distributed),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_size_inits),
        cmocka_unit_test(test_sizes_handed_out),
        cmocka_unit_test(test_size_of_records),
        cmocka_unit_test(test_sized_are_all_here),
        cmocka_unit_test(test_all_are_here),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
