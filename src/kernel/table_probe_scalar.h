/* near_ranges without vectors: unpacks keys one by one. Long ranges are left to near_packed, if it
 * is faster (from PACKED_LEAST keys on). */
#include "base/bits.h"

static inline size_t near_short_range(const unsigned char *packed, unsigned width, uint64_t query,
                                      uint64_t number, uint64_t begin, uint64_t end, unsigned most,
                                      uint64_t *hits, size_t found) {
    const uint64_t mask = (UINT64_C(1) << width) - 1;
    for (uint64_t at = begin; at < end; at++) {
        uint64_t bit = at * width, key = nd_load_le64(packed + bit / 8) >> bit % 8;
        hits[found] = number << 32 | at;
        found += nd_popcount((key ^ query) & mask) <= most;
    }
    return found;
}

#ifdef PACKED_LEAST
static size_t near_long_range(const unsigned char *packed, unsigned width, uint64_t query,
                              uint64_t number, uint64_t begin, uint64_t end, unsigned most,
                              uint64_t *hits, size_t found) {
    enum { PIECE = 512 };
    uint32_t here[PIECE + 16];
    for (uint64_t at = begin; at < end; at += PIECE) {
        size_t count = near_packed(packed, at, end - at < PIECE ? end - at : PIECE, width, query,
                                   most, here);
        for (size_t i = 0; i < count; i++) hits[found++] = number << 32 | (at + here[i]);
    }
    return found;
}
#endif

static size_t near_ranges(const unsigned char *packed, unsigned width, uint64_t query,
                          const uint32_t *begins, const uint32_t *ends, const uint8_t *most,
                          size_t count, uint64_t *hits) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
#ifdef PACKED_LEAST
        if (ends[i] - begins[i] > PACKED_LEAST) {
            found = near_long_range(packed, width, query, i, begins[i], ends[i], most[i], hits,
                                    found);
            continue;
        }
#endif
        found = near_short_range(packed, width, query, i, begins[i], ends[i], most[i], hits, found);
    }
    return found;
}
