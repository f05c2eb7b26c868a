/* Which lines of a page are its main content. */
#ifndef ND_HTML_HTML_MAIN_H
#define ND_HTML_HTML_MAIN_H

#include "html/html_outline.h"

/* Removes the other lines from the text. Returns its new length. O(length of the text + elements).
 */
size_t nd_html_keep_main(nd_html_outline *outline, char *text, size_t length);

#endif
