/* A directory of the process's own, in memory where the system has that (/dev/shm), or in TMPDIR;
 * it is removed when the process ends in order. */
#ifndef ND_FUZZ_PLACE_H
#define ND_FUZZ_PLACE_H

#include <stddef.h>

typedef struct small_file {
    char name[40];
    unsigned char *bytes;
    size_t size;
} small_file;

/* Its path. */
const char *place_make(void);
/* Removes all that is in it. */
void place_clear(void);
void place_put(const char *name, const void *bytes, size_t size);
/* The files in it, by name, not those of directories in it. Returns how many, at most `room`. */
size_t place_load(small_file *files, size_t room);

#endif
