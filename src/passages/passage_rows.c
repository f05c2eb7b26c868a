#include "passages/passage_rows.h"

#include <string.h>

/* ---- gathering */

void nd_passage_block_begin(nd_passage_block *b) { b->documents = b->count = b->byte_count = 0; }

static void append(nd_passage_block *b, const char *bytes, size_t length) {
    if (length > 0) memcpy(b->bytes + b->byte_count, bytes, length);
    b->byte_count += length;
}

/* The range of bytes from token `begin` to token `end` - 1. */
static nd_text_range bytes_of(const nd_text_range *tokens, size_t begin, size_t end) {
    return (nd_text_range){tokens[begin].begin, tokens[end - 1].end};
}

/* Checks that the rows still fit in memory, because a repetitive text may have any number of
 * passages. Rows of blocks that have not been emitted count, too, and so does the memory that
 * sorting will take. */
static nd_status check_room(nd_passage_rows *r, size_t more, nd_error *error) {
    enum {
        ROW_BYTES = sizeof(nd_passage_row) + sizeof(nd_passage_row) / 2 + sizeof(uint64_t) +
                    2 * sizeof(uint32_t)
    };
    uint64_t count = atomic_fetch_add(&r->all, more) + more;
    if (count * ROW_BYTES <= r->memory && count < UINT32_MAX) return ND_OK;
    return nd_fail(error, ND_ERR_MEMORY,
                   "the passages take more than %llu MiB, a quarter of the memory of the job: "
                   "raise it, or the least length of a run, or give fewer "
                   "queries at a time",
                   (unsigned long long)(r->memory >> 20));
}

/* The range of the document's text from its first passage to the end of its last one. */
static nd_text_range span_of(const nd_passage_source *source, const nd_query_passage *found,
                             size_t count) {
    nd_text_range span = {UINT32_MAX, 0};
    for (size_t i = 0; i < count; i++) {
        nd_text_range p = bytes_of(source->tokens, found[i].tokens.b_begin, found[i].tokens.b_end);
        if (p.begin < span.begin) span.begin = p.begin;
        if (p.end > span.end) span.end = p.end;
    }
    return span;
}

/* The id of a document and the span of its passages are stored once for all its passages. */
nd_status nd_passage_rows_add(nd_passage_rows *r, nd_passage_block *b,
                              const nd_passage_source *source, const nd_query_passage *found,
                              size_t count, nd_error *error) {
    uint64_t document = b->documents++;
    if (count == 0) return ND_OK;
    ND_TRY(check_room(r, count, error));
    nd_text_range span = source->text ? span_of(source, found, count) : (nd_text_range){0, 0};
    size_t name = b->byte_count, text = name + sizeof source->name + source->id_length + 1,
           length = r->texts ? span.end - span.begin : 0;
    if (!nd_reserve(&r->allocator, &b->rows, &b->capacity, b->count + count) ||
        !nd_reserve(&r->allocator, &b->bytes, &b->byte_capacity, text + length))
        return nd_fail_memory(error, text + length, "shared passages");
    append(b, (const char *)&source->name, sizeof source->name);
    append(b, source->id, source->id_length);
    append(b, "", 1);
    if (length > 0) append(b, source->text + span.begin, length);
    for (size_t i = 0; i < count; i++) {
        const nd_common_passage *t = &found[i].tokens;
        nd_text_range in_source = source->text ? bytes_of(source->tokens, t->b_begin, t->b_end)
                                               : span;
        b->rows[b->count++] = (nd_passage_row){
            .source = document,
            .name = name,
            .text = text + in_source.begin - span.begin,
            .id_length = (uint32_t)source->id_length,
            .query = found[i].query,
            .tokens = (uint32_t)t->tokens,
            .in_query = {(uint32_t)t->a_begin, (uint32_t)t->a_end},
            .in_source = in_source,
        };
    }
    return ND_OK;
}

nd_status nd_passage_rows_append(nd_passage_rows *r, const nd_passage_block *b, nd_error *error) {
    size_t count = r->count + b->count;
    if (!nd_reserve(&r->allocator, &r->rows, &r->capacity, count))
        return nd_fail_memory(error, count * sizeof *r->rows, "shared passages");
    for (size_t i = 0; i < b->count; i++) {
        nd_passage_row *row = &r->rows[r->count++];
        *row = b->rows[i];
        row->source += r->documents;
        row->name += r->names.size;
        row->text += r->names.size;
    }
    r->documents += b->documents;
    return nd_spool_append(&r->names, b->bytes, b->byte_count, error);
}

nd_text_range nd_passage_row_bytes(const nd_passage_rows *r, const nd_passage_row *row) {
    return bytes_of(r->queries->tokens.places + r->queries->begins[row->query], row->in_query.begin,
                    row->in_query.end);
}

void nd_passage_block_free(nd_passage_block *b, const nd_allocator *allocator) {
    nd_release(allocator, b->rows);
    nd_release(allocator, b->bytes);
}

void nd_passage_rows_free(nd_passage_rows *r) {
    nd_spool_free(&r->names);
    nd_release(&r->allocator, r->rows);
}
