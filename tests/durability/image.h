/* The files of a directory and of its subdirectories, which are written again and again, unchanged
 * or damaged. */
#ifndef ND_TESTS_IMAGE_H
#define ND_TESTS_IMAGE_H

#include "own_directory.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct image_file {
    char name[40]; /* such as "lock" or "index/lock" */
    unsigned char *bytes;
    size_t size;
} image_file;

typedef struct image {
    image_file files[64]; /* sorted by name */
    size_t count;
} image;

void image_load(image *i, const char *directory);
void image_free(image *i);
/* Replaces the content of the directory. */
void image_store(const image *i, const char *directory);
void image_store_file(const image_file *f, const char *directory);
/* The same as enter_own_directory, with malloc set up for many short uses of an index. */
int image_enter(void **state);

#endif
