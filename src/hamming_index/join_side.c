#include "hamming_index/join_side.h"

#include "base/bits.h"
#include "base/radix_sort.h"
#include "hamming_index/fingerprint_reader.h"

#include <string.h>

enum { PROGRESS = 4096 }; /* fingerprints between two reports */

nd_status nd_join_side_check(const nd_hamming_side *from, nd_error *error) {
    if (!from->index == !from->source)
        return nd_fail(error, ND_ERR_ARGUMENT, "a side of a join is an index or a source");
    return from->index ? nd_hamming_check_index(from->index, error) : ND_OK;
}

void nd_join_side_init(nd_join_side *side, const nd_hamming_side *from, uint32_t set, size_t memory,
                       nd_scratch_disk *disk, nd_progress *progress,
                       const nd_allocator *allocator) {
    *side = (nd_join_side){.allocator = *allocator,
                           .progress = progress,
                           .index = from->index,
                           .source = from->source,
                           .set = set};
    side->positions = from->source && from->source->path &&
                      from->source->format != ND_FINGERPRINTS_HEX;
    nd_id_list_init(&side->ids, memory / 2, disk, allocator);
    nd_spool_init(&side->fingerprints, allocator, disk, memory / 2, "fingerprints");
}

nd_status nd_join_side_open(nd_join_side *side, nd_error *error) {
    if (!side->index) return ND_OK;
    if (side->index->shared.mode == ND_INDEX_WRITE)
        ND_TRY(nd_store_open(side->index->shared.path, ND_STORE_READ, &side->allocator,
                             &side->own_store, error));
    side->store = side->own_store ? side->own_store : side->index->shared.store;
    return ND_OK;
}

void nd_join_side_share(nd_join_side *side, const nd_join_side *with) { side->store = with->store; }

void nd_join_side_free(nd_join_side *side) {
    nd_store_close(side->own_store);
    nd_id_list_free(&side->ids);
    nd_spool_free(&side->fingerprints);
    nd_release(&side->allocator, side->members);
    nd_release(&side->allocator, side->lots);
    nd_release(&side->allocator, side->lot_scratch);
}

uint64_t nd_join_side_count(const nd_join_side *side) {
    return side->index ? nd_store_live(side->store) : side->count;
}

static nd_status tell_progress(const nd_join_side *side, uint64_t done, nd_error *error) {
    return done % PROGRESS == 0 ? nd_progress_tell(side->progress, ND_STAGE_READ, done, 0, error)
                                : ND_OK;
}

/* ---- what a source has */

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

nd_status nd_join_side_gather(nd_join_side *side, const nd_join_options *options, nd_error *error) {
    nd_fingerprint_in *in;
    nd_fingerprinted given;
    bool more = true;
    side->fingerprint_size = options->bits > 64 ? 16 : 8;
    if (side->index) return ND_OK;
    const nd_stream_in_options input = {&side->allocator, side->progress, options->memory};
    ND_TRY(nd_fingerprint_in_open(side->source, options->bits, &input, &in, error));
    nd_status status = ND_OK;
    while (status == ND_OK && more) {
        status = nd_fingerprint_in_next(in, &given, &more, error);
        if (status == ND_OK && more) status = keep(side, &given, error);
        if (status == ND_OK) status = tell_progress(side, side->count, error);
    }
    nd_fingerprint_in_close(in);
    return status;
}

/* ---- into the join */

typedef struct giver {
    const nd_join_side *side;
    nd_hamming_join *join;
    uint32_t begin; /* number of the segment's first document */
    uint64_t given;
} giver;

/* nd_hamming_document_fn; `context` is the giver. */
static nd_status give(void *context, nd_fingerprint fingerprint, uint32_t document,
                      nd_error *error) {
    giver *g = context;
    ND_TRY(tell_progress(g->side, g->given++, error));
    if (g->side->index && nd_store_is_removed(g->side->store, g->begin + document)) return ND_OK;
    return nd_hamming_join_put(g->join, g->side->set, fingerprint, g->begin + document, error);
}

