#include "sketch/tlsh_sketch.h"

#include "sketch/tlsh.h"

#include <string.h>

/* In place of the variant: there is no digest. */
enum { NO_DIGEST = 0xff };

bool nd_tlsh_sketch_make(const char *text, size_t length, void *sketch) {
    nd_tlsh digest = {.variant = NO_DIGEST};
    bool made = nd_tlsh_make(ND_TLSH_128_1, text, length, &digest);
    memcpy(sketch, &digest, ND_TLSH_SKETCH_SIZE);
    return made;
}

bool nd_tlsh_sketch_load(const void *sketch, nd_tlsh *out) {
    nd_tlsh digest = {0};
    memcpy(&digest, sketch, ND_TLSH_SKETCH_SIZE);
    if (!nd_tlsh_is_variant(digest.variant)) return false;
    *out = digest;
    return true;
}

uint32_t nd_tlsh_sketch_distance(const void *a, const void *b) {
    nd_tlsh x, y;
    return nd_tlsh_sketch_load(a, &x) && nd_tlsh_sketch_load(b, &y) ? nd_tlsh_distance(&x, &y, true)
                                                                    : UINT32_MAX;
}
