/* Hashes tokens for token_hashes.h, one after the other. */
#include "base/hash.h"

/* The low `n` of 16 bytes as two little-endian words. */
static const uint64_t token_mask[17][2] = {
#define ND_MASK(n) (UINT64_MAX >> (64 - 8 * (n)))
    {0, 0},
    {ND_MASK(1), 0},
    {ND_MASK(2), 0},
    {ND_MASK(3), 0},
    {ND_MASK(4), 0},
    {ND_MASK(5), 0},
    {ND_MASK(6), 0},
    {ND_MASK(7), 0},
    {ND_MASK(8), 0},
    {ND_MASK(8), ND_MASK(1)},
    {ND_MASK(8), ND_MASK(2)},
    {ND_MASK(8), ND_MASK(3)},
    {ND_MASK(8), ND_MASK(4)},
    {ND_MASK(8), ND_MASK(5)},
    {ND_MASK(8), ND_MASK(6)},
    {ND_MASK(8), ND_MASK(7)},
    {ND_MASK(8), ND_MASK(8)},
#undef ND_MASK
};

enum { TOKEN_GROUP = 1 };

static inline __attribute__((always_inline)) unsigned
hash_group(const nd_hash_key *key, const unsigned char *lower, const uint16_t *edges,
           const size_t usual, uint64_t *tokens) {
    const unsigned char *p = lower + edges[0];
    size_t length = (size_t)edges[1] - edges[0];
    if (__builtin_expect(length > usual, 0)) return 1;
    uint64_t h = 0;
    if (usual == 32) {
        h = nd_fold_multiply(nd_load_le64(p) ^ key->k2, nd_load_le64(p + 8) ^ key->k3) &
            (0 - (uint64_t)(length > 16));
        p += length > 16 ? 16 : 0;
        length -= length > 16 ? 16 : 0;
    }
    uint64_t a = nd_load_le64(p) & token_mask[length][0],
             b = usual == 8 ? 0 : nd_load_le64(p + 8) & token_mask[length][1];
    *tokens = nd_hash_words(key, a ^ h, b);
    return 0;
}
