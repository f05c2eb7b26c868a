/* The tokens that nd_tokenize returns, as a list or as one line. */
#ifndef ND_TESTS_COLLECTED_TOKENS_H
#define ND_TESTS_COLLECTED_TOKENS_H

#include "neardup.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

enum { COLLECTED_TOKENS = 40000, COLLECTED_BYTES = 160000 };

typedef struct token_list {
    nd_token tokens[COLLECTED_TOKENS]; /* their texts are in `bytes` */
    size_t count;
    char bytes[COLLECTED_BYTES];
    size_t used;
} token_list;

/* nd_token_fn */
static inline bool token_list_add(void *context, const nd_token *token) {
    token_list *list = context;
    assert_true(list->count < COLLECTED_TOKENS && list->used + token->length <= COLLECTED_BYTES);
    nd_token *copy = &list->tokens[list->count++];
    *copy = *token;
    copy->text = memcpy(list->bytes + list->used, token->text, token->length);
    list->used += token->length;
    return true;
}

static inline void token_list_fill(token_list *list, nd_analyzer *analyzer, const char *text,
                                   size_t length) {
    list->count = list->used = 0;
    assert_int_equal(nd_tokenize(analyzer, text, length, token_list_add, list, NULL), ND_OK);
}

/* Tokens with '|' between them. */
typedef struct token_line {
    char text[2000];
    size_t count,
        stop_at; /* stop_at: the number of tokens after which the callback stops; 0: never */
} token_line;

/* nd_token_fn */
static inline bool token_line_add(void *context, const nd_token *token) {
    token_line *line = context;
    size_t used = strlen(line->text);
    snprintf(line->text + used, sizeof line->text - used, "%s%.*s", line->count ? "|" : "",
             (int)token->length, token->text);
    return ++line->count != line->stop_at;
}

static inline void expect_tokens(nd_analyzer *analyzer, const char *text, const char *expected) {
    token_line line = {.text = ""};
    assert_int_equal(nd_tokenize(analyzer, text, strlen(text), token_line_add, &line, NULL), ND_OK);
    assert_string_equal(line.text, expected);
}

#endif
