#include "base/options.h"

#include <string.h>

enum { MOST = 64 << 10 };

/* The first member of every such structure. */
static size_t size_of(const void *structure) {
    size_t size;
    memcpy(&size, structure, sizeof size);
    return size;
}

static void copy(void *out, size_t out_size, const void *from, size_t size) {
    size_t known = size < out_size ? size : out_size;
    if (out_size < sizeof out_size) return;
    memcpy(out, from, known);
    memset((char *)out + known, 0, out_size - known);
    memcpy(out, &out_size, sizeof out_size);
}

void nd_options_init(void *out, size_t struct_size, const void *defaults, size_t size) {
    copy(out, struct_size, defaults, size);
}

static nd_status check_size(size_t given, size_t least, const char *name, nd_error *error) {
    if (given >= least && given <= MOST) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT,
                   "%s.struct_size must be the size of the structure, %zu or more, not %zu", name,
                   least, given);
}

nd_status nd_options_read(const void *given, void *out, size_t size, size_t least, const char *name,
                          nd_error *error) {
    if (!given) return ND_OK;
    size_t given_size = size_of(given);
    ND_TRY(check_size(given_size, least, name, error));
    for (size_t i = size; i < given_size; i++)
        if (((const char *)given)[i] != 0)
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "%s has a member behind byte %zu, which this version of the library "
                           "does not know: it must be 0",
                           name, i);
    memcpy(out, given, given_size < size ? given_size : size);
    memcpy(out, &size, sizeof size);
    return ND_OK;
}

nd_status nd_results_check(const void *out, size_t least, const char *name, nd_error *error) {
    return out ? check_size(size_of(out), least, name, error) : ND_OK;
}

void nd_results_write(void *out, const void *results, size_t size) {
    if (out) copy(out, size_of(out), results, size);
}
