/* One thread's additions to feature counts. A few words are in most documents, and their counters
 * lie far apart in memory: how often such a word came is held back while others do not take its
 * place. */
#ifndef ND_TERMS_COUNT_MIN_BUFFER_H
#define ND_TERMS_COUNT_MIN_BUFFER_H

#include "terms/count_min.h"

typedef struct nd_feature_counter nd_feature_counter;

/* `counts` stay the caller's and must outlive this. */
nd_status nd_feature_counter_create(nd_feature_counts *counts, const nd_allocator *allocator,
                                    nd_feature_counter **out, nd_error *error);
/* Adds what was held back, too. NULL is accepted. */
void nd_feature_counter_free(nd_feature_counter *counter);

/* One document, with its features as often as they occur; they are overwritten. In the end
 * nd_feature_counts_add of the distinct ones has been done. */
nd_status nd_feature_counter_add(nd_feature_counter *counter, uint64_t *features, size_t count,
                                 nd_error *error);

#endif
