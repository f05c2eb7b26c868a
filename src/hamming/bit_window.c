#include "hamming/bit_window.h"

#include "base/bits.h"

/* Adds a fingerprint bit to the window as bit `to` of its number. Bits come from the highest down,
 * so that neighbours extend the last run. */
static void add_bit(nd_bit_window *w, uint32_t bit, uint32_t to) {
    uint8_t word = (uint8_t)(bit / 64), from = (uint8_t)(bit % 64);
    w->mask[word] |= UINT64_C(1) << from;
    bool joins = w->run_count > 0 && w->runs[w->run_count - 1].word == word &&
                 w->runs[w->run_count - 1].from == from + 1;
    if (!joins) w->runs[w->run_count++].mask = 0;
    w->runs[w->run_count - 1].word = word;
    w->runs[w->run_count - 1].from = from;
    w->runs[w->run_count - 1].to = (uint8_t)to;
    w->runs[w->run_count - 1].mask = w->runs[w->run_count - 1].mask << 1 | 1;
}

bool nd_bit_windows_cut(const uint64_t varying[2], uint32_t count, uint32_t most,
                        nd_bit_window *out) {
    uint32_t weight = nd_popcount(varying[0]) + nd_popcount(varying[1]), bit = 128;
    if (weight < count || most == 0) return false;
    if (most > ND_WINDOW_MOST_BITS) most = ND_WINDOW_MOST_BITS;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t share = weight / count + (i < weight % count), width = share < most ? share : most;
        out[i] = (nd_bit_window){.width = width};
        for (uint32_t passed = 0; passed < share;) {
            bit--;
            if (!(varying[bit / 64] >> bit % 64 & 1)) continue;
            if (passed < width) add_bit(&out[i], bit, width - 1 - passed);
            passed++;
        }
    }
    return true;
}
