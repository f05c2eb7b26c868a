/* The steps of nd_dedup for many machines. */
#include "contract.h"

static void test_verifier(nd_sketched one) {
    nd_set_verifier *verifier = NULL;
    REFUSED("threshold", nd_set_verifier_create(-0.1, 4, &allocator, &out.verifier, &failure));
    REFUSED("perms", nd_set_verifier_create(0.5, 1025, &allocator, &out.verifier, &failure));
    REFUSED("out", nd_set_verifier_create(0.5, 4, &allocator, NULL, &failure));
    GRANTED(NOTHING, nd_set_verifier_create(0.5, 4, &allocator, &out.verifier, &failure),
            verifier = out.verifier);
    assert_true(CALLED(nd_set_verifier_near(verifier, one.sketch, one.sketch)));
    REFUSED("nd_set_verifier_begin",
            nd_set_verifier_compare(verifier, &one, &out.flag, &out.overlap, &failure));
    CALLED(nd_set_verifier_begin(verifier, &one));
    REFUSED("verifier", nd_set_verifier_compare(NULL, &one, &out.flag, &out.overlap, &failure));
    REFUSED("document", nd_set_verifier_compare(verifier, NULL, &out.flag, &out.overlap, &failure));
    REFUSED("duplicate", nd_set_verifier_compare(verifier, &one, NULL, &out.overlap, &failure));
    REFUSED("overlap", nd_set_verifier_compare(verifier, &one, &out.flag, NULL, &failure));
    GRANTED(NOTHING, nd_set_verifier_compare(verifier, &one, &out.flag, &out.overlap, &failure),
            assert_true(out.flag));
    CALLED(nd_set_verifier_free(verifier));
}

/* nd_bucket_pair_fn */
static bool count_pair(void *context, uint64_t earlier, const nd_overlap *overlap) {
    assert_int_equal(earlier, 0);
    assert_int_equal(overlap->intersection, 0);
    ++*(unsigned *)context;
    return true;
}

static void test_large_buckets(nd_sketched one) {
    static const uint32_t bucket = 1;
    nd_large_buckets *b = NULL;
    unsigned pairs = 0;
    nd_bucket_member member = {.buckets = &bucket, .bucket_count = 1, .sketched = one};
    REFUSED("threshold",
            nd_large_buckets_create(2, 4, 10, &allocator, &out.large_buckets, &failure));
    REFUSED("max_compare",
            nd_large_buckets_create(0.5, 4, 0, &allocator, &out.large_buckets, &failure));
    REFUSED("out", nd_large_buckets_create(0.5, 4, 10, &allocator, NULL, &failure));
    GRANTED(NOTHING, nd_large_buckets_create(0.5, 4, 10, &allocator, &out.large_buckets, &failure),
            b = out.large_buckets);
    REFUSED("buckets", nd_large_buckets_add(NULL, &member, &out.bucket_answer, &failure));
    REFUSED("member", nd_large_buckets_add(b, NULL, &out.bucket_answer, &failure));
    REFUSED("answer", nd_large_buckets_add(b, &member, NULL, &failure));
    for (; member.document < 3; member.document++)
        GRANTED(NOTHING, nd_large_buckets_add(b, &member, &out.bucket_answer, &failure),
                assert_int_equal(out.bucket_answer.found, member.document > 0));
    REFUSED("buckets",
            nd_large_buckets_add_all(NULL, &member, count_pair, &pairs, &out.count64, &failure));
    REFUSED("member",
            nd_large_buckets_add_all(b, NULL, count_pair, &pairs, &out.count64, &failure));
    REFUSED("on_pair", nd_large_buckets_add_all(b, &member, NULL, &pairs, &out.count64, &failure));
    REFUSED("left_out", nd_large_buckets_add_all(b, &member, count_pair, &pairs, NULL, &failure));
    GRANTED(NOTHING,
            nd_large_buckets_add_all(b, &member, count_pair, &pairs, &out.count64, &failure),
            assert_true(pairs > 0));
    CALLED(nd_large_buckets_free(b));
}

static void test_decider(void) {
    static const nd_edge edge = {2, 1};
    nd_edge_decider *decider = NULL;
    REFUSED("out", nd_edge_decider_create(3, &allocator, NULL, &failure));
    GRANTED(NOTHING, nd_edge_decider_create(3, &allocator, &out.decider, &failure),
            decider = out.decider);
    REFUSED("decider", nd_edge_decider_take(NULL, &edge, 1, &out.flag, &failure));
    REFUSED("edges", nd_edge_decider_take(decider, NULL, 1, &out.flag, &failure));
    REFUSED("decides", nd_edge_decider_take(decider, &edge, 1, NULL, &failure));
    GRANTED(NOTHING, nd_edge_decider_take(decider, &edge, 1, &out.flag, &failure),
            assert_true(out.flag));
    CALLED(nd_edge_decider_free(decider));
}

void test_distributed(void **state) {
    (void)state;
    static const uint8_t bytes[4] = {1, 2, 3, 4};
    const nd_sketched one = {bytes, NULL, 0};
    test_verifier(one);
    test_large_buckets(one);
    test_decider();
}
