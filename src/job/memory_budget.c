#include "job/memory_budget.h"

#include "base/limits.h"

/* Bytes of a thread's own buffers: a block, its columns, the scratch of the analyzer and of the
 * parser. */
#define WORKER_MEMORY (UINT64_C(12) << 20)

/* Percent of budget->shared, by phase: read, match, decide, write. BAND_KEYS and HAMMING_JOIN
 * belong to different sketches, so no run has both; anchors take the share of sketches. Nor do
 * BAND_KEYS and VERIFIED take memory together: with an index the band keys stay until the index has
 * them, but then packed sets are compared, and no set is kept. */
static const unsigned char table[ND_MEMORY_STORES][ND_PHASES] = {
    [ND_MEMORY_RECORDS] = {7, 7, 7, 7},
    [ND_MEMORY_SKETCHES] = {20, 20, 20, 20},
    [ND_MEMORY_IDS] = {8, 8, 8, 8},
    [ND_MEMORY_ID_ENDS] = {4, 4, 4, 4},
    [ND_MEMORY_BAND_KEYS] = {34, 34, 0, 0},
    [ND_MEMORY_TEXT_HASHES] = {5, 0, 0, 0},
    [ND_MEMORY_TEXT_HASH_ORDER] = {5, 0, 0, 0},
    [ND_MEMORY_ID_HASH_ORDER] = {5, 0, 0, 0},
    [ND_MEMORY_PRIORITIES] = {5, 0, 0, 0},
    [ND_MEMORY_CLASSES] = {1, 1, 1, 0},
    [ND_MEMORY_REPEATS] = {4, 0, 0, 0},
    [ND_MEMORY_SHINGLES] = {2, 2, 2, 2},
    [ND_MEMORY_HAMMING_JOIN] = {0, 40, 0, 0},
    [ND_MEMORY_PAIRS] = {0, 7, 7, 0},
    [ND_MEMORY_POSTINGS] = {0, 6, 6, 0},
    [ND_MEMORY_VERIFIED] = {0, 0, 37, 37},
    [ND_MEMORY_VERDICTS] = {0, 0, 3, 3},
    [ND_MEMORY_FOUND_PAIRS] = {0, 0, 2, 2},
    [ND_MEMORY_SEGMENT] = {0, 0, 2, 2},
    [ND_MEMORY_MARKS] = {0, 0, 1, 1},
    [ND_MEMORY_COPY_PAIRS] = {0, 0, 0, 13},
};

unsigned nd_memory_percent(nd_memory_store store, nd_memory_phase phase) {
    return table[store][phase];
}

nd_status nd_memory_check(uint64_t limit, nd_error *error) {
    if (limit >= ND_MEMORY_LEAST) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT, "memory must be at least 64 MiB, not %llu bytes",
                   (unsigned long long)limit);
}

nd_memory_budget nd_memory_budget_make(uint64_t limit, uint32_t *threads) {
    while (*threads > 1 && *threads * WORKER_MEMORY > limit / 2) --*threads;
    return (nd_memory_budget){.limit = limit, .shared = limit - *threads * WORKER_MEMORY};
}

void nd_memory_reserve_sets(nd_memory_budget *budget) {
    budget->sets = budget->shared / 2;
    budget->shared -= budget->sets;
}

size_t nd_memory_share(const nd_memory_budget *budget, nd_memory_store store) {
    unsigned percent = 0;
    for (int phase = 0; phase < ND_PHASES; phase++)
        if (table[store][phase] > percent) percent = table[store][phase];
    uint64_t share = budget->shared / 100 * percent;
    share /= ND_LIMIT(1, 1 << 14);
    return (size_t)(share < 1 << 12 ? 1 << 12 : share);
}
