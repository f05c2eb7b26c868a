/* A target whose inputs are the bytes of a sealed file (storage/sealed_file.h) of the small index:
 * all of it but its name. The manifest is given whatever seal they have, and mutations put the
 * hashes of pages right again. */
#ifndef ND_FUZZ_SEALED_TARGET_H
#define ND_FUZZ_SEALED_TARGET_H

#include "small_index.h"

/* Which one. */
const small_file *sealed_target_file(void);

#endif
