/* The door of a job: its options checked, its stages in order, its summary. */
#include "job/job.h"

#include "base/argument.h"
#include "base/floats.h"
#include "base/format.h"
#include "base/limits.h"
#include "base/machine.h"
#include "base/workers.h"
#include "io/file.h"
#include "io/stream_in.h"
#include "job/simhash_pass.h"
#include "sketch/sentence_signature.h"
#include "text/analyzer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a worker takes outside of the shares: a block, its columns, the analyzer's and the parser's
 * scratch. */
#define WORKER_MEMORY (UINT64_C(12) << 20)

#define MIN_MEMORY (UINT64_C(64) << 20)

/* ---- options */

void nd_job_options_init(nd_job_options *options) {
    *options = (nd_job_options){
        .text_field = "text",
        .id_field = "id",
        .max_record = UINT64_C(64) << 20,
        .analyzer = ND_WORDS,
        .ngram = 5,
        .threshold = 0.8,
        .recall = 0.999,
        .perms = 128,
        .seed = 1,
        .k = 6,
        .sentences = 3,
        .simhash = {.bits = 64, .weighting = ND_WEIGHTING_COUNTED},
        .max_compare = 1000,
        .memory = UINT64_C(1) << 30,
        .sync = ND_SYNC_BATCH,
    };
}

const char *nd_stage_name(nd_stage stage) {
    static const char *const names[ND_STAGE_COUNT] = {"read", "match", "decide", "write", "sync"};
    return (unsigned)stage < ND_STAGE_COUNT ? names[stage] : "";
}

nd_analyzer_options nd_job_analyzer(const nd_job_options *o, uint32_t ngram) {
    return (nd_analyzer_options){.kind = o->analyzer,
                                 .ngram = ngram,
                                 .seed = o->seed,
                                 .stem = o->stem,
                                 .dictionary = o->dictionary};
}

nd_status nd_job_check_memory(const nd_job_options *o, nd_error *error) {
    if (o->memory >= MIN_MEMORY) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT, "memory must be at least 64 MiB, not %llu bytes",
                   (unsigned long long)o->memory);
}

static nd_status check_options(const nd_job_options *o, nd_error *error) {
    if (!o->records == !o->input_count)
        return nd_fail(
            error, ND_ERR_ARGUMENT,
            "a job takes its documents from inputs or from a callback: exactly one of them");
    ND_TRY(nd_need_array(o->inputs, o->input_count, "inputs", error));
    for (size_t i = 0; i < o->input_count; i++)
        if (!o->inputs[i])
            return nd_fail(error, ND_ERR_ARGUMENT, "inputs[%zu] must not be NULL", i);
    ND_CHECK_ENUM(o->invalid, "invalid", ND_INVALID_FAIL, ND_INVALID_SKIP, error);
    ND_CHECK_ENUM(o->sketch, "sketch", ND_SKETCH_MINHASH, ND_SKETCH_SENTENCES, error);
    ND_CHECK_ENUM(o->verify, "verify", ND_VERIFY_EXACT, ND_VERIFY_NONE, error);
    ND_CHECK_ENUM(o->keep, "keep", ND_KEEP_FIRST, ND_KEEP_MIN, error);
    ND_CHECK_ENUM(o->group, "group", ND_GROUP_GREEDY, ND_GROUP_COMPONENT, error);
    ND_CHECK_ENUM(o->sync, "sync", ND_SYNC_EACH, ND_SYNC_OFF, error);
    if (!o->text_field || !*o->text_field)
        return nd_fail(error, ND_ERR_ARGUMENT, "text_field must not be empty");
    if (o->max_record < 1 || o->max_record > ND_MAX_RECORD_LENGTH)
        return nd_fail(error, ND_ERR_ARGUMENT, "max_record must be 1 to %u bytes, not %llu",
                       ND_MAX_RECORD_LENGTH, (unsigned long long)o->max_record);
    if (o->max_compare < 1)
        return nd_fail(error, ND_ERR_ARGUMENT, "max_compare must be at least 1");
    ND_TRY(nd_job_check_memory(o, error));
    if (o->threads > ND_MAX_WORKERS)
        return nd_fail(error, ND_ERR_ARGUMENT, "threads must be 0 (all cores) to %d, not %u",
                       ND_MAX_WORKERS, o->threads);
    bool by_field = o->keep == ND_KEEP_MAX || o->keep == ND_KEEP_MIN;
    if (by_field && !o->records && (!o->keep_field || !*o->keep_field))
        return nd_fail(error, ND_ERR_ARGUMENT, "keep by a field needs keep_field");
    nd_analyzer_options analyzer = nd_job_analyzer(o, o->ngram);
    return o->index ? nd_analyzer_options_check(&analyzer, error)
                    : nd_analyzer_options_check_passing(&analyzer, error);
}

