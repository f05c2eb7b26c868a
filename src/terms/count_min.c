/* A weight needs the logarithm of a count, which takes as long as the lookups of a whole text. So
 * logarithms of small numbers are in a table, and logarithms of larger numbers are interpolated.
 * The error of interpolation is below 1 / (8 * SMALL^2). Where it could change the rounding to
 * units, the logarithm is computed. So every weight is equal to nd_idf_units. */
#include "terms/count_min.h"

#include "base/alloc.h"
#include "base/fixed_log.h"
#include "base/hash.h"
#include "base/machine.h"
#include "base/workers.h"
#include "terms/weight_table.h"

#include <stdatomic.h>

enum {
    ROWS = 2,
    ROW_SIZE = 1 << ND_COUNT_MIN_ROW_BITS,
    AHEAD = 16,
    SMALL_BITS = 9,
    SMALL = 1 << SMALL_BITS
};

/* Logarithms are multiples of 2^-ND_FIXED_LOG_BITS; the unit of a weight is 2^UNIT_BITS times that.
 * DOUBT is twice the error of an interpolated logarithm: 1/8 SMALL^-2, and the errors of the table.
 */
enum { UNIT_BITS = ND_FIXED_LOG_BITS - 12 };
#define DOUBT ((UINT64_C(1) << (ND_FIXED_LOG_BITS - 2 - 2 * SMALL_BITS)) + 64)

typedef _Atomic uint32_t counter;

struct nd_count_min {
    nd_allocator allocator;
    _Atomic uint64_t documents;
    uint64_t log_documents;       /* ln(prepared + 1) */
    uint64_t prepared;            /* documents at the latest nd_count_min_prepare_weights */
    uint64_t logs[2 * SMALL + 1]; /* logs[i] = ln i, from 1 on */
    counter *rows[ROWS];          /* in one piece of memory, which belongs to the first */
};

static inline size_t counter_of(uint64_t feature, int row) {
    uint64_t hash = row == 0 ? feature : nd_mix64(feature ^ ND_HASH_C3);
    return (size_t)(hash >> (64 - ND_COUNT_MIN_ROW_BITS));
}

nd_status nd_count_min_create(const nd_allocator *allocator, nd_count_min **out, nd_error *error) {
    nd_allocator memory = nd_allocator_or_default(allocator);
    nd_count_min *counts = nd_allocate_zero(&memory, 1, sizeof *counts);
    if (!counts) return nd_fail_memory(error, sizeof *counts, "document counts");
    counts->allocator = memory;
    const size_t size = (size_t)ROWS * ROW_SIZE;
    counter *all = counts->rows[0] = nd_allocate_large_zero(&memory, size, sizeof *all);
    if (!all) {
        nd_count_min_free(counts);
        return nd_fail_memory(error, size * sizeof *all, "document counts");
    }
    for (int row = 1; row < ROWS; row++) counts->rows[row] = all + (size_t)row * ROW_SIZE;
    for (uint64_t i = 1; i <= 2 * SMALL; i++) counts->logs[i] = nd_fixed_log(i);
    *out = counts;
    return ND_OK;
}

void nd_count_min_free(nd_count_min *counts) {
    if (!counts) return;
    nd_allocator allocator = counts->allocator;
    nd_release(&allocator, counts->rows[0]);
    nd_release(&allocator, counts);
}

static inline void prefetch(const nd_count_min *counts, uint64_t feature) {
    __asm__ volatile(""); /* without it gcc 12 drops all calls, as of nd_sealed_prefetch */
    for (int row = 0; row < ROWS; row++)
        __builtin_prefetch(&counts->rows[row][counter_of(feature, row)]);
}

/* Adds to a counter, which stops at UINT32_MAX. Far below that, an addition needs no check: even
 * one by every thread at the same time cannot overflow. */
static inline void increase(counter *c, uint32_t times) {
    const uint32_t much = (UINT32_C(1) << 31) / ND_MAX_WORKERS;
    uint32_t held = atomic_load_explicit(c, memory_order_relaxed);
    if (held < UINT32_C(1) << 31 && times < much) {
        atomic_fetch_add_explicit(c, times, memory_order_relaxed);
        return;
    }
    uint32_t sum;
    do {
        sum = times > UINT32_MAX - held ? UINT32_MAX : held + times;
    } while (!atomic_compare_exchange_weak_explicit(c, &held, sum, memory_order_relaxed,
                                                    memory_order_relaxed));
}

void nd_count_min_add_counts(nd_count_min *counts, const uint64_t *features, const uint32_t *times,
                             size_t count) {
    for (size_t i = 0; i < count && i < AHEAD; i++) prefetch(counts, features[i]);
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count) prefetch(counts, features[i + AHEAD]);
        for (int row = 0; row < ROWS && times[i] > 0; row++)
            increase(&counts->rows[row][counter_of(features[i], row)], times[i]);
    }
}

void nd_count_min_add_document(nd_count_min *counts, const uint64_t *features, size_t count) {
    atomic_fetch_add_explicit(&counts->documents, 1, memory_order_relaxed);
    for (size_t i = 0; i < count && i < AHEAD; i++) prefetch(counts, features[i]);
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count) prefetch(counts, features[i + AHEAD]);
        for (int row = 0; row < ROWS; row++)
            increase(&counts->rows[row][counter_of(features[i], row)], 1);
    }
}

