/* neardup substrings: documents without the stretches that repeat. */
#include "commands/command_names.h"
#include "commands/job_command.h"
#include "flags/input_flags.h"
#include "flags/resource_flags.h"
#include "manual/chapters.h"
#include "output/complain.h"

#include <limits.h>
#include <string.h>

typedef struct repeat_settings {
    uint32_t min;        /* bytes; 0: not given */
    uint32_t min_tokens; /* 0: not given */
    nd_repeats_kept keep;
    nd_cut_at cut_at;
    uint32_t drop_below, passes;
} repeat_settings;

typedef struct source_settings {
    const char *source; /* NULL: not given */
} source_settings;

typedef struct substrings_settings {
    cut_output_settings output;
    bool list;
    report_settings report;
    repeat_settings repeats;
    source_settings source;
    input_settings input;
    resource_settings resources;
} substrings_settings;

static const flag list_list[] = {
    {.name = "list",
     .kind = FLAG_SWITCH,
     .offset = 0,
     .help = "write the table of --removed to OUT, in place of the documents"},
};
static const flag_table list_flags = FLAG_TABLE("Output", list_list);

static const flag repeat_list[] = {
    {.name = "min",
     .kind = FLAG_COUNT,
     .argument = "BYTES",
     .low = ND_SUBSTRINGS_LEAST,
     .high = ND_SUBSTRINGS_MOST,
     .offset = offsetof(repeat_settings, min),
     .fallback = "100",
     .help = "least length of a stretch, in bytes of UTF-8"},
    {.name = "min-tokens",
     .kind = FLAG_COUNT,
     .argument = "N",
     .low = ND_SUBSTRINGS_TOKENS_LEAST,
     .high = ND_SUBSTRINGS_MOST,
     .offset = offsetof(repeat_settings, min_tokens),
     .help = "compare words in place of bytes, whatever their case, spaces and punctuation are, "
             "and cut stretches of at least N of them; in scripts without spaces a word is a "
             "character"},
    {.name = "keep",
     .kind = FLAG_CHOICE,
     .choices = "first|none",
     .offset = offsetof(repeat_settings, keep),
     .help = "which of several equal stretches stay; first: the first one in the order of input; "
             "none"},
    {.name = "cut-at",
     .kind = FLAG_CHOICE,
     .choices = "character|word|line|sentence",
     .offset = offsetof(repeat_settings, cut_at),
     .help = "cut what lies as a whole within a stretch: its characters, words, lines or "
             "sentences"},
    {.name = "drop-below",
     .kind = FLAG_COUNT,
     .argument = "N",
     .low = 0,
     .high = UINT32_MAX,
     .offset = offsetof(repeat_settings, drop_below),
     .help = "leave out documents that were cut and have fewer than N words left"},
    {.name = "passes",
     .kind = FLAG_COUNT,
     .argument = "N",
     .low = 0,
     .high = UINT32_MAX,
     .offset = offsetof(repeat_settings, passes),
     .help = "search again what is left, up to N times in all, since a cut may join two pieces to "
             "one that repeats; 0: until nothing is cut"},
};
static const flag_table repeat_flags = FLAG_TABLE("Repeats", repeat_list);

static const flag source_list[] = {
    {.name = "in",
     .kind = FLAG_INPUT,
     .argument = "SOURCE",
     .offset = offsetof(source_settings, source),
     .help = "cut only stretches that are also in this other input, such as a benchmark whose "
             "items must not be in a training set; it is read as an INPUT is"},
};
static const flag_table source_flags = FLAG_TABLE("Input", source_list);

