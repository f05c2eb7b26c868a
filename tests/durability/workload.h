/* A run of operations on an index, and a record of the content that the index must have: a row
 * before and after each operation. Notes in the recording (system_note) give the newest
 * acknowledged operation and the newest that has begun. */
#ifndef ND_TESTS_WORKLOAD_H
#define ND_TESTS_WORKLOAD_H

#include "durability/documents.h"

enum { STEPS = 400 };

typedef struct history {
    row rows[STEPS];
    size_t acknowledged, begun;
} history;

/* Creates "x" and changes it. If an operation fails by a fault, the fault is healed and the index
 * is opened again. It must then have the content after one of the operations that were not
 * acknowledged. Returns whether an operation failed. */
bool workload_run(history *h, uint64_t seed, size_t operations);

/* Makes a small index "x" with everything that an index may have: two segments (of fingerprints
 * only with small limits), their removed documents in a file and in the log, and documents in the
 * log. */
void workload_small(bool sketch_only, row *out);

/* Opens and checks the index, and finds which row it has, *out. Any failure fails the test, except
 * that an index that need not exist may fail to open. *index NULL: it is closed again. */
void workload_open(const char *path, nd_index_mode mode, const row *rows, size_t count, row *out,
                   either_index **index);

#endif
