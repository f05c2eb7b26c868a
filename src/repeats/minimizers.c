#include "repeats/minimizers.h"

#include "base/hash.h"

/* K-grams that are hashed at a time. */
enum { HASHED_AT_ONCE = ND_LIMIT(1 << 16, 1 << 9) };

static uint32_t grams_of_window(const nd_anchor_finder *f) {
    return f->least - nd_anchor_size(f->least) + 1;
}

static uint64_t power(uint64_t base, uint32_t exponent) {
    uint64_t product = 1;
    while (exponent-- > 0) product *= base;
    return product;
}

/* Writes the hashes of the K-grams that begin at the first `count` symbols: a rolling polynomial,
 * mixed. Inlined, so that each kind of symbols has a loop of its own. */
static inline void hash_grams_of(nd_symbols kind, const unsigned char *text, uint32_t k,
                                 size_t count, uint64_t *hashes) {
    uint64_t rolling = 0, leaving = power(ND_HASH_POLY, k);
    for (uint32_t i = 0; i < k; i++)
        rolling = rolling * ND_HASH_POLY + nd_symbol_at(kind, text, i) + 1;
    hashes[0] = nd_mix64(rolling);
    for (size_t i = 1; i < count; i++) {
        uint64_t in = nd_symbol_at(kind, text, i + k - 1) + 1,
                 out = nd_symbol_at(kind, text, i - 1) + 1;
        rolling = rolling * ND_HASH_POLY + in - out * leaving;
        hashes[i] = nd_mix64(rolling);
    }
}

static void hash_grams(const nd_anchor_finder *f, const unsigned char *text, size_t count) {
    uint32_t k = nd_anchor_size(f->least);
    if (f->symbols == ND_SYMBOL_BYTES) hash_grams_of(ND_SYMBOL_BYTES, text, k, count, f->hashes);
    else hash_grams_of(ND_SYMBOL_TOKENS, text, k, count, f->hashes);
}

/* The function that has the anchors. */
typedef struct receiver {
    nd_anchors_fn *fn;
    void *context;
} receiver;

static nd_status hand_on(nd_anchor_finder *f, const receiver *to, nd_error *error) {
    size_t count = f->count;
    f->count = 0;
    return to->fn(to->context, f->anchors, count, error);
}

/* Appends the anchor of the window that begins at `window`, or adds the window to the last anchor,
 * if that is its anchor, too. So the ones before the last are whole. */
static nd_status take_window(nd_anchor_finder *f, size_t window, size_t offset, uint64_t hash,
                             const receiver *to, nd_error *error) {
    if (f->count > 0 && f->anchors[f->count - 1].offset == offset) {
        f->anchors[f->count - 1].windows++;
        return ND_OK;
    }
    if (f->count == sizeof f->anchors / sizeof *f->anchors) ND_TRY(hand_on(f, to, error));
    f->anchors[f->count++] = (nd_anchor){.hash = hash,
                                         .offset = (uint32_t)offset,
                                         .back = (uint16_t)(offset - window),
                                         .windows = 1};
    return ND_OK;
}

/* Finds the anchors of the first `count` windows of `symbols`, which are number `begin` of the text
 * and the ones behind it. */
static nd_status find_in_windows(nd_anchor_finder *f, const unsigned char *symbols, size_t begin,
                                 size_t count, const receiver *to, nd_error *error) {
    const uint64_t *hashes = f->hashes;
    const uint32_t grams = grams_of_window(f);
    size_t best = 0;
    hash_grams(f, symbols, count + grams - 1);
    for (size_t window = 0; window < count; window++) {
        size_t last = window + grams - 1;
        if (window == 0 || best < window) {
            best = window;
            for (size_t i = window + 1; i <= last; i++) best = hashes[i] < hashes[best] ? i : best;
        } else if (hashes[last] < hashes[best]) best = last;
        ND_TRY(take_window(f, begin + window, begin + best, hashes[best], to, error));
    }
    return ND_OK;
}

nd_status nd_anchors_find_part(nd_anchor_finder *f, const void *part, size_t begin, size_t length,
                               nd_anchors_fn *fn, void *context, nd_error *error) {
    const receiver to = {fn, context};
    const unsigned char *symbols = part;
    if (begin == 0) f->count = 0;
    if (length < f->least) return ND_OK;
    size_t windows = length - f->least + 1,
           most = windows < HASHED_AT_ONCE ? windows : HASHED_AT_ONCE;
    if (!nd_reserve(&f->allocator, &f->hashes, &f->hash_capacity, most + grams_of_window(f) - 1))
        return nd_fail_memory(error, most * sizeof *f->hashes, "the anchors of a text");
    for (size_t done = 0; done < windows; done += HASHED_AT_ONCE) {
        size_t left = windows - done;
        ND_TRY(find_in_windows(f, symbols + done * f->symbols, begin + done,
                               left < HASHED_AT_ONCE ? left : HASHED_AT_ONCE, &to, error));
    }
    return ND_OK;
}

nd_status nd_anchors_end(nd_anchor_finder *f, nd_anchors_fn *fn, void *context, nd_error *error) {
    return f->count > 0 ? hand_on(f, &(const receiver){fn, context}, error) : ND_OK;
}

nd_status nd_anchors_find(nd_anchor_finder *f, const void *text, size_t length, nd_anchors_fn *fn,
                          void *context, nd_error *error) {
    ND_TRY(nd_anchors_find_part(f, text, 0, length, fn, context, error));
    return nd_anchors_end(f, fn, context, error);
}

void nd_anchor_finder_free(nd_anchor_finder *f) { nd_release(&f->allocator, f->hashes); }
