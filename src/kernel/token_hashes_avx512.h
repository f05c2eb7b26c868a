/* Hashes eight tokens at once for token_hashes.h, with AVX-512. The file of the instruction set
 * includes this once, after it has defined `numbers`, the bytes from 0 to 63. */
#include "base/hash.h"

#include <immintrin.h>

/* nd_fold_multiply of eight pairs, by four products of 32 bits. No sum has more than 64 bits. */
static inline __m512i fold_multiply8(__m512i a, __m512i b) {
    const __mmask16 low_halves = 0x5555;
    __m512i high_a = _mm512_srli_epi64(a, 32), high_b = _mm512_srli_epi64(b, 32);
    __m512i low = _mm512_mul_epu32(a, b);
    __m512i middle = _mm512_add_epi64(_mm512_mul_epu32(high_a, b), _mm512_srli_epi64(low, 32));
    __m512i other = _mm512_add_epi64(_mm512_mul_epu32(a, high_b),
                                     _mm512_maskz_mov_epi32(low_halves, middle));
    __m512i carried = _mm512_add_epi64(_mm512_srli_epi64(middle, 32), _mm512_srli_epi64(other, 32));
    __m512i high = _mm512_add_epi64(_mm512_mul_epu32(high_a, high_b), carried);
    return _mm512_xor_si512(high,
                            _mm512_mask_mov_epi32(_mm512_slli_epi64(other, 32), low_halves, low));
}

/* The first 16 bytes of four tokens, of every other pair of edges. */
static inline __m512i load_tokens(const unsigned char *lower, const uint16_t *edges) {
    __m512i x = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *)(lower + edges[0])));
    x = _mm512_mask_broadcast_i64x2(x, 0x0c, _mm_loadu_si128((const __m128i *)(lower + edges[4])));
    x = _mm512_mask_broadcast_i64x2(x, 0x30, _mm_loadu_si128((const __m128i *)(lower + edges[8])));
    return _mm512_mask_broadcast_i64x2(x, 0xc0,
                                       _mm_loadu_si128((const __m128i *)(lower + edges[12])));
}

/* Keeps of each 16 bytes as many as a length says: token t of four has the length in byte
 * `first` + 8 t. */
static inline __m512i cut_tokens(__m512i bytes, __m512i lengths, uint64_t first) {
    const __m512i where = _mm512_set_epi64(0x1818181818181818, 0x1818181818181818,
                                           0x1010101010101010, 0x1010101010101010,
                                           0x0808080808080808, 0x0808080808080808, 0, 0);
    __m512i own = _mm512_permutexvar_epi8(_mm512_add_epi8(where, _mm512_set1_epi8((char)first)),
                                          lengths);
    __m512i at = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)numbers));
    return _mm512_maskz_mov_epi8(_mm512_cmplt_epu8_mask(at, own), bytes);
}

enum { TOKEN_GROUP = 8 };

/* Tokens 0, 2, 4, 6 are in one vector and 1, 3, 5, 7 in another, so that unpacking both gives the
 * first words and the second words in order. */
static inline __attribute__((always_inline)) unsigned
hash_group(const nd_hash_key *key, const unsigned char *lower, const uint16_t *edges,
           const size_t usual, uint64_t *tokens) {
    const int most = usual == 32 ? 32 : 16; /* two words cost as much as one */
    const __m512i k0 = _mm512_set1_epi64((long long)key->k0),
                  k1 = _mm512_set1_epi64((long long)key->k1),
                  k2 = _mm512_set1_epi64((long long)key->k2),
                  k3 = _mm512_set1_epi64((long long)key->k3);
    __m256i pairs = _mm256_loadu_si256((const __m256i *)edges), of16 = _mm256_set1_epi32(16);
    __m256i lengths = _mm256_sub_epi32(_mm256_srli_epi32(pairs, 16),
                                       _mm256_and_si256(pairs, _mm256_set1_epi32(0xffff)));
    __m256i above = _mm256_cmpgt_epi32(lengths, _mm256_set1_epi32(most));
    __m512i chained = k0;
    uint16_t moved[2 * TOKEN_GROUP];
    if (usual == 32) {
        __mmask8 two = _mm256_cmpgt_epi32_mask(lengths, of16);
        __m512i even = load_tokens(lower, edges), odd = load_tokens(lower, edges + 2);
        __m512i h = fold_multiply8(_mm512_xor_si512(_mm512_unpacklo_epi64(even, odd), k2),
                                   _mm512_xor_si512(_mm512_unpackhi_epi64(even, odd), k3));
        chained = _mm512_mask_xor_epi64(k0, two, k0, h);
        lengths = _mm256_mask_sub_epi32(lengths, two, lengths, of16);
        _mm256_storeu_si256((__m256i *)moved, _mm256_mask_add_epi32(pairs, two, pairs, of16));
        edges = moved;
    }
    __m512i each = _mm512_castsi256_si512(lengths);
    __m512i even = cut_tokens(load_tokens(lower, edges), each, 0),
            odd = cut_tokens(load_tokens(lower, edges + 2), each, 4);
    __m512i a = _mm512_xor_si512(_mm512_unpacklo_epi64(even, odd), chained),
            b = _mm512_xor_si512(_mm512_unpackhi_epi64(even, odd), k1);
    _mm512_storeu_si512(tokens, fold_multiply8(a, b));
    /* Not by a mask register: GCC 12 may store eight bits of one and read 32 (seen with -O1). */
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(above));
}
