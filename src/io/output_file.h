/* A file that appears whole or not at all: written under a temporary name in its directory
 * (output_slot.h), synced, renamed, and the directory synced. What stands for another thing than a
 * regular file is written in place (output_target.h).
 *
 *   open -> write ... -> finish -> sync -> name -> accept
 *
 * Several outputs that belong together are published together: nd_publish (publication.h) names
 * them all, or none. A file that was named keeps what stood there before, until
 * nd_output_file_accept drops it; freed without that, the old file is put back. */
#ifndef ND_IO_OUTPUT_FILE_H
#define ND_IO_OUTPUT_FILE_H

#include "io/output_target.h"
#include "io/stream_out.h"

typedef struct nd_output_file nd_output_file;

/* `name`: a path, or "-" for standard output; .gz and .zst compress. `progress` is asked while a
 * pipe has no reader, or its reader takes nothing (NULL: nobody is), and its answer may be
 * ND_ERR_CANCELLED; it outlives the file. */
nd_status nd_output_file_open(const char *name, nd_progress *progress,
                              const nd_allocator *allocator, nd_output_file **out, nd_error *error);
/* Its name for messages; valid as long as the file. */
const char *nd_output_file_title(const nd_output_file *file);
/* Where it goes; valid as long as the file. */
const nd_output_target *nd_output_file_target(const nd_output_file *file);
/* As long as a regular, uncompressed file has been given only pieces whose sizes are multiples of
 * ND_DIRECT_ALIGNMENT, out of memory aligned to it, they go past the page cache where the file
 * system can: the cache stays with the input, and there is nothing left for the sync to wait for.
 */
enum { ND_DIRECT_ALIGNMENT = 4096 };
nd_status nd_output_file_write(nd_output_file *file, const void *bytes, size_t size,
                               nd_error *error);
/* Ends the stream: all bytes are with the system, under the temporary name. */
nd_status nd_output_file_finish(nd_output_file *file, nd_error *error);
/* Makes the bytes durable. */
nd_status nd_output_file_sync(nd_output_file *file, nd_error *error);
/* Gives the file its name, with the rights of the file that stood there, which is kept under
 * another name. */
nd_status nd_output_file_name(nd_output_file *file, nd_error *error);
/* Makes that name durable. */
nd_status nd_output_file_sync_name(nd_output_file *file, nd_error *error);
/* Takes the name back: the file that stood there has it again, or none. */
void nd_output_file_take_back(nd_output_file *file);
/* Drops the file that stood there before: the new one stays. */
void nd_output_file_accept(nd_output_file *file);
uint64_t nd_output_file_size(const nd_output_file *file);
/* Frees; what was not accepted is as if it had not been written. NULL is accepted. */
void nd_output_file_free(nd_output_file *file);

#endif
