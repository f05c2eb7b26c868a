/* Stage "write": the fates, in the order of input, to the kept records, the tables and the
 * callbacks, as far as they are final while deciding goes on; then everything synced and given its
 * name. */
#include "base/format.h"
#include "job/job.h"

#include "base/machine.h"
#include "io/file.h"
#include "io/publication.h"
#include "dedup/pair_verifier.h"
#include "dedup/pair_report.h"
#include "dedup/kept_writer.h"

#include <string.h>

/* Documents between two tellings of progress. */
enum { PROGRESS_DOCUMENTS = 4096 };

struct nd_reporter {
    nd_job *job;
    uint64_t next;         /* document to be reported */
    nd_comparer *comparer; /* NULL: sizes of sets are not wanted */
    nd_output_file *records;
    nd_output_tree *tree;
    nd_table removed, clusters;
    nd_pair_report pairs;
    nd_id_buffer id, other_id;
    nd_record_copy *copy; /* to records; NULL for the files of a tree */
};

/* ---- a document's decision */

typedef struct decision {
    bool kept;
    bool exact_copy;    /* of the kept document itself, or of one that the kept document removed */
    uint32_t evidence;  /* rank; its own when kept */
    nd_verdict verdict; /* where not kept; an exact copy of a kept one has its counts filled only
                           when wanted */
} decision;

/* `comparer` NULL: the counts of copies of kept documents are not wanted. */
static nd_status find_decision(const nd_job *job, nd_comparer *comparer, uint32_t document,
                               decision *out, nd_error *error) {
    const nd_document_entry *entry = nd_document_at(&job->documents, document);
    *out = (decision){.evidence = nd_job_rank(job, document)};
    if (entry->fate == ND_FATE_COPY) {
        out->exact_copy = true;
        out->evidence = nd_job_rank(job, entry->link);
        entry = nd_document_at(&job->documents, entry->link);
    }
    if (entry->fate == ND_FATE_REMOVED) {
        ND_TRY(nd_spool_read(&job->verdicts, &out->verdict, sizeof out->verdict,
                             (uint64_t)entry->link * sizeof out->verdict, error));
        out->evidence = nd_job_named_rank(job, out->verdict.earlier);
    } else if (out->exact_copy) {
        ND_TRY(nd_verdict_of_copies(job, comparer, out->evidence, &out->verdict, error));
    } else {
        out->kept = true;
    }
    return ND_OK;
}

static nd_status report_removed(nd_reporter *r, const decision *d, nd_error *error) {
    bool jaccard = nd_measure_of(&r->job->options) == ND_MEASURE_JACCARD;
    char measure[40], numbers[80] = "\t";
    ND_TRY(nd_table_id(&r->removed, r->id.id, r->id.length, error));
    ND_TRY(nd_table_id(&r->removed, r->other_id.id, r->other_id.length, error));
    nd_verdict_format(r->job, &d->verdict, measure);
    ND_TRY(nd_table_text(&r->removed, measure, error));
    if (d->verdict.counted)
        nd_format(numbers, sizeof numbers, "%u\t%u", d->verdict.intersection, d->verdict.set_union);
    if (jaccard) ND_TRY(nd_table_text(&r->removed, numbers, error));
    ND_TRY(nd_table_place(&r->removed, &r->id, error));
    ND_TRY(nd_table_place(&r->removed, &r->other_id, error));
    return nd_table_end(&r->removed, error);
}

static nd_status report_cluster(nd_reporter *r, const decision *d, nd_error *error) {
    const nd_id_buffer *cluster = d->kept ? &r->id : &r->other_id;
    ND_TRY(nd_table_id(&r->clusters, r->id.id, r->id.length, error));
    ND_TRY(nd_table_id(&r->clusters, cluster->id, cluster->length, error));
    ND_TRY(nd_table_text(&r->clusters, d->kept ? "1" : "0", error));
    ND_TRY(nd_table_place(&r->clusters, &r->id, error));
    ND_TRY(nd_table_place(&r->clusters, cluster, error));
    return nd_table_end(&r->clusters, error);
}

static nd_status call_decision(nd_reporter *r, uint32_t document, const decision *d,
                               nd_error *error) {
    const nd_job_options *o = &r->job->options;
    const nd_id_buffer *evidence = d->kept ? &r->id : &r->other_id;
    nd_decision given = {.document = document,
                         .id = r->id.id,
                         .id_length = r->id.length,
                         .source = r->id.source,
                         .line = r->id.line,
                         .kept = d->kept,
                         .indexed = nd_job_is_indexed(r->job, d->evidence),
                         .evidence_id = evidence->id,
                         .evidence_id_length = evidence->length,
                         .evidence_source = evidence->source,
                         .evidence_line = evidence->line,
                         .jaccard = d->kept ? 1.0 : nd_verdict_jaccard(r->job, &d->verdict),
                         .intersection = d->verdict.counted ? d->verdict.intersection : 0,
                         .set_union = d->verdict.counted ? d->verdict.set_union : 0,
                         .cosine = d->kept ? 1.0 : nd_verdict_cosine(r->job, &d->verdict),
                         .distance = d->verdict.distance};
    given.evidence = given.indexed ? 0 : nd_job_document(r->job, d->evidence);
    given.estimated = !d->kept && nd_verdicts_are_estimates(o);
    if (!o->on_decision(o->result_context, &given))
        return nd_fail(error, ND_ERR_CANCELLED, "cancelled");
    return ND_OK;
}

