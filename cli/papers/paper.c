#include "papers/paper.h"

#include "output/excerpt.h"

#include <stdlib.h>
#include <string.h>

/* Characters of a passage that are shown at either side of the part that is left out. */
enum { SHOWN = 500 };

/* NULL: out of memory. */
static char *copy_of(const char *text, size_t length) {
    char *copy = malloc(length + 1);
    if (!copy) return NULL;
    if (length > 0) memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

static bool name_copy(paper_name *to, const char *id, size_t length, const char *file,
                      uint64_t line) {
    *to = (paper_name){copy_of(id, length), copy_of(file, strlen(file)), length, line};
    return to->id && to->file;
}

static void name_free(paper_name *name) {
    free(name->id);
    free(name->file);
}

bool paper_begin(paper *p, const nd_query_share *share) {
    paper_free(p);
    p->share = *share;
    p->length = share->text_length;
    if (p->length > PAPER_TEXT) p->length = character_begin(share->text, PAPER_TEXT);
    p->text = copy_of(share->text, p->length);
    return name_copy(&p->name, share->id, share->id_length, share->file, share->line) && p->text;
}

bool paper_add_source(paper *p, const nd_source_share *share) {
    if (p->source_count == PAPER_SOURCES) return true;
    paper_source *to = &p->sources[p->source_count++];
    to->source = share->source;
    to->found = share->found;
    return name_copy(&to->name, share->id, share->id_length, share->file, share->line);
}

void paper_parts(const char *text, piece where, piece *head, piece *tail) {
    excerpt_parts(text, where, SHOWN, head, tail);
}

/* Keeps the parts of the source's text that are shown. */
static bool keep_text(paper_passage *to, const nd_found_passage *found) {
    const nd_passage *p = &found->passage;
    piece head, tail;
    paper_parts(found->source_text, (piece){0, p->b_end - p->b_begin}, &head, &tail);
    size_t behind = tail.end - tail.begin;
    to->head = head.end - head.begin;
    to->length = to->head + behind;
    to->whole = p->b_end - p->b_begin;
    to->text = malloc(to->length + 1);
    if (!to->text) return false;
    memcpy(to->text, found->source_text + head.begin, to->head);
    if (behind > 0) memcpy(to->text + to->head, found->source_text + tail.begin, behind);
    return true;
}

static size_t number_of(const paper *p, uint64_t source) {
    for (size_t i = 0; i < p->source_count; i++)
        if (p->sources[i].source == source) return i + 1;
    return 0;
}

bool paper_add_passage(paper *p, const nd_found_passage *found) {
    if (p->passage_count == PAPER_PASSAGES || found->passage.a_end > p->length) return true;
    if (p->passage_count == p->passage_capacity) {
        size_t capacity = p->passage_capacity ? 2 * p->passage_capacity : 64;
        paper_passage *larger = realloc(p->passages, capacity * sizeof *larger);
        if (!larger) return false;
        p->passages = larger;
        p->passage_capacity = capacity;
    }
    paper_passage *to = &p->passages[p->passage_count++];
    *to = (paper_passage){.where = passage_piece(&found->passage, 0),
                          .number = number_of(p, found->source),
                          .tokens = found->passage.tokens};
    return name_copy(&to->name, found->source_id, found->source_id_length, found->source_file,
                     found->source_line) &&
           (!found->source_text || keep_text(to, found));
}

void paper_free(paper *p) {
    name_free(&p->name);
    free(p->text);
    for (size_t i = 0; i < p->source_count; i++) name_free(&p->sources[i].name);
    for (size_t i = 0; i < p->passage_count; i++) {
        name_free(&p->passages[i].name);
        free(p->passages[i].text);
    }
    free(p->passages);
    *p = (paper){.text = NULL};
}
