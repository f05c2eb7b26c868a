/* neardup lines: documents without the lines that repeat. */
#include "commands/command_names.h"
#include "commands/job_command.h"
#include "flags/input_flags.h"
#include "flags/resource_flags.h"
#include "manual/chapters.h"
#include "output/complain.h"

#include <limits.h>

typedef struct repeat_settings {
    nd_text_unit_kind unit;
    nd_units_same same;
    nd_repeats_kept keep;
    uint32_t min_words, drop_below;
    uint64_t more_than; /* 0: not given */
    bool across, by_host;
} repeat_settings;

typedef struct lines_settings {
    cut_output_settings output;
    report_settings report;
    const char *index; /* NULL: none */
    repeat_settings repeats;
    input_settings input;
    resource_settings resources;
} lines_settings;

static const flag index_list[] = {
    {.name = "index",
     .kind = FLAG_DIRECTORY,
     .argument = "DIR",
     .offset = 0,
     .help = "cut the lines of this index, too, and add all other lines to it; it is created if it "
             "does not exist; with --keep first, and always the same --unit, --same and "
             "--min-words"},
};
static const flag_table index_flags = FLAG_TABLE("Index", index_list);

static const flag repeat_list[] = {
    {.name = "unit",
     .kind = FLAG_CHOICE,
     .choices = "line|paragraph|sentence",
     .offset = offsetof(repeat_settings, unit),
     .help = "what is compared; line; paragraph: lines up to an empty one; sentence"},
    {.name = "same",
     .kind = FLAG_CHOICE,
     .choices = "bytes|words",
     .offset = offsetof(repeat_settings, same),
     .help = "which units are equal; bytes: as they are; words: those with the same words, "
             "whatever their case, spaces and punctuation are"},
    {.name = "min-words",
     .kind = FLAG_COUNT,
     .argument = "N",
     .low = 1,
     .high = UINT32_MAX,
     .offset = offsetof(repeat_settings, min_words),
     .help = "units with fewer words stay; in scripts without spaces a word is a character"},
    {.name = "keep",
     .kind = FLAG_CHOICE,
     .choices = "first|none",
     .offset = offsetof(repeat_settings, keep),
     .help = "which of equal units stay; first: the first one in the order of input; none: none "
             "of those in more than --more-than documents"},
    {.name = "more-than",
     .kind = FLAG_NUMBER,
     .argument = "N",
     .low = 1,
     .high = INT_MAX,
     .offset = offsetof(repeat_settings, more_than),
     .fallback = "1",
     .help = "with --keep none, cut units that are in more than N documents"},
    {.name = "by-host",
     .kind = FLAG_SWITCH,
     .offset = offsetof(repeat_settings, by_host),
     .help = "with --keep none, count documents of one host only; the host is that of the URL of a "
             "web archive's record, or of the id"},
    {.name = "across",
     .kind = FLAG_SWITCH,
     .offset = offsetof(repeat_settings, across),
     .help = "with --keep first, keep units that repeat one of the same document"},
    {.name = "drop-below",
     .kind = FLAG_COUNT,
     .argument = "N",
     .low = 0,
     .high = UINT32_MAX,
     .offset = offsetof(repeat_settings, drop_below),
     .help = "leave out documents that were cut and have fewer than N words left"},
};
static const flag_table repeat_flags = FLAG_TABLE("Repeats", repeat_list);

