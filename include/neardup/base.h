/* Status, error, allocator, version. neardup.h has the conventions of all headers. */
#ifndef NEARDUP_BASE_H
#define NEARDUP_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ND_VERSION_MAJOR 0
#define ND_VERSION_MINOR 1
#define ND_VERSION_PATCH 0

/* Version of the Unicode tables of every analyzer. */
#define ND_UNICODE_VERSION "15.0.0"

#if defined(__GNUC__)
#define ND_API __attribute__((visibility("default")))
#define ND_MUST_CHECK __attribute__((warn_unused_result))
#else
#define ND_API
#define ND_MUST_CHECK
#endif

typedef enum nd_status {
    ND_OK = 0,
    ND_ERR_ARGUMENT,    /* an argument is out of range: the message names it and the range */
    ND_ERR_MEMORY,      /* the allocator returned NULL, or a size overflows */
    ND_ERR_IO,          /* a system call failed: the message has the path and the system's reason */
    ND_ERR_INPUT,       /* bad data: the message has the file and line, or the byte */
    ND_ERR_UNSUPPORTED, /* a library that is needed is missing: the message names it */
    ND_ERR_CANCELLED,   /* a callback asked to stop */
    ND_ERR_CORRUPT,     /* a file of an index or a stream is damaged: the message names it */
    ND_ERR_BUSY         /* another process, or a running job, changes the index */
} nd_status;

/* The caller owns it. A call that succeeds does not touch it. A call that fails sets both members.
 * The message is one printable line (nd_printable): unprintable bytes of ids, paths and texts are
 * escaped. A message that is too long loses its middle, so that its place and its reason stay. The
 * system's reasons are in English in every locale. */
typedef struct nd_error {
    nd_status status;
    char message[1000];
} nd_error;

/* Turns any bytes, such as an id in a warning, into one line that a terminal prints safely. Control
 * characters (C0, DEL, C1), line and paragraph separators (U+2028, U+2029) and bidirectional
 * controls could move the cursor, forge lines or reverse text. They are escaped: \n \r \t \x1b
 * \u0085 \u202e. Each byte that is not UTF-8 becomes an escape such as \xff. A backslash is not
 * escaped, so a printable line stays the same.
 *
 * `length` and `size` are bytes. Writes at most `size` bytes to `out`, the NUL included; `out` must
 * not overlap `text`. A longer line keeps its first and its last characters, with " ... " between
 * them; if `size` is 12 or less, only its first. Returns the bytes written, without the NUL.
 * O(length). */
ND_API size_t nd_printable(const char *text, size_t length, char *out, size_t size);

/* Returns "0.1.0", a static string. */
ND_API const char *nd_version(void);

/* Returns the optional libraries that can be used, separated by spaces, such as "simdjson isa-l
 * brotli icu libcrypto libstemmer zlib zstd"; "" if there are none. The string is static. A build
 * decides which there are, but one with ND_WITH_ICU=LOAD has "icu" only where ICU can be loaded:
 * this call, or the first one that needs ICU, loads it. */
ND_API const char *nd_features(void);

/* Returns the instruction set that the kernels use: "generic", "avx2", "avx512" or "neon". The
 * string is static. The environment variable ND_DISABLE_CPU, a list of these names with commas,
 * disables sets; the process reads it once. */
ND_API const char *nd_instruction_set(void);

/* Writes `size` bytes to a file, as every job writes its outputs. A regular file, or a new one,
 * appears as a whole or not at all: the bytes go to a temporary file beside it, which is synced and
 * renamed; then the directory is synced. The new file keeps the permissions of the old one, without
 * the set-user-ID and set-group-ID bits. A symbolic link stays, and its target is replaced. "-" is
 * standard output. Standard output, /dev/fd/N, a device and a pipe are written in place.
 *
 * A name that ends in .gz or .zst selects compression. ND_ERR_ARGUMENT: `path` is NULL or empty, or
 * its ending names another compression (.xz). ND_ERR_UNSUPPORTED: this build lacks zlib or zstd.
 * ND_ERR_IO: the old file is unchanged. `bytes` may be NULL if `size` is 0. O(size). */
ND_API ND_MUST_CHECK nd_status nd_write_file(const char *path, const void *bytes, size_t size,
                                             nd_error *error);

/* The caller's memory functions. They behave as malloc, realloc and free, and are thread-safe. */
typedef struct nd_allocator {
    void *context; /* the first argument of each call; may be NULL */
    void *(*allocate)(void *context, size_t size);
    void *(*reallocate)(void *context, void *memory, size_t size);
    void (*release)(void *context, void *memory);
} nd_allocator;

#ifdef __cplusplus
}
#endif
#endif
