/* Recognises HTML, and finds the charset that it declares. */
#include <string.h>

#include "html/html.h"
#include "html/html_tokens.h"

/* ---- the charset */

static const char *skip_space(const char *at, const char *end) {
    while (at < end && nd_html_is_space(*at)) at++;
    return at;
}

/* The charset in a value of the attribute "content", such as "text/html; charset=utf-8". */
static bool find_in_content(nd_html_slice content, nd_html_slice *name) {
    const char *at = content.bytes, *end = at + content.length;
    for (; end - at > 7; at++) {
        if (!nd_html_begins(at, end, "charset")) continue;
        const char *value = skip_space(at + 7, end), *close;
        if (value == end || *value != '=') continue;
        value = skip_space(value + 1, end);
        bool quoted = value < end && (*value == '"' || *value == '\'');
        char quote = quoted ? *value++ : ';';
        for (close = value; close < end && *close != quote; close++)
            if (!quoted && nd_html_is_space(*close)) break;
        *name = (nd_html_slice){value, (size_t)(close - value)};
        return name->length > 0;
    }
    return false;
}

static bool find_in_meta(const nd_html_token *tag, nd_html_slice *name) {
    if (tag->present >> ND_HTML_CHARSET & 1) {
        nd_html_slice value = tag->values[ND_HTML_CHARSET];
        const char *end = value.bytes + value.length, *at = skip_space(value.bytes, end);
        while (end > at && nd_html_is_space(end[-1])) end--;
        *name = (nd_html_slice){at, (size_t)(end - at)};
        return name->length > 0;
    }
    return (tag->present >> ND_HTML_CONTENT & 1) &&
           find_in_content(tag->values[ND_HTML_CONTENT], name);
}

bool nd_html_meta_charset(const char *bytes, size_t length, const char **name,
                          size_t *name_length) {
    nd_html_names names;
    nd_html_scanner scanner;
    nd_html_token token;
    nd_html_slice found;
    nd_html_names_fill(&names);
    nd_html_scan(&scanner, bytes, length < ND_HTML_META_REACH ? length : ND_HTML_META_REACH,
                 &names);
    do {
        nd_html_next(&scanner, &token);
        if (token.kind != ND_HTML_START_TAG || token.element != ND_TAG_META) continue;
        if (!find_in_meta(&token, &found)) continue;
        *name = found.bytes;
        *name_length = found.length;
        return true;
    } while (token.kind != ND_HTML_END);
    return false;
}

/* ---- recognising */

/* Whether the tag whose name begins at `at` is of an element of HTML. */
static bool is_element(const char *at, const char *end) {
    const char *name = at;
    nd_html_names names;
    nd_html_names_fill(&names);
    while (at < end && !nd_html_is_space(*at) && *at != '/' && *at != '>') at++;
    nd_html_element element = (nd_html_element)nd_html_names_find(
        &names, nd_html_name_key(name, (size_t)(at - name)));
    return at < end && element != ND_TAG_OTHER && element != ND_TAG_SVG && element != ND_TAG_MATH;
}

bool nd_html_is(const char *bytes, size_t length) {
    const char *at = bytes, *end = bytes + length;
    if (length >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) at += 3;
    for (;;) {
        at = skip_space(at, end);
        if (end - at < 3 || *at != '<') return false;
        if (nd_html_is_letter(at[1])) return is_element(at + 1, end);
        if (nd_html_begins(at, end, "<!doctype"))
            return nd_html_begins(skip_space(at + 9, end), end, "html");
        if (at[1] != '?' && !nd_html_begins(at, end, "<!--")) return false;
        at = nd_html_behind_markup(at, end);
    }
}
