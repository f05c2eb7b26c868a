#include "dedup/pair_report.h"

#include "base/format.h"
#include "dedup/candidates.h"
#include "dedup/copy_groups.h"
#include "dedup/verdict_measure.h"
#include "io/external_sort.h"

#include <string.h>

nd_status nd_table_source(nd_table *table, const nd_id_buffer *id, nd_error *error) {
    char line[24] = "";
    if (id->line > 0) nd_format(line, sizeof line, "%llu", (unsigned long long)id->line);
    ND_TRY(nd_table_id(table, id->source, strlen(id->source), error));
    return nd_table_text(table, line, error);
}

void nd_pair_report_free(nd_pair_report *r) {
    if (!r->shared) return;
    nd_release(&r->shared->run->allocator, r->id_a.bytes);
    nd_release(&r->shared->run->allocator, r->id_b.bytes);
}

/* ---- a pair */

/* Writes a row. `more`: the columns behind the measure; NULL: there are none. */
static nd_status write_pair(const nd_pair_report *r, nd_table *table, const nd_verdict *v,
                            const char *more, nd_error *error) {
    char measure[40];
    nd_verdict_format(r->shared->plan, v, measure);
    ND_TRY(nd_table_id(table, r->id_a.id, r->id_a.length, error));
    ND_TRY(nd_table_id(table, r->id_b.id, r->id_b.length, error));
    ND_TRY(nd_table_text(table, measure, error));
    if (more) ND_TRY(nd_table_text(table, more, error));
    ND_TRY(nd_table_source(table, &r->id_a, error));
    ND_TRY(nd_table_source(table, &r->id_b, error));
    return nd_table_end(table, error);
}

static nd_status read_ids(nd_pair_report *r, const nd_verdict *v, nd_error *error) {
    ND_TRY(nd_ranked_id(&r->shared->documents, v->earlier, &r->id_a, error));
    return nd_ranked_id(&r->shared->documents, v->later, &r->id_b, error);
}

static nd_status call_back(const nd_pair_report *r, const nd_verdict *v, nd_error *error) {
    const nd_dedup_plan *plan = r->shared->plan;
    const nd_ranks *ranks = r->shared->documents.ranks;
    bool indexed = nd_rank_is_indexed(ranks, v->earlier);
    const nd_pair pair = {.document_a = indexed ? 0 : nd_document_of(ranks, v->earlier),
                          .document_b = nd_document_of(ranks, v->later),
                          .indexed = indexed,
                          .id_a = r->id_a.id,
                          .id_b = r->id_b.id,
                          .id_a_length = r->id_a.length,
                          .id_b_length = r->id_b.length,
                          .source_a = r->id_a.source,
                          .source_b = r->id_b.source,
                          .line_a = r->id_a.line,
                          .line_b = r->id_b.line,
                          .jaccard = nd_verdict_jaccard(plan, v),
                          .estimated = plan->estimated,
                          .intersection = v->counted ? v->intersection : 0,
                          .set_union = v->counted ? v->set_union : 0,
                          .cosine = nd_verdict_cosine(plan, v),
                          .distance = nd_verdict_distance(plan, v),
                          .containment = nd_verdict_containment(plan, v)};
    return r->fn(r->context, &pair) ? ND_OK : nd_fail(error, ND_ERR_CANCELLED, "cancelled");
}

nd_status nd_pair_report_one(nd_pair_report *r, const nd_verdict *v, nd_error *error) {
    r->pairs++;
    if (!nd_table_wanted(r->edges) && !r->fn) return ND_OK;
    ND_TRY(read_ids(r, v, error));
    if (nd_table_wanted(r->edges)) ND_TRY(write_pair(r, r->edges, v, NULL, error));
    return r->fn ? call_back(r, v, error) : ND_OK;
}

/* nd_found_pair_fn */
static nd_status report_found(void *context, const nd_verdict *v, nd_error *error) {
    return nd_pair_report_one(context, v, error);
}

nd_status nd_pair_report_found(nd_pair_report *r, nd_error *error) {
    return nd_fates_each_pair(r->fates, report_found, r, error);
}

/* ---- a sample */

static nd_status write_sampled(nd_pair_report *r, nd_table *table, const nd_pair_sample *sample,
                               const nd_sampled_pair *pair, nd_error *error) {
    static const char *const words[] = {[ND_SAMPLE_REJECTED] = "rejected",
                                        [ND_SAMPLE_DUPLICATE] = "duplicate",
                                        [ND_SAMPLE_COPY] = "copy"};
    char columns[60];
    nd_format(columns, sizeof columns, "%s\t%llu", words[pair->kind],
              (unsigned long long)nd_pair_sample_offered(sample, pair));
    ND_TRY(read_ids(r, &pair->verdict, error));
    return write_pair(r, table, &pair->verdict, columns, error);
}

nd_status nd_pair_report_sample(nd_pair_report *r, nd_table *table, const nd_pair_sample *sample,
                                nd_error *error) {
    nd_sampled_pair *pairs = NULL;
    size_t count;
    nd_status status = nd_pair_sample_sort(sample, &pairs, &count, error);
    for (size_t i = 0; i < count && status == ND_OK; i++)
        status = write_sampled(r, table, sample, &pairs[i], error);
    nd_release(&sample->allocator, pairs);
    return status;
}

/* ---- with copies: each found pair stands for several pairs of documents, so all pairs are made,
 * each with the verdict of its originals, and sorted by an external sort */

enum { PAIR_WORDS = 3, PART_DOCUMENTS = ND_DECIDE_BLOCK / 4 };

