/* neardup pairs: every pair of near-duplicates. */
#include "commands/command_names.h"
#include "commands/match_command.h"
#include "manual/chapters.h"
#include "output/complain.h"
#include "output/escape.h"
#include "output/results.h"

#include <limits.h>
#include <string.h>

typedef struct pairs_settings {
    result_settings result;
    match_settings match;
} pairs_settings;

static const flag_group groups[] = {FLAG_GROUP(pairs_settings, result, result_flags),
                                    FLAG_GROUP(pairs_settings, match.report, report_flags),
                                    FLAG_GROUP(pairs_settings, match.input, input_flags),
                                    MATCH_GROUPS(pairs_settings, match),
                                    RESOURCE_GROUPS(pairs_settings, match.resources),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    pairs_settings *s = settings;
    match_settings_init(&s->match);
}

static void settle(const flags_given *given, void *settings) {
    pairs_settings *s = settings;
    match_settle(given, &s->match);
}

/* ---- pairs as JSON */

typedef struct printer {
    const match_settings *match;
    results results;
} printer;

static void print_document(FILE *out, const char *id, size_t length, const char *source,
                           uint64_t line) {
    fputs("{\"id\":", out);
    print_json_text(out, id, length);
    fputs(",\"source\":", out);
    print_json_text(out, source, strlen(source));
    fprintf(out, ",\"line\":%llu}", (unsigned long long)line);
}

/* nd_pair_fn; `context` is the printer. */
static bool print_pair(void *context, const nd_pair *pair) {
    printer *p = context;
    FILE *out = p->results.out;
    results_begin(&p->results);
    fputs("{\"a\":", out);
    print_document(out, pair->id_a, pair->id_a_length, pair->source_a, pair->line_a);
    fputs(",\"b\":", out);
    print_document(out, pair->id_b, pair->id_b_length, pair->source_b, pair->line_b);
    const sketch_settings *sketch = &p->match->sketch;
    bool distances = sketch->sketch == ND_SKETCH_SIMHASH || sketch->sketch == ND_SKETCH_TLSH,
         contains = p->match->similarity.measure == ND_MEASURE_CONTAINMENT;
    if (distances && sketch->verify == ND_VERIFY_NONE)
        fprintf(out, ",\"distance\":%u", (unsigned)pair->distance);
    else if (sketch->verify == ND_VERIFY_COSINE) fprintf(out, ",\"cosine\":%.6f", pair->cosine);
    else if (pair->estimated) fprintf(out, ",\"jaccard\":%.6f,\"estimated\":true", pair->jaccard);
    else
        fprintf(out, ",\"%s\":%.6f,\"intersection\":%llu,\"union\":%llu",
                contains ? "containment" : "jaccard", contains ? pair->containment : pair->jaccard,
                (unsigned long long)pair->intersection, (unsigned long long)pair->set_union);
    fputs("}\n", out);
    return results_go_on(&p->results);
}

/* job_fn. The library writes the table, the command JSON. */
static nd_status find_pairs(command_job *j, nd_job_summary *summary, nd_error *error) {
    const pairs_settings *s = j->call->settings;
    printer p = {.match = &s->match};
    match_options match;
    match_options_fill(&s->match, j, &match);
    nd_pairs_options options = {.struct_size = sizeof options,
                                .input = &j->input,
                                .similarity = &match.similarity,
                                .resources = &j->resources};
    if (!s->result.json) {
        options.output = j->output;
        return nd_pairs(&options, summary, error);
    }
    nd_status status = results_open(&p.results, j->output, NULL, error);
    if (status != ND_OK) return status;
    options.on_pair = print_pair;
    options.context = &p;
    return results_close(&p.results, nd_pairs(&options, summary, error), error);
}

static int run(const invocation *call) {
    const pairs_settings *s = call->settings;
    if (!match_flags_agree(call->given, &s->match)) return EXIT_USAGE;
    command_job j = match_job(call, &s->match, s->result.output, find_pairs);
    j.result_file = s->result.json;
    return job_run(&j);
}

/* ---- the manual */

static const char result_chapter[] =
    "Every pair of documents whose similarity is at or above the threshold. A pair exactly at the "
    "threshold is found with probability --recall, more similar pairs with a higher one. Pairs are "
    "ordered by their later document, then by their earlier one. A group of n copies has n (n - 1) "
    "/ 2 pairs: to remove duplicates, use neardup-dedup(1).\n\n"
    "The table has the columns id_a, id_b, jaccard, and the file and line of both. With --json "
    "each pair is an object with a and b, each with id, source and line; and jaccard, intersection "
    "and union. With --measure containment the measure is containment, in the table and here. With "
    "--verify none it has jaccard and estimated, which is true, instead. Where "
    "--sketch simhash or tlsh replaces jaccard in the table, it also does so here.";

static const chapter chapters[] = {{"INPUT", input_chapter},
                                   {"RESULT", result_chapter},
                                   {"SEGMENTS", segment_chapter},
                                   {"SIMHASH", simhash_chapter},
                                   {"SENTENCES", sentences_chapter},
                                   {"TLSH", tlsh_chapter},
                                   {"TABLES", pair_tsv_chapter},
                                   {"EXIT STATUS", whole_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {NULL, NULL}};

const command pairs_command = {
    .name = "pairs",
    .operands = "INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = inputs_missing,
    .summary = "every pair at or above the threshold; nothing is removed",
    .description = "Reads the same inputs as neardup dedup and writes each pair of near-duplicates "
                   "with its similarity (a similarity join).",
    .examples = "neardup pairs articles.jsonl --threshold .5 > pairs.tsv\n"
                "neardup pairs articles.jsonl --json -o pairs.jsonl\n",
    .chapters = chapters,
    .summary_of = SUMMARY_PAIRS,
    .groups = groups,
    .settings_size = sizeof(pairs_settings),
    .init = init,
    .settle = settle,
    .run = run,
};
