#include "io/part_reader.h"

void nd_part_reader_free(const nd_allocator *allocator, nd_part_reader *r) {
    nd_part_buffer_free(allocator, &r->loaded);
    nd_sorted_pieces_free(&r->pieces);
}

static nd_status add_pieces(nd_part_reader *r, const nd_external_sort *sorter, size_t part,
                            size_t most, nd_error *error) {
    size_t count = nd_external_sort_count(sorter, part);
    for (size_t first = 0, n; first < count; first += n) {
        n = count - first < most ? count - first : most;
        ND_TRY(nd_external_sort_load_piece(sorter, part, first, n, &r->loaded, error));
        ND_TRY(nd_sorted_pieces_add(&r->pieces, r->loaded.words, n, error));
    }
    return ND_OK;
}

nd_status nd_part_reader_open(nd_part_reader *r, const nd_allocator *allocator,
                              const nd_external_sort *sorter, size_t part, size_t memory,
                              nd_error *error) {
    const nd_external_sort_settings s = nd_external_sort_settings_of(sorter);
    size_t most = memory / (2 * s.words * sizeof(uint64_t)); /* records: sorting takes it twice */
    nd_sorted_pieces_free(&r->pieces);
    r->words = s.words;
    r->next = r->end = NULL;
    if (nd_external_sort_count(sorter, part) <= most) {
        ND_TRY(nd_external_sort_load_records(sorter, part, &r->loaded, error));
        r->next = r->loaded.words;
        r->end = r->next + r->loaded.count * s.words;
        return ND_OK;
    }
    r->pieces.settings = (nd_sorted_pieces_settings){.allocator = *allocator,
                                                     .disk = s.disk,
                                                     .memory_limit = memory,
                                                     .words = s.words,
                                                     .keys = s.keys,
                                                     .what = s.what};
    ND_TRY(add_pieces(r, sorter, part, most > 0 ? most : 1, error));
    nd_part_buffer_free(allocator, &r->loaded);
    return nd_sorted_pieces_begin(&r->pieces, error);
}
