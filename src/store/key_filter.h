/* Tells of most band keys that no segment of a store has them, by one word of memory for all
 * segments together; the tables of the segments take a line of memory each. One filter for all
 * levels of a log-structured merge tree is the idea of Dayan and Twitto (2021). Keys are added when
 * they come to the memtable: their words are in the processor's cache then, because each document
 * is looked up before it is added.
 *
 * It is a Bloom filter (Bloom, 1970) for each band, in which all bits of a key are in one word
 * (Putze, Sanders, Singler, 2007). The words are in the order of the keys, so a table, which is
 * sorted, is added from front to back.
 *
 * Any number of threads may read while none changes it. */
#ifndef ND_STORE_KEY_FILTER_H
#define ND_STORE_KEY_FILTER_H

#include "store/key_table.h"

typedef struct nd_key_filter {
    nd_allocator allocator;
    uint64_t *words; /* of band b: [b * per_band, (b + 1) * per_band) */
    uint64_t per_band;
    uint64_t bits; /* that are set */
    uint32_t bands;
} nd_key_filter;

/* Makes an empty filter, with room for about twice `entries` keys of each band. Takes 1.5 bytes for
 * an entry and band. */
nd_status nd_key_filter_create(uint32_t bands, uint64_t entries, const nd_allocator *allocator,
                               nd_key_filter **out, nd_error *error);
/* NULL is accepted. */
void nd_key_filter_free(nd_key_filter *filter);

/* Adds the keys of a table. ND_ERR_CORRUPT: the table is damaged; some are added. */
nd_status nd_key_filter_add_table(nd_key_filter *filter, uint32_t band, const nd_key_table *table,
                                  nd_error *error);
/* Whether 39 % of the bits are set. From then on more than 6 % of the keys that no table has may be
 * there; in a new filter 1 %. */
static inline bool nd_key_filter_is_full(const nd_key_filter *filter) {
    return filter->bits > 25 * filter->per_band * filter->bands;
}

static inline uint64_t *nd_key_filter_word(const nd_key_filter *f, uint32_t band, uint64_t key) {
    uint64_t word = (uint64_t)((unsigned __int128)key * f->per_band >> ND_BAND_BITS);
    return &f->words[band * f->per_band + word];
}

/* Three bits, which do not follow from the word. */
static inline uint64_t nd_key_filter_bits(uint64_t key) {
    uint64_t h = key * ND_HASH_POLY;
    return UINT64_C(1) << (h >> 58) | UINT64_C(1) << (h >> 52 & 63) | UINT64_C(1) << (h >> 46 & 63);
}

static inline void nd_key_filter_add(nd_key_filter *f, uint32_t band, uint64_t key) {
    uint64_t *word = nd_key_filter_word(f, band, key), held = *word;
    *word = held | nd_key_filter_bits(key);
    f->bits += nd_popcount(*word ^ held);
}

static inline void nd_key_filter_prefetch(const nd_key_filter *f, uint32_t band, uint64_t key) {
    __builtin_prefetch(nd_key_filter_word(f, band, key));
}

/* Whether the key may have been added; false: it has not, nor any table that has it. */
static inline bool nd_key_filter_may_have(const nd_key_filter *f, uint32_t band, uint64_t key) {
    uint64_t bits = nd_key_filter_bits(key);
    return (*nd_key_filter_word(f, band, key) & bits) == bits;
}

#endif
