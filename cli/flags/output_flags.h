/* The flags of outputs: results, tables besides them, and the report about the run. */
#ifndef CLI_OUTPUT_FLAGS_H
#define CLI_OUTPUT_FLAGS_H

#include "flags/flags.h"
#include "neardup.h"

/* Results that the command prints itself (output/results.h). */
typedef struct result_settings {
    const char *output; /* NULL: standard output */
    bool json;
} result_settings;
extern const flag_table result_flags;      /* -o, --json */
extern const flag_table result_file_flags; /* -o */

/* -o of a command whose results the library writes; the part is a record_settings. */
typedef struct record_settings {
    const char *output; /* NULL: standard output; of neardup index add: they are not written */
    bool null_paths;
    const char *removed_records; /* NULL: they are not written */
    bool mark;
    uint64_t shard_size; /* 0: no limit */
    nd_input_format format;
} record_settings;
extern const flag_table record_flags; /* all but the first two */
#define RECORD_OUTPUT_FLAG(fallback_, more)                                                        \
    {                                                                                              \
        .name = "output", .letter = 'o', .kind = FLAG_OUTPUT, .argument = "OUT",                   \
        .offset = offsetof(record_settings, output), .fallback = (fallback_),                      \
        .help = "where the results go; " more                                                      \
    }

/* -o and --null of commands that write the kept records. */
extern const flag_table kept_flags;

/* Outputs of commands that cut texts. */
typedef struct cut_output_settings {
    const char *output;  /* NULL: standard output */
    const char *removed; /* NULL: not written */
} cut_output_settings;
extern const flag_table cut_output_flags; /* -o, --removed */

/* Tables of the decisions of dedup, exact and index add, and how losses are counted. NULL: not
 * written. */
typedef struct table_settings {
    const char *removed, *clusters, *edges, *review;
    uint64_t review_pairs;
    const char *losses_by; /* a field; NULL: none */
} table_settings;
extern const flag_table table_flags;
/* Without -o. */
nd_output_options output_options_of(const table_settings *tables, const record_settings *records);

/* A page that shows the run to people. */
typedef enum page_language { PAGE_ENGLISH, PAGE_CHINESE } page_language;
typedef struct page_settings {
    const char *report; /* NULL: not written */
    page_language language;
} page_settings;
extern const flag_table page_flags;
extern const flag_table stream_page_flags;

typedef struct report_settings {
    const char *summary; /* a file for it, as JSON; NULL: lines on stderr */
    bool quiet;
} report_settings;
extern const flag_table report_flags; /* --summary, --quiet */
extern const flag_table quiet_flags;

#endif
