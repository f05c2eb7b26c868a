/* The compressions that streams read and how they are recognised. Streams write gzip and
 * Zstandard. */
#ifndef ND_IO_COMPRESSION_H
#define ND_IO_COMPRESSION_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum nd_compression {
    ND_COMPRESSION_NONE,
    ND_COMPRESSION_GZIP,
    ND_COMPRESSION_ZSTD,
    ND_COMPRESSION_BZIP2,
    ND_COMPRESSION_XZ,
    ND_COMPRESSION_LZ4
} nd_compression;

/* The names of a format and of the library that decodes it, for messages. */
const char *nd_compression_title(nd_compression compression);
const char *nd_compression_library(nd_compression compression);

/* Recognises an input by its first bytes: at most ND_MAGIC_SIZE of them. *enough false: more bytes
 * may tell more. */
enum { ND_MAGIC_SIZE = 10 };
nd_compression nd_compression_of_bytes(const unsigned char *first, size_t known, bool *enough);

/* Chooses that of an output by the end of its name: .gz, .zst, otherwise none. */
nd_compression nd_compression_of_name(const char *path);
/* Rejects the name of an output that ends like that of another compression (.xz, .TGZ), with
 * ND_ERR_ARGUMENT. */
nd_status nd_compression_check_name(const char *name, nd_error *error);

/* A Zstandard decoder keeps a window of the output in memory. The window takes at most this part of
 * the job's memory, rounded down to a power of two; a frame with a larger one is rejected. A job of
 * 1 GiB reads everything that `zstd -22 --ultra` and `--long=27` write, a job of 64 MiB everything
 * that `zstd -19` writes. */
enum { ND_WINDOW_SHARE = 8 };

#endif
