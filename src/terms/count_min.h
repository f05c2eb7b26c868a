/* How many documents have a feature, of any number of features in fixed memory: a Count-Min table
 * (Cormode and Muthukrishnan, "An improved data stream summary: the count-min sketch and its
 * applications", 2005) of 2 rows of 2^22 counters. A count is never too small; it is too great by
 * more than e S / 2^22, S being the sum of all true counts, with probability e^-2 at most. Counters
 * are only added to, so that they do not depend on order or threads.
 *
 * Two passes: the first adds the documents, on any number of threads; then nd_feature_counts_end;
 * the second asks for weights, on any number of threads. Or, on one thread, a stream:
 * nd_feature_counts_end after each document. */
#ifndef ND_TERMS_COUNT_MIN_H
#define ND_TERMS_COUNT_MIN_H

#include "base/limits.h"
#include "neardup.h"

enum { ND_COUNT_ROW_BITS = ND_LIMIT(22, 10) };

typedef struct nd_feature_counts nd_feature_counts;

/* Takes 32 MiB. */
nd_status nd_feature_counts_create(const nd_allocator *allocator, nd_feature_counts **out,
                                   nd_error *error);
/* NULL is accepted. */
void nd_feature_counts_free(nd_feature_counts *counts);

/* One document, with features each of which occurs once (nd_set_make). Any number of threads. A
 * counter stops at 2^32 - 1. */
void nd_feature_counts_add(nd_feature_counts *counts, const uint64_t *features, size_t count);
/* The same of features that have been in so many documents, which nd_feature_counts_add has been
 * told of, without features. */
void nd_feature_counts_add_times(nd_feature_counts *counts, const uint64_t *features,
                                 const uint32_t *times, size_t count);
/* After the last document so far, before the first weight. */
void nd_feature_counts_end(nd_feature_counts *counts);

uint64_t nd_feature_counts_documents(const nd_feature_counts *counts);
/* Never below the number of documents that have it, never above that of all. */
uint64_t nd_feature_counts_of(const nd_feature_counts *counts, uint64_t feature);
/* weights[i] = ln((documents + 1) / (count of features[i] + 1)), to the nearest multiple of 1/4096
 * (nd_idf_units). */
void nd_feature_counts_weigh(const nd_feature_counts *counts, const uint64_t *features,
                             size_t count, double *weights);

/* The counters, to be kept and taken up again: so many, numbers [first, first + count) of them, and
 * that of the documents. */
size_t nd_feature_counts_size(void);
void nd_feature_counts_read(const nd_feature_counts *counts, size_t first, size_t count,
                            uint32_t *out);
void nd_feature_counts_write(nd_feature_counts *counts, size_t first, size_t count,
                             const uint32_t *from);
void nd_feature_counts_set_documents(nd_feature_counts *counts, uint64_t documents);

#endif
