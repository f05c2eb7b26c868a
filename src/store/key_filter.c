#include "store/key_filter.h"

/* Words of a band for 64 entries: with three bits each, 22 % of the bits are set, and with twice as
 * many 39 %. */
enum { WORDS_FOR_64 = 12 };

nd_status nd_key_filter_create(uint32_t bands, uint64_t entries, const nd_allocator *allocator,
                               nd_key_filter **out, nd_error *error) {
    nd_key_filter *f = *out = nd_allocate_zero(allocator, 1, sizeof *f);
    if (!f) return nd_fail_memory(error, sizeof *f, "a filter of band keys");
    f->allocator = *allocator;
    f->bands = bands;
    f->per_band = entries / 64 * WORDS_FOR_64 + WORDS_FOR_64;
    uint64_t all = f->per_band * bands;
    f->words = nd_allocate_zero(allocator, all, sizeof *f->words);
    if (f->words) return ND_OK;
    nd_key_filter_free(f);
    *out = NULL;
    return nd_fail_memory(error, all * sizeof(uint64_t), "a filter of band keys");
}

void nd_key_filter_free(nd_key_filter *f) {
    if (!f) return;
    const nd_allocator allocator = f->allocator;
    nd_release(&allocator, f->words);
    nd_release(&allocator, f);
}

nd_status nd_key_filter_add_table(nd_key_filter *f, uint32_t band, const nd_key_table *table,
                                  nd_error *error) {
    nd_key_cursor cursor;
    bool more;
    nd_key_cursor_begin(table, &cursor);
    for (;;) {
        ND_TRY(nd_key_cursor_next(&cursor, &more, error));
        if (!more) return ND_OK;
        nd_key_filter_add(f, band, cursor.key);
    }
}
