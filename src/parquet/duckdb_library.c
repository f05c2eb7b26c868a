#include "parquet/duckdb_library.h"

#include "base/format.h"

#include <dlfcn.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* 1.2 is the first version in which a function of ours can be called once for each row
 * (duckdb_scalar_function_set_volatile). */
enum { OLDEST_MAJOR = 1, OLDEST_MINOR = 2 };

#define LIBRARY "libduckdb.so"
#ifdef __aarch64__
#define PACKAGE "@duckdb/node-bindings-linux-arm64"
#else
#define PACKAGE "@duckdb/node-bindings-linux-x64"
#endif
#define HOW_TO_GET_IT                                                                              \
    "npm install -g " PACKAGE " installs it, and so does the library of duckdb.org; --duckdb "     \
    "(duckdb) or NEARDUP_DUCKDB names the file " LIBRARY ", or the module of Python's duckdb"

static const struct {
    const char *name;
    size_t at; /* its place in the table */
} functions[] = {
#define ENTRY(result, name, parameters) {"duckdb_" #name, offsetof(nd_duckdb, name)},
    ND_DUCKDB_FUNCTIONS(ENTRY)
#undef ENTRY
};

/* Where the library is looked for. The first one has no folder: the system's loader looks for it.
 * '+' stands for the folder of the program. */
static const char *const places[] = {LIBRARY,
                                     "/usr/local/lib/" LIBRARY,
                                     "/usr/lib/" LIBRARY,
                                     "+/" LIBRARY,
                                     "+/../lib/" LIBRARY,
                                     "/usr/local/lib/node_modules/" PACKAGE "/" LIBRARY,
                                     "/usr/lib/node_modules/" PACKAGE "/" LIBRARY};

/* ---- one file */

/* A module of Python has its version in its name (_duckdb.cpython-311-x86_64-linux-gnu.so) and
 * needs the functions of that Python, although DuckDB's own do not call them. In a process of
 * Python they are there; in others the shared library of Python is loaded first. False: the path is
 * not of such a module. */
static bool load_python(const char *path) {
    static const char mark[] = ".cpython-3";
    char name[64];
    const char *version = strstr(path, mark);
    if (!version) return false;
    version += sizeof mark - 1;
    nd_format(name, sizeof name, "libpython3.%.*s.so.1.0", (int)strspn(version, "0123456789"),
              version);
    dlopen(name, RTLD_LAZY | RTLD_GLOBAL);
    return true;
}

static void *open_library(const char *path) {
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    return !library && load_python(path) ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : library;
}

/* "v1.5.6", "v2.0.0-dev123" */
static bool is_new_enough(const char *version) {
    char *end;
    if (*version == 'v') version++;
    unsigned long major = strtoul(version, &end, 10);
    unsigned long minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
    return major > OLDEST_MAJOR || (major == OLDEST_MAJOR && minor >= OLDEST_MINOR);
}

static nd_status find_functions(void *library, const char *path, nd_duckdb *out, nd_error *error) {
    const char *missing = NULL;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(library, functions[i].name);
        if (!function && !missing) missing = functions[i].name;
        memcpy((char *)out + functions[i].at, &function, sizeof function);
    }
    if (!out->library_version)
        return nd_fail(error, ND_ERR_UNSUPPORTED, "%s is not DuckDB's library: it has no %s", path,
                       missing);
    if (!is_new_enough(out->library_version()))
        return nd_fail(error, ND_ERR_UNSUPPORTED, "%s is DuckDB %s: Parquet needs %d.%d or later",
                       path, out->library_version(), OLDEST_MAJOR, OLDEST_MINOR);
    return missing ? nd_fail(error, ND_ERR_UNSUPPORTED,
                             "%s is DuckDB %s: Parquet needs a version with %s", path,
                             out->library_version(), missing)
                   : ND_OK;
}

/* *found: there is a library, whether or not it is fit. */
static nd_status load(const char *path, bool *found, nd_duckdb *out, nd_error *error) {
    void *library = open_library(path);
    *found = library != NULL;
    if (!library) {
        const char *why = dlerror();
        return nd_fail(error, ND_ERR_UNSUPPORTED, "DuckDB's library cannot be loaded: %s",
                       why ? why : path);
    }
    nd_status status = find_functions(library, path, out, error);
    if (status != ND_OK) dlclose(library);
    return status;
}

/* ---- the search */

/* Writes the folder of the program to `folder`; "" if it is not known. */
static void find_program(char folder[PATH_MAX]) {
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
}

static nd_status search(nd_duckdb *out, nd_error *error) {
    char program[PATH_MAX], path[PATH_MAX + 64];
    nd_error failure;
    bool unfit = false;
    find_program(program);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        bool beside = places[i][0] == '+', found;
        nd_error why;
        nd_format(path, sizeof path, "%s%s", beside ? program : "", places[i] + beside);
        if (load(path, &found, out, &why) == ND_OK) return ND_OK;
        if (found && !unfit) failure = why;
        unfit = unfit || found;
    }
    return unfit ? nd_fail(error, failure.status, "%s; %s", failure.message, HOW_TO_GET_IT)
                 : nd_fail(error, ND_ERR_UNSUPPORTED,
                           "Parquet is read and written by DuckDB's library, which is not "
                           "installed: " HOW_TO_GET_IT);
}

nd_status nd_duckdb_load(const char *path, nd_duckdb *out, nd_error *error) {
    bool found;
    if (!path) path = getenv("NEARDUP_DUCKDB");
    return path && *path ? load(path, &found, out, error) : search(out, error);
}
