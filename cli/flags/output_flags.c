#include "flags/output_flags.h"

#define RESULT_OUTPUT_FLAG                                                                         \
    {                                                                                              \
        .name = "output", .letter = 'o', .kind = FLAG_OUTPUT, .argument = "OUT",                   \
        .offset = offsetof(result_settings, output), .fallback = "standard output",                \
        .help = "where the results go; a name in .gz or .zst compresses them"                      \
    }

static const flag results[] = {
    RESULT_OUTPUT_FLAG,
    {.name = "json",
     .kind = FLAG_SWITCH,
     .offset = offsetof(result_settings, json),
     .help = "write the results as JSON Lines, one object per line"},
};
static const flag result_file[] = {RESULT_OUTPUT_FLAG};

const flag_table result_flags = FLAG_TABLE("Output", results);
const flag_table result_file_flags = FLAG_TABLE("Output", result_file);

static const flag tables[] = {
    {.name = "removed",
     .kind = FLAG_FILE,
     .argument = "FILE",
     .offset = offsetof(table_settings, removed),
     .help = "write a table of the removed documents; its columns are id, kept (the document that "
             "stays instead), jaccard, intersection, union, and the file and line of both"},
    {.name = "clusters",
     .kind = FLAG_FILE,
     .argument = "FILE",
     .offset = offsetof(table_settings, clusters),
     .help = "write a table of all documents; its columns are id, cluster (the id of the document "
             "that stays), kept (1 or 0), and the file and line of both"},
    {.name = "edges",
     .kind = FLAG_FILE,
     .argument = "FILE",
     .offset = offsetof(table_settings, edges),
     .help = "write a table of all pairs that were decided to be duplicates; its columns are id_a, "
             "id_b, jaccard, and the file and line of both"},
};

const flag_table table_flags = FLAG_TABLE("Output", tables);

nd_output_options output_options_of(const table_settings *s) {
    return (nd_output_options){.struct_size = sizeof(nd_output_options),
                               .removed = s->removed,
                               .clusters = s->clusters,
                               .edges = s->edges};
}

#define QUIET_FLAG                                                                                 \
    {                                                                                              \
        .name = "quiet", .letter = 'q', .kind = FLAG_SWITCH,                                       \
        .offset = offsetof(report_settings, quiet),                                                \
        .help = "print no summary and no progress; warnings and errors are still printed"          \
    }

static const flag report[] = {
    {.name = "summary",
     .kind = FLAG_OUTPUT,
     .argument = "FILE",
     .offset = offsetof(report_settings, summary),
     .fallback = "as text on stderr",
     .help = "write the summary of the run to FILE, as one JSON object"},
    QUIET_FLAG,
};
static const flag quiet[] = {QUIET_FLAG};

const flag_table report_flags = FLAG_TABLE("Output", report);
const flag_table quiet_flags = FLAG_TABLE("Output", quiet);
