#include "store/id_lookup.h"

#include "base/radix_sort.h"
#include "store/store_inside.h"

nd_status nd_store_look_up_ids(const nd_store *s, nd_id_lookup *l, const uint64_t *hashes,
                               size_t count, nd_error *error) {
    enum { BITS = 64 - ND_BAND_BITS };
    _Static_assert(ND_ID_GROUP <= 1 << BITS, "a word has room for the number of an id");
    for (size_t i = 0; i < count; i++) l->words[i] = nd_band_number(hashes[i]) << BITS | i;
    nd_radix_sort_spread(l->words, l->scratch, count, 64);
    for (size_t i = 0; i < count; i++)
        l->lookups[i] = (nd_band_lookup){s->state.settings.bands, l->words[i] >> BITS};
    ND_TRY(nd_store_look_up(s, &l->context, l->lookups, count, error));
    for (size_t i = 0; i < count; i++)
        l->may_have[l->words[i] & ((1 << BITS) - 1)] = l->context.totals[i] > 0;
    return ND_OK;
}
