#include "review/run_table.h"

#include "output/interrupt.h"
#include "output/temporary_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Rows between two looks for a signal. */
enum { PATIENCE = 1 << 12 };

/* ---- failures */

nd_status run_table_fail(const run_table *t, nd_error *error, nd_status status, const char *format,
                         ...) {
    char message[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (!error) return status;
    error->status = status;
    snprintf(error->message, sizeof error->message, "%s: %s", t->title, message);
    return status;
}

nd_status run_table_bad_row(const run_table *t, nd_error *error) {
    return run_table_fail(t, error, ND_ERR_INPUT, "line %llu is no row of this table",
                          (unsigned long long)(t->row + 1));
}

nd_status run_table_no_memory(const run_table *t, nd_error *error) {
    return run_table_fail(t, error, ND_ERR_MEMORY, "out of memory");
}

static nd_status fail_to_read(const run_table *t, nd_error *error) {
    return run_table_fail(t, error, ND_ERR_IO, "%s", strerror(errno));
}

/* ---- lines */

/* Cuts a line without its newline into fields. */
static void cut(run_table *t, const char *line, size_t length) {
    const char *end = line + length;
    t->count = 0;
    for (const char *at = line; t->count < TABLE_FIELDS;) {
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        t->fields[t->count++] = (table_field){at, (size_t)((tab ? tab : end) - at)};
        if (!tab) return;
        at = tab + 1;
    }
}

/* Reads the next line that is not empty. Lines may end in CR LF. */
static nd_status read_line(run_table *t, bool *more, nd_error *error) {
    ssize_t length = 0;
    while (length == 0) {
        length = getline(&t->line, &t->room, t->file);
        *more = length >= 0;
        if (length < 0) return feof(t->file) ? ND_OK : fail_to_read(t, error);
        if (length > 0 && t->line[length - 1] == '\n') length--;
        if (length > 0 && t->line[length - 1] == '\r') length--;
    }
    cut(t, t->line, (size_t)length);
    return ND_OK;
}

nd_status run_table_next(run_table *t, bool *more, nd_error *error) {
    if (t->row % PATIENCE == 0 && interrupt_pending())
        return run_table_fail(t, error, ND_ERR_CANCELLED, "cancelled");
    nd_status status = read_line(t, more, error);
    if (status == ND_OK && *more) t->row++;
    return status;
}

/* ---- the table */

nd_status run_table_open(run_table *t, const char *path, nd_error *error) {
    bool standard = strcmp(path, "-") == 0, any = false;
    *t = (run_table){.title = standard ? "standard input" : path,
                     .file = standard ? stdin : fopen(path, "rb")};
    if (!t->file) return fail_to_read(t, error);
    nd_status status = read_line(t, &any, error);
    if (status == ND_OK && !any) status = run_table_fail(t, error, ND_ERR_INPUT, "is empty");
    if (status != ND_OK) run_table_close(t);
    return status;
}

void run_table_close(run_table *t) {
    free(t->line);
    if (t->file && t->file != stdin) fclose(t->file);
    *t = (run_table){.file = NULL};
}

static bool copy_rows(run_table *t, FILE *copy) {
    char bytes[1 << 16];
    size_t length;
    while ((length = fread(bytes, 1, sizeof bytes, t->file)) > 0 && !interrupt_pending())
        if (fwrite(bytes, 1, length, copy) != length) return false;
    return !ferror(t->file) && fflush(copy) == 0;
}

nd_status run_table_keep(run_table *t, nd_error *error) {
    t->begin = ftello(t->file);
    if (t->begin >= 0) return ND_OK;
    FILE *copy = temporary_file_open(NULL, error);
    if (!copy) return ND_ERR_IO;
    nd_status status = copy_rows(t, copy) ? ND_OK : fail_to_read(t, error);
    if (t->file != stdin) fclose(t->file);
    t->file = copy;
    t->begin = 0;
    return status == ND_OK ? run_table_rewind(t, error) : status;
}

nd_status run_table_rewind(run_table *t, nd_error *error) {
    if (fseeko(t->file, t->begin, SEEK_SET) != 0) return fail_to_read(t, error);
    t->row = 0;
    return ND_OK;
}

/* ---- fields */

bool table_field_is(const table_field *f, const char *word) {
    return strlen(word) == f->length && memcmp(f->text, word, f->length) == 0;
}

size_t run_table_column(const run_table *t, const char *name) {
    for (size_t i = 0; i < t->count; i++)
        if (table_field_is(&t->fields[i], name)) return i;
    return TABLE_FIELDS;
}

size_t run_table_measure(const run_table *t, const char **measure) {
    static const char *const measures[] = {"jaccard", "containment", "cosine", "distance"};
    size_t at = TABLE_FIELDS;
    for (size_t m = 0; m < sizeof measures / sizeof *measures && at == TABLE_FIELDS; m++) {
        *measure = measures[m];
        at = run_table_column(t, measures[m]);
    }
    return at;
}

bool table_field_number(const table_field *f, double *out) {
    char text[40], *end;
    if (f->length == 0 || f->length >= sizeof text) return false;
    memcpy(text, f->text, f->length);
    text[f->length] = '\0';
    if (strspn(text, "0123456789.eE+-") < f->length) return false; /* nor hexadecimal, nor inf */
    *out = strtod(text, &end);
    return *end == '\0' && *out >= 0 && *out <= 0x1p53;
}

bool table_field_value(const table_field *f, const char *measure, double *out) {
    return table_field_number(f, out) && (measure[0] == 'd' ? *out <= TABLE_DISTANCE : *out <= 1);
}
