#include "flags/input_flags.h"

#include "output/complain.h"
#include "output/output_names.h"

#include <stdlib.h>
#include <string.h>

static const flag inputs[] = {
    {.name = "format",
     .kind = FLAG_CHOICE,
     .choices = "auto|json-lines|json|csv|tsv|text|warc|parquet",
     .offset = offsetof(input_settings, format),
     .help = "what is in the files; auto: recognised by their content, else by their names"},
    {.name = "text-field",
     .kind = FLAG_FIELDS,
     .argument = "FIELD",
     .offset = offsetof(input_settings, text_fields),
     .help = "field with the text; a name, a JSON Pointer such as /doc/body, or the number of a "
             "column of CSV without a header; given several times, the fields are joined by line "
             "breaks"},
    {.name = "id-field",
     .kind = FLAG_FIELD,
     .argument = "FIELD",
     .offset = offsetof(input_settings, id_field),
     .help = "field with the id, a string or a number; a document without it gets the id "
             "FILE:LINE"},
    {.name = "html",
     .kind = FLAG_CHOICE,
     .choices = "auto|source|text|main",
     .offset = offsetof(input_settings, html),
     .help =
         "what is taken of pages of HTML; auto: the visible text of files and archives; source: "
         "everything; text: also of fields with HTML; main: the main content, without menus, "
         "footers, comments and notices"},
    {.name = "encoding",
     .kind = FLAG_NAME,
     .argument = "NAME",
     .offset = offsetof(input_settings, encoding),
     .fallback = "utf-8",
     .help = "encoding of texts and columns of CSV, such as windows-1251; auto: the encoding of a "
             "text that is not UTF-8 is guessed, and that of a table by its first 64 KiB; a byte "
             "order mark counts "
             "more, and so does what a page tells"},
    {.name = "max-record",
     .kind = FLAG_SIZE,
     .argument = "SIZE",
     .low = 1,
     .high = (1 << 30) - 1,
     .offset = offsetof(input_settings, max_record),
     .help = "largest record that is accepted"},
    {.name = "invalid",
     .kind = FLAG_CHOICE,
     .choices = "fail|replace|skip",
     .offset = offsetof(input_settings, invalid),
     .help = "what to do about invalid UTF-8 and lone surrogates; replace compares them as U+FFFD "
             "and still writes the original record"},
    {.name = "on-error",
     .kind = FLAG_CHOICE,
     .choices = "fail|skip",
     .offset = offsetof(input_settings, on_error),
     .help = "what to do about a bad record, or a directory entry that cannot be read; skip leaves "
             "it out and counts it, and warnings name the first 10"},
    {.name = "files-from",
     .kind = FLAG_INPUT,
     .argument = "FILE",
     .offset = offsetof(input_settings, files_from),
     .help = "also read the inputs that a file names; one in each line, or each ended by NUL"},
    {.name = "glob",
     .letter = 'g',
     .kind = FLAG_GLOBS,
     .argument = "GLOB",
     .offset = offsetof(input_settings, globs),
     .help = "in directories, read only files whose names match, or, if GLOB has a slash, whose "
             "paths do; such as '*.md' or 'docs/**/*.{txt,md}'; of several the last one that "
             "matches decides"},
    {.name = "exclude",
     .kind = FLAG_GLOBS,
     .argument = "GLOB",
     .prefix = "!",
     .offset = offsetof(input_settings, globs),
     .help = "in directories, leave out what matches; the same as -g '!GLOB'"},
    {.name = "hidden",
     .kind = FLAG_SWITCH,
     .offset = offsetof(input_settings, hidden),
     .help = "in directories, also read what is hidden; names that begin with a dot"},
    {.name = "digests",
     .kind = FLAG_CHOICE,
     .choices = "on|off",
     .offset = offsetof(input_settings, digests),
     .help = "whether the digests of WARC records are compared with their blocks; a block with "
             "another digest is a bad record"},
    {.name = "follow",
     .kind = FLAG_SWITCH,
     .offset = offsetof(input_settings, follow),
     .help = "in directories, also read files through symbolic links; each file is read once; "
             "without this flag links are left out and counted"},
    {.name = "duckdb",
     .kind = FLAG_INPUT,
     .argument = "FILE",
     .offset = offsetof(input_settings, duckdb),
     .help = "DuckDB's library, libduckdb.so, which reads and writes Parquet; the default is "
             "NEARDUP_DUCKDB, or an installed one"},
};