/* One band holds the sentences of a document. */
static nd_status plan_sentences(nd_job *job, nd_error *error) {
    const nd_job_options *o = &job->options;
    if (o->index)
        return nd_fail(
            error, ND_ERR_ARGUMENT,
            "an index is of MinHash sketches: with one, sketch must be ND_SKETCH_MINHASH");
    if (o->sentences < 1 || o->sentences > ND_MAX_SENTENCES)
        return nd_fail(error, ND_ERR_ARGUMENT, "sentences must be 1 to %d, not %u",
                       ND_MAX_SENTENCES, o->sentences);
    if (!(o->threshold > 0 && o->threshold <= 1))
        return nd_fail(error, ND_ERR_ARGUMENT, "threshold must be above 0 and at most 1, not %g",
                       o->threshold);
    job->plan = (nd_plan){.perms = o->perms, .bands = 1, .threshold = o->threshold};
    job->summary.sentences = o->sentences;
    return ND_OK;
}

/* Checks what nd_dedup and nd_pairs find candidates by, and chooses the plan, if there is one, and
 * the size of a sketch. */
static nd_status choose_sketch(nd_job *job, nd_error *error) {
    const nd_job_options *o = &job->options;
    if (nd_job_has_fingerprints(job)) {
        ND_TRY(nd_job_check_fingerprints(o, error));
        job->sketch_size = nd_fingerprint_size(o->simhash.bits);
        job->plan.threshold = o->verify == ND_VERIFY_NONE ? 0 : o->threshold;
        job->summary.bits = o->simhash.bits;
        job->summary.k = o->k;
        return ND_OK;
    }
    if (o->verify == ND_VERIFY_COSINE)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "verify must be ND_VERIFY_COSINE with ND_SKETCH_SIMHASH alone: it is of the "
                       "vectors that fingerprints are made of");
    job->sketch_size = o->perms;
    if (nd_job_has_sentences(job)) ND_TRY(plan_sentences(job, error));
    else ND_TRY(nd_plan_choose(o->threshold, o->recall, o->perms, &job->plan, error));
    return nd_minhash_create(o->perms, o->seed, &job->allocator, &job->minhash, error);
}

nd_status nd_job_check_outputs(const nd_job *job, nd_output_file *const *outputs, size_t count,
                               nd_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (!outputs[i]) continue;
        const nd_output_target *target = nd_output_file_target(outputs[i]);
        const char *name = nd_output_file_title(outputs[i]);
        for (size_t s = 0; s < nd_corpus_sources(job->corpus); s++) {
            const nd_source *source = nd_corpus_source(job->corpus, s);
            if (source->inode != 0 && nd_output_target_is(target, source->device, source->inode))
                return nd_fail(error, ND_ERR_ARGUMENT,
                               "%s is an input: an output must be another file", name);
        }
        for (size_t j = 0; j < i; j++)
            if (outputs[j] && nd_output_targets_collide(target, nd_output_file_target(outputs[j])))
                return nd_fail(error, ND_ERR_ARGUMENT,
                               "%s and %s are one file: each output needs its own",
                               nd_output_file_title(outputs[j]), name);
    }
    return ND_OK;
}

/* ---- small services */

