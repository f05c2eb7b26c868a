#include "dedup/report.h"

#include "base/format.h"
#include "dedup/evidence.h"
#include "dedup/examples.h"
#include "dedup/kept_parquet.h"
#include "dedup/record_writer.h"
#include "dedup/shard_names.h"
#include "dedup/verdict_measure.h"
#include "io/file.h"

#include <string.h>

/* Documents between two progress reports. */
enum { PROGRESS_DOCUMENTS = 4096 };

struct nd_report {
    nd_report_request request;
    const nd_run *run;
    const nd_dedup_plan *plan;
    const nd_ranked *documents;
    uint64_t next;              /* the document that is reported next */
    nd_pair_verifier *verifier; /* NULL: sizes of sets are not wanted */
    nd_record_writer *kept;     /* writes kept records, or marked ones; NULL: not wanted, or texts
                                   are copied as files */
    nd_record_writer *removed;  /* writes removed records; NULL: not wanted */
    bool has_marks, needs_ids; /* records are marked; each is written with its id, or by its line */
    nd_record_reader *origins; /* reads URIs and dates; NULL: they are not wanted */
    nd_kept_parquet *kept_rows, *removed_rows; /* the same of Parquet, in place of the writers */
    nd_pair_report pairs;
    nd_id_buffer id, other_id; /* ids of the document and of its evidence */
    nd_report_counts counts;
};

/* ---- a document's decision */

/* Finds the evidence of a document. Of an exact copy of a kept document the counts are set only if
 * they are wanted. */
static nd_status find_decision(const nd_report *r, uint32_t document, nd_evidence *out,
                               nd_error *error) {
    const nd_evidence_source source = {r->request.fates, r->documents->ranks, r->request.update};
    ND_TRY(nd_find_evidence(&source, document, out, error));
    return out->kept || out->compared
               ? ND_OK
               : nd_measure_copies(r->plan, r->verifier, out->rank, &out->verdict, error);
}

/* Writes URI and date of a document of WARC, which its record has; those of a document of an index
 * are not known. */
static nd_status write_origin(const nd_report *r, uint32_t rank, nd_error *error) {
    nd_table *table = &r->request.outputs->removed;
    const nd_columns *c = r->documents->columns;
    nd_span uri = {0}, date = {0};
    if (!nd_rank_is_indexed(r->documents->ranks, rank)) {
        uint32_t document = nd_document_of(r->documents->ranks, rank);
        ND_TRY(nd_record_reader_fetch_origin(r->origins, nd_columns_source(c, document),
                                             nd_columns_offset(c, document),
                                             nd_columns_length(c, document), &uri, &date, error));
    }
    ND_TRY(nd_table_id(table, uri.bytes, uri.length, error));
    return nd_table_id(table, date.bytes, date.length, error);
}

static nd_status write_removed(const nd_report *r, uint32_t document, const nd_evidence *d,
                               nd_error *error) {
    nd_table *table = &r->request.outputs->removed;
    char measure[40], numbers[80] = "\t";
    ND_TRY(nd_table_id(table, r->id.id, r->id.length, error));
    ND_TRY(nd_table_id(table, r->other_id.id, r->other_id.length, error));
    nd_verdict_format(r->plan, &d->verdict, measure);
    ND_TRY(nd_table_text(table, measure, error));
    if (d->verdict.counted)
        nd_format(numbers, sizeof numbers, "%u\t%u", d->verdict.intersection, d->verdict.set_union);
    if (r->plan->measure == ND_BY_JACCARD || r->plan->measure == ND_BY_CONTAINMENT)
        ND_TRY(nd_table_text(table, numbers, error));
    ND_TRY(nd_table_source(table, &r->id, error));
    ND_TRY(nd_table_source(table, &r->other_id, error));
    if (r->origins) {
        ND_TRY(write_origin(r, nd_rank_of(r->documents->ranks, document), error));
        ND_TRY(write_origin(r, d->rank, error));
    }
    return nd_table_end(table, error);
}

static nd_status write_cluster(const nd_report *r, const nd_evidence *d, nd_error *error) {
    nd_table *table = &r->request.outputs->clusters;
    const nd_id_buffer *cluster = d->kept ? &r->id : &r->other_id;
    ND_TRY(nd_table_id(table, r->id.id, r->id.length, error));
    ND_TRY(nd_table_id(table, cluster->id, cluster->length, error));
    ND_TRY(nd_table_text(table, d->kept ? "1" : "0", error));
    ND_TRY(nd_table_source(table, &r->id, error));
    ND_TRY(nd_table_source(table, cluster, error));
    return nd_table_end(table, error);
}