static const flag times[] = {
    {.name = "time-field",
     .kind = FLAG_FIELD,
     .argument = "FIELD",
     .offset = offsetof(input_settings, time_field),
     .help =
         "field with the time of a document, a number of seconds or an ISO 8601 date in a "
         "string; of web archives WARC-Date; a document without it gets the latest time so far"},
};

const flag_table input_flags = FLAG_TABLE("Input", inputs);
const flag_table time_flags = FLAG_TABLE("Input", times);

const char *const input_flag_names[] = {"format",  "text-field", "id-field",   "html",   "encoding",
                                        "invalid", "on-error",   "files-from", "glob",   "exclude",
                                        "hidden",  "follow",     "digests",    "duckdb", NULL};

void input_settings_init(input_settings *s) {
    nd_input_options input;
    nd_input_options_init(&input, sizeof input);
    *s = (input_settings){.text_fields = {.names = {input.text_fields[0]}, .count = 1},
                          .id_field = input.id_field,
                          .format = input.format,
                          .max_record = input.max_record,
                          .invalid = input.invalid,
                          .html = input.html,
                          .on_error = input.skip_errors ? ON_ERROR_SKIP : ON_ERROR_FAIL,
                          .digests = input.ignore_digests ? DIGESTS_OFF : DIGESTS_ON,
                          .follow = input.follow_links};
}

nd_input_options input_options_of(const input_settings *s) {
    nd_input_options input;
    nd_input_options_init(&input, sizeof input);
    input.text_fields = s->text_fields.names;
    input.text_field_count = s->text_fields.count;
    input.format = s->format;
    input.id_field = s->id_field;
    input.max_record = s->max_record;
    input.invalid = s->invalid;
    input.html = s->html;
    input.encoding = s->encoding;
    input.skip_errors = s->on_error == ON_ERROR_SKIP;
    input.files_from = s->files_from;
    input.globs = s->globs.names;
    input.glob_count = s->globs.count;
    input.hidden = s->hidden;
    input.follow_links = s->follow;
    input.ignore_digests = s->digests == DIGESTS_OFF;
    input.duckdb = s->duckdb;
    return input;
}

/* The first input without fields. */
typedef struct text_input {
    char *name; /* NULL: all inputs have fields */
    bool is_directory;
} text_input;

/* nd_input_fn; `context` is a text_input. */
static bool note_text(void *context, const nd_input_info *info) {
    text_input *text = context;
    if (info->format != ND_FORMAT_TEXT) return true;
    text->name = strdup(info->name);
    text->is_directory = info->directory;
    return false;
}

/* Whether fields have an effect on these inputs. False: reported. */
static bool fields_agree(const char *given, const char *keep_field, const text_input *text) {
    if (!text->name || (!given && !keep_field)) return true;
    const char *why = text->is_directory ? "a directory: its files are texts without fields"
                                         : "a text without fields";
    if (given) complain("--%s: has no effect on %s, %s", given, text->name, why);
    else complain("--keep by %s: has no effect on %s, %s", keep_field, text->name, why);
    return false;
}

/* Whether an input may be a directory: one, a list, or a glob. */
static bool may_have_directory(const nd_input_options *input, const char *source) {
    bool found = input->files_from || (source && is_directory(source));
    for (size_t i = 0; i < input->input_count && !found; i++)
        found = is_directory(input->inputs[i]) || strpbrk(input->inputs[i], "*?[{");
    return found;
}

bool input_flags_agree(const flags_given *given, const nd_input_options *input,
                       const char *keep_field, const char *source) {
    static const char *const of_records[] = {"text-field", "id-field", "time-field", NULL},
                             *const of_directories[] = {"glob", "exclude", "hidden", "follow",
                                                        NULL};
    const char *field = flag_first_given(given, of_records),
               *walk = flag_first_given(given, of_directories);
    text_input text = {NULL, false};
    nd_resources resources;
    nd_error error;
    if (walk && !may_have_directory(input, source)) {
        complain("--%s: only with directories", walk);
        return false;
    }
    if (!field && !keep_field) return true;
    /* A list from standard input can be read once only. */
    if (input->files_from && strcmp(input->files_from, "-") == 0) return true;
    nd_resources_init(&resources, sizeof resources);
    /* An input that cannot be opened is reported when the job begins. */
    nd_status status = nd_inputs(input, note_text, &text, &resources, &error);
    bool agree = (status != ND_OK && !text.name) || fields_agree(field, keep_field, &text);
    free(text.name);
    return agree;
}