/* ---- kept files */

static nd_status keep_file(nd_reporter *r, uint32_t document, nd_error *error) {
    nd_job *job = r->job;
    ND_TRY(nd_job_id(job, document, &r->id, error));
    if (r->records) {
        ND_TRY(nd_output_file_write(r->records, r->id.id, r->id.length, error));
        return nd_output_file_write(r->records, job->options.null_paths ? "" : "\n", 1, error);
    }
    char *relative = nd_allocate(&job->allocator, r->id.length + 1, 1);
    if (!relative) return nd_fail_memory(error, r->id.length, "a path");
    memcpy(relative, r->id.id, r->id.length);
    relative[r->id.length] = '\0';
    const nd_source *source = nd_corpus_source(job->corpus, nd_job_source_of(job, document));
    char *from = nd_string_join(&job->allocator, source->name, "/",
                                relative + nd_source_prefix(source));
    nd_status status = from ? nd_output_tree_copy(r->tree, from, relative,
                                                  &job->summary.output_bytes, error)
                            : nd_fail_memory(error, r->id.length, "a path");
    nd_release(&job->allocator, from);
    nd_release(&job->allocator, relative);
    return status;
}

/* ---- the pass over all documents */

static bool is_tree(const nd_job *job) {
    return nd_corpus_source(job->corpus, 0)->kind == ND_SOURCE_TREE;
}

static nd_status report_decision(nd_reporter *r, uint32_t document, const decision *d,
                                 nd_error *error) {
    const nd_job_options *o = &r->job->options;
    if (!nd_table_wanted(&r->removed) && !nd_table_wanted(&r->clusters) && !o->on_decision)
        return ND_OK;
    ND_TRY(nd_job_id(r->job, document, &r->id, error));
    if (!d->kept) ND_TRY(nd_job_id_of_rank(r->job, d->evidence, &r->other_id, error));
    if (nd_table_wanted(&r->removed) && !d->kept) ND_TRY(report_removed(r, d, error));
    if (nd_table_wanted(&r->clusters)) ND_TRY(report_cluster(r, d, error));
    return o->on_decision ? call_decision(r, document, d, error) : ND_OK;
}

/* The pair that removed a document. Components: pairs were found on their own, but for exact copies
 * with their originals. */
static nd_status report_evidence(nd_reporter *r, uint32_t document, const decision *d,
                                 nd_error *error) {
    const nd_document_entry *entry = nd_document_at(&r->job->documents, document);
    if (r->job->options.group == ND_GROUP_GREEDY)
        return nd_pair_report_one(&r->pairs, d->evidence, nd_job_rank(r->job, document),
                                  &d->verdict, error);
    if (entry->fate != ND_FATE_COPY) return ND_OK;
    nd_verdict copy;
    uint32_t original = nd_job_rank(r->job, entry->link);
    ND_TRY(nd_verdict_of_copies(r->job, r->comparer, original, &copy, error));
    return nd_pair_report_one(&r->pairs, original, nd_job_rank(r->job, document), &copy, error);
}

static nd_status report_document(nd_reporter *r, uint32_t document, nd_error *error) {
    nd_job *job = r->job;
    decision d;
    ND_TRY(find_decision(job, r->comparer, document, &d, error));
    job->summary.kept += d.kept;
    job->summary.removed += !d.kept;
    job->summary.exact_copies += d.exact_copy;
    if (d.kept && (r->records || r->tree)) {
        ND_TRY(is_tree(job) ? keep_file(r, document, error)
                            : nd_record_copy_add(r->copy, document, error));
    }
    ND_TRY(report_decision(r, document, &d, error));
    return d.kept ? ND_OK : report_evidence(r, document, &d, error);
}

nd_status nd_job_report(nd_reporter *r, uint64_t end, nd_error *error) {
    for (; r->next < end; r->next++) ND_TRY(report_document(r, (uint32_t)r->next, error));
    return ND_OK;
}

