/* What the elements around a line tell about it: their kinds, and the words of their classes, ids
 * and roles. */
#ifndef ND_HTML_HTML_CUES_H
#define ND_HTML_HTML_CUES_H

#include "html/html_tokens.h"

/* Bits; an element has the cues of its parent, too. */
enum {
    ND_HTML_IN_TITLE = 1 << 0,
    ND_HTML_IN_MAIN = 1 << 1, /* <main>, or role="main" */
    ND_HTML_IN_ARTICLE = 1 << 2,
    ND_HTML_IN_HEADER = 1 << 3,
    ND_HTML_IN_FOOTER = 1 << 4,
    ND_HTML_IN_ASIDE = 1 << 5,
    ND_HTML_IN_FORM = 1 << 6,
    ND_HTML_IN_CAPTION = 1 << 7, /* <figcaption> */
    ND_HTML_IN_LIST = 1 << 8,    /* <ul> */
    ND_HTML_IN_P = 1 << 9,
    ND_HTML_IN_QUOTE = 1 << 10,
    ND_HTML_IN_H1 = 1 << 11,
    ND_HTML_IN_H2 = 1 << 12,
    ND_HTML_IN_LOW_HEADING = 1 << 13, /* <h3> to <h6> */
    ND_HTML_FOOTER_WORD = 1 << 14,
    ND_HTML_MENU_WORD = 1 << 15,
    ND_HTML_OVERLAY_WORD = 1 << 16,
    ND_HTML_COMMENT_WORD = 1 << 17,
    ND_HTML_RELATED_WORD = 1 << 18,
    ND_HTML_BYLINE_WORD = 1 << 19
};

/* From the words of classes to cues. */
typedef struct nd_html_cue_words {
    nd_html_names words; /* the cue is 1 << the element's number */
} nd_html_cue_words;

void nd_html_cue_words_fill(nd_html_cue_words *words);

/* The cues of a start tag itself. */
unsigned nd_html_cues_of(const nd_html_cue_words *words, const nd_html_token *tag);

#endif
