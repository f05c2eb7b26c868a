/* neardup idf: counts the documents that have each word, as weights for other commands. */
#include "commands/command_names.h"
#include "commands/extract_command.h"
#include "manual/chapters.h"
#include "output/complain.h"

#include <limits.h>

typedef struct idf_settings {
    extract_settings extract;
    nd_idf_options table;
} idf_settings;

static const flag outputs[] = {
    RECORD_OUTPUT_FLAG("standard output", "the table; a name in .gz or .zst compresses it"),
};
static const flag table_list[] = {
    {.name = "min-df",
     .kind = FLAG_NUMBER,
     .argument = "N",
     .low = 1,
     .high = UINT64_MAX,
     .offset = offsetof(nd_idf_options, least),
     .help = "leave out words that fewer documents have"},
    {.name = "stop-words",
     .kind = FLAG_OUTPUT,
     .argument = "FILE",
     .offset = offsetof(nd_idf_options, stop_words),
     .help = "write the words that more than --stop-share of the documents have, one per line"},
    {.name = "stop-share",
     .kind = FLAG_SHARE,
     .argument = "S",
     .offset = offsetof(nd_idf_options, stop_share),
     .help = "share of the documents that makes a word a stop word; only with --stop-words"},
};

static const flag_table output_flags = FLAG_TABLE("Output", outputs);
static const flag_table word_table_flags = FLAG_TABLE("Output", table_list);

static const flag_group groups[] = {FLAG_GROUP(idf_settings, extract.output, output_flags),
                                    FLAG_GROUP(idf_settings, table, word_table_flags),
                                    FLAG_GROUP(idf_settings, extract.report, report_flags),
                                    FLAG_GROUP(idf_settings, extract.input, input_flags),
                                    FLAG_GROUP(idf_settings, extract.text, word_flags),
                                    FLAG_GROUP(idf_settings, extract.text, stem_flags),
                                    FLAG_GROUP(idf_settings, extract.resources, memory_flags),
                                    FLAG_GROUP(idf_settings, extract.resources, threads_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    idf_settings *s = settings;
    extract_settings_init(&s->extract);
    nd_idf_options_init(&s->table, sizeof s->table);
}

/* job_fn */
static nd_status count_words(command_job *j, nd_job_summary *summary, nd_error *error) {
    const idf_settings *s = j->call->settings;
    nd_idf_options options = s->table;
    options.input = &j->input;
    options.analyzer = &j->analyzer;
    options.output = j->output;
    options.resources = &j->resources;
    return nd_idf(&options, summary, error);
}

static int run(const invocation *call) {
    const idf_settings *s = call->settings;
    if (flag_is_given(call->given, "stop-share") && !s->table.stop_words) {
        complain("--stop-share: only with --stop-words");
        return EXIT_USAGE;
    }
    command_job j = extract_job(call, &s->extract, &s->extract.text, count_words);
    return job_run(&j);
}

/* ---- the manual */

static const char result_chapter[] =
    "The first line is \"# documents: N\". Then comes a table with a header: term, a word in its "
    "folded form; df, the number of documents that have it, however often; and idf, ln((N + 1) / "
    "(df + 1)), with six decimals. Words with the highest df come first, words with equal df in "
    "bytewise order. A word is a token of neardup-dedup(1) with --analyzer words, so each "
    "character in scripts written without spaces; or with --analyzer segment. Then the table says "
    "so, and only works with that analyzer.\n\n"
    "With --weights tfidf:FILE other commands weigh a word by its idf. A word that is not in the "
    "table has the idf of a word that no document has. So --min-df makes the table smaller (2 "
    "often halves it) and the rarest words a little heavier.\n\n"
    "With --stem the table counts stems. It says so, and only works with the same --stem.\n\n"
    "--stop-words proposes a list of words to leave out (--stop), the most frequent ones first. "
    "Read it before you use it: which words carry no meaning depends on the use.\n\n"
    "Counting is exact and in memory. Each thread has its own table, with about 50 bytes plus its "
    "length for each word. If --memory is too small for them, the command fails.";

static const chapter chapters[] = {
    {"INPUT", repeated_ids_input_chapter}, {"RESULT", result_chapter},
    {"SEGMENTS", segment_chapter},         {"EXIT STATUS", whole_exit_chapter},
    {"ENVIRONMENT", environment_chapter},  {NULL, NULL}};

const command idf_command = {
    .name = "idf",
    .operands = "INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = inputs_missing,
    .summary = "count the documents that have each word, as weights for other commands",
    .description = "Reads the same inputs as neardup dedup and writes a table of all words: how "
                   "many documents have each word, and the weight that follows from it.",
    .examples = "neardup idf articles.jsonl -o words.tsv\n"
                "neardup idf articles.jsonl --min-df 2 --stop-words stop.txt -o words.tsv\n"
                "neardup simhash articles.jsonl --weights tfidf:words.tsv > fingerprints.tsv\n",
    .chapters = chapters,
    .summary_of = SUMMARY_WORDS,
    .groups = groups,
    .settings_size = sizeof(idf_settings),
    .init = init,
    .run = run,
};
