#include "job/pair_report.h"

#include "base/format.h"
#include "job/copy_groups.h"

#include <string.h>

nd_measure nd_measure_of(const nd_job_options *o) {
    if (o->sketch != ND_SKETCH_SIMHASH || o->verify == ND_VERIFY_EXACT) return ND_MEASURE_JACCARD;
    return o->verify == ND_VERIFY_COSINE ? ND_MEASURE_COSINE : ND_MEASURE_DISTANCE;
}

double nd_verdict_jaccard(const nd_job *job, const nd_verdict *v) {
    if (nd_measure_of(&job->options) != ND_MEASURE_JACCARD) return 0;
    return v->counted ? (double)v->intersection / (double)v->set_union : v->score;
}

double nd_verdict_cosine(const nd_job *job, const nd_verdict *v) { return nd_measure_of(&job->options) == ND_MEASURE_COSINE ? v->score : 0; }

void nd_verdict_format(const nd_job *job, const nd_verdict *v, char text[40]) {
    switch (nd_measure_of(&job->options)) {
    case ND_MEASURE_JACCARD: nd_format(text, 40, "%.6f", nd_verdict_jaccard(job, v)); break;
    case ND_MEASURE_COSINE: nd_format(text, 40, "%.6f", nd_verdict_cosine(job, v)); break;
    case ND_MEASURE_DISTANCE: nd_format(text, 40, "%u", v->distance); break;
    }
}

nd_status nd_verdict_of_copies(const nd_job *job, nd_comparer *comparer, uint32_t rank, nd_verdict *verdict, nd_error *error) {
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
    static const char *const headers[] = {"id_a\tid_b\tjaccard\t" PLACES, "id_a\tid_b\tcosine\t" PLACES, "id_a\tid_b\tdistance\t" PLACES};
    return nd_table_open(&report->edges, job->options.edges, headers[nd_measure_of(&job->options)], &job->allocator, error);
}

void nd_pair_report_free(nd_pair_report *report) {
    if (!report->job) return;
    nd_table_free(&report->edges);
    nd_release(&report->job->allocator, report->id_a.bytes);
    nd_release(&report->job->allocator, report->id_b.bytes);
}

bool nd_pair_report_wanted(const nd_pair_report *report) { return nd_table_wanted(&report->edges) || report->job->options.on_pair; }

nd_status nd_pair_report_one(nd_pair_report *r, uint32_t a, uint32_t b, const nd_verdict *verdict, nd_error *error) {
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
    return o->on_pair(o->result_context, &pair) ? ND_OK : nd_fail(error, ND_ERR_CANCELLED, "cancelled");
}

static nd_status read_pair(const nd_job *job, uint64_t index, nd_verdict *out, nd_error *error) {
    return nd_spool_read(&job->found_pairs, out, sizeof *out, index * sizeof *out, error);
}

static uint64_t pair_count(const nd_job *job) { return job->found_pairs.size / sizeof(nd_verdict); }

nd_status nd_pair_report_found(nd_pair_report *r, nd_error *error) {
    nd_verdict v;
    for (uint64_t i = 0; i < pair_count(r->job); i++) {
        ND_TRY(read_pair(r->job, i, &v, error));
        ND_TRY(nd_pair_report_one(r, v.earlier, v.later, &v, error));
    }
    return ND_OK;
}

/* ---- with copies: the pairs of documents are made, sorted outside of memory, and each finds its verdict again */

static nd_status push_pair(const nd_job *job, nd_part_sorter *sorter, uint32_t x, uint32_t y, nd_error *error) {
    uint32_t a = nd_job_rank(job, x), b = nd_job_rank(job, y);
    uint32_t later = a > b ? a : b, earlier = a > b ? b : a;
    return nd_part_sorter_push(sorter, later / ND_DECIDE_BLOCK, (uint64_t)later << 32 | earlier, error);
}

/* Document i of a group: the original, then its copies. */
static uint32_t member(uint32_t original, nd_copy_range copies, size_t i) { return i == 0 ? original : nd_copy_at(copies, i - 1); }

