#include "html/html_hidden.h"

#include <string.h>

/* Behind the white space at `at`. */
static const char *skip(const char *at, const char *end) {
    while (at < end && nd_html_is_space(*at)) at++;
    return at;
}

/* Whether a declaration of a style begins with "PROPERTY: VALUE". */
static bool declares(const char *at, const char *end, const char *property, const char *value) {
    if (!nd_html_begins(at, end, property)) return false;
    at = skip(at + strlen(property), end);
    if (at == end || *at != ':') return false;
    at = skip(at + 1, end);
    if (!nd_html_begins(at, end, value)) return false;
    at += strlen(value);
    return at == end || nd_html_is_space(*at) || *at == ';' || *at == '!';
}

static bool style_hides(nd_html_slice style) {
    const char *at = style.bytes, *end = at + style.length;
    while (at < end) {
        at = skip(at, end);
        if (declares(at, end, "display", "none") || declares(at, end, "visibility", "hidden"))
            return true;
        const char *next = memchr(at, ';', (size_t)(end - at));
        at = next ? next + 1 : end;
    }
    return false;
}

bool nd_html_is_hidden(const nd_html_token *tag) {
    unsigned present = tag->present;
    if (tag->element == ND_TAG_DIALOG && !(present >> ND_HTML_OPEN & 1)) return true;
    if (present >> ND_HTML_HIDDEN & 1) return true;
    if (present >> ND_HTML_ARIA_HIDDEN & 1) {
        nd_html_slice value = tag->values[ND_HTML_ARIA_HIDDEN];
        if (value.length == 4 && nd_html_begins(value.bytes, value.bytes + 4, "true")) return true;
    }
    return (present >> ND_HTML_STYLE & 1) && style_hides(tag->values[ND_HTML_STYLE]);
}
