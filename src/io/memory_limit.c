#include "io/memory_limit.h"

#include "base/decimal.h"
#include "base/format.h"
#include "io/file.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { PATH_ROOM = 1024, TEXT_ROOM = 4096 };

/* Reads a small file of the system as a string; false: it cannot be read. */
static bool read_text(const char *path, char text[TEXT_ROOM]) {
    int fd = nd_open(path, O_RDONLY, 0);
    if (fd < 0) return false;
    ssize_t size = read(fd, text, TEXT_ROOM - 1);
    close(fd);
    text[size > 0 ? size : 0] = '\0';
    return size > 0;
}

/* Returns the number in a file; UINT64_MAX: there is none, as in "max". */
static uint64_t read_number(const char *path) {
    char text[TEXT_ROOM];
    uint64_t number;
    bool found = read_text(path, text) &&
                 nd_whole_number_read(text, strcspn(text, "\n"), UINT64_MAX, &number);
    return found ? number : UINT64_MAX;
}

/* The least limit of a group and of all groups above it. `group` is shortened. */
static uint64_t least_upward(const char *root, char *group, const char *name) {
    char path[PATH_ROOM];
    uint64_t least = UINT64_MAX;
    for (;;) {
        bool fits = nd_format(path, sizeof path, "%s%s/%s", root, group, name) < sizeof path - 1;
        uint64_t limit = fits ? read_number(path) : UINT64_MAX;
        if (limit < least) least = limit;
        char *last = strrchr(group, '/');
        if (!last) return least;
        *last = '\0';
    }
}

static bool lists_memory(const char *controllers) {
    for (const char *at = controllers; at; at = strchr(at, ',')) {
        at += *at == ',';
        size_t length = strcspn(at, ",");
        if (length == 6 && memcmp(at, "memory", 6) == 0) return true;
    }
    return false;
}

/* A line is NUMBER:CONTROLLERS:GROUP; version 2 names no controllers. */
static uint64_t limit_of_line(char *line, const char *root) {
    char memory[PATH_ROOM];
    char *controllers = strchr(line, ':'),
         *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group) return UINT64_MAX;
    *group++ = '\0';
    if (controllers[1] == '\0') return least_upward(root, group, "memory.max");
    if (!lists_memory(controllers + 1)) return UINT64_MAX;
    nd_format(memory, sizeof memory, "%s/memory", root);
    return least_upward(memory, group, "memory.limit_in_bytes");
}

uint64_t nd_memory_limit_of_groups(const char *groups, const char *root) {
    char text[TEXT_ROOM];
    uint64_t least = UINT64_MAX;
    if (!read_text(groups, text)) return least;
    for (char *line = text, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next) *next++ = '\0';
        uint64_t limit = limit_of_line(line, root);
        if (limit < least) least = limit;
    }
    return least;
}

uint64_t nd_memory_limit(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t all = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : UINT64_MAX,
             limit = nd_memory_limit_of_groups("/proc/self/cgroup", "/sys/fs/cgroup");
    return limit < all ? limit : all;
}
