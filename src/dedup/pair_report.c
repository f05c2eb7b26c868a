#include "dedup/pair_report.h"

#include "base/format.h"
#include "dedup/copy_groups.h"

#include <string.h>

nd_measure nd_measure_of(const nd_job_options *o) {
    if (o->sketch != ND_SKETCH_SIMHASH || o->verify == ND_VERIFY_EXACT) return ND_MEASURE_JACCARD;
    return o->verify == ND_VERIFY_COSINE ? ND_MEASURE_COSINE : ND_MEASURE_DISTANCE;
}

double nd_verdict_jaccard(const nd_job *job, const nd_verdict *v) {
    if (nd_measure_of(&job->options) != ND_MEASURE_JACCARD) return 0;
    return v->counted ? (double)v->intersection / (double)v->set_union : v->score;
}

double nd_verdict_cosine(const nd_job *job, const nd_verdict *v) {
    return nd_measure_of(&job->options) == ND_MEASURE_COSINE ? v->score : 0;
}

void nd_verdict_format(const nd_job *job, const nd_verdict *v, char text[40]) {
    switch (nd_measure_of(&job->options)) {
    case ND_MEASURE_JACCARD: nd_format(text, 40, "%.6f", nd_verdict_jaccard(job, v)); break;
    case ND_MEASURE_COSINE: nd_format(text, 40, "%.6f", nd_verdict_cosine(job, v)); break;
    case ND_MEASURE_DISTANCE: nd_format(text, 40, "%u", v->distance); break;
    }
}

nd_status nd_verdict_of_copies(const nd_job *job, nd_comparer *comparer, uint32_t rank,
                               nd_verdict *verdict, nd_error *error) {
    *verdict = (nd_verdict){.earlier = rank, .later = rank, .score = 1};
    if (!comparer || job->options.verify != ND_VERIFY_EXACT) return ND_OK;
    uint32_t size = 0;
    ND_TRY(nd_set_size(comparer, rank, &size, error));
    verdict->counted = 1;
    verdict->intersection = verdict->set_union = size;
    return ND_OK;
}

nd_status nd_table_place(nd_table *table, const nd_id_buffer *id, nd_error *error) {
    char line[24] = "";
    if (id->line > 0) nd_format(line, sizeof line, "%llu", (unsigned long long)id->line);
    ND_TRY(nd_table_id(table, id->source, strlen(id->source), error));
    return nd_table_text(table, line, error);
}

nd_status nd_pair_report_open(nd_pair_report *report, nd_job *job, nd_error *error) {
    *report = (nd_pair_report){.job = job};
#define PLACES "source_a\tline_a\tsource_b\tline_b\n"
    static const char *const headers[] = {"id_a\tid_b\tjaccard\t" PLACES,
                                          "id_a\tid_b\tcosine\t" PLACES,
                                          "id_a\tid_b\tdistance\t" PLACES};
    return nd_table_open(&report->edges, job->options.edges, headers[nd_measure_of(&job->options)],
                         &job->progress, &job->allocator, error);
}

void nd_pair_report_free(nd_pair_report *report) {
    if (!report->job) return;
    nd_table_free(&report->edges);
    nd_release(&report->job->allocator, report->id_a.bytes);
    nd_release(&report->job->allocator, report->id_b.bytes);
}

bool nd_pair_report_wanted(const nd_pair_report *report) {
    return nd_table_wanted(&report->edges) || report->job->options.on_pair;
}

nd_status nd_pair_report_one(nd_pair_report *r, uint32_t a, uint32_t b, const nd_verdict *verdict,
                             nd_error *error) {
    const nd_job_options *o = &r->job->options;
    r->job->summary.pairs++;
    if (!nd_pair_report_wanted(r)) return ND_OK;
    ND_TRY(nd_job_id_of_rank(r->job, a, &r->id_a, error));
    ND_TRY(nd_job_id_of_rank(r->job, b, &r->id_b, error));
    if (nd_table_wanted(&r->edges)) {
        char measure[40];
        nd_verdict_format(r->job, verdict, measure);
        ND_TRY(nd_table_id(&r->edges, r->id_a.id, r->id_a.length, error));
        ND_TRY(nd_table_id(&r->edges, r->id_b.id, r->id_b.length, error));
        ND_TRY(nd_table_text(&r->edges, measure, error));
        ND_TRY(nd_table_place(&r->edges, &r->id_a, error));
        ND_TRY(nd_table_place(&r->edges, &r->id_b, error));
        ND_TRY(nd_table_end(&r->edges, error));
    }
    if (!o->on_pair) return ND_OK;
    bool indexed = nd_job_is_indexed(r->job, a);
    nd_pair pair = {.document_a = indexed ? 0 : nd_job_document(r->job, a),
                    .document_b = nd_job_document(r->job, b),
                    .indexed = indexed,
                    .id_a = r->id_a.id,
                    .id_b = r->id_b.id,
                    .id_a_length = r->id_a.length,
                    .id_b_length = r->id_b.length,
                    .source_a = r->id_a.source,
                    .source_b = r->id_b.source,
                    .line_a = r->id_a.line,
                    .line_b = r->id_b.line,
                    .jaccard = nd_verdict_jaccard(r->job, verdict),
                    .estimated = nd_verdicts_are_estimates(o),
                    .intersection = verdict->counted ? verdict->intersection : 0,
                    .set_union = verdict->counted ? verdict->set_union : 0,
                    .cosine = nd_verdict_cosine(r->job, verdict),
                    .distance = verdict->distance};
    return o->on_pair(o->result_context, &pair) ? ND_OK
                                                : nd_fail(error, ND_ERR_CANCELLED, "cancelled");
}

