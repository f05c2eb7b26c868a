/* The scalar tokenizer against the golden vectors; invalid UTF-8; where scans begin and stop; long
 * texts; failures. scalar_tokenizer_icu_test.c has ICU as its oracle. */
#include "scanned_tokens.h"

#include "kernel/kernel.h"
#include "kernel/script_pages.h"

/* ---- golden vectors */

static size_t unescape(char *text) {
    char *out = text;
    for (const char *p = text; *p;) {
        if (*p == '\\') {
            char digits[9] = {0};
            size_t count = p[1] == 'U' ? 8 : 4;
            memcpy(digits, p + 2, count);
            out += put_utf8(out, (uint32_t)strtoul(digits, NULL, 16));
            p += 2 + count;
        } else {
            *out++ = *p++;
        }
    }
    return (size_t)(out - text);
}

static void golden_line(char *line, unsigned *seen) {
    char *text = strchr(line, '\t'), *tokens;
    assert_non_null(text);
    *text++ = '\0';
    tokens = strchr(text, '\t');
    assert_non_null(tokens);
    *tokens++ = '\0';
    list want = {0}, got = {0};
    while (*tokens) {
        char *next = tokens + strcspn(tokens, "|");
        bool last = *next == '\0';
        *next = '\0';
        size_t length = unescape(tokens);
        list_add_token(&want, tokens, length);
        tokens = last ? next : next + 1;
    }
    size_t length = unescape(text);
    bool chars = strcmp(line, "chars") == 0;
    assert_true(chars || strcmp(line, "words") == 0);
    tokens_from(&got, chars, text, length, 0);
    assert_same_list(&got, &want, text, length);
    seen[chars]++;
    free(want.bytes);
    free(got.bytes);
}

static void test_golden(void **state) {
    (void)state;
    FILE *file = fopen(ND_TEST_DATA "/golden/tokens.txt", "r");
    assert_non_null(file);
    char line[4096];
    unsigned seen[2] = {0, 0};
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\0' && line[0] != '#') golden_line(line, seen);
    }
    fclose(file);
    assert_true(seen[0] > 100 && seen[1] > 100);
}

/* ---- invalid UTF-8 */

static void test_invalid_utf8(void **state) {
    (void)state;
    static const char *const bad[] = {"\x80",
                                      "\xbf",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xc2",
                                      "\xdf",
                                      "\xc2\x41",
                                      "\xc2\xc2\x80",
                                      "\xe0\x80\x80",
                                      "\xe0\x9f\xbf",
                                      "\xe0\xa0",
                                      "\xe1",
                                      "\xe1\x80",
                                      "\xe1\x80\x41",
                                      "\xe1\x41\x80",
                                      "\xed\xa0\x80",
                                      "\xed\xbf\xbf",
                                      "\xef\xbf",
                                      "\xf0\x80\x80\x80",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf0\x90\x80",
                                      "\xf0\x90",
                                      "\xf0",
                                      "\xf1\x80\x80\x41",
                                      "\xf1\x80\x41\x80",
                                      "\xf1\x41\x80\x80",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xf7\xbf\xbf\xbf",
                                      "\xf8\x88\x80\x80\x80",
                                      "\xfc\x84\x80\x80\x80\x80",
                                      "\xfe",
                                      "\xff"};
    /* Before the invalid bytes: nothing, a starter that composes, a cluster that is normalised,
     * several scripts, and more than a buffer. */
    static char many[10001];
    memset(many, 'x', 10000);
    const char *const before[] = {"",
                                  "a",
                                  "e\xcc\x81",
                                  "e\xcc\x81\xcc\xa7",
                                  "\xe1\x84\x80\xe1\x85\xa1",
                                  "\xe6\xbc\xa2\xe5\xad\x97",
                                  "\xd1\x8f ",
                                  many};
    const char *const after[] = {"", "x", " a\xcc\x81", "\xe6\xbc\xa2"};
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++)
        for (size_t i = 0; i < sizeof before / sizeof *before; i++)
            for (size_t j = 0; j < sizeof after / sizeof *after; j++) {
                char text[11000];
                int length = snprintf(text, sizeof text, "%s%s%s", before[i], bad[b], after[j]);
                expect_invalid(text, (size_t)length, strlen(before[i]));
            }
    /* The last bytes in which the scan looks for characters that the kernel accepts. */
    static const char *const last[] = {"\xe2\x80", "\xe4\xb8", "\xef\xbc"};
    for (size_t i = 0; i < 3; i++) {
        char cut_short[2 + ND_SCAN_KERNEL_RUN] = "\xd1\x8f";
        memset(cut_short + 2, ' ', ND_SCAN_KERNEL_RUN - 2);
        memcpy(cut_short + ND_SCAN_KERNEL_RUN, last[i], 2);
        expect_invalid(cut_short, sizeof cut_short, ND_SCAN_KERNEL_RUN);
    }
}

