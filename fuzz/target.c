/* Random numbers, mutations and seeds of all targets: see target.h. */
#include "target.h"

#include "base/hash.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void target_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    abort();
}

/* SplitMix64. */
uint64_t random_below(uint64_t *seed, uint64_t limit) {
    return nd_mix64(*seed += ND_HASH_POLY) % limit;
}

/* If zeros fill a file to its end, only the first of them are worth a change. */
static size_t bytes_in_use(const uint8_t *bytes, size_t size) {
    enum { ZEROS = 32 };
    size_t used = size;
    while (used > 0 && bytes[used - 1] == 0) used--;
    return size - used < ZEROS ? size : used + ZEROS;
}

size_t mutate_bytes(uint8_t *bytes, size_t size, size_t most, uint64_t *seed) {
    if (size == 0 || random_below(seed, 16) == 0) return LLVMFuzzerMutate(bytes, size, most);
    size_t used = bytes_in_use(bytes, size);
    for (uint64_t changes = random_below(seed, 4) + 1; changes > 0; changes--) {
        size_t width = (size_t)1 << random_below(seed, 5), at = random_below(seed, used);
        if (random_below(seed, 2))
            at -= at % width; /* numbers are often at multiples of their size */
        if (width > size - at) width = size - at;
        LLVMFuzzerMutate(bytes + at, width, width);
    }
    return size;
}

const char *target_file(const void *bytes, size_t size) {
    static int file = -1;
    static char path[40];
    if (file < 0) {
        file = memfd_create("input", MFD_CLOEXEC);
        if (file < 0) target_fail("no file");
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    if (ftruncate(file, 0) != 0 || pwrite(file, bytes, size, 0) != (ssize_t)size)
        target_fail("the file is not written");
    return path;
}

void target_check_error(nd_status status, const nd_error *error) {
    if (status != ND_OK &&
        (error->status != status || strlen(error->message) < 5 || strchr(error->message, '\n')))
        target_fail("status %d, and in the error %d: %s", (int)status, (int)error->status,
                    error->message);
}

const char *target_seeds(int count, char **arguments) {
    return count == 3 && strcmp(arguments[1], "--write-seeds") == 0 ? arguments[2] : NULL;
}

void target_write_seed(const char *directory, const char *name, const void *bytes, size_t size) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        target_fail("%s: cannot be written", path);
}