/* nd_found_pair_fn */
static nd_status report_found(void *context, const nd_verdict *v, nd_error *error) {
    return nd_pair_report_one(context, v->earlier, v->later, v, error);
}

nd_status nd_pair_report_found(nd_pair_report *r, nd_error *error) {
    return nd_found_pairs_each(r->job, report_found, r, error);
}

/* ---- with copies: the pairs of documents are made, and sorted outside of memory, each with the
 * verdict of its originals */

enum { PAIR_WORDS = 3, PART_DOCUMENTS = ND_DECIDE_BLOCK / 4 };

/* later rank << 32 | earlier rank; then the rest of the verdict. */
static void pack_pair(uint32_t earlier, uint32_t later, const nd_verdict *v,
                      uint64_t record[PAIR_WORDS]) {
    record[0] = (uint64_t)later << 32 | earlier;
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

static nd_status push_pair(const nd_job *job, nd_part_sorter *sorter, uint32_t x, uint32_t y,
                           const nd_verdict *v, nd_error *error) {
    uint64_t record[PAIR_WORDS];
    uint32_t a = nd_job_rank(job, x), b = nd_job_rank(job, y), later = a > b ? a : b;
    pack_pair(a > b ? b : a, later, v, record);
    return nd_part_sorter_push_record(sorter, later / PART_DOCUMENTS, record, error);
}

/* Document i of a group: the original, then its copies. */
static uint32_t member(uint32_t original, nd_copy_range copies, size_t i) {
    return i == 0 ? original : nd_copy_at(copies, i - 1);
}

typedef struct pair_maker {
    nd_pair_report *report;
    nd_copy_groups groups;
    nd_part_sorter *sorter;
    nd_part_buffer buffer;
} pair_maker;

/* nd_found_pair_fn: the pair of two originals is one of each copy of the one with each of the
 * other. */
static nd_status push_found(void *context, const nd_verdict *v, nd_error *error) {
    const pair_maker *m = context;
    const nd_job *job = m->report->job;
    uint32_t a = nd_job_document(job, v->earlier), b = nd_job_document(job, v->later);
    nd_copy_range copies_a = nd_copies_of(&m->groups, a), copies_b = nd_copies_of(&m->groups, b);
    for (size_t i = 0; i <= copies_a.count; i++)
        for (size_t j = 0; j <= copies_b.count; j++)
            ND_TRY(push_pair(job, m->sorter, member(a, copies_a, i), member(b, copies_b, j), v,
                             error));
    return ND_OK;
}

static nd_status push_copies(pair_maker *m, nd_error *error) {
    nd_job *job = m->report->job;
    const nd_copy_groups *groups = &m->groups;
    for (size_t begin = 0; begin < groups->count;) {
        uint32_t original = nd_copy_original(groups, begin);
        nd_copy_range copies = nd_copies_at(groups, begin);
        nd_verdict v;
        ND_TRY(
            nd_verdict_of_copies(job, m->report->comparer, nd_job_rank(job, original), &v, error));
        for (size_t j = 1; j <= copies.count; j++) {
            size_t from = j > job->options.max_compare ? j - job->options.max_compare : 0;
            for (size_t i = from; i < j; i++)
                ND_TRY(push_pair(job, m->sorter, member(original, copies, i),
                                 member(original, copies, j), &v, error));
            job->summary.bounded_comparisons += from;
            job->summary.bounded_documents += from > 0;
        }
        begin += copies.count;
    }
    return ND_OK;
}

static nd_status report_sorted(pair_maker *m, nd_error *error) {
    for (size_t part = 0; part < nd_part_sorter_parts(m->sorter); part++) {
        ND_TRY(nd_part_sorter_load_records(m->sorter, part, &m->buffer, error));
        for (size_t i = 0; i < m->buffer.count; i++) {
            nd_verdict v = unpack_pair(m->buffer.words + i * PAIR_WORDS);
            ND_TRY(nd_pair_report_one(m->report, v.earlier, v.later, &v, error));
        }
    }
    return ND_OK;
}

static nd_status report_with_copies(pair_maker *m, nd_error *error) {
    nd_job *job = m->report->job;
    size_t parts = (size_t)(job->documents.count / PART_DOCUMENTS) + 1;
    ND_TRY(nd_copy_groups_make(job, &m->groups, error));
    const nd_part_sorter_settings sorting = {.disk = &job->disk,
                                             .parts = parts,
                                             .memory_limit = nd_job_share(job, SHARE_PAIRS),
                                             .words = PAIR_WORDS,
                                             .keys = 1,
                                             .what = "pairs"};
    ND_TRY(nd_part_sorter_create_records(&job->allocator, &sorting, &m->sorter, error));
    ND_TRY(nd_found_pairs_each(job, push_found, m, error));
    ND_TRY(push_copies(m, error));
    return report_sorted(m, error);
}

nd_status nd_pair_report_with_copies(nd_pair_report *r, nd_error *error) {
    nd_job *job = r->job;
    if (!job->copies) return nd_pair_report_found(r, error);
    pair_maker m = {.report = r};
    nd_status status = report_with_copies(&m, error);
    nd_part_buffer_free(&job->allocator, &m.buffer);
    nd_part_sorter_free(m.sorter);
    nd_copy_groups_free(job, &m.groups);
    return status;
}
