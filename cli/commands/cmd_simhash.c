/* neardup simhash: a fingerprint for each document. */
#include "commands/command_names.h"
#include "commands/extract_command.h"
#include "flags/fingerprint_flags.h"
#include "manual/chapters.h"
#include "output/complain.h"

#include <limits.h>

typedef enum features { FEATURES_WORDS, FEATURES_CHARS, FEATURES_SHINGLES } features;

typedef struct feature_settings {
    features features;
} feature_settings;

typedef struct simhash_settings {
    extract_settings extract;
    fingerprint_settings fingerprint;
    feature_settings feature;
} simhash_settings;

static const flag outputs[] = {
    RECORD_OUTPUT_FLAG("standard output", "the fingerprints, one line per document with id, tab "
                                          "and hexadecimal digits; a name in .gz or .zst "
                                          "compresses them"),
};
static const flag feature_list[] = {
    {.name = "features",
     .kind = FLAG_CHOICE,
     .choices = "words|chars|shingles",
     .offset = offsetof(feature_settings, features),
     .help = "what a fingerprint is made of; words: single words; chars: runs of --ngram "
             "characters; shingles: runs of --ngram words"},
};
static const unsigned weightings[] = {ND_WEIGHTING_TF, ND_WEIGHTING_TABLE, ND_WEIGHTING_NONE,
                                      ND_WEIGHTING_LEVELS};
static const flag weight_list[] = {
    WEIGHTS_FLAG("tf|tfidf:FILE|none|levels", weightings, NULL,
                 WEIGHTS_TABLE_HELP WEIGHTS_NONE_HELP
                 "; levels: as the text says, which is a list of items "
                 "word(weight)"),
};

static const flag_table output_flags = FLAG_TABLE("Output", outputs);
static const flag_table feature_flags = FLAG_TABLE("Features", feature_list);
static const flag_table weight_flags = FLAG_TABLE("Features", weight_list);

