/* A block: raw records that follow each other in one source, and their bytes. */
#ifndef ND_CORPUS_BLOCK_H
#define ND_CORPUS_BLOCK_H

#include "base/alloc.h"
#include "base/limits.h"
#include "io/stream_in.h"

#include <pthread.h>

/* A block ends when it has ND_BLOCK_BYTES or ND_BLOCK_RECORDS. That is enough work to be worth
 * taking a lock, and few enough bytes to stay in the processor's cache. A claimed one
 * (line_claims.h) may have some more records. One of a live input has at most ND_LIVE_RECORDS: what
 * a stream makes of them is still in the processor's second cache when it adds them. */
enum {
    ND_BLOCK_BYTES = ND_LIMIT(1 << 20, 1000),
    ND_BLOCK_RECORDS = ND_LIMIT(4096, 5),
    ND_LIVE_RECORDS = ND_LIMIT(32, 5)
};

typedef struct nd_raw_record {
    size_t start, length; /* in the block's bytes */
    uint64_t offset;      /* in its file or in the spool (nd_record_reader_fetch) */
    uint64_t line;   /* from 1; for WARC, Parquet, a callback or a directory: the record's number */
    uint64_t size;   /* of a directory: bytes of the text; otherwise bytes of the record; 0: it
                        is too long, and its end has not been read yet */
    double priority; /* of a callback's record, or of a row of Parquet; NAN: none */
    size_t id_start, id_length;       /* their id in the block's bytes; id_start SIZE_MAX: none */
    size_t label_start, label_length; /* the same of their labels */
    bool is_protected;                /* of a callback's record, or of a row of Parquet */
    bool too_long;                    /* it is over max_record; the block does not have its bytes */
    const char *fault;                /* why it cannot be parsed, static; NULL: it can be tried */
} nd_raw_record;

/* Bytes of a file that are whole lines. */
typedef struct nd_block_claim {
    nd_stream_in *stream;
    uint64_t number; /* among the claims */
    uint64_t offset;
    size_t size; /* 0: nothing is claimed */
} nd_block_claim;

/* Zero-initialised, reused from block to block, and freed by nd_block_free. */
typedef struct nd_block {
    uint64_t number; /* from 0, in the order of input */
    size_t source;
    char *bytes; /* with ND_JSON_PADDING readable bytes behind the last one */
    size_t size, capacity;
    nd_raw_record *records;
    size_t count, record_capacity; /* count 0: its lines are blank */
    size_t most;                   /* records */
    nd_block_claim claim;          /* of its bytes (line_claims.h) */
    bool more;                     /* of a live input: another document can be read at once */
    bool end;                      /* nothing is left to read; count is 0 */
    pthread_mutex_t *gate;         /* held, because one of its records is large; NULL: none is */
    char *broken; /* not NULL, only if errors are skipped: the source failed behind this block's
                     records, with this message */
    uint64_t input_bytes; /* bytes read for this block, after decompression; 0 for a directory: the
                             caller counts the texts */
} nd_block;

bool nd_block_is_full(const nd_block *block);
nd_status nd_block_add_record(nd_block *block, const nd_allocator *allocator, nd_raw_record record,
                              nd_error *error);
/* Appends bytes, and keeps room for the padding behind them. */
nd_status nd_block_add_bytes(nd_block *block, const nd_allocator *allocator, const void *bytes,
                             size_t size, nd_error *error);

/* Begins the work on a large record: others wait for the gate until nd_block_release. */
void nd_block_hold_gate(nd_block *block, pthread_mutex_t *gate);
/* Ends the work on the block's large record, if it has one. */
void nd_block_release(nd_block *block, const nd_allocator *allocator);
void nd_block_free(nd_block *block, const nd_allocator *allocator);

#endif
