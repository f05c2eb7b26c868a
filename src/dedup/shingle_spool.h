/* The shingles of documents that will likely be compared, from reading to deciding, so that their
 * texts need not be read, parsed and analysed again. They are in a temporary file.
 *
 * Nothing depends on which documents are here: the text of any other one is read again. So if the
 * file cannot be written, for instance because the disk is full, the run does without it.
 *
 * Each thread fills regions of its own. A reader that goes through documents in the order of input
 * reads regions from front to back, in large pieces. */
#ifndef ND_DEDUP_SHINGLE_SPOOL_H
#define ND_DEDUP_SHINGLE_SPOOL_H

#include "base/alloc.h"
#include "io/temp_space.h"

typedef struct nd_shingle_spool nd_shingle_spool;

/* `disk` must outlive the spool. `memory`: most bytes of the table of documents, without a 16th of
 * a byte for each document of the run; no document is entered into a full table. */
nd_status nd_shingle_spool_create(const nd_allocator *allocator, nd_temp_space *disk, size_t memory,
                                  nd_shingle_spool **out, nd_error *error);
/* NULL is accepted. */
void nd_shingle_spool_free(nd_shingle_spool *spool);

/* Where the shingles of a document are. */
typedef struct nd_shingle_range {
    uint32_t begin; /* in the file, in shingles */
    uint32_t count; /* 0: they are not in the spool */
} nd_shingle_range;

/* ---- writing */

/* One thread's memory. Zero-initialised except `spool`. */
typedef struct nd_shingle_writer {
    nd_shingle_spool *spool;
    uint64_t *region;
    uint64_t begin;    /* where the region begins in the file, in shingles */
    size_t used, left; /* shingles of the region */
} nd_shingle_writer;

/* Writes the shingles of a document. The range is of none if the document has very many, or if
 * writing is over: the file is full or has failed. */
nd_shingle_range nd_shingle_writer_add(nd_shingle_writer *writer, const uint64_t *shingles,
                                       size_t count);
/* Called after the last document. Frees the writer's memory. */
void nd_shingle_writer_end(nd_shingle_writer *writer);

/* Enters a document into the table. Documents come in ascending order; one thread at a time. */
nd_status nd_shingle_spool_enter(nd_shingle_spool *spool, uint32_t document, nd_shingle_range range,
                                 nd_error *error);
/* Called after all writers have ended, before the first reader. */
void nd_shingle_spool_finish(nd_shingle_spool *spool);

/* ---- reading */

/* One thread's memory. Zero-initialised except `spool`. */
typedef struct nd_shingle_reader {
    const nd_shingle_spool *spool; /* NULL: nothing is found */
    uint64_t *piece;               /* shingles [begin, end) of the file */
    uint64_t begin, end;
    size_t capacity;
} nd_shingle_reader;

/* Reads the shingles of a document, in the order of its text, with repeats. *shingles is NULL if
 * the spool does not have them; else it is valid until the next call, and the caller may reorder
 * them, and put others of them in the place of repeats. Quickest if documents ascend. */
nd_status nd_shingle_reader_find(nd_shingle_reader *reader, uint32_t document, uint64_t **shingles,
                                 size_t *count, nd_error *error);
void nd_shingle_reader_free(nd_shingle_reader *reader);

/* Gives the disk back before the spool is freed. From now on nothing is found in it. Called while
 * no thread reads. NULL is accepted. */
void nd_shingle_spool_empty(nd_shingle_spool *spool);

#endif
