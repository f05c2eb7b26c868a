/* neardup substrings: the stretches of texts that occur more than once. */
#include "commands/command_names.h"
#include "commands/job_command.h"
#include "flags/input_flags.h"
#include "flags/resource_flags.h"
#include "manual/chapters.h"
#include "output/complain.h"
#include "output/escape.h"
#include "output/results.h"

#include <limits.h>
#include <string.h>

typedef struct stretch_settings {
    uint32_t min; /* bytes */
    nd_repeats_wanted wanted;
} stretch_settings;

typedef struct source_settings {
    const char *source; /* NULL: not given */
} source_settings;

typedef struct substrings_settings {
    source_settings source;
    result_settings result;
    report_settings report;
    stretch_settings stretch;
    input_settings input;
    resource_settings resources;
} substrings_settings;

static const flag source_list[] = {
    {.name = "in",
     .kind = FLAG_INPUT,
     .argument = "SOURCE",
     .offset = offsetof(source_settings, source),
     .help = "list only stretches that are also in this other input, such as a benchmark whose "
             "items must not be in a training set; it is read as an INPUT is"},
};
static const flag_table source_flags = FLAG_TABLE("Input", source_list);

static const flag stretch_list[] = {
    {.name = "min",
     .kind = FLAG_COUNT,
     .argument = "BYTES",
     .low = ND_SUBSTRINGS_LEAST,
     .high = ND_SUBSTRINGS_MOST,
     .offset = offsetof(stretch_settings, min),
     .help = "least length of a stretch, in bytes of UTF-8"},
    {.name = "list",
     .kind = FLAG_CHOICE,
     .choices = "later|all",
     .offset = offsetof(stretch_settings, wanted),
     .help = "which of several equal stretches are listed; later: all but the first one in the "
             "order of input; all: the first one, too"},
};
static const flag_table stretch_flags = FLAG_TABLE("Stretches", stretch_list);

static const flag_group groups[] = {FLAG_GROUP(substrings_settings, result, result_flags),
                                    FLAG_GROUP(substrings_settings, report, report_flags),
                                    FLAG_GROUP(substrings_settings, stretch, stretch_flags),
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
    s->stretch = (stretch_settings){.min = options.least, .wanted = options.wanted};
    input_settings_init(&s->input);
    resource_settings_init(&s->resources);
}

/* ---- results */

static void print_row(FILE *out, const nd_repeated_stretch *s) {
    print_table_text(out, s->id, s->id_length);
    fprintf(out, "\t%llu\t%llu\t", (unsigned long long)s->begin, (unsigned long long)s->end);
    print_table_text(out, s->source_id, s->source_id_length);
    fprintf(out, "\t%llu\t", (unsigned long long)s->source_begin);
    print_table_text(out, s->file, strlen(s->file));
    fprintf(out, "\t%llu\t", (unsigned long long)s->line);
    print_table_text(out, s->source_file, strlen(s->source_file));
    fprintf(out, "\t%llu\n", (unsigned long long)s->source_line);
}

static void print_object(FILE *out, const nd_repeated_stretch *s) {
    fputs("{\"id\":", out);
    print_json_text(out, s->id, s->id_length);
    fprintf(out, ",\"begin\":%llu,\"end\":%llu,\"source\":", (unsigned long long)s->begin,
            (unsigned long long)s->end);
    print_json_text(out, s->source_id, s->source_id_length);
    fprintf(out, ",\"source_begin\":%llu,\"file\":", (unsigned long long)s->source_begin);
    print_json_text(out, s->file, strlen(s->file));
    fprintf(out, ",\"line\":%llu,\"source_file\":", (unsigned long long)s->line);
    print_json_text(out, s->source_file, strlen(s->source_file));
    fprintf(out, ",\"source_line\":%llu}\n", (unsigned long long)s->source_line);
}

typedef struct printer {
    bool json;
    results results;
} printer;

/* nd_substrings_fn; `context` is the printer. */
static bool print_stretch(void *context, const nd_repeated_stretch *stretch) {
    printer *p = context;
    results_begin(&p->results);
    (p->json ? print_object : print_row)(p->results.out, stretch);
    return results_go_on(&p->results);
}

/* ---- the job */

