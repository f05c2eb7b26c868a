/* A run of operations on an index, with what it must hold written down as it goes: a row before and
 * after each, and notes in the recording (system_note) of the newest that is acknowledged and the
 * newest that has been begun. */
#ifndef ND_TESTS_WORKLOAD_H
#define ND_TESTS_WORKLOAD_H

#include "durability/documents.h"

enum { STEPS = 400 };

typedef struct history {
    row rows[STEPS];
    size_t acknowledged, begun;
} history;

/* Creates "x" and changes it. Where an operation fails by a fault, that is healed, and the index
 * opened again, which must hold what one of the steps not acknowledged has left. Whether one did.
 */
bool workload_run(history *h, uint64_t seed, size_t operations);

/* Makes a small index "x" with everything that an index may have: two segments (of fingerprints
 * where limits are small), removed documents of them in a file and in the log, documents in the
 * log. */
void workload_small(bool sketch_only, row *out);

/* Opens, checks, and finds one of the rows, *out; any failure but that of opening an index that
 * need not be there fails the test. *index NULL: it is closed again. */
void workload_open(const char *path, nd_index_mode mode, const row *rows, size_t count, row *out,
                   nd_index **index);

#endif