/* ---- beginning and stopping */

/* The offsets where a scan may begin or stop: cutting the text there changes no token, so the
 * tokens of both parts together are those of the whole. */
static bool harmless_cut(const char *text, size_t length, size_t at, const list *whole) {
    list parts = {0};
    tokens_from(&parts, false, text, at, 0);
    tokens_from(&parts, false, text + at, length - at, 0);
    bool same = parts.length == whole->length &&
                (parts.length == 0 || memcmp(parts.bytes, whole->bytes, parts.length) == 0);
    free(parts.bytes);
    return same;
}

static size_t character(const char *text, size_t length, size_t at, uint32_t *cp) {
    *cp = 0;
    size_t width = nd_utf8_decode((const unsigned char *)text + at,
                                  (const unsigned char *)text + length, cp);
    assert_true(width > 0);
    return width;
}

static unsigned class_at(const char *text, size_t length, size_t at) {
    return nd_words_class((const unsigned char *)text + at, (const unsigned char *)text + length);
}

/* Whether the kernel stops at no character that begins in the run from `at` on. */
static bool kernel_run(const char *text, size_t length, size_t at) {
    size_t end = at + ND_SCAN_KERNEL_RUN;
    bool taken = end <= length;
    unsigned before = 0;
    for (uint32_t cp; taken && at < end; at += character(text, length, at, &cp)) {
        unsigned class = class_at(text, length, at);
        taken = class != ND_WORDS_REFUSED && !nd_words_clash(before, class);
        before = class;
    }
    return taken;
}

static size_t expected_stop(const char *text, size_t length, size_t from, const list *whole) {
    bool seen = false;
    unsigned before = 0;
    uint32_t cp;
    for (size_t at = from; at < length; at += character(text, length, at, &cp)) {
        unsigned class = class_at(text, length, at);
        bool mark = (class & ND_WORDS_CLASS) == ND_WORDS_MARK;
        if (seen && !mark && kernel_run(text, length, at) && harmless_cut(text, length, at, whole))
            return at;
        seen |= class == ND_WORDS_REFUSED || nd_words_clash(before, class);
        before = class;
    }
    return length;
}

static void check_stops(const char *text, size_t length) {
    list whole = {0}, parts = {0};
    tokens_from(&whole, false, text, length, 0);
    nd_token_sink sink = sink_to(&parts);
    nd_error error = {0};
    for (size_t from = 0, stopped; from < length; from = stopped) {
        size_t expected = expected_stop(text, length, from, &whole);
        assert_int_equal(nd_scan_words(&sink, text, length, from, true, &stopped, &error), ND_OK);
        assert_int_equal(stopped, expected);
        assert_true(stopped > from);
    }
    assert_same_list(&parts, &whole, text, length);
    free(whole.bytes);
    free(parts.bytes);
}

