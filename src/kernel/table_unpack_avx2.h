/* Unpacks keys for table_unpack.h with AVX2. Included once, by kernel_avx2.c, behind its
 * positions_in, its bytes_from, and its loads and stores. */

/* Eight bits a step, as put_edges does. Each step writes its ends at once: positions that are put
 * into memory byte by byte and loaded again sixteen at a time would wait for these stores. */
static inline void unpack_ends(uint64_t ones, uint32_t keys, uint16_t *ends) {
    const __m128i lanes = _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7);
#pragma GCC unroll 8
    for (unsigned bit = 0; bit < 64; bit += 8) {
        unsigned byte = ones >> bit & 0xff, found = (unsigned)__builtin_popcount(byte);
        __m128i before = _mm_sub_epi16(_mm_set1_epi16((short)keys), lanes);
        _mm_storeu_si128((__m128i *)ends, _mm_add_epi16(positions_in(byte), before));
        ends += found;
        keys += 8 - found;
    }
}

/* Four of eight heads: two behind each other in 16 bytes from each of two places. */
typedef struct four_heads {
    size_t places[2];
    __m256i bytes, in_byte; /* where a lane's head begins: its byte, and bit of it */
} four_heads;

static inline four_heads place_heads(uint64_t bit, unsigned width) {
    uint64_t far = bit + 4 * width;
    __m256i bits = _mm256_add_epi64(_mm256_setr_epi64x((int64_t)(bit % 8), (int64_t)(bit % 8),
                                                       (int64_t)(far % 8), (int64_t)(far % 8)),
                                    _mm256_setr_epi64x(0, width, 0, width));
    return (four_heads){{bit / 8, far / 8},
                        bytes_from(_mm256_srli_epi64(bits, 3)),
                        _mm256_and_si256(bits, _mm256_set1_epi64x(7))};
}

static inline __m256i load_heads(const unsigned char *p, const four_heads *four) {
    __m128i low = _mm_loadu_si128((const __m128i *)(p + four->places[0])),
            high = _mm_loadu_si128((const __m128i *)(p + four->places[1]));
    return _mm256_srlv_epi64(_mm256_shuffle_epi8(_mm256_set_m128i(high, low), four->bytes),
                             four->in_byte);
}

/* Eight heads take a whole number of bytes. Heads 0, 1, 4 and 5 are in one vector, the others in
 * another one, so that the low halves of their lanes are in order. */
static inline void unpack_heads(const unsigned char *heads, uint64_t bit, unsigned width,
                                size_t count, uint32_t *keys) {
    const four_heads a = place_heads(bit, width), b = place_heads(bit + 2 * width, width);
    const __m256i own = _mm256_set1_epi32((int32_t)_bzhi_u32(UINT32_MAX, width));
    for (size_t i = 0; i < count; i += 8, heads += width) {
        __builtin_prefetch(heads + ND_HEADS_AHEAD);
        __m256 lows = _mm256_shuffle_ps(_mm256_castsi256_ps(load_heads(heads, &a)),
                                        _mm256_castsi256_ps(load_heads(heads, &b)), 0x88);
        store(keys + i, _mm256_and_si256(_mm256_castps_si256(lows), own));
    }
}
