/* warc_digest.h: digests of "abc" in all forms, made by Python's hashlib. */
#include "warc/warc_digest.h"

#include "test.h"

#include <string.h>

static void test_digests(void **state) {
    (void)state;
    static const struct {
        const char *digest;
        nd_digest_check wanted;
    } cases[] = {
        {"sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5", ND_DIGEST_EQUAL},
        {"SHA1: vgmt4nsha2awvor6evyxqugcnsonbwe5 ", ND_DIGEST_EQUAL},
        {"sha-1:a9993e364706816aba3e25717850c26c9cd0d89d", ND_DIGEST_EQUAL},
        {"sha1:a9993e364706816aba3e25717850c26c9cd0d890", ND_DIGEST_OTHER},
        {"sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015a"
         "d",
         ND_DIGEST_EQUAL},
        {"sha256:XJ4BNP4PAHH6UQKBIDPF3LRCEOYAGYNDSYLXVHFUCD7WD4QACWWQ====", ND_DIGEST_EQUAL},
        {"sha256:XJ4BNP4PAHH6UQKBIDPF3LRCEOYAGYNDSYLXVHFUCD7WD4QACWWQ", ND_DIGEST_EQUAL},
        {"sha-512:DDAF35A193617ABACC417349AE20413112E6FA4E89A97EA20A9EEEE64B55D3"
         "9A2192992A274FC1A836BA3C23A3FEEBBD454D4423643CE80E2A9AC94FA54CA49F",
         ND_DIGEST_EQUAL},
        {"md5:900150983cd24fb0d6963f7d28e17f72", ND_DIGEST_EQUAL},
        {"md5:SAAVBGB42JH3BVUWH56SRYL7OI======", ND_DIGEST_EQUAL},
        {"md5:00000000000000000000000000000000", ND_DIGEST_OTHER},
        {"", ND_DIGEST_UNKNOWN},
        {"sha1", ND_DIGEST_UNKNOWN},
        {"sha1:", ND_DIGEST_UNKNOWN},
        {"sha1:abc", ND_DIGEST_UNKNOWN},
        {"crc32:0", ND_DIGEST_UNKNOWN},
        {"sha1:11111111111111111111111111111111", ND_DIGEST_UNKNOWN},
        {"md5:gggggggggggggggggggggggggggggggg", ND_DIGEST_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const nd_span digest = {cases[i].digest, strlen(cases[i].digest)};
        assert_int_equal(nd_digest_compare(digest, "abc", 3),
                         nd_has_digests() ? cases[i].wanted : ND_DIGEST_UNKNOWN);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_digests)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
