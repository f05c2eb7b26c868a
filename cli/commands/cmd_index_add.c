/* neardup index add: a batch against an index, which the kept documents join. */
#include "output/complain.h"
#include "commands/index_command.h"

#include <limits.h>

static const flag output_flags[] = {
    {.name = "output",
     .letter = 'o',
     .kind = FLAG_OUTPUT,
     .argument = "NEW",
     .offset = SETTING(job.output),
     .fallback = "they are not written",
     .help = "the records that were added, byte for byte and in the order of input; .gz and .zst "
             "compress; a directory where the input is "
             "directories"},
};

static const flag_group output_group = FLAG_GROUP("Output", output_flags);
static const flag_group *const groups[] = {
    &output_group, &table_group, &report_group, &quiet_group,   &input_group, &bound_group,
    &keep_group,   &batch_group, &space_group,  &threads_group, &help_group,  NULL};

/* The settings are the index's: nd_dedup wants to be told the same. */
static nd_status take_settings(nd_job_options *job, nd_error *error) {
    nd_index *index;
    nd_index_info info;
    nd_status status = nd_index_open(job->index, ND_INDEX_READ, NULL, &index, error);
    if (status != ND_OK) return status;
    nd_index_describe(index, &info);
    nd_index_close(index);
    if (info.hamming.bits) return ND_OK; /* the job refuses it */
    job->analyzer = info.options.analyzer;
    job->ngram = info.options.ngram;
    job->threshold = info.options.threshold;
    job->recall = info.options.recall;
    job->perms = info.options.perms;
    job->seed = info.options.seed;
    return ND_OK;
}

static nd_status add(const settings *given, nd_job_summary *summary, nd_error *error) {
    nd_job_options job = given->job;
    nd_status status = take_settings(&job, error);
    return status == ND_OK ? nd_dedup(&job, summary, error) : status;
}

static int add_run(const command *self, settings *given, int count, char **operands) {
    given->job.index = operands[0];
    given->job.sync = given->sync ? ND_SYNC_OFF : ND_SYNC_BATCH;
    return job_run(self, given, count - 1, operands + 1, given->job.output, add);
}

static const char result_chapter[] =
    "The batch is taken in order of priority: as it comes (--keep first), the longest text first, "
    "or by a field. A document is left out exactly when "
    "its similarity with one of the index, or with one of the batch that was taken before it, "
    "reaches the threshold of the index; --removed names "
    "the first such, in the order of the index and then of the batch. All others are added. This "
    "is what neardup-dedup(1) does with --index.\n\n"
    "An id that the index has already is an error, unless --replace is given; one that occurs "
    "twice in the batch always is. A long batch is added "
    "in parts. What a run that ended early has added stays in the index, and the same command "
    "given again goes on from there, to the same end: "
    "documents that were added are known by their ids. A batch that was added wholly is taken up "
    "in the same way with --resume, as long as no other batch has come "
    "after it and its files are the same: a job that died and does not know how far it came gives "
    "--resume, and gets the same outputs.";

static const char add_exit_chapter[] =
    "0: done. 1: it failed, and the message says why; the outputs are as they were. 2: the command "
    "line is wrong. A run ended by SIGINT, SIGTERM or "
    "SIGHUP removes its files and ends by that signal. However it ends, the index is whole.";

static const char example_chapter[] =
    "  neardup index add seen tuesday.jsonl -o new.jsonl\n"
    "  neardup index add seen corrected.jsonl --replace\n"
    "  zcat crawl.gz | neardup index add seen - --removed removed.tsv --quiet";

static const chapter chapters[] = {{"INPUT", input_chapter},
                                   {"RESULT", result_chapter},
                                   {"TABLES", pair_tsv_chapter},
                                   {"EXIT STATUS", add_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {"EXAMPLES", example_chapter},
                                   {NULL, NULL}};

const command index_add_command = {
    .name = "index add",
    .operands = "DIR INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 2,
    .operands_most = INT_MAX,
    .missing = index_inputs_missing,
    .summary = "add a batch, without what duplicates the index or the batch",
    .description = "Reads what neardup dedup reads, compares it with the index DIR and with "
                   "itself, and adds what is no duplicate.",
    .groups = groups,
    .chapters = chapters,
    .summary_of = SUMMARY_DEDUP,
    .run = add_run,
};
