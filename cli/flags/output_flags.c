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
    {.name = "review",
     .kind = FLAG_FILE,
     .argument = "FILE",
     .offset = offsetof(table_settings, review),
     .help =
         "write a table of pairs to look at with neardup review: a sample of the pairs that "
         "were compared, of every similarity; its columns are id_a, id_b, jaccard, verdict "
         "(duplicate, rejected or copy), pairs (how many pairs of this verdict there are within "
         ".05 of similarity), and the file and line of both"},
    {.name = "review-pairs",
     .kind = FLAG_NUMBER,
     .argument = "N",
     .low = 1,
     .high = 1000,
     .offset = offsetof(table_settings, review_pairs),
     .fallback = "20",
     .help = "most pairs of --review of each verdict, for every .05 of similarity "
             "or every distance"},
    {.name = "losses-by",
     .kind = FLAG_FIELD,
     .argument = "FIELD",
     .offset = offsetof(table_settings, losses_by),
     .help = "count losses by the values of this field, too, such as the language of each record; "
             "the summary and the report have them, and a value that loses far more than the rest "
             "is warned of"},
};

const flag_table table_flags = FLAG_TABLE("Output", tables);

#define PAGE_FLAG(parts)                                                                           \
    {                                                                                              \
        .name = "report", .kind = FLAG_FILE, .argument = "FILE",                                   \
        .offset = offsetof(page_settings, report),                                                 \
        .help = "write a page of HTML that shows the run to people; " parts                        \
                "; it needs no other file, and stays below 1 MB"                                   \
    }
#define PAGE_LANGUAGE_FLAG                                                                         \
    {                                                                                              \
        .name = "report-language", .kind = FLAG_CHOICE, .choices = "en|zh",                        \
        .offset = offsetof(page_settings, language),                                               \
        .help = "language of the page of --report; English or Chinese"                             \
    }

static const flag pages[] = {
    PAGE_FLAG("numbers, charts, losses, and pairs around the threshold with their differences"),
    PAGE_LANGUAGE_FLAG,
};
static const flag stream_pages[] = {
    PAGE_FLAG("numbers, charts, and the largest clusters with their topics; it is written when "
              "the input ends"),
    PAGE_LANGUAGE_FLAG,
};

const flag_table page_flags = FLAG_TABLE("Output", pages);
const flag_table stream_page_flags = FLAG_TABLE("Output", stream_pages);

static const unsigned output_formats[] = {ND_FORMAT_AUTO,   ND_FORMAT_JSON_LINES, ND_FORMAT_JSON,
                                          ND_FORMAT_CSV,    ND_FORMAT_TSV,        ND_FORMAT_WARC,
                                          ND_FORMAT_PARQUET};

static const flag records[] = {
    {.name = "removed-records",
     .kind = FLAG_FILE,
     .argument = "FILE",
     .offset = offsetof(record_settings, removed_records),
     .help = "write the removed records themselves, as -o writes the kept ones"},
    {.name = "mark",
     .kind = FLAG_SWITCH,
     .offset = offsetof(record_settings, mark),
     .help = "write all records, and into each what became of it; members or columns neardup_kept, "
             "neardup_of (the id of the document that stays instead) and neardup_similarity"},
    {.name = "shard-size",
     .kind = FLAG_SIZE,
     .argument = "SIZE",
     .low = 1,
     .offset = offsetof(record_settings, shard_size),
     .fallback = "one file for each file of the input",
     .help = "most bytes of a file in the directory of -o, before compression; the files are "
             "part-00000, part-00001 and so on; a longer record has a file of its own"},
    {.name = "output-format",
     .kind = FLAG_CHOICE,
     .choices = "auto|json-lines|json|csv|tsv|warc|parquet",
     .values = output_formats,
     .offset = offsetof(record_settings, format),
     .help = "format of the records of -o and --removed-records; auto: as the name's ending says, "
             "else as in the input; json-lines is made of all inputs, another format of inputs in "
             "this format only"},
};

const flag_table record_flags = FLAG_TABLE("Output", records);

static const flag kept[] = {
    RECORD_OUTPUT_FLAG("standard output",
                       "the kept records, byte for byte and in the order of input; a name in .gz "
                       "or .zst compresses them; DIR/ gets a file for each file of the input; of "
                       "texts a directory, and without -o the kept paths go to standard output"),
    {.name = "null",
     .letter = '0',
     .kind = FLAG_SWITCH,
     .offset = offsetof(record_settings, null_paths),
     .help = "end each kept path of a directory with NUL; for xargs -0, since a path may contain a "
             "line break"},
};

const flag_table kept_flags = FLAG_TABLE("Output", kept);

nd_output_options output_options_of(const table_settings *t, const record_settings *s) {
    return (nd_output_options){.struct_size = sizeof(nd_output_options),
                               .removed = t->removed,
                               .clusters = t->clusters,
                               .edges = t->edges,
                               .review = t->review,
                               .review_pairs = t->review_pairs,
                               .losses_by = t->losses_by,
                               .null_paths = s->null_paths,
                               .removed_records = s->removed_records,
                               .mark = s->mark,
                               .shard_size = s->shard_size,
                               .format = s->format};
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
static const flag cut_list[] = {
    {.name = "output",
     .letter = 'o',
     .kind = FLAG_OUTPUT,
     .argument = "OUT",
     .offset = offsetof(cut_output_settings, output),
     .fallback = "standard output",
     .help = "where the documents go; a name in .gz or .zst compresses them; for texts of "
             "directories, a name with a slash at the end is a new directory of texts"},
    {.name = "removed",
     .kind = FLAG_FILE,
     .argument = "FILE",
     .offset = offsetof(cut_output_settings, removed),
     .help = "write a table of what was cut; its columns are id, begin and end (bytes of the "
             "text), source (the document with the first equal one), source_begin, and the file "
             "and line of both"},
};
const flag_table cut_output_flags = FLAG_TABLE("Output", cut_list);
