/* neardup dedup: keep one of each group of near-duplicates. */
#include "complain.h"
#include "job_command.h"

#include <limits.h>
#include <string.h>

static const flag survivor_flags[] = {
    {.name = "keep",
     .kind = FLAG_CHOICE,
     .choices = "first|longest|max:FIELD|min:FIELD",
     .offset = SETTING(job.keep),
     .detail = SETTING(job.keep_field),
     .help = "which document stays; FIELD is a number, or an ISO 8601 date in a string"},
    {.name = "group",
     .kind = FLAG_CHOICE,
     .choices = "greedy|component",
     .offset = SETTING(job.group),
     .help = "greedy removes what duplicates a kept document; component keeps one of all that are joined by a chain of duplicates"},
};

static const flag output_flags[] = {
    {.name = "output",
     .letter = 'o',
     .kind = FLAG_OUTPUT,
     .argument = "OUT",
     .offset = SETTING(job.output),
     .fallback = "standard output",
     .help = "the kept records, byte for byte and in the order of input; .gz and .zst compress; a directory where the input is directories, whose "
             "kept paths go to standard output otherwise"},
    {.name = "removed",
     .kind = FLAG_FILE,
     .argument = "FILE",
     .offset = SETTING(job.removed),
     .help = "what was removed and why; a table of id, kept, jaccard, intersection, union"},
    {.name = "clusters",
     .kind = FLAG_FILE,
     .argument = "FILE",
     .offset = SETTING(job.clusters),
     .help = "one line a document; a table of id, cluster (the kept document's id), kept (1 or 0)"},
    {.name = "edges",
     .kind = FLAG_FILE,
     .argument = "FILE",
     .offset = SETTING(job.edges),
     .help = "every pair that was decided as a duplicate; a table of id_a, id_b, jaccard"},
    REPORT_FLAGS,
};

static const flag_group survivor_group = {"Survivors", survivor_flags, sizeof survivor_flags / sizeof *survivor_flags};
static const flag_group output_group = {"Output", output_flags, sizeof output_flags / sizeof *output_flags};
static const flag_group *const groups[] = {&output_group,   &input_group, &similarity_group, &comparison_group,
                                           &survivor_group, &means_group, &help_group,       NULL};

static const char result_chapter[] =
    "Documents are taken in order of priority: as they come (--keep first), the longest text first, or by a field. One is removed exactly "
    "when its similarity with a document kept before it reaches the threshold, and --removed names the first such. So no two kept documents "
    "that were compared are duplicates of each other, every removed one is a checked duplicate of a kept one, and nothing is joined by a "
    "chain.\n\n"
    "Output files are written under a temporary name, synced and renamed: there is a whole file, or none. The bytes are the same at any "
    "number of threads and on any machine.";

static const char example_chapter[] = "  neardup dedup crawl-*.jsonl.zst -o kept.jsonl.zst --removed removed.tsv\n"
                                      "  neardup dedup --keep max:date --threshold .7 --recall .9999 news.jsonl -o kept.jsonl\n"
                                      "  neardup dedup ~/notes -o ~/notes-without-copies\n"
                                      "  zcat a.gz | neardup dedup - --text-field /page/text --json > kept.jsonl 2> summary.json";

static const chapter chapters[] = {{"INPUT", input_chapter},
                                   {"RESULT", result_chapter},
                                   {"TABLES", tsv_chapter},
                                   {"EXIT STATUS", exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {"EXAMPLES", example_chapter},
                                   {NULL, NULL}};

/* Two outputs of one name would overwrite each other. */
static bool outputs_differ(const nd_job_options *job) {
    const struct {
        const char *flag, *path;
    } outputs[] = {{"--output", job->output}, {"--removed", job->removed}, {"--clusters", job->clusters}, {"--edges", job->edges}};
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < i; j++) {
            if (!outputs[i].path || !outputs[j].path || strcmp(outputs[i].path, outputs[j].path) != 0) continue;
            complain("%s and %s name the same file: %s", outputs[j].flag, outputs[i].flag, outputs[i].path);
            return false;
        }
    }
    return true;
}

static int dedup_run(const command *self, settings *given, int count, char **inputs) {
    if (!given->job.output) given->job.output = "-";
    if (!outputs_differ(&given->job)) return EXIT_USAGE;
    return job_run(self, given, count, inputs, given->job.output, nd_dedup);
}

const command dedup_command = {
    .name = "dedup",
    .operands = "INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = inputs_missing,
    .summary = "keep one of each group of near-duplicates",
    .description = "Reads JSON Lines (gzip and Zstandard too; - is standard input) or directories of text files and writes what is left when one "
                   "of each group of near-duplicates is kept.",
    .groups = groups,
    .chapters = chapters,
    .summary_keys = true,
    .run = dedup_run,
};
