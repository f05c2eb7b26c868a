/* neardup index add: compares a batch with an index, and adds the documents that are kept. */
#include "commands/command_names.h"
#include "commands/index_command.h"
#include "commands/job_command.h"
#include "flags/index_flags.h"
#include "flags/input_flags.h"
#include "flags/keep_flags.h"
#include "flags/resource_flags.h"
#include "flags/sketch_flags.h"
#include "manual/chapters.h"

#include <limits.h>

typedef struct index_add_settings {
    record_settings output;
    table_settings tables;
    page_settings page;
    report_settings report;
    input_settings input;
    sketch_settings sketch; /* only its max_compare has a flag here */
    keep_settings keep;
    batch_settings batch;
    resource_settings resources;
} index_add_settings;

static const flag outputs[] = {
    RECORD_OUTPUT_FLAG("they are not written",
                       "the added records, byte for byte and in the order of input; a name in .gz "
                       "or .zst compresses them; DIR/ gets a file for each file of the input; of "
                       "texts a directory"),
};
static const flag_table output_flags = FLAG_TABLE("Output", outputs);

static const flag_group groups[] = {FLAG_GROUP(index_add_settings, output, output_flags),
                                    FLAG_GROUP(index_add_settings, output, record_flags),
                                    FLAG_GROUP(index_add_settings, tables, table_flags),
                                    FLAG_GROUP(index_add_settings, page, page_flags),
                                    FLAG_GROUP(index_add_settings, report, report_flags),
                                    FLAG_GROUP(index_add_settings, input, input_flags),
                                    FLAG_GROUP(index_add_settings, sketch, bound_flags),
                                    FLAG_GROUP(index_add_settings, keep, keep_flags),
                                    FLAG_GROUP(index_add_settings, keep, limit_flags),
                                    FLAG_GROUP(index_add_settings, batch, batch_flags),
                                    FLAG_GROUP(index_add_settings, resources, memory_flags),
                                    FLAG_GROUP(index_add_settings, resources, work_flags),
                                    FLAG_GROUP(index_add_settings, resources, threads_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    index_add_settings *s = settings;
    input_settings_init(&s->input);
    sketch_settings_init(&s->sketch);
    resource_settings_init(&s->resources);
}

/* The job has the settings of the index. */
static nd_status add_to(command_job *j, nd_index *index, nd_job_summary *summary, nd_error *error) {
    const index_add_settings *s = j->call->settings;
    nd_similarity_options similarity;
    const nd_survivor_options survivors = survivor_options_of(&s->keep);
    nd_output_options files = output_options_of(&s->tables, &s->output);
    nd_index_use use = index_use_of(&s->batch);
    nd_index_info info = {.struct_size = sizeof info};
    nd_status status = nd_index_describe(index, &info, error);
    if (status != ND_OK) return status;
    nd_similarity_options_init(&similarity, sizeof similarity);
    j->analyzer = *info.options->analyzer;
    similarity.analyzer = &j->analyzer;
    similarity.threshold = info.options->threshold;
    similarity.recall = info.options->recall;
    similarity.perms = info.options->perms;
    similarity.max_compare = s->sketch.max_compare;
    files.kept = j->output;
    job_note_examples(j, &files);
    use.index = index;
    const nd_dedup_options options = {.struct_size = sizeof options,
                                      .input = &j->input,
                                      .similarity = &similarity,
                                      .survivors = &survivors,
                                      .index = &use,
                                      .outputs = &files,
                                      .resources = &j->resources};
    return nd_dedup(&options, summary, error);
}

/* job_fn */
static nd_status add(command_job *j, nd_job_summary *summary, nd_error *error) {
    const index_add_settings *s = j->call->settings;
    nd_index *index;
    nd_status status = nd_index_open(j->call->operands[0], ND_INDEX_WRITE, NULL, &index, error);
    if (status != ND_OK) return status;
    nd_index_set_sync(index, sync_of(&s->batch));
    status = add_to(j, index, summary, error);
    nd_index_close(index);
    return status;
}

static int run(const invocation *call) {
    const index_add_settings *s = call->settings;
    command_job j = {.call = call,
                     .run = add,
                     .report = &s->report,
                     .inputs = call->operands + 1,
                     .input_count = call->count - 1,
                     .keep_field = s->keep.field,
                     .output = s->output.output,
                     .tables = &s->tables,
                     .page = &s->page,
                     .removed_records = s->output.removed_records,
                     .max_compare = s->sketch.max_compare};
    j.input = input_options_of(&s->input);
    j.resources = resources_of(&s->resources);
    return job_run(&j);
}

static const char result_chapter[] =
    "The documents of the batch are taken in order of priority (--keep): the order of input, the "
    "longest text first, or by a field. A document is left out exactly when its similarity with a "
    "document of the index, or with a document of the batch that was taken before it, reaches the "
    "threshold of the index. --removed names the first such document, in the order of the index "
    "and then of the batch. All other documents are added. neardup-dedup(1) with --index does the "
    "same.\n\n"
    "An id that the index already has is an error, unless --replace is given. An id that occurs "
    "twice in the batch is always an error.\n\n"
    "A large batch is added in parts. The parts that an interrupted run has added stay in the "
    "index. The same command, given again, continues from there and gives the same end: documents "
    "that were added are recognised by their ids. With --resume this also works after a run that "
    "has added the whole batch, as long as no other batch was added after it and its files are "
    "unchanged. So a job that does not know how far its last run came gives --resume, and gets "
    "the outputs of one run.";

static const char add_exit_chapter[] =
    "0: done. 1: it failed, and the message says why; the outputs are as they were before. 2: the "
    "command line is wrong. A command that SIGINT, SIGTERM or SIGHUP ends first removes its "
    "unfinished files, and then ends by that signal. In each case the index is undamaged.";

static const chapter chapters[] = {{"INPUT", input_chapter},
                                   {"RESULT", result_chapter},
                                   {"TABLES", pair_tsv_chapter},
                                   {"EXIT STATUS", add_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {NULL, NULL}};

const command index_add_command = {
    .name = "index add",
    .operands = "DIR INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 2,
    .operands_most = INT_MAX,
    .missing = index_inputs_missing,
    .summary = "add a batch, without its duplicates",
    .description = "Reads the same inputs as neardup dedup, compares their documents with the "
                   "index DIR and with each other, and adds those that are not duplicates.",
    .examples = "neardup index add seen tuesday.jsonl -o new.jsonl\n"
                "neardup index add seen corrected.jsonl --replace --removed removed.tsv\n"
                "zcat crawl.gz | neardup index add seen - --quiet\n",
    .chapters = chapters,
    .summary_of = SUMMARY_DEDUP,
    .groups = groups,
    .settings_size = sizeof(index_add_settings),
    .init = init,
    .run = run,
};
