/* Bottom-k (Broder, "On the resemblance and containment of documents", 1997), family version 1 as
 * neardup.h defines it. The estimates are by Beyer, Haas, Reinwald, Sismanis and Gemulla, "On
 * synopses for distinct-value estimation under multiset operations", 2007, and by Cohen and Kaplan,
 * "Summarizing data using bottom-k sketches", 2007.
 *
 * A sketch is an array of 2k values. The first `compacted` values are sorted and distinct. Behind
 * them are newer values that are not above `limit`, in the order of their coming, with repeats.
 * When the array is full, or its values are asked for, it is sorted, made distinct and cut to k
 * values; `limit` is then the k-th value less one. So most elements of a large set cost one hash
 * and one comparison; each of the others takes part in a sort of at most 2k values.
 *
 * The values of a set of D elements are a sample without replacement of the 2^64 numbers, so known
 * results about such samples hold exactly. If v is the k-th smallest value, counted from 0, then
 * (k - 1) 2^64 / v is an unbiased estimate of D (Haldane, "On a method of estimating frequencies",
 * 1945), and the square of the stated error is an unbiased estimate of its variance. */
#include "base/alloc.h"
#include "base/argument.h"
#include "base/floats.h"
#include "base/hash.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define MIN_K 2
#define MAX_K 65536

struct nd_bottom_k {
    nd_allocator allocator;
    uint64_t seed, key;
    uint64_t limit; /* a larger value does not change the sketch */
    uint32_t k;
    size_t compacted, used;
    uint64_t values[];
};

nd_status nd_bottom_k_create(uint32_t k, uint64_t seed, const nd_allocator *allocator,
                             nd_bottom_k **out, nd_error *error) {
    ND_TRY(nd_need(out, "out", error));
    if (k < MIN_K || k > MAX_K)
        return nd_fail(error, ND_ERR_ARGUMENT, "k must be %d to %d, not %u", MIN_K, MAX_K, k);
    nd_allocator memory = nd_allocator_or_default(allocator);
    size_t size = sizeof(nd_bottom_k) + 2 * (size_t)k * sizeof(uint64_t);
    nd_bottom_k *sketch = nd_allocate(&memory, 1, size);
    if (!sketch) return nd_fail_memory(error, size, "a bottom-k sketch");
    *sketch = (nd_bottom_k){.allocator = memory,
                            .seed = seed,
                            .key = nd_mix64(seed + ND_HASH_C2),
                            .limit = UINT64_MAX,
                            .k = k};
    *out = sketch;
    return ND_OK;
}

void nd_bottom_k_free(nd_bottom_k *sketch) {
    if (!sketch) return;
    nd_allocator allocator = sketch->allocator;
    nd_release(&allocator, sketch);
}

/* ---- values */

/* Sorts the values, removes repeats, and keeps the k smallest. */
static void compact(nd_bottom_k *s) {
    if (s->compacted == s->used) return;
    size_t count = nd_set_make(s->values, s->used);
    s->used = s->compacted = count < s->k ? count : s->k;
    if (s->compacted == s->k) s->limit = s->values[s->k - 1] - 1;
}

void nd_bottom_k_add(nd_bottom_k *sketch, const uint64_t *hashes, size_t count) {
    for (size_t i = 0; i < count;) {
        size_t used = sketch->used, end = 2 * (size_t)sketch->k;
        const uint64_t key = sketch->key, limit = sketch->limit;
        for (; i < count && used < end; i++) {
            uint64_t value = nd_mix64(hashes[i] ^ key);
            sketch->values[used] = value;
            used += value <= limit;
        }
        sketch->used = used;
        if (used == end) compact(sketch);
    }
}

static nd_status check_alike(const nd_bottom_k *a, const nd_bottom_k *b, nd_error *error) {
    if (a->k != b->k)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "two bottom-k sketches must have the same k, not %u and %u", a->k, b->k);
    if (a->seed != b->seed)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "two bottom-k sketches must have the same seed, not %llu and %llu",
                       (unsigned long long)a->seed, (unsigned long long)b->seed);
    return ND_OK;
}

nd_status nd_bottom_k_merge(nd_bottom_k *into, nd_bottom_k *from, nd_error *error) {
    ND_TRY(nd_need(into, "into", error));
    ND_TRY(nd_need(from, "from", error));
    ND_TRY(check_alike(into, from, error));
    compact(into);
    compact(from);
    for (size_t i = 0; i < from->compacted && from->values[i] <= into->limit; i++)
        into->values[into->used++] = from->values[i];
    compact(into);
    return ND_OK;
}

size_t nd_bottom_k_values(nd_bottom_k *sketch, const uint64_t **values) {
    compact(sketch);
    *values = sketch->values;
    return sketch->compacted;
}