size_t nd_job_share(const nd_job *job, unsigned percent) {
    uint64_t share = job->memory / 100 * percent / ND_LIMIT(1, 1 << 14);
    return (size_t)(share < 1 << 12 ? 1 << 12 : share);
}

size_t nd_job_source_of(const nd_job *job, uint32_t document) {
    size_t low = 0, high = nd_corpus_sources(job->corpus);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (nd_corpus_source(job->corpus, middle)->first_document <= document) low = middle;
        else high = middle;
    }
    return low;
}

void nd_job_warn(nd_job *job, const char *format, ...) {
    const nd_job_options *o = &job->options;
    nd_error warning;
    va_list arguments;
    if (!o->on_warning) return;
    va_start(arguments, format);
    nd_message_list(warning.message, sizeof warning.message, format, arguments);
    va_end(arguments);
    o->on_warning(o->notice_context, warning.message);
}

nd_status nd_job_id(const nd_job *job, uint32_t document, nd_id_buffer *buffer, nd_error *error) {
    uint64_t range[2] = {0, 0};
    if (document > 0)
        ND_TRY(nd_spool_read(&job->id_ends, range, 16, (uint64_t)(document - 1) * 8, error));
    else ND_TRY(nd_spool_read(&job->id_ends, &range[1], 8, 0, error));
    size_t size = (size_t)(range[1] - range[0]);
    if (!nd_reserve(&job->allocator, &buffer->bytes, &buffer->capacity, size))
        return nd_fail_memory(error, size, "an id");
    ND_TRY(nd_spool_read(&job->ids, buffer->bytes, size, range[0], error));
    memcpy(&buffer->line, buffer->bytes, 8);
    buffer->id = buffer->bytes + 8;
    buffer->length = size - 8;
    const nd_source *source = nd_corpus_source(job->corpus, nd_job_source_of(job, document));
    buffer->source = source->kind == ND_SOURCE_CALLBACK ? "" : source->name;
    return ND_OK;
}

nd_status nd_job_id_of_rank(const nd_job *job, uint32_t rank, nd_id_buffer *buffer,
                            nd_error *error) {
    if (!nd_job_is_indexed(job, rank))
        return nd_job_id(job, nd_job_document(job, rank), buffer, error);
    buffer->source = "";
    buffer->line = 0;
    nd_stored_document document;
    ND_TRY(nd_store_document(job->store, rank, &document, error));
    buffer->id = document.id;
    buffer->length = document.id_length;
    return ND_OK;
}

nd_status nd_found_pairs_each(nd_job *job, nd_found_pair_fn *fn, void *context, nd_error *error) {
    nd_spool_cursor cursor = {.spool = &job->found_pairs};
    nd_status status = ND_OK;
    for (uint64_t left = job->found_pairs.size / sizeof(nd_verdict); status == ND_OK && left > 0;
         left--) {
        const void *piece;
        nd_verdict v;
        status = nd_spool_next(&cursor, sizeof v, &piece, error);
        if (status != ND_OK) break;
        memcpy(&v, piece, sizeof v);
        status = fn(context, &v, error);
    }
    nd_release(&job->allocator, cursor.bytes);
    return status;
}

/* ---- the job */

static nd_status choose_work_directory(nd_job *job, nd_error *error) {
    const nd_job_options *o = &job->options;
    const char *beside = o->output && strcmp(o->output, "-") != 0 ? o->output
                         : o->edges && strcmp(o->edges, "-") != 0 ? o->edges
                                                                  : NULL;
    if (o->work) job->work = nd_string_join(&job->allocator, o->work, "", "");
    else if (beside) job->work = nd_path_directory(&job->allocator, beside);
    else job->work = nd_string_join(&job->allocator, nd_temporary_directory(), "", "");
    if (!job->work) return nd_fail_memory(error, 1, "a path");
    if (access(job->work, W_OK | X_OK) != 0) {
        if (o->work)
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "%s: not a directory that can be written, for temporary files", o->work);
        nd_release(&job->allocator, job->work);
        job->work = nd_string_join(&job->allocator, nd_temporary_directory(), "", "");
        if (!job->work) return nd_fail_memory(error, 1, "a path");
    }
    job->disk.directory = job->work;
    job->disk.progress = &job->progress;
    return ND_OK;
}

