#include "flags/input_flags.h"

#include "output/complain.h"
#include "output/output_names.h"

static const flag inputs[] = {
    {.name = "format",
     .kind = FLAG_CHOICE,
     .choices = "auto|json-lines|json|csv|tsv|text",
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
    {.name = "follow",
     .kind = FLAG_SWITCH,
     .offset = offsetof(input_settings, follow),
     .help = "in directories, also read files through symbolic links; each file is read once; "
             "without this flag links are left out and counted"},
};

static const flag times[] = {
    {.name = "time-field",
     .kind = FLAG_FIELD,
     .argument = "FIELD",
     .offset = offsetof(input_settings, time_field),
     .help = "field with the time of a document, a number of seconds or an ISO 8601 date in a "
             "string; a document without it gets the latest time so far"},
};

const flag_table input_flags = FLAG_TABLE("Input", inputs);
const flag_table time_flags = FLAG_TABLE("Input", times);

const char *const input_flag_names[] = {"format",   "text-field", "id-field", "invalid",
                                        "on-error", "follow",     NULL};

void input_settings_init(input_settings *s) {
    nd_input_options input;
    nd_input_options_init(&input, sizeof input);
    *s = (input_settings){.text_fields = {.names = {input.text_fields[0]}, .count = 1},
                          .id_field = input.id_field,
                          .format = input.format,
                          .max_record = input.max_record,
                          .invalid = input.invalid,
                          .on_error = input.skip_errors ? ON_ERROR_SKIP : ON_ERROR_FAIL,
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
    input.skip_errors = s->on_error == ON_ERROR_SKIP;
    input.follow_links = s->follow;
    return input;
}

bool input_flags_agree(const flags_given *given, const char *keep_field, int count, char **operands,
                       const char *source) {
    const char *field = flag_first_given(
        given, (const char *const[]){"text-field", "id-field", "time-field", NULL});
    const char *of_directories = flag_first_given(given,
                                                  (const char *const[]){"null", "follow", NULL});
    bool has_directory = source && is_directory(source);
    for (int i = 0; i < count; i++) {
        if (!is_directory(operands[i])) continue;
        has_directory = true;
        if (field)
            complain("--%s: has no effect on %s, a directory: its files are texts without fields",
                     field, operands[i]);
        else if (keep_field)
            complain("--keep by %s: has no effect on %s, a directory: its files are texts without "
                     "fields",
                     keep_field, operands[i]);
        else continue;
        return false;
    }
    if (of_directories && !has_directory) complain("--%s: only with directories", of_directories);
    return !of_directories || has_directory;
}
