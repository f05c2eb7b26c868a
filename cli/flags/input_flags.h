/* The flags of inputs: fields of records, limits, and what to do about bad ones. */
#ifndef CLI_INPUT_FLAGS_H
#define CLI_INPUT_FLAGS_H

#include "flags/flags.h"
#include "neardup.h"

enum { ON_ERROR_FAIL, ON_ERROR_SKIP };
enum { DIGESTS_ON, DIGESTS_OFF };

typedef struct input_settings {
    name_list text_fields, globs;
    const char *files_from; /* NULL: none */
    const char *id_field;
    const char *encoding;   /* NULL: UTF-8 */
    const char *time_field; /* NULL: documents have no times */
    uint64_t max_record;    /* bytes */
    nd_input_format format;
    nd_invalid invalid;
    nd_pages html;
    unsigned on_error;
    unsigned digests;
    bool follow, hidden;
    const char *duckdb; /* NULL: found by the library */
} input_settings;

extern const flag_table input_flags;
extern const flag_table time_flags; /* --time-field */
void input_settings_init(input_settings *s);
/* All but the inputs. */
nd_input_options input_options_of(const input_settings *s);

/* The names of all of these flags but --max-record, NULL-ended: they are for documents. */
extern const char *const input_flag_names[];

/* Whether each given flag has an effect on these inputs: fields are in records only, symbolic
 * links and paths in directories only. False: reported. `keep_field`: the field of --keep, or
 * NULL. `source`: another input, or NULL. */
bool input_flags_agree(const flags_given *given, const nd_input_options *input,
                       const char *keep_field, const char *source);

#endif
