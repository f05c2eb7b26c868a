/* The bits that a fingerprint of a given width uses, and its bytes in the sketch of a document. */
#ifndef ND_SKETCH_FINGERPRINT_H
#define ND_SKETCH_FINGERPRINT_H

#include "neardup.h"

#include <string.h>

/* A fingerprint with all of its bits set. */
static inline nd_fingerprint nd_fingerprint_mask(uint32_t bits) {
    nd_fingerprint mask = {bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1,
                           bits > 64 ? ~UINT64_C(0) : 0};
    return mask;
}

static inline bool nd_fingerprint_fits(nd_fingerprint f, uint32_t bits) {
    nd_fingerprint mask = nd_fingerprint_mask(bits);
    return (f.low & ~mask.low) == 0 && (f.high & ~mask.high) == 0;
}

/* Bytes of a fingerprint among the sketches of a run. */
static inline size_t nd_fingerprint_size(uint32_t bits) { return bits > 64 ? 16 : 8; }

/* The fingerprint that `size` bytes of a sketch hold; the low word comes first. */
static inline nd_fingerprint nd_fingerprint_load(const void *sketch, size_t size) {
    nd_fingerprint fingerprint = {0, 0};
    memcpy(&fingerprint, sketch, size);
    return fingerprint;
}

#endif
