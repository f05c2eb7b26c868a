/* Looking up band keys in a store, many at a time, so that their waits for memory overlap.
 *
 * Each thread has its own context. */
#ifndef ND_STORE_BAND_LOOKUP_H
#define ND_STORE_BAND_LOOKUP_H

#include "store/store.h"

typedef struct nd_band_lookup {
    uint32_t band; /* the number of bands: the key is an id's hash */
    uint64_t key;  /* nd_band_number */
} nd_band_lookup;

typedef struct nd_likely_range {
    uint32_t segment, lookup;
} nd_likely_range;

/* The context of one thread. */
typedef struct nd_lookup_context {
    nd_allocator allocator;
    const nd_band_lookup *lookups; /* the caller's */
    size_t count;
    /* Bit n: document n is left out, as if it were removed. NULL: none is. Of the caller. */
    const uint8_t *hidden;
    uint64_t *keys;          /* of the lookups, if they are in the order of bands */
    uint64_t *totals;        /* documents of each lookup, removed ones included */
    nd_key_range *ranges;    /* of lookup i in segment s: [s * count + i] */
    nd_likely_range *likely; /* ranges that may have entries */
    uint32_t *passed;        /* lookups of keys that a segment may have */
    size_t key_capacity, total_capacity, range_capacity, likely_capacity, passed_capacity;
} nd_lookup_context;

void nd_lookup_context_init(nd_lookup_context *probe, const nd_allocator *allocator);
void nd_lookup_context_free(nd_lookup_context *probe);

/* Fills probe->totals. The lookups must stay until nd_store_bucket_documents has been called for
 * the last time. They either have one key of each band, or they are in the order of bands, with
 * at least two keys of each, ascending. The latter are faster, and the more keys they are, the
 * faster, because the pages of a table are visited in their order. */
nd_status nd_store_look_up(const nd_store *store, nd_lookup_context *probe,
                           const nd_band_lookup *lookups, size_t count, nd_error *error);
/* Reads the first `most` documents of lookup i that are neither removed nor hidden, ascending. */
nd_status nd_store_bucket_documents(const nd_store *store, const nd_lookup_context *probe, size_t i,
                                    size_t most, uint32_t *numbers, size_t *count, nd_error *error);

#endif
