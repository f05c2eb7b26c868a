/* Where a text may be cut. A stretch that repeats begins and ends anywhere; what is cut of it are
 * the whole characters, words, lines or sentences in it. */
#ifndef ND_REPEATS_CUT_BOUNDS_H
#define ND_REPEATS_CUT_BOUNDS_H

#include "corpus/record_cuts.h"
#include "repeats/text_units.h"
#include "text/token_offsets.h"

/* One thread's memory. */
typedef struct nd_cut_bounds {
    nd_allocator allocator;
    nd_cut_at at;
    nd_text_units units;   /* lines and sentences */
    nd_analyzer *analyzer; /* of words */
    nd_token_offsets words;
    const char *text; /* the last one */
    size_t length;
} nd_cut_bounds;

/* *bounds is valid for nd_cut_bounds_free in any case. */
nd_status nd_cut_bounds_create(nd_cut_at at, const nd_allocator *allocator, nd_cut_bounds *bounds,
                               nd_error *error);
void nd_cut_bounds_free(nd_cut_bounds *bounds);

/* Finds the bounds of a text, which must outlive the calls of nd_cut_bounds_inside. O(length). */
nd_status nd_cut_bounds_read(nd_cut_bounds *bounds, const char *text, size_t length,
                             nd_error *error);

/* Returns the part of a span that may be cut: from the beginning of the first unit that lies in it
 * to the end of the last one; behind a line and a sentence, its line break or white space is a part
 * of it, also where the span ends before. begin == end: nothing lies in it. */
nd_text_span nd_cut_bounds_inside(const nd_cut_bounds *bounds, nd_text_span span);

/* Returns the part of a span that begins and ends between two characters. */
nd_text_span nd_whole_characters(const char *text, size_t length, nd_text_span span);

#endif