static void test_may_stop(void **state) {
    (void)state;
    static const char *const pieces[] = {"\u00e9",
                                         "a\u0301",
                                         "\u304b",
                                         "\u6f22",
                                         "\u6f22\u0301",
                                         "x\u304b",
                                         "\u044f ",
                                         "\u044f.",
                                         "=\u0338",
                                         "\u0e01\u0e35",
                                         "\U0001f600",
                                         "\u200d",
                                         "\u2028",
                                         "\u2014",
                                         "\u304b\u3099",
                                         "\u0130.",
                                         "\U00020000",
                                         "x\u1e9e ",
                                         "\u0e01\u0e49\u0e38"};
    static const char *const fills[] = {
        "word ",         "x",      " ",       "It is. ",      "\u00e9t\u00e9 ",
        "\u201cs\u201d", "\u00e9", "a\u00a0", "\u6f22\u5b57", "\u5b57 x\u6f22",
        "\u6f22\u3002",  "\uff08"};
    char text[1024];
    for (size_t piece = 0; piece < sizeof pieces / sizeof *pieces; piece++)
        for (size_t fill = 0; fill < sizeof fills / sizeof *fills; fill++)
            for (size_t run = 55; run < 75; run++) {
                size_t length = 0;
                for (int part = 0; part < 3; part++) {
                    length += (size_t)sprintf(
                        text + length, "%s",
                        pieces[(piece + (size_t)part) % (sizeof pieces / sizeof *pieces)]);
                    for (size_t i = 0, size = strlen(fills[fill]);
                         i < run || (fills[fill][i % size] & 0xc0) == 0x80; i++)
                        text[length++] = fills[fill][i % size];
                }
                check_stops(text, length);
            }
}

/* A scan from any such offset gives the remaining tokens of the whole text. */
static void test_from(void **state) {
    (void)state;
    static const char text[] =
        "plain na\xc3\xafve e\xcc\x81t\xc3\xa9 =\xcc\xb8 \xe6\xbc\xa2\xe5\xad\x97"
        "abc \xe0\xb8\x81\xe0\xb8\xb5 \xe1\x84\x80\xe1\x85\xa1 end";
    size_t length = sizeof text - 1;
    list whole = {0}, before = {0};
    unsigned tried = 0;
    tokens_from(&whole, false, text, length, 0);
    for (size_t at = 0; at <= length; at++) {
        if (at < length && ((unsigned char)text[at] & 0xc0) == 0x80) continue;
        if (!harmless_cut(text, length, at, &whole)) continue;
        list_clear(&before);
        tokens_from(&before, false, text, at, 0);
        tokens_from(&before, false, text, length, at);
        assert_same_list(&before, &whole, text, length);
        tried++;
    }
    assert_true(tried > 12);
    free(whole.bytes);
    free(before.bytes);
}

/* ---- long texts */

enum { LONG = 1 << 20 };

static void repeat(char *to, const char *piece, size_t bytes) {
    size_t length = strlen(piece);
    for (size_t i = 0; i < bytes; i++) to[i] = piece[i % length];
}

static void test_long_token(void **state) {
    (void)state;
    char *text = malloc(LONG), *want = malloc(LONG);
    assert_true(text && want);
    repeat(text, "\xd0\xaf\xc3\x89xZ", LONG / 6 * 6);
    repeat(want, "\xd1\x8f\xc3\xa9xz", LONG / 6 * 6);
    list got = {0}, expected = {0};
    list_add_token(&expected, want, LONG / 6 * 6);
    tokens_from(&got, false, text, LONG / 6 * 6, 0);
    assert_same_list(&got, &expected, text, 16);
    free(text);
    free(want);
    free(got.bytes);
    free(expected.bytes);
}

/* A megabyte of marks in bad order after one letter, as one token and as characters, does not take
 * quadratic time. */
static void test_long_marks(void **state) {
    (void)state;
    static const struct {
        const char *source, *low,
            *high; /* the repeated pieces, and their marks in canonical order */
    } cases[] = {{"\xcc\x82\xcc\x96", "\xcc\x96",
                  "\xcc\x82"} /* combining classes: U+0302 230, U+0316 220 */,
                 {"\xe0\xbd\xb3", "\xe0\xbd\xb1",
                  "\xe0\xbd\xb2"} /* U+0F73 decomposes to U+0F71 (129) and U+0F72 (130) */};
    for (size_t i = 0; i < 2; i++) {
        size_t piece = strlen(cases[i].source), count = LONG / piece, low = strlen(cases[i].low),
               high = strlen(cases[i].high);
        char *text = malloc(1 + count * piece), *want = malloc(1 + count * (low + high));
        assert_true(text && want);
        text[0] = want[0] = 'q'; /* composes with neither */
        repeat(text + 1, cases[i].source, count * piece);
        repeat(want + 1, cases[i].low, count * low);
        repeat(want + 1 + count * low, cases[i].high, count * high);
        list got = {0}, expected = {0};
        list_add_token(&expected, want, 1 + count * (low + high));
        tokens_from(&got, false, text, 1 + count * piece, 0);
        assert_same_list(&got, &expected, text, 16);
        list_clear(&got);
        list_clear(&expected);
        list_add_token(&expected, want, 1);
        for (size_t k = 0; k < count; k++) list_add_token(&expected, cases[i].low, low);
        for (size_t k = 0; k < count; k++) list_add_token(&expected, cases[i].high, high);
        tokens_from(&got, true, text, 1 + count * piece, 0);
        assert_same_list(&got, &expected, text, 16);
        free(text);
        free(want);
        free(got.bytes);
        free(expected.bytes);
    }
}

