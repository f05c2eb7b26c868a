/* Open addressing: a slot has a hash and its last place, from which a list through `previous` goes
 * to the others; so it stays linear where all runs are the same. Most runs that are asked for have
 * no place: one of two bits that is not set says so (Bloom 1970; both in one word), out of 12 to 24
 * bits for each place that there is: in a cache, and by a branch that is foreseen. */
#include "similarity/ngram_positions.h"

typedef struct slot {
    uint32_t hash_high, hash_low; /* in halves, so that a slot has 12 bytes */
    uint32_t last;                /* ND_NO_PLACE: free */
} slot;

struct nd_ngram_places {
    nd_allocator allocator;
    slot *slots;
    size_t mask;
    uint64_t *bits;     /* a byte a slot; those of each hash with a place are set */
    uint32_t *previous; /* by place */
};

/* Where the bits of a hash are: by its upper half, as the slot is by the lower one. */
static uint64_t *word_of(const nd_ngram_places *places, uint64_t hash) {
    return &places->bits[(size_t)(hash >> 32) & places->mask / 8];
}

static uint64_t bits_of(uint64_t hash) {
    return UINT64_C(1) << (hash >> 58) | UINT64_C(1) << (hash >> 52 & 63);
}

nd_ngram_hash nd_ngram_hash_of(size_t n) {
    nd_ngram_hash hash = {.n = n, .leaving = 1};
    uint64_t power = ND_HASH_POLY;
    for (size_t left = n; left > 0; left >>= 1, power *= power)
        if (left & 1) hash.leaving *= power;
    return hash;
}

/* The slot of a hash, or the free one where it would be. */
static slot *find_slot(const nd_ngram_places *places, uint64_t hash) {
    uint32_t high = (uint32_t)(hash >> 32), low = (uint32_t)hash;
    size_t at = (size_t)hash & places->mask;
    for (;; at = (at + 1) & places->mask) {
        slot *s = &places->slots[at];
        if (s->last == ND_NO_PLACE || (s->hash_high == high && s->hash_low == low)) return s;
    }
}

static void put_text(nd_ngram_places *places, const uint64_t *tokens, uint32_t begin, uint32_t end,
                     size_t n) {
    nd_ngram_hash hash = nd_ngram_hash_of(n);
    for (uint32_t i = 0; i < end - begin; i++) {
        uint64_t value = nd_ngram_hash_next(&hash, tokens + begin, i);
        if (i + UINT64_C(1) < n) continue;
        uint32_t place = begin + i + 1 - (uint32_t)n;
        slot *s = find_slot(places, value);
        places->previous[place] = s->last;
        *word_of(places, value) |= bits_of(value);
        *s = (slot){(uint32_t)(value >> 32), (uint32_t)value, place};
    }
}

/* A power of two, and at least half as many again as places. */
static size_t slot_count_of(const uint32_t *begins, size_t texts, size_t n) {
    size_t count = 0, slots = 8;
    for (size_t t = 0; t < texts; t++)
        count += begins[t + 1] - begins[t] >= n ? begins[t + 1] - begins[t] - n + 1 : 0;
    while (slots / 3 * 2 <= count) slots *= 2;
    return slots;
}

nd_status nd_ngram_places_create(const uint64_t *tokens, const uint32_t *begins, size_t texts,
                                 size_t n, const nd_allocator *allocator, nd_ngram_places **out,
                                 nd_error *error) {
    nd_allocator memory = nd_allocator_or_default(allocator);
    size_t slot_count = slot_count_of(begins, texts, n), token_count = begins[texts];
    nd_ngram_places *places = nd_allocate_zero(&memory, 1, sizeof *places);
    if (places) {
        *places = (nd_ngram_places){.allocator = memory, .mask = slot_count - 1};
        places->slots = nd_allocate(&memory, slot_count, sizeof *places->slots);
        places->bits = nd_allocate_zero(&memory, slot_count, 1);
        places->previous = nd_allocate(&memory, token_count, sizeof *places->previous);
    }
    if (!places || !places->slots || !places->bits || !places->previous) {
        nd_ngram_places_free(places);
        return nd_fail_memory(error, slot_count * sizeof(slot), "the places of runs of tokens");
    }
    for (size_t i = 0; i < slot_count; i++) places->slots[i].last = ND_NO_PLACE;
    for (size_t t = 0; t < texts; t++) put_text(places, tokens, begins[t], begins[t + 1], n);
    *out = places;
    return ND_OK;
}

void nd_ngram_places_free(nd_ngram_places *places) {
    if (!places) return;
    nd_allocator allocator = places->allocator;
    nd_release(&allocator, places->slots);
    nd_release(&allocator, places->bits);
    nd_release(&allocator, places->previous);
    nd_release(&allocator, places);
}

uint32_t nd_ngram_places_last(const nd_ngram_places *places, uint64_t hash) {
    return ~*word_of(places, hash) & bits_of(hash) ? ND_NO_PLACE : find_slot(places, hash)->last;
}

uint32_t nd_ngram_places_previous(const nd_ngram_places *places, uint32_t place) {
    return places->previous[place];
}
