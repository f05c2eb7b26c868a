#include "store/segment_check.h"

#include "similarity/packed_set.h"
#include "sketch/band_key.h"
#include "store/segment_format.h"

#include <string.h>

static nd_status check_rows(const nd_segment *s, nd_error *error) {
    uint64_t *values = NULL;
    size_t capacity = 0;
    nd_status status = ND_OK;
    for (uint32_t number = 0; status == ND_OK && number < s->documents; number++) {
        nd_stored_document d;
        size_t count = 0;
        status = nd_segment_document(s, number, &d, error);
        if (status != ND_OK || !s->exact) continue;
        if (!nd_packed_set_count(d.set, d.set_size, &count))
            status = nd_segment_fail_part(s->file, number, "the set", error);
        else if (!nd_reserve(&s->allocator, &values, &capacity, count))
            status = nd_fail_memory(error, count * sizeof *values, "a set");
        else if (!nd_packed_set_unpack(d.set, d.set_size, count, values))
            status = nd_segment_fail_part(s->file, number, "the set", error);
    }
    nd_release(&s->allocator, values);
    return status;
}

/* Checks that each document is at most once in a table, and, in the table of ids, that its key is
 * the one of its id. `seen`: one bit per document, zeros at first. */
static nd_status check_table(const nd_segment *s, const nd_key_table *table, const char *name,
                             uint8_t *seen, nd_error *error) {
    nd_key_cursor cursor;
    nd_key_cursor_begin(table, &cursor);
    for (;;) {
        bool more;
        ND_TRY(nd_key_cursor_next(&cursor, &more, error));
        if (!more) return ND_OK;
        uint32_t number = cursor.document;
        if (number >= s->documents || seen[number >> 3] >> (number & 7) & 1)
            return nd_segment_fail_part(s->file, number, name, error);
        seen[number >> 3] |= (uint8_t)(1u << (number & 7));
        if (table != &s->tables[s->bands]) continue;
        nd_stored_document d;
        ND_TRY(nd_segment_document(s, number, &d, error));
        if (nd_band_number(nd_id_hash(d.id, d.id_length)) != cursor.key)
            return nd_segment_fail_part(s->file, number, name, error);
    }
}

/* Checks that all tables have the same documents. */
static nd_status check_tables(const nd_segment *s, uint8_t *seen, uint8_t *found, nd_error *error) {
    size_t bytes = (size_t)s->documents / 8 + 1;
    ND_TRY(check_table(s, &s->tables[s->bands], "the table of ids", found, error));
    for (uint32_t b = 0; b < s->bands; b++) {
        memset(seen, 0, bytes);
        ND_TRY(check_table(s, &s->tables[b], "a band", seen, error));
        if (memcmp(seen, found, bytes) != 0)
            return nd_fail(error, ND_ERR_CORRUPT, "%s: its tables have different documents",
                           nd_sealed_path(s->file));
    }
    return ND_OK;
}

nd_status nd_segment_check(const nd_segment *s, nd_error *error) {
    ND_TRY(nd_sealed_check(s->file, error));
    for (size_t i = 0; i < s->part_count; i++)
        if (s->parts[i].file != s->file) ND_TRY(nd_sealed_check(s->parts[i].file, error));
    if (s->kind == ND_KIND_FINGERPRINTS) ND_TRY(nd_hamming_tables_check(&s->hamming, error));
    if (s->numbered) return nd_ef_table_check(&s->ids.table, error);
    ND_TRY(check_rows(s, error));
    size_t bytes = (size_t)s->documents / 8 + 1;
    uint8_t *seen = nd_allocate_zero(&s->allocator, 2 * bytes, 1);
    if (!seen) return nd_fail_memory(error, 2 * bytes, "checking a segment");
    nd_status status = check_tables(s, seen, seen + bytes, error);
    nd_release(&s->allocator, seen);
    return status;
}
