#include "match/fingerprint_key.h"

static bool has_bit(nd_fingerprint mask, uint32_t bit) { return (bit < 64 ? mask.low >> bit : mask.high >> (bit - 64)) & 1; }

/* The bits of a part, from the highest down, to the places below `to`. Returns the place behind the last. A run does not cross bit 64 on either side. */
static uint32_t add_runs(nd_key_order *order, nd_fingerprint part, uint32_t to) {
    for (uint32_t bit = order->bits; bit-- > 0;) {
        if (!has_bit(part, bit)) continue;
        to--;
        bool joins = order->run_count > 0 && order->runs[order->run_count - 1].from == bit + 1 && order->runs[order->run_count - 1].to == to + 1;
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

void nd_key_order_init_parts(nd_key_order *order, uint32_t bits, const nd_fingerprint *parts, size_t count) {
    nd_fingerprint rest = nd_fingerprint_mask(bits);
    uint32_t to = bits;
    *order = (nd_key_order){.bits = bits, .width = nd_ones(parts[0].low) + nd_ones(parts[0].high)};
    for (size_t i = 0; i < count; i++) {
        to = add_runs(order, parts[i], to);
        rest = (nd_fingerprint){rest.low & ~parts[i].low, rest.high & ~parts[i].high};
    }
    add_runs(order, rest, to);
}

void nd_key_order_init(nd_key_order *order, uint32_t bits, nd_fingerprint window) { nd_key_order_init_parts(order, bits, &window, 1); }

static inline uint64_t run_mask(unsigned length) { return ~UINT64_C(0) >> (64 - length); }

nd_key nd_key_of(const nd_key_order *order, nd_fingerprint fingerprint) {
    uint64_t words[2] = {0, 0};
    for (uint32_t r = 0; r < order->run_count; r++) {
        uint32_t from = order->runs[r].from, to = order->runs[r].to;
        uint64_t word = from < 64 ? fingerprint.low >> from : fingerprint.high >> (from - 64);
        words[to >> 6] |= (word & run_mask(order->runs[r].length)) << (to & 63);
    }
    if (order->bits > 64) return (nd_key){words[1], words[0]};
    return (nd_key){words[0] << (64 - order->bits), 0};
}

nd_fingerprint nd_key_fingerprint(const nd_key_order *order, nd_key key) {
    uint64_t words[2] = {order->bits > 64 ? key.tail : key.head >> (64 - order->bits), order->bits > 64 ? key.head : 0};
    nd_fingerprint fingerprint = {0, 0};
    for (uint32_t r = 0; r < order->run_count; r++) {
        uint32_t from = order->runs[r].from, to = order->runs[r].to;
        uint64_t word = words[to >> 6] >> (to & 63) & run_mask(order->runs[r].length);
        if (from < 64) fingerprint.low |= word << from;
        else fingerprint.high |= word << (from - 64);
    }
    return fingerprint;
}
