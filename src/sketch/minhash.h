/* MinHash inside the library: byte sketches. The rest is declared in neardup.h. */
#ifndef ND_SKETCH_MINHASH_H
#define ND_SKETCH_MINHASH_H

#include "neardup.h"

/* Copies the low 8 bits of each value of a signature to `sketch`, which has room for `perms` bytes:
 * a quarter of the memory, for the filter before exact comparison (minhash_filter.h). */
void nd_minhash_sketch(const uint32_t *signature, uint32_t perms, uint8_t *sketch);

#endif
