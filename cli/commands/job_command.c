#include "commands/job_command.h"

#include "output/complain.h"
#include "output/interrupt.h"
#include "output/progress.h"
#include "output/summary.h"
#include "flags/text_flags.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const flag table_flags[] = {
    {.name = "removed",
     .kind = FLAG_FILE,
     .argument = "FILE",
     .offset = SETTING(job.removed),
     .help = "what was removed and why; a table of id, kept, jaccard, intersection, union, and "
             "where both stand"},
    {.name = "clusters",
     .kind = FLAG_FILE,
     .argument = "FILE",
     .offset = SETTING(job.clusters),
     .help = "one line a document; a table of id, cluster (the kept document's id), kept (1 or 0), "
             "and where both stand"},
    {.name = "edges",
     .kind = FLAG_FILE,
     .argument = "FILE",
     .offset = SETTING(job.edges),
     .help = "every pair that was decided as a duplicate; a table of id_a, id_b, jaccard, and "
             "where both stand"},
};

static const flag report_flags[] = {
    {.name = "json",
     .kind = FLAG_SWITCH,
     .offset = SETTING(json),
     .help = "the summary as one JSON object; on standard output, or on stderr where the data goes "
             "to standard output"},
};

static const flag quiet_flags[] = {
    {.name = "quiet",
     .letter = 'q',
     .kind = FLAG_SWITCH,
     .offset = SETTING(quiet),
     .help = "no summary and no progress bar; warnings and errors are still written"},
};

static const flag input_flags[] = {
    {.name = "text-field",
     .kind = FLAG_FIELD,
     .argument = "FIELD",
     .offset = SETTING(job.text_field),
     .help = "field with the text; a name, or a JSON Pointer such as /doc/body"},
    {.name = "id-field",
     .kind = FLAG_FIELD,
     .argument = "FIELD",
     .offset = SETTING(job.id_field),
     .help = "field with the id, a string or a number; a document without one is called FILE:LINE"},
    {.name = "max-record",
     .kind = FLAG_SIZE,
     .argument = "SIZE",
     .low = 1,
     .high = (1 << 30) - 1,
     .offset = SETTING(job.max_record),
     .help = "longest record accepted"},
    {.name = "invalid",
     .kind = FLAG_CHOICE,
     .choices = "fail|replace|skip",
     .offset = SETTING(job.invalid),
     .help = "what to do about invalid UTF-8 and lone surrogates; replace compares them as U+FFFD "
             "and still writes the record as it came"},
    {.name = "on-error",
     .kind = FLAG_CHOICE,
     .choices = "fail|skip",
     .offset = SETTING(on_error),
     .help = "what to do about a bad record, or an entry of a directory that cannot be read; skip "
             "leaves it out and counts it; warnings name the first 10"},
    {.name = "follow",
     .kind = FLAG_SWITCH,
     .offset = SETTING(job.follow_links),
     .help = "in directories take symbolic links to files, too, and each file once; without this "
             "they are left out and counted"},
};

static const flag similarity_flags[] = {
    {.name = "threshold",
     .kind = FLAG_SHARE,
     .argument = "S",
     .one = true,
     .offset = SETTING(job.threshold),
     .help = "Jaccard similarity of the shingle sets from which on two documents are duplicates"},
    {.name = "recall",
     .kind = FLAG_SHARE,
     .argument = "P",
     .offset = SETTING(job.recall),
     .help = "least probability of finding a pair at the threshold; more similar ones are found "
             "more surely"},
    {.name = "perms",
     .kind = FLAG_COUNT,
     .argument = "N",
     .low = 1,
     .high = 1024,
     .offset = SETTING(job.perms),
     .help = "MinHash permutations"},
};

static const flag verify_flags[] = {
    {.name = "verify",
     .kind = FLAG_CHOICE,
     .choices = "exact|cosine|none",
     .offset = SETTING(job.verify),
     .help = "how a candidate is decided; exact compares the shingle sets; cosine (--sketch "
             "simhash) the weighted features of the fingerprints, and is what --threshold bounds; "
             "none trusts the sketches"},
};

