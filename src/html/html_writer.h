/* Writes the text of a page: white space collapsed as a browser shows it, references decoded, one
 * line for each block. */
#ifndef ND_HTML_HTML_WRITER_H
#define ND_HTML_HTML_WRITER_H

#include "html/html_tokens.h"

/* What stands between the last character and the next one; a larger one replaces a smaller one. */
typedef enum nd_html_gap {
    ND_HTML_NO_GAP,
    ND_HTML_SPACE,
    ND_HTML_TAB, /* between the cells of a row */
    ND_HTML_LINE
} nd_html_gap;

typedef struct nd_html_writer {
    char *out; /* with room for nd_html_text_most of the page */
    size_t length;
    nd_html_gap gap;
} nd_html_writer;

/* The most bytes that the text of a page has: references grow by a fifth at most, and each tag, of
 * three bytes or more, becomes one byte at most. SIZE_MAX: more than memory can hold. */
size_t nd_html_text_most(size_t html_length);

static inline void nd_html_widen_gap(nd_html_writer *writer, nd_html_gap gap) {
    if (writer->gap < gap) writer->gap = gap;
}

/* Appends the text of a token. `verbatim`: white space is kept, as in <pre>. */
void nd_html_write(nd_html_writer *writer, const nd_html_token *token, bool verbatim);

#endif