static nd_status call_back(const nd_report *r, uint32_t document, const nd_evidence *d,
                           nd_error *error) {
    const nd_output_options *o = r->request.options;
    const nd_ranks *ranks = r->documents->ranks;
    const nd_id_buffer *evidence = d->kept ? &r->id : &r->other_id;
    bool indexed = nd_rank_is_indexed(ranks, d->rank);
    const nd_decision given = {
        .document = document,
        .id = r->id.id,
        .id_length = r->id.length,
        .source = r->id.source,
        .line = r->id.line,
        .kept = d->kept,
        .indexed = indexed,
        .evidence = indexed ? 0 : nd_document_of(ranks, d->rank),
        .evidence_id = evidence->id,
        .evidence_id_length = evidence->length,
        .evidence_source = evidence->source,
        .evidence_line = evidence->line,
        .estimated = !d->kept && r->plan->estimated,
        .jaccard = d->kept ? 1.0 : nd_verdict_jaccard(r->plan, &d->verdict),
        .intersection = d->verdict.counted ? d->verdict.intersection : 0,
        .set_union = d->verdict.counted ? d->verdict.set_union : 0,
        .cosine = d->kept ? 1.0 : nd_verdict_cosine(r->plan, &d->verdict),
        .distance = nd_verdict_distance(r->plan, &d->verdict),
        .containment = d->kept ? 1.0 : nd_verdict_containment(r->plan, &d->verdict)};
    return o->on_decision(o->context, &given) ? ND_OK
                                              : nd_fail(error, ND_ERR_CANCELLED, "cancelled");
}

/* ---- kept documents */

/* Keeps a file of a directory: writes its path to the list, or copies it to the tree. */
static nd_status keep_file(nd_report *r, uint32_t document, nd_error *error) {
    const nd_allocator *a = &r->run->allocator;
    const nd_columns *columns = r->documents->columns;
    nd_dedup_outputs *outputs = r->request.outputs;
    ND_TRY(nd_columns_id(columns, document, &r->id, error));
    if (outputs->records) {
        ND_TRY(nd_output_file_write(outputs->records, r->id.id, r->id.length, error));
        return nd_output_file_write(outputs->records, r->request.options->null_paths ? "" : "\n", 1,
                                    error);
    }
    char *relative = nd_allocate(a, r->id.length + 1, 1);
    if (!relative) return nd_fail_memory(error, r->id.length, "a path");
    memcpy(relative, r->id.id, r->id.length);
    relative[r->id.length] = '\0';
    const nd_source *source = nd_corpus_source(columns->corpus,
                                               nd_columns_source(columns, document));
    char *from = nd_source_path(source, relative + nd_source_prefix(source), a);
    nd_status status = from ? nd_output_tree_copy(outputs->tree, from, nd_path_inside(relative),
                                                  &r->counts.directory_bytes, error)
                            : nd_fail_memory(error, r->id.length, "a path");
    nd_release(a, from);
    nd_release(a, relative);
    return status;
}

/* Makes the mark of a document; its id stays valid until the next one. */
static nd_status make_mark(nd_report *r, const nd_evidence *d, nd_record_mark *out,
                           nd_error *error) {
    *out = (nd_record_mark){.kept = d->kept};
    if (!r->has_marks || d->kept) return ND_OK;
    ND_TRY(nd_ranked_id(r->documents, d->rank, &r->other_id, error));
    out->of = r->other_id.id;
    out->of_length = r->other_id.length;
    out->similarity = nd_verdict_similarity(r->plan, &d->verdict);
    return ND_OK;
}

/* Writes a document to one output: to its writer of records, or of rows. */
static nd_status write_record(nd_report *r, uint32_t document, const nd_evidence *d,
                              nd_record_writer *writer, nd_kept_parquet *rows, nd_error *error) {
    nd_record_mark mark;
    ND_TRY(make_mark(r, d, &mark, error));
    if (rows) return nd_kept_parquet_add(rows, document, &mark, error);
    if (!writer) return ND_OK;
    if (r->needs_ids) ND_TRY(nd_columns_id(r->documents->columns, document, &r->id, error));
    /* The writer may need the memory of a large record. */
    if (r->verifier) nd_pair_verifier_rest(r->verifier);
    return nd_record_writer_add(writer, document, &mark, &r->id, error);
}

/* Writes a document to the outputs of records that want it. */
static nd_status write_document(nd_report *r, uint32_t document, const nd_evidence *d,
                                nd_error *error) {
    if (r->request.outputs->has_texts && d->kept) ND_TRY(keep_file(r, document, error));
    if (d->kept || r->has_marks) ND_TRY(write_record(r, document, d, r->kept, r->kept_rows, error));
    return d->kept ? ND_OK : write_record(r, document, d, r->removed, r->removed_rows, error);
}

/* ---- documents, in the order of input */

