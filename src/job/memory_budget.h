/* Divides the memory of a run among its stores, by one table (memory_budget.c) with a row per store
 * and a column per phase. A store may take its share from the first phase in which it is listed
 * until its owner frees it; data beyond the share goes to temporary files. In each phase the shares
 * sum up to at most 100 percent of the memory that the threads' own buffers leave. */
#ifndef ND_JOB_MEMORY_BUDGET_H
#define ND_JOB_MEMORY_BUDGET_H

#include "base/status.h"

typedef enum nd_memory_store {
    ND_MEMORY_RECORDS,         /* records of pipes, compressed files and callbacks */
    ND_MEMORY_SKETCHES,        /* signatures, fingerprints, digests or anchors */
    ND_MEMORY_IDS,             /* ids with their lines */
    ND_MEMORY_ID_ENDS,         /* the offset at which each id ends */
    ND_MEMORY_BAND_KEYS,       /* band keys, or hashes of sentences */
    ND_MEMORY_TEXT_HASHES,     /* text hash of each document */
    ND_MEMORY_TEXT_HASH_ORDER, /* documents sorted by text hash */
    ND_MEMORY_ID_HASH_ORDER,   /* documents sorted by hash of the id */
    ND_MEMORY_PRIORITIES,      /* priority of each document */
    ND_MEMORY_CLASSES,         /* classes of each document */
    ND_MEMORY_REPEATS,         /* filter that guesses which documents will be compared */
    ND_MEMORY_SHINGLES,        /* where the shingles of these documents are */
    ND_MEMORY_HAMMING_JOIN,    /* tables for joining fingerprints, or of anchors or digests */
    ND_MEMORY_PAIRS,           /* candidate pairs */
    ND_MEMORY_POSTINGS,        /* members of large buckets */
    ND_MEMORY_VERIFIED,        /* shingle sets of recently compared documents, of all threads */
    ND_MEMORY_VERDICTS,        /* verdicts of removed documents */
    ND_MEMORY_FOUND_PAIRS,     /* found pairs, if all pairs are wanted */
    ND_MEMORY_SEGMENT,         /* keys of the segment that is written */
    ND_MEMORY_MARKS,           /* marks of rows of Parquet */
    ND_MEMORY_COPY_PAIRS,      /* pairs with exact copies, sorted for the report */
    ND_MEMORY_STORES
} nd_memory_store;

typedef enum nd_memory_phase {
    ND_PHASE_READ,
    ND_PHASE_MATCH,
    ND_PHASE_DECIDE,
    ND_PHASE_WRITE,
    ND_PHASES
} nd_memory_phase;

/* The budget of a run. Const once the inputs are open. */
typedef struct nd_memory_budget {
    uint64_t limit;  /* bytes that the caller allows for the run */
    uint64_t shared; /* bytes that the table divides: the limit without the threads' own buffers,
                        the window of a Zstandard input, and `sets` */
    uint64_t sets;   /* bytes for packed shingle sets, with an index; else 0 */
} nd_memory_budget;

/* The least limit of a run, in bytes. */
#define ND_MEMORY_LEAST (UINT64_C(64) << 20)

/* ND_ERR_ARGUMENT: the limit is below the least. */
nd_status nd_memory_check(uint64_t limit, nd_error *error);

/* Makes the budget. Lowers *threads if the limit does not hold the buffers of so many threads. */
nd_memory_budget nd_memory_budget_make(uint64_t limit, uint32_t *threads);
/* Moves half of the shared bytes to packed sets. */
void nd_memory_reserve_sets(nd_memory_budget *budget);

/* Returns the bytes that a store may take, at least 4 KiB. */
size_t nd_memory_share(const nd_memory_budget *budget, nd_memory_store store);

/* Returns the table's entry: the percentage of a store in a phase. */
unsigned nd_memory_percent(nd_memory_store store, nd_memory_phase phase);

#endif
