/* MinHash (Broder, "On the resemblance and containment of documents", 1997), from four extreme
 * values of each function, where min-max hash (Ji, Li, Yan, Tian, Zhang, "Min-max hash for Jaccard
 * similarity", 2013) takes two; family version 3 as neardup.h defines it. The parameters of the f
 * functions are made from the seed:
 *
 *     stream     s_j = nd_mix64(seed + j * 0x9e3779b97f4a7c15), j = 1, 2, ...  (base/shuffle.h)
 *     key        s_1
 *     low bits   0 .. p-1, shuffled; p is the smallest power of two that is not below f
 *     a_i        the high 32 bits of the next s; element i of the shuffle replaces their low
 *                log2(p) bits
 *
 * So all a_i are distinct modulo p, and no two values of an element differ by less than its low
 * half times an odd number times 2^(log2(p) - 1). */
#include "sketch/minhash.h"

#include "base/alloc.h"
#include "base/argument.h"
#include "base/bits.h"
#include "base/floats.h"
#include "base/shuffle.h"
#include "base/status.h"
#include "kernel/kernel.h"

#include <string.h>

enum { MAX_PERMS = 1024, MAX_FUNCTIONS = MAX_PERMS / ND_MINHASH_ORDERS };

struct nd_minhash {
    nd_allocator allocator;
    uint64_t key;
    uint32_t perms, functions;
    uint32_t computed;         /* functions, up to a multiple of the kernel's step */
    uint32_t a[MAX_FUNCTIONS]; /* of each function; 0 of the others that are computed */
};

static void draw_parameters(nd_minhash *minhash, uint64_t seed) {
    uint32_t low_bits[MAX_FUNCTIONS], size = 1;
    while (size < minhash->functions) size *= 2;
    uint64_t state = seed;
    minhash->key = nd_splitmix64_next(&state);
    nd_shuffle(low_bits, size, &state);
    for (uint32_t i = 0; i < minhash->functions; i++)
        minhash->a[i] = (nd_splitmix64_next_high(&state) & ~(size - 1)) | low_bits[i];
}

nd_status nd_minhash_create(uint32_t perms, uint64_t seed, const nd_allocator *allocator,
                            nd_minhash **out, nd_error *error) {
    ND_TRY(nd_need(out, "out", error));
    if (perms < 1 || perms > MAX_PERMS)
        return nd_fail(error, ND_ERR_ARGUMENT, "perms must be 1 to %d, not %u", MAX_PERMS, perms);
    nd_allocator memory = nd_allocator_or_default(allocator);
    nd_minhash *minhash = nd_allocate_zero(&memory, 1, sizeof *minhash);
    if (!minhash) return nd_fail_memory(error, sizeof *minhash, "MinHash parameters");
    minhash->allocator = memory;
    minhash->perms = perms;
    minhash->functions = nd_minhash_functions(perms);
    minhash->computed = (minhash->functions + ND_MINHASH_STEP - 1) / ND_MINHASH_STEP *
                        ND_MINHASH_STEP;
    draw_parameters(minhash, seed);
    *out = minhash;
    return ND_OK;
}

void nd_minhash_free(nd_minhash *minhash) {
    if (!minhash) return;
    nd_allocator allocator = minhash->allocator;
    nd_release(&allocator, minhash);
}

uint32_t nd_minhash_perms(const nd_minhash *minhash) { return minhash->perms; }

static void sign(const nd_kernel *kernel, const nd_minhash *minhash, const uint64_t *hashes,
                 size_t count, uint32_t *signature) {
    uint32_t functions = minhash->functions, all = minhash->computed, values[MAX_PERMS];
    memset(values, 0xff, ND_MINHASH_ORDERS * all * sizeof *values);
    kernel->minhash(hashes, count, minhash->key, minhash->a, all, values);
    for (uint32_t i = 0, k = 0; i < minhash->perms; i += functions, k++) {
        uint32_t left = minhash->perms - i;
        memcpy(signature + i, values + k * all,
               (left < functions ? left : functions) * sizeof *signature);
    }
}

void nd_minhash_sign(const nd_minhash *minhash, const uint64_t *hashes, size_t count,
                     uint32_t *signature) {
    sign(nd_kernel_get(), minhash, hashes, count, signature);
}

void nd_minhash_sign_batch(const nd_minhash *minhash, const uint64_t *hashes, const size_t *starts,
                           size_t sets, uint32_t *signatures) {
    const nd_kernel *kernel = nd_kernel_get();
    for (size_t s = 0; s < sets; s++)
        sign(kernel, minhash, hashes + starts[s], starts[s + 1] - starts[s],
             signatures + s * minhash->perms);
}

double nd_minhash_estimate(const uint32_t *a, const uint32_t *b, uint32_t perms) {
    ND_DEFAULT_FLOATS;
    size_t equal = nd_kernel_get()->count_equal32(a, b, perms);
    ND_PIN(equal);
    double estimate = perms > 0 ? (double)equal / perms : 0;
    ND_PIN(estimate);
    return estimate;
}

void nd_minhash_sketch(const uint32_t *signature, uint32_t perms, uint8_t *sketch) {
    for (uint32_t i = 0; i < perms; i++) sketch[i] = (uint8_t)signature[i];
}

void nd_minhash_half_sketch(const uint32_t *signature, uint32_t perms, uint8_t *sketch) {
    for (uint32_t i = 0; i + 2 <= perms; i += 2)
        sketch[i / 2] = (uint8_t)((signature[i] & 15) | signature[i + 1] << 4);
    if (perms % 2) sketch[perms / 2] = (uint8_t)(signature[perms - 1] & 15);
}

/* The halves of bytes that are not zero. */
static unsigned count_halves(uint64_t x) {
    x |= x >> 2;
    return nd_popcount((x | x >> 1) & UINT64_C(0x1111111111111111));
}

size_t nd_half_sketch_matches(const uint8_t *a, const uint8_t *b, uint32_t perms) {
    size_t size = nd_half_sketch_size(perms), different = 0, i = 0;
    for (; i + 8 <= size; i += 8)
        different += count_halves(nd_load_le64(a + i) ^ nd_load_le64(b + i));
    for (; i < size; i++) different += count_halves((uint64_t)(a[i] ^ b[i]));
    return perms - different; /* a half that is left over is zero in both */
}
