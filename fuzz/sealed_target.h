/* A target whose inputs are the bytes of one sealed file (storage/sealed_file.h) of the small
 * index. Only its name is fixed. The manifest gets the seal of the bytes, whatever it is, and
 * mutations correct the hashes of pages. */
#ifndef ND_FUZZ_SEALED_TARGET_H
#define ND_FUZZ_SEALED_TARGET_H

#include "small_index.h"

/* Returns the sealed file of this target. */
const small_file *sealed_target_file(void);

#endif
