/* The stretches of one document that repeat, sorted by where they begin.
 *
 * A text that all others repeat may have more stretches than symbols (ND_REPEATS_KEEP_NONE), and a
 * text whose windows come from many others has one a symbol. So memory has some of them, and the
 * others go to a temporary file. */
#ifndef ND_REPEATS_STRETCH_LIST_H
#define ND_REPEATS_STRETCH_LIST_H

#include "io/sorted_pieces.h"
#include "job/run_context.h"

typedef struct nd_stretch {
    uint64_t begin, end; /* symbols of the text, which has less than 2^32 */
    uint64_t source_text, source_begin;
} nd_stretch;

/* A stretch in three words, which sort as stretches do: by begin, end and source. */
typedef struct nd_stretch_record {
    uint64_t words[3];
} nd_stretch_record;

typedef struct nd_stretch_list {
    nd_progress *progress;
    nd_sorted_pieces pieces;    /* in the file */
    nd_stretch_record *records; /* the others */
    size_t count, capacity, most;
    size_t next;
    bool sorted;
} nd_stretch_list;

void nd_stretch_list_init(nd_stretch_list *list, const nd_run *run);
void nd_stretch_list_free(nd_stretch_list *list);

/* Adds a stretch, or leaves out the one before if others of the same source cover it: in a text
 * that is one character a million times, each window is a stretch. */
nd_status nd_stretch_list_add(nd_stretch_list *list, const nd_stretch *stretch, nd_error *error);
bool nd_stretch_list_is_empty(const nd_stretch_list *list);
void nd_stretch_list_clear(nd_stretch_list *list);

/* Goes to the first stretch, for the first time or again. Until nd_stretch_list_clear none is
 * added.
 */
nd_status nd_stretch_list_begin(nd_stretch_list *list, nd_error *error);
/* Returns the next stretch. *found: there is one. */
nd_status nd_stretch_list_next(nd_stretch_list *list, nd_stretch *stretch, bool *found,
                               nd_error *error);

#endif