nd_status nd_bottom_k_load(nd_bottom_k *sketch, const uint64_t *values, size_t count,
                           nd_error *error) {
    ND_TRY(nd_need(sketch, "sketch", error));
    ND_TRY(nd_need_array(values, count, "values", error));
    if (count > sketch->k)
        return nd_fail(error, ND_ERR_INPUT, "a bottom-k sketch has at most k = %u values, not %zu",
                       sketch->k, count);
    for (size_t i = 1; i < count; i++)
        if (values[i - 1] >= values[i])
            return nd_fail(error, ND_ERR_INPUT,
                           "value %zu of a bottom-k sketch, 0x%016llx, must be above the one "
                           "before it, 0x%016llx",
                           i, (unsigned long long)values[i], (unsigned long long)values[i - 1]);
    if (count > 0) memmove(sketch->values, values, count * sizeof *values);
    sketch->used = sketch->compacted = count;
    sketch->limit = count == sketch->k ? values[count - 1] - 1 : UINT64_MAX;
    return ND_OK;
}

/* ---- estimates */

/* Estimates the size of a set from its k-th smallest value. */
static nd_estimate estimate_size(uint32_t k, uint64_t kth) {
    double size = (k - 1) / ((double)kth * 0x1p-64);
    return (nd_estimate){size, sqrt(size * fmax(size - k + 1, 0) / (k - 1))};
}

nd_estimate nd_bottom_k_size(nd_bottom_k *sketch) {
    ND_DEFAULT_FLOATS;
    compact(sketch);
    bool whole = sketch->compacted < sketch->k;
    nd_estimate size = whole ? (nd_estimate){(double)sketch->compacted, 0}
                             : estimate_size(sketch->k, sketch->values[sketch->k - 1]);
    ND_PIN(size);
    return size;
}

/* The `count` smallest values of the union, and how many of them are in A, in B, and in both. */
typedef struct union_sample {
    size_t count, in_a, in_b, in_both;
    uint64_t last; /* the largest of these values */
} union_sample;

static union_sample sample_union(const nd_bottom_k *a, const nd_bottom_k *b, size_t most) {
    union_sample sample = {0};
    for (size_t i = 0, j = 0; sample.count < most && (i < a->compacted || j < b->compacted);
         sample.count++) {
        bool from_a = j == b->compacted || (i < a->compacted && a->values[i] <= b->values[j]);
        bool from_b = i == a->compacted || (j < b->compacted && b->values[j] <= a->values[i]);
        sample.last = from_a ? a->values[i] : b->values[j];
        sample.in_a += from_a;
        sample.in_b += from_b;
        sample.in_both += from_a && from_b;
        i += from_a;
        j += from_b;
    }
    return sample;
}

/* Estimates a share from a sample: `count` of `all` sampled elements. `unseen` is the share of the
 * elements that are not in the sample. */
static nd_estimate estimate_share(size_t count, size_t all, double unseen) {
    if (unseen <= 0) return (nd_estimate){all > 0 ? (double)count / (double)all : 1, 0};
    if (all <= 1) return (nd_estimate){all > 0 ? (double)count : 0.5, 0.5};
    double share = (double)count / (double)all;
    return (nd_estimate){share, sqrt(share * (1 - share) * unseen / (double)(all - 1))};
}

/* Estimates the size of an intersection. The share of k values and the estimated size of the union
 * are independent, so the variance is the one of their product. */
static nd_estimate estimate_intersection(uint32_t k, size_t in_both, double set_union) {
    double share = (double)in_both / k, value = share * set_union, rest = k - 1;
    if (in_both == 0) return (nd_estimate){0, 0};
    double square = set_union * set_union * share *
                        (share - (double)(in_both - 1) * (rest - 1) / (rest * rest)) -
                    value;
    return (nd_estimate){value, sqrt(fmax(square, 0))};
}

/* Estimates the share of a set that is in both; `in_sample` of its elements are in the sample. */
static nd_estimate estimate_containment(const nd_bottom_k *s, size_t in_both, size_t in_sample,
                                        double unseen) {
    bool whole = s->compacted < s->k && in_sample == s->compacted;
    return estimate_share(in_both, in_sample, whole ? 0 : unseen);
}

nd_status nd_bottom_k_estimate(nd_bottom_k *a, nd_bottom_k *b, nd_bottom_k_estimates *out,
                               nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(a, "a", error));
    ND_TRY(nd_need(b, "b", error));
    ND_TRY(nd_need(out, "out", error));
    ND_TRY(check_alike(a, b, error));
    compact(a);
    compact(b);
    bool whole = a->compacted < a->k && b->compacted < b->k;
    union_sample sample = sample_union(a, b, whole ? SIZE_MAX : a->k);
    double unseen = whole ? 0 : 1 - (double)sample.last * 0x1p-64;
    out->set_union = whole ? (nd_estimate){(double)sample.count, 0}
                           : estimate_size(a->k, sample.last);
    out->intersection = whole ? (nd_estimate){(double)sample.in_both, 0}
                              : estimate_intersection(a->k, sample.in_both, out->set_union.value);
    out->jaccard = estimate_share(sample.in_both, sample.count, unseen);
    out->a_in_b = estimate_containment(a, sample.in_both, sample.in_a, unseen);
    out->b_in_a = estimate_containment(b, sample.in_both, sample.in_b, unseen);
    return ND_OK;
}
