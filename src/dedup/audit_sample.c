#include "dedup/audit_sample.h"

#include "base/radix_sort.h"
#include "base/shuffle.h"

/* Selection sampling (Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S): each document
 * is taken with the probability (places left) / (documents left). The words are original << 1 |
 * whether the document is the original itself. */
static void draw(const nd_fates *fates, uint64_t size, uint64_t seed, uint64_t *words) {
    uint64_t left = size, state = seed;
    for (uint32_t d = 0; left > 0; d++) {
        uint64_t random = nd_splitmix64_next_high(&state);
        if (random * (fates->count - d) >> 32 >= left) continue;
        bool copy = nd_fates_is_copy(fates, d);
        words[--left] = (uint64_t)(copy ? nd_fates_original(fates, d) : d) << 1 | !copy;
    }
}

static void make_probes(const uint64_t *words, nd_audit_sample *s) {
    for (uint64_t i = 0; i < s->sampled; i++) {
        uint32_t document = (uint32_t)(words[i] >> 1);
        if (s->count == 0 || s->probes[s->count - 1].document != document)
            s->probes[s->count++] = (nd_probe){.document = document};
        nd_probe *p = &s->probes[s->count - 1];
        p->sampled++;
        p->itself |= words[i] & 1;
    }
}

nd_status nd_audit_sample_draw(const nd_fates *fates, uint64_t size, uint64_t seed,
                               nd_audit_sample *out, nd_error *error) {
    const nd_allocator *a = &fates->allocator;
    size_t count = (size_t)(size < fates->count ? size : fates->count);
    *out = (nd_audit_sample){.allocator = *a, .sampled = count};
    uint64_t *words = nd_allocate(a, count, sizeof *words),
             *scratch = nd_allocate(a, count, sizeof *scratch);
    out->probes = nd_allocate(a, count, sizeof *out->probes);
    bool enough = words && scratch && out->probes;
    if (enough) {
        draw(fates, count, seed, words);
        if (count > 0) nd_radix_sort(words, scratch, count, 0);
        make_probes(words, out);
    }
    nd_release(a, words);
    nd_release(a, scratch);
    return enough ? ND_OK : nd_fail_memory(error, count * sizeof *out->probes, "a sample");
}

void nd_audit_sample_free(nd_audit_sample *s) {
    if (s->probes) nd_release(&s->allocator, s->probes);
}

size_t nd_probe_of(const nd_audit_sample *s, uint32_t document) {
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->probes[middle].document < document) low = middle + 1;
        else high = middle;
    }
    return low < s->count && s->probes[low].document == document ? low : SIZE_MAX;
}
