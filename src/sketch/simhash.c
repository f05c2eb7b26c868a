/* SimHash (Charikar, "Similarity estimation techniques from rounding algorithms", 2002), family
 * version 1 as neardup.h defines it, and what is done with a fingerprint. Sums are exact integers:
 * features without weights are counted in sums of their own, those with weights are summed in units
 * of 1/4096, and the two come together at the end. */
#include "sketch/simhash.h"

#include "base/alloc.h"
#include "base/argument.h"
#include "base/bits.h"
#include "base/floats.h"
#include "base/limits.h"
#include "base/status.h"
#include "kernel/kernel.h"

#include <string.h>

/* ---- fingerprints */

nd_status nd_fingerprint_check_bits(uint32_t bits, nd_error *error) {
    if (bits == 16 || bits == 32 || bits == 64 || bits == 128) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT, "bits must be 16, 32, 64 or 128, not %u", bits);
}

uint32_t nd_distance(nd_fingerprint a, nd_fingerprint b) {
    return nd_ones(a.low ^ b.low) + nd_ones(a.high ^ b.high);
}

bool nd_is_within(nd_fingerprint a, nd_fingerprint b, uint32_t k) { return nd_distance(a, b) <= k; }

void nd_fingerprint_format(nd_fingerprint fingerprint, uint32_t bits, char text[33]) {
    uint32_t digits = bits <= 128 ? bits / 4 : 32;
    for (uint32_t i = 0; i < digits; i++) {
        uint32_t place = 4 * (digits - 1 - i);
        uint64_t word = place < 64 ? fingerprint.low : fingerprint.high;
        text[i] = "0123456789abcdef"[word >> place % 64 & 15];
    }
    text[digits] = 0;
}

/* 16 for what is no digit. */
static unsigned digit_value(char c) {
    if (c >= '0' && c <= '9') return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f') return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') return (unsigned)(c - 'A') + 10;
    return 16;
}

nd_status nd_fingerprint_parse(const char *text, size_t length, uint32_t bits, nd_fingerprint *out,
                               nd_error *error) {
    ND_TRY(nd_fingerprint_check_bits(bits, error));
    ND_TRY(nd_need(text, "text", error));
    ND_TRY(nd_need(out, "out", error));
    if (length != bits / 4)
        return nd_fail(error, ND_ERR_INPUT,
                       "a fingerprint of %u bits has %u hexadecimal digits, not %zu characters",
                       bits, bits / 4, length);
    nd_fingerprint got = {0, 0};
    for (size_t i = 0; i < length; i++) {
        unsigned value = digit_value(text[i]);
        if (value > 15)
            return nd_fail(error, ND_ERR_INPUT,
                           "byte %zu of a fingerprint is 0x%02x: a hexadecimal digit was expected",
                           i, (unsigned char)text[i]);
        got.high = got.high << 4 | got.low >> 60;
        got.low = got.low << 4 | value;
    }
    *out = got;
    return ND_OK;
}

/* ---- SimHash */

#define MAX_BITS 128
#define MAX_WEIGHT 0x1p18
#define MAX_TOTAL (UINT64_C(1) << 62) /* of magnitudes, in units: 2^50 */
/* Weights that are converted at a time. */
#define WEIGHT_BLOCK ND_LIMIT(1024, 24)

struct nd_simhash {
    nd_allocator allocator;
    uint32_t bits;
    uint64_t total;            /* magnitudes of all weights, in units */
    int64_t counted[MAX_BITS]; /* of features without weights, one each */
    int64_t weighed[MAX_BITS]; /* in units */
};

nd_status nd_simhash_create(uint32_t bits, const nd_allocator *allocator, nd_simhash **out,
                            nd_error *error) {
    ND_TRY(nd_need(out, "out", error));
    ND_TRY(nd_fingerprint_check_bits(bits, error));
    nd_allocator memory = nd_allocator_or_default(allocator);
    nd_simhash *simhash = nd_allocate_zero(&memory, 1, sizeof *simhash);
    if (!simhash) return nd_fail_memory(error, sizeof *simhash, "SimHash sums");
    simhash->allocator = memory;
    simhash->bits = bits;
    *out = simhash;
    return ND_OK;
}

