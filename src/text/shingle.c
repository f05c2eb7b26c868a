#include "text/shingle.h"

#include "base/hash.h"
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

typedef struct lanes {
    uint64_t a0, b0, a1, b1;
} lanes;

static inline lanes absorb(lanes s, const uint64_t *t) {
    lanes next = {nd_fold_multiply(s.a0 ^ t[0], t[1] ^ ND_HASH_C1),
                  nd_fold_multiply(s.b0 ^ t[1], t[0] ^ ND_HASH_C2),
                  nd_fold_multiply(s.a1 ^ t[2], t[3] ^ ND_HASH_C3),
                  nd_fold_multiply(s.b1 ^ t[3], t[2] ^ ND_HASH_C0)};
    return next;
}

void nd_shingle_text_hash(const uint64_t *tokens, size_t count, uint64_t hash[2]) {
    lanes s = {ND_HASH_C0, ND_HASH_C1, ND_HASH_C2, ND_HASH_C3};
    size_t i = 0;
    for (; count - i >= 4; i += 4) s = absorb(s, tokens + i);
    if (i < count) {
        uint64_t last[4] = {0, 0, 0, 0};
        for (size_t k = 0; i + k < count; k++) last[k] = tokens[i + k];
        s = absorb(s, last);
    }
    hash[0] = nd_mix64(nd_fold_multiply(s.a0 ^ count, s.b1 ^ ND_HASH_C0) + s.a1);
    hash[1] = nd_mix64(nd_fold_multiply(s.b0 ^ count, s.a1 ^ ND_HASH_C3) + s.b1);
}
