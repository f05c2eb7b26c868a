/* neardup hamming build, neardup hamming add: fingerprints of a file into an index. */
#include "output/complain.h"
#include "commands/hamming_command.h"

static const flag design_flags[] = {
    BITS_FLAG(NULL),
    K_FLAG("3", "the largest distance that queries will ask for; at most a quarter of the bits"),
    {.name = "memory",
     .kind = FLAG_SIZE,
     .argument = "SIZE",
     .low = 64 << 20,
     .offset = SETTING(hamming.memory),
     .fallback = "1G to build, no limit for the tables",
     .help = "bytes that the tables of a query may take, and that building them takes"},
};

static const flag batch_flags[] = {
    {.name = "replace",
     .kind = FLAG_SWITCH,
     .offset = SETTING(job.replace),
     .help = "a fingerprint whose id the index has takes the place of that one; without this it is "
             "an error"},
    SYNC_FLAG,
};

static const flag memory_flags[] = {
    {.name = "memory",
     .kind = FLAG_SIZE,
     .argument = "SIZE",
     .low = 64 << 20,
     .offset = SETTING(job.memory),
     .help = "bytes that building tables takes"},
};

static const flag_group design_group = FLAG_GROUP("Index", design_flags);
static const flag_group batch_group_here = FLAG_GROUP("Index", batch_flags);
static const flag_group memory_group = FLAG_GROUP("Means", memory_flags);

/* ---- build */

static nd_status build(const settings *given, nd_job_summary *summary, nd_error *error) {
    nd_job_options job = given->job;
    if (given->hamming.memory) job.memory = given->hamming.memory;
    return nd_hamming_build(job.index, &given->hamming, &given->fingerprints, &job, summary, error);
}

static int build_run(const command *self, settings *given, int count, char **operands) {
    hamming_take_file(given, operands[1]);
    given->job.index = operands[0];
    given->hamming.bits = 16u << given->bits;
    given->hamming.numbered = given->format != 0;
    if (given->k != UINT32_MAX) given->hamming.k = given->k;
    if (given->hamming.k > given->hamming.bits / 4) {
        complain("--k: must be 0 to %u for %u bits", (unsigned)given->hamming.bits / 4,
                 (unsigned)given->hamming.bits);
        return EXIT_USAGE;
    }
    return job_run(self, given, count - 1, operands + 1, NULL, build);
}

static const char build_chapter[] =
    "The directory is made, or may be there, with no index in it. All fingerprints go into tables "
    "for distances up to k; on failure there is no index. An id that comes twice is an "
    "error. With --memory the tables are of a kind that fits, if there is one: neardup hamming "
    "plan shows them.";

static const char build_example_chapter[] =
    "  neardup hamming build seen articles.tsv\n"
    "  neardup hamming build prints crawl.u64 --format u64 --k 6 --memory 4G";

static const chapter build_chapters[] = {{"FINGERPRINTS", hamming_file_chapter},
                                         {"RESULT", build_chapter},
                                         {"EXIT STATUS", index_change_exit_chapter},
                                         {"EXAMPLES", build_example_chapter},
                                         {NULL, NULL}};

static const flag_group *const build_groups[] = {
    &hamming_format_group, &design_group, &report_group, &quiet_group, &help_group, NULL};

const command hamming_build_command = {
    .name = "hamming build",
    .operands = "DIR FINGERPRINTS",
    .operand = OPERAND_PATH,
    .operands_least = 2,
    .operands_most = 2,
    .missing = hamming_missing,
    .summary = "an index of the fingerprints of a file",
    .description = "Makes in the directory DIR an index of all fingerprints of a file.",
    .groups = build_groups,
    .chapters = build_chapters,
    .summary_of = SUMMARY_LOAD,
    .run = build_run,
};

/* ---- add */

static nd_status add(const settings *given, nd_job_summary *summary, nd_error *error) {
    nd_index *index;
    nd_status status = nd_index_open(given->job.index, ND_INDEX_WRITE, NULL, &index, error);
    if (status != ND_OK) return status;
    nd_index_set_sync(index, given->sync ? ND_SYNC_OFF : ND_SYNC_EACH);
    status = nd_hamming_load(index, &given->fingerprints, &given->job, summary, error);
    nd_index_close(index);
    return status;
}

static int add_run(const command *self, settings *given, int count, char **operands) {
    hamming_take_file(given, operands[1]);
    given->job.index = operands[0];
    return job_run(self, given, count - 1, operands + 1, NULL, add);
}

static const char add_chapter[] =
    "All fingerprints of the file are added, or, on failure, none. Up to a thousand go to the log, "
    "more of them into tables at once. An id that the index has already is an error, "
    "unless --replace is given; one that comes twice in the file always is. Where ids are numbers "
    "they ascend, and positions go on behind the highest that is there.";

static const char add_example_chapter[] =
    "  neardup simhash today.jsonl | neardup hamming add seen -\n"
    "  neardup hamming add prints more.u64 --format u64";

static const chapter add_chapters[] = {{"FINGERPRINTS", hamming_file_chapter},
                                       {"RESULT", add_chapter},
                                       {"EXIT STATUS", index_change_exit_chapter},
                                       {"EXAMPLES", add_example_chapter},
                                       {NULL, NULL}};

static const flag_group *const add_groups[] = {
    &hamming_format_group, &batch_group_here, &memory_group, &report_group,
    &quiet_group,          &help_group,       NULL};

const command hamming_add_command = {
    .name = "hamming add",
    .operands = "DIR FINGERPRINTS",
    .operand = OPERAND_PATH,
    .operands_least = 2,
    .operands_most = 2,
    .missing = hamming_missing,
    .summary = "add the fingerprints of a file",
    .description = "Adds all fingerprints of a file to the index DIR.",
    .groups = add_groups,
    .chapters = add_chapters,
    .summary_of = SUMMARY_LOAD,
    .run = add_run,
};
