#include "store/numbered_names.h"

#include "base/format.h"
#include "io/file.h"

#include <string.h>

enum { MOST_DIGITS = 19 };

static const char *const names[ND_FILE_KINDS] = {
    [ND_FILE_SEGMENT] = "segment",   [ND_FILE_TOMBSTONES] = "removed",
    [ND_FILE_CLUSTERS] = "clusters", [ND_FILE_LOG] = "log",
    [ND_FILE_LINES] = "lines",       [ND_FILE_LINE_RUN] = "run",
};

/* Only the form that nd_numbered_path writes: decimal, without leading zeros. */
static bool read_number(const char *text, uint64_t *number, const char **rest) {
    size_t digits = strspn(text, "0123456789");
    *number = 0;
    if (digits == 0 || digits > MOST_DIGITS || text[0] == '0') return false;
    for (size_t i = 0; i < digits; i++) *number = *number * 10 + (uint64_t)(text[i] - '0');
    *rest = text + digits;
    return true;
}

bool nd_state_parse_name(const char *name, nd_state_file *out) {
    for (size_t k = 0; k < ND_FILE_KINDS; k++) {
        size_t length = strlen(names[k]);
        const char *rest;
        if (strncmp(name, names[k], length) != 0 || name[length] != '-' ||
            !read_number(name + length + 1, &out->number, &rest))
            continue;
        out->kind = (nd_state_file_kind)k;
        out->unfinished = strcmp(rest, ND_UNFINISHED) == 0;
        return out->unfinished || *rest == '\0';
    }
    return false;
}

char *nd_state_file_path(const nd_allocator *allocator, const char *directory,
                         nd_state_file_kind kind, uint64_t number) {
    return nd_numbered_path(allocator, directory, names[kind], number);
}

char *nd_numbered_path(const nd_allocator *allocator, const char *directory, const char *name,
                       uint64_t number) {
    size_t size = strlen(directory) + strlen(name) + sizeof "/-18446744073709551615";
    char *path = nd_allocate(allocator, size, 1);
    if (path) nd_format(path, size, "%s/%s-%llu", directory, name, (unsigned long long)number);
    return path;
}
