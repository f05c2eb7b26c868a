#include "review/review_print.h"

#include "output/escape.h"
#include "output/numbers.h"

/* ---- for people */

static void print_measure(FILE *out, const review_list *list, const review_pair *p) {
    if (p->kind == REVIEW_COPY) fputs("copy: the same words", out);
    else if (review_has_distances(list))
        fprintf(out, "%s: distance %.0f", review_kind_word(p->kind), p->value);
    else fprintf(out, "%s: %s %.3f", review_kind_word(p->kind), list->measure, p->value);
}

static void print_document(FILE *out, const char *role, const review_document *d) {
    char bytes[32];
    fprintf(out, "  %-8s ", role);
    print_shown_text(out, d->id, d->id_length);
    if (d->text) fprintf(out, "  (%s)", number_volume(d->whole, bytes));
    else fputs(d->line > 0 ? "  (its text was not found)" : "  (in an index)", out);
    putc('\n', out);
}

nd_status review_print(FILE *out, const review_list *list, size_t i, const review_form *form,
                       nd_error *error) {
    const review_pair *p = &list->pairs[i];
    char pairs[32];
    fprintf(out, "%s%zu of %zu  ", form->colour ? "\033[1m" : "", i + 1, list->count);
    print_measure(out, list, p);
    fprintf(out, "%s  (one of %s)", form->colour ? "\033[0m" : "", number_grouped(p->pairs, pairs));
    if (p->mark != MARK_NONE) fprintf(out, "  marked %s", review_mark_word(p->mark));
    putc('\n', out);
    print_document(out, p->kind == REVIEW_REJECTED ? "first" : "kept", &p->documents[0]);
    print_document(out, p->kind == REVIEW_REJECTED ? "second" : "removed", &p->documents[1]);
    return document_differences_print(out, &p->documents[0], &p->documents[1], form, error);
}

/* ---- for programs */

nd_status review_print_json(FILE *out, const review_list *list, size_t i, nd_analyzer *analyzer,
                            nd_error *error) {
    const review_pair *p = &list->pairs[i];
    const review_document *a = &p->documents[0], *b = &p->documents[1];
    fprintf(out, "{\"verdict\":\"%s\",\"%s\":", review_kind_word(p->kind), list->measure);
    print_exact(out, p->value);
    fprintf(out, ",\"pairs\":%llu,\"mark\":", (unsigned long long)p->pairs);
    if (p->mark == MARK_NONE) fputs("null", out);
    else fprintf(out, "\"%s\"", review_mark_word(p->mark));
    fputs(",\"a\":", out);
    review_document_print_json(out, a);
    fputs(",\"b\":", out);
    review_document_print_json(out, b);
    nd_status status = document_differences_print_json(out, a, b, analyzer, error);
    fputs("}\n", out);
    return status;
}