static nd_status report_decision(nd_report *r, uint32_t document, const nd_evidence *d,
                                 nd_error *error) {
    nd_dedup_outputs *outputs = r->request.outputs;
    const nd_output_options *o = r->request.options;
    bool removed = nd_table_wanted(&outputs->removed),
         clusters = nd_table_wanted(&outputs->clusters);
    if (!removed && !clusters && !o->on_decision) return ND_OK;
    ND_TRY(nd_columns_id(r->documents->columns, document, &r->id, error));
    if (!d->kept) ND_TRY(nd_ranked_id(r->documents, d->rank, &r->other_id, error));
    if (removed && !d->kept) ND_TRY(write_removed(r, document, d, error));
    if (clusters) ND_TRY(write_cluster(r, d, error));
    return o->on_decision ? call_back(r, document, d, error) : ND_OK;
}

/* Reports the pair that removed a document. With components all pairs are reported by themselves,
 * except pairs of an exact copy and its original. */
static nd_status report_evidence(nd_report *r, uint32_t document, const nd_evidence *d,
                                 nd_error *error) {
    const nd_fates *fates = r->request.fates;
    const nd_ranks *ranks = r->documents->ranks;
    nd_verdict pair = d->verdict;
    pair.earlier = d->rank;
    if (r->plan->by_component) {
        if (nd_fate_of(fates, document) != ND_FATE_COPY) return ND_OK;
        uint32_t original = nd_rank_of(ranks, nd_fates_original(fates, document));
        ND_TRY(nd_measure_copies(r->plan, r->verifier, original, &pair, error));
    }
    pair.later = nd_rank_of(ranks, document);
    return nd_pair_report_one(&r->pairs, &pair, error);
}

static nd_status report_document(nd_report *r, uint32_t document, nd_error *error) {
    nd_evidence d;
    ND_TRY(find_decision(r, document, &d, error));
    r->counts.kept += d.kept;
    r->counts.removed += !d.kept;
    r->counts.exact_copies += d.exact_copy || (r->plan->exact && !d.kept);
    ND_TRY(write_document(r, document, &d, error));
    ND_TRY(report_decision(r, document, &d, error));
    return d.kept ? ND_OK : report_evidence(r, document, &d, error);
}

/* Gives back what a large document has taken: the stage that decides goes on in this thread. */
static void rest(nd_report *r) {
    if (r->verifier) nd_pair_verifier_rest(r->verifier);
    if (r->origins) nd_record_reader_release(r->origins);
}

nd_status nd_report_until(nd_report *r, uint64_t end, nd_error *error) {
    for (; r->next < end; r->next++) {
        nd_status status = report_document(r, (uint32_t)r->next, error);
        rest(r);
        ND_TRY(status);
    }
    return ND_OK;
}

/* Exact copies were not compared, so they are sampled here; so are those of documents of an index
 * that nd_exact has found. */
static nd_status sample_copies(nd_report *r, nd_error *error) {
    const nd_fates *fates = r->request.fates;
    const nd_ranks *ranks = r->documents->ranks;
    for (uint32_t document = 0; document < fates->count; document++) {
        nd_fate fate = nd_fate_of(fates, document);
        nd_sampled_pair pair = {.kind = ND_SAMPLE_COPY, .similarity = 1};
        if (fate == ND_FATE_KEPT || (fate == ND_FATE_REMOVED && !r->plan->exact)) continue;
        if (fate == ND_FATE_REMOVED)
            ND_TRY(nd_fates_verdict(fates, document, &pair.verdict, error));
        else
            pair.verdict = (nd_verdict){
                .earlier = nd_rank_of(ranks, nd_fates_original(fates, document)),
                .later = nd_rank_of(ranks, document),
                .score = 1};
        ND_TRY(nd_pair_sample_add(r->request.sample, &pair, error));
    }
    return ND_OK;
}

static nd_status report_sample(nd_report *r, nd_error *error) {
    ND_TRY(sample_copies(r, error));
    return nd_pair_report_sample(&r->pairs, &r->request.outputs->review, r->request.sample, error);
}

static nd_status give_examples(const nd_report *r, nd_error *error) {
    const nd_examples_request request = {
        .options = r->request.options, .documents = r->documents, .allocator = &r->run->allocator};
    nd_examples *examples = NULL;
    nd_status status = nd_examples_create(&request, &examples, error);
    if (status == ND_OK) status = nd_examples_give_sample(examples, r->request.sample, error);
    nd_examples_free(examples);
    return status;
}

