/* The true duplicates of a sample: reads all documents again and compares each exactly, as a set of
 * shingles, with every document of the sample. Sketches and candidates play no part in it. */
#ifndef ND_DEDUP_TRUE_PAIRS_H
#define ND_DEDUP_TRUE_PAIRS_H

#include "dedup/audit_sample.h"
#include "dedup/columns.h"
#include "io/external_sort.h"
#include "similarity/overlap_index.h"

/* Which pairs are pushed.
 *
 * ND_TRUE_PAIRS_ALL      All.
 * ND_TRUE_PAIRS_NEAREST  At least the most similar pairs of each probe with documents before it,
 *                        and with documents behind it, all of them if several are equal; others
 *                        depend on the threads. Comparing takes a fraction of the time if documents
 *                        have many neighbours. */
typedef enum nd_true_pairs_wanted {
    ND_TRUE_PAIRS_ALL = 0,
    ND_TRUE_PAIRS_NEAREST
} nd_true_pairs_wanted;

typedef struct nd_true_pairs_request {
    const nd_run *run;
    const nd_analyzer_options *analyzer; /* makes the shingles */
    nd_overlap_settings settings;        /* which pairs are true */
    const nd_columns *columns;
    const nd_fates *fates; /* which documents are copies; these are left out */
    const nd_audit_sample *sample;
    nd_true_pairs_wanted wanted;
} nd_true_pairs_request;

/* The part of a probe in the sorters below. */
static inline size_t nd_probe_part(size_t probe) { return probe / 4; }

/* A sorter of pairs of probes and documents. Each record begins with probe << 32 | document. */
nd_status nd_probe_sorter_create(const nd_run *run, const nd_audit_sample *sample, unsigned words,
                                 nd_external_sort **out, nd_error *error);

/* Pushes pairs of a probe and another document whose similarity reaches the threshold, as
 * ND_TRUE_PAIR_WORDS words: behind the first one, intersection << 32 | union, and the size of the
 * smaller set. A pair of two probes comes twice. */
enum { ND_TRUE_PAIR_WORDS = 3 };
nd_status nd_find_true_pairs(const nd_true_pairs_request *request, nd_external_sort *pairs,
                             nd_error *error);

#endif
