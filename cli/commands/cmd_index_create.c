/* neardup index create: makes an empty index of documents. */
#include "commands/command_names.h"
#include "commands/index_command.h"
#include "flags/output_flags.h"
#include "flags/similarity_flags.h"
#include "flags/text_flags.h"
#include "manual/chapters.h"
#include "output/complain.h"

enum { STORE_EXACT, STORE_SKETCH };

typedef struct store_settings {
    unsigned store;
} store_settings;

typedef struct index_create_settings {
    similarity_settings similarity;
    text_settings text;
    store_settings store;
    report_settings report;
} index_create_settings;

static const flag store_list[] = {
    {.name = "store",
     .kind = FLAG_CHOICE,
     .choices = "exact|sketch",
     .offset = offsetof(store_settings, store),
     .help = "what the index keeps of a document; exact: its shingle set and its sketch; sketch: "
             "the sketch alone, in half the bytes, and similarities are estimates"},
};

static const flag_table store_flags = FLAG_TABLE("Storage", store_list);

static const flag_group groups[] = {FLAG_GROUP(index_create_settings, similarity, similarity_flags),
                                    FLAG_GROUP(index_create_settings, text, stored_token_flags),
                                    FLAG_GROUP(index_create_settings, text, shingle_flags),
                                    FLAG_GROUP(index_create_settings, text, seed_flags),
                                    FLAG_GROUP(index_create_settings, store, store_flags),
                                    FLAG_GROUP(index_create_settings, report, quiet_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    index_create_settings *s = settings;
    similarity_settings_init(&s->similarity);
    text_settings_init(&s->text);
}

static int run(const invocation *call) {
    const index_create_settings *s = call->settings;
    nd_plan plan;
    nd_error error;
    if (!similarity_plan(&s->similarity, &plan)) return EXIT_USAGE;
    const nd_analyzer_options analyzer = analyzer_options_of(&s->text);
    const nd_index_options options = {.struct_size = sizeof options,
                                      .analyzer = &analyzer,
                                      .threshold = s->similarity.threshold,
                                      .recall = s->similarity.recall,
                                      .perms = s->similarity.perms,
                                      .sketch_only = s->store.store == STORE_SKETCH};
    if (nd_index_create(call->operands[0], &options, &error) != ND_OK) {
        complain("%s", error.message);
        return EXIT_FAILED;
    }
    if (!s->report.quiet)
        announce("%s: created, %u bands x %u rows of %u permutations", call->operands[0],
                 (unsigned)plan.bands, (unsigned)plan.rows, (unsigned)plan.perms);
    return EXIT_DONE;
}

static const char result_chapter[] =
    "The directory is created; it may already exist if it is empty. The settings hold for all "
    "documents that are added later, and cannot be changed. neardup-plan(1) shows how a threshold "
    "and a recall are reached.";

static const chapter chapters[] = {
    {"RESULT", result_chapter}, {"EXIT STATUS", index_change_exit_chapter}, {NULL, NULL}};

const command index_create_command = {
    .name = "index create",
    .operands = "DIR",
    .operand = OPERAND_DIRECTORY,
    .operands_least = 1,
    .operands_most = 1,
    .missing = index_missing,
    .summary = "an empty index, with the settings for all documents",
    .description = "Creates an empty index of documents in the directory DIR.",
    .examples = "neardup index create new\n"
                "neardup index create letters --threshold .6 --analyzer chars --ngram 12\n",
    .chapters = chapters,
    .groups = groups,
    .settings_size = sizeof(index_create_settings),
    .init = init,
    .run = run,
};
