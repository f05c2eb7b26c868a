/* Fingerprints of short Chinese texts, with single characters, pairs of characters and words as
 * features. Unrelated texts must not be near each other; a text with one changed character must be
 * near the original. */
#include "neardup.h"

#include "test.h"

#include <string.h>

/* Distances in bits, of 64: the least one of unrelated texts, and the greatest one of changed
 * texts, except FARTHER of the 200 changed texts. */
enum { NOT_NEAR = 11, NEAR = 6, FARTHER = 2 };

/* News and prose of 22 to 30 characters; no two texts are about the same matter. */
static const char *const unrelated[] = {
    "\u6628\u5929\u4e0b\u5348\uff0c\u5e02\u4e2d\u5fc3\u7684\u56fe\u4e66\u9986\u4e3e\u884c\u4e86"
    "\u65b0\u4e66\u53d1\u5e03\u4f1a\uff0c\u8bb8\u591a\u8bfb\u8005\u5192\u96e8\u524d\u6765\u3002",
    "\u79d1\u5b66\u5bb6\u5728\u6df1\u6d77\u53d1\u73b0\u4e86\u4e00\u79cd\u4ece\u672a\u89c1\u8fc7"
    "\u7684\u900f\u660e\u6c34\u6bcd\uff0c\u8eab\u957f\u4e0d\u8db3\u4e24\u5398\u7c73\u3002",
    "\u8fd9\u5bb6\u9910\u9986\u7684\u725b\u8089\u9762\u6c64\u6d53\u5473\u7f8e\uff0c\u6bcf\u5929"
    "\u4e2d\u5348\u90fd\u6709\u4eba\u6392\u961f\u7b49\u5019\u3002",
    "\u53d7\u53f0\u98ce\u5f71\u54cd\uff0c\u6cbf\u6d77\u4e09\u7701\u7684\u5217\u8f66\u5168\u90e8"
    "\u505c\u8fd0\uff0c\u6062\u590d\u65f6\u95f4\u53e6\u884c\u901a\u77e5\u3002",
    "\u5c0f\u5b66\u4e09\u5e74\u7ea7\u7684\u6570\u5b66\u8bfe\u672c\u91cc\u589e\u52a0\u4e86\u6709"
    "\u5173\u7edf\u8ba1\u56fe\u8868\u7684\u5185\u5bb9\u3002",
    "\u592e\u884c\u5ba3\u5e03\u4e0b\u8c03\u5b58\u6b3e\u51c6\u5907\u91d1\u7387\uff0c\u91ca\u653e"
    "\u957f\u671f\u8d44\u91d1\u7ea6\u4e94\u5343\u4ebf\u5143\u3002",
    "\u56fd\u5bb6\u961f\u4ee5\u4e8c\u6bd4\u4e00\u51fb\u8d25\u5bf9\u624b\uff0c\u65f6\u9694\u5341"
    "\u4e8c\u5e74\u518d\u6b21\u8fdb\u5165\u51b3\u8d5b\u3002",
    "\u8001\u6728\u5320\u7528\u4e00\u6574\u5757\u6a1f\u6728\u96d5\u51fa\u4e86\u4e5d\u6761\u9f99"
    "\uff0c\u82b1\u4e86\u6574\u6574\u56db\u5e74\u65f6\u95f4\u3002",
    "\u7814\u7a76\u8868\u660e\uff0c\u6bcf\u665a\u7761\u7720\u5c11\u4e8e\u516d\u5c0f\u65f6\u4f1a"
    "\u589e\u52a0\u60a3\u5fc3\u810f\u75c5\u7684\u98ce\u9669\u3002",
    "\u65b0\u578b\u7535\u52a8\u6c7d\u8f66\u4e00\u6b21\u5145\u7535\u53ef\u4ee5\u884c\u9a76\u516b"
    "\u767e\u516c\u91cc\uff0c\u552e\u4ef7\u4f4e\u4e8e\u9884\u671f\u3002",
    "\u6751\u91cc\u7684\u5b69\u5b50\u4eec\u5728\u6cb3\u8fb9\u653e\u98ce\u7b5d\uff0c\u7b11\u58f0"
    "\u4f20\u5f97\u5f88\u8fdc\u5f88\u8fdc\u3002",
    "\u8003\u53e4\u961f\u5728\u6c99\u6f20\u8fb9\u7f18\u6316\u51fa\u4e00\u5ea7\u6c49\u4ee3\u7cae"
    "\u4ed3\uff0c\u91cc\u9762\u8fd8\u6709\u70ad\u5316\u7684\u5c0f\u9ea6\u3002",
    "\u6cd5\u9662\u5224\u51b3\u88ab\u544a\u8d54\u507f\u539f\u544a\u533b\u7597\u8d39\u548c\u8bef"
    "\u5de5\u8d39\u5171\u8ba1\u4e09\u4e07\u4e8c\u5343\u5143\u3002",
    "\u624b\u673a\u8f6f\u4ef6\u66f4\u65b0\u4ee5\u540e\u8017\u7535\u660e\u663e\u52a0\u5feb\uff0c"
    "\u5382\u5546\u627f\u8bfa\u4e0b\u5468\u4fee\u590d\u8fd9\u4e2a\u95ee\u9898\u3002",
    "\u79cb\u5929\u7684\u5c71\u8c37\u91cc\u7ea2\u53f6\u6ee1\u5761\uff0c\u6eaa\u6c34\u6e05\u6f88"
    "\uff0c\u6e38\u4eba\u7edc\u7ece\u4e0d\u7edd\u3002",
    "\u822a\u5929\u5458\u5b8c\u6210\u4e86\u7b2c\u4e8c\u6b21\u51fa\u8231\u6d3b\u52a8\uff0c\u5b89"
    "\u88c5\u4e86\u65b0\u7684\u592a\u9633\u80fd\u7535\u6c60\u677f\u3002",
    "\u5979\u628a\u5976\u5976\u7559\u4e0b\u7684\u65e7\u6bdb\u8863\u62c6\u4e86\uff0c\u91cd\u65b0"
    "\u7ec7\u6210\u4e24\u6761\u56f4\u5dfe\u9001\u7ed9\u59b9\u59b9\u3002",
    "\u4e13\u5bb6\u5efa\u8bae\u679c\u519c\u63a8\u8fdf\u91c7\u6458\u65f6\u95f4\uff0c\u7b49\u82f9"
    "\u679c\u7cd6\u5206\u5145\u5206\u79ef\u7d2f\u540e\u518d\u4e0a\u5e02\u3002",
    "\u4e24\u56fd\u5916\u957f\u5728\u4f1a\u8c08\u540e\u53d1\u8868\u8054\u5408\u58f0\u660e\uff0c"
    "\u540c\u610f\u91cd\u542f\u8fb9\u5883\u8d38\u6613\u8c08\u5224\u3002",
    "\u535a\u7269\u9986\u514d\u8d39\u5411\u516c\u4f17\u5f00\u653e\uff0c\u53c2\u89c2\u8005\u987b"
    "\u63d0\u524d\u4e00\u5929\u5728\u7f51\u4e0a\u9884\u7ea6\u3002",
};

