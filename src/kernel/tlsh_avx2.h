/* The distance of two bodies of TLSH digests with AVX2. As in tlsh_scalar.h, each bucket gets a
 * code of two bits: 0, 1, 2, and 3 for a difference that costs 6. A table then gives the cost of
 * two buckets, half a byte. */
static inline __m256i tlsh_costs(__m256i a, __m256i b) {
    const __m256i lows = _mm256_set1_epi8(0x55), nibble = _mm256_set1_epi8(15);
    const __m256i table = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 1, 2, 6, 1, 2, 3, 7, 2, 3, 4, 8, 6, 7, 8, 12));
    __m256i x = _mm256_xor_si256(a, b);
    __m256i low = _mm256_and_si256(x, lows), high = _mm256_and_si256(_mm256_srli_epi64(x, 1), lows);
    __m256i odd = _mm256_xor_si256(a, _mm256_srli_epi64(a, 1));
    __m256i upper = _mm256_andnot_si256(_mm256_and_si256(low, odd), high);
    __m256i code = _mm256_or_si256(low, _mm256_add_epi8(upper, upper));
    __m256i first = _mm256_shuffle_epi8(table, _mm256_and_si256(code, nibble));
    __m256i second = _mm256_shuffle_epi8(table,
                                         _mm256_and_si256(_mm256_srli_epi64(code, 4), nibble));
    return _mm256_sad_epu8(_mm256_add_epi8(first, second), _mm256_setzero_si256());
}

static inline unsigned tlsh_body_cost(const uint64_t *a, const uint64_t *b, size_t words) {
    __m256i sum = _mm256_setzero_si256();
    for (size_t i = 0; i < words; i += 4)
        sum = _mm256_add_epi64(sum, tlsh_costs(_mm256_loadu_si256((const __m256i *)(a + i)),
                                               _mm256_loadu_si256((const __m256i *)(b + i))));
    __m128i half = _mm_add_epi64(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
    return (unsigned)(_mm_cvtsi128_si32(half) + _mm_extract_epi32(half, 2));
}
