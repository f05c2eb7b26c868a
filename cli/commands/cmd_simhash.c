/* neardup simhash: a fingerprint for each document. */
#include "output/complain.h"
#include "commands/job_command.h"
#include "flags/text_flags.h"

#include <limits.h>

/* In the order of their choices. */
enum { FEATURES_WORDS, FEATURES_CHARS, FEATURES_SHINGLES };

static const flag output_flags[] = {
    {.name = "output",
     .letter = 'o',
     .kind = FLAG_OUTPUT,
     .argument = "OUT",
     .offset = SETTING(job.output),
     .fallback = "standard output",
     .help = "the fingerprints; one line a document of id, a tab and hexadecimal digits; .gz and "
             ".zst compress"},
    {.name = "bits",
     .kind = FLAG_CHOICE,
     .choices = "16|32|64|128",
     .offset = SETTING(bits),
     .help = "length of a fingerprint"},
};

static const flag feature_flags[] = {
    {.name = "features",
     .kind = FLAG_CHOICE,
     .choices = "words|chars|shingles",
     .offset = SETTING(features),
     .help = "what a fingerprint is made of; single words, runs of characters, or runs of words"},
    {.name = "ngram",
     .kind = FLAG_COUNT,
     .argument = "N",
     .low = 1,
     .high = 64,
     .offset = SETTING(feature_ngram),
     .fallback = "5 for chars, 3 for shingles",
     .help = "length of a run"},
    WEIGHTS_FLAG("tf|tfidf:FILE|none|levels", WEIGHTS_TF_HELP
                 "; " WEIGHTS_TABLE_HELP "; " WEIGHTS_NONE_HELP
                 "; levels: as the text says, which is a list of items word(weight)"),
};

static const flag_group output_group = FLAG_GROUP("Output", output_flags);
static const flag_group feature_group = FLAG_GROUP("Features", feature_flags);
static const flag_group *const groups[] = {
    &output_group, &report_group, &quiet_group, &input_group,   &feature_group, &word_group,
    &stem_group,   &stop_group,   &seed_group,  &threads_group, &help_group,    NULL};

static const char result_chapter[] =
    "Each document's fingerprint (SimHash, Charikar 2002): its bits are the signs of sums over the "
    "features, so that texts with much in common differ in "
    "few of them. The expected share of bits that differ is the angle between the two vectors of "
    "weights, divided by 180 degrees. A line is the id, "
    "a tab, and a digit for each four bits, the highest first; lines come in the order of input, "
    "without a header. The fingerprint of 16 or 32 bits is the "
    "end of that of 64, and that of 64 the end of that of 128.";

static const char weight_chapter[] =
    "With single words, the common ones of a language make most of the weight, and long texts on "
    "different matters become alike. A table of idf, "
    "made by neardup-idf(1) of these or of similar documents, lets the rare ones decide; shingles "
    "and characters have less need of it.\n\n"
    "FILE may also be any list of words and weights: a word, a tab or blanks, and a number from 0 "
    "to 262144 on each line. A word that is not in it weighs as much "
    "as the heaviest. A term that is not one word by neardup's rules is never met, and what there "
    "is of these is told. FILE jieba stands for the table of Debian's package python3-jieba, where "
    "it is installed.\n\n"
    "Or common words are left out altogether: --stop FILE, one word a line in any case; blank "
    "lines and lines that begin with # do not count.\n\n"
    "--stem LANGUAGE takes words by their stems (Snowball): \"cat\" and \"cats\" are one. A table "
    "must have been counted with the same --stem; words of a list of other making are taken to be "
    "stems, and those of --stop "
    "stand for their stems. A language that is not known is answered with the list of those that "
    "are.\n\n"
    "levels is for texts that are lists already, of keywords and how much each counts: the items "
    "of \"cat(3) dog(1.5)\" are separated by white space. "
    "--features and --ngram have no say then.";

static const char tab_chapter[] =
    "In ids a tab is written \\t, a newline \\n, a carriage return \\r and a backslash \\\\.";

static const char example_chapter[] =
    "  neardup simhash articles.jsonl > fingerprints.tsv\n"
    "  neardup simhash ~/notes --features shingles --bits 128\n"
    "  neardup idf articles.jsonl -o words.tsv\n"
    "  neardup simhash articles.jsonl --weights tfidf:words.tsv -o fingerprints.tsv";

static const chapter chapters[] = {{"INPUT", pass_input_chapter},
                                   {"RESULT", result_chapter},
                                   {"WEIGHTS", weight_chapter},
                                   {"SEGMENTS", segment_chapter},
                                   {"TABLES", tab_chapter},
                                   {"EXIT STATUS", exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {"EXAMPLES", example_chapter},
                                   {NULL, NULL}};

static nd_status simhash(const settings *given, nd_job_summary *summary, nd_error *error) {
    nd_simhash_options options = {.bits = 16u << given->bits,
                                  .weighting = tf_weightings[given->weights],
                                  .table = given->words.table,
                                  .stop = given->words.stop};
    return nd_fingerprints(&given->job, &options, NULL, NULL, summary, error);
}

/* Flags that do not go together: false, and told. The analyzer and the length of a feature are
 * settled. */
static bool flags_agree(const settings *given) {
    bool levels = tf_weightings[given->weights] == ND_WEIGHTING_LEVELS;
    static const char *const of_texts[] = {"stem", "stop", "analyzer", "features", "ngram", NULL};
    const char *vain = flag_first_given(&given->flags, of_texts);
    if (levels && vain) {
        complain("--%s: not with --weights levels, whose texts are lists of words already", vain);
        return false;
    }
    if (flag_is_given(&given->flags, "analyzer") && given->features == FEATURES_CHARS) {
        complain("--analyzer: not with --features chars, which are of no words");
        return false;
    }
    if (given->features == FEATURES_WORDS && given->feature_ngram > 1) {
        complain("--ngram: only with --features shingles or chars");
        return false;
    }
    return feature_flags_agree(given, given->features == FEATURES_WORDS ? 1 : 2);
}

static int simhash_run(const command *self, settings *given, int count, char **inputs) {
    static const uint32_t lengths[] = {
        [FEATURES_WORDS] = 1, [FEATURES_CHARS] = 5, [FEATURES_SHINGLES] = 3};
    nd_job_options *job = &given->job;
    if (!job->output) job->output = "-";
    job->analyzer = given->features == FEATURES_CHARS ? ND_CHARS
                    : given->segment                  ? ND_SEGMENT
                                                      : ND_WORDS;
    job->ngram = given->feature_ngram ? given->feature_ngram : lengths[given->features];
    if (!flags_agree(given)) return EXIT_USAGE;
    int status = job_run(self, given, count, inputs, job->output, simhash);
    bool plain = given->features == FEATURES_WORDS && given->weights == 0;
    if (status == EXIT_DONE && plain && !given->quiet && !given->json)
        complain("hint: common words make most of these fingerprints; neardup idf makes a table "
                 "for --weights tfidf:FILE, which lets the rare ones decide");
    return status;
}

const command simhash_command = {
    .name = "simhash",
    .operands = "INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = inputs_missing,
    .summary = "a fingerprint of each document, that differs in few bits for similar ones",
    .description = "Reads what neardup dedup reads and writes the SimHash of each document.",
    .groups = groups,
    .chapters = chapters,
    .summary_of = SUMMARY_PRINT,
    .run = simhash_run,
};
