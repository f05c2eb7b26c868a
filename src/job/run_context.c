#include "job/run_context.h"

#include "base/machine.h"
#include "io/file.h"
#include "io/publication.h"
#include "io/stream_in.h"

#include <string.h>
#include <unistd.h>

struct nd_run_shared {
    nd_progress progress;
    nd_temp_space space;
    char *directory;
};

/* ---- begin and end */

/* Beside the output, where there is one that is a file. */
static nd_status choose_directory(nd_run *run, const nd_job_options *o, nd_error *error) {
    const nd_allocator *a = &run->allocator;
    char **directory = &run->shared->directory;
    const char *beside = o->output && strcmp(o->output, "-") != 0 ? o->output
                         : o->edges && strcmp(o->edges, "-") != 0 ? o->edges
                                                                  : NULL;
    if (o->work) *directory = nd_string_join(a, o->work, "", "");
    else if (beside) *directory = nd_path_directory(a, beside);
    else *directory = nd_string_join(a, nd_temporary_directory(), "", "");
    if (!*directory) return nd_fail_memory(error, 1, "a path");
    if (access(*directory, W_OK | X_OK) != 0) {
        if (o->work)
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "%s: not a directory that can be written, for temporary files", o->work);
        nd_release(a, *directory);
        *directory = nd_string_join(a, nd_temporary_directory(), "", "");
        if (!*directory) return nd_fail_memory(error, 1, "a path");
    }
    run->space->directory = *directory;
    run->space->progress = run->progress;
    return ND_OK;
}

nd_status nd_run_begin(const nd_job_options *options, nd_run *run, nd_error *error) {
    *run = (nd_run){.allocator = nd_allocator_or_default(options->allocator),
                    .warnings = {options->on_warning, options->notice_context},
                    .began = nd_seconds()};
    ND_TRY(nd_job_options_check(options, error));
    run->shared = nd_allocate_zero(&run->allocator, 1, sizeof *run->shared);
    if (!run->shared) return nd_fail_memory(error, sizeof *run->shared, "a run");
    run->shared->progress = nd_progress_of(options);
    run->progress = &run->shared->progress;
    run->space = &run->shared->space;
    run->threads = options->threads ? options->threads : nd_core_count();
    run->budget = nd_memory_budget_make(options->memory, &run->threads);
    return choose_directory(run, options, error);
}

void nd_run_end(nd_run *run) {
    if (!run->shared) return;
    nd_release(&run->allocator, run->shared->directory);
    nd_release(&run->allocator, run->shared);
    run->shared = NULL;
}

/* ---- inputs */

/* A large record takes up to 12 times its size while it is worked on: the input's window, the
 * block, the text, its tokens; twice as much where every byte may be a token. The memory of the run
 * must hold that beside the rest. */
static uint64_t largest_record(const nd_job_options *o) {
    uint64_t fits = o->memory / (o->analyzer == ND_CHARS ? 32 : 16);
    return o->max_record < fits ? o->max_record : fits;
}

nd_status nd_run_open_input(nd_run *run, const nd_job_options *o, nd_input_use use,
                            const char *priority_field, nd_corpus **out, nd_error *error) {
    uint64_t largest = largest_record(o);
    nd_corpus_options corpus = {
        .inputs = o->inputs,
        .input_count = o->input_count,
        .records = o->records,
        .records_context = o->records_context,
        .fields = {o->text_field, o->id_field, priority_field},
        .max_record = largest,
        .max_record_reason = largest < o->max_record
                                 ? ", the share of a record in the memory of the job"
                                 : "",
        .invalid = o->invalid,
        .follow_links = o->follow_links,
        .skip_errors = o->skip_errors,
        .once = use != ND_INPUT_AGAIN,
        .live = use == ND_INPUT_LIVE,
        .progress = run->progress,
        .memory = o->memory,
        .spool_memory = nd_memory_share(&run->budget, ND_MEMORY_RECORDS),
    };
    ND_TRY(nd_corpus_open(&corpus, &run->allocator, run->space, out, error));
    if (nd_corpus_may_have_window(*out)) run->budget.shared -= o->memory / ND_WINDOW_SHARE;
    return ND_OK;
}

nd_status nd_run_scan(const nd_run *run, const nd_job_options *o, nd_corpus *corpus,
                      const nd_scan_stage *stage, nd_scan_counts *counts, nd_error *error) {
    const nd_scan_means means = {run->allocator, run->threads, run->progress, run->warnings};
    ND_TRY(nd_document_scan(corpus, &means, stage, counts, error));
    bool lines = nd_corpus_source(corpus, 0)->kind == ND_SOURCE_LINES;
    /* Most likely the name is wrong. */
    if (lines && counts->documents > 0 && counts->with_id == 0 && o->id_field &&
        strcmp(o->id_field, "id") != 0)
        nd_warn(&run->warnings, "no record has the field %s: ids are FILE:LINE", o->id_field);
    return ND_OK;
}

/* ---- outputs */

nd_status nd_run_check_outputs(nd_corpus *corpus, nd_output_file *const *outputs, size_t count,
                               nd_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (!outputs[i]) continue;
        const nd_output_target *target = nd_output_file_target(outputs[i]);
        const char *name = nd_output_file_title(outputs[i]);
        for (size_t s = 0; s < nd_corpus_sources(corpus); s++) {
            const nd_source *source = nd_corpus_source(corpus, s);
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

nd_status nd_run_publish(const nd_run *run, nd_output_file *const *outputs, size_t count,
                         nd_job_summary *summary, nd_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (!outputs[i]) continue;
        ND_TRY(nd_output_file_finish(outputs[i], error));
        summary->output_bytes += nd_output_file_size(outputs[i]);
    }
    double began = nd_seconds();
    ND_TRY(nd_progress_report(run->progress, ND_STAGE_SYNC, 0, 0, error));
    const nd_publication all = {outputs, count, NULL};
    ND_TRY(nd_publish(&all, error));
    nd_publication_accept(&all);
    summary->seconds[ND_STAGE_SYNC] = nd_seconds() - began;
    return ND_OK;
}

/* ---- summary */

void nd_summary_add_scan(nd_job_summary *summary, const nd_scan_counts *counts) {
    summary->documents += counts->documents;
    summary->input_bytes += counts->input_bytes;
    summary->text_bytes += counts->text_bytes;
    summary->skipped += counts->skipped;
}

void nd_run_fill_summary(const nd_run *run, nd_job_summary *summary) {
    summary->threads = run->threads;
    summary->total_seconds = nd_seconds() - run->began;
    summary->work_bytes = atomic_load(&run->space->most);
    summary->peak_memory = nd_peak_memory();
}

void nd_run_fill_scan_summary(const nd_run *run, nd_job_summary *summary) {
    nd_run_fill_summary(run, summary);
    summary->seconds[ND_STAGE_READ] = summary->total_seconds - summary->seconds[ND_STAGE_SYNC];
}
