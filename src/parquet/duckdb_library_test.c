/* The search for DuckDB's library, and what it says about unfit ones. The libraries are this test:
 * dlopen, dlsym and dlclose are its own. */
#include "parquet/duckdb_library.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A library that can be opened. */
typedef struct library {
    const char *name;    /* or the end of it */
    const char *version; /* NULL: it is not DuckDB's */
    const char *missing; /* a function that it lacks; NULL: none */
    const char *needs;   /* a library that must be opened before; NULL: none */
} library;

static library there[4];
static char opened[2000]; /* the names, each in brackets */

static bool ends_with(const char *name, const char *end) {
    size_t length = strlen(name), size = strlen(end);
    return length >= size && strcmp(name + length - size, end) == 0;
}

void *__wrap_dlopen(const char *name, int flags);
void *__wrap_dlsym(void *opened_library, const char *name);
int __wrap_dlclose(void *opened_library);

void *__wrap_dlopen(const char *name, int flags) {
    (void)flags;
    char bracketed[200];
    for (size_t i = 0; i < 4; i++) {
        library *l = &there[i];
        if (!l->name || !ends_with(name, l->name)) continue;
        snprintf(bracketed, sizeof bracketed, "[%s]", l->needs ? l->needs : "");
        if (l->needs && !strstr(opened, bracketed)) continue;
        snprintf(opened + strlen(opened), sizeof opened - strlen(opened), "[%s]", name);
        return l;
    }
    snprintf(opened + strlen(opened), sizeof opened - strlen(opened), "<%s>", name);
    return NULL;
}

static const char *version_of[4];
static const char *version_0(void) { return version_of[0]; }
static const char *version_1(void) { return version_of[1]; }

void *__wrap_dlsym(void *opened_library, const char *name) {
    library *l = opened_library;
    size_t number = (size_t)(l - there);
    const char *(*version)(void) = number == 0 ? version_0 : version_1;
    void *function = NULL;
    if (!l->version || (l->missing && strcmp(name, l->missing) == 0)) return NULL;
    version_of[number] = l->version;
    memcpy(&function, &version, sizeof function);
    return function;
}

int __wrap_dlclose(void *opened_library) {
    (void)opened_library;
    return 0;
}

/* Loads with these two libraries there. Returns the message; "": it is loaded. */
static const char *load(const char *path, const char *environment, library first, library second) {
    static nd_error error;
    nd_duckdb duckdb;
    there[0] = first;
    there[1] = second;
    opened[0] = error.message[0] = '\0';
    if (environment) setenv("NEARDUP_DUCKDB", environment, 1);
    else unsetenv("NEARDUP_DUCKDB");
    nd_status status = nd_duckdb_load(path, &duckdb, &error);
    assert_int_equal(status, error.message[0] ? ND_ERR_UNSUPPORTED : ND_OK);
    return error.message;
}

static const library none;
static bool says(const char *message, const char *part) { return strstr(message, part) != NULL; }

static void test_search(void **state) {
    (void)state;
    const char *why = load(NULL, NULL, none, none);
    assert_true(says(why, "not installed") && says(why, "npm install -g @duckdb/node-bindings-") &&
                says(why, "--duckdb") && says(why, "NEARDUP_DUCKDB"));
    assert_ptr_equal(strstr(opened, "<libduckdb.so></usr/local/lib/libduckdb.so>"
                                    "</usr/lib/libduckdb.so>"),
                     opened);
    assert_true(says(opened, "/node_modules/@duckdb/node-bindings-"));
    assert_string_equal(
        load(NULL, "", (library){.name = "/usr/lib/libduckdb.so", .version = "v1.2.0"}, none), "");
    assert_true(ends_with(opened, "[/usr/lib/libduckdb.so]"));
    /* Beside the program. */
    char beside[200];
    ssize_t length = readlink("/proc/self/exe", beside, sizeof beside - 20);
    beside[length] = '\0';
    strcpy(strrchr(beside, '/'), "/libduckdb.so");
    assert_string_equal(load(NULL, NULL, (library){.name = beside, .version = "v1.2.0"}, none), "");
}

static void test_named(void **state) {
    (void)state;
    const library installed = {.name = "libduckdb.so", .version = "v1.2.0"},
                  other = {.name = "/x/other.so", .version = "v2.0.0"};
    assert_string_equal(load("/x/other.so", "/x/more.so", other, installed), "");
    assert_string_equal(opened, "[/x/other.so]");
    assert_string_equal(load(NULL, "/x/other.so", other, installed), "");
    assert_string_equal(opened, "[/x/other.so]");
    /* A name that is wrong is not replaced by what is installed. */
    assert_true(
        says(load("/x/nosuch.so", NULL, installed, none), "cannot be loaded: /x/nosuch.so"));
    assert_true(
        says(load(NULL, "/x/nosuch.so", installed, none), "cannot be loaded: /x/nosuch.so"));
}

static void test_versions(void **state) {
    (void)state;
    static const char *const fit[] = {"v1.2.0", "1.2.0", "v1.10.3", "v2.0.0-dev123", "v13.0"},
                             *const unfit[] = {"v0.10.3", "v1.1.3", "v1", "v0.0.1", "", "main"};
    for (size_t i = 0; i < sizeof fit / sizeof *fit; i++)
        assert_string_equal(
            load("/d.so", NULL, (library){.name = "/d.so", .version = fit[i]}, none), "");
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++) {
        char wanted[100];
        snprintf(wanted, sizeof wanted, "/d.so is DuckDB %s: Parquet needs 1.2 or later", unfit[i]);
        assert_string_equal(
            load("/d.so", NULL, (library){.name = "/d.so", .version = unfit[i]}, none), wanted);
    }
}

static void test_other_libraries(void **state) {
    (void)state;
    const library foreign = {.name = "libduckdb.so"},
                  fit = {.name = "/usr/lib/libduckdb.so", .version = "v1.3.0"},
                  lacking = {.name = "/d.so", .version = "v1.9.0", .missing = "duckdb_fetch_chunk"};
    assert_string_equal(load("libduckdb.so", NULL, foreign, none),
                        "libduckdb.so is not DuckDB's library: it has no duckdb_library_version");
    assert_string_equal(load("/d.so", NULL, lacking, none),
                        "/d.so is DuckDB v1.9.0: Parquet needs a version with duckdb_fetch_chunk");
    /* The search passes over it. If there is no other one, it is told. */
    const char *why = load(NULL, NULL, foreign, none);
    assert_true(says(why, "libduckdb.so is not DuckDB's library") && says(why, "npm install"));
    assert_string_equal(load(NULL, NULL, fit, foreign), "");
    assert_true(says(opened, "[libduckdb.so]") && ends_with(opened, "[/usr/lib/libduckdb.so]"));
}

/* The module of Python's duckdb can be opened when its Python has been. */
static void test_module_of_python(void **state) {
    (void)state;
    const char *const path = "/s/_duckdb.cpython-312-x86_64-linux-gnu.so";
    const library module = {.name = path, .version = "v1.4.0", .needs = "libpython3.12.so.1.0"},
                  python = {.name = "libpython3.12.so.1.0"};
    assert_string_equal(load(path, NULL, module, python), "");
    assert_true(says(load(path, NULL, module, none), "cannot be loaded"));
    assert_true(says(opened, "<libpython3.12.so.1.0>"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_search), cmocka_unit_test(test_named),
                                       cmocka_unit_test(test_versions),
                                       cmocka_unit_test(test_other_libraries),
                                       cmocka_unit_test(test_module_of_python)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
