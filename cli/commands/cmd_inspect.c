/* neardup inspect: what the other commands would take of an input. */
#include "commands/command_names.h"
#include "commands/job_command.h"
#include "flags/input_flags.h"
#include "flags/resource_flags.h"
#include "flags/text_flags.h"
#include "manual/chapters.h"
#include "output/complain.h"
#include "output/escape.h"
#include "output/numbers.h"

#include <limits.h>
#include <string.h>

typedef struct inspect_settings {
    uint32_t records;
    input_settings input;
    text_settings text;
    resource_settings resources;
} inspect_settings;

static const flag sample_list[] = {
    {.name = "records",
     .kind = FLAG_COUNT,
     .argument = "N",
     .low = 0,
     .high = 1000,
     .offset = offsetof(inspect_settings, records),
     .help = "show so many documents, the first ones"},
};
static const flag_table sample_flags = FLAG_TABLE("Result", sample_list);

static const flag_group groups[] = {{.table = &sample_flags, .part = 0},
                                    FLAG_GROUP(inspect_settings, input, input_flags),
                                    FLAG_GROUP(inspect_settings, text, token_flags),
                                    FLAG_GROUP(inspect_settings, resources, threads_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    inspect_settings *s = settings;
    s->records = 3;
    input_settings_init(&s->input);
    text_settings_init(&s->text);
    resource_settings_init(&s->resources);
}

/* Most bytes of a text or value that are shown, and most inputs and tokens. */
enum { SHOWN = 160, SHOWN_VALUE = 60, SHOWN_INPUTS = 10, SHOWN_TOKENS = 24 };

/* Prints the beginning of a text on one line: whole characters. */
static void print_begin(const char *text, size_t length, size_t most) {
    size_t shown = length < most ? length : most;
    while (shown < length && shown > 0 && (text[shown] & 0xC0) == 0x80) shown--;
    print_shown_text(stdout, text, shown);
    if (shown < length) fputs(" ...", stdout);
}

/* ---- inputs */

typedef struct input_list {
    uint64_t count, bytes;
} input_list;

static const char *format_title(const nd_input_info *info) {
    static const char *const titles[] = {[ND_FORMAT_AUTO] = "to be recognised when it is read",
                                         [ND_FORMAT_JSON_LINES] = "JSON Lines",
                                         [ND_FORMAT_JSON] = "JSON",
                                         [ND_FORMAT_CSV] = "CSV",
                                         [ND_FORMAT_TSV] = "TSV",
                                         [ND_FORMAT_TEXT] = "a text",
                                         [ND_FORMAT_WARC] = "WARC",
                                         [ND_FORMAT_PARQUET] = "Parquet"};
    bool known = (size_t)info->format < sizeof titles / sizeof *titles && titles[info->format];
    if (info->directory) return "a directory of texts";
    return known ? titles[info->format] : nd_input_format_name(info->format);
}

/* nd_input_fn; `context` is an input_list. */
static bool print_input(void *context, const nd_input_info *info) {
    input_list *list = context;
    char volume[32];
    list->bytes += info->size;
    if (++list->count > SHOWN_INPUTS) return true;
    fputs("  ", stdout);
    print_shown_text(stdout, info->name, strlen(info->name));
    printf("  %s", format_title(info));
    if (info->encoding) printf(" in %s", info->encoding);
    if (info->size > 0) printf(", %s", number_volume(info->size, volume));
    putchar('\n');
    return true;
}

static nd_status print_inputs(const command_job *j, nd_error *error) {
    input_list list = {0};
    char number[32], volume[32];
    puts("INPUTS");
    nd_status status = nd_inputs(&j->input, print_input, &list, &j->resources, error);
    if (status == ND_OK && list.count > SHOWN_INPUTS)
        printf("  ... %s inputs in all, %s\n", number_grouped(list.count, number),
               number_volume(list.bytes, volume));
    return status;
}

/* ---- fields */

typedef struct field_table {
    const nd_input_options *input;
    bool begun;
} field_table;

/* The part that a field plays. */
static const char *part_of(const nd_input_options *input, const char *name) {
    for (size_t i = 0; i < input->text_field_count; i++)
        if (strcmp(input->text_fields[i], name) == 0) return "  <- text";
    return input->id_field && strcmp(input->id_field, name) == 0 ? "  <- id" : "";
}

/* nd_input_field_fn; `context` is a field_table. */
static bool print_field(void *context, const nd_input_field *field) {
    field_table *table = context;
    if (!table->begun) puts("FIELDS of the first record");
    table->begun = true;
    fputs("  ", stdout);
    print_shown_text(stdout, field->name, strlen(field->name));
    printf("  %s  ", field->kind);
    print_begin(field->value, field->value_length, SHOWN_VALUE);
    puts(part_of(table->input, field->name));
    return true;
}

/* ---- documents */

typedef struct document_list {
    nd_analyzer *analyzer;
    uint32_t wanted, shown;
    uint64_t tokens;
    nd_error failure;
} document_list;

/* nd_token_fn; `context` is a document_list. */
static bool print_token(void *context, const nd_token *token) {
    document_list *list = context;
    if (list->tokens++ < SHOWN_TOKENS) {
        fputs(list->tokens > 1 ? " | " : "    tokens: ", stdout);
        print_begin(token->text, token->length, SHOWN_VALUE);
    }
    return true;
}

/* nd_text_fn; `context` is a document_list. */
static bool print_document(void *context, const nd_text *text) {
    document_list *list = context;
    char number[32], bytes[32];
    fputs("  ", stdout);
    print_begin(text->id, text->id_length, SHOWN);
    printf("  %s bytes\n    text: ", number_grouped(text->length, bytes));
    print_begin(text->text, text->length, SHOWN);
    putchar('\n');
    list->tokens = 0;
    if (nd_tokenize(list->analyzer, text->text, text->length, print_token, list, &list->failure) !=
        ND_OK)
        return false;
    if (list->tokens == 0) fputs("    tokens:", stdout);
    if (list->tokens > SHOWN_TOKENS) fputs(" ...", stdout);
    printf("  (%s)\n", number_grouped(list->tokens, number));
    return ++list->shown < list->wanted;
}

static nd_status print_documents(command_job *j, uint32_t records, nd_error *error) {
    document_list list = {.wanted = records};
    if (records == 0) return ND_OK;
    nd_status status = nd_analyzer_create(&j->analyzer, NULL, &list.analyzer, error);
    if (status != ND_OK) return status;
    puts("DOCUMENTS");
    status = nd_texts(&j->input, print_document, &list, &j->resources, NULL, error);
    if (status == ND_ERR_CANCELLED && list.shown == records) status = ND_OK;
    if (list.failure.status != ND_OK) {
        status = list.failure.status;
        *error = list.failure;
    }
    nd_analyzer_free(list.analyzer);
    return status;
}

/* ---- the command */

/* job_fn */
static nd_status inspect(command_job *j, nd_job_summary *summary, nd_error *error) {
    const inspect_settings *s = j->call->settings;
    field_table table = {.input = &j->input};
    (void)summary;
    nd_status status = print_inputs(j, error);
    if (status == ND_OK)
        status = nd_input_fields(&j->input, print_field, &table, &j->resources, error);
    return status == ND_OK ? print_documents(j, s->records, error) : status;
}

static int run(const invocation *call) {
    static const report_settings quiet = {.quiet = true};
    const inspect_settings *s = call->settings;
    command_job j = {.call = call,
                     .run = inspect,
                     .report = &quiet,
                     .text = &s->text,
                     .inputs = call->operands,
                     .input_count = call->count};
    j.input = input_options_of(&s->input);
    j.analyzer = analyzer_options_of(&s->text);
    j.resources = resources_of(&s->resources);
    return job_run(&j);
}

static const chapter chapters[] = {{"INPUT", input_chapter},
                                   {"EXIT STATUS", printed_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {NULL, NULL}};

const command inspect_command = {
    .name = "inspect",
    .operands = "INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = inputs_missing,
    .summary = "what the other commands take of an input",
    .description = "Shows which files an input has and what is in them, the fields of the first "
                   "record, and the first documents with their tokens. Nothing is written.",
    .examples = "neardup inspect articles.csv --text-field body\n"
                "neardup inspect notes -g '*.md' --records 1\n",
    .chapters = chapters,
    .groups = groups,
    .settings_size = sizeof(inspect_settings),
    .init = init,
    .run = run,
};
