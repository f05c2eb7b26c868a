#include "review/review_texts.h"

#include "output/complain.h"

#include <stdlib.h>
#include <string.h>

/* The documents that are wanted, by line and source. */
typedef struct search {
    review_document **wanted;
    size_t count, found;
    bool no_memory;
} search;

static int compare_position(uint64_t line, const char *source, const review_document *d) {
    if (line != d->line) return line < d->line ? -1 : 1;
    return strcmp(source, d->source);
}

static int by_position(const void *a, const void *b) {
    const review_document *x = *(review_document *const *)a;
    return compare_position(x->line, x->source, *(review_document *const *)b);
}

/* The index of the first wanted document that is not before a position. */
static size_t first_at(const search *s, uint64_t line, const char *source) {
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_position(line, source, s->wanted[middle]) > 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

static bool take_text(review_document *d, const nd_text *text) {
    size_t length = text->length < REVIEW_TEXT_MOST ? text->length : REVIEW_TEXT_MOST;
    length = nd_utf8_valid_prefix(text->text, length);
    d->text = malloc(length + 1);
    if (!d->text) return false;
    memcpy(d->text, text->text, length);
    d->text[length] = '\0';
    d->length = length;
    d->whole = text->length;
    return true;
}

/* The inputs may have changed since the table was written. */
static bool is_same_id(const review_document *d, const nd_text *text) {
    return d->id_length == text->id_length && memcmp(d->id, text->id, d->id_length) == 0;
}

/* nd_text_fn */
static bool look_at(void *context, const nd_text *text) {
    search *s = context;
    for (size_t i = first_at(s, text->line, text->source);
         i < s->count && compare_position(text->line, text->source, s->wanted[i]) == 0; i++) {
        if (s->wanted[i]->text || !is_same_id(s->wanted[i], text)) continue;
        s->no_memory = !take_text(s->wanted[i], text);
        if (s->no_memory) return false;
        s->found++;
    }
    return s->found < s->count;
}

nd_status review_texts_read(const nd_input_options *input, const nd_resources *resources,
                            review_document **documents, size_t count, size_t *missing,
                            nd_error *error) {
    search s = {.wanted = documents};
    for (size_t i = 0; i < count; i++)
        if (documents[i]->line > 0) documents[s.count++] = documents[i];
    nd_status status = ND_OK;
    if (s.count > 0) {
        qsort(s.wanted, s.count, sizeof *s.wanted, by_position);
        status = nd_texts(input, look_at, &s, resources, NULL, error);
    }
    if (status == ND_ERR_CANCELLED && s.found == s.count) status = ND_OK;
    if (s.no_memory) {
        status = ND_ERR_MEMORY;
        if (error) snprintf(error->message, sizeof error->message, "out of memory for texts");
    }
    *missing = s.count - s.found;
    return status;
}

nd_status review_list_texts_read(const nd_input_options *input, const nd_resources *resources,
                                 review_list *list, size_t *missing, nd_error *error) {
    size_t count = 2 * list->count;
    review_document **documents = malloc((count + 1) * sizeof *documents);
    if (!documents) {
        if (error) snprintf(error->message, sizeof error->message, "out of memory for texts");
        return ND_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; i++) documents[i] = &list->pairs[i / 2].documents[i % 2];
    nd_status status = review_texts_read(input, resources, documents, count, missing, error);
    free(documents);
    return status;
}

void review_texts_warn(size_t missing, const char *table) {
    if (missing == 0) return;
    complain("warning: %zu of the texts are not in the inputs; name the inputs as %s has them, and "
             "give the same flags as neardup dedup got",
             missing, table);
}
