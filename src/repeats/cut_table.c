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

static nd_status put_position(nd_table *table, const nd_id_buffer *id, nd_error *error) {
    ND_TRY(nd_table_id(table, id->source, strlen(id->source), error));
    return put_number(table, id->line, error);
}

nd_status nd_cut_table_add(nd_table *t, const nd_cut_row *row, nd_error *error) {
    const nd_id_buffer *source = row->source;
    ND_TRY(nd_table_id(t, row->id->id, row->id->length, error));
    ND_TRY(put_number(t, row->begin, error));
    ND_TRY(put_number(t, row->end, error));
    if (source) ND_TRY(nd_table_id(t, source->id, source->length, error));
    else ND_TRY(nd_table_text(t, "", error));
    if (source) ND_TRY(put_number(t, row->source_begin, error));
    else ND_TRY(nd_table_text(t, "", error));
    ND_TRY(put_position(t, row->id, error));
    if (source) ND_TRY(put_position(t, source, error));
    else ND_TRY(nd_table_text(t, "\t", error));
    return nd_table_end(t, error);
}