/* job_fn */
static nd_status find_substrings(command_job *j, nd_job_summary *summary, nd_error *error) {
    static const char header[] =
        "id\tbegin\tend\tsource\tsource_begin\tfile\tline\tsource_file\tsource_line\n";
    const substrings_settings *s = j->call->settings;
    nd_input_options source = j->input;
    source.inputs = &s->source.source;
    source.input_count = 1;
    source.files_from = NULL;
    const nd_substrings_options options = {.struct_size = sizeof options,
                                           .input = &j->input,
                                           .least = s->stretch.min,
                                           .wanted = s->stretch.wanted,
                                           .resources = &j->resources,
                                           .source = s->source.source ? &source : NULL};
    printer p = {.json = s->result.json};
    nd_status status = results_open(&p.results, j->output, p.json ? NULL : header, error);
    if (status != ND_OK) return status;
    status = nd_substrings(&options, print_stretch, &p, summary, error);
    return results_close(&p.results, status, error);
}

/* False: reported. */
static bool flags_agree(const invocation *call) {
    const substrings_settings *s = call->settings;
    const char *source = s->source.source;
    if (source && s->stretch.wanted == ND_REPEATS_ALL) {
        complain("--list all: not with --in, which lists stretches of the INPUTs alone");
        return false;
    }
    for (int i = 0; source && i < call->count && strcmp(source, "-") == 0; i++) {
        if (strcmp(call->operands[i], "-") != 0) continue;
        complain("--in -: standard input is an INPUT or the source, not both");
        return false;
    }
    return true;
}

static int run(const invocation *call) {
    const substrings_settings *s = call->settings;
    if (!flags_agree(call)) return EXIT_USAGE;
    command_job j = {.call = call,
                     .run = find_substrings,
                     .report = &s->report,
                     .inputs = call->operands,
                     .input_count = call->count,
                     .source = s->source.source,
                     .output = s->result.output ? s->result.output : "-",
                     .result_file = true};
    j.input = input_options_of(&s->input);
    j.resources = resources_of(&s->resources);
    return job_run(&j);
}

/* ---- the manual */

static const char result_chapter[] =
    "Every stretch of at least --min bytes that occurs more than once, in one text or in several, "
    "as it is, byte by byte. Each line of the table is a stretch: the id of its document, begin "
    "and end; source, the id of the document with the first equal stretch, and source_begin; then "
    "the file and line of both. Offsets count bytes of the text from 0; the end is the offset "
    "behind the last byte. Each run of --min bytes in a stretch occurs at the same distance from "
    "source_begin. Stretches of one document may overlap, if their sources differ; what repeats "
    "is their union. An end may lie within a character of several bytes.\n\n"
    "With --in the INPUTs are compared with SOURCE alone: a stretch is listed if it is also in a "
    "document of SOURCE, and source is the first such document. The other way round, neardup "
    "substrings benchmark.jsonl --in train.jsonl lists which items of the benchmark are in the "
    "training set, and where.\n\n"
    "With --list all the first one of several equal stretches is listed, too, with one of the "
    "others as its source. With --json each stretch is an object of the same names.";

static const char memory_chapter[] =
    "--memory holds the texts and the tables of the search, as far as it goes; the rest is in "
    "temporary files of up to three times the texts. All texts together may have a terabyte "
    "(2^40 bytes).";

static const chapter chapters[] = {{"INPUT", repeated_ids_input_chapter},
                                   {"RESULT", result_chapter},
                                   {"TABLES", tsv_chapter},
                                   {"MEMORY", memory_chapter},
                                   {"EXIT STATUS", printed_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {NULL, NULL}};

const command substrings_command = {
    .name = "substrings",
    .operands = "INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = inputs_missing,
    .summary = "the stretches of texts that occur more than once",
    .description = "Finds every stretch of a text that is also elsewhere in the texts of all "
                   "INPUTs, however long or short the rest is that the texts share.",
    .examples = "neardup substrings articles.jsonl -o stretches.tsv\n"
                "neardup substrings articles.jsonl --in library.jsonl --min 50\n",
    .chapters = chapters,
    .summary_of = SUMMARY_SUBSTRINGS,
    .groups = groups,
    .settings_size = sizeof(substrings_settings),
    .init = init,
    .run = run,
};
