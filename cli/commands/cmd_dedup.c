/* neardup dedup: keep one of each group of near-duplicates. */
#include "output/complain.h"
#include "flags/sketch_flags.h"
#include "flags/text_flags.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

static const flag output_flags[] = {
    {.name = "output",
     .letter = 'o',
     .kind = FLAG_OUTPUT,
     .argument = "OUT",
     .offset = SETTING(job.output),
     .fallback = "standard output",
     .help = "the kept records, byte for byte and in the order of input; .gz and .zst compress; a "
             "directory where the input is directories, whose "
             "kept paths go to standard output otherwise"},
    {.name = "null",
     .letter = '0',
     .kind = FLAG_SWITCH,
     .offset = SETTING(job.null_paths),
     .help = "kept paths of directories end with NUL instead of a line break, which may stand in a "
             "path; for xargs -0"},
};

static const flag survivor_flags[] = {
    {.name = "group",
     .kind = FLAG_CHOICE,
     .choices = "greedy|component",
     .offset = SETTING(job.group),
     .help = "greedy removes what duplicates a kept document; component keeps one of all that are "
             "joined by a chain of duplicates"},
};

static const flag index_flags[] = {
    {.name = "index",
     .kind = FLAG_DIRECTORY,
     .argument = "DIR",
     .offset = SETTING(job.index),
     .help = "the index whose documents come before all others and which the kept ones join; it is "
             "created where there is none"},
};

static const flag_group output_group = FLAG_GROUP("Output", output_flags);
static const flag_group survivor_group = FLAG_GROUP("Survivors", survivor_flags);
static const flag_group index_group = FLAG_GROUP("Index", index_flags);
static const flag_group *const groups[] = {
    &output_group,     &table_group,  &report_group,  &quiet_group,    &input_group,
    &similarity_group, &sketch_group, &token_group,   &shingle_group,  &seed_group,
    &verify_group,     &bound_group,  &keep_group,    &survivor_group, &index_group,
    &batch_group,      &space_group,  &threads_group, &help_group,     NULL};

static const char result_chapter[] =
    "Documents are taken in order of priority: as they come (--keep first), the longest text "
    "first, or by a field. One is removed exactly "
    "when its similarity with a document kept before it reaches the threshold, and --removed names "
    "the first such. So no two kept documents "
    "that were compared are duplicates of each other, every removed one is a checked duplicate of "
    "a kept one, and nothing is joined by a "
    "chain.\n\n"
    "Output files are written under a temporary name, synced and renamed: all of them, or none. A "
    "file that was there keeps its rights; a symbolic link stays, and "
    "the file behind it is replaced; devices, pipes and /dev/fd/N are written in place. Temporary "
    "files of a run that was killed go with the next run of the same "
    "output. The bytes are the same at any "
    "number of threads and on any machine.";

static const char index_chapter[] =
    "With --index DIR the batch is compared with the documents of an index as well, which come "
    "before all others: what duplicates one of them is "
    "removed, and what is kept joins them, when all outputs are in place. So batches that come one "
    "after the other leave the survivors of one "
    "job over all of them. In an index each document has an id of its own: one that occurs twice, "
    "or is in the index already, is an error (but see "
    "--replace).\n\n"
    "An index that is not there is created, and stays, empty, should the job fail: with the "
    "settings given for similarity and shingles, and with "
    "sketches alone where --verify is none. One that is there keeps its own, and a job with others "
    "is refused.\n\n"
    "A long batch is added in parts. What a run that ended early has added stays in the index, and "
    "the same command given again goes on from there, "
    "to the same end: documents that were added are known by their ids. neardup-index(1) says "
    "more.";

