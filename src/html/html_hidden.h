/* Which attributes hide an element. */
#ifndef ND_HTML_HTML_HIDDEN_H
#define ND_HTML_HTML_HIDDEN_H

#include "html/html_tokens.h"

/* Whether a start tag says that its element is not shown: hidden, aria-hidden="true", a style with
 * display: none or visibility: hidden, a <dialog> that is not open. */
bool nd_html_is_hidden(const nd_html_token *tag);

#endif
