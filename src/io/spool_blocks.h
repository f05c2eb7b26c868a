/* Reads small pieces of a spool that often lie near each other: what is not in memory is read from
 * the file in blocks, and the last blocks stay. */
#ifndef ND_IO_SPOOL_BLOCKS_H
#define ND_IO_SPOOL_BLOCKS_H

#include "base/limits.h"
#include "io/spool.h"

enum { ND_SPOOL_BLOCK = ND_LIMIT(1 << 12, 64), ND_SPOOL_BLOCKS = ND_LIMIT(128, 3) };

/* One thread's memory: at most ND_SPOOL_BLOCKS blocks, and a piece. Zero-initialised except
 * `spool`, to which nothing is appended any more. */
typedef struct nd_spool_blocks {
    const nd_spool *spool;
    char *bytes;                       /* of all blocks; NULL: none was read */
    uint64_t numbers[ND_SPOOL_BLOCKS]; /* 1 + the number of each block; 0: none */
    char *piece;                       /* that lies in several blocks */
    size_t piece_capacity;
} nd_spool_blocks;

void nd_spool_blocks_free(nd_spool_blocks *blocks);

/* Views a range, which must lie within the spool. Valid until the next call. */
nd_status nd_spool_blocks_view(nd_spool_blocks *blocks, size_t size, uint64_t offset,
                               const char **view, nd_error *error);

#endif
