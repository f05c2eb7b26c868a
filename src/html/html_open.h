/* The open elements of a page: which element a start tag ends, and which one an end tag means (HTML
 * Living Standard, sections 13.2.4.2 and 13.2.6.4), as far as that decides which text is visible
 * and between which blocks it stands.
 *
 * It is not the whole algorithm of the standard: text stays in the order of the page (the standard
 * moves text that stands in a table, but in no cell, before the table), and formatting elements are
 * not opened again behind a block that ended them.
 *
 * Every search for an open element takes constant time, so that time is linear in the page however
 * deep elements are nested: an element knows the one of its kind before it, and the next element
 * that end tags do not reach through. Memory is constant: of elements that are nested deeper than
 * ND_HTML_DEEPEST only the text is seen. */
#ifndef ND_HTML_HTML_OPEN_H
#define ND_HTML_HTML_OPEN_H

#include "base/limits.h"
#include "html/html_tokens.h"

enum { ND_HTML_DEEPEST = ND_LIMIT(4096, 24) };

/* Elements are named by their position; 0 is the page itself. */
typedef struct nd_html_open {
    uint64_t name;
    uint32_t same;    /* the open one of the same kind before it; 0: none */
    uint32_t barrier; /* the last one with ND_HTML_BARRIER, itself included */
    uint32_t special; /* the last one with ND_HTML_SPECIAL, itself included */
    uint32_t
        lists_end;   /* the same without <address>, <div> and <p>, which list items reach through */
    uint32_t node;   /* for the user */
    uint8_t element; /* nd_html_element */
    bool ended;      /* alone; the elements opened in it are still open */
    bool foreign;    /* it is of SVG or MathML itself, */
    bool holds_foreign; /* and so are the elements in it */
    bool dropped;       /* its text is not visible */
} nd_html_open;

/* Called when an element ends. */
typedef void nd_html_end_fn(void *context, const nd_html_open *element);

typedef struct nd_html_stack {
    nd_html_open open[ND_HTML_DEEPEST];
    uint32_t top;
    uint32_t last[ND_TAG_COUNT]; /* of each kind; 0: none is open */
    uint64_t work;               /* elements looked at: for tests that it is linear */
    nd_html_end_fn *on_end;
    void *context;
} nd_html_stack;

/* Empties the stack for a page; on_end and context stay. */
void nd_html_stack_begin(nd_html_stack *stack);

/* Ends the elements that the start tag ends. */
void nd_html_stack_make_way(nd_html_stack *stack, const nd_html_token *tag);

/* Opens the element. NULL: it is too deep. */
nd_html_open *nd_html_stack_push(nd_html_stack *stack, const nd_html_token *tag);

/* Ends the element that an end tag means, if there is one. */
void nd_html_stack_end(nd_html_stack *stack, const nd_html_token *tag);

/* Whether one of these elements is open. */
static inline bool nd_html_stack_has(const nd_html_stack *stack, nd_html_element element) {
    return stack->last[element] != 0;
}
static inline const nd_html_open *nd_html_stack_top(const nd_html_stack *stack) {
    return &stack->open[stack->top];
}
/* Whether the next element is of SVG or MathML. */
static inline bool nd_html_stack_in_foreign(const nd_html_stack *stack) {
    return stack->open[stack->top].holds_foreign;
}

#endif
