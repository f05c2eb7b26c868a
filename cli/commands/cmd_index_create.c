/* neardup index create: an empty index. */
#include "output/complain.h"
#include "commands/index_command.h"
#include "flags/text_flags.h"

static const flag store_flags[] = {
    {.name = "store",
     .kind = FLAG_CHOICE,
     .choices = "exact|sketch",
     .offset = SETTING(store),
     .help = "what is kept of a document; exact keeps its shingle set, sketch the sketch alone, in "
             "half the bytes, and similarities are estimates"},
};

static const flag_group store_group = FLAG_GROUP("Storage", store_flags);
static const flag_group *const groups[] = {
    &similarity_group, &stored_token_group, &shingle_group, &seed_group,
    &store_group,      &quiet_group,        &help_group,    NULL};

static int create_run(const command *self, settings *given, int count, char **operands) {
    (void)self, (void)count;
    const nd_job_options *job = &given->job;
    nd_plan plan;
    nd_error error;
    if (nd_plan_choose(job->threshold, job->recall, job->perms, &plan, &error) != ND_OK) {
        complain("%s", error.message);
        return EXIT_USAGE;
    }
    nd_index_options options = {job->analyzer, job->ngram, job->threshold,   job->recall,
                                job->perms,    job->seed,  given->store == 1};
    if (nd_index_create(operands[0], &options, &error) != ND_OK) {
        complain("%s", error.message);
        return EXIT_FAILED;
    }
    if (!given->quiet)
        announce("%s: created, %u bands x %u rows of %u permutations", operands[0],
                 (unsigned)plan.bands, (unsigned)plan.rows, (unsigned)plan.perms);
    return EXIT_DONE;
}

static const char result_chapter[] =
    "The directory is made, or may be there, with no index in it. The settings are those of all "
    "that is added later, and cannot be changed; "
    "neardup plan shows what a threshold and a recall lead to.";

static const char example_chapter[] =
    "  neardup index create seen\n"
    "  neardup index create seen --threshold .6 --analyzer chars --ngram 12";

static const chapter chapters[] = {{"RESULT", result_chapter},
                                   {"EXIT STATUS", index_change_exit_chapter},
                                   {"EXAMPLES", example_chapter},
                                   {NULL, NULL}};

const command index_create_command = {
    .name = "index create",
    .operands = "DIR",
    .operand = OPERAND_DIRECTORY,
    .operands_least = 1,
    .operands_most = 1,
    .missing = index_missing,
    .summary = "an empty index, with the settings of all that will be added",
    .description = "Makes an index in the directory DIR.",
    .groups = groups,
    .chapters = chapters,
    .run = create_run,
};
