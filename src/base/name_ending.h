/* The endings of file names, which tell formats and compressions. */
#ifndef ND_BASE_NAME_ENDING_H
#define ND_BASE_NAME_ENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Whether the first `length` bytes of a name end with `ending`, which has no capitals. The case of
 * ASCII letters does not count: other systems write .CSV and .GZ. */
static inline bool nd_name_ends(const char *name, size_t length, const char *ending) {
    size_t size = strlen(ending);
    if (length < size) return false;
    for (size_t i = 0; i < size; i++) {
        char c = name[length - size + i];
        if ((c >= 'A' && c <= 'Z' ? c | 0x20 : c) != ending[i]) return false;
    }
    return true;
}

#endif