void nd_simhash_free(nd_simhash *simhash) {
    if (!simhash) return;
    nd_allocator allocator = simhash->allocator;
    nd_release(&allocator, simhash);
}

/* The nearest number of units, halves to the even one: a double of 2^52 and more has no fraction,
 * so that the addition rounds. Done in vectors, which lrint() is not. */
static inline int32_t to_units(double weight) {
    const double whole = 0x1.8p52;
    return (int32_t)(weight * ND_SIMHASH_UNIT + whole - whole);
}

static nd_status refuse_total(nd_error *error) {
    return nd_fail(error, ND_ERR_ARGUMENT,
                   "the magnitudes of all weights must be below 2^50 together");
}

/* The top bit says that a weight is not in range: numbers of one sign are ordered as their bits
 * are, infinities and NaNs behind them. */
static inline uint64_t out_of_range(double weight) {
    const double most = MAX_WEIGHT;
    uint64_t bits, most_bits;
    memcpy(&bits, &weight, 8);
    memcpy(&most_bits, &most, 8);
    return (bits & INT64_MAX) + (INT64_MAX - most_bits);
}

/* Up to WEIGHT_BLOCK weights; false, and nothing converted: one is not in range. */
static bool convert(const double *weights, size_t count, int32_t *units, uint64_t *total) {
    uint64_t bad = 0;
    for (size_t i = 0; i < count; i++) bad |= out_of_range(weights[i]);
    if (bad >> 63) return false;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        units[i] = to_units(weights[i]);
        sum += (uint32_t)(units[i] < 0 ? -units[i] : units[i]);
    }
    *total += sum;
    return true;
}

static size_t block_at(size_t done, size_t count) {
    return count - done < WEIGHT_BLOCK ? count - done : WEIGHT_BLOCK;
}

/* All blocks are looked at before the first is added. */
static nd_status add_weighed(nd_simhash *simhash, const uint64_t *features, const double *weights,
                             size_t count, nd_error *error) {
    const nd_kernel *kernel = nd_kernel_get();
    int32_t units[WEIGHT_BLOCK];
    uint64_t total = simhash->total, again = 0;
    for (size_t done = 0; done < count; done += WEIGHT_BLOCK) {
        size_t i = done;
        if (!convert(weights + done, block_at(done, count), units, &total)) {
            while (!(out_of_range(weights[i]) >> 63)) i++;
            return nd_fail(error, ND_ERR_ARGUMENT, "weight %zu must be from -2^18 to 2^18, not %g",
                           i, weights[i]);
        }
        if (total >= MAX_TOTAL) return refuse_total(error);
    }
    for (size_t done = 0; done < count; done += WEIGHT_BLOCK) {
        size_t block = block_at(done, count);
        /* Of a single block `units` has them already. */
        if (count > WEIGHT_BLOCK && !convert(weights + done, block, units, &again)) break;
        kernel->simhash(features + done, units, block, simhash->bits, simhash->weighed);
    }
    simhash->total = total;
    return ND_OK;
}

nd_status nd_simhash_add(nd_simhash *simhash, const uint64_t *features, const double *weights,
                         size_t count, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(simhash, "simhash", error));
    ND_TRY(nd_need_array(features, count, "features", error));
    if (weights) return add_weighed(simhash, features, weights, count, error);
    if (count > (MAX_TOTAL - 1 - simhash->total) / ND_SIMHASH_UNIT) return refuse_total(error);
    simhash->total += (uint64_t)count * ND_SIMHASH_UNIT;
    nd_kernel_get()->simhash(features, NULL, count, simhash->bits, simhash->counted);
    return ND_OK;
}

nd_fingerprint nd_simhash_finish(nd_simhash *simhash) {
    uint64_t words[2] = {0, 0};
    for (uint32_t i = 0; i < simhash->bits; i++) {
        int64_t sum = simhash->counted[i] * ND_SIMHASH_UNIT + simhash->weighed[i];
        words[i / 64] |= (uint64_t)(sum > 0) << i % 64;
        simhash->counted[i] = simhash->weighed[i] = 0;
    }
    simhash->total = 0;
    nd_fingerprint fingerprint = {words[0], words[1]};
    return fingerprint;
}
