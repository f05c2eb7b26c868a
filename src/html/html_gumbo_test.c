/* The visible text of random pages against the tree of libgumbo, another parser of HTML5: the same
 * characters, apart from white space, are in the elements that are shown.
 *
 * The pages have none of the shapes where the two differ on purpose: text in a table outside of its
 * cells, which stays where it is, and hidden elements that are opened and ended across
 * formatting elements (html_open.h); <noscript>, which is parsed here as a browser with
 * scripts does; control characters, of which libgumbo replaces some;
 * two unknown elements, which are one to libgumbo. */
#include "html/html.h"

#include "base/limits.h"
#include "test.h"

#include <gumbo.h>
#include <stdlib.h>
#include <string.h>

enum { PAGES = ND_LIMIT(400000, 100000), MOST_PIECES = 24, MOST_BYTES = 1024 };

typedef struct text {
    char bytes[4 * MOST_BYTES];
    size_t length;
    bool has_title;
} text;

static void append_visible(text *t, const char *bytes, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (!strchr(" \n\t\r\f", bytes[i])) t->bytes[t->length++] = bytes[i];
}

/* ---- the oracle */

static bool is_dropped(const GumboElement *element) {
    static const GumboTag tags[] = {
        GUMBO_TAG_SCRIPT,   GUMBO_TAG_STYLE,  GUMBO_TAG_TEMPLATE, GUMBO_TAG_NAV,   GUMBO_TAG_BUTTON,
        GUMBO_TAG_TEXTAREA, GUMBO_TAG_IFRAME, GUMBO_TAG_OBJECT,   GUMBO_TAG_VIDEO, GUMBO_TAG_SVG};
    const GumboAttribute *aria = gumbo_get_attribute(&element->attributes, "aria-hidden");
    const GumboAttribute *style = gumbo_get_attribute(&element->attributes, "style");
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
        if (element->tag == tags[i]) return true;
    return gumbo_get_attribute(&element->attributes, "hidden") ||
           (aria && strcmp(aria->value, "true") == 0) ||
           (style && strcmp(style->value, "display:none") == 0);
}

static void collect(const GumboNode *node, text *t) {
    if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_CDATA)
        append_visible(t, node->v.text.text, strlen(node->v.text.text));
    if (node->type != GUMBO_NODE_ELEMENT) return;
    const GumboElement *element = &node->v.element;
    bool is_page = element->tag == GUMBO_TAG_HTML || element->tag == GUMBO_TAG_HEAD ||
                   element->tag == GUMBO_TAG_BODY;
    if (!is_page && is_dropped(element)) return;
    if (element->tag == GUMBO_TAG_TITLE) {
        if (t->has_title) return;
        t->has_title = true;
    }
    for (unsigned i = 0; i < element->children.length; i++) collect(element->children.data[i], t);
}

static void check_page(nd_html_reader *reader, const char *html, size_t length) {
    text expected = {.length = 0}, found = {.length = 0};
    const char *visible;
    size_t visible_length;
    GumboOutput *tree = gumbo_parse_with_options(&kGumboDefaultOptions, html, length);
    collect(tree->root, &expected);
    gumbo_destroy_output(&kGumboDefaultOptions, tree);
    assert_int_equal(
        nd_html_text(reader, html, length, ND_HTML_VISIBLE, &visible, &visible_length, NULL),
        ND_OK);
    append_visible(&found, visible, visible_length);
    if (found.length == expected.length && memcmp(found.bytes, expected.bytes, found.length) == 0)
        return;
    print_error("page:    %.*s\nlibgumbo: %.*s\nfound:    %.*s\n", (int)length, html,
                (int)expected.length, expected.bytes, (int)found.length, found.bytes);
    fail();
}

static void check_random(const char *const *pieces, size_t count, unsigned rounds) {
    nd_html_reader *reader;
    uint64_t seed = 1;
    assert_int_equal(nd_html_reader_create(NULL, &reader, NULL), ND_OK);
    for (unsigned round = 0; round < rounds; round++) {
        char html[MOST_BYTES] = "<body>";
        size_t length = strlen(html), left = random_below(&seed, MOST_PIECES);
        for (; left > 0; left--) {
            const char *piece = pieces[random_below(&seed, count)];
            memcpy(html + length, piece, strlen(piece));
            length += strlen(piece);
        }
        check_page(reader, html, length);
    }
    nd_html_reader_free(reader);
}

