/* The tokens that the scalar tokenizer makes of a text, as a list that tests compare. */
#ifndef ND_TESTS_SCANNED_TOKENS_H
#define ND_TESTS_SCANNED_TOKENS_H

#include "test.h"
#include "unicode/normalize.h"
#include "unicode/scalar_tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A list of tokens as one string: each token between two bytes that do not occur in UTF-8. */
typedef struct list {
    char *bytes;
    size_t length, capacity, tokens;
    size_t stop_at; /* the callback stops at this token, from 1; 0: never */
} list;

static inline void list_add(list *l, const void *bytes, size_t length) {
    assert_true(nd_reserve(&nd_allocator_default, &l->bytes, &l->capacity, l->length + length + 1));
    memcpy(l->bytes + l->length, bytes, length);
    l->length += length;
    l->bytes[l->length] = '\0';
}

static inline void list_add_token(list *l, const void *token, size_t length) {
    list_add(l, "\xfe", 1);
    list_add(l, token, length);
    list_add(l, "\xff", 1);
    l->tokens++;
}

static inline bool collect(void *context, const nd_token *token) {
    list *l = context;
    list_add_token(l, token->text, token->length);
    return l->tokens != l->stop_at;
}

static inline void list_clear(list *l) { l->length = l->tokens = 0; }

static inline nd_token_sink sink_to(list *l) {
    nd_token_sink sink = {.allocator = nd_allocator_default,
                          .key = nd_hash_key_of(1),
                          .fn = collect,
                          .fn_context = l};
    return sink;
}

/* A copy of exactly its length, so that the sanitizer finds reads outside it. */
static inline char *exact_copy(const char *text, size_t length) {
    char *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    memcpy(copy, text, length);
    return copy;
}

/* Returns the tokens of a text from an offset on, through a callback. Also checks that the sink
 * collects the same hashes without a callback. */
static inline void tokens_from(list *l, bool chars, const char *text, size_t length, size_t from) {
    char *copy = exact_copy(text, length);
    nd_token_sink sink = sink_to(l),
                  hashes = {.allocator = nd_allocator_default, .key = nd_hash_key_of(1)};
    nd_error error = {0};
    size_t stopped = 0, begin = l->length;
    for (int way = 0; way < 2; way++) {
        nd_token_sink *to = way ? &hashes : &sink;
        nd_status status = chars ? nd_scan_chars(to, copy, length, &error)
                                 : nd_scan_words(to, copy, length, from, false, &stopped, &error);
        if (status != ND_OK) fail_msg("%s", error.message);
        if (!chars) assert_int_equal(stopped, length);
    }
    size_t count = 0;
    for (size_t at = begin; at < l->length; count++) {
        size_t end = at;
        while (l->bytes[end] != '\xff') end++;
        assert_true(count < hashes.count);
        assert_true(hashes.hashes[count] ==
                    nd_hash_token(&hashes.key, l->bytes + at + 1, end - at - 1));
        at = end + 1;
    }
    assert_int_equal(count, hashes.count);
    free(hashes.hashes);
    free(copy);
}

static inline void assert_same_list(const list *got, const list *want, const char *text,
                                    size_t length) {
    if (got->length == want->length &&
        (got->length == 0 || memcmp(got->bytes, want->bytes, got->length) == 0))
        return;
    print_error("text:");
    for (size_t i = 0; i < length && i < 200; i++) print_error(" %02x", (unsigned char)text[i]);
    print_error("\ngot:  %.300s\nwant: %.300s\n", got->length ? got->bytes : "",
                want->length ? want->bytes : "");
    fail();
}

static inline size_t put_utf8(char *to, uint32_t cp) {
    unsigned width;
    uint32_t utf8 = nd_utf8_pack(cp, &width);
    for (unsigned i = 0; i < width; i++) to[i] = (char)(utf8 >> 8 * i);
    return width;
}

/* Each function that reads a text tells the offset at which it stops being UTF-8. */
static inline void expect_invalid(const char *text, size_t length, size_t offset) {
    char want[64];
    snprintf(want, sizeof want, "invalid UTF-8 at byte %zu", offset);
    char *copy = exact_copy(text, length);
    nd_token_sink sink = {.allocator = nd_allocator_default, .key = nd_hash_key_of(1)};
    size_t stopped;
    uint64_t hash[2];
    for (int what = 0; what < 4; what++) {
        nd_error error = {0};
        nd_status status = what < 2
                               ? nd_scan_words(&sink, copy, length, 0, what == 1, &stopped, &error)
                           : what == 2 ? nd_scan_chars(&sink, copy, length, &error)
                                       : nd_hash_bare_text(&sink, copy, length, hash, &error);
        assert_int_equal(status, ND_ERR_INPUT);
        assert_int_equal(error.status, ND_ERR_INPUT);
        assert_string_equal(error.message, want);
    }
    free(sink.hashes);
    free(copy);
}

#endif
