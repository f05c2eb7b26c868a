/* SimHash inside the library: the widths of a fingerprint, and the unit of its weights. */
#ifndef ND_SKETCH_SIMHASH_H
#define ND_SKETCH_SIMHASH_H

#include "neardup.h"

/* Sums are integers in units of 1 / ND_SIMHASH_UNIT. */
#define ND_SIMHASH_UNIT 4096

/* ND_ERR_ARGUMENT unless `bits` is 16, 32, 64 or 128. */
nd_status nd_fingerprint_check_bits(uint32_t bits, nd_error *error);

#endif
