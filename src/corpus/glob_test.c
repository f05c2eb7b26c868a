#include "corpus/glob.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

/* Reads globs that are separated by blanks. */
static nd_globs *read_globs(const char *globs, const nd_allocator *memory) {
    char text[2000];
    const char *list[20];
    size_t count = 0;
    strcpy(text, globs);
    for (char *at = strtok(text, " "); at; at = strtok(NULL, " ")) list[count++] = at;
    nd_globs *read = NULL;
    nd_error error;
    if (nd_globs_read(list, count, memory, &read, &error) != ND_OK) fail_msg("%s", error.message);
    return read;
}

/* The path without the '/' at the end of a directory's; valid until the next call. */
static const char *plain_path(const char *path, bool *directory) {
    static char name[300];
    strcpy(name, path);
    size_t length = strlen(name);
    *directory = length > 0 && name[length - 1] == '/';
    if (*directory) name[length - 1] = '\0';
    return name;
}

/* Whether a walk with these globs goes to the path. */
static bool accepts(const char *globs, const char *path) {
    const nd_allocator memory = nd_allocator_or_default(NULL);
    nd_globs *read = read_globs(globs, &memory);
    bool directory, found;
    const char *name = plain_path(path, &directory);
    found = nd_globs_accept(read, name, directory);
    nd_globs_free(read);
    return found;
}

#define YES(globs, path) assert_true(accepts(globs, path))
#define NO(globs, path) assert_false(accepts(globs, path))

static void test_one_glob(void **state) {
    (void)state;
    YES("", "a/b.txt");
    YES("*.txt", "b.txt");
    YES("*.txt", "a/b.txt");
    YES("*.txt", "a/"); /* walked through */
    NO("*.txt", "a/b.md");
    NO("*.txt", "a.txt/b");
    YES("?.md", "\xC3\xA9.md");
    NO("?.md", "ab.md");
    YES("a/*.txt", "a/b.txt");
    NO("a/*.txt", "c/a/b.txt");
    NO("a/*.txt", "a/c/b.txt");
    YES("/b*", "b.txt");
    NO("/b*", "a/b.txt");
    YES("a*b*c*", "xa/aXbXcX");
    NO("a*b*c*d", "aXbXcX");
    YES("\\*.txt", "*.txt");
    NO("\\*.txt", "a.txt");
}

/* Whether the globs name a path whose parts with a dot are hidden. */
static bool names(const char *globs, const char *path) {
    const nd_allocator memory = nd_allocator_or_default(NULL);
    nd_globs *read = read_globs(globs, &memory);
    bool directory, found;
    const char *name = plain_path(path, &directory);
    found = nd_globs_name(read, '.', name, directory);
    nd_globs_free(read);
    return found;
}

static void test_names(void **state) {
    (void)state;
    assert_true(names(".*", ".a"));
    assert_true(names(".*", "b/.a"));
    assert_true(names("\\.a", ".a"));
    assert_true(names("{x,.a}", ".a"));
    assert_true(names("*.txt b*", "b/c.txt"));
    assert_false(names("*", ".a"));
    assert_false(names("?a", ".a"));
    assert_false(names("[.]a", ".a"));
    assert_false(names("**/a", ".a"));
    assert_false(names("!.a", ".a"));
    assert_false(names("", ".a"));
    assert_false(names(".a/", ".a"));
    /* Directories on the way. */
    assert_true(names(".a/b", ".a/"));
    assert_true(names(".a/**", ".a/"));
    assert_true(names("c/.a/*", "c/"));
    assert_true(names("**/.a/*", "c/.a/"));
    assert_false(names(".*", ".a/"));
    assert_false(names("*/b", ".a/"));
    assert_true(names(".a/*", ".a/b"));
    assert_true(names(".a/.b", ".a/.b"));
    assert_false(names(".a/*", ".a/.b"));
    assert_false(names(".a/**", ".a/b/.c"));
    assert_true(names(".a/**", ".a/b/c"));
}

static void test_parts(void **state) {
    (void)state;
    YES("**/b.txt", "b.txt");
    YES("**/b.txt", "x/y/b.txt");
    NO("**/b.txt", "x/yb.txt");
    YES("a/**", "a/b/c");
    NO("a/**", "a");
    NO("a/**", "ab/c");
    YES("a/**/c", "a/c");
    YES("a/**/c", "a/b/b/c");
    NO("a/**/c", "a/bc");
    YES("a/**/b/**/c", "a/x/b/c");
    YES("x**y", "xzzy");
    NO("/x**y", "xz/zy");
}

static void test_sets_and_braces(void **state) {
    (void)state;
    YES("[a-c].txt", "b.txt");
    NO("[a-c].txt", "d.txt");
    YES("[!a-c].txt", "d.txt");
    YES("[]x]", "]");
    YES("[a\\]]", "]");
    YES("[\xC3\xA0-\xC3\xBF]", "\xC3\xA9");
    NO("a[!x]b", "a/b");
    YES("*.{jsonl,json}{,.gz}", "a/b.json");
    YES("*.{jsonl,json}{,.gz}", "a/b.jsonl.gz");
    NO("*.{jsonl,json}{,.gz}", "a/b.jsonl.zst");
    YES("{a,b{c,d}}x", "bdx");
    YES("[{]x", "{x");
    YES("\\{x", "{x");
}

static void test_lists(void **state) {
    (void)state;
    NO("!*.md", "a/b.md");
    YES("!*.md", "a/b.txt");
    NO("*.txt !b*", "b.txt");
    YES("*.txt !b* bb*", "bb.txt");
    NO("*.txt !b*", "a.md");
    NO("!build/", "x/build/");
    YES("!build/", "x/build");
    NO("!/docs/**", "docs/a");
}

static void test_bad_globs(void **state) {
    (void)state;
    const nd_allocator memory = nd_allocator_or_default(NULL);
    static char large[2000];
    memset(large, '?', sizeof large - 1);
    const char *bad[] = {"[a", "a\\", "{a,b", large,
                         "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        nd_globs *globs = NULL;
        nd_error error;
        assert_int_equal(nd_globs_read(&bad[i], 1, &memory, &globs, &error), ND_ERR_ARGUMENT);
        assert_null(globs);
    }
}

/* A path is read once, whatever the stars of the glob. */
static void test_many_stars(void **state) {
    (void)state;
    char path[260];
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    NO("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", path);
}

static void test_is_glob(void **state) {
    (void)state;
    assert_true(nd_is_glob("a/*.txt") && nd_is_glob("a?") && nd_is_glob("[a]") &&
                nd_is_glob("{a}"));
    assert_false(nd_is_glob("a/b.txt"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_glob),   cmocka_unit_test(test_names),
        cmocka_unit_test(test_parts),      cmocka_unit_test(test_sets_and_braces),
        cmocka_unit_test(test_lists),      cmocka_unit_test(test_bad_globs),
        cmocka_unit_test(test_many_stars), cmocka_unit_test(test_is_glob)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
