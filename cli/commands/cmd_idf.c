/* neardup idf: how many documents have each word, as a table of weights for neardup simhash and
 * keywords. */
#include "output/complain.h"
#include "commands/job_command.h"
#include "flags/text_flags.h"

#include <limits.h>

static const flag output_flags[] = {
    {.name = "output",
     .letter = 'o',
     .kind = FLAG_OUTPUT,
     .argument = "OUT",
     .offset = SETTING(job.output),
     .fallback = "standard output",
     .help = "the table; .gz and .zst compress"},
    {.name = "min-df",
     .kind = FLAG_NUMBER,
     .argument = "N",
     .low = 1,
     .high = UINT64_MAX,
     .offset = SETTING(idf.least),
     .help = "leave out the words that fewer documents have"},
    {.name = "stop-words",
     .kind = FLAG_OUTPUT,
     .argument = "FILE",
     .offset = SETTING(idf.stop_words),
     .help = "a list of the words that more than --stop-share of the documents have, one a line"},
    {.name = "stop-share",
     .kind = FLAG_SHARE,
     .argument = "S",
     .offset = SETTING(idf.stop_share),
     .help = "share of the documents; --stop-words"},
};

static const flag memory_flags[] = {
    {.name = "memory",
     .kind = FLAG_SIZE,
     .argument = "SIZE",
     .low = UINT64_C(64) << 20,
     .offset = SETTING(job.memory),
     .help = "bound of the memory used; where the words need more the command fails"},
};

static const flag_group output_group = FLAG_GROUP("Output", output_flags);
static const flag_group memory_group = FLAG_GROUP("Means", memory_flags);
static const flag_group *const groups[] = {
    &output_group, &report_group, &quiet_group,   &input_group, &word_group,
    &stem_group,   &memory_group, &threads_group, &help_group,  NULL};

static const char result_chapter[] =
    "A line \"# documents: N\", then a table with a header: term, a word in its folded form; df, "
    "the number of documents that have it, however often; and idf, "
    "ln((N + 1) / (df + 1)), with six decimals. The words of most documents come first, equal ones "
    "in bytewise order. A word is what it is for "
    "neardup-dedup(1) with --analyzer words: in scripts written without spaces each character; or "
    "what --analyzer segment makes of them, and then the table says so and is only good for "
    "that.\n\n"
    "With --weights tfidf:FILE, neardup-simhash(1) gives a word its idf, and a word that is not in "
    "the table as much as one that no document has. So "
    "--min-df makes the table smaller, often by half with 2, and the rarest words a little "
    "heavier.\n\n"
    "With --stem words are counted by their stems. The table says so, and is only good for the "
    "same --stem.\n\n"
    "--stop-words proposes a list of words to leave out, for --stop of neardup-simhash(1), those "
    "of most documents first: look through it, for what is a stop word "
    "depends on the use.\n\n"
    "Counting is exact and in memory, each thread having its own table: some 50 bytes and its "
    "length a word. Where --memory does not hold them, the command fails.";

static const char example_chapter[] =
    "  neardup idf crawl-*.jsonl.zst -o words.tsv\n"
    "  neardup simhash crawl-*.jsonl.zst --weights tfidf:words.tsv > fingerprints.tsv";

static const chapter chapters[] = {{"INPUT", pass_input_chapter},
                                   {"RESULT", result_chapter},
                                   {"SEGMENTS", segment_chapter},
                                   {"EXIT STATUS", exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {"EXAMPLES", example_chapter},
                                   {NULL, NULL}};

static nd_status idf(const settings *given, nd_job_summary *summary, nd_error *error) {
    return nd_idf(&given->job, &given->idf, summary, error);
}

static int idf_run(const command *self, settings *given, int count, char **inputs) {
    if (flag_is_given(&given->flags, "stop-share") && !given->idf.stop_words) {
        complain("--stop-share: only with --stop-words");
        return EXIT_USAGE;
    }
    if (!given->job.output) given->job.output = "-";
    given->job.analyzer = given->segment ? ND_SEGMENT : ND_WORDS;
    return job_run(self, given, count, inputs, given->job.output, idf);
}

const command idf_command = {
    .name = "idf",
    .operands = "INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = inputs_missing,
    .summary = "count the documents that have each word, as weights for simhash and keywords",
    .description = "Reads what neardup dedup reads and writes a table of all words, in how many "
                   "documents each is, and how much that makes it weigh.",
    .groups = groups,
    .chapters = chapters,
    .summary_of = SUMMARY_WORDS,
    .run = idf_run,
};
