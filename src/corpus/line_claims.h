/* Lets several threads read the lines of one file at the same time.
 *
 * Reading is most of the work that the block reader does under its lock. So a thread only claims
 * the bytes of its block there, which are whole lines: their end is found by reading backwards to a
 * newline. It reads and cuts them outside of the lock. To number them, each thread waits until the
 * lines of all claims before its own are counted.
 *
 * The beginning of a file, its last lines, and lines longer than a block are the block reader's. */
#ifndef ND_CORPUS_LINE_CLAIMS_H
#define ND_CORPUS_LINE_CLAIMS_H

#include "corpus/block.h"

#include <pthread.h>

/* Of the file that is read now. */
typedef struct nd_line_claims {
    /* Guarded by the lock of the block reader. */
    bool open;       /* claims follow each other */
    uint64_t count;  /* claims since they began */
    uint64_t offset; /* the end of the latest one */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Guarded by `lock`. */
    uint64_t counted; /* claims whose lines are counted */
    uint64_t line;    /* the last line of these */
    size_t size;      /* most bytes of the next claim; 0: not known */
    bool broken;      /* one of them cannot be read: the rest of the file is left out */
} nd_line_claims;

void nd_line_claims_init(nd_line_claims *claims);
void nd_line_claims_free(nd_line_claims *claims);

/* Tells that a block was read of so many bytes with so many records: the next claims are to have
 * nearly as many records as a block may have. */
void nd_line_claims_learn(nd_line_claims *claims, uint64_t bytes, size_t records);

/* Begins with the line behind `line`, at an offset of the file. REQUIRES: the claims are not open.
 */
void nd_line_claims_begin(nd_line_claims *claims, uint64_t offset, uint64_t line);
/* Claims the next lines, which end at `end` of the file or before. False: none of them ends within
 * a block, or the last bytes cannot be read. */
bool nd_line_claims_take(nd_line_claims *claims, nd_stream_in *stream, uint64_t end,
                         nd_block *block);
/* Reads and cuts the lines that were claimed for a block; one of more than `max_record` bytes is
 * too long. Called once for each claim, without the lock of the block reader. After the first
 * failure the blocks behind it have no records. */
nd_status nd_line_claims_read(nd_line_claims *claims, const nd_allocator *allocator,
                              uint64_t max_record, nd_block *block, nd_error *error);
/* Waits until all claims are counted, and closes them. *broken: one of them has failed. */
void nd_line_claims_end(nd_line_claims *claims, uint64_t *line, bool *broken);

#endif