static const flag bound_flags[] = {
    {.name = "max-compare",
     .kind = FLAG_COUNT,
     .argument = "N",
     .low = 1,
     .high = UINT32_MAX,
     .offset = SETTING(job.max_compare),
     .help = "comparisons a document with the members of very large buckets; what this leaves out "
             "is counted"},
};

static const flag keep_flags[] = {
    {.name = "keep",
     .kind = FLAG_CHOICE,
     .choices = "first|longest|max:FIELD|min:FIELD",
     .offset = SETTING(job.keep),
     .detail = SETTING(job.keep_field),
     .help = "which document stays; FIELD is a number, or an ISO 8601 date in a string"},
};

static const flag batch_flags[] = {
    {.name = "replace",
     .kind = FLAG_SWITCH,
     .offset = SETTING(job.replace),
     .help = "a document whose id the index has takes the place of that one, which goes even where "
             "the new one is a duplicate; without this it is "
             "an error"},
    {.name = "resume",
     .kind = FLAG_SWITCH,
     .offset = SETTING(job.resume),
     .help = "this batch was given before: what it has added already is not added again, and the "
             "outputs are those of one run. An unfinished batch whose inputs have the same names "
             "goes on without it"},
    SYNC_FLAG,
};

static const flag space_flags[] = {
    {.name = "memory",
     .kind = FLAG_SIZE,
     .argument = "SIZE",
     .low = UINT64_C(64) << 20,
     .offset = SETTING(job.memory),
     .help = "bound of the memory used, within 64M, 16 bytes a document, and what files of words "
             "take, at most half of it"},
    {.name = "work",
     .kind = FLAG_DIRECTORY,
     .argument = "DIR",
     .offset = SETTING(job.work),
     .fallback = "the output's directory, or the system's temporary one",
     .help = "where temporary files go"},
};

static const flag threads_flags[] = {
    {.name = "threads",
     .kind = FLAG_COUNT,
     .argument = "N",
     .high = 256,
     .offset = SETTING(job.threads),
     .fallback = "0, all cores",
     .help = "threads; the results do not depend on them"},
};

const flag_group table_group = FLAG_GROUP("Output", table_flags);
const flag_group report_group = FLAG_GROUP("Output", report_flags);
const flag_group quiet_group = FLAG_GROUP("Output", quiet_flags);
const flag_group input_group = FLAG_GROUP("Input", input_flags);
const flag_group similarity_group = FLAG_GROUP("Similarity", similarity_flags);
const flag_group verify_group = FLAG_GROUP("Comparison", verify_flags);
const flag_group bound_group = FLAG_GROUP("Comparison", bound_flags);
const flag_group keep_group = FLAG_GROUP("Survivors", keep_flags);
const flag_group batch_group = FLAG_GROUP("Index", batch_flags);
const flag_group space_group = FLAG_GROUP("Means", space_flags);
const flag_group threads_group = FLAG_GROUP("Means", threads_flags);

const char inputs_missing[] = "no input; name files or directories, or - for standard input";

#define INPUT_CHAPTER                                                                              \
    "An INPUT is a file of JSON Lines, one object a line; - is standard input. Inputs are read "   \
    "in the order given. gzip (any number of "                                                     \
    "members) and Zstandard (any number of frames) are known by their first bytes, not by their "  \
    "names.\n\n"                                                                                   \
    "Or an INPUT is a directory: each file below it is one document, its id is the relative "      \
    "path, and they are taken in bytewise order of the "                                           \
    "path. Symbolic links to files are left out, and a warning says how many; --follow takes "     \
    "them. Links to directories are never followed. "                                              \
    "Directories and files of JSON Lines do not mix.\n\n"                                          \
    "A record that is not a JSON object, has no text, or whose text is not a string is an error "  \
    "that names file and line. Empty lines, a byte "                                               \
    "order mark at the beginning and CRLF line ends are accepted."

const char input_chapter[] = INPUT_CHAPTER
    " Ids that occur more than once are warned of, and their documents are told apart by position.";
const char pass_input_chapter[] = INPUT_CHAPTER " Ids may occur more than once.";