/* A large record takes up to 12 times its size while it is worked on (the input's window, the
 * block, the text, its tokens; where every byte may be a token twice as much), and the memory of a
 * job must hold it beside the rest. */
static uint64_t max_record(const nd_job_options *o) {
    uint64_t fits = o->memory / (o->analyzer == ND_CHARS ? 32 : 16);
    return o->max_record < fits ? o->max_record : fits;
}

nd_status nd_job_find_means(nd_job *job, nd_error *error) {
    const nd_job_options *o = &job->options;
    ND_TRY(check_options(o, error));
    if (o->stem && job->task != ND_TASK_PASS)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "stem is for nd_fingerprints, nd_idf and nd_keywords only: other jobs "
                       "compare words as they are");
    /* Fewer workers where each would find no memory: half of it is for the shares. */
    job->threads = o->threads ? o->threads : nd_core_count();
    while (job->threads > 1 && job->threads * WORKER_MEMORY > o->memory / 2) job->threads--;
    job->summary.threads = job->threads;
    job->memory = o->memory - job->threads * WORKER_MEMORY;
    if (o->index) job->set_memory = job->memory / 2;
    job->memory -= job->set_memory;
    return choose_work_directory(job, error);
}

nd_status nd_job_open_input(nd_job *job, nd_error *error) {
    const nd_job_options *o = &job->options;
    ND_TRY(nd_job_find_means(job, error));
    bool by_field = job->task == ND_TASK_DEDUP &&
                    (o->keep == ND_KEEP_MAX || o->keep == ND_KEEP_MIN),
         stream = job->task == ND_TASK_STREAM;
    nd_corpus_options corpus = {
        .inputs = o->inputs,
        .input_count = o->input_count,
        .records = o->records,
        .records_context = o->records_context,
        .fields = {o->text_field, o->id_field,
                   by_field ? o->keep_field
                   : stream ? o->time_field
                            : NULL},
        .max_record = max_record(o),
        .max_record_reason = max_record(o) < o->max_record
                                 ? ", the share of a record in the memory of the job"
                                 : "",
        .invalid = o->invalid,
        .follow_links = o->follow_links,
        .skip_errors = o->skip_errors,
        .once = job->task == ND_TASK_QUERY || job->task == ND_TASK_PASS || stream,
        .live = stream,
        .progress = &job->progress,
        .memory = o->memory,
        .spool_memory = nd_job_share(job, SHARE_INPUT),
    };
    ND_TRY(nd_corpus_open(&corpus, &job->allocator, &job->disk, &job->corpus, error));
    if (nd_corpus_may_have_window(job->corpus)) job->memory -= o->memory / ND_WINDOW_SHARE;
    return ND_OK;
}

void nd_job_close_input(nd_job *job) {
    nd_corpus_close(job->corpus);
    nd_release(&job->allocator, job->work);
}

static nd_status prepare(nd_job *job, nd_error *error) {
    const nd_job_options *o = &job->options;
    ND_TRY(nd_job_open_input(job, error));
    ND_TRY(choose_sketch(job, error));
    /* First of all that takes time, so that a job of hours does not find at its end that it cannot
     * write. */
    ND_TRY(nd_job_report_open(job, error));
    if (o->index) ND_TRY(nd_job_open_index(job, error));
    job->summary.plan = job->plan;
    return ND_OK;
}

static void end_stage(nd_job *job, nd_stage stage) {
    double now = nd_seconds();
    job->summary.seconds[stage] += now - job->stage_began;
    job->stage_began = now;
}

/* Is reading, too. What was counted is needed longer where texts are weighed again. */
static nd_status fingerprint_counted(nd_job *job, nd_error *error) {
    end_stage(job, ND_STAGE_MATCH);
    ND_TRY(nd_job_fingerprint_counted(job, error));
    end_stage(job, ND_STAGE_READ);
    if (job->options.verify == ND_VERIFY_COSINE) return ND_OK;
    nd_feature_counts_free(job->counts);
    job->counts = NULL;
    return ND_OK;
}

