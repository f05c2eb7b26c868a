/* A target for one sealed file: see sealed_target.h. */
#include "sealed_target.h"

#include "sealed_bytes.h"
#include "target.h"

#include <stdlib.h>

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed) {
    uint64_t random = seed;
    return sealed_mutate(bytes, size, most, &random);
}

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    small_index_make();
    const small_file *file = sealed_target_file();
    const char *seeds = target_seeds(*count, *arguments);
    if (!seeds) return 0;
    target_write_seed(seeds, "whole", file->bytes, file->size);
    exit(0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    nd_seal seal = {size, sealed_hash(bytes, size)};
    small_index_lay_sealed(sealed_target_file(), bytes, size, &seal);
    small_index_use();
    return 0;
}
