#include "explain/shingle_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for `need` elements. */
static bool reserve(void **array, size_t *capacity, size_t need, size_t size) {
    if (need <= *capacity) return true;
    size_t larger = 2 * need;
    void *memory = realloc(*array, larger * size);
    if (!memory) return false;
    *array = memory;
    *capacity = larger;
    return true;
}

/* nd_token_fn. False: out of memory. */
static bool take_token(void *context, const nd_token *token) {
    shingle_list *l = context;
    size_t end = l->byte_count + token->length + l->blank;
    if (!reserve((void **)&l->bytes, &l->byte_capacity, end, 1) ||
        !reserve((void **)&l->begins, &l->begin_capacity, l->tokens + 2, sizeof *l->begins))
        return false;
    memcpy(l->bytes + l->byte_count, token->text, token->length);
    if (l->blank) l->bytes[end - 1] = ' ';
    l->begins[l->tokens++] = l->byte_count;
    l->begins[l->tokens] = l->byte_count = end;
    return true;
}

static nd_status take(shingle_list *l, nd_analyzer *analyzer, const pair_text *text,
                      nd_error *error) {
    nd_shingles shingles;
    nd_status status = nd_analyze(analyzer, text->bytes, text->length, &shingles, error);
    if (status != ND_OK) return status;
    l->count = shingles.count;
    l->hashes = malloc(shingles.count * sizeof *l->hashes);
    if (l->hashes) {
        memcpy(l->hashes, shingles.hashes, shingles.count * sizeof *l->hashes);
        status = nd_tokenize(analyzer, text->bytes, text->length, take_token, l, error);
    }
    if (l->hashes && status != ND_ERR_CANCELLED) return status;
    snprintf(error->message, sizeof error->message, "out of memory for an explanation");
    return ND_ERR_MEMORY;
}

nd_status shingle_list_take(shingle_list *list, const nd_analyzer_options *options,
                            const pair_text *text, nd_error *error) {
    nd_analyzer *analyzer = NULL;
    list->ngram = options->ngram;
    list->blank = options->kind != ND_CHARS;
    nd_status status = nd_analyzer_create(options, NULL, &analyzer, error);
    if (status == ND_OK) status = take(list, analyzer, text, error);
    nd_analyzer_free(analyzer);
    return status;
}

void shingle_list_free(shingle_list *list) {
    free(list->hashes);
    free(list->bytes);
    free(list->begins);
}

const char *shingle_list_name(const shingle_list *list, size_t shingle, size_t *length) {
    static const char whole[] = "(the whole text)";
    *length = sizeof whole - 1;
    if (list->tokens == 0) return whole;
    size_t tokens = list->tokens < list->ngram ? list->tokens : list->ngram,
           begin = list->begins[shingle];
    *length = list->begins[shingle + tokens] - list->blank - begin;
    return list->bytes + begin;
}
