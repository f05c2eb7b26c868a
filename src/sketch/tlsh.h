/* Parts of TLSH digests and of their distance, for searches. */
#ifndef ND_SKETCH_TLSH_H
#define ND_SKETCH_TLSH_H

#include "neardup.h"

bool nd_tlsh_is_variant(unsigned variant);

/* 32 or 64. */
size_t nd_tlsh_body_bytes(unsigned variant);

/* The share of two classes of lengths, or of two ratios, in a distance. */
uint32_t nd_tlsh_length_distance(unsigned a, unsigned b);
uint32_t nd_tlsh_ratio_distance(unsigned a, unsigned b);

/* nd_tlsh_index_search among the digests with numbers below `below`. Returns false if `fn` stopped
 * the search. REQUIRES: the query is of the variant of the index. */
bool nd_tlsh_index_search_below(const nd_tlsh_index *index, const nd_tlsh *query, uint32_t below,
                                uint32_t most, bool with_length, nd_tlsh_match_fn *fn,
                                void *context);

#endif
