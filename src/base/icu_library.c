#include "base/icu_library.h"

#include <stddef.h>

#ifdef ND_WITH_ICU

const nd_icu *nd_icu_library(void) {
    static const nd_icu linked = {.u_getVersion = u_getVersion,
                                  .u_errorName = u_errorName,
                                  .ubrk_open = ubrk_open,
                                  .ubrk_setText = ubrk_setText,
                                  .ubrk_next = ubrk_next,
                                  .ubrk_close = ubrk_close,
                                  .udata_openChoice = udata_openChoice,
                                  .udata_getMemory = udata_getMemory,
                                  .udata_close = udata_close,
                                  .ucnv_open = ucnv_open,
                                  .ucnv_reset = ucnv_reset,
                                  .ucnv_toUnicode = ucnv_toUnicode,
                                  .ucnv_close = ucnv_close};
    return &linked;
}

#elif defined(ND_LOAD_ICU)

#include "base/format.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

/* The names of ICU's libraries, and of all functions in them, end with ICU's major version. So
 * several versions can be installed, and loaded, beside each other. The newest one is taken. */
enum { NEWEST = 99, OLDEST = 60 };

static const struct {
    const char *name;
    size_t at; /* its place in the table */
} functions[] = {{"u_getVersion", offsetof(nd_icu, u_getVersion)},
                 {"u_errorName", offsetof(nd_icu, u_errorName)},
                 {"ubrk_open", offsetof(nd_icu, ubrk_open)},
                 {"ubrk_setText", offsetof(nd_icu, ubrk_setText)},
                 {"ubrk_next", offsetof(nd_icu, ubrk_next)},
                 {"ubrk_close", offsetof(nd_icu, ubrk_close)},
                 {"udata_openChoice", offsetof(nd_icu, udata_openChoice)},
                 {"udata_getMemory", offsetof(nd_icu, udata_getMemory)},
                 {"udata_close", offsetof(nd_icu, udata_close)},
                 {"ucnv_open", offsetof(nd_icu, ucnv_open)},
                 {"ucnv_reset", offsetof(nd_icu, ucnv_reset)},
                 {"ucnv_toUnicode", offsetof(nd_icu, ucnv_toUnicode)},
                 {"ucnv_close", offsetof(nd_icu, ucnv_close)}};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static nd_icu loaded;
static bool is_loaded;

/* False: the library lacks one of the functions. */
static bool find_functions(void *library, unsigned version) {
    char name[32];
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        nd_format(name, sizeof name, "%s_%u", functions[i].name, version);
        void *function = dlsym(library, name);
        if (!function) return false;
        memcpy((char *)&loaded + functions[i].at, &function, sizeof function);
    }
    return true;
}

static void load(void) {
    char name[32];
    for (unsigned version = NEWEST; version >= OLDEST && !is_loaded; version--) {
        nd_format(name, sizeof name, "libicuuc.so.%u", version);
        void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        is_loaded = library && find_functions(library, version);
        if (library && !is_loaded) dlclose(library);
    }
}

const nd_icu *nd_icu_library(void) {
    pthread_once(&once, load);
    return is_loaded ? &loaded : NULL;
}

#else

const nd_icu *nd_icu_library(void) { return NULL; }

#endif
