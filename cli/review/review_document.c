#include "review/review_document.h"

#include "output/escape.h"

#include <stdlib.h>
#include <string.h>

static char *take_text(const table_field *f, size_t *length) {
    char *text = malloc(f->length + 1);
    if (!text) return NULL;
    *length = table_text_read(f->text, f->length, text);
    text[*length] = '\0';
    return text;
}

nd_status review_document_read(const run_table *t, const document_columns *columns,
                               review_document *out, nd_error *error) {
    const table_field *line = &t->fields[columns->line];
    double number = 0;
    size_t length;
    *out = (review_document){.id = NULL};
    if (line->length > 0 && !table_field_number(line, &number)) return run_table_bad_row(t, error);
    out->line = (uint64_t)number;
    out->id = take_text(&t->fields[columns->id], &out->id_length);
    out->source = take_text(&t->fields[columns->source], &length);
    return out->id && out->source ? ND_OK : run_table_no_memory(t, error);
}

void review_document_free(review_document *d) {
    free(d->id);
    free(d->source);
    free(d->text);
}

void review_document_print_json(FILE *out, const review_document *d) {
    fputs("{\"id\":", out);
    print_json_text(out, d->id, d->id_length);
    fputs(",\"source\":", out);
    print_json_text(out, d->source, strlen(d->source));
    if (d->line > 0) fprintf(out, ",\"line\":%llu", (unsigned long long)d->line);
    else fputs(",\"line\":null", out);
    fputs(",\"text\":", out);
    if (d->text) print_json_text(out, d->text, d->length);
    else fputs("null", out);
    if (d->text && d->length < d->whole) fprintf(out, ",\"bytes\":%zu", d->whole);
    putc('}', out);
}
