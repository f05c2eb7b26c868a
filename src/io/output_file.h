/* An output file that appears complete or not at all. It is written under a temporary name in its
 * directory (output_slot.h), synced and renamed, and then the directory is synced. An output that
 * is not a regular file, such as a pipe, is written in place (output_target.h).
 *
 *   OPEN -> FINISHED [finish] -> DURABLE [sync] -> NAMED [name] -> ACCEPTED [accept]
 *
 * A file that is NAMED keeps the file that it replaced under another name. Accepting removes the
 * old file; taking back, or freeing without accepting, restores it. nd_publish (publication.h)
 * takes several outputs through sync and name: all of them, or none. */
#ifndef ND_IO_OUTPUT_FILE_H
#define ND_IO_OUTPUT_FILE_H

#include "io/output_target.h"
#include "io/stream_out.h"

typedef struct nd_output_file nd_output_file;

/* `name` is a path, or "-" for standard output; .gz and .zst compress. `progress` is polled while a
 * pipe has no reader, or its reader takes nothing; then opening and writing may return
 * ND_ERR_CANCELLED. It may be NULL, and must outlive the file. */
nd_status nd_output_file_open(const char *name, nd_progress *progress,
                              const nd_allocator *allocator, nd_output_file **out, nd_error *error);
/* The name for messages; valid as long as the file. */
const char *nd_output_file_title(const nd_output_file *file);
/* The target of the output; valid as long as the file. */
const nd_output_target *nd_output_file_target(const nd_output_file *file);
/* The path under which another writer may write the whole file, in place of nd_output_file_write.
 * NULL: it is written in place. */
const char *nd_output_file_path(const nd_output_file *file);
/* Writes bypass the page cache as long as a regular, uncompressed file gets only pieces whose sizes
 * and addresses are multiples of ND_DIRECT_ALIGNMENT, if the file system supports it. The cache
 * then keeps the input, and the sync has nothing to wait for. */
enum { ND_DIRECT_ALIGNMENT = 4096 };
nd_status nd_output_file_write(nd_output_file *file, const void *bytes, size_t size,
                               nd_error *error);
/* Allocates memory for such pieces, `bytes` in all: (*pieces)[0, bytes). It is in large pages if it
 * is as large as one: the disk then gets a piece as a few long runs of memory, not as a list of
 * pages, which saves a quarter of the processor time of writing. Returns the memory for nd_release,
 * or NULL. */
void *nd_output_pieces_allocate(const nd_allocator *allocator, size_t bytes, char **pieces);
/* Whether pieces can be written at their offsets: a regular file, without compression. */
bool nd_output_file_is_seekable(const nd_output_file *file);
/* In place of nd_output_file_write, by any number of threads at the same time: writes a piece at
 * its offset in the file. Together, the pieces leave no gap. REQUIRES: the file is seekable. */
nd_status nd_output_file_write_at(nd_output_file *file, const void *bytes, size_t size,
                                  uint64_t offset, nd_error *error);
/* Whether the bytes are compressed; and ends a gzip member or a Zstandard frame, as
 * nd_stream_out_end_member does. */
bool nd_output_file_is_compressed(const nd_output_file *file);
nd_status nd_output_file_end_member(nd_output_file *file, nd_error *error);
/* Ends the stream. All bytes are then with the system, under the temporary name. */
nd_status nd_output_file_finish(nd_output_file *file, nd_error *error);
/* Makes the bytes durable. */
nd_status nd_output_file_sync(nd_output_file *file, nd_error *error);
/* Gives the file its name, with the access rights of the file that it replaces. The old file is
 * kept under another name. */
nd_status nd_output_file_name(nd_output_file *file, nd_error *error);
/* Makes that name durable. */
nd_status nd_output_file_sync_name(nd_output_file *file, nd_error *error);
/* Takes the name back and restores the old file, if there was one. */
void nd_output_file_roll_back(nd_output_file *file);
/* Keeps the new file, and removes the old one. */
void nd_output_file_accept(nd_output_file *file);
/* Bytes written so far, also by another writer. */
uint64_t nd_output_file_size(const nd_output_file *file);
/* Frees. A file that was not accepted leaves no trace, and the old file is restored. NULL is
 * accepted. */
void nd_output_file_free(nd_output_file *file);

#endif
