#include "hamming_index/join_side.h"

#include "base/bits.h"
#include "base/radix_sort.h"
#include "index/index_ingest.h"

#include <string.h>

enum { PROGRESS = 4096 }; /* fingerprints between two progress reports */

nd_status nd_join_side_check(const nd_hamming_side *from, nd_error *error) {
    if (!from->index == !from->source)
        return nd_fail(error, ND_ERR_ARGUMENT, "a side of a join is an index or a source");
    return ND_OK;
}

static nd_status report_progress(const nd_join_side *side, uint64_t done, nd_error *error) {
    return done % PROGRESS == 0 ? nd_progress_report(side->progress, ND_STAGE_READ, done, 0, error)
                                : ND_OK;
}

/* ---- reading a source */

static nd_status keep(nd_join_side *side, const nd_fingerprinted *given, nd_error *error) {
    unsigned char bytes[16];
    nd_id_digits digits;
    size_t length = given->id_length;
    if (side->count == UINT32_MAX - 1)
        return nd_fail(error, ND_ERR_ARGUMENT, "a join takes at most %u fingerprints a side",
                       UINT32_MAX - 1);
    if (!given->id) length = nd_id_of_number(side->count, &digits);
    if (!side->positions)
        ND_TRY(nd_id_list_add(&side->ids, given->id ? given->id : digits.bytes, length, error));
    nd_store_le64(bytes, given->fingerprint.low);
    nd_store_le64(bytes + 8, given->fingerprint.high);
    side->count++;
    return nd_spool_append(&side->fingerprints, bytes, side->fingerprint_size, error);
}

static nd_status read_source(nd_join_side *side, const nd_join_sides_settings *settings,
                             nd_error *error) {
    nd_fingerprint_reader *in;
    nd_fingerprinted given;
    bool more = true;
    const nd_stream_in_options input = {
        .allocator = &side->allocator, .progress = side->progress, .memory = settings->memory};
    ND_TRY(nd_fingerprint_reader_open(&side->source, settings->bits, &input, &in, error));
    nd_status status = ND_OK;
    while (status == ND_OK && more) {
        status = nd_fingerprint_reader_next(in, &given, &more, error);
        if (status == ND_OK && more) status = keep(side, &given, error);
        if (status == ND_OK) status = report_progress(side, side->count, error);
    }
    nd_fingerprint_reader_close(in);
    return status;
}

/* ---- opening and freeing */

static nd_status init(nd_join_side *side, const nd_join_sides_settings *settings, uint32_t set,
                      nd_error *error) {
    const nd_hamming_side *from = settings->from[set];
    const size_t memory = (size_t)(settings->memory / 8);
    *side = (nd_join_side){.allocator = *settings->allocator,
                           .progress = settings->progress,
                           .index = from->index,
                           .set = set,
                           .fingerprint_size = settings->bits > 64 ? 16 : 8};
    nd_id_list_init(&side->ids, memory / 2, settings->disk, settings->allocator);
    nd_spool_init(&side->fingerprints, settings->allocator, settings->disk, memory / 2,
                  "fingerprints");
    if (!from->source) return ND_OK;
    ND_TRY(nd_fingerprint_source_read(from->source, &side->source, error));
    side->positions = side->source.path && side->source.format != ND_FINGERPRINTS_HEX;
    return ND_OK;
}

static nd_status open_state(nd_join_side *side, nd_error *error) {
    if (!side->index) return ND_OK;
    nd_index_store *index = &side->index->shared;
    if (nd_store_is_in_memory(index->store)) {
        ND_TRY(nd_index_begin_ingest(index, NULL, error));
        side->held = true;
    } else if (index->mode == ND_INDEX_WRITE)
        ND_TRY(
            nd_store_open(index->path, ND_STORE_READ, &side->allocator, &side->own_store, error));
    side->store = side->own_store ? side->own_store : index->store;
    return ND_OK;
}

nd_status nd_join_sides_open(nd_join_sides *sides, const nd_join_sides_settings *settings,
                             nd_error *error) {
    nd_join_side *a = &sides->side[0], *b = &sides->side[1];
    *sides = (nd_join_sides){.count = settings->from[1] ? 2 : 1};
    for (uint32_t s = 0; s < sides->count; s++) ND_TRY(init(&sides->side[s], settings, s, error));
    ND_TRY(open_state(a, error));
    if (sides->count == 2 && b->index == a->index) b->store = a->store;
    else if (sides->count == 2) ND_TRY(open_state(b, error));
    for (uint32_t s = 0; s < sides->count; s++)
        if (!sides->side[s].index) ND_TRY(read_source(&sides->side[s], settings, error));
    return ND_OK;
}

void nd_join_sides_free(nd_join_sides *sides) {
    for (uint32_t s = 0; s < sides->count; s++) {
        nd_join_side *side = &sides->side[s];
        if (side->held) nd_index_abandon_ingest(&side->index->shared);
        nd_store_close(side->own_store);
        nd_id_list_free(&side->ids);
        nd_spool_free(&side->fingerprints);
        nd_release(&side->allocator, side->members);
        nd_release(&side->allocator, side->groups);
        nd_release(&side->allocator, side->group_scratch);
    }
}

uint64_t nd_join_sides_total(const nd_join_sides *sides) {
    uint64_t total = 0;
    for (uint32_t s = 0; s < sides->count; s++) {
        const nd_join_side *side = &sides->side[s];
        total += side->index ? nd_store_live_count(side->store) : side->count;
    }
    return total;
}

