#include "review/document_differences.h"

#include "output/difference_print.h"

enum { CONTEXT_WORDS = 6 };

nd_status review_no_memory(nd_error *error) {
    if (error) snprintf(error->message, sizeof error->message, "out of memory for a pair");
    return ND_ERR_MEMORY;
}

nd_status document_differences(const review_document *a, const review_document *b,
                               nd_analyzer *analyzer, nd_difference_list **out, nd_error *error) {
    *out = NULL;
    if (!a->text || !b->text) return ND_OK;
    return nd_differences(analyzer, a->text, a->length, b->text, b->length, out, error);
}

differing differing_documents(const review_document *a, const review_document *b,
                              const nd_difference_list *list) {
    return (differing){{a->text, b->text}, {a->length, b->length}, list};
}

nd_status document_differences_print(FILE *out, const review_document *a, const review_document *b,
                                     const review_form *form, nd_error *error) {
    const difference_form shown = {CONTEXT_WORDS, form->differences, form->colour};
    nd_difference_list *list = NULL;
    nd_status status = document_differences(a, b, form->analyzer, &list, error);
    if (status != ND_OK || !list) return status;
    const differing texts = differing_documents(a, b, list);
    fputs("  ", out);
    print_difference_count(out, list);
    putc('\n', out);
    if (!print_differences(out, &texts, &shown)) status = review_no_memory(error);
    nd_difference_list_free(list);
    return status;
}

nd_status document_differences_print_json(FILE *out, const review_document *a,
                                          const review_document *b, nd_analyzer *analyzer,
                                          nd_error *error) {
    nd_difference_list *list = NULL;
    nd_status status = document_differences(a, b, analyzer, &list, error);
    if (status != ND_OK || !list) return status;
    fprintf(out, ",\"same\":%.6f,\"differences\":[", list->same);
    for (size_t i = 0; i < list->count; i++) {
        const nd_difference *one = &list->differences[i];
        fprintf(out, "%s[%zu,%zu,%zu,%zu]", i > 0 ? "," : "", one->a_begin, one->a_end,
                one->b_begin, one->b_end);
    }
    putc(']', out);
    nd_difference_list_free(list);
    return ND_OK;
}
