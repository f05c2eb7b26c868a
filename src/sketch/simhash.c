/* SimHash (Charikar, "Similarity estimation techniques from rounding algorithms", 2002), family
 * version 1 as neardup.h defines it; and the format and distance of fingerprints.
 *
 * Sums are exact integers. Features without weights are counted in sums of their own; features with
 * weights are summed in units of 1/4096; nd_simhash_finish adds the two. */
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
    return nd_popcount(a.low ^ b.low) + nd_popcount(a.high ^ b.high);
}

bool nd_is_within(nd_fingerprint a, nd_fingerprint b, uint32_t k) { return nd_distance(a, b) <= k; }

void nd_fingerprint_format(nd_fingerprint fingerprint, uint32_t bits, char text[33]) {
    uint32_t digits = bits <= 128 ? bits / 4 : 32;
    for (uint32_t i = 0; i < digits; i++) {
        uint32_t shift = 4 * (digits - 1 - i);
        uint64_t word = shift < 64 ? fingerprint.low : fingerprint.high;
        text[i] = "0123456789abcdef"[word >> shift % 64 & 15];
    }
    text[digits] = 0;
}

/* 16: `c` is not a digit. */
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
#define MAX_TOTAL (UINT64_C(1) << 62) /* 2^50 in units: bound of the sum of all magnitudes */
/* So many weights are converted to units at a time. */
#define WEIGHT_BLOCK ND_LIMIT(1024, 24)

struct nd_simhash {
    nd_allocator allocator;
    uint32_t bits;
    uint64_t total;            /* magnitudes of all weights, in units */
    int64_t counted[MAX_BITS]; /* sums of features without weights, each of which counts 1 */
    int64_t weighed[MAX_BITS]; /* sums of features with weights, in units */
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

/* Returns the nearest number of units, a half rounded to the even one. A double of 2^52 or more has
 * no fraction, so the addition rounds. The compiler vectorises this, but not lrint(). */
static inline int32_t to_units(double weight) {
    const double whole = 0x1.8p52;
    return (int32_t)(weight * ND_SIMHASH_UNIT + whole - whole);
}

static nd_status fail_total(nd_error *error) {
    return nd_fail(error, ND_ERR_ARGUMENT,
                   "the magnitudes of all weights must be below 2^50 together");
}

/* The top bit of the result says that a weight is out of range. Doubles of one sign are ordered as
 * their bits are; infinities and NaNs follow the numbers. */
static inline uint64_t out_of_range(double weight) {
    const double most = MAX_WEIGHT;
    uint64_t bits, most_bits;
    memcpy(&bits, &weight, 8);
    memcpy(&most_bits, &most, 8);
    return (bits & INT64_MAX) + (INT64_MAX - most_bits);
}

/* Converts up to WEIGHT_BLOCK weights, and adds their magnitudes to *total. False: one is out of
 * range, and nothing was converted. */
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

/* Checks all weights before it adds the first. */
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
        if (total >= MAX_TOTAL) return fail_total(error);
    }
    for (size_t done = 0; done < count; done += WEIGHT_BLOCK) {
        size_t block = block_at(done, count);
        /* If there is one block only, `units` still has its weights. */
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
    if (count > (MAX_TOTAL - 1 - simhash->total) / ND_SIMHASH_UNIT) return fail_total(error);
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
