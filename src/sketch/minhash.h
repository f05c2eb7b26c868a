/* MinHash inside the library: the byte sketch. */
#ifndef ND_SKETCH_MINHASH_H
#define ND_SKETCH_MINHASH_H

#include "neardup.h"

/* The low 8 bits of each value of a signature, a quarter of its memory, for the filter before exact
 * comparison. Two sketches agree in a place with probability J + (1 - J) / 256. `sketch` has perms
 * bytes. */
void nd_minhash_sketch(const uint32_t *signature, uint32_t perms, uint8_t *sketch);

#endif