/* A text of 200 characters. */
static const char prose[] =
    "\u6625\u5929\u6765\u4e86\uff0c\u9662\u5b50\u91cc\u7684\u6843\u6811\u5f00\u6ee1\u4e86\u7c89"
    "\u7ea2\u8272\u7684\u82b1\uff0c\u871c\u8702\u5728\u679d\u5934\u5fd9\u788c\u5730\u98de\u6765"
    "\u98de\u53bb\u3002\u7237\u7237\u642c\u51fa\u4e00\u628a\u7af9\u6905\uff0c\u5750\u5728\u6811"
    "\u4e0b\u6652\u592a\u9633\uff0c\u624b\u91cc\u6367\u7740\u4e00\u672c\u7ffb\u65e7\u4e86\u7684"
    "\u8bd7\u96c6\u3002\u4ed6\u5e38\u8bf4\uff0c\u4eba\u8001\u4e86\u5c31\u50cf\u8fd9\u68f5\u6811"
    "\uff0c\u6839\u624e\u5f97\u8d8a\u6df1\uff0c\u5fc3\u91cc\u5c31\u8d8a\u5b89\u9759\u3002\u5976"
    "\u5976\u5728\u53a8\u623f\u91cc\u5305\u997a\u5b50\uff0c\u97ed\u83dc\u548c\u9e21\u86cb\u7684"
    "\u9999\u5473\u4ece\u7a97\u53e3\u98d8\u51fa\u6765\uff0c\u9694\u58c1\u7684\u5c0f\u732b\u95fb"
    "\u5230\u4e86\uff0c\u6084\u6084\u8df3\u4e0a\u5899\u5934\u5f20\u671b\u3002\u508d\u665a\u65f6"
    "\u5206\uff0c\u7236\u4eb2\u9a91\u7740\u81ea\u884c\u8f66\u4e0b\u73ed\u56de\u5bb6\uff0c\u8f66"
    "\u7b50\u91cc\u88c5\u7740\u4e24\u6761\u521a\u4e70\u7684\u9cab\u9c7c\uff0c\u6bcd\u4eb2\u63a5"
    "\u8fc7\u53bb\uff0c\u7b11\u7740\u8bf4\u4eca\u5929\u7684\u665a\u996d\u6709\u9c7c\u6709\u997a"
    "\u5b50\uff0c\u50cf\u8fc7\u8282\u4e00\u6837\u70ed\u95f9\uff0c\u5168\u5bb6\u4eba\u56f4\u5750"
    "\u5728\u706f\u4e0b\uff0c\u6162";

