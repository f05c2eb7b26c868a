/* Texts inside pages of HTML. */
#ifndef CLI_HTML_TEXT_H
#define CLI_HTML_TEXT_H

#include "output/pair.h"

#include <stdio.h>

/* Writes text for HTML, also for the value of an attribute in double quotes. Characters that HTML
 * does not allow become U+FFFD, and so do controls of direction, which could reverse the text
 * around them. REQUIRES: UTF-8. */
void put_html(FILE *out, const char *text, size_t length);
void put_html_piece(FILE *out, const char *text, piece where);
void put_html_string(FILE *out, const char *text);

#endif