/* Marks in order are emitted as they are, until the last one belongs before the others, and the
 * cluster is emitted again. */
static void test_late_trouble(void **state) {
    (void)state;
    char *text = malloc(LONG + 8), *want = malloc(LONG + 8);
    assert_true(text && want);
    text[0] = want[0] = 'q';
    repeat(text + 1, "\xcc\x82", LONG);
    memcpy(text + 1 + LONG, "\xcc\x96 B", 4);
    memcpy(want + 1, "\xcc\x96", 2);
    repeat(want + 3, "\xcc\x82", LONG);
    list got = {0}, expected = {0};
    list_add_token(&expected, want, 3 + LONG);
    list_add_token(&expected, "b", 1);
    tokens_from(&got, false, text, LONG + 5, 0);
    assert_same_list(&got, &expected, text, 16);
    free(text);
    free(want);
    free(got.bytes);
    free(expected.bytes);
}

/* The same behind all kinds of tokens, so that the buffers are emptied between the beginning of the
 * cluster and the mark that changes it. */
static void test_trouble_after_delivery(void **state) {
    (void)state;
    static const char *const words[] = {"a ", "\xe6\xbc\xa2", "longer words "};
    char *text = malloc(20000);
    assert_non_null(text);
    for (size_t w = 0; w < 3; w++)
        for (size_t before = 3900; before < 4400; before += 3) {
            size_t width = strlen(words[w]),
                   pieces = before / (w == 0   ? 2
                                      : w == 1 ? 3
                                               : 11),
                   length = 0;
            list got = {0}, want = {0};
            for (; length < pieces * width; length += width) {
                memcpy(text + length, words[w], width);
                list_add_token(&want, words[w], w == 0 ? 1 : w == 1 ? 3 : 6);
                if (w == 2) list_add_token(&want, "words", 5);
            }
            char token[1 + 2 + 120] = "q\xcc\x96";
            repeat(token + 3, "\xcc\x82", 120);
            list_add_token(&want, token, sizeof token);
            text[length] = 'q';
            repeat(text + length + 1, "\xcc\x82", 120);
            memcpy(text + length + 121, "\xcc\x96", 2);
            tokens_from(&got, false, text, length + 123, 0);
            assert_same_list(&got, &want, text, 16);
            free(got.bytes);
            free(want.bytes);
        }
    free(text);
}

/* ---- bare texts, callbacks, memory */

static void bare(const char *text, uint64_t seed, uint64_t hash[2]) {
    nd_token_sink sink = {.allocator = nd_allocator_default, .key = nd_hash_key_of(seed)};
    assert_int_equal(nd_hash_bare_text(&sink, text, strlen(text), hash, NULL), ND_OK);
}

/* Frozen values, computed independently from the definition in scalar_tokenizer.c. */
static void test_bare_values(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t hash[2];
    } golden[] = {
        {"", {UINT64_C(0xd7abe67351e18a82), UINT64_C(0x15ffaa759dcd046f)}},
        {"!?", {UINT64_C(0xaa18ba4bb0b07486), UINT64_C(0x5315efd05f15af8d)}},
        {"\xf0\x9f\x98\x80\xf0\x9f\x9a\x80",
         {UINT64_C(0x56180b485aef91ab), UINT64_C(0xdf5fcde2d0787185)}},
        {"0123456789abcdef", {UINT64_C(0x085c9874f0307b5e), UINT64_C(0xeaa7477d4c00f100)}},
        {"0123456789abcdefg\xe2\x80\xa6",
         {UINT64_C(0xe05da1508143a5d2), UINT64_C(0x23be78135dbc6981)}},
        {"=\xcc\xb8", {UINT64_C(0xb230ab59d3985024), UINT64_C(0x9e59b3a80081fc74)}},
        {"..............\xe3\x80\x82!",
         {UINT64_C(0x1362c4a12509c7a6), UINT64_C(0x4f259f6b9c7e5dfb)}},
    };
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        uint64_t hash[2];
        bare(golden[i].text, 1, hash);
        assert_true(hash[0] == golden[i].hash[0]);
        assert_true(hash[1] == golden[i].hash[1]);
        bare(golden[i].text, 2, hash);
        assert_true(hash[0] != golden[i].hash[0] && hash[1] != golden[i].hash[1]);
    }
}

