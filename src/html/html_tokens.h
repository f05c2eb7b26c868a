/* Cuts HTML into tags and text by the rules of the HTML Living Standard, section 13.2.5
 * (tokenization). Comments, document types and NULs of tags are passed over. Time is linear in the
 * page: each byte is looked at a constant number of times. */
#ifndef ND_HTML_HTML_TOKENS_H
#define ND_HTML_HTML_TOKENS_H

#include <stdbool.h>

#include "html/html_elements.h"

typedef struct nd_html_slice {
    const char *bytes; /* as they stand in the page */
    size_t length;
} nd_html_slice;

typedef enum nd_html_token_kind {
    ND_HTML_TEXT,    /* characters, with references such as &amp; */
    ND_HTML_LITERAL, /* characters that have no references: <xmp>, <plaintext>, CDATA sections */
    ND_HTML_START_TAG,
    ND_HTML_END_TAG,
    ND_HTML_END /* of the page */
} nd_html_token_kind;

/* The attributes that are of interest; of two with one name the first counts. */
typedef enum nd_html_attribute {
    ND_HTML_ID,
    ND_HTML_CLASS,
    ND_HTML_ROLE,
    ND_HTML_STYLE,
    ND_HTML_HIDDEN,
    ND_HTML_ARIA_HIDDEN,
    ND_HTML_OPEN,
    ND_HTML_CHARSET,
    ND_HTML_CONTENT,
    ND_HTML_ATTRIBUTES
} nd_html_attribute;

typedef struct nd_html_token {
    nd_html_token_kind kind;
    nd_html_slice text; /* of ND_HTML_TEXT and ND_HTML_LITERAL */
    /* Of tags: */
    uint64_t name; /* nd_html_name_key */
    nd_html_element element;
    bool self_closing;
    unsigned present; /* bit 1 << attribute; their values are in the next member */
    nd_html_slice values[ND_HTML_ATTRIBUTES];
} nd_html_token;

typedef struct nd_html_scanner {
    const char *at, *end;
    const nd_html_names *names;
    /* Set by the caller when it knows that it is inside <svg> or <math>: there CDATA sections
     * exist, and no element is raw. */
    bool foreign;
    uint64_t raw; /* the name of the raw element whose content comes next; 0: none */
    bool raw_has_references, raw_is_script;
} nd_html_scanner;

void nd_html_scan(nd_html_scanner *scanner, const char *html, size_t length,
                  const nd_html_names *names);

/* Fills *token with the next one. The text between two tags may come in several tokens. */
void nd_html_next(nd_html_scanner *scanner, nd_html_token *token);

/* The caller has seen the start tag of a raw element (ND_HTML_RAW): its content comes next. */
void nd_html_enter_raw(nd_html_scanner *scanner, const nd_html_token *tag);

static inline bool nd_html_is_space(char c) {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}
static inline bool nd_html_is_letter(char c) {
    return (unsigned)((unsigned char)c | 0x20) - 'a' < 26;
}

/* The place behind a comment, a document type or the like, whose '<' is at `at`. */
const char *nd_html_behind_markup(const char *at, const char *end);

/* Whether bytes begin with a lower-case ASCII word, in any case. */
bool nd_html_begins(const char *at, const char *end, const char *word);

#endif