#define TSV_CHAPTER                                                                                \
    "Tables are tab-separated with a header line. In ids a tab is written \\t, a newline \\n, a "  \
    "carriage return \\r and a backslash \\\\; all other "                                         \
    "bytes are as they came, so that a terminal may find escape sequences in them. Similarities "  \
    "have six decimals."

const char tsv_chapter[] = TSV_CHAPTER;
const char pair_tsv_chapter[] = TSV_CHAPTER
    "\n\nThe last four columns tell documents of equal ids apart: the input, as it was named, and "
    "the line of the one document (in a directory the number of the "
    "file), then of the other. Both are empty of a document of an index.";

const char exit_chapter[] = "0: done. 1: the job failed, and the message says why; the outputs are "
                            "as they were. 2: the command line is wrong. A job ended by SIGINT, "
                            "SIGTERM or SIGHUP removes its files and ends by that signal.";

const char environment_chapter[] =
    "NO_COLOR: no colour. TMPDIR: the system's temporary directory. ND_DISABLE_CPU: instruction "
    "sets not to use, a comma-separated list of "
    "avx512, avx2 and neon; the results do not depend on it.";

/* Data and the JSON summary share standard output only when they do not mix. */
static void report(const command *self, const settings *given, const nd_job_summary *summary,
                   const char *output) {
    if (given->json) {
        summary_print_json(output && strcmp(output, "-") == 0 ? stderr : stdout, summary,
                           self->summary_of, self->name);
    } else if (!given->quiet) {
        summary_print(stderr, summary, self->summary_of, given->job.max_compare, terminal_colour());
    }
}

static bool is_directory(const char *path) {
    struct stat s;
    return strcmp(path, "-") != 0 && stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* Flags of fields are for JSON Lines, and others for directories, whose documents are whole files.
 * False: one has no meaning here, and that is told. */
static bool input_flags_agree(const settings *given, int count, char **inputs) {
    const char *field = flag_first_given(
        &given->flags, (const char *const[]){"text-field", "id-field", "time-field", NULL});
    const char *of_files = flag_first_given(&given->flags,
                                            (const char *const[]){"null", "follow", NULL});
    const char *directory = given->passages.source && is_directory(given->passages.source)
                                ? given->passages.source
                                : NULL;
    for (int i = 0; i < count; i++) {
        if (!is_directory(inputs[i])) continue;
        directory = inputs[i];
        if (field)
            complain("--%s: not with %s, a directory, whose files are texts without fields", field,
                     directory);
        else if (given->job.keep_field)
            complain("--keep by %s: not with %s, a directory, whose files are texts without fields",
                     given->job.keep_field, directory);
        else continue;
        return false;
    }
    if (of_files && !directory) complain("--%s: only with directories", of_files);
    return !of_files || directory;
}

int job_run(const command *self, settings *given, int count, char **inputs, const char *output,
            job_fn *run) {
    nd_job_options *job = &given->job;
    nd_job_summary summary;
    nd_error error;
    nd_plan plan;
    progress bar;
    if (!analyzer_flags_agree(given) || !input_flags_agree(given, count, inputs)) return EXIT_USAGE;
    /* Known before any input is read: flags that are each in range and impossible together. */
    if (job->sketch == ND_SKETCH_MINHASH &&
        nd_plan_choose(job->threshold, job->recall, job->perms, &plan, &error) != ND_OK) {
        complain("%s", error.message);
        return EXIT_USAGE;
    }
    progress_start(&bar, given->quiet);
    job->inputs = (const char *const *)inputs;
    job->input_count = (size_t)count;
    job->skip_errors = given->on_error == 1;
    job->on_progress = progress_report;
    job->on_warning = progress_warning;
    job->notice_context = &bar;
    nd_status status = text_files_read(given, &error);
    interrupt_catch(); /* nothing is to be cleaned up before */
    if (status == ND_OK) status = run(given, &summary, &error);
    text_files_free(given);
    progress_end(&bar);
    if (status != ND_OK) {
        interrupt_obey();
        complain("%s", error.message);
        return EXIT_FAILED;
    }
    report(self, given, &summary, output);
    return EXIT_DONE;
}
