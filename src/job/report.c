/* Stage "write": the fates, in the order of input, to the kept records, the tables and the callbacks; then everything synced and given its name. */
#include "job/job.h"

#include "base/workers.h"
#include "io/file.h"
#include "io/output_file.h"
#include "io/output_tree.h"
#include "job/comparer.h"
#include "job/copy_groups.h"

#include <stdio.h>
#include <string.h>

/* Bytes of records that are copied at a time, and documents between two tellings of progress. */
enum { COPY_BYTES = 1 << 20, PROGRESS_DOCUMENTS = 4096 };

typedef struct reporter {
    nd_job *job;
    nd_reader *reader;
    nd_comparer *comparer; /* NULL: sizes of sets are not wanted */
    nd_output_file *records, *removed, *clusters, *edges;
    nd_output_tree *tree;
    nd_id_buffer id, other_id;
    char *row; /* a row of a table */
    size_t row_size, row_capacity;
    /* Kept records that lie one behind the other and are not yet copied. */
    size_t run_source;
    uint64_t run_begin, run_end;
    uint32_t sized; /* the kept document whose set size is in set_size; UINT32_MAX: none */
    uint32_t set_size;
} reporter;

/* ---- rows of tables */

static nd_status row_add(reporter *r, const char *bytes, size_t size, nd_error *error) {
    if (!nd_reserve(&r->job->allocator, &r->row, &r->row_capacity, r->row_size + size)) return nd_fail_memory(error, size, "a row");
    memcpy(r->row + r->row_size, bytes, size);
    r->row_size += size;
    return ND_OK;
}

/* An id in a table: backslash, tab, newline and carriage return as \\ \t \n \r. */
static nd_status row_add_id(reporter *r, const nd_id_buffer *id, nd_error *error) {
    if (!nd_reserve(&r->job->allocator, &r->row, &r->row_capacity, r->row_size + 2 * id->length)) return nd_fail_memory(error, id->length, "a row");
    for (size_t i = 0; i < id->length; i++) {
        char c = id->id[i], escape = c == '\\' ? '\\' : c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : '\0';
        if (escape) {
            r->row[r->row_size++] = '\\';
            c = escape;
        }
        r->row[r->row_size++] = c;
    }
    return ND_OK;
}

static nd_status row_end(reporter *r, nd_output_file *file, const char *last, nd_error *error) {
    ND_TRY(row_add(r, last, strlen(last), error));
    ND_TRY(row_add(r, "\n", 1, error));
    nd_status status = nd_output_file_write(file, r->row, r->row_size, error);
    r->row_size = 0;
    return status;
}

/* ---- a document's decision */

static double verdict_jaccard(const nd_verdict *v) { return v->set_union > 0 ? (double)v->intersection / (double)v->set_union : (double)v->estimate; }

/* A Jaccard similarity in six digits, an estimate too. */
static void print_jaccard(char *out, size_t size, double jaccard) { snprintf(out, size, "%.6f", jaccard); }

typedef struct decision {
    bool kept;
    bool exact_copy;      /* of the kept document itself, or of one that the kept document removed */
    uint32_t evidence;    /* document */
    nd_verdict verdict;   /* where not kept; an exact copy of a kept one has its counts filled only when wanted */
} decision;

static nd_status find_decision(const nd_job *job, uint32_t document, decision *out, nd_error *error) {
    const nd_document_entry *entry = nd_document_at(&job->documents, document);
    *out = (decision){.evidence = document};
    if (entry->fate == ND_FATE_COPY) {
        out->exact_copy = true;
        out->evidence = entry->link;
        entry = nd_document_at(&job->documents, entry->link);
    }
    if (entry->fate == ND_FATE_REMOVED) {
        ND_TRY(nd_spool_read(&job->verdicts, &out->verdict, sizeof out->verdict, (uint64_t)entry->link * sizeof out->verdict, error));
        out->evidence = nd_job_document(job, out->verdict.earlier);
    } else if (out->exact_copy) {
        out->verdict = (nd_verdict){.estimate = 1.0f};
    } else {
        out->kept = true;
    }
    return ND_OK;
}

