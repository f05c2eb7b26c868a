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

#endif
