/* All parts of the library agree whether there is ICU. If it is loaded at run time, it is also
 * hidden: dlopen is this file's. Each check has a process of its own, because a process loads ICU
 * only once. */
#include "base/icu_library.h"
#include "test.h"
#include "text/analyzer.h"
#include "unicode/icu_word_breaks.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void *__real_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags);

static bool is_hidden;   /* no library is found */
static const char *fake; /* a library of this name is found: the test itself; NULL: none is */
static unsigned opened;  /* calls */

void *__wrap_dlopen(const char *name, int flags) {
    opened++;
    if (fake && strcmp(name, fake) == 0) return __real_dlopen(NULL, flags);
    return is_hidden ? NULL : __real_dlopen(name, flags);
}

static void check_alone(bool check(void)) {
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(!check());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static bool agree(bool has_icu) {
    const nd_analyzer_options options = {sizeof options, .kind = ND_SEGMENT, .ngram = 1};
    nd_analyzer *analyzer = NULL;
    nd_error error = {.message = ""};
    nd_status status = nd_analyzer_create(&options, NULL, &analyzer, &error);
    nd_analyzer_free(analyzer);
    return status == (has_icu ? ND_OK : ND_ERR_UNSUPPORTED) &&
           (nd_icu_library() != NULL) == has_icu && (nd_word_breaks_version() != 0) == has_icu &&
           (strstr(nd_features(), "icu") != NULL) == has_icu &&
           (strstr(error.message, "no ICU") != NULL) == !has_icu;
}

static bool agree_as_it_is(void) { return agree(nd_icu_library() != NULL); }

static void test_as_it_is(void **state) {
    (void)state;
    check_alone(agree_as_it_is);
}

#ifdef ND_LOAD_ICU
enum { LOADS = true };
#else
enum { LOADS = false };
#endif

static bool agree_hidden(void) {
    is_hidden = true;
    bool agreed = agree(false);
    unsigned once = opened;
    return agreed && once > 0 && agree(false) && opened == once;
}

static void test_hidden(void **state) {
    (void)state;
    if (!LOADS) skip();
    check_alone(agree_hidden);
}

/* A library that has ICU's name, and not its functions, is passed over. */
static bool pass_over_newer(void) {
    fake = "libicuuc.so.99";
    return agree_as_it_is() && nd_word_breaks_version() >> 16 < 99;
}
static bool pass_over_only(void) {
    fake = "libicuuc.so.72";
    is_hidden = true;
    return agree(false);
}

static void test_fake(void **state) {
    (void)state;
    if (!LOADS) skip();
    check_alone(pass_over_newer);
    check_alone(pass_over_only);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_it_is),
                                       cmocka_unit_test(test_hidden), cmocka_unit_test(test_fake)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
