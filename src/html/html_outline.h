/* The lines of a page's text, and the elements that hold them, recorded by the walk for the rules
 * of the main content. */
#ifndef ND_HTML_HTML_OUTLINE_H
#define ND_HTML_HTML_OUTLINE_H

#include "base/alloc.h"
#include "html/html_cues.h"
#include "html/html_open.h"

/* An element that is a block, or has a cue. They are in the order of the page; 0 is the page. */
typedef struct nd_html_node {
    uint32_t parent;
    unsigned cues;  /* also of all elements around it */
    uint64_t score; /* for html_main */
} nd_html_node;

typedef struct nd_html_line {
    size_t begin, end; /* of its text */
    size_t linked;     /* bytes of it that are text of links */
    unsigned cues;
    uint32_t node;
} nd_html_line;

/* Zero-initialised except `allocator`. */
typedef struct nd_html_outline {
    nd_allocator allocator;
    nd_html_cue_words words;
    nd_html_node *nodes;
    nd_html_line *lines;
    size_t node_count, node_capacity, line_count, line_capacity;
    bool full; /* memory was short; the outline is not complete */
} nd_html_outline;

void nd_html_outline_begin(nd_html_outline *outline);
void nd_html_outline_clear(nd_html_outline *outline);

/* An element was opened; self->node becomes its node. */
void nd_html_outline_open(nd_html_outline *outline, const nd_html_token *tag, nd_html_open *self);

/* Text was written: [begin, end) of a line, or of a further part of the last line. `cues`: besides
 * those of the element. */
typedef struct nd_html_written {
    size_t begin, end;
    bool begins_line, is_link;
    unsigned cues;
} nd_html_written;
void nd_html_outline_add(nd_html_outline *outline, const nd_html_written *written, uint32_t node);

#endif
