#include "text/shingle.h"

#include "base/hash_chains.h"
#include "kernel/kernel.h"

void nd_shingle_powers(uint64_t *powers, size_t n) {
    uint64_t power = 1;
    for (size_t k = 0; k < n; k++, power *= ND_HASH_POLY) powers[k] = power;
}

size_t nd_shingle_make(uint64_t *tokens, size_t count, size_t n, const uint64_t *powers) {
    if (count >= n) {
        nd_kernel_get()->shingles(tokens, count, n, powers, tokens);
        return count - n + 1;
    }
    uint64_t polynomial = 0;
    for (size_t k = 0; k < count; k++) polynomial = polynomial * ND_HASH_POLY + tokens[k];
    tokens[0] = nd_mix64(polynomial + count * ND_HASH_C2);
    return 1;
}

void nd_shingle_text_hash(const uint64_t *tokens, size_t count, uint64_t hash[2]) {
    nd_chains chains = nd_chains_begin();
    size_t i = 0;
    for (; count - i >= 4; i += 4) nd_chains_absorb(&chains, tokens + i);
    if (i < count) {
        uint64_t last[4] = {0, 0, 0, 0};
        for (size_t k = 0; i + k < count; k++) last[k] = tokens[i + k];
        nd_chains_absorb(&chains, last);
    }
    nd_chains_end(&chains, count, hash);
}
