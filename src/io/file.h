/* Files by descriptor: whole reads and writes at an offset, durable names, and files without a
 * name. Interrupted and short system calls are continued. The library's own storage reaches the
 * operating system only here. Thread-safe. */
#ifndef ND_IO_FILE_H
#define ND_IO_FILE_H

#include "base/alloc.h"
#include "base/status.h"

#include <sys/types.h>

/* open() and openat(), tried again if a signal interrupts them. The descriptor is closed by exec.
 * It is never 0, 1 or 2, even if the process was started without those: otherwise a message to
 * standard error could end up in a data file. -1: errno says why. */
int nd_open(const char *path, int flags, mode_t mode);
int nd_open_at(int directory, const char *path, int flags, mode_t mode);
/* A second descriptor of the same open file, with the same guarantees. */
int nd_duplicate(int fd);

/* Reads or writes exactly `size` bytes at `offset`. A file that ends earlier is ND_ERR_IO ("NAME:
 * changed while it was read"). */
nd_status nd_file_read_at(int fd, void *buffer, size_t size, uint64_t offset, const char *name,
                          nd_error *error);
nd_status nd_file_write_at(int fd, const void *bytes, size_t size, uint64_t offset,
                           const char *name, nd_error *error);

/* Creates a file for reading and writing. An existing file is an error. */
nd_status nd_file_create(const char *path, int *fd, nd_error *error);
/* Opens an existing file. Does not wait if it is a pipe. */
typedef enum nd_open_mode { ND_OPEN_READ, ND_OPEN_READ_WRITE } nd_open_mode;
nd_status nd_file_open(const char *path, nd_open_mode mode, int *fd, nd_error *error);
/* ND_ERR_CORRUPT: not a regular file. */
nd_status nd_file_size(int fd, uint64_t *size, const char *name, nd_error *error);
/* Truncates the file, or extends it with zeros. */
nd_status nd_file_resize(int fd, uint64_t size, const char *name, nd_error *error);
/* From now on writes bypass the page cache, so that the cache keeps the files that are read.
 * Offset, size and memory address of each write must be multiples of ND_FILE_BLOCK. No effect if
 * the file system cannot do it. */
enum { ND_FILE_BLOCK = 4096 };
void nd_file_bypass_cache(int fd);
/* Ends that. */
void nd_file_use_cache(int fd);
/* Asks the system to start writing these bytes to disk now, which leaves less work for the sync.
 * It promises nothing. */
void nd_file_write_back(int fd, uint64_t offset, size_t size);
/* Makes the bytes durable. After a failure it is unknown which bytes are on disk, and another sync
 * may succeed without writing them: a failed sync is never tried again. */
nd_status nd_file_sync(int fd, const char *name, nd_error *error);

/* Maps a whole file of `size` > 0 bytes, read-only, until nd_file_unmap. The descriptor may be
 * closed before that. */
nd_status nd_file_map(int fd, uint64_t size, const char *name, const unsigned char **bytes,
                      nd_error *error);
/* Asks for large pages (2 MiB) if the system has them for files. Random reads then wait less for
 * address translation: Hamming search in a gigabyte takes an eighth less time. Each page that is
 * not in memory is then read as a whole. */
void nd_file_use_large_pages(const unsigned char *bytes, uint64_t size);
/* Asks the system to read no pages around those that are used. For bytes that are read at random.
 */
void nd_file_expect_random(const unsigned char *bytes, uint64_t size);
void nd_file_unmap(const unsigned char *bytes, uint64_t size);

/* Closes; -1 is accepted. */
void nd_file_close(int fd);
/* Removes a file's name. A missing file is no error. */
nd_status nd_file_remove(const char *path, nd_error *error);
/* Makes a directory, durable in its parent. If it exists already, *made is false. */
nd_status nd_directory_create(const char *path, bool *made, const nd_allocator *allocator,
                              nd_error *error);

/* Appended to the name of a file while it is being written. So a file without it is complete. */
#define ND_UNFINISHED ".new"
/* Whether nothing has this name. */
bool nd_name_is_free(const char *path);
/* Renames a complete and durable file to its final name, durably. ND_ERR_IO: the name is in use, or
 * the system refuses; the file then has its old name, or none. */
nd_status nd_file_name_finally(const char *from, const char *to, const nd_allocator *allocator,
                               nd_error *error);

/* The system's directory for temporary files: TMPDIR, or /tmp. */
const char *nd_temporary_directory(void);

/* Creates a file without a name in `directory`, for reading and writing. It disappears when the
 * process ends, however it ends. */
nd_status nd_file_nameless(const char *directory, int *fd, nd_error *error);

/* Makes the names in the directory of `path` durable, after a rename. */
nd_status nd_sync_directory_of(const char *path, const nd_allocator *allocator, nd_error *error);

/* Writes DIRECTORY/NAME into the caller's buffer: cleaning up after an out-of-memory error must not
 * allocate. False: the path is longer than the system allows. */
enum { ND_PATH_SIZE = 4096 };
bool nd_path_join(char path[ND_PATH_SIZE], const char *directory, const char *name);
/* The directory part of a path ("." if it has none) as a new string; NULL: out of memory. */
char *nd_path_directory(const nd_allocator *allocator, const char *path);
/* a + b + c as a new string; NULL: out of memory. */
char *nd_string_join(const nd_allocator *allocator, const char *a, const char *b, const char *c);

#endif
