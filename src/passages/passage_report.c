#include "passages/passage_report.h"

#include "base/radix_sort.h"
#include "passages/token_union.h"

#include <stdlib.h>
#include <string.h>

/* Memory for a piece of the spool that does not lie in one chunk. */
typedef struct scratch {
    char *bytes;
    size_t capacity;
} scratch;

/* `keys` and `other` have a place for each row. They are needed for sorting all rows, and then free
 * for the rows of one query. */
typedef struct reporter {
    const nd_passage_rows *rows;
    const nd_passage_callbacks *to;
    uint64_t *keys;
    uint32_t *order, *other;
    scratch name, text;
    nd_passage_totals totals;
} reporter;

static nd_status read_piece(const nd_passage_rows *r, uint64_t at, size_t size, scratch *room,
                            const char **out, nd_error *error) {
    const void *bytes = "";
    if (!nd_reserve(&r->allocator, &room->bytes, &room->capacity, size))
        return nd_fail_memory(error, size, "a passage");
    if (size > 0) ND_TRY(nd_spool_view(&r->names, size, at, room->bytes, &bytes, error));
    *out = bytes;
    return ND_OK;
}

/* Reads where the document of a row comes from, and its id, which is valid until the next call. */
static nd_status read_name(reporter *r, const nd_passage_row *row, nd_passage_name *from,
                           const char **id, nd_error *error) {
    const char *name = NULL;
    ND_TRY(
        read_piece(r->rows, row->name, sizeof *from + row->id_length + 1, &r->name, &name, error));
    memcpy(from, name, sizeof *from);
    *id = name + sizeof *from;
    if (!from->file) from->file = *id;
    return ND_OK;
}

static nd_status go_on(bool wanted, nd_error *error) {
    return wanted ? ND_OK : nd_fail(error, ND_ERR_CANCELLED, "cancelled");
}

/* ---- passages */

static nd_status report_row(reporter *r, const nd_passage_row *row, nd_error *error) {
    const nd_passage_rows *rows = r->rows;
    const nd_passage_query *q = &rows->queries->queries[row->query];
    nd_text_range in_query = nd_passage_row_bytes(rows, row);
    nd_found_passage passage = {.query = row->query,
                                .query_id = rows->queries->bytes + q->id,
                                .query_id_length = q->id_length,
                                .query_file = rows->queries->bytes + q->file,
                                .query_line = q->line,
                                .source = row->source,
                                .source_id_length = row->id_length,
                                .placed = rows->placed,
                                .passage = {in_query.begin, in_query.end, row->in_source.begin,
                                            row->in_source.end, row->tokens}};
    nd_passage_name from;
    ND_TRY(read_name(r, row, &from, &passage.source_id, error));
    passage.source_file = from.file;
    passage.source_line = from.line;
    if (rows->texts) passage.query_text = rows->queries->bytes + q->text + in_query.begin;
    if (rows->texts && rows->placed)
        ND_TRY(read_piece(rows, row->text, row->in_source.end - row->in_source.begin, &r->text,
                          &passage.source_text, error));
    return go_on(r->to->passage(r->to->context, &passage), error);
}

/* ---- shares */

