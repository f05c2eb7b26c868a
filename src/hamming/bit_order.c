#include "hamming/bit_order.h"

static bool has_bit(nd_fingerprint mask, uint32_t bit) {
    return (bit < 64 ? mask.low >> bit : mask.high >> (bit - 64)) & 1;
}

/* Moves the bits of a part, from the highest down, to the key's bits below `to`. Returns the lowest
 * of these. */
static uint32_t add_runs(nd_bit_order *order, nd_fingerprint part, uint32_t to) {
    for (uint32_t bit = order->bits; bit-- > 0;) {
        if (!has_bit(part, bit)) continue;
        to--;
        bool joins = order->run_count > 0 && order->runs[order->run_count - 1].from == bit + 1 &&
                     order->runs[order->run_count - 1].to == to + 1;
        if (!joins || bit == 63 || to == 63) {
            order->runs[order->run_count].length = 0;
            order->run_count++;
        }
        order->runs[order->run_count - 1].from = (uint8_t)bit;
        order->runs[order->run_count - 1].to = (uint8_t)to;
        order->runs[order->run_count - 1].length++;
    }
    return to;
}

void nd_bit_order_init_parts(nd_bit_order *order, uint32_t bits, const nd_fingerprint *parts,
                             size_t count) {
    nd_fingerprint rest = nd_fingerprint_mask(bits);
    uint32_t to = bits;
    *order = (nd_bit_order){.bits = bits,
                            .width = nd_popcount(parts[0].low) + nd_popcount(parts[0].high)};
    for (size_t i = 0; i < count; i++) {
        to = add_runs(order, parts[i], to);
        rest = (nd_fingerprint){rest.low & ~parts[i].low, rest.high & ~parts[i].high};
    }
    add_runs(order, rest, to);
}

void nd_bit_order_init(nd_bit_order *order, uint32_t bits, nd_fingerprint window) {
    nd_bit_order_init_parts(order, bits, &window, 1);
}

static inline uint64_t run_mask(unsigned length) { return ~UINT64_C(0) >> (64 - length); }

nd_key nd_key_of(const nd_bit_order *order, nd_fingerprint fingerprint) {
    uint64_t words[2] = {0, 0};
    for (uint32_t r = 0; r < order->run_count; r++) {
        uint32_t from = order->runs[r].from, to = order->runs[r].to;
        uint64_t word = from < 64 ? fingerprint.low >> from : fingerprint.high >> (from - 64);
        words[to >> 6] |= (word & run_mask(order->runs[r].length)) << (to & 63);
    }
    if (order->bits > 64) return (nd_key){words[1], words[0]};
    return (nd_key){words[0] << (64 - order->bits), 0};
}

nd_fingerprint nd_key_fingerprint(const nd_bit_order *order, nd_key key) {
    uint64_t words[2] = {order->bits > 64 ? key.tail : key.head >> (64 - order->bits),
                         order->bits > 64 ? key.head : 0};
    nd_fingerprint fingerprint = {0, 0};
    for (uint32_t r = 0; r < order->run_count; r++) {
        uint32_t from = order->runs[r].from, to = order->runs[r].to;
        uint64_t word = words[to >> 6] >> (to & 63) & run_mask(order->runs[r].length);
        if (from < 64) fingerprint.low |= word << from;
        else fingerprint.high |= word << (from - 64);
    }
    return fingerprint;
}

/* ---- many keys: up to 64 bits, one run after the other for all keys */

/* `words`: one word every `stride` words. */
static inline void fingerprints_to_keys(const nd_bit_order *order, const uint64_t *words,
                                        size_t stride, size_t count, uint64_t *keys) {
    for (size_t i = 0; i < count; i++) keys[i] = 0;
    for (uint32_t r = 0; r < order->run_count; r++) {
        const unsigned from = order->runs[r].from, to = order->runs[r].to + 64 - order->bits;
        const uint64_t mask = run_mask(order->runs[r].length);
        for (size_t i = 0; i < count; i++) keys[i] |= (words[i * stride] >> from & mask) << to;
    }
}

static inline void keys_to_fingerprints(const nd_bit_order *order, const uint64_t *keys,
                                        size_t count, uint64_t *words) {
    for (size_t i = 0; i < count; i++) words[i] = 0;
    for (uint32_t r = 0; r < order->run_count; r++) {
        const unsigned from = order->runs[r].from, to = order->runs[r].to + 64 - order->bits;
        const uint64_t mask = run_mask(order->runs[r].length);
        for (size_t i = 0; i < count; i++) words[i] |= (keys[i] >> to & mask) << from;
    }
}

static void put_key(nd_key key, uint64_t *to) {
    to[0] = key.head;
    to[1] = key.tail;
}

void nd_keys_of(const nd_bit_order *order, const nd_fingerprint *fingerprints, size_t count,
                uint64_t *keys) {
    if (order->bits <= 64)
        fingerprints_to_keys(order, &fingerprints->low, sizeof *fingerprints / sizeof *keys, count,
                             keys);
    for (size_t i = 0; order->bits > 64 && i < count; i++)
        put_key(nd_key_of(order, fingerprints[i]), keys + 2 * i);
}

void nd_keys_reorder(const nd_bit_order *from_order, const nd_bit_order *to_order,
                     const uint64_t *from, size_t count, uint64_t *to) {
    enum { SOME = 256 };
    uint64_t words[SOME];
    for (size_t first = 0, here; from_order->bits <= 64 && first < count; first += here) {
        here = count - first < SOME ? count - first : SOME;
        keys_to_fingerprints(from_order, from + first, here, words);
        fingerprints_to_keys(to_order, words, 1, here, to + first);
    }
    for (size_t i = 0; from_order->bits > 64 && i < count; i++) {
        nd_key key = {from[2 * i], from[2 * i + 1]};
        put_key(nd_key_of(to_order, nd_key_fingerprint(from_order, key)), to + 2 * i);
    }
}
