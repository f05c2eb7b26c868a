/* Document frequencies (how many documents have a feature) of any number of features, in fixed
 * memory: a Count-Min sketch (Cormode and Muthukrishnan, "An improved data stream summary: the
 * count-min sketch and its applications", 2005) of 2 rows of 2^22 counters.
 *
 * A count is never too small. With probability at most e^-2 it is too large by more than e S /
 * 2^22, where S is the sum of all true counts. Counters only grow, so they depend neither on the
 * order of the documents nor on the number of threads.
 *
 * Use in two passes: the first adds documents, on any number of threads; then
 * nd_count_min_prepare_weights is called once; the second computes weights, on any number of
 * threads. Use in a stream, on one thread: nd_count_min_prepare_weights is called after each
 * document. */
#ifndef ND_TERMS_COUNT_MIN_H
#define ND_TERMS_COUNT_MIN_H

#include "base/limits.h"
#include "neardup.h"

enum { ND_COUNT_MIN_ROW_BITS = ND_LIMIT(22, 10) };

typedef struct nd_count_min nd_count_min;

/* Takes 32 MiB. */
nd_status nd_count_min_create(const nd_allocator *allocator, nd_count_min **out, nd_error *error);
/* NULL is accepted. */
void nd_count_min_free(nd_count_min *counts);

/* Adds a document, given by its distinct features. Any number of threads at the same time. A
 * counter stops at 2^32 - 1. */
void nd_count_min_add_document(nd_count_min *counts, const uint64_t *features, size_t count);
/* Adds features that are in times[i] documents each. The caller has added these documents before,
 * by nd_count_min_add_document without features. */
void nd_count_min_add_counts(nd_count_min *counts, const uint64_t *features, const uint32_t *times,
                             size_t count);
/* Keeps the logarithm of the number of documents so far, which nd_count_min_weigh otherwise
 * computes at each call. REQUIRES: no other thread uses the sketch meanwhile. */
void nd_count_min_prepare_weights(nd_count_min *counts);

uint64_t nd_count_min_documents(const nd_count_min *counts);
/* The estimated number of documents that have the feature: never below the true number, never above
 * the number of all documents. */
uint64_t nd_count_min_of(const nd_count_min *counts, uint64_t feature);
/* weights[i] = ln((documents + 1) / (count of features[i] + 1)), to the nearest multiple of 1/4096
 * (nd_idf_units). */
void nd_count_min_weigh(const nd_count_min *counts, const uint64_t *features, size_t count,
                        double *weights);

/* Adds at most ND_COUNT_MIN_BLOCK features, which are in one more document, as
 * nd_count_min_add_counts, without the cost of sharing the sketch. frequencies[i]: nd_count_min_of
 * features[i], then. REQUIRES: no other thread uses the sketch meanwhile. */
enum { ND_COUNT_MIN_BLOCK = 256 };
void nd_count_min_add_and_count(nd_count_min *counts, const uint64_t *features, size_t count,
                                uint32_t *frequencies);
/* The weight of a feature that so many documents have, in units of 1/4096. */
uint32_t nd_count_min_units(const nd_count_min *counts, uint32_t frequency);

/* For storing a sketch and loading it again: the number of counters, the counters [first, first +
 * count), and the number of documents. */
size_t nd_count_min_size(void);
void nd_count_min_read(const nd_count_min *counts, size_t first, size_t count, uint32_t *out);
void nd_count_min_write(nd_count_min *counts, size_t first, size_t count, const uint32_t *from);
void nd_count_min_set_documents(nd_count_min *counts, uint64_t documents);

#endif
