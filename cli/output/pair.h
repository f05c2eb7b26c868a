/* Two texts and their comparison. */
#ifndef CLI_PAIR_H
#define CLI_PAIR_H

#include "neardup.h"

typedef struct pair_text {
    const char *title; /* the file, or the id */
    char *bytes;       /* UTF-8; owned */
    size_t length;
} pair_text;

typedef struct pair {
    pair_text texts[2];
    nd_compare_options options;
    nd_analyzer_options analyzer;    /* of the options */
    nd_measure measure;              /* that decides */
    nd_anchor_plan anchors;          /* ND_MEASURE_CONTAINMENT */
    nd_comparison *comparison;       /* owned */
    nd_difference_list *differences; /* owned */
} pair;

/* The bytes of a passage in text `side` (0 or 1). */
typedef struct piece {
    size_t begin, end;
} piece;

static inline piece passage_piece(const nd_passage *passage, int side) {
    return side == 0 ? (piece){passage->a_begin, passage->a_end}
                     : (piece){passage->b_begin, passage->b_end};
}

#endif