static nd_status put_index(nd_join_side *side, giver *g, nd_error *error) {
    const nd_store *store = side->store;
    for (size_t i = 0; i < nd_store_segments(store); i++) {
        const nd_segment *segment = nd_store_segment(store, i, &g->begin);
        ND_TRY(nd_hamming_each(&segment->hamming, give, g, error));
    }
    const nd_memory_table *recent = nd_store_recent(store, &g->begin);
    for (uint32_t d = 0; d < nd_memory_table_count(recent); d++) {
        nd_stored_document document;
        nd_memory_table_document(recent, d, &document);
        ND_TRY(
            give(g, nd_stored_fingerprint(&document, side->index->shared.settings.bits), d, error));
    }
    side->count = nd_store_numbers(store);
    return ND_OK;
}

static nd_status put_source(const nd_join_side *side, giver *g, nd_error *error) {
    nd_spool_cursor cursor = {.spool = &side->fingerprints};
    nd_status status = ND_OK;
    for (uint32_t i = 0; status == ND_OK && i < side->count; i++) {
        const void *bytes;
        status = nd_spool_next(&cursor, side->fingerprint_size, &bytes, error);
        if (status != ND_OK) break;
        nd_fingerprint f = {
            nd_load_le64(bytes),
            side->fingerprint_size > 8 ? nd_load_le64((const unsigned char *)bytes + 8) : 0};
        status = give(g, f, i, error);
    }
    nd_release(&side->allocator, cursor.bytes);
    return status;
}

nd_status nd_join_side_put(nd_join_side *side, nd_hamming_join *join, nd_error *error) {
    giver g = {.side = side, .join = join};
    return side->index ? put_index(side, &g, error) : put_source(side, &g, error);
}

/* ---- equal ones */

nd_status nd_join_side_add_equal(nd_join_side *side, const uint32_t *numbers, size_t count,
                                 nd_error *error) {
    if (!nd_reserve(&side->allocator, &side->members, &side->member_capacity,
                    side->member_count + count + 1) ||
        !nd_reserve(&side->allocator, &side->lots, &side->lot_capacity, side->lot_count + 1))
        return nd_fail_memory(error, count * sizeof *numbers, "equal fingerprints");
    if (side->member_count > UINT32_MAX)
        return nd_fail(error, ND_ERR_ARGUMENT, "more than %u equal fingerprints", UINT32_MAX);
    side->lots[side->lot_count++] = (uint64_t)numbers[0] << 32 | side->member_count;
    side->members[side->member_count++] = (uint32_t)count;
    memcpy(side->members + side->member_count, numbers, count * sizeof *numbers);
    side->member_count += count;
    return ND_OK;
}

nd_status nd_join_side_sort_lots(nd_join_side *side, nd_error *error) {
    if (!nd_reserve(&side->allocator, &side->lot_scratch, &side->scratch_capacity, side->lot_count))
        return nd_fail_memory(error, side->lot_count * sizeof *side->lots, "equal fingerprints");
    nd_radix_sort(side->lots, side->lot_scratch, side->lot_count, 32);
    return ND_OK;
}

const uint32_t *nd_join_side_lot(const nd_join_side *side, const uint32_t *one, size_t *count) {
    size_t begin = 0, end = side->lot_count;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (side->lots[middle] >> 32 < *one) begin = middle + 1;
        else end = middle;
    }
    *count = 1;
    if (begin == side->lot_count || side->lots[begin] >> 32 != *one) return one;
    const uint32_t *lot = side->members + (uint32_t)side->lots[begin];
    *count = *lot;
    return lot + 1;
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
        ND_TRY(nd_store_id_number(side->store, number, &name->number, error));
    ND_TRY(nd_store_id(side->store, number, &name->digits, &d, error));
    name->id = d.id;
    name->length = d.id_length;
    return ND_OK;
}
