/* An open-addressing table. A slot has a hash and its last position; `previous` links it to the
 * earlier positions, so that building takes linear time even if all n-grams are equal.
 *
 * Most n-grams that are looked up do not occur. A Bloom filter (Bloom, 1970) rejects most of them:
 * each hash sets two bits of one word, and there are 12 to 24 bits per position. The filter fits in
 * the processor's cache, and its branch is predicted. */
#include "similarity/ngram_positions.h"

typedef struct slot {
    uint32_t hash_high, hash_low; /* in halves, so that a slot has 12 bytes */
    uint32_t last;                /* position; ND_NO_POSITION: a free slot */
} slot;

struct nd_ngram_positions {
    nd_allocator allocator;
    slot *slots;
    size_t mask;
    uint64_t *filter;   /* the Bloom filter: one byte per slot */
    uint32_t *previous; /* by position: the position before it of the same n-gram */
};

/* The word of the filter is chosen by the upper half of the hash, the slot by the lower half. */
static uint64_t *filter_word(const nd_ngram_positions *places, uint64_t hash) {
    return &places->filter[(size_t)(hash >> 32) & places->mask / 8];
}

static uint64_t filter_bits(uint64_t hash) {
    return UINT64_C(1) << (hash >> 58) | UINT64_C(1) << (hash >> 52 & 63);
}

nd_ngram_hash nd_ngram_hash_of(size_t n) {
    nd_ngram_hash hash = {.n = n, .leaving = 1};
    uint64_t power = ND_HASH_POLY;
    for (size_t left = n; left > 0; left >>= 1, power *= power)
        if (left & 1) hash.leaving *= power;
    return hash;
}

/* Returns the slot of a hash, or the free slot where it would be stored. */
static slot *find_slot(const nd_ngram_positions *places, uint64_t hash) {
    uint32_t high = (uint32_t)(hash >> 32), low = (uint32_t)hash;
    size_t at = (size_t)hash & places->mask;
    for (;; at = (at + 1) & places->mask) {
        slot *s = &places->slots[at];
        if (s->last == ND_NO_POSITION || (s->hash_high == high && s->hash_low == low)) return s;
    }
}

static void add_text(nd_ngram_positions *places, const uint64_t *tokens, uint32_t begin,
                     uint32_t end, size_t n) {
    nd_ngram_hash hash = nd_ngram_hash_of(n);
    for (uint32_t i = 0; i < end - begin; i++) {
        uint64_t value = nd_ngram_hash_next(&hash, tokens + begin, i);
        if (i + UINT64_C(1) < n) continue;
        uint32_t position = begin + i + 1 - (uint32_t)n;
        slot *s = find_slot(places, value);
        places->previous[position] = s->last;
        *filter_word(places, value) |= filter_bits(value);
        *s = (slot){(uint32_t)(value >> 32), (uint32_t)value, position};
    }
}

/* Returns a power of two, at least one and a half times the number of positions. */
static size_t slot_count_of(const uint32_t *begins, size_t texts, size_t n) {
    size_t count = 0, slots = 8;
    for (size_t t = 0; t < texts; t++)
        count += begins[t + 1] - begins[t] >= n ? begins[t + 1] - begins[t] - n + 1 : 0;
    while (slots / 3 * 2 <= count) slots *= 2;
    return slots;
}

nd_status nd_ngram_positions_create(const uint64_t *tokens, const uint32_t *begins, size_t texts,
                                    size_t n, const nd_allocator *allocator,
                                    nd_ngram_positions **out, nd_error *error) {
    nd_allocator memory = nd_allocator_or_default(allocator);
    size_t slot_count = slot_count_of(begins, texts, n), token_count = begins[texts];
    nd_ngram_positions *places = nd_allocate_zero(&memory, 1, sizeof *places);
    if (places) {
        *places = (nd_ngram_positions){.allocator = memory, .mask = slot_count - 1};
        places->slots = nd_allocate(&memory, slot_count, sizeof *places->slots);
        places->filter = nd_allocate_zero(&memory, slot_count, 1);
        places->previous = nd_allocate(&memory, token_count, sizeof *places->previous);
    }
    if (!places || !places->slots || !places->filter || !places->previous) {
        nd_ngram_positions_free(places);
        return nd_fail_memory(error, slot_count * sizeof(slot), "the places of runs of tokens");
    }
    for (size_t i = 0; i < slot_count; i++) places->slots[i].last = ND_NO_POSITION;
    for (size_t t = 0; t < texts; t++) add_text(places, tokens, begins[t], begins[t + 1], n);
    *out = places;
    return ND_OK;
}

void nd_ngram_positions_free(nd_ngram_positions *places) {
    if (!places) return;
    nd_allocator allocator = places->allocator;
    nd_release(&allocator, places->slots);
    nd_release(&allocator, places->filter);
    nd_release(&allocator, places->previous);
    nd_release(&allocator, places);
}

uint32_t nd_ngram_positions_last(const nd_ngram_positions *places, uint64_t hash) {
    return ~*filter_word(places, hash) & filter_bits(hash) ? ND_NO_POSITION
                                                           : find_slot(places, hash)->last;
}

uint32_t nd_ngram_positions_previous(const nd_ngram_positions *places, uint32_t place) {
    return places->previous[place];
}
