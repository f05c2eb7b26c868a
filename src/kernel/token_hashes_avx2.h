/* Hashes four tokens at once for token_hashes.h, with AVX2. */
#include "base/hash.h"

#include <immintrin.h>

/* nd_fold_multiply of four pairs, by four products of 32 bits. No sum has more than 64 bits. */
static inline __m256i fold_multiply4(__m256i a, __m256i b) {
    __m256i high_a = _mm256_srli_epi64(a, 32), high_b = _mm256_srli_epi64(b, 32);
    __m256i low = _mm256_mul_epu32(a, b);
    __m256i middle = _mm256_add_epi64(_mm256_mul_epu32(high_a, b), _mm256_srli_epi64(low, 32));
    __m256i low_middle = _mm256_blend_epi32(middle, _mm256_setzero_si256(), 0xaa);
    __m256i other = _mm256_add_epi64(_mm256_mul_epu32(a, high_b), low_middle);
    __m256i carried = _mm256_add_epi64(_mm256_srli_epi64(middle, 32), _mm256_srli_epi64(other, 32));
    __m256i high = _mm256_add_epi64(_mm256_mul_epu32(high_a, high_b), carried);
    return _mm256_xor_si256(high, _mm256_blend_epi32(_mm256_slli_epi64(other, 32), low, 0x55));
}

/* The first 16 bytes of two tokens, of every other pair of edges. */
static inline __m256i load_tokens(const unsigned char *lower, const uint16_t *edges) {
    return _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(lower + edges[0]))),
        _mm_loadu_si128((const __m128i *)(lower + edges[4])), 1);
}

/* Keeps of each 16 bytes as many as a length of up to 16 says: token t of two has the length in
 * byte `first` + 8 t. */
static inline __m256i cut_tokens(__m256i bytes, __m256i lengths, char first) {
    const __m256i where = _mm256_setr_epi64x(0, 0, 0x0808080808080808, 0x0808080808080808),
                  at = _mm256_setr_epi64x(0x0706050403020100, 0x0f0e0d0c0b0a0908,
                                          0x0706050403020100, 0x0f0e0d0c0b0a0908);
    __m256i own = _mm256_shuffle_epi8(lengths, _mm256_add_epi8(where, _mm256_set1_epi8(first)));
    return _mm256_and_si256(bytes, _mm256_cmpgt_epi8(own, at));
}

enum { TOKEN_GROUP = 4 };

/* Tokens 0 and 2 are in one vector and 1 and 3 in another, so that unpacking both gives the first
 * words and the second words in order. */
static inline __attribute__((always_inline)) unsigned
hash_group(const nd_hash_key *key, const unsigned char *lower, const uint16_t *edges,
           const size_t usual, uint64_t *tokens) {
    const int most = usual == 32 ? 32 : 16; /* two words cost as much as one */
    const __m256i k0 = _mm256_set1_epi64x((long long)key->k0),
                  k1 = _mm256_set1_epi64x((long long)key->k1),
                  k2 = _mm256_set1_epi64x((long long)key->k2),
                  k3 = _mm256_set1_epi64x((long long)key->k3);
    __m128i pairs = _mm_loadu_si128((const __m128i *)edges), of16 = _mm_set1_epi32(16);
    __m128i lengths = _mm_sub_epi32(_mm_srli_epi32(pairs, 16),
                                    _mm_and_si128(pairs, _mm_set1_epi32(0xffff)));
    __m128i above = _mm_cmpgt_epi32(lengths, _mm_set1_epi32(most));
    __m256i chained = k0;
    uint16_t moved[2 * TOKEN_GROUP];
    if (usual == 32) {
        __m128i two = _mm_cmpgt_epi32(lengths, of16), first = _mm_and_si128(two, of16);
        __m256i even = load_tokens(lower, edges), odd = load_tokens(lower, edges + 2);
        __m256i h = fold_multiply4(_mm256_xor_si256(_mm256_unpacklo_epi64(even, odd), k2),
                                   _mm256_xor_si256(_mm256_unpackhi_epi64(even, odd), k3));
        chained = _mm256_xor_si256(k0, _mm256_and_si256(h, _mm256_cvtepi32_epi64(two)));
        lengths = _mm_sub_epi32(lengths, first);
        _mm_storeu_si128((__m128i *)moved, _mm_add_epi32(pairs, first));
        edges = moved;
    }
    __m256i each = _mm256_broadcastsi128_si256(lengths);
    __m256i even = cut_tokens(load_tokens(lower, edges), each, 0),
            odd = cut_tokens(load_tokens(lower, edges + 2), each, 4);
    __m256i a = _mm256_xor_si256(_mm256_unpacklo_epi64(even, odd), chained),
            b = _mm256_xor_si256(_mm256_unpackhi_epi64(even, odd), k1);
    _mm256_storeu_si256((__m256i *)tokens, fold_multiply4(a, b));
    return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(above));
}