/* The counts of a copy of a kept document: the size of the set, twice. */
static nd_status fill_copy_counts(reporter *r, decision *d, nd_error *error) {
    if (!r->comparer || d->kept || d->verdict.set_union > 0 || r->job->options.verify == ND_VERIFY_NONE) return ND_OK;
    if (r->sized != d->evidence) {
        nd_verdict self;
        uint32_t rank = nd_job_rank(r->job, d->evidence);
        ND_TRY(nd_compare_exactly(r->comparer, rank, rank, &self, error));
        r->sized = d->evidence;
        r->set_size = self.set_union;
    }
    d->verdict.intersection = d->verdict.set_union = r->set_size;
    return ND_OK;
}

static nd_status report_removed(reporter *r, const decision *d, nd_error *error) {
    char numbers[80];
    bool estimated = d->verdict.set_union == 0;
    ND_TRY(row_add_id(r, &r->id, error));
    ND_TRY(row_add(r, "\t", 1, error));
    ND_TRY(row_add_id(r, &r->other_id, error));
    if (estimated) snprintf(numbers, sizeof numbers, "\t%.6f\t\t", verdict_jaccard(&d->verdict));
    else snprintf(numbers, sizeof numbers, "\t%.6f\t%u\t%u", verdict_jaccard(&d->verdict), d->verdict.intersection, d->verdict.set_union);
    return row_end(r, r->removed, numbers, error);
}

static nd_status report_cluster(reporter *r, const decision *d, nd_error *error) {
    ND_TRY(row_add_id(r, &r->id, error));
    ND_TRY(row_add(r, "\t", 1, error));
    ND_TRY(row_add_id(r, d->kept ? &r->id : &r->other_id, error));
    return row_end(r, r->clusters, d->kept ? "\t1" : "\t0", error);
}

static nd_status call_decision(reporter *r, uint32_t document, const decision *d, nd_error *error) {
    const nd_job_options *o = &r->job->options;
    const nd_id_buffer *evidence = d->kept ? &r->id : &r->other_id;
    nd_decision given = {.document = document, .id = r->id.id, .id_length = r->id.length, .kept = d->kept, .evidence = d->evidence,
                         .evidence_id = evidence->id, .evidence_id_length = evidence->length,
                         .jaccard = d->kept ? 1.0 : verdict_jaccard(&d->verdict), .intersection = d->verdict.intersection,
                         .set_union = d->verdict.set_union};
    given.estimated = !d->kept && o->verify == ND_VERIFY_NONE;
    if (!o->on_decision(o->result_context, &given)) return nd_fail(error, ND_ERR_CANCELLED, "cancelled");
    return ND_OK;
}

/* ---- pairs */

static nd_status report_pair(reporter *r, uint32_t a, uint32_t b, const nd_verdict *verdict, nd_error *error) {
    const nd_job_options *o = &r->job->options;
    ND_TRY(nd_job_id(r->job, a, &r->id, error));
    ND_TRY(nd_job_id(r->job, b, &r->other_id, error));
    if (r->edges) {
        char jaccard[40] = "\t";
        print_jaccard(jaccard + 1, sizeof jaccard - 1, verdict_jaccard(verdict));
        ND_TRY(row_add_id(r, &r->id, error));
        ND_TRY(row_add(r, "\t", 1, error));
        ND_TRY(row_add_id(r, &r->other_id, error));
        ND_TRY(row_end(r, r->edges, jaccard, error));
    }
    if (!o->on_pair) return ND_OK;
    nd_pair pair = {a, b, r->id.id, r->other_id.id, r->id.length, r->other_id.length, verdict_jaccard(verdict), o->verify == ND_VERIFY_NONE,
                    verdict->intersection, verdict->set_union};
    return o->on_pair(o->result_context, &pair) ? ND_OK : nd_fail(error, ND_ERR_CANCELLED, "cancelled");
}