static void test_bare_form(void **state) {
    (void)state;
    uint64_t a[2], b[2];
    bare("=\xcc\xb8 !", 1, a);
    bare("\xe2\x89\xa0 !", 1, b);
    assert_memory_equal(a, b, sizeof a);
    bare("\xe2\x89\xa0 ?", 1, b);
    assert_true(a[0] != b[0] && a[1] != b[1]);
    nd_token_sink sink = {.allocator = nd_allocator_default, .key = nd_hash_key_of(1)};
    assert_int_equal(nd_hash_bare_text(&sink, "\0", 1, a, NULL), ND_OK);
    assert_int_equal(nd_hash_bare_text(&sink, "\0", 2, b, NULL), ND_OK);
    assert_true(a[0] != b[0] && a[1] != b[1]);
}

static void test_cancel(void **state) {
    (void)state;
    char text[9001];
    repeat(text, "\xc3\xa9 b ", 9000);
    for (size_t stop = 1; stop <= 3001; stop += 500) {
        list l = {.stop_at = stop};
        nd_token_sink sink = sink_to(&l);
        size_t stopped;
        nd_error error = {0};
        assert_int_equal(nd_scan_words(&sink, text, 9000, 0, false, &stopped, &error),
                         ND_ERR_CANCELLED);
        assert_int_equal(error.status, ND_ERR_CANCELLED);
        assert_int_equal(l.tokens, stop);
        list_clear(&l);
        assert_int_equal(nd_scan_chars(&sink, text, 9000, &error), ND_ERR_CANCELLED);
        assert_int_equal(l.tokens, stop);
        free(l.bytes);
    }
}

/* Each allocation fails once, and nothing leaks. */
static void test_out_of_memory(void **state) {
    (void)state;
    char *text = malloc(60001);
    assert_non_null(text);
    text[0] = 'e';
    repeat(text + 1, "\xcc\x82\xcc\x96", 40000);
    repeat(text + 40001, "\xe6\xbc\xa2", 19998);
    for (int what = 0; what < 3; what++) {
        nd_status status = ND_ERR_MEMORY;
        int fail_at = 0;
        for (; status == ND_ERR_MEMORY; fail_at++) {
            failing_allocator failing = {.left = fail_at};
            nd_token_sink sink = {.allocator = failing_allocator_make(&failing),
                                  .key = nd_hash_key_of(1)};
            size_t stopped;
            uint64_t hash[2];
            nd_error error = {0};
            status = what == 0   ? nd_scan_words(&sink, text, 59999, 0, false, &stopped, &error)
                     : what == 1 ? nd_scan_chars(&sink, text, 59999, &error)
                                 : nd_hash_bare_text(&sink, text, 59999, hash, &error);
            assert_true(status == ND_OK || (status == ND_ERR_MEMORY &&
                                            strncmp(error.message, "out of memory", 13) == 0));
            nd_release(&sink.allocator, sink.hashes);
            assert_int_equal(failing.live, 0);
        }
        assert_int_equal(status, ND_OK);
        assert_true(fail_at > 3);
    }
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),       cmocka_unit_test(test_invalid_utf8),
        cmocka_unit_test(test_may_stop),     cmocka_unit_test(test_from),
        cmocka_unit_test(test_long_token),   cmocka_unit_test(test_long_marks),
        cmocka_unit_test(test_late_trouble), cmocka_unit_test(test_trouble_after_delivery),
        cmocka_unit_test(test_bare_values),  cmocka_unit_test(test_bare_form),
        cmocka_unit_test(test_cancel),       cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
