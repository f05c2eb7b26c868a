/* The text of HTML pages.
 *
 * The parser is the house's own, and a single pass: html_tokens cuts the page into tags and text,
 * html_open knows which elements are open, html_writer writes the visible text, html_walk joins
 * them. For the main content the same walk records the lines of the text and the elements that hold
 * them (html_outline), and html_main removes lines.
 *
 * Why not a library: libgumbo 0.10 makes a tree at 35 MB a second, and in quadratic time where
 * elements are nested deeply: 400 KB of <div> take it 20 s. Here the visible text is found at more
 * than 1 GB a second and the main content at .8 (bench/quality --part html), and no page takes more
 * than linear time (html_open_test). Neither text needs a tree. html_gumbo_test holds this parser
 * against libgumbo on random pages. */
#ifndef ND_HTML_HTML_H
#define ND_HTML_HTML_H

#include "neardup.h"

typedef enum nd_html_part {
    ND_HTML_VISIBLE, /* the title and all visible text, except navigation and forms */
    ND_HTML_MAIN     /* of that, the main content of the page */
} nd_html_part;

/* The memory of one thread; reused from page to page. */
typedef struct nd_html_reader nd_html_reader;

/* allocator NULL: the default one. ND_ERR_MEMORY. */
nd_status nd_html_reader_create(const nd_allocator *allocator, nd_html_reader **out,
                                nd_error *error);
/* NULL is accepted. */
void nd_html_reader_free(nd_html_reader *reader);

/* Finds the text of a page: UTF-8 with a line for each block, without empty lines except in <pre>;
 * the cells of a row are separated by tabs. The first line of the visible text is the title; the
 * main content has no title, except a heading. It is empty if no line looks like content.
 *
 * REQUIRES: html is valid UTF-8; the result is, too, and has at most 6/5 of its length. *text is
 * the reader's, until its next call. ND_ERR_MEMORY: the reader can be used on. O(length), however
 * the page is made; memory: 6/5 of the length, and for the main content 24 bytes more for each
 * element and 40 for each line. */
nd_status nd_html_text(nd_html_reader *reader, const char *html, size_t length, nd_html_part part,
                       const char **text, size_t *text_length, nd_error *error);

/* Finds the charset that a <meta> in the first ND_HTML_META_REACH bytes declares (HTML Living
 * Standard, section 13.2.3.2), in any encoding whose ASCII is ASCII. *name is a part of `bytes`.
 * False: none. */
enum { ND_HTML_META_REACH = 4096 };
bool nd_html_meta_charset(const char *bytes, size_t length, const char **name, size_t *name_length);

/* Whether bytes begin like HTML: behind a byte order mark, white space, comments and an XML
 * declaration comes a document type "html", or the tag of an element that a page or a part of one
 * begins with. */
bool nd_html_is(const char *bytes, size_t length);

#endif
