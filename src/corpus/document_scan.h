/* One reading of all documents of a corpus, on several threads, with results in the order of input.
 *
 * A worker takes the next block of records, parses it, and maps each document into a batch. Batches
 * are emitted in the order of input, one at a time. A batch that is finished early waits. The
 * worker that finishes the next batch in order emits it, and then all batches waiting behind it.
 * Emitting is the serial part of a scan. The work on a batch that only needs to know its place, and
 * not to wait for its turn, is left to settling: a worker settles a batch before it fills it again,
 * and at the end. There are ND_BATCHES_PER_THREAD batches per thread, which bounds the memory.
 *
 * A bad record ends the scan. Where the corpus skips errors it is warned of, counted and left out
 * instead. */
#ifndef ND_CORPUS_DOCUMENT_SCAN_H
#define ND_CORPUS_DOCUMENT_SCAN_H

#include "base/warning.h"
#include "corpus/document_id.h"

enum { ND_BATCHES_PER_THREAD = 2 };

/* A document with its source and record. Valid during the call of `map`. */
typedef struct nd_scan_item {
    const nd_document *document;
    const nd_source *source;
    const nd_raw_record *record;
} nd_scan_item;

/* The functions that process the documents.
 *
 *   plan     settings; const during the scan; every worker reads it
 *   result   the result of the scan; only emit and combine write it
 *   worker   one thread's own memory
 *   batch    results of one block; passes from its worker to emit; reused from block to block
 *
 * map runs on all threads, and so does complete, once per block, after its last map. emit runs on
 * one thread at a time, in the order of input. settle runs once per emitted batch, on any thread,
 * beside all other functions. combine runs once per worker after its last map and settle, one at a
 * time, in any order: every order must give the same result. If create_worker or a later step
 * failed, the worker passed to destroy_worker may be NULL or incomplete. */
typedef struct nd_scan_stage {
    const void *plan;
    void *result;
    nd_status (*create_worker)(const void *plan, void **worker, nd_error *error); /* NULL: none */
    /* ND_ERR_INPUT: the text is not acceptable; its record is treated as a bad record, and the
     * batch must be as it was before the call. */
    nd_status (*map)(const void *plan, void *worker, void *batch, const nd_scan_item *item,
                     nd_error *error);
    /* NULL: nothing is left to do. */
    nd_status (*complete)(const void *plan, void *worker, void *batch, nd_error *error);
    nd_status (*combine)(void *result, void *worker, nd_error *error); /* NULL: nothing to merge */
    void (*destroy_worker)(const void *plan, void *worker);            /* NULL: none */
    /* Bytes of a batch, zeros at first. 0: no batches, and the functions below are NULL. */
    size_t batch_size;
    void (*reset)(void *batch);
    nd_status (*emit)(void *result, void *batch, const nd_block *block, nd_error *error);
    nd_status (*settle)(const void *plan, void *worker, void *batch, nd_error *error); /* or NULL */
    void (*destroy_batch)(const void *plan, void *batch);
} nd_scan_stage;

/* The resources of a scan. The pointers outlive it. */
typedef struct nd_scan_means {
    nd_allocator allocator;
    uint32_t threads;
    nd_progress *progress; /* called with ND_STAGE_READ */
    nd_warnings warnings;
} nd_scan_means;

typedef struct nd_scan_counts {
    uint64_t documents;
    uint64_t with_id, with_priority; /* documents that have these fields */
    uint64_t input_bytes;            /* after decompression; for directories: bytes of the texts */
    uint64_t text_bytes;
    uint64_t skipped; /* bad records */
    uint64_t binary;  /* files of directories that are no texts */
} nd_scan_counts;

/* Scans the corpus. *counts is written even if the scan fails. If several documents fail, the
 * failure that comes first in the order of input is returned. */
nd_status nd_document_scan(nd_corpus *corpus, const nd_scan_means *means,
                           const nd_scan_stage *stage, nd_scan_counts *counts, nd_error *error);

#endif
