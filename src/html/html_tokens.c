#include "html/html_tokens.h"

#include <string.h>

void nd_html_scan(nd_html_scanner *scanner, const char *html, size_t length,
                  const nd_html_names *names) {
    *scanner = (nd_html_scanner){.at = html, .end = html + length, .names = names};
}

bool nd_html_begins(const char *at, const char *end, const char *word) {
    for (; *word; word++, at++) {
        if (at == end) return false;
        char c = *at;
        if (c >= 'A' && c <= 'Z') c |= 0x20;
        if (c != *word) return false;
    }
    return true;
}

/* The first byte `c` in [at, end), or `end`. */
static const char *find(const char *at, const char *end, char c) {
    const char *found = at < end ? memchr(at, c, (size_t)(end - at)) : NULL;
    return found ? found : end;
}

/* Behind the first `c`, or `end`. */
static const char *behind(const char *at, const char *end, char c) {
    const char *found = find(at, end, c);
    return found < end ? found + 1 : end;
}

static const char *skip_space(const char *at, const char *end) {
    while (at < end && nd_html_is_space(*at)) at++;
    return at;
}

/* ---- attributes */

/* The attribute of a name; ND_HTML_ATTRIBUTES: one of no interest. Most are told by their length
 * and their first letter. */
static nd_html_attribute attribute_of(const char *name, size_t length) {
    static const struct {
        const char *name;
        nd_html_attribute attribute;
    } of_length[12] = {
        [2] = {"id", ND_HTML_ID},           [4] = {"role", ND_HTML_ROLE},
        [5] = {"class", ND_HTML_CLASS},     [6] = {"hidden", ND_HTML_HIDDEN},
        [7] = {"charset", ND_HTML_CHARSET}, [11] = {"aria-hidden", ND_HTML_ARIA_HIDDEN}};
    if (length >= 12) return ND_HTML_ATTRIBUTES;
    const char *end = name + length;
    if (of_length[length].name && nd_html_begins(name, end, of_length[length].name))
        return of_length[length].attribute;
    if (length == 5 && nd_html_begins(name, end, "style")) return ND_HTML_STYLE;
    if (length == 4 && nd_html_begins(name, end, "open")) return ND_HTML_OPEN;
    if (length == 7 && nd_html_begins(name, end, "content")) return ND_HTML_CONTENT;
    return ND_HTML_ATTRIBUTES;
}

static const char *find_name_end(const char *at, const char *end) {
    /* A name may begin with '='. */
    do at++;
    while (at < end && !nd_html_is_space(*at) && *at != '/' && *at != '>' && *at != '=');
    return at;
}

static const char *find_unquoted_end(const char *at, const char *end) {
    while (at < end && !nd_html_is_space(*at) && *at != '>') at++;
    return at;
}

/* Reads the value behind a name and its '='. NULL: the page ends in it. */
static const char *read_value(const char *at, const char *end, nd_html_slice *value) {
    if (at == end) return NULL;
    if (*at == '"' || *at == '\'') {
        const char *close = find(at + 1, end, *at);
        *value = (nd_html_slice){at + 1, (size_t)(close - at - 1)};
        return close < end ? close + 1 : NULL;
    }
    const char *close = find_unquoted_end(at, end);
    *value = (nd_html_slice){at, (size_t)(close - at)};
    return close;
}

/* Reads one attribute. Returns the place behind it; NULL: the page ends in it. */
static const char *read_attribute(const char *at, const char *end, nd_html_token *token) {
    const char *name = at, *name_end = find_name_end(at, end);
    nd_html_slice value = {name_end, 0};
    at = skip_space(name_end, end);
    if (at < end && *at == '=') {
        at = read_value(skip_space(at + 1, end), end, &value);
        if (!at) return NULL;
    }
    nd_html_attribute attribute = attribute_of(name, (size_t)(name_end - name));
    if (attribute < ND_HTML_ATTRIBUTES && !(token->present >> attribute & 1)) {
        token->present |= 1u << attribute;
        token->values[attribute] = value;
    }
    return at;
}

/* ---- tags */

/* Reads the tag whose name begins at `at`. False: the page ends in it, so it is none. */
static bool read_tag(nd_html_scanner *scanner, const char *at, nd_html_token *token) {
    const char *end = scanner->end, *name = at;
    while (at < end && !nd_html_is_space(*at) && *at != '/' && *at != '>') at++;
    token->name = nd_html_name_key(name, (size_t)(at - name));
    token->element = (nd_html_element)nd_html_names_find(scanner->names, token->name);
    token->present = 0;
    token->self_closing = false;
    while (at && at < end && *at != '>') {
        if (nd_html_is_space(*at)) {
            at++;
        } else if (*at == '/') {
            token->self_closing = ++at < end && *at == '>';
        } else {
            at = read_attribute(at, end, token);
        }
    }
    scanner->at = at && at < end ? at + 1 : end;
    return at && at < end;
}

/* The place behind a comment whose text begins at `at`. */
static const char *skip_comment(const char *at, const char *end) {
    if (at < end && *at == '>') return at + 1;
    if (end - at >= 2 && at[0] == '-' && at[1] == '>') return at + 2;
    for (at = find(at, end, '-'); at < end; at = find(at + 1, end, '-')) {
        if (end - at >= 3 && at[1] == '-' && at[2] == '>') return at + 3;
        if (end - at >= 4 && at[1] == '-' && at[2] == '!' && at[3] == '>') return at + 4;
    }
    return end;
}