/* ---- putting fingerprints to the join */

typedef struct putter {
    const nd_join_side *side;
    nd_hamming_joiner *join;
    uint32_t begin; /* number of the segment's first document */
    uint64_t done;
} putter;

/* nd_hamming_document_fn; `context` is the putter. */
static nd_status put(void *context, nd_fingerprint fingerprint, uint32_t document,
                     nd_error *error) {
    putter *p = context;
    ND_TRY(report_progress(p->side, p->done++, error));
    if (p->side->index && nd_store_is_removed(p->side->store, p->begin + document)) return ND_OK;
    return nd_hamming_joiner_put(p->join, p->side->set, fingerprint, p->begin + document, error);
}

static nd_status put_index(nd_join_side *side, putter *p, nd_error *error) {
    const nd_store *store = side->store;
    for (size_t i = 0; i < nd_store_segment_count(store); i++) {
        const nd_segment *segment = nd_store_segment(store, i, &p->begin);
        ND_TRY(nd_hamming_each(&segment->hamming, put, p, error));
    }
    const nd_memtable *recent = nd_store_memtable(store, &p->begin);
    for (uint32_t d = 0; d < nd_memtable_count(recent); d++) {
        nd_stored_document document;
        nd_memtable_document(recent, d, &document);
        ND_TRY(
            put(p, nd_stored_fingerprint(&document, side->index->shared.settings.bits), d, error));
    }
    side->count = nd_store_document_count(store);
    return ND_OK;
}

static nd_status put_source(const nd_join_side *side, putter *p, nd_error *error) {
    nd_spool_cursor cursor = {.spool = &side->fingerprints};
    nd_status status = ND_OK;
    for (uint32_t i = 0; status == ND_OK && i < side->count; i++) {
        const void *bytes;
        status = nd_spool_next(&cursor, side->fingerprint_size, &bytes, error);
        if (status != ND_OK) break;
        nd_fingerprint f = {
            nd_load_le64(bytes),
            side->fingerprint_size > 8 ? nd_load_le64((const unsigned char *)bytes + 8) : 0};
        status = put(p, f, i, error);
    }
    nd_release(&side->allocator, cursor.bytes);
    return status;
}

nd_status nd_join_sides_put(nd_join_sides *sides, nd_hamming_joiner *join, nd_error *error) {
    for (uint32_t s = 0; s < sides->count; s++) {
        nd_join_side *side = &sides->side[s];
        putter p = {.side = side, .join = join};
        ND_TRY(side->index ? put_index(side, &p, error) : put_source(side, &p, error));
    }
    return ND_OK;
}

/* ---- equal fingerprints */

nd_status nd_join_side_add_equal(nd_join_side *side, const uint32_t *numbers, size_t count,
                                 nd_error *error) {
    if (!nd_reserve(&side->allocator, &side->members, &side->member_capacity,
                    side->member_count + count + 1) ||
        !nd_reserve(&side->allocator, &side->groups, &side->group_capacity, side->group_count + 1))
        return nd_fail_memory(error, count * sizeof *numbers, "equal fingerprints");
    if (side->member_count > UINT32_MAX)
        return nd_fail(error, ND_ERR_ARGUMENT, "more than %u equal fingerprints", UINT32_MAX);
    side->groups[side->group_count++] = (uint64_t)numbers[0] << 32 | side->member_count;
    side->members[side->member_count++] = (uint32_t)count;
    memcpy(side->members + side->member_count, numbers, count * sizeof *numbers);
    side->member_count += count;
    side->sorted = false;
    return ND_OK;
}

static nd_status sort_groups(nd_join_side *side, nd_error *error) {
    if (!nd_reserve(&side->allocator, &side->group_scratch, &side->scratch_capacity,
                    side->group_count))
        return nd_fail_memory(error, side->group_count * sizeof *side->groups,
                              "equal fingerprints");
    nd_radix_sort(side->groups, side->group_scratch, side->group_count, 32);
    side->sorted = true;
    return ND_OK;
}

nd_status nd_join_side_equal(nd_join_side *side, const uint32_t *first, const uint32_t **out,
                             size_t *count, nd_error *error) {
    if (!side->sorted) ND_TRY(sort_groups(side, error));
    size_t begin = 0, end = side->group_count;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (side->groups[middle] >> 32 < *first) begin = middle + 1;
        else end = middle;
    }
    *out = first;
    *count = 1;
    if (begin == side->group_count || side->groups[begin] >> 32 != *first) return ND_OK;
    const uint32_t *group = side->members + (uint32_t)side->groups[begin];
    *count = *group;
    *out = group + 1;
    return ND_OK;
}

/* ---- ids */

nd_status nd_join_side_name(const nd_join_side *side, uint32_t number, nd_join_name *name,
                            nd_error *error) {
    nd_stored_document d;
    name->number = number;
    if (side->positions) {
        name->id = name->digits.bytes;
        name->length = nd_id_of_number(number, &name->digits);
        return ND_OK;
    }
    if (!side->index)
        return nd_id_list_get(&side->ids, number, &name->room, &name->id, &name->length, error);
    if (side->index->shared.settings.numbered)
        ND_TRY(nd_store_numeric_id(side->store, number, &name->number, error));
    ND_TRY(nd_store_id(side->store, number, &name->digits, &d, error));
    name->id = d.id;
    name->length = d.id_length;
    return ND_OK;
}
