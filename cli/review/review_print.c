#include "review/review_print.h"

#include "output/difference_print.h"
#include "output/escape.h"
#include "output/numbers.h"

#include <string.h>

enum { CONTEXT_WORDS = 6 };

nd_status review_differences(const review_pair *p, nd_analyzer *analyzer, nd_difference_list **out,
                             nd_error *error) {
    const review_document *a = &p->documents[0], *b = &p->documents[1];
    *out = NULL;
    if (!a->text || !b->text) return ND_OK;
    return nd_differences(analyzer, a->text, a->length, b->text, b->length, out, error);
}

nd_status review_no_memory(nd_error *error) {
    if (error) snprintf(error->message, sizeof error->message, "out of memory for a pair");
    return ND_ERR_MEMORY;
}

differing review_texts_of(const review_pair *p, const nd_difference_list *list) {
    const review_document *a = &p->documents[0], *b = &p->documents[1];
    return (differing){{a->text, b->text}, {a->length, b->length}, list};
}

/* ---- for people */

static void print_measure(FILE *out, const review_list *list, const review_pair *p) {
    if (p->kind == REVIEW_COPY) fputs("copy: the same words", out);
    else if (review_has_distances(list))
        fprintf(out, "%s: %.0f bits differ", review_kind_word(p->kind), p->value);
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

static nd_status print_texts(FILE *out, const review_pair *p, const review_form *form,
                             nd_error *error) {
    const difference_form shown = {CONTEXT_WORDS, form->differences, form->colour};
    nd_difference_list *list = NULL;
    nd_status status = review_differences(p, form->analyzer, &list, error);
    if (status != ND_OK || !list) return status;
    const differing texts = review_texts_of(p, list);
    fputs("  ", out);
    print_difference_count(out, list);
    putc('\n', out);
    if (!print_differences(out, &texts, &shown)) status = review_no_memory(error);
    nd_difference_list_free(list);
    return status;
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
    return print_texts(out, p, form, error);
}

/* ---- for programs */

static void print_json_document(FILE *out, const char *name, const review_document *d) {
    fprintf(out, ",\"%s\":{\"id\":", name);
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

nd_status review_print_json(FILE *out, const review_list *list, size_t i, nd_analyzer *analyzer,
                            nd_error *error) {
    const review_pair *p = &list->pairs[i];
    nd_difference_list *found = NULL;
    nd_status status = review_differences(p, analyzer, &found, error);
    if (status != ND_OK) return status;
    fprintf(out, "{\"verdict\":\"%s\",\"%s\":", review_kind_word(p->kind), list->measure);
    print_exact(out, p->value);
    fprintf(out, ",\"pairs\":%llu,\"mark\":", (unsigned long long)p->pairs);
    if (p->mark == MARK_NONE) fputs("null", out);
    else fprintf(out, "\"%s\"", review_mark_word(p->mark));
    print_json_document(out, "a", &p->documents[0]);
    print_json_document(out, "b", &p->documents[1]);
    if (found) fprintf(out, ",\"same\":%.6f,\"differences\":[", found->same);
    for (size_t d = 0; found && d < found->count; d++) {
        const nd_difference *one = &found->differences[d];
        fprintf(out, "%s[%zu,%zu,%zu,%zu]", d > 0 ? "," : "", one->a_begin, one->a_end,
                one->b_begin, one->b_end);
    }
    fputs(found ? "]}\n" : "}\n", out);
    nd_difference_list_free(found);
    return ND_OK;
}
