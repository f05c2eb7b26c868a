/* neardup pairs: every pair at or above the threshold. */
#include "output/complain.h"
#include "flags/sketch_flags.h"
#include "flags/text_flags.h"

#include <limits.h>

static const flag output_flags[] = {
    {.name = "output",
     .letter = 'o',
     .kind = FLAG_OUTPUT,
     .argument = "OUT",
     .offset = SETTING(job.edges),
     .fallback = "standard output",
     .help = "the pairs; a table of id_a, id_b, jaccard, and where both stand"},
};

static const flag_group output_group = FLAG_GROUP("Output", output_flags);
static const flag_group *const groups[] = {
    &output_group, &report_group, &quiet_group,   &input_group, &similarity_group,
    &sketch_group, &token_group,  &shingle_group, &seed_group,  &verify_group,
    &bound_group,  &space_group,  &threads_group, &help_group,  NULL};

static const char result_chapter[] =
    "Every pair of documents whose similarity is at or above the threshold, with probability "
    "--recall at the threshold itself and more surely "
    "above it, ordered by the later document, then by the earlier one. A group of n copies has n "
    "(n - 1) / 2 pairs: to remove duplicates, use "
    "neardup-dedup(1).";

static const char example_chapter[] = "  neardup pairs --threshold .5 articles.jsonl > pairs.tsv";

static const chapter chapters[] = {
    {"INPUT", input_chapter},         {"RESULT", result_chapter},
    {"SEGMENTS", segment_chapter},    {"SIMHASH", simhash_chapter},
    {"SENTENCES", sentences_chapter}, {"TABLES", pair_tsv_chapter},
    {"EXIT STATUS", exit_chapter},    {"ENVIRONMENT", environment_chapter},
    {"EXAMPLES", example_chapter},    {NULL, NULL}};

static nd_status pairs(const settings *given, nd_job_summary *summary, nd_error *error) {
    nd_job_options job = given->job;
    sketch_options_take(given, &job);
    return nd_pairs(&job, summary, error);
}

static int pairs_run(const command *self, settings *given, int count, char **inputs) {
    if (!sketch_flags_agree(given)) return EXIT_USAGE;
    if (!given->job.edges) given->job.edges = "-";
    return job_run(self, given, count, inputs, given->job.edges, pairs);
}

const command pairs_command = {
    .name = "pairs",
    .operands = "INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = inputs_missing,
    .summary = "every pair at or above the threshold; nothing is removed",
    .description = "Reads what neardup dedup reads and writes each pair of near-duplicates with "
                   "its similarity (a similarity join).",
    .groups = groups,
    .chapters = chapters,
    .summary_of = SUMMARY_PAIRS,
    .run = pairs_run,
};