/* ---- the pages */

/* Where tags, comments, references and raw elements begin and end. */
static void test_tokens(void **state) {
    (void)state;
    static const char *const pieces[] = {
        "<",     ">",      "/",       "!",         "-",          "--",          "?",
        "&",     "#",      ";",       "x",         "\"",         "'",           "=",
        " ",     "\n",     "a",       "9",         "<b",         "</b",         "<!--",
        "-->",   "<!-",    "--!>",    "&am",       "&amp",       "&lt;",        "&#x4",
        "&#1",   "&not",   "&notin",  "<script",   "</script",   "<style>",     "</style>",
        "<xmp>", "</xmp>", "<title>", "</title>",  "<textarea>", "</textarea>", "<p ",
        "class", "<i/>",   "</ ",     "<!doctype", "\u00e9"};
    check_random(pieces, sizeof pieces / sizeof *pieces, test_rounds(PAGES));
}

/* Which elements are open: blocks and ordinary elements. */
static void test_blocks(void **state) {
    (void)state;
    static const char *const pieces[] = {"1",
                                         "2",
                                         "3",
                                         "<div>",
                                         "</div>",
                                         "<div hidden>",
                                         "<p>",
                                         "</p>",
                                         "<p style=display:none>",
                                         "<ul>",
                                         "</ul>",
                                         "<li>",
                                         "<li hidden>",
                                         "</li>",
                                         "<h1>",
                                         "<h2 hidden>",
                                         "</h1>",
                                         "</h2>",
                                         "<span hidden>",
                                         "<span>",
                                         "</span>",
                                         "<button>",
                                         "</button>",
                                         "<nav>",
                                         "</nav>",
                                         "<dl>",
                                         "<dt>",
                                         "<dd hidden>",
                                         "</dl>",
                                         "<x-y hidden>",
                                         "</x-y>",
                                         "<br>",
                                         "<hr>",
                                         "<pre>",
                                         "</pre>",
                                         "<svg>",
                                         "</svg>",
                                         "<object>",
                                         "</object>",
                                         "<template>",
                                         "<section hidden>",
                                         "</section>",
                                         "</template>",
                                         "<video>",
                                         "</video>",
                                         "<form>",
                                         "</form>"};
    check_random(pieces, sizeof pieces / sizeof *pieces, test_rounds(PAGES));
}

/* The same of formatting elements between blocks. */
static void test_formatting(void **state) {
    (void)state;
    static const char *const pieces[] = {
        "1",         "2",          "3",      "<div>",  "</div>",      "<div hidden>", "<p>",
        "</p>",      "<p hidden>", "<b>",    "</b>",   "<i>",         "</i>",         "<a>",
        "</a>",      "<ul>",       "</ul>",  "<li>",   "<li hidden>", "</li>",        "<button>",
        "</button>", "<nav>",      "</nav>", "<span>", "</span>"};
    check_random(pieces, sizeof pieces / sizeof *pieces, test_rounds(PAGES));
}

/* Tables, also inside cells. */
static void test_tables(void **state) {
    (void)state;
    static const char *const pieces[] = {"<table>",
                                         "<table>",
                                         "</table>",
                                         "<tr>",
                                         "<tr hidden>",
                                         "</tr>",
                                         "<td>1",
                                         "<td hidden>2",
                                         "</td>",
                                         "<th>3",
                                         "<th hidden><p>4",
                                         "</th>",
                                         "<tbody hidden>",
                                         "<tbody>",
                                         "</tbody>",
                                         "<caption hidden>5",
                                         "<caption>6",
                                         "</caption>",
                                         "<td><div hidden>7",
                                         "<td><b>8</b></div>"};
    check_random(pieces, sizeof pieces / sizeof *pieces, test_rounds(PAGES));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_formatting),
        cmocka_unit_test(test_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
