/* The files of a directory, and of directories in it, to be written down again and again, whole or
 * damaged. */
#ifndef ND_TESTS_IMAGE_H
#define ND_TESTS_IMAGE_H

#include "own_directory.h"

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
/* As enter_own_directory, with malloc set up for many short uses of an index. */
int image_enter(void **state);

#endif
