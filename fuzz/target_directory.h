/* A directory of the process's own: in memory if the system has /dev/shm, else in TMPDIR. It is
 * removed when the process ends normally. */
#ifndef ND_FUZZ_TARGET_DIRECTORY_H
#define ND_FUZZ_TARGET_DIRECTORY_H

#include <stddef.h>

typedef struct small_file {
    char name[40];
    unsigned char *bytes;
    size_t size;
} small_file;

/* Makes the directory and returns its path. */
const char *target_directory_make(void);
/* Removes all its files. */
void target_directory_clear(void);
void target_directory_put(const char *name, const void *bytes, size_t size);
/* Loads the files in it, sorted by name, except files in its subdirectories. Returns their number,
 * at most `room`. */
size_t target_directory_load(small_file *files, size_t room);

#endif
