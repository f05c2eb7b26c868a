/* The search among bodies of TLSH digests. The file of an instruction set includes this once, after
 * it has included one of tlsh_scalar.h and tlsh_avx2.h, which define tlsh_body_cost. */
static size_t near_tlsh(const uint64_t *bodies, size_t words, size_t count, const uint64_t *query,
                        unsigned most, uint64_t *hits) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned cost = tlsh_body_cost(bodies + i * words, query, words);
        hits[found] = (uint64_t)cost << 32 | i;
        found += cost <= most;
    }
    return found;
}
