/* The job that makes TLSH digests, against nd_tlsh_make for one text after the other. */
#include "corpus_job.h"
#include "test.h"

typedef struct checking {
    const corpus *c;
    nd_tlsh_variant variant;
    size_t count, without, stop_at;
} checking;

/* nd_digest_fn */
static bool check_one(void *context, const nd_digested *given) {
    checking *t = context;
    size_t d = t->count++;
    nd_tlsh expected = {0};
    bool made = nd_tlsh_make(t->variant, t->c->text[d], strlen(t->c->text[d]), &expected);
    assert_int_equal(given->document, d);
    assert_int_equal(given->id_length, strlen(t->c->id[d]));
    assert_memory_equal(given->id, t->c->id[d], given->id_length);
    assert_int_equal(given->has_digest, made);
    assert_memory_equal(&given->digest, &expected, sizeof expected);
    t->without += !made;
    return t->count != t->stop_at;
}

static void test_digests(void **state) {
    (void)state;
    static corpus c;
    make_corpus(&c, 5, MOST);
    for (uint32_t i = 0; i < 12; i++) {
        job_parts o = corpus_job(&c, 1 + i % 3 * 2);
        nd_job_summary summary = {.struct_size = sizeof summary};
        nd_error error;
        checking t = {.c = &c, .variant = (nd_tlsh_variant)(i % 4)};
        if (nd_digests(digests_of(&o, t.variant), check_one, &t, &summary, &error) != ND_OK)
            fail_msg("%s", error.message);
        assert_int_equal(t.count, MOST);
        assert_int_equal(summary.documents, MOST);
        assert_int_equal(summary.without_digest, t.without);
        assert_in_range(t.without, MOST / 20, MOST - MOST / 20);
    }
    free_corpus(&c);
}

static void test_cancel(void **state) {
    (void)state;
    static corpus c;
    nd_error error;
    make_corpus(&c, 6, MOST);
    job_parts o = corpus_job(&c, 3);
    checking t = {.c = &c, .stop_at = 17};
    assert_int_equal(nd_digests(digests_of(&o, ND_TLSH_128_1), check_one, &t, NULL, &error),
                     ND_ERR_CANCELLED);
    assert_int_equal(t.count, 17);
    free_corpus(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_digests),
                                       cmocka_unit_test(test_cancel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
