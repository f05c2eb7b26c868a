#include "dedup/examples.h"

#include <string.h>

struct nd_examples {
    const nd_output_options *options;
    const nd_ranked *documents;
    nd_allocator allocator;
    nd_record_reader *reader;
    nd_id_buffer ids[2];
    char *texts[2]; /* ND_EXAMPLE_BYTES each */
};

nd_status nd_examples_create(const nd_examples_request *request, nd_examples **out,
                             nd_error *error) {
    const nd_allocator *a = request->allocator;
    nd_examples *e = *out = nd_allocate_zero(a, 1, sizeof *e);
    if (!e) return nd_fail_memory(error, sizeof *e, "examples");
    e->options = request->options;
    e->documents = request->documents;
    e->allocator = *a;
    for (int side = 0; side < 2; side++) {
        e->texts[side] = nd_allocate(a, ND_EXAMPLE_BYTES, 1);
        if (!e->texts[side]) return nd_fail_memory(error, ND_EXAMPLE_BYTES, "examples");
    }
    return nd_record_reader_create(e->documents->columns->corpus, &e->reader, error);
}

void nd_examples_free(nd_examples *e) {
    if (!e) return;
    const nd_allocator a = e->allocator;
    nd_record_reader_free(e->reader);
    for (int side = 0; side < 2; side++) {
        nd_release(&a, e->ids[side].bytes);
        nd_release(&a, e->texts[side]);
    }
    nd_release(&a, e);
}

/* Copies the beginning of a text, since the reader has only one text at a time. */
static nd_status read_text(nd_examples *e, uint32_t rank, int side, nd_example *out,
                           nd_error *error) {
    const char *text;
    size_t length;
    if (nd_rank_is_indexed(e->documents->ranks, rank)) return ND_OK;
    ND_TRY(nd_columns_text(e->documents->columns, e->reader,
                           nd_document_of(e->documents->ranks, rank), &text, &length, error));
    size_t taken = length < ND_EXAMPLE_BYTES ? length : ND_EXAMPLE_BYTES;
    taken = nd_utf8_valid_prefix(text, taken);
    if (taken > 0) memcpy(e->texts[side], text, taken);
    nd_record_reader_release(e->reader);
    out->texts[side] = e->texts[side];
    out->lengths[side] = taken;
    out->whole_lengths[side] = length;
    return ND_OK;
}

static nd_status read_document(nd_examples *e, uint32_t rank, int side, nd_example *out,
                               nd_error *error) {
    nd_id_buffer *id = &e->ids[side];
    ND_TRY(nd_ranked_id(e->documents, rank, id, error));
    out->documents[side] = (nd_named_document){id->id, id->length, id->source, id->line};
    return read_text(e, rank, side, out, error);
}

nd_status nd_examples_give(nd_examples *e, const nd_example_ranks *pair, nd_error *error) {
    nd_example example = {.kind = pair->kind, .similarity = pair->similarity};
    ND_TRY(read_document(e, pair->earlier, 0, &example, error));
    ND_TRY(read_document(e, pair->later, 1, &example, error));
    return e->options->on_example(e->options->context, &example)
               ? ND_OK
               : nd_fail(error, ND_ERR_CANCELLED, "cancelled");
}

/* The pairs of each kind come sorted, the nearest to the threshold first. */
nd_status nd_examples_give_sample(nd_examples *e, const nd_pair_sample *sample, nd_error *error) {
    nd_sampled_pair *pairs = NULL;
    size_t count, given[2] = {0, 0};
    nd_status status = nd_pair_sample_sort(sample, &pairs, &count, error);
    for (size_t i = 0; i < count && status == ND_OK; i++) {
        nd_example_kind kind = pairs[i].kind == ND_SAMPLE_REJECTED ? ND_EXAMPLE_REJECTED
                                                                   : ND_EXAMPLE_DUPLICATE;
        if (pairs[i].kind == ND_SAMPLE_COPY || given[kind]++ >= ND_EXAMPLES_MOST) continue;
        const nd_example_ranks pair = {kind, pairs[i].similarity, pairs[i].verdict.earlier,
                                       pairs[i].verdict.later};
        status = nd_examples_give(e, &pair, error);
    }
    nd_release(&sample->allocator, pairs);
    return status;
}
