/* Reads the records of a corpus in blocks, in the order of input.
 *
 * One thread at a time reads the next block, under a lock inside the corpus. Reading a block only
 * cuts it into records. Slow work, such as parsing JSON or reading the files of a directory, is
 * left to the threads that asked for blocks. */
#ifndef ND_CORPUS_BLOCK_READER_H
#define ND_CORPUS_BLOCK_READER_H

#include "corpus/corpus.h"

/* Most records of a block. */
enum { ND_BLOCK_RECORDS = ND_LIMIT(4096, 5) };

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

/* Zero-initialised, reused from block to block, and freed by nd_block_free. */
typedef struct nd_block {
    uint64_t number; /* from 0, in the order of input */
    size_t source;
    char *bytes; /* with ND_JSON_PADDING readable bytes behind the last one */
    size_t size, capacity;
    nd_raw_record *records;
    size_t count, record_capacity; /* count 0: the source ended with blank lines only */
    bool end;                      /* nothing is left to read; count is 0 */
    bool holds_gate;               /* one of its records is large */
    char *broken; /* not NULL, only if errors are skipped: the source failed behind this block's
                     records, with this message */
    uint64_t input_bytes; /* bytes read for this block, after decompression; 0 for a directory: the
                             caller counts the texts */
} nd_block;

/* Reads the next block. Any number of threads may call it at the same time. After a failure the
 * block still has its number in the order, and later calls return the end. */
nd_status nd_corpus_next_block(nd_corpus *corpus, nd_block *block, nd_error *error);

/* Ends the work on the block's large record, if it has one. */
void nd_block_release(nd_corpus *corpus, nd_block *block);
void nd_block_free(nd_corpus *corpus, nd_block *block);

#endif