void nd_count_min_prepare_weights(nd_count_min *counts) {
    counts->prepared = nd_count_min_documents(counts);
    counts->log_documents = nd_fixed_log(counts->prepared + 1);
}

size_t nd_count_min_size(void) { return (size_t)ROWS * ROW_SIZE; }

void nd_count_min_read(const nd_count_min *counts, size_t first, size_t count, uint32_t *out) {
    for (size_t i = 0; i < count; i++)
        out[i] = atomic_load_explicit(&counts->rows[0][first + i], memory_order_relaxed);
}

void nd_count_min_write(nd_count_min *counts, size_t first, size_t count, const uint32_t *from) {
    for (size_t i = 0; i < count; i++)
        atomic_store_explicit(&counts->rows[0][first + i], from[i], memory_order_relaxed);
}

void nd_count_min_set_documents(nd_count_min *counts, uint64_t documents) {
    atomic_store_explicit(&counts->documents, documents, memory_order_relaxed);
}

uint64_t nd_count_min_documents(const nd_count_min *counts) {
    return atomic_load_explicit(&counts->documents, memory_order_relaxed);
}

static inline uint64_t count_of(const nd_count_min *counts, uint64_t feature, uint64_t documents) {
    uint64_t least = documents;
    for (int row = 0; row < ROWS; row++) {
        uint64_t held = atomic_load_explicit(&counts->rows[row][counter_of(feature, row)],
                                             memory_order_relaxed);
        if (held < least) least = held;
    }
    return least;
}

uint64_t nd_count_min_of(const nd_count_min *counts, uint64_t feature) {
    return count_of(counts, feature, nd_count_min_documents(counts));
}

static inline uint64_t to_units(uint64_t log) {
    return (log + (UINT64_C(1) << (UNIT_BITS - 1))) >> UNIT_BITS;
}

/* Returns log_documents - ln x in units. Small x are not treated apart: a branch would often be
 * mispredicted. */
static inline uint64_t idf_units(const nd_count_min *counts, uint64_t log_documents, uint64_t x) {
    unsigned shift = 63 - SMALL_BITS - (unsigned)__builtin_clzll(x | SMALL);
    uint64_t i = x >> shift, rest = x - (i << shift);
    uint64_t step = counts->logs[i + 1] - counts->logs[i];
    uint64_t log = counts->logs[i] + (step * rest >> shift) + shift * counts->logs[2];
    /* An interpolated logarithm is too small by at most half of DOUBT, so `most` is too large. */
    uint64_t most = log_documents - log;
    if (to_units(most + DOUBT) == to_units(most - DOUBT)) return to_units(most);
    return to_units(log_documents - nd_fixed_log(x));
}

static inline uint64_t log_of_documents(const nd_count_min *counts, uint64_t documents) {
    return counts->prepared == documents ? counts->log_documents : nd_fixed_log(documents + 1);
}

/* Adds to all counters of a block first: two of its features may share one. They are in the cache
 * when they are read again. */
void nd_count_min_add_and_count(nd_count_min *counts, const uint64_t *features, size_t count,
                                uint32_t *frequencies) {
    counter *found[ND_COUNT_MIN_BLOCK][ROWS];
    const uint64_t documents = nd_count_min_documents(counts);
    for (size_t i = 0; i < count; i++)
        for (int row = 0; row < ROWS; row++) {
            found[i][row] = &counts->rows[row][counter_of(features[i], row)];
            __builtin_prefetch(found[i][row], 1);
        }
    for (size_t i = 0; i < count; i++)
        for (int row = 0; row < ROWS; row++) {
            uint32_t held = atomic_load_explicit(found[i][row], memory_order_relaxed);
            atomic_store_explicit(found[i][row], held + (held < UINT32_MAX), memory_order_relaxed);
        }
    for (size_t i = 0; i < count; i++) {
        uint64_t least = documents;
        for (int row = 0; row < ROWS; row++) {
            uint64_t held = atomic_load_explicit(found[i][row], memory_order_relaxed);
            if (held < least) least = held;
        }
        frequencies[i] = (uint32_t)least;
    }
}

uint32_t nd_count_min_units(const nd_count_min *counts, uint32_t frequency) {
    const uint64_t documents = nd_count_min_documents(counts);
    return (uint32_t)idf_units(counts, log_of_documents(counts, documents),
                               (uint64_t)frequency + 1);
}

void nd_count_min_weigh(const nd_count_min *counts, const uint64_t *features, size_t count,
                        double *weights) {
    const uint64_t documents = nd_count_min_documents(counts),
                   log_documents = log_of_documents(counts, documents);
    for (size_t i = 0; i < count && i < AHEAD; i++) prefetch(counts, features[i]);
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count) prefetch(counts, features[i + AHEAD]);
        weights[i] = (double)idf_units(counts, log_documents,
                                       count_of(counts, features[i], documents) + 1) /
                     ND_WEIGHT_UNITS;
    }
}