static nd_status run(nd_job *job, nd_error *error) {
    double began = nd_seconds();
    job->stage_began = began;
    ND_TRY(prepare(job, error));
    ND_TRY(nd_job_ingest(job, error));
    end_stage(job, ND_STAGE_READ);
    ND_TRY(nd_job_order_by_priority(job, error));
    ND_TRY(nd_job_find_copies(job, error));
    ND_TRY(nd_job_find_repeated_ids(job, error));
    if (job->store) ND_TRY(nd_job_check_index_ids(job, error));
    if (job->counts) ND_TRY(fingerprint_counted(job, error));
    ND_TRY(nd_job_has_fingerprints(job) ? nd_job_propose_near(job, error)
                                        : nd_job_propose(job, error));
    end_stage(job, ND_STAGE_MATCH);
    ND_TRY(nd_job_report_begin(job->reporter, error));
    ND_TRY(nd_job_decide(job, error));
    end_stage(job, ND_STAGE_DECIDE);
    ND_TRY(nd_job_report_end(job->reporter, error));
    if (job->store) ND_TRY(nd_job_extend_index(job, error));
    nd_job_report_accept(job->reporter);
    end_stage(job, ND_STAGE_WRITE);
    job->summary.seconds[ND_STAGE_WRITE] -= job->summary.seconds[ND_STAGE_SYNC];
    job->summary.total_seconds = nd_seconds() - began;
    job->summary.work_bytes = atomic_load(&job->disk.most);
    job->summary.peak_memory = nd_peak_memory();
    return ND_OK;
}

static void release(nd_job *job) {
    const nd_allocator *a = &job->allocator;
    nd_job_report_free(job->reporter);
    nd_part_sorter_free(job->bands);
    nd_part_sorter_free(job->hash_order);
    nd_part_sorter_free(job->id_order);
    nd_part_sorter_free(job->pairs);
    nd_part_sorter_free(job->memberships);
    nd_spool *spools[] = {&job->sketches,    &job->hashes,     &job->ids,
                          &job->id_ends,     &job->priorities, &job->verdicts,
                          &job->found_pairs, &job->sets,       &job->set_ends};
    for (size_t i = 0; i < sizeof spools / sizeof *spools; i++) nd_spool_free(spools[i]);
    nd_document_table_free(&job->documents);
    nd_first_neighbours_free(&job->neighbours);
    nd_feature_counts_free(job->counts);
    nd_release(a, job->order);
    nd_release(a, job->rank_of);
    nd_release(a, job->copies);
    nd_release(a, job->bucket_sizes);
    nd_release(a, job->wide_indexed);
    nd_release(a, job->known);
    nd_release(a, job->given_again);
    nd_store_close(job->store);
    nd_job_close_input(job);
    nd_minhash_free(job->minhash);
}

static nd_status nd_job_run(nd_task task, const nd_job_options *options, nd_job_summary *summary,
                            nd_error *error) {
    ND_TRY(nd_need(options, "options", error));
    nd_job job = {.task = task,
                  .options = *options,
                  .allocator = nd_allocator_or_default(options->allocator),
                  .progress = nd_progress_of(options)};
    if (task == ND_TASK_PAIRS) {
        job.options.keep = ND_KEEP_FIRST;
        job.options.output = job.options.removed = job.options.clusters = NULL;
        job.options.on_decision = NULL;
        job.options.index = NULL;
    }
    nd_status status = run(&job, error);
    if (status == ND_OK && summary) *summary = job.summary;
    release(&job);
    return status;
}

nd_status nd_dedup(const nd_job_options *options, nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    return nd_job_run(ND_TASK_DEDUP, options, summary, error);
}

nd_status nd_pairs(const nd_job_options *options, nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    return nd_job_run(ND_TASK_PAIRS, options, summary, error);
}