/* Packs a pair: later rank << 32 | earlier rank, then the rest of the verdict. */
static void pack_pair(const nd_verdict *v, uint64_t record[PAIR_WORDS]) {
    record[0] = (uint64_t)v->later << 32 | v->earlier;
    if (v->counted) record[1] = (uint64_t)v->intersection << 32 | v->set_union;
    else memcpy(&record[1], &v->score, sizeof v->score);
    record[2] = (uint64_t)v->distance << 1 | v->counted;
}

static nd_verdict unpack_pair(const uint64_t record[PAIR_WORDS]) {
    nd_verdict v = {.earlier = (uint32_t)record[0], .later = (uint32_t)(record[0] >> 32)};
    v.counted = record[2] & 1;
    v.distance = (uint32_t)(record[2] >> 1);
    if (v.counted) {
        v.intersection = (uint32_t)(record[1] >> 32);
        v.set_union = (uint32_t)record[1];
    } else memcpy(&v.score, &record[1], sizeof v.score);
    return v;
}

typedef struct pair_maker {
    nd_pair_report *report;
    nd_copy_groups groups;
    nd_external_sort *sorter;
    nd_part_buffer buffer;
} pair_maker;

/* Adds the pair of documents x and y with the measure of v. */
static nd_status push_pair(const pair_maker *m, uint32_t x, uint32_t y, const nd_verdict *v,
                           nd_error *error) {
    const nd_ranks *ranks = m->report->shared->documents.ranks;
    uint64_t record[PAIR_WORDS];
    uint32_t a = nd_rank_of(ranks, x), b = nd_rank_of(ranks, y);
    nd_verdict pair = *v;
    pair.earlier = a < b ? a : b;
    pair.later = a < b ? b : a;
    pack_pair(&pair, record);
    return nd_external_sort_push_record(m->sorter, pair.later / PART_DOCUMENTS, record, error);
}

/* Returns document i of a group: the original, then its copies. */
static uint32_t member(uint32_t original, nd_copy_range copies, size_t i) {
    return i == 0 ? original : nd_copy_at(copies, i - 1);
}

/* nd_found_pair_fn. A pair of originals stands for the pairs of the first original and its copies
 * with the second original and its copies. */
static nd_status push_found(void *context, const nd_verdict *v, nd_error *error) {
    const pair_maker *m = context;
    const nd_ranks *ranks = m->report->shared->documents.ranks;
    uint32_t a = nd_document_of(ranks, v->earlier), b = nd_document_of(ranks, v->later);
    nd_copy_range copies_a = nd_copies_of(&m->groups, a), copies_b = nd_copies_of(&m->groups, b);
    for (size_t i = 0; i <= copies_a.count; i++)
        for (size_t j = 0; j <= copies_b.count; j++)
            ND_TRY(push_pair(m, member(a, copies_a, i), member(b, copies_b, j), v, error));
    return ND_OK;
}

static nd_status push_group(const pair_maker *m, uint32_t original, nd_copy_range copies,
                            nd_error *error) {
    nd_pair_report *r = m->report;
    uint32_t max_compare = r->shared->plan->max_compare;
    nd_verdict v;
    ND_TRY(nd_measure_copies(r->shared->plan, r->verifier,
                             nd_rank_of(r->shared->documents.ranks, original), &v, error));
    for (size_t j = 1; j <= copies.count; j++) {
        size_t from = j > max_compare ? j - max_compare : 0;
        for (size_t i = from; i < j; i++)
            ND_TRY(
                push_pair(m, member(original, copies, i), member(original, copies, j), &v, error));
        r->bounded_comparisons += from;
        r->bounded_documents += from > 0;
    }
    return ND_OK;
}

static nd_status push_copies(const pair_maker *m, nd_error *error) {
    const nd_copy_groups *groups = &m->groups;
    for (size_t begin = 0; begin < groups->count;) {
        nd_copy_range copies = nd_copies_at(groups, begin);
        ND_TRY(push_group(m, nd_copy_original(groups, begin), copies, error));
        begin += copies.count;
    }
    return ND_OK;
}

static nd_status report_sorted(pair_maker *m, nd_error *error) {
    for (size_t part = 0; part < nd_external_sort_parts(m->sorter); part++) {
        ND_TRY(nd_external_sort_load_records(m->sorter, part, &m->buffer, error));
        for (size_t i = 0; i < m->buffer.count; i++) {
            nd_verdict v = unpack_pair(m->buffer.words + i * PAIR_WORDS);
            ND_TRY(nd_pair_report_one(m->report, &v, error));
        }
    }
    return ND_OK;
}

static nd_status report_with_copies(pair_maker *m, nd_error *error) {
    const nd_run *run = m->report->shared->run;
    const nd_fates *fates = m->report->fates;
    size_t parts = fates->count / PART_DOCUMENTS + 1;
    ND_TRY(nd_copy_groups_make(fates, m->report->shared->documents.ranks, &m->groups, error));
    const nd_external_sort_settings sorting = {
        .disk = run->space,
        .parts = parts,
        .memory_limit = nd_memory_share(&run->budget, ND_MEMORY_COPY_PAIRS),
        .words = PAIR_WORDS,
        .keys = 1,
        .what = "pairs"};
    ND_TRY(nd_external_sort_create_records(&run->allocator, &sorting, &m->sorter, error));
    ND_TRY(nd_fates_each_pair(fates, push_found, m, error));
    ND_TRY(push_copies(m, error));
    return report_sorted(m, error);
}

nd_status nd_pair_report_with_copies(nd_pair_report *r, nd_error *error) {
    if (!r->fates->copies) return nd_pair_report_found(r, error);
    pair_maker m = {.report = r};
    nd_status status = report_with_copies(&m, error);
    nd_part_buffer_free(&r->shared->run->allocator, &m.buffer);
    nd_external_sort_free(m.sorter);
    nd_copy_groups_free(&m.groups);
    return status;
}
