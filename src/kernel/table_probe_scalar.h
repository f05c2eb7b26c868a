/* near_ranges where keys are unpacked one by one. */
#include "base/bits.h"

static size_t near_ranges(const unsigned char *packed, unsigned width, uint64_t query, const uint32_t *begins, const uint32_t *ends,
                          const uint8_t *most, size_t count, uint64_t *hits) {
    const uint64_t mask = (UINT64_C(1) << width) - 1;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        for (uint64_t at = begins[i]; at < ends[i]; at++) {
            uint64_t bit = at * width, key = nd_load_le64(packed + bit / 8) >> bit % 8;
            hits[found] = (uint64_t)i << 32 | at;
            found += ones_of((key ^ query) & mask) <= most[i];
        }
    }
    return found;
}