static int by_row(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Rows of one query. Those of a source are neighbours in by_source, where rows are in the order of
 * the sources; `keys` has room for all rows. */
typedef struct query_rows {
    const uint32_t *order;
    uint32_t *by_source;
    uint64_t *keys;
    size_t count;
} query_rows;

static uint64_t token_word(const reporter *r, uint32_t row) {
    nd_token_range in_query = r->rows->rows[row].in_query;
    return nd_token_word(in_query.begin, in_query.end);
}

/* Tokens of the query that are in these rows. */
static uint32_t found_in(const reporter *r, const uint32_t *list, uint64_t *words, size_t count) {
    for (size_t i = 0; i < count; i++) words[i] = token_word(r, list[i]);
    return nd_token_union(words, count);
}

/* The end of the source whose rows begin at `begin`. */
static size_t source_end(const reporter *r, const query_rows *q, size_t begin) {
    uint64_t source = r->rows->rows[q->by_source[begin]].source;
    size_t end = begin + 1;
    while (end < q->count && r->rows->rows[q->by_source[end]].source == source) end++;
    return end;
}

/* Makes a key for each source, in ascending order: the one with most tokens found is first. The
 * high half of a key has these tokens, inverted; the low half where the source begins in
 * by_source. Returns the number of sources. */
static size_t rank_sources(const reporter *r, query_rows *q) {
    size_t sources = 0;
    memcpy(q->by_source, q->order, q->count * sizeof *q->order);
    if (q->count > 1) qsort(q->by_source, q->count, sizeof *q->by_source, by_row);
    for (size_t begin = 0, end; begin < q->count; begin = end) {
        end = source_end(r, q, begin);
        uint32_t found = found_in(r, q->by_source + begin, q->keys + begin, end - begin);
        q->keys[sources++] = nd_token_word(UINT32_MAX - found, (uint32_t)begin);
    }
    if (sources > 1) qsort(q->keys, sources, sizeof *q->keys, nd_token_word_order);
    return sources;
}

static nd_status report_source(reporter *r, const query_rows *q, const nd_query_share *query,
                               uint64_t key, nd_error *error) {
    size_t begin = (uint32_t)key;
    const nd_passage_row *row = &r->rows->rows[q->by_source[begin]];
    nd_passage_name from;
    nd_source_share share = {.source = row->source,
                             .id_length = row->id_length,
                             .found = UINT32_MAX - (uint32_t)(key >> 32),
                             .passages = source_end(r, q, begin) - begin};
    ND_TRY(read_name(r, row, &from, &share.id, error));
    share.file = from.file;
    share.line = from.line;
    return go_on(r->to->source(r->to->context, query, &share), error);
}

static nd_status report_shares(reporter *r, uint32_t query, query_rows *q, nd_error *error) {
    const nd_passage_queries *queries = r->rows->queries;
    const nd_passage_query *named = &queries->queries[query];
    nd_query_share share = {.query = query,
                            .id = queries->bytes + named->id,
                            .id_length = named->id_length,
                            .file = queries->bytes + named->file,
                            .line = named->line,
                            .text = queries->texts ? queries->bytes + named->text : NULL,
                            .text_length = named->text_length,
                            .tokens = queries->begins[query + 1] - queries->begins[query],
                            .found = found_in(r, q->order, q->keys, q->count),
                            .passages = q->count};
    r->totals.queries_found += q->count > 0;
    r->totals.found += share.found;
    if (!r->to->query && !r->to->source) return ND_OK;
    share.sources = rank_sources(r, q);
    if (r->to->query) ND_TRY(go_on(r->to->query(r->to->context, &share), error));
    for (size_t i = 0; r->to->source && i < share.sources; i++)
        ND_TRY(report_source(r, q, &share, q->keys[i], error));
    return ND_OK;
}

/* ---- all queries */

static nd_status report_queries(reporter *r, nd_error *error) {
    const nd_passage_rows *rows = r->rows;
    size_t begin = 0;
    for (uint32_t query = 0; query < rows->queries->count; query++) {
        size_t end = begin;
        while (end < rows->count && rows->rows[r->order[end]].query == query) end++;
        query_rows q = {r->order + begin, r->other, r->keys, end - begin};
        ND_TRY(report_shares(r, query, &q, error));
        for (; begin < end; begin++) ND_TRY(report_row(r, &rows->rows[r->order[begin]], error));
    }
    return ND_OK;
}

/* Rows are in the order of the source, and sorting is stable. So rows that begin at the same
 * position of a query stay in the order of the source. */
static void sort(reporter *r) {
    for (size_t i = 0; i < r->rows->count; i++) {
        const nd_passage_row *row = &r->rows->rows[i];
        r->keys[i] = (uint64_t)row->query << 32 | nd_passage_row_bytes(r->rows, row).begin;
        r->order[i] = (uint32_t)i;
    }
    nd_radix_sort_indices(r->order, r->other, r->rows->count, r->keys);
}

nd_status nd_passage_report(const nd_passage_rows *rows, const nd_passage_callbacks *to,
                            nd_passage_totals *totals, nd_error *error) {
    const nd_allocator *a = &rows->allocator;
    reporter r = {.rows = rows,
                  .to = to,
                  .keys = nd_allocate(a, rows->count, sizeof *r.keys),
                  .order = nd_allocate(a, rows->count, sizeof *r.order),
                  .other = nd_allocate(a, rows->count, sizeof *r.other)};
    nd_status status = ND_OK;
    if (r.keys && r.order && r.other) sort(&r);
    else status = nd_fail_memory(error, rows->count * sizeof *r.keys, "shared passages");
    if (status == ND_OK) status = report_queries(&r, error);
    *totals = r.totals;
    nd_release(a, r.keys);
    nd_release(a, r.order);
    nd_release(a, r.other);
    nd_release(a, r.name.bytes);
    nd_release(a, r.text.bytes);
    return status;
}