/* A pair of documents stands for the pairs of all their exact copies. */
static nd_status report_copies_of_pair(reporter *r, const nd_copy_groups *groups, const nd_verdict *v, nd_error *error) {
    nd_job *job = r->job;
    uint32_t a = nd_job_document(job, v->earlier), b = nd_job_document(job, v->later);
    nd_copy_range copies_a = nd_copies_of(groups, a), copies_b = nd_copies_of(groups, b);
    for (size_t i = 0; i <= copies_a.count; i++)
        for (size_t j = 0; j <= copies_b.count; j++) {
            uint32_t x = i == 0 ? a : nd_copy_at(copies_a, i - 1), y = j == 0 ? b : nd_copy_at(copies_b, j - 1);
            bool in_order = nd_job_rank(job, x) < nd_job_rank(job, y);
            ND_TRY(report_pair(r, in_order ? x : y, in_order ? y : x, v, error));
            job->summary.pairs += i + j > 0;
        }
    return ND_OK;
}

/* The pairs within a group of copies: each with its max_compare nearest before it. */
static nd_status report_pairs_within(reporter *r, uint32_t original, nd_copy_range copies, nd_error *error) {
    nd_job *job = r->job;
    decision d = {.evidence = original, .exact_copy = true, .verdict = {.estimate = 1.0f}};
    ND_TRY(fill_copy_counts(r, &d, error));
    for (size_t j = 1; j <= copies.count; j++) {
        size_t from = j > job->options.max_compare ? j - job->options.max_compare : 0;
        for (size_t i = from; i < j; i++)
            ND_TRY(report_pair(r, i == 0 ? original : nd_copy_at(copies, i - 1), nd_copy_at(copies, j - 1), &d.verdict, error));
        job->summary.pairs += j - from;
        job->summary.bounded_comparisons += from;
        job->summary.bounded_documents += from > 0;
    }
    return ND_OK;
}

static nd_status report_found_pairs(reporter *r, nd_error *error) {
    nd_job *job = r->job;
    nd_copy_groups groups = {0};
    ND_TRY(nd_copy_groups_make(job, &groups, error));
    nd_status status = ND_OK;
    nd_verdict v;
    bool all_copies = job->task == ND_TASK_PAIRS;
    for (uint64_t at = 0; status == ND_OK && at < job->found_pairs.size; at += sizeof v) {
        status = nd_spool_read(&job->found_pairs, &v, sizeof v, at, error);
        if (status == ND_OK && all_copies) status = report_copies_of_pair(r, &groups, &v, error);
        else if (status == ND_OK) status = report_pair(r, nd_job_document(job, v.earlier), nd_job_document(job, v.later), &v, error);
    }
    for (size_t i = 0; status == ND_OK && i < groups.count;) {
        nd_copy_range copies = nd_copies_at(&groups, i);
        if (all_copies) status = report_pairs_within(r, nd_copy_original(&groups, i), copies, error);
        i += copies.count;
    }
    nd_copy_groups_free(job, &groups);
    return status;
}

/* ---- kept records */

static nd_status copy_run(reporter *r, nd_error *error) {
    for (uint64_t at = r->run_begin; at < r->run_end;) {
        size_t size = r->run_end - at < COPY_BYTES ? (size_t)(r->run_end - at) : COPY_BYTES;
        const char *bytes = NULL;
        ND_TRY(nd_reader_fetch(r->reader, r->run_source, at, size, &bytes, error));
        ND_TRY(nd_output_file_write(r->records, bytes, size, error));
        at += size;
    }
    if (r->run_begin < r->run_end) ND_TRY(nd_output_file_write(r->records, "\n", 1, error));
    r->run_begin = r->run_end = 0;
    return ND_OK;
}

