#include "repeats/cut_outputs.h"

#include "base/format.h"
#include "io/publication.h"

#include <string.h>

enum { FILES = 2 };

static void list_files(const nd_cut_outputs *o, nd_output_file *files[FILES]) {
    files[0] = o->removed.file;
    files[1] = o->writer.file;
}

nd_status nd_cut_outputs_open(const nd_run *run, nd_corpus *corpus, const nd_input_options *input,
                              const nd_cut_destinations *to, nd_cut_outputs *o, nd_error *error) {
    static const char header[] =
        "id\tbegin\tend\tsource\tsource_begin\tfile\tline\tsource_file\tsource_line\n";
    *o = (nd_cut_outputs){.fn = to->fn, .context = to->context};
    ND_TRY(nd_table_open(&o->removed, to->removed, header, run->progress, &run->allocator, error));
    ND_TRY(nd_cut_writer_open(run, corpus, input, to->output, &o->writer, error));
    return nd_cut_outputs_check(o, corpus, error);
}

void nd_cut_outputs_free(nd_cut_outputs *o) {
    nd_cut_writer_free(&o->writer);
    nd_table_free(&o->removed);
}

nd_status nd_cut_outputs_check(const nd_cut_outputs *o, nd_corpus *corpus, nd_error *error) {
    nd_output_file *files[FILES];
    list_files(o, files);
    return nd_run_check_outputs(corpus, files, FILES, error);
}

/* ---- the table */

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

static nd_status write_row(nd_table *t, const nd_repeated_stretch *cut, nd_error *error) {
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

nd_status nd_cut_outputs_report(nd_cut_outputs *o, const nd_repeated_stretch *cut,
                                nd_error *error) {
    if (o->fn && !o->fn(o->context, cut)) return nd_fail(error, ND_ERR_CANCELLED, "cancelled");
    return nd_table_wanted(&o->removed) ? write_row(&o->removed, cut, error) : ND_OK;
}

/* ---- the files */

nd_status nd_cut_outputs_finish(nd_cut_outputs *o, uint64_t *bytes, nd_error *error) {
    nd_output_file *files[FILES];
    list_files(o, files);
    for (size_t i = 0; i < FILES; i++)
        if (files[i]) ND_TRY(nd_output_file_finish(files[i], error));
    *bytes = o->writer.file ? nd_output_file_size(o->writer.file) : o->writer.tree_bytes;
    return ND_OK;
}

nd_status nd_cut_outputs_publish(nd_cut_outputs *o, nd_error *error) {
    nd_output_file *files[FILES];
    list_files(o, files);
    const nd_publication all = {files, FILES, o->writer.tree};
    return nd_publish(&all, error);
}

void nd_cut_outputs_accept(nd_cut_outputs *o) {
    nd_output_file *files[FILES];
    list_files(o, files);
    const nd_publication all = {files, FILES, o->writer.tree};
    nd_publication_accept(&all);
}
