/* neardup keywords: the terms of each document that weigh most. */
#include "output/complain.h"
#include "commands/job_command.h"
#include "flags/text_flags.h"

#include <limits.h>
#include <string.h>

static const flag output_flags[] = {
    {.name = "output",
     .letter = 'o',
     .kind = FLAG_OUTPUT,
     .argument = "OUT",
     .offset = SETTING(job.output),
     .fallback = "standard output",
     .help = "the keywords; one JSON object a document; .gz and .zst compress"},
    {.name = "top",
     .kind = FLAG_COUNT,
     .argument = "N",
     .low = 1,
     .high = UINT32_MAX,
     .offset = SETTING(keywords.top),
     .help = "keywords a document, at most"},
};

static const flag weight_flags[] = {
    {.name = "idf",
     .kind = FLAG_INPUT,
     .argument = "FILE",
     .offset = SETTING(idf_table),
     .fallback = "counted in the input",
     .help = "a table of how rare words are, such as neardup idf writes; jieba is that of Debian's "
             "package python3-jieba; short for --weights tfidf:FILE"},
    WEIGHTS_FLAG("tfidf|tfidf:FILE|tf",
                 WEIGHTS_COUNTED_HELP "; " WEIGHTS_TABLE_HELP "; " WEIGHTS_TF_HELP),
};

static const flag_group output_group = FLAG_GROUP("Output", output_flags);
static const flag_group weight_group = FLAG_GROUP("Words", weight_flags);
static const flag_group *const groups[] = {
    &output_group, &report_group, &quiet_group,   &input_group, &word_group, &stem_group,
    &stop_group,   &weight_group, &threads_group, &help_group,  NULL};

static const char result_chapter[] =
    "A line of JSON a document, in the order of input: "
    "{\"id\":\"...\",\"keywords\":[[\"term\",weight],...]}, the heaviest terms first, equal ones "
    "in bytewise order. A term is a word in its folded form, or, with --stem, its "
    "stem; in scripts written without spaces each character, or, with --analyzer segment, each "
    "word. Its weight is how often it occurs times its idf, ln((N + 1) / (df + 1)) where df of N "
    "documents have it; it has at most four decimals. What weighs "
    "nothing is no keyword: a word that all documents have.";

static const char weight_chapter[] =
    "Where the input is small, counts of it say little about rarity: give a table that "
    "neardup-idf(1) has made of more. The same of standard input and pipes, which cannot be read "
    "twice. A word that is not in the table is "
    "as rare as one that no document has. FILE may also be a list of words and weights, as for "
    "neardup-simhash(1).\n\n"
    "Counting takes 32 MiB, and may find a df too great, by one or so for each million of the "
    "texts' words.\n\n"
    "--idf jieba reads the table of the package python3-jieba from where Debian puts it. Its "
    "Chinese words of more than one character are met with --analyzer segment, best with --dict "
    "jieba; else each character is a word.";

static const char example_chapter[] =
    "  neardup keywords articles.jsonl --top 5\n"
    "  neardup keywords chinese.jsonl --analyzer segment --dict jieba --idf jieba\n"
    "  neardup idf crawl-*.jsonl.zst -o words.tsv --stop-words stop.txt\n"
    "  neardup keywords - --idf words.tsv --stop stop.txt < news.jsonl";

static const chapter chapters[] = {
    {"INPUT", pass_input_chapter}, {"RESULT", result_chapter},
    {"WEIGHTS", weight_chapter},   {"SEGMENTS", segment_chapter},
    {"EXIT STATUS", exit_chapter}, {"ENVIRONMENT", environment_chapter},
    {"EXAMPLES", example_chapter}, {NULL, NULL}};

static nd_status keywords(const settings *given, nd_job_summary *summary, nd_error *error) {
    nd_keywords_options options = {.top = given->keywords.top,
                                   .weighting = counted_weightings[given->weights],
                                   .table = given->words.table,
                                   .stop = given->words.stop};
    return nd_keywords(&given->job, &options, NULL, NULL, summary, error);
}

static int keywords_run(const command *self, settings *given, int count, char **inputs) {
    if (given->idf_table && flag_is_given(&given->flags, "weights")) {
        complain("--idf: not with --weights, which says the same or something else");
        return EXIT_USAGE;
    }
    if (given->idf_table) {
        given->weights = WEIGHTS_TABLE;
        given->weight_table = given->idf_table;
    }
    for (int i = 0; i < count && counted_weightings[given->weights] == ND_WEIGHTING_COUNTED; i++) {
        if (strcmp(inputs[i], "-") != 0) continue;
        complain("keywords: standard input cannot be read twice, to count its words first; give "
                 "--idf FILE or --weights tf");
        return EXIT_USAGE;
    }
    if (!given->job.output) given->job.output = "-";
    given->job.analyzer = given->segment ? ND_SEGMENT : ND_WORDS;
    return job_run(self, given, count, inputs, given->job.output, keywords);
}

const command keywords_command = {
    .name = "keywords",
    .operands = "INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = inputs_missing,
    .summary = "the terms of each document that weigh most",
    .description = "Reads what neardup dedup reads and writes the keywords of each document: the "
                   "words that it has often and few others have.",
    .groups = groups,
    .chapters = chapters,
    .summary_of = SUMMARY_PRINT,
    .run = keywords_run,
};
