/* Windows of fingerprints as they are: some of their bits, read as a number. What differs in at
 * most k bits agrees in one of k + 1 windows that have no bit in common. */
#ifndef ND_HAMMING_BIT_WINDOW_H
#define ND_HAMMING_BIT_WINDOW_H

#include "neardup.h"

#include <stddef.h>
#include <stdint.h>

enum { ND_WINDOW_MOST_BITS = 28, ND_WINDOW_MOST = 33 };

typedef struct nd_bit_window {
    uint64_t mask[2]; /* its bits: low, high */
    uint32_t width;   /* their number, 1 to ND_WINDOW_MOST_BITS */
    uint32_t run_count;
    struct {
        uint8_t word, from, to; /* of the fingerprint; lowest bit there, lowest bit in the number */
        uint32_t mask;
    } runs[ND_WINDOW_MOST_BITS];
} nd_bit_window;

/* Cuts the bits of `varying` from the highest down into `count` (1 to ND_WINDOW_MOST) lots that
 * differ by at most one bit; window i has the highest bits of lot i, at most `most` of them. False:
 * there are too few bits. */
bool nd_bit_windows_cut(const uint64_t varying[2], uint32_t count, uint32_t most,
                        nd_bit_window *out);

/* The number that a window has in a fingerprint of one or two words, the low one first. */
static inline uint32_t nd_bit_window_value(const nd_bit_window *window,
                                           const uint64_t *fingerprint) {
    uint32_t value = 0;
    for (uint32_t r = 0; r < window->run_count; r++)
        value |= ((uint32_t)(fingerprint[window->runs[r].word] >> window->runs[r].from) &
                  window->runs[r].mask)
                 << window->runs[r].to;
    return value;
}

#endif