const char *nd_html_behind_markup(const char *at, const char *end) {
    bool comment = end - at >= 4 && memcmp(at, "<!--", 4) == 0;
    return comment ? skip_comment(at + 4, end) : behind(at, end, '>');
}

/* A CDATA section: everything up to "]]>" is text. */
static void read_cdata(nd_html_scanner *scanner, const char *at, nd_html_token *token) {
    const char *close = find(at, scanner->end, ']');
    while (scanner->end - close >= 3 && !(close[1] == ']' && close[2] == '>'))
        close = find(close + 1, scanner->end, ']');
    bool closed = scanner->end - close >= 3;
    if (!closed) close = scanner->end;
    token->kind = ND_HTML_LITERAL;
    token->text = (nd_html_slice){at, (size_t)(close - at)};
    scanner->at = closed ? close + 3 : close;
}

/* Reads what a '<' at scanner->at begins. False: nothing that is a token. */
static bool read_markup(nd_html_scanner *scanner, nd_html_token *token) {
    const char *at = scanner->at + 1, *end = scanner->end;
    token->kind = ND_HTML_START_TAG;
    if (at < end && nd_html_is_letter(*at)) return read_tag(scanner, at, token);
    if (at < end && *at == '/') {
        token->kind = ND_HTML_END_TAG;
        if (++at < end && nd_html_is_letter(*at)) return read_tag(scanner, at, token);
        scanner->at = behind(at, end, '>');
        return false;
    }
    if (scanner->foreign && end - at >= 8 && memcmp(at, "![CDATA[", 8) == 0) {
        read_cdata(scanner, at + 8, token);
        return true;
    }
    scanner->at = nd_html_behind_markup(scanner->at, end);
    return false;
}

/* Whether the '<' at `at` begins markup: otherwise it is a character. */
static bool is_markup(const char *at, const char *end) {
    return end - at >= 2 && (nd_html_is_letter(at[1]) || at[1] == '!' || at[1] == '?' ||
                             (at[1] == '/' && end - at >= 3));
}

/* ---- raw elements */

void nd_html_enter_raw(nd_html_scanner *scanner, const nd_html_token *tag) {
    /* Nothing ends <plaintext>: no name has the key 1. */
    scanner->raw = tag->element == ND_TAG_PLAINTEXT ? 1 : tag->name;
    scanner->raw_is_script = tag->element == ND_TAG_SCRIPT;
    scanner->raw_has_references = tag->element == ND_TAG_TITLE || tag->element == ND_TAG_TEXTAREA;
}

/* Whether a tag with the name of the raw element begins behind `at`. */
static bool is_raw_name(const nd_html_scanner *scanner, const char *at) {
    const char *name = at;
    while (at < scanner->end && nd_html_is_letter(*at)) at++;
    if (at == scanner->end || !(nd_html_is_space(*at) || *at == '/' || *at == '>')) return false;
    return nd_html_name_key(name, (size_t)(at - name)) == scanner->raw;
}

/* Behind the first "-->", or `end`. */
static const char *find_arrow(const char *at, const char *end) {
    at = find(at, end, '-');
    while (end - at >= 3 && !(at[1] == '-' && at[2] == '>')) at = find(at + 1, end, '-');
    return end - at >= 3 ? at + 3 : end;
}

/* Where the end tag of the raw element begins. In a script, "<!--" hides scripts in scripts: behind
 * "<!--" and "<script", the next end tag ends only the inner one. "-->" ends that state. */
static const char *find_raw_end(const nd_html_scanner *scanner) {
    const char *end = scanner->end, *hides = NULL;
    bool inner = false;
    for (const char *at = find(scanner->at, end, '<'); at < end; at = find(at + 1, end, '<')) {
        if (hides && at >= hides) hides = NULL, inner = false;
        if (end - at >= 2 && at[1] == '/' && is_raw_name(scanner, at + 2)) {
            if (!inner) return at;
            inner = false;
        } else if (scanner->raw_is_script && !hides && nd_html_begins(at, end, "<!--")) {
            hides = find_arrow(at + 2, end);
        } else if (hides && is_raw_name(scanner, at + 1)) {
            inner = true;
        }
    }
    return end;
}

static void read_raw(nd_html_scanner *scanner, nd_html_token *token) {
    const char *close = find_raw_end(scanner);
    token->kind = scanner->raw_has_references ? ND_HTML_TEXT : ND_HTML_LITERAL;
    token->text = (nd_html_slice){scanner->at, (size_t)(close - scanner->at)};
    scanner->at = close;
    scanner->raw = 0;
}

void nd_html_next(nd_html_scanner *scanner, nd_html_token *token) {
    if (scanner->raw) {
        read_raw(scanner, token);
        return;
    }
    while (scanner->at < scanner->end) {
        const char *text = scanner->at, *at = find(text, scanner->end, '<');
        while (at < scanner->end && !is_markup(at, scanner->end))
            at = find(at + 1, scanner->end, '<');
        if (at > text) {
            token->kind = ND_HTML_TEXT;
            token->text = (nd_html_slice){text, (size_t)(at - text)};
            scanner->at = at;
            return;
        }
        if (read_markup(scanner, token)) return;
    }
    token->kind = ND_HTML_END;
}
