/* Removes files: their names at once, their bytes on a thread of its own.
 *
 * To free the bytes of a large file takes long where the file system tells the disk of freed blocks
 * (mount option discard): 15 ms for 64 MB. */
#ifndef ND_IO_FILE_DISPOSAL_H
#define ND_IO_FILE_DISPOSAL_H

#include "base/alloc.h"
#include "base/status.h"

typedef struct nd_file_disposal nd_file_disposal;

nd_status nd_file_disposal_create(const nd_allocator *allocator, nd_file_disposal **out,
                                  nd_error *error);
/* Waits until all bytes are freed. NULL is accepted. */
void nd_file_disposal_free(nd_file_disposal *disposal);

/* Removes a file's name. A missing file is no error. */
nd_status nd_file_disposal_remove(nd_file_disposal *disposal, const char *path, nd_error *error);
/* Begins to free the bytes of the files that were removed. */
void nd_file_disposal_begin(nd_file_disposal *disposal);

#endif
