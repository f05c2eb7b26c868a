#include "similarity/packed_set.h"

#include "base/bits.h"
#include "base/radix_sort.h"

/* Where the parts of a packed set of at least one value begin. */
typedef struct layout {
    unsigned low_bits;        /* L: 10 to 40 */
    size_t lows, uppers, end; /* offsets in bytes */
} layout;

static size_t varint_size(size_t count) {
    size_t bytes = 1;
    while (count >>= 7) bytes++;
    return bytes;
}

static layout layout_of(size_t count) {
    /* floor(log2(2^40 / m)) is 40 less the logarithm of m, rounded up. */
    unsigned log = count == 1 ? 0 : 64 - (unsigned)__builtin_clzll(count - 1);
    unsigned low_bits = ND_SET_BITS - log;
    size_t lows = varint_size(count);
    size_t uppers = lows + (size_t)(((uint64_t)count * low_bits + 7) / 8);
    return (layout){low_bits, lows, uppers,
                    uppers + (size_t)((count + (UINT64_C(1) << (ND_SET_BITS - low_bits)) + 7) / 8)};
}

size_t nd_packed_set_size(size_t count) { return count == 0 ? 1 : layout_of(count).end; }

void nd_packed_set_narrow(uint64_t *shingles, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t value = shingles[i] & ND_SET_MASK;
        shingles[i] = value + !value;
    }
}

size_t nd_packed_set_sort(uint64_t *shingles, uint64_t *scratch, size_t count) {
    return nd_radix_sort_set(shingles, scratch, count, ND_SET_BITS);
}

/* Stores as many of a word's eight bytes as there is room for. */
static inline void store_front(unsigned char *at, const unsigned char *end, uint64_t word) {
    if (end - at >= 8) {
        nd_store_le64(at, word);
        return;
    }
    for (; at < end; at++, word >>= 8) *at = (unsigned char)word;
}

/* The bytes behind the last low bits are overwritten by the upper parts. */
static void pack_lows(const uint64_t *values, size_t count, unsigned low_bits, unsigned char *at,
                      const unsigned char *end) {
    uint64_t mask = (UINT64_C(1) << low_bits) - 1, word = 0;
    unsigned held = 0; /* bits in `word` */
    for (size_t i = 0; i < count; i++) {
        uint64_t low = values[i] & mask;
        word |= low << held;
        held += low_bits;
        if (held < 64) continue;
        nd_store_le64(at, word);
        at += 8;
        held -= 64;
        word = low >> (low_bits - held);
    }
    store_front(at, end, word);
}

static void pack_uppers(const uint64_t *values, size_t count, unsigned low_bits, unsigned char *at,
                        const unsigned char *end) {
    uint64_t word = 0, next = 64; /* the first bit behind the word */
    for (size_t i = 0; i < count; i++) {
        uint64_t bit = (values[i] >> low_bits) + i;
        for (; bit >= next; next += 64, at += 8, word = 0) store_front(at, end, word);
        word |= UINT64_C(1) << (bit & 63);
    }
    for (; at < end; at += end - at < 8 ? end - at : 8, word = 0) store_front(at, end, word);
}

void nd_packed_set_pack(const uint64_t *values, size_t count, unsigned char *to) {
    unsigned char *p = to;
    size_t left = count;
    for (; left > 127; left >>= 7) *p++ = (unsigned char)(left | 128);
    *p = (unsigned char)left;
    if (count == 0) return;
    layout l = layout_of(count);
    pack_lows(values, count, l.low_bits, to + l.lows, to + l.end);
    pack_uppers(values, count, l.low_bits, to + l.uppers, to + l.end);
}

bool nd_packed_set_count(const unsigned char *packed, size_t size, size_t *count) {
    uint64_t stored = 0;
    size_t bytes = 0;
    do {
        if (bytes == size || bytes == 5) return false;
        stored |= (uint64_t)(packed[bytes] & 127) << (7 * bytes);
    } while (packed[bytes++] > 127);
    if (stored > ND_SET_MOST || bytes != varint_size((size_t)stored) ||
        size != nd_packed_set_size((size_t)stored))
        return false;
    *count = (size_t)stored;
    return true;
}

bool nd_packed_set_unpack(const unsigned char *packed, size_t size, size_t count,
                          uint64_t *values) {
    size_t stored, done = 0;
    if (!nd_packed_set_count(packed, size, &stored) || stored != count) return false;
    if (count == 0) return true;
    layout l = layout_of(count);
    const unsigned char *lows = packed + l.lows;
    uint64_t mask = (UINT64_C(1) << l.low_bits) - 1, least = 0, bit = 0;
    bool ascending = true;
    for (size_t at = l.uppers; at < l.end; at += 8) {
        uint64_t word = nd_load_le64(packed + at), first = (uint64_t)(at - l.uppers) * 8;
        if (l.end - at < 8) word &= (UINT64_C(1) << (8 * (l.end - at))) - 1;
        for (; word; word &= word - 1, bit += l.low_bits) {
            if (done == count) return false;
            uint64_t upper = first + (unsigned)__builtin_ctzll(word) - done;
            uint64_t value = upper << l.low_bits |
                             (nd_load_le64(lows + bit / 8) >> (bit & 7) & mask);
            ascending &= value >= least;
            least = value + 1;
            values[done++] = value;
        }
    }
    bool padded = (bit & 7) == 0 || packed[l.uppers - 1] >> (bit & 7) == 0;
    return done == count && ascending && padded && least <= UINT64_C(1) << ND_SET_BITS;
}
