#include "job/run_context.h"

#include "base/machine.h"
#include "corpus/written_files.h"
#include "io/file.h"
#include "io/output_target.h"
#include "io/publication.h"
#include "io/stream_in.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct nd_run_shared {
    nd_progress progress;
    nd_temp_space space;
    char *directory;
};

/* ---- begin and end */

/* Whether an output is written in place: to standard output, a device or a pipe. The directory of
 * such a name, for instance /dev, is no place for temporary files. */
static bool is_in_place(const char *output, const nd_allocator *allocator) {
    nd_output_target target;
    nd_error ignored;
    bool found = nd_output_target_find(output, allocator, &target, &ignored) == ND_OK,
         in_place = found && !target.replaced && !S_ISDIR(target.is.st_mode);
    if (found) nd_output_target_free(&target, allocator);
    return in_place;
}

static nd_status choose_directory(nd_run *run, const char *work, const char *beside,
                                  nd_error *error) {
    const nd_allocator *a = &run->allocator;
    char **directory = &run->shared->directory;
    if (work) *directory = nd_string_join(a, work, "", "");
    else if (beside && !is_in_place(beside, a)) *directory = nd_path_directory(a, beside);
    else *directory = nd_string_join(a, nd_temporary_directory(), "", "");
    if (!*directory) return nd_fail_memory(error, 1, "a path");
    if (access(*directory, W_OK | X_OK) != 0) {
        if (work)
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "%s: not a directory that can be written, for temporary files", work);
        nd_release(a, *directory);
        *directory = nd_string_join(a, nd_temporary_directory(), "", "");
        if (!*directory) return nd_fail_memory(error, 1, "a path");
    }
    run->space->directory = *directory;
    run->space->progress = run->progress;
    return ND_OK;
}

nd_status nd_run_begin(const nd_resources *given, const char *beside, nd_run *run,
                       nd_error *error) {
    nd_resources resources;
    *run = (nd_run){.began = nd_seconds()};
    ND_TRY(nd_resources_read(given, &resources, error));
    run->allocator = nd_allocator_or_default(resources.allocator);
    run->warnings = (nd_warnings){resources.on_warning, resources.context};
    run->memory = resources.memory;
    run->shared = nd_allocate_zero(&run->allocator, 1, sizeof *run->shared);
    if (!run->shared) return nd_fail_memory(error, sizeof *run->shared, "a run");
    run->shared->progress = nd_progress_of(&resources);
    run->progress = &run->shared->progress;
    run->space = &run->shared->space;
    run->threads = resources.threads ? resources.threads : nd_core_count();
    run->budget = nd_memory_budget_make(resources.memory, &run->threads);
    return choose_directory(run, resources.work, beside, error);
}

void nd_run_end(nd_run *run) {
    if (!run->shared) return;
    nd_release(&run->allocator, run->shared->directory);
    nd_release(&run->allocator, run->shared);
    run->shared = NULL;
}

/* ---- inputs */

/* The largest record that the memory of the run can hold beside everything else. While a record is
 * processed it takes up to 12 times its size: in the window of the input, in the block, as text and
 * as tokens. If every byte may be a token, it takes twice as much. */
static uint64_t largest_record(const nd_run *run, const nd_input_options *input,
                               nd_analyzer_kind analyzer) {
    uint64_t fits = run->memory / (analyzer == ND_CHARS ? 32 : 16);
    return input->max_record < fits ? input->max_record : fits;
}

nd_status nd_run_open_input(nd_run *run, const nd_input_options *input, const nd_input_plan *plan,
                            nd_corpus **out, nd_error *error) {
    struct stat is;
    uint64_t largest = largest_record(run, input, plan->analyzer);
    nd_corpus_options corpus = {
        .inputs = input->inputs,
        .input_count = input->input_count,
        .files_from = input->files_from,
        .globs = input->globs,
        .glob_count = input->glob_count,
        .records = input->records,
        .records_context = input->records_context,
        .records_stay = input->records_stay,
        .fields = {input->text_fields, input->text_field_count, input->id_field, plan->value_field,
                   plan->protect, plan->label_field},
        .format = input->format,
        .max_record = largest,
        .max_record_reason = largest < input->max_record
                                 ? ", the share of a record in the memory of the job"
                                 : "",
        .invalid = input->invalid,
        .html = input->html,
        .encoding = input->encoding,
        .follow_links = input->follow_links,
        .hidden = input->hidden,
        .digests = !input->ignore_digests,
        .skip_errors = input->skip_errors,
        .once = plan->use != ND_INPUT_AGAIN,
        .live = plan->use == ND_INPUT_LIVE,
        .progress = run->progress,
        .duckdb = input->duckdb,
        .memory = run->memory,
        .threads = run->threads,
        .spool_memory = nd_memory_share(&run->budget, ND_MEMORY_RECORDS),
    };
    ND_TRY(nd_corpus_open(&corpus, &run->allocator, run->space, out, error));
    for (size_t i = 0; i < input->written_count; i++)
        if (input->written[i] && stat(input->written[i], &is) == 0 && S_ISREG(is.st_mode))
            ND_TRY(nd_corpus_add_written(*out, &is, input->written[i], error));
    if (nd_corpus_may_have_window(*out)) run->budget.shared -= run->memory / ND_WINDOW_SHARE;
    return ND_OK;
}

nd_status nd_run_scan(const nd_run *run, const nd_input_options *input, nd_corpus *corpus,
                      const nd_scan_stage *stage, nd_scan_counts *counts, nd_error *error) {
    const nd_scan_means means = {run->allocator, run->threads, run->progress, run->warnings};
    ND_TRY(nd_document_scan(corpus, &means, stage, counts, error));
    bool records = nd_corpus_source(corpus, 0)->kind == ND_SOURCE_RECORDS;
    /* Then the name of the field is most likely wrong. */
    if (records && counts->documents > 0 && counts->with_id == 0 && input->id_field &&
        strcmp(input->id_field, "id") != 0)
        nd_warn(&run->warnings, "no record has the field %s: ids are FILE:LINE", input->id_field);
    return ND_OK;
}

/* ---- outputs */

nd_status nd_run_check_outputs(nd_corpus *corpus, nd_output_file *const *outputs, size_t count,
                               nd_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (!outputs[i]) continue;
        const nd_output_target *target = nd_output_file_target(outputs[i]);
        const char *name = nd_output_file_title(outputs[i]);
        if (target->exists) ND_TRY(nd_corpus_add_written(corpus, &target->is, name, error));
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
