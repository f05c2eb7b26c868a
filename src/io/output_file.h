/* A file that appears whole or not at all: written under a temporary name in its directory, synced, renamed, and the directory synced. "-" is standard
 * output, and a device or pipe is written as it is. */
#ifndef ND_IO_OUTPUT_FILE_H
#define ND_IO_OUTPUT_FILE_H

#include "io/stream_out.h"

typedef struct nd_output_file nd_output_file;

nd_status nd_output_file_open(const char *path, const nd_allocator *allocator, nd_output_file **out, nd_error *error);
/* As long as a regular, uncompressed file has been given only pieces whose sizes are multiples of ND_DIRECT_ALIGNMENT, out of memory aligned to it, they go
 * past the page cache where the file system can: the cache stays with the input, and there is nothing left for the sync to wait for. */
enum { ND_DIRECT_ALIGNMENT = 4096 };
nd_status nd_output_file_write(nd_output_file *file, const void *bytes, size_t size, nd_error *error);
/* Ends the stream: all bytes are with the system, under the temporary name. */
nd_status nd_output_file_finish(nd_output_file *file, nd_error *error);
/* Makes the bytes durable; then nd_output_file_publish gives the file its name and makes that durable. Several outputs that belong together are all synced before
 * the first is published. */
nd_status nd_output_file_sync(nd_output_file *file, nd_error *error);
nd_status nd_output_file_publish(nd_output_file *file, nd_error *error);
uint64_t nd_output_file_size(const nd_output_file *file);
/* Frees; what was not published is removed. NULL is accepted. */
void nd_output_file_free(nd_output_file *file);

#endif