static const flag_group groups[] = {FLAG_GROUP(simhash_settings, extract.output, output_flags),
                                    FLAG_GROUP(simhash_settings, extract.report, report_flags),
                                    FLAG_GROUP(simhash_settings, extract.input, input_flags),
                                    FLAG_GROUP(simhash_settings, feature, feature_flags),
                                    FLAG_GROUP(simhash_settings, extract.text, weight_flags),
                                    FLAG_GROUP(simhash_settings, fingerprint, bits_flags),
                                    FLAG_GROUP(simhash_settings, extract.text, word_flags),
                                    FLAG_GROUP(simhash_settings, extract.text, shingle_flags),
                                    FLAG_GROUP(simhash_settings, extract.text, stem_flags),
                                    FLAG_GROUP(simhash_settings, extract.text, stop_flags),
                                    FLAG_GROUP(simhash_settings, extract.text, seed_flags),
                                    FLAG_GROUP(simhash_settings, extract.resources, threads_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    simhash_settings *s = settings;
    extract_settings_init(&s->extract);
    fingerprint_settings_init(&s->fingerprint);
}

/* job_fn */
static nd_status make_fingerprints(command_job *j, nd_job_summary *summary, nd_error *error) {
    const simhash_settings *s = j->call->settings;
    const nd_simhash_options simhash = {.struct_size = sizeof simhash,
                                        .bits = s->fingerprint.bits,
                                        .weighting = j->text->weighting,
                                        .table = j->files.weights,
                                        .stop = j->files.stop};
    const nd_fingerprints_options options = {.struct_size = sizeof options,
                                             .input = &j->input,
                                             .analyzer = &j->analyzer,
                                             .simhash = &simhash,
                                             .output = j->output,
                                             .resources = &j->resources};
    return nd_fingerprints(&options, NULL, NULL, summary, error);
}

/* False: reported. `text` has the analyzer and the length of the features. */
static bool flags_agree(const flags_given *given, features of, const text_settings *text) {
    static const char *const of_texts[] = {"stem", "stop", "analyzer", "features", "ngram", NULL};
    const char *vain = flag_first_given(given, of_texts);
    if (text->weighting == ND_WEIGHTING_LEVELS && vain)
        complain("--%s: not with --weights levels, whose texts are lists of words already", vain);
    else if (flag_is_given(given, "analyzer") && of == FEATURES_CHARS)
        complain("--analyzer: has no effect with --features chars, which are not words");
    else if (of == FEATURES_WORDS && text->ngram > 1 && flag_is_given(given, "ngram"))
        complain("--ngram: only with --features shingles or chars");
    else return feature_flags_agree(text, text->ngram);
    return false;
}

static int run(const invocation *call) {
    const simhash_settings *s = call->settings;
    features of = s->feature.features;
    text_settings text = s->extract.text;
    if (of == FEATURES_CHARS) text.analyzer = ND_CHARS;
    if (of == FEATURES_WORDS && !flag_is_given(call->given, "ngram")) text.ngram = 1;
    if (!flags_agree(call->given, of, &text)) return EXIT_USAGE;
    command_job j = extract_job(call, &s->extract, &text, make_fingerprints);
    int status = job_run(&j);
    bool silent = s->extract.report.quiet || s->extract.report.summary;
    if (status == EXIT_DONE && of == FEATURES_WORDS && text.weighting == ND_WEIGHTING_TF && !silent)
        complain("hint: common words dominate these fingerprints; with a table from neardup idf "
                 "(--weights tfidf:FILE) rare words dominate instead");
    return status;
}

/* ---- the manual */

static const char result_chapter[] =
    "The fingerprint of a document (SimHash, Charikar 2002) has one bit for the sign of each of "
    "several sums over the document's features. So the fingerprints of texts with much in common "
    "differ in few bits: the expected share of bits that differ is the angle between the two "
    "vectors of weights, divided by 180 degrees.\n\n"
    "A line is the id, a tab, and a digit for each four bits, the highest bits first. Lines are in "
    "the order of input; there is no header. A fingerprint of 16 or 32 bits is the end of the one "
    "of 64 bits, which is the end of the one of 128 bits.";

static const char weight_chapter[] =
    "Common words dominate fingerprints of single words, and long texts on different subjects "
    "become similar. An idf table, made by neardup-idf(1) from these or from similar documents, "
    "lets rare words dominate instead. Shingles and characters need it less.\n\n"
    "FILE may also be any list of words and weights: on each line a word, a tab or blanks, and a "
    "number from 0 to 262144. A word that is not in the list has the weight of the heaviest one. A "
    "term that is not one word by neardup's rules never occurs in a text; a warning counts such "
    "terms. FILE jieba is the table of Debian's package python3-jieba, if it is installed.\n\n"
    "Or leave common words out: --stop FILE, with one word per line in any case. Empty lines and "
    "lines that begin with # are ignored.\n\n"
    "--stem LANGUAGE replaces words by their stems (Snowball): \"cat\" and \"cats\" become one. A "
    "table must have been counted with the same --stem. The words of any other list are taken to "
    "be stems, and the words of --stop are stemmed, too. For an unknown language the message lists "
    "the known ones.\n\n"
    "levels is for texts that are already lists of keywords and their weights: the items of "
    "\"cat(3) dog(1.5)\" are separated by white space. --features and --ngram have no effect then.";

static const char tab_chapter[] =
    "In ids a tab is written \\t, a newline \\n, a carriage return \\r and a backslash \\\\.";

static const chapter chapters[] = {{"INPUT", repeated_ids_input_chapter},
                                   {"RESULT", result_chapter},
                                   {"WEIGHTS", weight_chapter},
                                   {"SEGMENTS", segment_chapter},
                                   {"TABLES", tab_chapter},
                                   {"EXIT STATUS", whole_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {NULL, NULL}};

const command simhash_command = {
    .name = "simhash",
    .operands = "INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = inputs_missing,
    .summary = "a fingerprint for each document; similar documents differ in few bits",
    .description = "Reads the same inputs as neardup dedup and writes the SimHash of each "
                   "document.",
    .examples = "neardup simhash articles.jsonl > fingerprints.tsv\n"
                "neardup simhash notes --features shingles --bits 128\n"
                "neardup idf articles.jsonl -o words.tsv\n"
                "neardup simhash articles.jsonl --weights tfidf:words.tsv -o fingerprints.tsv\n",
    .chapters = chapters,
    .summary_of = SUMMARY_EACH,
    .groups = groups,
    .settings_size = sizeof(simhash_settings),
    .init = init,
    .run = run,
};
