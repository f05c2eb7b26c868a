#include "repeats/cut_table.h"

#include "base/format.h"

#include <string.h>

nd_status nd_cut_table_open(nd_table *table, const char *path, nd_progress *progress,
                            const nd_allocator *allocator, nd_error *error) {
    static const char header[] =
        "id\tbegin\tend\tsource\tsource_begin\tfile\tline\tsource_file\tsource_line\n";
    return nd_table_open(table, path, header, progress, allocator, error);
}

static nd_status put_number(nd_table *table, uint64_t number, nd_error *error) {
    char digits[24];
    nd_format(digits, sizeof digits, "%llu", (unsigned long long)number);
    return nd_table_text(table, digits, error);
}

static nd_status put_position(nd_table *table, const char *file, uint64_t line, nd_error *error) {
    if (!file) return nd_table_text(table, "\t", error);
    ND_TRY(nd_table_id(table, file, strlen(file), error));
    return put_number(table, line, error);
}

nd_status nd_cut_table_add(nd_table *t, const nd_repeated_stretch *cut, nd_error *error) {
    ND_TRY(nd_table_id(t, cut->id, cut->id_length, error));
    ND_TRY(put_number(t, cut->begin, error));
    ND_TRY(put_number(t, cut->end, error));
    if (cut->source_id) ND_TRY(nd_table_id(t, cut->source_id, cut->source_id_length, error));
    else ND_TRY(nd_table_text(t, "", error));
    if (cut->source_file) ND_TRY(put_number(t, cut->source_begin, error));
    else ND_TRY(nd_table_text(t, "", error));
    ND_TRY(put_position(t, cut->file, cut->line, error));
    ND_TRY(put_position(t, cut->source_file, cut->source_line, error));
    return nd_table_end(t, error);
}
