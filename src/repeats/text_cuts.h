/* What was cut out of each text of a run so far, in the order of the texts, and where the bytes of
 * a text that was cut were before. */
#ifndef ND_REPEATS_TEXT_CUTS_H
#define ND_REPEATS_TEXT_CUTS_H

#include "corpus/record_cuts.h"
#include "io/spool.h"

typedef struct nd_text_cuts {
    nd_spool spans; /* nd_text_span */
    nd_spool ends;  /* by text: the number of spans up to its last one, and the bit `left_out` */
} nd_text_cuts;

/* The spans of a text, ascending, with other text between them. Starts
 * zero-initialised. */
typedef struct nd_cuts_of_text {
    nd_text_span *spans;
    size_t *places; /* where each was cut: an offset of the text that is left */
    size_t count, capacity, place_capacity;
    bool left_out; /* the document goes as a whole */
} nd_cuts_of_text;

void nd_text_cuts_init(nd_text_cuts *cuts, const nd_allocator *allocator, nd_temp_space *disk,
                       size_t memory_limit);
void nd_text_cuts_free(nd_text_cuts *cuts);

/* Adds the spans of the next text. */
nd_status nd_text_cuts_add(nd_text_cuts *cuts, const nd_cuts_of_text *spans, nd_error *error);
/* Reads the spans of a text. */
nd_status nd_text_cuts_find(const nd_text_cuts *cuts, uint64_t text, nd_cuts_of_text *out,
                            nd_error *error);

void nd_cuts_of_text_free(nd_cuts_of_text *cuts, const nd_allocator *allocator);

/* Returns where bytes of the text that is left were. REQUIRES: one byte or more. */
nd_text_span nd_uncut_span(const nd_cuts_of_text *cuts, nd_text_span span);

/* Sorts spans, joins the ones that touch, and returns how many are left. */
size_t nd_join_spans(nd_text_span *spans, size_t count);

/* Moves the rest of a text together, and returns its length. */
size_t nd_cut_text(char *text, size_t length, const nd_cuts_of_text *cuts);

/* Adds spans of the text that is left, ascending and not empty, to what was cut before. */
nd_status nd_cut_more(nd_cuts_of_text *cuts, const nd_text_span *spans, size_t count,
                      const nd_allocator *allocator, nd_error *error);

#endif
