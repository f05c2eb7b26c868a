/* neardup text: the documents of an input, as the other commands see them. */
#include "commands/command_names.h"
#include "commands/job_command.h"
#include "flags/input_flags.h"
#include "flags/resource_flags.h"
#include "manual/chapters.h"
#include "output/escape.h"
#include "output/results.h"

#include <limits.h>

typedef struct text_command_settings {
    result_settings result;
    report_settings report;
    input_settings input;
    resource_settings resources;
} text_command_settings;

static const flag_group groups[] = {FLAG_GROUP(text_command_settings, result, result_file_flags),
                                    FLAG_GROUP(text_command_settings, report, report_flags),
                                    FLAG_GROUP(text_command_settings, input, input_flags),
                                    FLAG_GROUP(text_command_settings, resources, threads_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    text_command_settings *s = settings;
    input_settings_init(&s->input);
    resource_settings_init(&s->resources);
}

static void print_member(FILE *out, const char *name, const char *value, size_t length) {
    if (length == 0) return;
    fprintf(out, ",\"%s\":", name);
    print_json_text(out, value, length);
}

/* nd_text_fn; `context` is the results. */
static bool print_text(void *context, const nd_text *text) {
    results *r = context;
    results_begin(r);
    fputs("{\"id\":", r->out);
    print_json_text(r->out, text->id, text->id_length);
    fputs(",\"text\":", r->out);
    print_json_text(r->out, text->text, text->length);
    print_member(r->out, "url", text->uri, text->uri_length);
    print_member(r->out, "date", text->date, text->date_length);
    fputs("}\n", r->out);
    return results_go_on(r);
}

/* job_fn */
static nd_status print_texts(command_job *j, nd_job_summary *summary, nd_error *error) {
    results r;
    nd_status status = results_open(&r, j->output, NULL, error);
    if (status != ND_OK) return status;
    status = nd_texts(&j->input, print_text, &r, &j->resources, summary, error);
    return results_close(&r, status, error);
}

static int run(const invocation *call) {
    const text_command_settings *s = call->settings;
    command_job j = {.call = call,
                     .run = print_texts,
                     .report = &s->report,
                     .inputs = call->operands,
                     .input_count = call->count,
                     .output = s->result.output ? s->result.output : "-",
                     .result_file = true};
    j.input = input_options_of(&s->input);
    j.resources = resources_of(&s->resources);
    return job_run(&j);
}

static const char result_chapter[] =
    "Each document is a line of JSON with its id and its text, in the order of input. This is the "
    "text that the other commands compare: of a file as a whole, or of the chosen fields. "
    "Documents of web archives also have their "
    "url and date.";

static const chapter chapters[] = {{"INPUT", input_chapter},
                                   {"RESULT", result_chapter},
                                   {"EXIT STATUS", printed_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {NULL, NULL}};

const command text_command = {
    .name = "text",
    .operands = "INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = inputs_missing,
    .summary = "the documents of an input, as JSON Lines",
    .description = "Reads the same inputs as neardup dedup and writes each document as a line of "
                   "JSON with its id and its text.",
    .examples = "neardup text articles.csv --text-field title --text-field body -o articles.jsonl\n"
                "neardup text notes --quiet | head -n 3\n",
    .chapters = chapters,
    .summary_of = SUMMARY_TEXT,
    .groups = groups,
    .settings_size = sizeof(text_command_settings),
    .init = init,
    .run = run,
};