static nd_fingerprint fingerprint_of(nd_analyzer *analyzer, const char *text, size_t length) {
    nd_fingerprint made;
    assert_int_equal(nd_simhash_text(analyzer, NULL, text, length, &made, NULL), ND_OK);
    return made;
}

static unsigned distance(nd_fingerprint a, nd_fingerprint b) {
    return (unsigned)__builtin_popcountll(a.low ^ b.low);
}

static void expect_not_near(nd_analyzer *analyzer) {
    enum { COUNT = sizeof unrelated / sizeof *unrelated };
    nd_fingerprint made[COUNT];
    unsigned least = 64;
    for (size_t i = 0; i < COUNT; i++) {
        made[i] = fingerprint_of(analyzer, unrelated[i], strlen(unrelated[i]));
        for (size_t j = 0; j < i; j++)
            if (distance(made[i], made[j]) < least) least = distance(made[i], made[j]);
    }
    print_message("unrelated: %u", least);
    assert_true(least >= NOT_NEAR);
}

/* Each character in turn is replaced by a character that the text does not have. */
static void expect_near(nd_analyzer *analyzer) {
    static const char typo[] = "\u9f98";
    char changed[sizeof prose];
    size_t length = sizeof prose - 1;
    unsigned most = 0, farther = 0, all = 0;
    nd_fingerprint whole = fingerprint_of(analyzer, prose, length);
    assert_int_equal(length, 3 * 200);
    for (size_t at = 0; at < length; at += 3) {
        memcpy(changed, prose, sizeof prose);
        memcpy(changed + at, typo, 3);
        unsigned differs = distance(whole, fingerprint_of(analyzer, changed, length));
        if (differs > most) most = differs;
        farther += differs > NEAR;
        all += differs;
    }
    print_message(", one character changed: %.1f, at most %u, farther than %d: %u\n", all / 200.0,
                  most, NEAR, farther);
    assert_true(farther <= FARTHER);
}

static void expect_good(nd_analyzer_kind kind, uint32_t ngram) {
    const nd_analyzer_options options = {
        .struct_size = sizeof options, .kind = kind, .ngram = ngram, .seed = 1};
    nd_analyzer *analyzer;
    assert_int_equal(nd_analyzer_create(&options, NULL, &analyzer, NULL), ND_OK);
    expect_not_near(analyzer);
    expect_near(analyzer);
    nd_analyzer_free(analyzer);
}

static void test_characters(void **state) {
    (void)state;
    expect_good(ND_CHARS, 1);
}

static void test_pairs(void **state) {
    (void)state;
    expect_good(ND_CHARS, 2);
}

static void test_words(void **state) {
    (void)state;
    if (!strstr(nd_features(), "icu")) skip();
    expect_good(ND_SEGMENT, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_characters),
                                       cmocka_unit_test(test_pairs), cmocka_unit_test(test_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
