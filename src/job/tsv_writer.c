#include "job/tsv_writer.h"

#include <string.h>

nd_status nd_table_open(nd_table *table, const char *path, const char *header,
                        nd_progress *progress, const nd_allocator *allocator, nd_error *error) {
    *table = (nd_table){.allocator = *allocator};
    if (!path) return ND_OK;
    ND_TRY(nd_output_file_open(path, progress, allocator, &table->file, error));
    return nd_output_file_write(table->file, header, strlen(header), error);
}

void nd_table_free(nd_table *table) {
    nd_output_file_free(table->file);
    if (table->row) nd_release(&table->allocator, table->row);
}

nd_status nd_table_id(nd_table *table, const char *id, size_t length, nd_error *error) {
    if (!nd_reserve(&table->allocator, &table->row, &table->capacity, table->size + 2 * length + 1))
        return nd_fail_memory(error, length, "a row");
    for (size_t i = 0; i < length; i++) {
        char c = id[i], escape = c == '\\'   ? '\\'
                                 : c == '\t' ? 't'
                                 : c == '\n' ? 'n'
                                 : c == '\r' ? 'r'
                                             : '\0';
        if (escape) table->row[table->size++] = '\\';
        table->row[table->size++] = escape ? escape : c;
    }
    table->row[table->size++] = '\t';
    return ND_OK;
}

nd_status nd_table_text(nd_table *table, const char *text, nd_error *error) {
    size_t length = strlen(text);
    if (!nd_reserve(&table->allocator, &table->row, &table->capacity, table->size + length + 1))
        return nd_fail_memory(error, length, "a row");
    memcpy(table->row + table->size, text, length);
    table->size += length;
    table->row[table->size++] = '\t';
    return ND_OK;
}

nd_status nd_table_end(nd_table *table, nd_error *error) {
    size_t size = table->size;
    table->row[size - 1] = '\n';
    table->size = 0;
    return nd_output_file_write(table->file, table->row, size, error);
}
