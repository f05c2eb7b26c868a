/* Makes the tokens of two texts, finds the tokens to edit (edit_script.h), and tells them as ranges
 * of bytes. */
#include "base/alloc.h"
#include "base/argument.h"
#include "base/floats.h"
#include "base/status.h"
#include "similarity/edit_script.h"
#include "text/analyzer.h"
#include "text/token_offsets.h"

/* `result` is the first member, so that a pointer to it is a pointer to the whole. */
typedef struct difference_list {
    nd_difference_list result;
    nd_allocator allocator;
    nd_difference *differences;
    size_t capacity;
} difference_list;

typedef struct side {
    const char *name; /* for messages */
    const char *text;
    size_t length;
    nd_token_offsets tokens;
    bool *changed;
    size_t at; /* a token, in a walk over both texts */
} side;

static nd_status make_side(side *s, nd_analyzer *analyzer, const nd_allocator *allocator,
                           nd_error *error) {
    nd_error inner;
    nd_status status = nd_token_offsets_add(&s->tokens, analyzer, s->text, s->length, allocator,
                                            &inner);
    if (status != ND_OK) return nd_fail(error, status, "%s: %s", s->name, inner.message);
    s->changed = nd_allocate_zero(allocator, s->tokens.count, sizeof *s->changed);
    return s->changed ? ND_OK : nd_fail_memory(error, s->tokens.count, "a text's differences");
}

static void free_side(side *s, const nd_allocator *allocator) {
    nd_token_offsets_free(&s->tokens, allocator);
    nd_release(allocator, s->changed);
}

static bool is_changed(const side *s) { return s->at < s->tokens.count && s->changed[s->at]; }

/* ---- places of insertions and removals */

static bool follows_blank(const side *s, size_t token) {
    size_t begin = s->tokens.places[token].begin;
    return begin == 0 || (unsigned char)s->text[begin - 1] <= ' ';
}

/* Of "version 1.1 or version 1.2" either "1 or version 1." or "1.1 or version" may be removed to
 * get "version 1.2". A reader expects the latter: so tokens that only text `s` has, `first` to
 * `last - 1`, change places with equal ones before them, until they begin behind a blank. */
static void move_back(side *s, const side *other, size_t first, size_t last) {
    const uint64_t *hashes = s->tokens.hashes;
    size_t most = first < other->at ? first : other->at, by = 0;
    while (!follows_blank(s, first - by)) {
        if (by == most || s->changed[first - by - 1] || other->changed[other->at - by - 1] ||
            hashes[first - by - 1] != hashes[last - by - 1])
            return;
        by++;
    }
    for (size_t i = 1; i <= by; i++) {
        s->changed[last - i] = false;
        s->changed[first - i] = true;
    }
}

/* Moves back all that only text `s` has. */
static void move_all_back(side *s, side *other) {
    for (s->at = other->at = 0; s->at < s->tokens.count; s->at++, other->at++) {
        size_t first = s->at;
        while (is_changed(s)) s->at++;
        if (s->at > first && !is_changed(other)) move_back(s, other, first, s->at);
        while (is_changed(other)) other->at++;
    }
}

/* ---- tokens that share bytes */

/* Whether a token shares bytes with the one before it. */
static bool shares(const side *s, size_t token) {
    const nd_text_range *places = s->tokens.places;
    return token > 0 && token < s->tokens.count && places[token - 1].end > places[token].begin;
}

/* A difference cannot end inside the bytes of a token. So equal tokens behind a difference change,
 * too, if they share bytes with a token before them. */
static void widen_to_right(side *a, side *b) {
    bool open = false; /* directly behind a difference */
    a->at = b->at = 0;
    while (a->at < a->tokens.count || b->at < b->tokens.count) {
        side *changed = is_changed(a) ? a : is_changed(b) ? b : NULL;
        if (changed) {
            open = true;
            changed->at++;
            continue;
        }
        open = open && (shares(a, a->at) || shares(b, b->at));
        a->changed[a->at++] = b->changed[b->at++] = open;
    }
}

