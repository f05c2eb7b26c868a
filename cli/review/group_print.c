#include "review/group_print.h"

#include "output/escape.h"
#include "output/excerpt.h"
#include "output/numbers.h"

#include <string.h>

/* Characters of a text that show what it is. */
enum { BEGINNING = 150 };

static bool has_distances(const group_list *list) { return list->measure[0] == 'd'; }

static double share_of(const group_list *list, const review_group *g) {
    return (double)g->size / (double)list->documents;
}

/* ---- for people */

void group_list_print_total(FILE *out, const group_list *list) {
    char groups[32], documents[32], removed[32];
    fprintf(out, "%s group%s: %s documents, %s removed\n", number_grouped(list->all, groups),
            list->all == 1 ? "" : "s", number_grouped(list->documents, documents),
            number_grouped(list->documents - list->all, removed));
}

/* Whether its id tells its place already, as that of a document without an id does. */
static bool is_id_place(const review_document *d) {
    char line[32];
    size_t source = strlen(d->source);
    int length = snprintf(line, sizeof line, ":%llu", (unsigned long long)d->line);
    if (d->id_length < source || memcmp(d->id, d->source, source) != 0) return false;
    return d->id_length == source || (d->id_length == source + (size_t)length &&
                                      memcmp(d->id + source, line, (size_t)length) == 0);
}

static void print_document(FILE *out, const char *role, const review_document *d) {
    char bytes[32];
    fprintf(out, "  %-8s ", role);
    print_shown_text(out, d->id, d->id_length);
    fputs("  (", out);
    if (d->line > 0 && !is_id_place(d)) {
        print_shown_text(out, d->source, strlen(d->source));
        fprintf(out, ":%llu, ", (unsigned long long)d->line);
    }
    if (d->text) fputs(number_volume(d->whole, bytes), out);
    else fputs(d->line > 0 ? "its text was not found" : "in an index", out);
    putc(')', out);
}

static void print_text(FILE *out, const review_document *d) {
    if (!d->text) return;
    const piece whole = trimmed_piece(d->text, (piece){0, d->length});
    if (whole.begin == whole.end) return;
    fputs("    ", out);
    print_beginning(out, d->text, whole, BEGINNING);
    putc('\n', out);
}

static nd_status print_member(FILE *out, const group_list *list, const review_document *kept,
                              const removed_member *m, const review_form *form, nd_error *error) {
    print_document(out, "removed", &m->document);
    if (has_distances(list)) fprintf(out, "  distance %.0f", m->value);
    else if (list->measure[0]) fprintf(out, "  %s %.3f", list->measure, m->value);
    putc('\n', out);
    if (!kept->text) print_text(out, &m->document);
    return document_differences_print(out, kept, &m->document, form, error);
}

nd_status group_print(FILE *out, const group_list *list, size_t i, const review_form *form,
                      nd_error *error) {
    const review_group *g = &list->groups[i];
    char all[32], number[32];
    nd_status status = ND_OK;
    fprintf(out, "%s%zu of %s  ", form->colour ? "\033[1m" : "", i + 1,
            number_grouped(list->all, all));
    fprintf(out, "%s documents%s, %.1f %% of those in groups\n", number_grouped(g->size, number),
            form->colour ? "\033[0m" : "", 100 * share_of(list, g));
    print_document(out, "kept", &g->kept);
    putc('\n', out);
    print_text(out, &g->kept);
    for (size_t m = 0; m < g->count && status == ND_OK; m++)
        status = print_member(out, list, &g->kept, &g->members[m], form, error);
    uint64_t rest = g->size - 1 - g->count;
    if (rest > 0) fprintf(out, "  and %s more removed\n", number_grouped(rest, number));
    return status;
}

/* ---- for programs */

static nd_status print_json_member(FILE *out, const group_list *list, const review_group *g,
                                   size_t index, nd_analyzer *analyzer, nd_error *error) {
    const removed_member *m = &g->members[index];
    fputs(index > 0 ? ",{\"document\":" : "{\"document\":", out);
    review_document_print_json(out, &m->document);
    if (list->measure[0]) {
        fprintf(out, ",\"%s\":", list->measure);
        print_exact(out, m->value);
    }
    nd_status status = document_differences_print_json(out, &g->kept, &m->document, analyzer,
                                                       error);
    putc('}', out);
    return status;
}

nd_status group_print_json(FILE *out, const group_list *list, size_t i, nd_analyzer *analyzer,
                           nd_error *error) {
    const review_group *g = &list->groups[i];
    nd_status status = ND_OK;
    fprintf(out, "{\"group\":%zu,\"groups\":%llu,\"size\":%llu,\"share\":%.6f,\"kept\":", i + 1,
            (unsigned long long)list->all, (unsigned long long)g->size, share_of(list, g));
    review_document_print_json(out, &g->kept);
    fputs(",\"members\":[", out);
    for (size_t m = 0; m < g->count && status == ND_OK; m++)
        status = print_json_member(out, list, g, m, analyzer, error);
    fputs("]}\n", out);
    return status;
}