static const flag_group groups[] = {FLAG_GROUP(lines_settings, output, cut_output_flags),
                                    FLAG_GROUP(lines_settings, report, report_flags),
                                    FLAG_GROUP(lines_settings, index, index_flags),
                                    FLAG_GROUP(lines_settings, repeats, repeat_flags),
                                    FLAG_GROUP(lines_settings, input, input_flags),
                                    FLAG_GROUP(lines_settings, resources, memory_flags),
                                    FLAG_GROUP(lines_settings, resources, work_flags),
                                    FLAG_GROUP(lines_settings, resources, threads_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    lines_settings *s = settings;
    nd_lines_options options;
    nd_lines_options_init(&options, sizeof options);
    s->repeats = (repeat_settings){.min_words = options.min_words,
                                   .drop_below = options.drop_below};
    input_settings_init(&s->input);
    resource_settings_init(&s->resources);
}

/* job_fn */
static nd_status cut_lines(command_job *j, nd_job_summary *summary, nd_error *error) {
    const lines_settings *s = j->call->settings;
    const repeat_settings *r = &s->repeats;
    const nd_lines_options options = {.struct_size = sizeof options,
                                      .input = &j->input,
                                      .unit = r->unit,
                                      .same = r->same,
                                      .keep = r->keep,
                                      .min_words = r->min_words,
                                      .drop_below = r->drop_below,
                                      .across = r->across,
                                      .by_host = r->by_host,
                                      .more_than = r->more_than ? r->more_than : 1,
                                      .output = j->output,
                                      .removed = s->output.removed,
                                      .resources = &j->resources,
                                      .index = s->index};
    return nd_lines(&options, summary, error);
}

/* Whether each given flag has an effect. False: reported. */
static bool repeats_agree(const lines_settings *s) {
    const repeat_settings *r = &s->repeats;
    bool none = r->keep == ND_REPEATS_KEEP_NONE;
    if (!none && (r->more_than > 0 || r->by_host))
        complain("--%s: only with --keep none", r->by_host ? "by-host" : "more-than");
    else if (none && r->across) complain("--across: only with --keep first");
    else if (none && s->index)
        complain("--index: only with --keep first: it knows which lines came first, not in how "
                 "many documents they are");
    else return true;
    return false;
}

static int run(const invocation *call) {
    const lines_settings *s = call->settings;
    const table_settings tables = {.removed = s->output.removed};
    command_job j = {.call = call,
                     .run = cut_lines,
                     .report = &s->report,
                     .inputs = call->operands,
                     .input_count = call->count,
                     .tables = &tables,
                     .output = s->output.output ? s->output.output : "-"};
    if (!repeats_agree(s)) return EXIT_USAGE;
    j.input = input_options_of(&s->input);
    j.resources = resources_of(&s->resources);
    return job_run(&j);
}

/* ---- the manual */

static const char result_chapter[] =
    "The documents in the order of input, each without its repeated lines (or paragraphs, or "
    "sentences) and the line breaks behind them. Records of JSON Lines and CSV keep all their "
    "other "
    "bytes; those of JSON become JSON Lines. Texts of directories go to files of the same names, "
    "if "
    "the name of --output ends with a slash. All other documents become JSON Lines of id and "
    "text.\n\n"
    "A document that was cut and has fewer than --drop-below words left is left out, with lines of "
    "it that others repeat. --drop-below 0 keeps all documents.\n\n"
    "Each row of --removed is a line that was cut: bytes [begin, end) of the text of the document "
    "id. The document source has the first equal line at source_begin; with --keep none the source "
    "of the first one is the second one. A row without source is a document that was left out. "
    "With "
    "--index a source of an earlier run has its id alone, without place and file.";

static const char index_chapter[] =
    "The first run with --index DIR makes the index; later runs cut the lines that are in it, and "
    "add their own. So runs over the parts of a corpus, one by one, write the same texts as one "
    "run "
    "over all. The index has 16 bytes per different line, and the ids of the documents. One "
    "process "
    "at a time can use it. It grows once the outputs have their names, so that a run that did not "
    "end is simply repeated.";

static const char hashes_chapter[] =
    "Units are compared by 88 bits of a hash. Among 10^9 different ones, the chance that any two "
    "have the same hash is below 10^-8, if nobody makes them so.";

static const chapter chapters[] = {{"INPUT", repeated_ids_input_chapter},
                                   {"RESULT", result_chapter},
                                   {"INDEX", index_chapter},
                                   {"EXACTNESS", hashes_chapter},
                                   {"TABLES", tsv_chapter},
                                   {"EXIT STATUS", whole_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {NULL, NULL}};

const command lines_command = {
    .name = "lines",
    .operands = "INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = inputs_missing,
    .summary = "documents without the lines that repeat",
    .description = "Cuts lines, paragraphs or sentences that occur more than once in the texts of "
                   "all INPUTs: all but the first one, or all that are in many documents, such as "
                   "menus and notices.",
    .examples = "neardup lines articles.jsonl -o cut.jsonl --removed removed.tsv\n"
                "neardup lines --index lines monday.jsonl -o monday-cut.jsonl\n"
                "neardup lines notes --unit paragraph --same words -o cut/\n",
    .chapters = chapters,
    .summary_of = SUMMARY_LINES,
    .groups = groups,
    .settings_size = sizeof(lines_settings),
    .init = init,
    .run = run,
};
