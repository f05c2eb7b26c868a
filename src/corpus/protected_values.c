#include "corpus/protected_values.h"

#include "base/printable.h"

#include <string.h>

nd_status nd_protected_values_make(const char *const *given, size_t count,
                                   const nd_allocator *allocator, nd_protected_values *out,
                                   nd_error *error) {
    size_t size = 0;
    *out = (nd_protected_values){.count = count};
    if (count == 0) return ND_OK;
    for (size_t i = 0; i < count; i++) {
        const char *equals = given && given[i] ? strchr(given[i], '=') : NULL;
        if (!equals || equals == given[i])
            return nd_fail(
                error, ND_ERR_ARGUMENT,
                "protect[%zu] must be a field, \"=\" and a value, not \"%.*s\"", i,
                given && given[i] ? nd_shown_length(given[i], strlen(given[i]), ND_SHOWN_ID) : 0,
                given && given[i] ? given[i] : "");
        size += strlen(given[i]) + 1;
    }
    out->fields = nd_allocate(allocator, count, sizeof *out->fields);
    out->values = nd_allocate(allocator, count, sizeof *out->values);
    out->bytes = nd_allocate(allocator, size, 1);
    if (!out->fields || !out->values || !out->bytes)
        return nd_fail_memory(error, size, "the values that protect a record");
    char *to = out->bytes;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(given[i]);
        memcpy(to, given[i], length + 1);
        char *equals = strchr(to, '=');
        *equals = '\0';
        out->fields[i] = to;
        out->values[i] = equals + 1;
        to += length + 1;
    }
    return ND_OK;
}

void nd_protected_values_free(nd_protected_values *v, const nd_allocator *allocator) {
    if (v->count == 0) return;
    nd_release(allocator, v->fields);
    nd_release(allocator, v->values);
    nd_release(allocator, v->bytes);
    *v = (nd_protected_values){0};
}

bool nd_protected_value_is(const nd_protected_values *v, size_t i, const char *text,
                           size_t length) {
    return strlen(v->values[i]) == length && memcmp(v->values[i], text, length) == 0;
}
