/* A small index of fingerprints. Its first segment has several Hamming tables, equal fingerprints,
 * and ids that are strings or numbers. */
#ifndef ND_FUZZ_SMALL_FINGERPRINTS_H
#define ND_FUZZ_SMALL_FINGERPRINTS_H

#include "neardup.h"

/* Returns the options of the target's index. */
nd_hamming_options small_fingerprints_options(void);

#endif