/* The same for equal tokens before a difference. */
static void widen_to_left(side *a, side *b) {
    bool open = false;
    a->at = a->tokens.count;
    b->at = b->tokens.count;
    while (a->at > 0 || b->at > 0) {
        side *changed = a->at > 0 && a->changed[a->at - 1]   ? a
                        : b->at > 0 && b->changed[b->at - 1] ? b
                                                             : NULL;
        if (changed) {
            open = true;
            changed->at--;
            continue;
        }
        open = open && (shares(a, a->at) || shares(b, b->at));
        a->changed[--a->at] = b->changed[--b->at] = open;
    }
}

/* ---- ranges of bytes */

/* Moves behind the changed tokens, and tells their bytes. Returns their number. */
static size_t pass_changed(side *s, size_t *begin, size_t *end) {
    const nd_text_range *places = s->tokens.places;
    size_t first = s->at;
    while (is_changed(s)) s->at++;
    *end = s->at > 0 ? places[s->at - 1].end : 0;
    *begin = s->at > first ? places[first].begin : *end;
    return s->at - first;
}

static nd_status list_differences(side *a, side *b, difference_list *out, nd_error *error) {
    nd_difference_list *result = &out->result;
    for (a->at = b->at = 0; a->at < a->tokens.count || b->at < b->tokens.count;) {
        if (!is_changed(a) && !is_changed(b)) {
            a->at++;
            b->at++;
            result->same_tokens++;
            continue;
        }
        if (!nd_reserve(&out->allocator, &out->differences, &out->capacity, result->count + 1))
            return nd_fail_memory(error, (result->count + 1) * sizeof *out->differences,
                                  "a text's differences");
        nd_difference *d = &out->differences[result->count++];
        d->a_tokens = pass_changed(a, &d->a_begin, &d->a_end);
        d->b_tokens = pass_changed(b, &d->b_begin, &d->b_end);
    }
    size_t tokens = a->tokens.count + b->tokens.count;
    result->differences = out->differences;
    result->a_tokens = a->tokens.count;
    result->b_tokens = b->tokens.count;
    result->same = tokens > 0 ? 2 * (double)result->same_tokens / (double)tokens : 1;
    return ND_OK;
}

/* ---- the list */

static nd_status find(side *a, side *b, difference_list *out, nd_error *error) {
    ND_TRY(nd_edit_script_find(a->tokens.hashes, a->tokens.count, b->tokens.hashes, b->tokens.count,
                               &out->allocator, a->changed, b->changed, &out->result.shortest,
                               error));
    move_all_back(a, b);
    move_all_back(b, a);
    widen_to_right(a, b);
    widen_to_left(a, b);
    return list_differences(a, b, out, error);
}

nd_status nd_differences(nd_analyzer *analyzer, const char *a, size_t length_a, const char *b,
                         size_t length_b, nd_difference_list **out, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(analyzer, "analyzer", error));
    ND_TRY(nd_need_array(a, length_a, "a", error));
    ND_TRY(nd_need_array(b, length_b, "b", error));
    ND_TRY(nd_need(out, "out", error));
    nd_allocator memory = *nd_analyzer_allocator(analyzer);
    difference_list *made = nd_allocate_zero(&memory, 1, sizeof *made);
    if (!made) return nd_fail_memory(error, sizeof *made, "a list of differences");
    made->allocator = memory;
    side of_a = {.name = "a", .text = a ? a : "", .length = length_a},
         of_b = {.name = "b", .text = b ? b : "", .length = length_b};
    nd_status status = make_side(&of_a, analyzer, &memory, error);
    if (status == ND_OK) status = make_side(&of_b, analyzer, &memory, error);
    if (status == ND_OK) status = find(&of_a, &of_b, made, error);
    free_side(&of_a, &memory);
    free_side(&of_b, &memory);
    if (status != ND_OK) {
        nd_difference_list_free(&made->result);
        return status;
    }
    *out = &made->result;
    return ND_OK;
}

void nd_difference_list_free(nd_difference_list *result) {
    if (!result) return;
    difference_list *made = (difference_list *)result;
    nd_allocator allocator = made->allocator;
    nd_release(&allocator, made->differences);
    nd_release(&allocator, made);
}