/* Adds a record to the run, which it continues when only a newline lies between. */
static nd_status keep_record(reporter *r, uint32_t document, nd_error *error) {
    nd_job *job = r->job;
    const nd_document_entry *entry = nd_document_at(&job->documents, document);
    size_t source = nd_job_source_of(job, document);
    if (r->run_begin == r->run_end || source != r->run_source || entry->place != r->run_end + 1) {
        ND_TRY(copy_run(r, error));
        r->run_source = source;
        r->run_begin = entry->place;
    }
    r->run_end = entry->place + entry->length;
    return ND_OK;
}

static nd_status keep_file(reporter *r, uint32_t document, nd_error *error) {
    nd_job *job = r->job;
    ND_TRY(nd_job_id(job, document, &r->id, error));
    if (r->records) {
        ND_TRY(nd_output_file_write(r->records, r->id.id, r->id.length, error));
        return nd_output_file_write(r->records, "\n", 1, error);
    }
    char *relative = nd_allocate(&job->allocator, r->id.length + 1, 1);
    if (!relative) return nd_fail_memory(error, r->id.length, "a path");
    memcpy(relative, r->id.id, r->id.length);
    relative[r->id.length] = '\0';
    char *from = nd_string_join(&job->allocator, nd_corpus_source(job->corpus, nd_job_source_of(job, document))->name, "/", relative);
    nd_status status = from ? nd_output_tree_copy(r->tree, from, relative, &job->summary.output_bytes, error)
                            : nd_fail_memory(error, r->id.length, "a path");
    nd_release(&job->allocator, from);
    nd_release(&job->allocator, relative);
    return status;
}

/* ---- the pass over all documents */

static nd_status report_document(reporter *r, uint32_t document, nd_error *error) {
    nd_job *job = r->job;
    const nd_job_options *o = &job->options;
    decision d;
    ND_TRY(find_decision(job, document, &d, error));
    job->summary.kept += d.kept;
    job->summary.removed += !d.kept;
    job->summary.exact_copies += d.exact_copy;
    if (d.kept && (r->records || r->tree)) {
        bool tree = nd_corpus_source(job->corpus, 0)->kind == ND_SOURCE_TREE;
        ND_TRY(tree ? keep_file(r, document, error) : keep_record(r, document, error));
    }
    if (!r->removed && !r->clusters && !o->on_decision) return ND_OK;
    ND_TRY(nd_job_id(job, document, &r->id, error));
    if (!d.kept) ND_TRY(nd_job_id(job, d.evidence, &r->other_id, error));
    if (r->removed || o->on_decision) ND_TRY(fill_copy_counts(r, &d, error));
    if (r->removed && !d.kept) ND_TRY(report_removed(r, &d, error));
    if (r->clusters) ND_TRY(report_cluster(r, &d, error));
    return o->on_decision ? call_decision(r, document, &d, error) : ND_OK;
}

/* Greedy: the pairs are the removed documents with their evidence. Components: those that were found, told elsewhere, and each copy with its original. */
static nd_status report_evidence_pair(reporter *r, uint32_t document, nd_error *error) {
    bool greedy = r->job->options.group == ND_GROUP_GREEDY;
    const nd_document_entry *entry = nd_document_at(&r->job->documents, document);
    decision d;
    ND_TRY(find_decision(r->job, document, &d, error));
    if (d.kept || (!greedy && entry->fate != ND_FATE_COPY)) return ND_OK;
    if (!greedy) d = (decision){.evidence = entry->link, .exact_copy = true, .verdict = {.estimate = 1.0f}};
    r->job->summary.pairs++;
    if (!r->edges && !r->job->options.on_pair) return ND_OK;
    ND_TRY(fill_copy_counts(r, &d, error));
    return report_pair(r, d.evidence, document, &d.verdict, error);
}