static const char example_chapter[] =
    "  neardup dedup crawl-*.jsonl.zst -o kept.jsonl.zst --removed removed.tsv\n"
    "  neardup dedup --keep max:date --threshold .7 --recall .9999 news.jsonl -o kept.jsonl\n"
    "  neardup dedup ~/notes -o ~/notes-without-copies\n"
    "  zcat a.gz | neardup dedup - --text-field /page/text --json > kept.jsonl 2> summary.json\n"
    "  neardup dedup monday.jsonl --index seen -o new.jsonl\n"
    "  neardup dedup --sketch simhash --k 4 news.jsonl -o kept.jsonl";

static const chapter chapters[] = {{"INPUT", input_chapter},
                                   {"RESULT", result_chapter},
                                   {"SEGMENTS", segment_chapter},
                                   {"SIMHASH", simhash_chapter},
                                   {"SENTENCES", sentences_chapter},
                                   {"INDEX", index_chapter},
                                   {"TABLES", pair_tsv_chapter},
                                   {"EXIT STATUS", exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {"EXAMPLES", example_chapter},
                                   {NULL, NULL}};

/* With the settings given. */
static nd_status create_index(const nd_job_options *job, nd_error *error) {
    nd_index_options options = {job->analyzer,
                                job->ngram,
                                job->threshold,
                                job->recall,
                                job->perms,
                                job->seed,
                                job->verify == ND_VERIFY_NONE};
    return nd_index_create(job->index, &options, error);
}

/* Of one that is there nd_dedup says whether the settings fit; but not whether exact was asked for,
 * which it takes for none where the index has sketches alone. */
static nd_status check_index(const nd_job_options *job, nd_error *error) {
    nd_index *index;
    nd_index_info info;
    nd_status status = nd_index_open(job->index, ND_INDEX_READ, NULL, &index, error);
    if (status != ND_OK) return status;
    nd_index_describe(index, &info);
    nd_index_close(index);
    if (!info.options.sketch_only) return ND_OK;
    snprintf(error->message, sizeof error->message,
             "%s: made with sketches only, so that --verify exact is impossible", job->index);
    return ND_ERR_ARGUMENT;
}

static nd_status dedup(const settings *given, nd_job_summary *summary, nd_error *error) {
    nd_job_options job = given->job;
    sketch_options_take(given, &job);
    bool missing = job.index && access(job.index, F_OK) != 0 && errno == ENOENT;
    bool exact = job.index && flag_is_given(&given->flags, "verify") &&
                 job.verify == ND_VERIFY_EXACT;
    nd_status status = missing ? create_index(&job, error)
                       : exact ? check_index(&job, error)
                               : ND_OK;
    return status == ND_OK ? nd_dedup(&job, summary, error) : status;
}

static int dedup_run(const command *self, settings *given, int count, char **inputs) {
    nd_job_options *job = &given->job;
    if (!job->output) job->output = "-";
    if (!sketch_flags_agree(given)) return EXIT_USAGE;
    job->sync = given->sync ? ND_SYNC_OFF : ND_SYNC_BATCH;
    const char *of_index = job->index ? NULL
                                      : flag_first_given(&given->flags,
                                                         (const char *const[]){"replace", "resume",
                                                                               "sync", NULL});
    if (of_index) {
        complain("--%s: only with --index", of_index);
        return EXIT_USAGE;
    }
    if (job->index && job->analyzer == ND_SEGMENT) {
        complain("--analyzer segment: not with --index, which keeps nothing that depends on ICU's "
                 "version and a dictionary");
        return EXIT_USAGE;
    }
    if (job->index && job->group == ND_GROUP_COMPONENT) {
        complain("--group component: not with --index, whose documents it would join");
        return EXIT_USAGE;
    }
    return job_run(self, given, count, inputs, job->output, dedup);
}

const command dedup_command = {
    .name = "dedup",
    .operands = "INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = inputs_missing,
    .summary = "keep one of each group of near-duplicates",
    .description = "Reads JSON Lines (gzip and Zstandard too; - is standard input) or directories "
                   "of text files and writes what is left when one "
                   "of each group of near-duplicates is kept.",
    .groups = groups,
    .chapters = chapters,
    .summary_of = SUMMARY_DEDUP,
    .run = dedup_run,
};