static nd_status push_found(const nd_job *job, const nd_copy_groups *groups, nd_part_sorter *sorter, nd_error *error) {
    nd_verdict v;
    for (uint64_t p = 0; p < pair_count(job); p++) {
        ND_TRY(read_pair(job, p, &v, error));
        uint32_t a = nd_job_document(job, v.earlier), b = nd_job_document(job, v.later);
        nd_copy_range copies_a = nd_copies_of(groups, a), copies_b = nd_copies_of(groups, b);
        for (size_t i = 0; i <= copies_a.count; i++)
            for (size_t j = 0; j <= copies_b.count; j++) ND_TRY(push_pair(job, sorter, member(a, copies_a, i), member(b, copies_b, j), error));
    }
    return ND_OK;
}

static nd_status push_copies(nd_job *job, const nd_copy_groups *groups, nd_part_sorter *sorter, nd_error *error) {
    for (size_t begin = 0; begin < groups->count;) {
        uint32_t original = nd_copy_original(groups, begin);
        nd_copy_range copies = nd_copies_at(groups, begin);
        for (size_t j = 1; j <= copies.count; j++) {
            size_t from = j > job->options.max_compare ? j - job->options.max_compare : 0;
            for (size_t i = from; i < j; i++) ND_TRY(push_pair(job, sorter, member(original, copies, i), member(original, copies, j), error));
            job->summary.bounded_comparisons += from;
            job->summary.bounded_documents += from > 0;
        }
        begin += copies.count;
    }
    return ND_OK;
}

/* The verdict of two originals, by binary search: the pairs found are sorted by (later, earlier). */
static nd_status find_verdict(const nd_job *job, uint32_t earlier, uint32_t later, nd_verdict *out, nd_error *error) {
    uint64_t low = 0, high = pair_count(job), wanted = (uint64_t)later << 32 | earlier;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        ND_TRY(read_pair(job, middle, out, error));
        if (((uint64_t)out->later << 32 | out->earlier) < wanted) low = middle + 1;
        else high = middle;
    }
    return read_pair(job, low, out, error);
}

static uint32_t original_of(const nd_job *job, uint32_t rank) {
    const nd_document_entry *entry = nd_document_at(&job->documents, nd_job_document(job, rank));
    return entry->fate == ND_FATE_COPY ? nd_job_rank(job, entry->link) : rank;
}

static nd_status report_sorted(nd_pair_report *r, const nd_part_sorter *sorter, nd_part_buffer *buffer, nd_error *error) {
    const nd_job *job = r->job;
    for (size_t part = 0; part < nd_part_sorter_parts(sorter); part++) {
        ND_TRY(nd_part_sorter_load(sorter, part, 0, buffer, error));
        for (size_t i = 0; i < buffer->count; i++) {
            uint32_t a = (uint32_t)buffer->words[i], b = (uint32_t)(buffer->words[i] >> 32);
            uint32_t rank_a = original_of(job, a), rank_b = original_of(job, b);
            nd_verdict v;
            if (rank_a == rank_b) ND_TRY(nd_verdict_of_copies(job, r->comparer, rank_a, &v, error));
            else ND_TRY(find_verdict(job, rank_a < rank_b ? rank_a : rank_b, rank_a < rank_b ? rank_b : rank_a, &v, error));
            ND_TRY(nd_pair_report_one(r, a, b, &v, error));
        }
    }
    return ND_OK;
}

nd_status nd_pair_report_with_copies(nd_pair_report *r, nd_error *error) {
    nd_job *job = r->job;
    if (!job->copies) return nd_pair_report_found(r, error);
    nd_copy_groups groups = {0};
    nd_part_sorter *sorter = NULL;
    nd_part_buffer buffer = {0};
    size_t parts = (size_t)(job->documents.count / ND_DECIDE_BLOCK) + 1;
    nd_status status = nd_copy_groups_make(job, &groups, error);
    if (status == ND_OK) status = nd_part_sorter_create(&job->allocator, &job->disk, parts, nd_job_share(job, SHARE_PAIRS), "pairs", &sorter, error);
    if (status == ND_OK) status = push_found(job, &groups, sorter, error);
    if (status == ND_OK) status = push_copies(job, &groups, sorter, error);
    if (status == ND_OK) status = report_sorted(r, sorter, &buffer, error);
    nd_part_buffer_free(&job->allocator, &buffer);
    nd_part_sorter_free(sorter);
    nd_copy_groups_free(job, &groups);
    return status;
}
