/* Walks over a page, once: writes its visible text. */
#ifndef ND_HTML_HTML_WALK_H
#define ND_HTML_HTML_WALK_H

#include "html/html_open.h"
#include "html/html_outline.h"
#include "html/html_writer.h"

typedef struct nd_html_walk {
    nd_html_names names;
    nd_html_scanner scanner;
    nd_html_stack stack;
    nd_html_writer writer;
    nd_html_outline *outline; /* filled, unless it is NULL */
    bool reveals;             /* <noscript> and what attributes hide are text, too */
    unsigned dropped;         /* elements that are open and whose text is not visible */
    unsigned verbatim;        /* elements that are open and keep white space */
    bool has_title;           /* the next one is no text */
    bool has_form;            /* no </form> has come yet: the next <form> is ignored */
} nd_html_walk;

/* Once, before the first page. */
void nd_html_walk_init(nd_html_walk *walk);

/* Writes the text to `out`, which has room for nd_html_text_most(length) bytes. Returns its length.
 * `outline`, unless it is NULL, is filled with the lines. O(length). */
size_t nd_html_walk_page(nd_html_walk *walk, const char *html, size_t length, char *out,
                         nd_html_outline *outline);

#endif
