/* Compares the values of a window for value_windows.h, all at once. Also for AVX-512. */
static inline unsigned equal_in_window(const uint64_t *window, uint64_t value) {
    _Static_assert(ND_WINDOW_VALUES == 4, "a window fills a register");
    __m256i values = _mm256_loadu_si256((const __m256i *)(const void *)window),
            equal = _mm256_cmpeq_epi64(values, _mm256_set1_epi64x((long long)value));
    return (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(equal));
}
