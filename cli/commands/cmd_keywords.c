/* neardup keywords: the heaviest terms of each document. */
#include "commands/command_names.h"
#include "commands/extract_command.h"
#include "manual/chapters.h"
#include "output/complain.h"

#include <limits.h>
#include <string.h>

typedef struct top_settings {
    uint32_t top;
} top_settings;

typedef struct keywords_settings {
    extract_settings extract;
    top_settings top;
} keywords_settings;

static const flag outputs[] = {
    RECORD_OUTPUT_FLAG("standard output", "the keywords, one JSON object per document; a name in "
                                          ".gz or .zst compresses them"),
};
static const flag top_list[] = {
    {.name = "top",
     .kind = FLAG_COUNT,
     .argument = "N",
     .low = 1,
     .high = UINT32_MAX,
     .offset = offsetof(top_settings, top),
     .help = "most keywords per document"},
};
static const unsigned weightings[] = {ND_WEIGHTING_TF, ND_WEIGHTING_COUNTED, ND_WEIGHTING_TABLE};
static const flag weight_list[] = {
    WEIGHTS_FLAG("tf|tfidf|tfidf:FILE", weightings, "tfidf",
                 WEIGHTS_COUNTED_HELP WEIGHTS_TABLE_HELP),
};

static const flag_table output_flags = FLAG_TABLE("Output", outputs);
static const flag_table top_flags = FLAG_TABLE("Output", top_list);
static const flag_table weight_flags = FLAG_TABLE("Words", weight_list);

static const flag_group groups[] = {FLAG_GROUP(keywords_settings, extract.output, output_flags),
                                    FLAG_GROUP(keywords_settings, top, top_flags),
                                    FLAG_GROUP(keywords_settings, extract.report, report_flags),
                                    FLAG_GROUP(keywords_settings, extract.input, input_flags),
                                    FLAG_GROUP(keywords_settings, extract.text, word_flags),
                                    FLAG_GROUP(keywords_settings, extract.text, stem_flags),
                                    FLAG_GROUP(keywords_settings, extract.text, stop_flags),
                                    FLAG_GROUP(keywords_settings, extract.text, weight_flags),
                                    FLAG_GROUP(keywords_settings, extract.resources, threads_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    keywords_settings *s = settings;
    nd_keyword_options options;
    nd_keyword_options_init(&options, sizeof options);
    extract_settings_init(&s->extract);
    s->extract.text.weighting = options.weighting;
    s->top.top = options.top;
}

/* job_fn */
static nd_status find_keywords(command_job *j, nd_job_summary *summary, nd_error *error) {
    const keywords_settings *s = j->call->settings;
    const nd_keyword_options keywords = {.struct_size = sizeof keywords,
                                         .top = s->top.top,
                                         .weighting = j->text->weighting,
                                         .table = j->files.weights,
                                         .stop = j->files.stop};
    const nd_keywords_options options = {.struct_size = sizeof options,
                                         .input = &j->input,
                                         .analyzer = &j->analyzer,
                                         .keywords = &keywords,
                                         .output = j->output,
                                         .resources = &j->resources};
    return nd_keywords(&options, NULL, NULL, summary, error);
}

static int run(const invocation *call) {
    const keywords_settings *s = call->settings;
    bool twice = s->extract.text.weighting == ND_WEIGHTING_COUNTED;
    for (int i = 0; i < call->count && twice; i++) {
        if (strcmp(call->operands[i], "-") != 0) continue;
        complain("keywords: standard input cannot be read twice, to count its words first; give "
                 "--weights tfidf:FILE or --weights tf");
        return EXIT_USAGE;
    }
    command_job j = extract_job(call, &s->extract, &s->extract.text, find_keywords);
    return job_run(&j);
}

/* ---- the manual */

static const char result_chapter[] =
    "Each document has one line of JSON, in the order of input: "
    "{\"id\":\"...\",\"keywords\":[[\"term\",weight],...]}. The heaviest terms come first, terms "
    "of equal weight in bytewise order. A term is a word in its folded form, or with --stem its "
    "stem; in scripts written without spaces a character, or with --analyzer segment a word. The "
    "weight of a term is its number of occurrences times its idf, ln((N + 1) / (df + 1)) if df of "
    "N documents have it, with at most four decimals. A term of weight 0, which all documents "
    "have, is no keyword.";

static const char weight_chapter[] =
    "If the input is small, its counts say little about how rare a word is. Then give a table that "
    "neardup-idf(1) has counted in more text. Standard input and pipes cannot be read twice, so "
    "they need a table, too. A word that is not in the table has the idf of a word that no "
    "document has. FILE may also be a list of words and weights, as for neardup-simhash(1).\n\n"
    "Counting takes 32 MiB. It may find a df that is too high, by about 1 for each million words "
    "of the texts.\n\n"
    "--weights tfidf:jieba reads the table of Debian's package python3-jieba. Its Chinese words of "
    "more than one character need --analyzer segment, best with --dict jieba; without it each "
    "character is a word.";

static const chapter chapters[] = {{"INPUT", repeated_ids_input_chapter},
                                   {"RESULT", result_chapter},
                                   {"WEIGHTS", weight_chapter},
                                   {"SEGMENTS", segment_chapter},
                                   {"EXIT STATUS", whole_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {NULL, NULL}};

const command keywords_command = {
    .name = "keywords",
    .operands = "INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = inputs_missing,
    .summary = "the heaviest terms of each document",
    .description = "Reads the same inputs as neardup dedup and writes the keywords of each "
                   "document: words that it has often and few other documents have.",
    .examples =
        "neardup keywords articles.jsonl --top 5\n"
        "neardup keywords articles.jsonl --weights tf --stem english -o keywords.jsonl\n"
        "neardup keywords chinese.jsonl --analyzer segment --dict jieba --weights tfidf:jieba\n"
        "neardup idf crawl-*.jsonl.zst -o words.tsv --stop-words stop.txt\n"
        "neardup keywords - --weights tfidf:words.tsv --stop stop.txt < news.jsonl\n",
    .chapters = chapters,
    .summary_of = SUMMARY_EACH,
    .groups = groups,
    .settings_size = sizeof(keywords_settings),
    .init = init,
    .run = run,
};
