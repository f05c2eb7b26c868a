/* Files by descriptor: whole reads and writes at a place, with interrupted and short calls
 * continued, and files without a name. The one seam between the library's own storage and the
 * system. */
#ifndef ND_IO_FILE_H
#define ND_IO_FILE_H

#include "base/alloc.h"
#include "base/status.h"

#include <sys/types.h>

/* open() and openat(), tried again when a signal interrupts them. The descriptor is closed in
 * programs that are started, and it is never 0, 1 or 2, even where the process was started without
 * these: otherwise a message to standard error could end up in a file of data. -1: errno says why.
 */
int nd_open(const char *path, int flags, mode_t mode);
int nd_open_at(int directory, const char *path, int flags, mode_t mode);
/* A second descriptor of the same open file, in the same way. */
int nd_duplicate(int fd);

/* Reads exactly `size` bytes at `offset`; fewer is ND_ERR_IO ("NAME: changed while it was read").
 */
nd_status nd_file_read_at(int fd, void *buffer, size_t size, uint64_t offset, const char *name,
                          nd_error *error);
nd_status nd_file_write_at(int fd, const void *bytes, size_t size, uint64_t offset,
                           const char *name, nd_error *error);

/* A new file for reading and writing; one that is there is an error. */
nd_status nd_file_create(const char *path, int *fd, nd_error *error);
/* An existing one. Reading only, or writing too. Does not wait where it is a pipe. */
nd_status nd_file_open(const char *path, bool write, int *fd, nd_error *error);
/* ND_ERR_CORRUPT: no regular file. */
nd_status nd_file_size(int fd, uint64_t *size, const char *name, nd_error *error);
/* Cuts off, or extends with zeros. */
nd_status nd_file_resize(int fd, uint64_t size, const char *name, nd_error *error);
/* Writing past the system's cache, where the file system can: whole blocks of ND_FILE_BLOCK bytes
 * at such places, out of memory aligned to it. The cache then stays with what is read. Without
 * effect where it cannot. */
enum { ND_FILE_BLOCK = 4096 };
void nd_file_write_past_cache(int fd, bool past);
/* The system may begin to write these bytes to the disk: what is left for the sync is less. No
 * promise. */
void nd_file_write_back(int fd, uint64_t offset, size_t size);
/* Makes the bytes durable. What the system has after a failure is not known: it is never tried
 * again. */
nd_status nd_file_sync(int fd, const char *name, nd_error *error);

/* The whole of a file of `size` > 0 bytes as memory that is read only, until it is given back. The
 * descriptor may be closed before. */
nd_status nd_file_map(int fd, uint64_t size, const char *name, const unsigned char **bytes,
                      nd_error *error);
/* Asks for large pages (2 MiB) where the system has them for files: reads here and there wait less
 * for addresses to be translated, an eighth of the time of Hamming search in a gigabyte. What is
 * not in memory is then read in such pieces, so this is done for files of at most half of the
 * machine's memory. */
void nd_file_use_large_pages(const unsigned char *bytes, uint64_t size);
void nd_file_unmap(const unsigned char *bytes, uint64_t size);

/* Closes; -1 is accepted. */
void nd_file_close(int fd);
/* Removes a file's name; one that is not there is fine. */
nd_status nd_file_remove(const char *path, nd_error *error);
/* Makes a directory, durable in its parent; one that is there is fine, and *made false then. */
nd_status nd_directory_create(const char *path, bool *made, const nd_allocator *allocator,
                              nd_error *error);

/* What is still being written has this behind its name, so that a file of the name alone is whole.
 */
#define ND_UNFINISHED ".new"
/* Whether nothing has this name. */
bool nd_name_is_free(const char *path);
/* Gives a file that is whole and durable the name that it is to keep, durable too. ND_ERR_IO:
 * something else has that name, or the system refuses; the file has its old name then, or none. */
nd_status nd_file_name_finally(const char *from, const char *to, const nd_allocator *allocator,
                               nd_error *error);

/* That of the system, for files that are there for a while: TMPDIR, or /tmp. */
const char *nd_temporary_directory(void);

/* A file for reading and writing in `directory` that has no name, so that it is gone when the
 * process ends, however it ends. */
nd_status nd_file_nameless(const char *directory, int *fd, nd_error *error);

/* Makes the names in the directory of `path` durable, after a rename. */
nd_status nd_sync_directory_of(const char *path, const nd_allocator *allocator, nd_error *error);

/* DIRECTORY/NAME, without anybody's memory: for what is cleaned up after memory has ended. False:
 * longer than the system takes. */
enum { ND_PATH_SIZE = 4096 };
bool nd_path_join(char path[ND_PATH_SIZE], const char *directory, const char *name);
/* The directory part of a path ("." when it has none), as a new string of the allocator; NULL: no
 * memory. */
char *nd_path_directory(const nd_allocator *allocator, const char *path);
/* a + b + c as a new string of the allocator; NULL: no memory. */
char *nd_string_join(const nd_allocator *allocator, const char *a, const char *b, const char *c);

#endif
