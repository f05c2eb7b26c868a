#include "hamming/join_prefilter.h"

#include "base/bits.h"
#include "base/limits.h"

#include <math.h>

enum {
    MOST_BITS = ND_LIMIT(ND_WINDOW_MOST_BITS, 12),
    MOST_PATTERNS = 1 << 12,
    TOGETHER = 128 /* fingerprints whose cache misses overlap */
};

struct nd_join_prefilter {
    nd_allocator allocator;
    uint32_t k, count;
    nd_bit_window windows[ND_WINDOW_MOST];
    uint64_t *bits[ND_WINDOW_MOST]; /* one for each value of the window */
};

static const char what[] = "a filter of fingerprints";

/* The errors of window i of `count`, spread evenly; at least 0 if count <= k + 1. */
static uint32_t errors_of(uint32_t k, uint32_t count, uint32_t i) {
    return (k + 1) / count + (i < (k + 1) % count) - 1;
}

static double pattern_count(uint32_t bits, uint32_t errors) {
    double sum = 1, term = 1;
    for (uint32_t j = 1; j <= errors && j <= bits; j++) sum += term = term * (bits - j + 1) / j;
    return sum;
}

/* Nanoseconds of a filter of `count` windows, the same on all machines. Of random fingerprints, a
 * window passes the fraction of its bits that are set. */
static double cost_of(const nd_join_prefilter_settings *s, uint32_t varying, uint32_t count) {
    const double set = 10, probe = 8;
    double cost = 0, passed = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t share = varying / count + (i < varying % count),
                 width = share < MOST_BITS ? share : MOST_BITS;
        double patterns = pattern_count(width, errors_of(s->k, count, i));
        if (patterns > MOST_PATTERNS) return INFINITY;
        passed += s->few * patterns / ldexp(1, (int)width);
        cost += s->few * patterns * set + s->many * probe + ldexp(1, (int)width) / 64;
    }
    return cost + (passed < 1 ? passed : 1) * s->many * s->pass;
}

nd_status nd_join_prefilter_create(const nd_join_prefilter_settings *settings,
                                   const nd_allocator *allocator, nd_join_prefilter **out,
                                   nd_error *error) {
    const uint32_t k = settings->k,
                   weight = nd_popcount(settings->varying[0]) + nd_popcount(settings->varying[1]);
    uint32_t best = 0;
    double least = settings->many * settings->pass;
    *out = NULL;
    for (uint32_t count = 1; count <= k + 1 && count <= weight; count++) {
        double cost = cost_of(settings, weight, count);
        if (cost < least) best = count, least = cost;
    }
    if (best == 0) return ND_OK;
    nd_join_prefilter *f = nd_allocate_zero(allocator, 1, sizeof *f);
    if (!f) return nd_fail_memory(error, sizeof *f, what);
    f->allocator = *allocator;
    f->k = k;
    f->count = best;
    nd_bit_windows_cut(settings->varying, best, MOST_BITS, f->windows);
    for (uint32_t i = 0; i < best; i++) {
        size_t words = ((size_t)1 << f->windows[i].width) / 64 + 1;
        f->bits[i] = nd_allocate_zero(allocator, words, sizeof(uint64_t));
        if (f->bits[i]) continue;
        nd_join_prefilter_free(f);
        return nd_fail_memory(error, words * sizeof(uint64_t), what);
    }
    *out = f;
    return ND_OK;
}

void nd_join_prefilter_free(nd_join_prefilter *f) {
    if (!f) return;
    nd_allocator allocator = f->allocator;
    for (uint32_t i = 0; i < f->count; i++) nd_release(&allocator, f->bits[i]);
    nd_release(&allocator, f);
}

/* Sets the bits of all values that differ from `value` in up to `errors` of its lowest `width`
 * bits. */
static void set_near(uint64_t *bits, uint32_t value, uint32_t width, uint32_t errors) {
    bits[value / 64] |= UINT64_C(1) << value % 64;
    for (uint32_t bit = 0; errors > 0 && bit < width; bit++)
        set_near(bits, value ^ UINT32_C(1) << bit, bit, errors - 1);
}

void nd_join_prefilter_add(nd_join_prefilter *f, const uint64_t *fingerprint) {
    for (uint32_t i = 0; i < f->count; i++)
        set_near(f->bits[i], nd_bit_window_value(&f->windows[i], fingerprint), f->windows[i].width,
                 errors_of(f->k, f->count, i));
}

static void probe_some(const nd_join_prefilter *f, const uint64_t *records, unsigned words,
                       size_t count, bool *may) {
    uint32_t values[TOGETHER];
    for (size_t i = 0; i < count; i++) may[i] = false;
    for (uint32_t w = 0; w < f->count; w++) {
        const nd_bit_window window = f->windows[w];
        const uint64_t *bits = f->bits[w];
        for (size_t i = 0; i < count; i++) {
            values[i] = nd_bit_window_value(&window, records + i * words);
            __builtin_prefetch(bits + values[i] / 64);
        }
        for (size_t i = 0; i < count; i++) may[i] |= bits[values[i] / 64] >> values[i] % 64 & 1;
    }
}

void nd_join_prefilter_probe(const nd_join_prefilter *f, const uint64_t *records, unsigned words,
                             size_t count, bool *may) {
    for (size_t i = 0; i < count; i += TOGETHER)
        probe_some(f, records + i * words, words, count - i < TOGETHER ? count - i : TOGETHER,
                   may + i);
}
