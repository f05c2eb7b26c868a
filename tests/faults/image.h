/* The files of a directory, and of directories in it, to be written down again and again, whole or
 * damaged. */
#ifndef ND_TESTS_IMAGE_H
#define ND_TESTS_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct image_file {
    char name[40]; /* "lock", "index/lock" */
    unsigned char *bytes;
    size_t size;
} image_file;

typedef struct image {
    image_file files[64]; /* by name */
    size_t count;
} image;

void image_load(image *i, const char *directory);
void image_free(image *i);
/* In place of what is there. */
void image_store(const image *i, const char *directory);
void image_store_file(const image_file *f, const char *directory);
/* A directory and its files; nothing where there is none. */
void image_remove(const char *directory);

/* A directory of the test's own, in TMPDIR, in memory, or here: makes it and goes there; removes
 * it, which must be empty. */
int image_enter(void **state);
int image_leave(void **state);

#endif