static nd_status report_rest(nd_reporter *r, nd_error *error) {
    nd_job *job = r->job;
    while (r->next < job->documents.count) {
        ND_TRY(
            nd_progress_tell(&job->progress, ND_STAGE_WRITE, r->next, job->documents.count, error));
        uint64_t end = r->next + PROGRESS_DOCUMENTS;
        ND_TRY(nd_job_report(r, end < job->documents.count ? end : job->documents.count, error));
    }
    if (job->options.group == ND_GROUP_COMPONENT) ND_TRY(nd_pair_report_found(&r->pairs, error));
    return r->copy ? nd_record_copy_finish(r->copy, error) : ND_OK;
}

/* ---- outputs */

enum { FILES = 4 };

/* The kept records have their name last: where they have it, all outputs have. */
static nd_publication outputs_of(const nd_reporter *r, nd_output_file *files[FILES]) {
    files[0] = r->removed.file;
    files[1] = r->clusters.file;
    files[2] = r->pairs.edges.file;
    files[3] = r->records;
    return (nd_publication){files, FILES, r->tree};
}

static nd_status open_outputs(nd_reporter *r, nd_error *error) {
    nd_job *job = r->job;
    const nd_job_options *o = &job->options;
#define PLACES(other) "source\tline\t" other "_source\t" other "_line\n"
    static const char *const headers[] = {"id\tkept\tjaccard\tintersection\tunion\t" PLACES("kept"),
                                          "id\tkept\tcosine\t" PLACES("kept"),
                                          "id\tkept\tdistance\t" PLACES("kept")};
    ND_TRY(nd_table_open(&r->removed, o->removed, headers[nd_measure_of(o)], &job->progress,
                         &job->allocator, error));
    ND_TRY(nd_table_open(&r->clusters, o->clusters, "id\tcluster\tkept\t" PLACES("cluster"),
                         &job->progress, &job->allocator, error));
    ND_TRY(nd_pair_report_open(&r->pairs, job, error));
    if (!o->output) return ND_OK;
    if (is_tree(job) && strcmp(o->output, "-") != 0)
        return nd_output_tree_open(o->output, &job->allocator, &r->tree, error);
    return nd_output_file_open(o->output, &job->progress, &job->allocator, &r->records, error);
}

static nd_status publish(nd_reporter *r, nd_error *error) {
    nd_output_file *files[FILES];
    nd_publication outputs = outputs_of(r, files);
    for (size_t i = 0; i < FILES; i++)
        if (files[i]) ND_TRY(nd_output_file_finish(files[i], error));
    nd_output_file *main_output = r->job->task == ND_TASK_PAIRS ? r->pairs.edges.file : r->records;
    if (main_output) r->job->summary.output_bytes = nd_output_file_size(main_output);
    double began = nd_seconds();
    ND_TRY(nd_progress_tell(&r->job->progress, ND_STAGE_SYNC, 0, 0, error));
    ND_TRY(nd_publish(&outputs, error));
    r->job->summary.seconds[ND_STAGE_SYNC] = nd_seconds() - began;
    return ND_OK;
}

nd_status nd_job_report_open(nd_job *job, nd_error *error) {
    nd_output_file *files[FILES];
    nd_reporter *r = job->reporter = nd_allocate_zero(&job->allocator, 1, sizeof *r);
    if (!r) return nd_fail_memory(error, sizeof *r, "a report");
    r->job = job;
    ND_TRY(open_outputs(r, error));
    outputs_of(r, files);
    return nd_job_check_outputs(job, files, FILES, error);
}

nd_status nd_job_report_begin(nd_reporter *r, nd_error *error) {
    const nd_job_options *o = &r->job->options;
    if (o->removed || o->on_decision || o->on_pair)
        ND_TRY(nd_comparer_create(r->job, &r->comparer, error));
    r->pairs.comparer = r->comparer;
    return r->records && !is_tree(r->job)
               ? nd_record_copy_create(r->job, r->records, &r->copy, error)
               : ND_OK;
}

nd_status nd_job_report_end(nd_reporter *r, nd_error *error) {
    ND_TRY(r->job->task == ND_TASK_PAIRS ? nd_pair_report_with_copies(&r->pairs, error)
                                         : report_rest(r, error));
    return publish(r, error);
}

void nd_job_report_accept(nd_reporter *r) {
    nd_output_file *files[FILES];
    nd_publication outputs = outputs_of(r, files);
    nd_publication_accept(&outputs);
}

void nd_job_report_free(nd_reporter *r) {
    if (!r) return;
    const nd_allocator *a = &r->job->allocator;
    nd_record_copy_free(r->copy);
    nd_output_file_free(r->records);
    nd_output_tree_free(r->tree);
    nd_table_free(&r->removed);
    nd_table_free(&r->clusters);
    nd_pair_report_free(&r->pairs);
    nd_comparer_free(r->comparer);
    nd_release(a, r->id.bytes);
    nd_release(a, r->other_id.bytes);
    nd_release(a, r);
}
