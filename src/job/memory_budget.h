/* How the memory of a run is divided among its stores: one table (memory_budget.c) with a row per
 * store and a column per phase. A store may take its share from the first phase in which it is
 * listed until its owner frees it; what is beyond goes to temporary files. In each phase the shares
 * sum up to at most 100 percent of what the threads' own buffers leave. */
#ifndef ND_JOB_MEMORY_BUDGET_H
#define ND_JOB_MEMORY_BUDGET_H

#include "base/status.h"

typedef enum nd_memory_store {
    ND_MEMORY_RECORDS,         /* records of pipes, compressed files and callbacks */
    ND_MEMORY_SKETCHES,        /* signatures or fingerprints */
    ND_MEMORY_IDS,             /* ids with their lines */
    ND_MEMORY_ID_ENDS,         /* where each id ends */
    ND_MEMORY_BAND_KEYS,       /* band keys, or hashes of sentences */
    ND_MEMORY_TEXT_HASHES,     /* of each document */
    ND_MEMORY_TEXT_HASH_ORDER, /* documents sorted by text hash */
    ND_MEMORY_ID_HASH_ORDER,   /* documents sorted by hash of the id */
    ND_MEMORY_PRIORITIES,      /* of each document */
    ND_MEMORY_HAMMING_JOIN,    /* tables of the join of fingerprints */
    ND_MEMORY_PAIRS,           /* candidate pairs */
    ND_MEMORY_POSTINGS,        /* members of large buckets */
    ND_MEMORY_VERIFIED,    /* shingle sets of documents that were compared lately, all threads */
    ND_MEMORY_VERDICTS,    /* of removed documents */
    ND_MEMORY_FOUND_PAIRS, /* where all pairs are wanted */
    ND_MEMORY_SEGMENT,     /* keys of the segment that is being written */
    ND_MEMORY_COPY_PAIRS,  /* pairs with exact copies, sorted for the report */
    ND_MEMORY_STORES
} nd_memory_store;

typedef enum nd_memory_phase {
    ND_PHASE_READ,
    ND_PHASE_MATCH,
    ND_PHASE_DECIDE,
    ND_PHASE_WRITE,
    ND_PHASES
} nd_memory_phase;

/* Const once the inputs are open. */
typedef struct nd_memory_budget {
    uint64_t limit;  /* bytes that the caller allows the run */
    uint64_t shared; /* bytes that the table divides: the limit without the threads' own buffers,
                        the window of a Zstandard input, and `sets` */
    uint64_t sets;   /* bytes for packed shingle sets, with an index; else 0 */
} nd_memory_budget;

/* The least limit of a run, bytes. */
#define ND_MEMORY_LEAST (UINT64_C(64) << 20)

/* ND_ERR_ARGUMENT: the limit is below the least. */
nd_status nd_memory_check(uint64_t limit, nd_error *error);

/* *threads is lowered where each thread would find no memory. */
nd_memory_budget nd_memory_budget_make(uint64_t limit, uint32_t *threads);
/* Half of what is shared goes to packed sets from now on. */
void nd_memory_reserve_sets(nd_memory_budget *budget);

/* Bytes that a store may take, at least 4 KiB. */
size_t nd_memory_share(const nd_memory_budget *budget, nd_memory_store store);

/* The table: percent of a store in a phase. */
unsigned nd_memory_percent(nd_memory_store store, nd_memory_phase phase);

#endif