static nd_status report_rest(nd_report *r, nd_error *error) {
    uint64_t count = r->documents->columns->count;
    while (r->next < count) {
        ND_TRY(nd_progress_report(r->run->progress, ND_STAGE_WRITE, r->next, count, error));
        uint64_t end = r->next + PROGRESS_DOCUMENTS;
        ND_TRY(nd_report_until(r, end < count ? end : count, error));
    }
    if (r->plan->by_component) ND_TRY(nd_pair_report_found(&r->pairs, error));
    if (nd_table_wanted(&r->request.outputs->review)) ND_TRY(report_sample(r, error));
    if (r->request.options->on_example) ND_TRY(give_examples(r, error));
    /* If it has not been dropped before. Nothing is compared any more. */
    nd_shingle_spool_empty(r->documents->columns->shingles);
    uint64_t *bytes = &r->counts.directory_bytes;
    if (r->removed_rows) ND_TRY(nd_kept_parquet_finish(r->removed_rows, bytes, error));
    if (r->kept_rows) ND_TRY(nd_kept_parquet_finish(r->kept_rows, bytes, error));
    if (r->removed) ND_TRY(nd_record_writer_finish(r->removed, bytes, error));
    return r->kept ? nd_record_writer_finish(r->kept, bytes, error) : ND_OK;
}

/* ---- the report */

/* Creates the writer of an output: of rows if they are written as Parquet. */
static nd_status create_writer(nd_report *r, const char *name, const nd_record_target *target,
                               nd_record_writer **out, nd_kept_parquet **rows, nd_error *error) {
    const nd_columns *columns = r->documents->columns;
    nd_record_form form;
    ND_TRY(nd_dedup_outputs_form(r->request.options, name, columns->corpus, &form, error));
    r->has_marks |= form.marked;
    if (form.to == ND_FORMAT_PARQUET)
        return nd_kept_parquet_create(r->run, columns, target, form.marked, rows, error);
    r->needs_ids |= nd_record_form_has_texts(&form) || nd_record_form_has_rows(&form);
    return nd_record_writer_create(columns, &form, target, out, error);
}

static nd_status create_writers(nd_report *r, nd_error *error) {
    const nd_dedup_outputs *outputs = r->request.outputs;
    const nd_output_options *o = r->request.options;
    const nd_record_target kept = {.file = outputs->records,
                                   .tree = outputs->tree,
                                   .part_size = o->shard_size,
                                   .asked = o->format},
                           removed = {.file = outputs->removed_records};
    if ((kept.file || kept.tree) && !outputs->has_texts)
        ND_TRY(create_writer(r, o->kept, &kept, &r->kept, &r->kept_rows, error));
    return removed.file ? create_writer(r, o->removed_records, &removed, &r->removed,
                                        &r->removed_rows, error)
                        : ND_OK;
}

nd_status nd_report_create(const nd_report_request *request, nd_report **out, nd_error *error) {
    const nd_verifier_plan *shared = request->verifier;
    const nd_output_options *o = request->options;
    nd_report *r = *out = nd_allocate_zero(&shared->run->allocator, 1, sizeof *r);
    if (!r) return nd_fail_memory(error, sizeof *r, "a report");
    r->request = *request;
    r->run = shared->run;
    r->plan = shared->plan;
    r->documents = &shared->documents;
    bool decisions = r->plan->goal == ND_GOAL_DEDUP && (o->removed || o->on_decision);
    if (!r->plan->exact && (decisions || o->on_pair))
        ND_TRY(nd_pair_verifier_create(shared, &r->verifier, error));
    r->pairs = (nd_pair_report){.shared = shared,
                                .fates = request->fates,
                                .verifier = r->verifier,
                                .edges = &request->outputs->edges,
                                .fn = o->on_pair,
                                .context = o->context};
    if (request->outputs->origins && nd_table_wanted(&request->outputs->removed))
        ND_TRY(nd_record_reader_create(r->documents->columns->corpus, &r->origins, error));
    return create_writers(r, error);
}

nd_status nd_report_finish(nd_report *r, nd_report_counts *counts, nd_error *error) {
    ND_TRY(r->plan->goal == ND_GOAL_PAIRS ? nd_pair_report_with_copies(&r->pairs, error)
                                          : report_rest(r, error));
    *counts = r->counts;
    counts->pairs = r->pairs.pairs;
    counts->bounded_documents = r->pairs.bounded_documents;
    counts->bounded_comparisons = r->pairs.bounded_comparisons;
    return ND_OK;
}

void nd_report_free(nd_report *r) {
    if (!r) return;
    const nd_allocator *a = &r->run->allocator;
    nd_record_writer_free(r->kept);
    nd_record_writer_free(r->removed);
    nd_kept_parquet_free(r->kept_rows);
    nd_kept_parquet_free(r->removed_rows);
    nd_pair_report_free(&r->pairs);
    nd_pair_verifier_free(r->verifier);
    nd_record_reader_free(r->origins);
    nd_release(a, r->id.bytes);
    nd_release(a, r->other_id.bytes);
    nd_release(a, r);
}