static nd_status report_documents(reporter *r, nd_error *error) {
    nd_job *job = r->job;
    for (uint64_t d = 0; d < job->documents.count; d++) {
        ND_TRY(report_document(r, (uint32_t)d, error));
        ND_TRY(report_evidence_pair(r, (uint32_t)d, error));
        if (d % PROGRESS_DOCUMENTS == 0) ND_TRY(nd_job_progress(job, ND_STAGE_WRITE, d, job->documents.count, error));
    }
    return r->records ? copy_run(r, error) : ND_OK;
}

/* ---- outputs */

static nd_status open_table(reporter *r, const char *path, const char *header, nd_output_file **out, nd_error *error) {
    if (!path) return ND_OK;
    ND_TRY(nd_output_file_open(path, &r->job->allocator, out, error));
    return nd_output_file_write(*out, header, strlen(header), error);
}

static nd_status open_outputs(reporter *r, nd_error *error) {
    nd_job *job = r->job;
    const nd_job_options *o = &job->options;
    ND_TRY(nd_reader_create(job->corpus, &r->reader, error));
    if (o->removed || o->on_decision || o->on_pair || job->task == ND_TASK_PAIRS) ND_TRY(nd_comparer_create(job, &r->comparer, error));
    ND_TRY(open_table(r, o->removed, "id\tkept\tjaccard\tintersection\tunion\n", &r->removed, error));
    ND_TRY(open_table(r, o->clusters, "id\tcluster\tkept\n", &r->clusters, error));
    ND_TRY(open_table(r, o->edges, "id_a\tid_b\tjaccard\n", &r->edges, error));
    if (!o->output) return ND_OK;
    bool tree = nd_corpus_sources(job->corpus) > 0 && nd_corpus_source(job->corpus, 0)->kind == ND_SOURCE_TREE;
    if (tree && strcmp(o->output, "-") != 0) return nd_output_tree_open(o->output, &job->allocator, &r->tree, error);
    return nd_output_file_open(o->output, &job->allocator, &r->records, error);
}

static nd_status publish(reporter *r, nd_error *error) {
    nd_output_file *files[] = {r->removed, r->clusters, r->edges, r->records};
    enum { FILES = sizeof files / sizeof *files };
    for (size_t i = 0; i < FILES; i++)
        if (files[i]) ND_TRY(nd_output_file_finish(files[i], error));
    if (r->records) r->job->summary.output_bytes = nd_output_file_size(r->records);
    double began = nd_seconds();
    ND_TRY(nd_job_progress(r->job, ND_STAGE_SYNC, 0, 0, error));
    for (size_t i = 0; i < FILES; i++)
        if (files[i]) ND_TRY(nd_output_file_sync(files[i], error));
    if (r->tree) ND_TRY(nd_output_tree_sync(r->tree, error));
    for (size_t i = 0; i < FILES; i++)
        if (files[i]) ND_TRY(nd_output_file_publish(files[i], error));
    if (r->tree) ND_TRY(nd_output_tree_publish(r->tree, error));
    r->job->summary.seconds[ND_STAGE_SYNC] = nd_seconds() - began;
    return ND_OK;
}

nd_status nd_job_report(nd_job *job, nd_error *error) {
    reporter r = {.job = job, .sized = UINT32_MAX};
    nd_status status = open_outputs(&r, error);
    if (status == ND_OK && job->task == ND_TASK_DEDUP) status = report_documents(&r, error);
    if (status == ND_OK && job->found_pairs.size + (job->task == ND_TASK_PAIRS) > 0) status = report_found_pairs(&r, error);
    if (status == ND_OK) status = publish(&r, error);
    nd_output_file_free(r.records);
    nd_output_file_free(r.removed);
    nd_output_file_free(r.clusters);
    nd_output_file_free(r.edges);
    nd_output_tree_free(r.tree);
    nd_reader_free(r.reader);
    nd_comparer_free(r.comparer);
    nd_release(&job->allocator, r.id.bytes);
    nd_release(&job->allocator, r.other_id.bytes);
    nd_release(&job->allocator, r.row);
    return status;
}
