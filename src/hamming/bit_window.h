/* Windows of fingerprints in their original bit order: some bits of a fingerprint, read as a
 * number.
 *
 * By the pigeonhole principle, two fingerprints that differ in at most k bits agree in at least one
 * of k + 1 windows that share no bits. */
#ifndef ND_HAMMING_BIT_WINDOW_H
#define ND_HAMMING_BIT_WINDOW_H

#include "neardup.h"

#include <stddef.h>
#include <stdint.h>

enum { ND_WINDOW_MOST_BITS = 28, ND_WINDOW_MOST = 33 /* windows */ };

/* The bits are moved in runs, which are shifted by the same distance. */
typedef struct nd_bit_window {
    uint64_t mask[2]; /* the window's bits: low word, high word */
    uint32_t width;   /* number of bits, 1 to ND_WINDOW_MOST_BITS */
    uint32_t run_count;
    struct {
        uint8_t word; /* of the fingerprint */
        uint8_t from; /* lowest bit in this word */
        uint8_t to;   /* lowest bit in the number */
        uint32_t mask;
    } runs[ND_WINDOW_MOST_BITS];
} nd_bit_window;

/* Cuts the bits of `varying` from the highest down into `count` (1 to ND_WINDOW_MOST) shares whose
 * sizes differ by at most one bit. Window i has the highest bits of share i, at most `most` of
 * them. False: `varying` has fewer than `count` bits. */
bool nd_bit_windows_cut(const uint64_t varying[2], uint32_t count, uint32_t most,
                        nd_bit_window *out);

/* A fingerprint's number in a window. The fingerprint has one or two words, the low one first. */
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