static const flag_group groups[] = {FLAG_GROUP(substrings_settings, output, cut_output_flags),
                                    FLAG_GROUP(substrings_settings, list, list_flags),
                                    FLAG_GROUP(substrings_settings, report, report_flags),
                                    FLAG_GROUP(substrings_settings, repeats, repeat_flags),
                                    FLAG_GROUP(substrings_settings, source, source_flags),
                                    FLAG_GROUP(substrings_settings, input, input_flags),
                                    FLAG_GROUP(substrings_settings, resources, memory_flags),
                                    FLAG_GROUP(substrings_settings, resources, work_flags),
                                    FLAG_GROUP(substrings_settings, resources, threads_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    substrings_settings *s = settings;
    nd_substrings_options options;
    nd_substrings_options_init(&options, sizeof options);
    s->repeats = (repeat_settings){.drop_below = options.drop_below, .passes = options.passes};
    input_settings_init(&s->input);
    resource_settings_init(&s->resources);
}

/* job_fn */
static nd_status cut_substrings(command_job *j, nd_job_summary *summary, nd_error *error) {
    const substrings_settings *s = j->call->settings;
    const repeat_settings *r = &s->repeats;
    nd_input_options source = j->input;
    nd_substrings_options options;
    nd_substrings_options_init(&options, sizeof options);
    source.inputs = &s->source.source;
    source.input_count = 1;
    source.files_from = NULL;
    if (r->min) options.least = r->min;
    options.input = &j->input;
    options.least_tokens = r->min_tokens;
    options.keep = r->keep;
    options.cut_at = r->cut_at;
    options.drop_below = s->list ? 0 : r->drop_below;
    options.passes = r->passes;
    options.resources = &j->resources;
    options.source = s->source.source ? &source : NULL;
    options.output = s->list ? NULL : j->output;
    options.removed = s->list ? j->output : s->output.removed;
    return nd_substrings(&options, NULL, NULL, summary, error);
}

/* Whether standard input is an INPUT and the source, too. */
static bool reads_twice(const invocation *call, const char *source) {
    bool input = false;
    for (int i = 0; i < call->count; i++) input |= strcmp(call->operands[i], "-") == 0;
    return input && source && strcmp(source, "-") == 0;
}

/* Whether the flags fit to each other. False: reported. */
static bool flags_agree(const invocation *call) {
    const substrings_settings *s = call->settings;
    const repeat_settings *r = &s->repeats;
    if (reads_twice(call, s->source.source))
        complain("--in -: standard input is an INPUT or the source, not both");
    else if (r->min && r->min_tokens) complain("--min and --min-tokens: only one of them");
    else if (s->list && s->output.removed) complain("--list and --removed: only one of them");
    else if (s->source.source && r->keep == ND_REPEATS_KEEP_NONE)
        complain("--keep none: not with --in, which keeps none of INPUT");
    else if (s->source.source && r->passes != 1) complain("--passes: not with --in");
    else return true;
    return false;
}

static int run(const invocation *call) {
    const substrings_settings *s = call->settings;
    const table_settings tables = {.removed = s->output.removed};
    command_job j = {.call = call,
                     .run = cut_substrings,
                     .report = &s->report,
                     .inputs = call->operands,
                     .input_count = call->count,
                     .tables = &tables,
                     .source = s->source.source,
                     .output = s->output.output ? s->output.output : "-"};
    if (!flags_agree(call)) return EXIT_USAGE;
    j.input = input_options_of(&s->input);
    j.resources = resources_of(&s->resources);
    return job_run(&j);
}

/* ---- the manual */

static const char result_chapter[] =
    "The documents in the order of input, each without the stretches of at least --min bytes (or "
    "--min-tokens words) that occur more than once, in one text or in several. The first one "
    "stays. Records of JSON Lines and CSV keep all their other bytes; those of JSON become JSON "
    "Lines. Texts of directories go to files of the same names, if the name of --output ends with "
    "a slash. All other documents become JSON Lines of id and text.\n\n"
    "Of a stretch, whole characters are cut; with --cut-at whole words, lines or sentences. A "
    "stretch may overlap its own first occurrence, as in a text that is one word a thousand times: "
    "then the cut begins behind that occurrence.\n\n"
    "A document that was cut and has fewer than --drop-below words left is left out.\n\n"
    "With --in the INPUTs are compared with SOURCE alone: all is cut that is also in a document of "
    "SOURCE. The other way round, neardup substrings benchmark.jsonl --in train.jsonl --list lists "
    "which items of the benchmark are in the training set, and where.\n\n"
    "Each row of --removed and --list is a stretch: bytes [begin, end) of the text of the document "
    "id, from 0, repeat those from source_begin on of the document source, the first one that has "
    "them; with --keep none the source of the first one is one of the others. Stretches of one "
    "document may overlap, if their sources differ; what is cut is their union. With --passes the "
    "rows of one pass stand behind those of the pass before, and all offsets are those of the "
    "whole texts. A row without source is a document that was left out.";

static const char memory_chapter[] =
    "--memory holds the texts and the tables of the search, as far as it goes; the rest is in "
    "temporary files of up to three times the texts, with --min-tokens six times, and of 60 times "
    "a "
    "text that is one character or two by turns. All texts together may have a terabyte "
    "(2^40 bytes).";

static const chapter chapters[] = {{"INPUT", repeated_ids_input_chapter},
                                   {"RESULT", result_chapter},
                                   {"TABLES", tsv_chapter},
                                   {"MEMORY", memory_chapter},
                                   {"EXIT STATUS", whole_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {NULL, NULL}};

const command substrings_command = {
    .name = "substrings",
    .operands = "INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = inputs_missing,
    .summary = "documents without the stretches that repeat",
    .description = "Cuts every stretch of a text that is also elsewhere in the texts of all "
                   "INPUTs, however long or short the rest is that the texts share.",
    .examples = "neardup substrings articles.jsonl -o cut.jsonl --removed removed.tsv\n"
                "neardup substrings articles.jsonl --in library.jsonl --min 50 --list\n",
    .chapters = chapters,
    .summary_of = SUMMARY_SUBSTRINGS,
    .groups = groups,
    .settings_size = sizeof(substrings_settings),
    .init = init,
    .run = run,
};
