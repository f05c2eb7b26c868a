/* The text of pages: each rule with a small page, references, broken pages, and failing memory. */
#include "html/html.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static nd_html_reader *reader;

static int create(void **state) {
    (void)state;
    return nd_html_reader_create(NULL, &reader, NULL) != ND_OK;
}

static int destroy(void **state) {
    (void)state;
    nd_html_reader_free(reader);
    return 0;
}

typedef struct example {
    const char *html, *text;
} example;

/* Each page stands in memory that ends where it ends. */
static void check_part(const char *html, size_t length, nd_html_part part, const char *expected) {
    char *exact = malloc(length ? length : 1);
    const char *text;
    size_t text_length;
    memcpy(exact, html, length);
    assert_int_equal(nd_html_text(reader, exact, length, part, &text, &text_length, NULL), ND_OK);
    char *copy = malloc(text_length + 1);
    memcpy(copy, text, text_length);
    copy[text_length] = 0;
    assert_string_equal(copy, expected);
    assert_int_equal(text_length, strlen(expected));
    free(copy);
    free(exact);
}

static void check_bytes(const char *html, size_t length, const char *expected) {
    check_part(html, length, ND_HTML_VISIBLE, expected);
}

#define check_all(examples)                                                                        \
    for (size_t i = 0; i < sizeof(examples) / sizeof *(examples); i++)                             \
    check_bytes((examples)[i].html, strlen((examples)[i].html), (examples)[i].text)

static void test_blocks(void **state) {
    (void)state;
    static const example examples[] = {
        {"", ""},
        {"plain", "plain"},
        {"<!doctype html><title> A  page </title><body><h1>Head</h1><p>One</p><p>Two",
         "A page\nHead\nOne\nTwo"},
        {"<p>a <b>bold</b>, <i>it</i>alic <a href=x>link</a>.</p>", "a bold, italic link."},
        {"<div>a<div>b</div>c</div>", "a\nb\nc"},
        {"a<br>b<br/>c</br>d<hr>e", "a\nb\nc\nd\ne"},
        {"a</p>b", "a\nb"},
        {"<ul><li>one<li>two<ul><li>inner</ul><li>three</ul>", "one\ntwo\ninner\nthree"},
        {"<dl><dt>term<dd>meaning<dt>other<dd>this</dl>", "term\nmeaning\nother\nthis"},
        {"<table><caption>T</caption><tr><th>a<th>b<tr><td>1<td>2</table>x", "T\na\tb\n1\t2\nx"},
        {"<table><tr><td><p>a</p><td><div>b</div>c</table>", "a\nb\nc"},
        {" \n a \t b \f\r\n c ", "a b c"},
        {"a <span> b </span> c", "a b c"},
        {"un<wbr>broken<img src=x>able", "unbrokenable"},
        {"<title>first</title>x<title>second</title>y", "first\nx\ny"},
        {"a\xc2\xa0 \xc2\xa0z", "a\xc2\xa0 \xc2\xa0z"},
    };
    check_all(examples);
}

static void test_pre(void **state) {
    (void)state;
    static const example examples[] = {
        {"a<pre>\n  x\n\n    y  z\n</pre>b", "a\n  x\n\n    y  z\nb"},
        {"<pre>\r\na\r\nb\rc</pre>", "a\nb\nc"},
        {"<pre>a<b> b </b>&#32;c</pre> d  e", "a b  c\nd e"},
        {"<listing>a  b</listing>", "a  b"},
        {"<xmp>a  <b>&amp;</xmp>c", "a  <b>&amp;\nc"},
        {"x<plaintext>a</b></plaintext>", "x\na</b></plaintext>"},
    };
    check_all(examples);
}

static void test_dropped(void **state) {
    (void)state;
    static const example examples[] = {
        {"<head><meta charset=utf-8><style>p{}</style><link href=x><base href=y></head>x", "x"},
        {"a<script>if (x<y) '</p>'</script>b", "ab"},
        {"a<script><!-- <script> </script> hidden --></script>b", "ab"},
        {"a<script><!-- x </script>b", "ab"},
        {"a<script><!--><script></script>b", "ab"},
        {"a<style></styles></style >b", "ab"},
        {"a<noscript><img><p>no</p></noscript>b<template><p>no</p></template>c", "abc"},
        {"a<nav>menu<nav>inner</nav>more</nav>b", "a\nb"},
        {"<form>Name <input value=no><select><option>no<option>no</select>"
         "<textarea><p>no</textarea><button>no</button> end</form>",
         "Name end"},
        {"a<select><option>x<input>b", "ab"},
        {"a<div hidden>no<div>no</div>no</div>b", "a\nb"},
        {"a<span aria-hidden=true>no</span>b<span aria-hidden=false>c</span>", "abc"},
        {"a<p style='color:red; DISPLAY : none'>no</p>b", "a\nb"},
        {"a<p style=\"visibility:hidden!important\">no</p>b", "a\nb"},
        {"a<p style='display:nonesuch'>b</p><p style='x-display:none'>c", "a\nb\nc"},
        {"<dialog>no</dialog><dialog open>a</dialog>", "a"},
        {"a<svg><title>no</title><style><x></style>no</svg>b", "ab"},
        {"a<svg><title><b>no</b></title>no<style><b></style>b</svg>c", "abc"},
        {"a<svg><path d=x /><text>no</text></svg>b", "ab"},
        {"a<svg>no<p>b", "a\nb"},
        {"a<svg><desc><image><p>no</p></desc></svg>b", "ab"},
        {"a<svg><foreignObject><p>no</p></foreignObject></svg>b", "ab"},
        {"a<svg><![CDATA[ <p>no ]]></svg>b<![CDATA[c]]>d", "abd"},
        {"<math><mi>x</mi><mo>=</mo><annotation>no</annotation></math>", "x="},
        {"<ruby>\u6f22<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", "\u6f22kan"},
        {"a<iframe><p>no</iframe><video>no</video><canvas>no</canvas><object>no</object>b", "ab"},
        {"<p hidden>no<p>yes", "yes"},
        {"<table><tr><td hidden>no<td>yes</table>", "yes"},
    };
    check_all(examples);
}

static void test_references(void **state) {
    (void)state;
    static const example examples[] = {
        {"&lt;&gt;&amp;&quot;&apos;", "<>&\"'"},
        {"&notit; &notin; &not &copy2026 &AMP", "\u00acit; \u2209 \u00ac \u00a92026 &"},
        {"&nGt; &NotEqualTilde;", "\u226b\u20d2 \u2242\u0338"},
        {"&CounterClockwiseContourIntegral;", "\u2233"},
        {"&#65;&#x42;&#X43;&#68 &#x;&#;", "ABCD &#x;&#;"},
        {"&#0;&#xd800;&#x110000;&#99999999999999999999;", "\ufffd\ufffd\ufffd\ufffd"},
        {"&#128;&#x9f;", "\u20ac\u0178"},
        {"&nosuch; & &; &", "&nosuch; & &; &"},
        {"a&nbsp;b&#10;&Tab;c", "a\u00a0b c"},
        {"<title>&eacute;</title>", "\u00e9"},
    };
    check_all(examples);
}

static void test_broken(void **state) {
    (void)state;
    static const example examples[] = {
        {"a < b <3 <", "a < b <3 <"},
        {"a</>b</ x>c<?pi x>d<!x>e", "abcde"},
        {"a<!-- > -- > -->b<!-->c<!--->d<!--x--!>e<!-- no", "abcde"},
        {"a<b c='>' d=\">\" e=x/>b", "ab"},
        {"a<b c=\"no end", "a"},
        {"a</b", "a"},
        {"a<p =x =>b", "a\nb"},
        {"<b><p>a</b>b</p>c", "ab\nc"},
        {"<div><span>a</div>b</span>c", "a\nbc"},
        {"<p>a<div>b</p>c", "a\nb\nc"},
        {"<h1>a<h2>b</h1>c", "a\nb\nc"},
        {"<a href=x>1<a href=y>2</a>3", "123"},
        {"<table>a<tr>b<td>c</table>d", "a\nb\tc\nd"},
        {"<td>a</td><tr>b", "a\nb"},
        {"<div hidden><table><tr><td></div>no</table></div>yes", "yes"},
        {"<x-a hidden>no<x-b>no</x-a>yes", "yes"},
        {"<button hidden><p>no</button>yes", "yes"},
        {"<title>never ended<p>a", "never ended<p>a"},
        {"</div></table></a></x>a", "a"},
        {"<P CLASS=x>A<BR>B</P>", "A\nB"},
    };
    check_all(examples);
    check_bytes("a\0b<p\0>c</p\0>d", 14, "abcd");
}

/* ---- the main content */

static void check_main(const char *html, const char *expected) {
    check_part(html, strlen(html), ND_HTML_MAIN, expected);
}

#define FIRST "The bridge over the river was closed on Monday, the council said in a statement."
#define SECOND "Engineers found cracks in two of its pillars; repairs will take until the spring."
#define PARAGRAPHS "<p>" FIRST "</p><p>" SECOND "</p>"
#define TEXT FIRST "\n" SECOND

/* Each rule: a page with a line that is kept, and the same with a line that is not. */
static void test_main_rules(void **state) {
    (void)state;
    check_main("<title>Bridge closed - The Paper</title><div>" PARAGRAPHS "</div>", TEXT);
    check_main("<div>Weather: rain</div><h1>Bridge closed</h1>" PARAGRAPHS, "Bridge closed\n" TEXT);
    check_main("<header><a href=/>The Paper</a></header><h2>Bridge</h2>" PARAGRAPHS,
               "Bridge\n" TEXT);
    check_main("<div>" PARAGRAPHS "</div><footer><p>All rights reserved by us, of course.</footer>",
               TEXT);
    check_main("<div>" PARAGRAPHS "</div><aside><p>" FIRST "</aside>", TEXT);
    check_main("<div>" PARAGRAPHS "</div><figure><img><figcaption>" FIRST "</figcaption></figure>",
               TEXT);
    check_main("<div>" PARAGRAPHS "</div><div class='site-footer'><div>Contact us</div></div>",
               TEXT);
    check_main("<div id=cookieBanner><div>We use cookies, as all others do.</div></div>"
               "<div>" PARAGRAPHS "</div>",
               TEXT);
    check_main("<div>" PARAGRAPHS "</div><div class=relatedPosts><ul><li><a href=x>"
               "A story about another bridge that was closed</a></ul></div>",
               TEXT);
    check_main("<main>" PARAGRAPHS "</main><div>Elsewhere in the paper</div>", TEXT);
    check_main("<div role=main>" PARAGRAPHS "</div><div>Elsewhere in the paper</div>", TEXT);
    check_main("<article>" PARAGRAPHS "</article><div>Elsewhere in the paper</div>", TEXT);
    check_main("<article>" PARAGRAPHS "</article><div id=comments><div>" FIRST "</div></div>",
               TEXT);
    check_main("", "");
    check_main("<nav>a</nav>", "");
}

/* A page that its scripts would show: the text stands in <noscript>, or is hidden. */
static void test_main_revealed(void **state) {
    (void)state;
    check_main("<p>Loading...</p><noscript>" PARAGRAPHS "</noscript>", "Loading...\n" TEXT);
    check_main("<div hidden>" PARAGRAPHS "</div>", TEXT);
    check_main(PARAGRAPHS "<noscript><p>Turn on scripts, please, for all of it.</noscript>", TEXT);
    check_bytes("a<noscript>b</noscript>", 23, "a"); /* the page before left nothing behind */
}

/* ---- whole pages: tests/golden/NAME_page.html, and its texts beside it */

static char *read_golden(const char *name, const char *end, size_t *length) {
    char path[600];
    snprintf(path, sizeof path, "%s/golden/%s%s", ND_TEST_DATA, name, end);
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(1 << 16);
    assert_true(file && bytes);
    *length = fread(bytes, 1, (1 << 16) - 1, file);
    fclose(file);
    bytes[*length] = 0;
    return bytes;
}

/* The texts are stored with a newline at their end. */
static void test_golden(void **state) {
    (void)state;
    static const char *const names[] = {"article_page", "forum_page"};
    static const char *const ends[] = {"_visible.txt", "_main.txt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length, text_length;
        char *html = read_golden(names[i], ".html", &length);
        for (int part = ND_HTML_VISIBLE; part <= ND_HTML_MAIN; part++) {
            char *text = read_golden(names[i], ends[part], &text_length);
            assert_true(text_length > 0);
            text[text_length - 1] = 0;
            check_part(html, length, (nd_html_part)part, text);
            free(text);
        }
        free(html);
    }
}

/* ---- elements that are nested deeply */

/* `times` times a piece, then "x". */
static char *repeat(const char *piece, size_t times, size_t *length) {
    size_t size = strlen(piece);
    char *html = malloc(size * times + 1);
    for (size_t i = 0; i < times; i++) memcpy(html + i * size, piece, size);
    html[size * times] = 'x';
    *length = size * times + 1;
    return html;
}

static void test_deep(void **state) {
    (void)state;
    static const char *const pieces[] = {"<div>", "<b>", "<ul><li>", "<table><tr><td>", "<x-y>"};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        size_t length;
        char *html = repeat(pieces[i], 100000, &length);
        check_bytes(html, length, "x");
        free(html);
    }
}

/* ---- the charset, and recognising HTML */

static void check_charset(const char *html, const char *expected) {
    const char *name = NULL;
    size_t length = 0;
    bool found = nd_html_meta_charset(html, strlen(html), &name, &length);
    assert_int_equal(found, expected != NULL);
    if (!found) return;
    assert_int_equal(length, strlen(expected));
    assert_memory_equal(name, expected, length);
}

static void test_charset(void **state) {
    (void)state;
    check_charset("<html><head><meta charset=\"windows-1252\">", "windows-1252");
    check_charset("<META name=x CharSet=' utf-8 '/>", "utf-8");
    check_charset("<meta content='text/html; charset = Shift_JIS' http-equiv=Content-Type>",
                  "Shift_JIS");
    check_charset("<meta http-equiv=content-type content=\"text/html;charset='gbk'\">", "gbk");
    check_charset("<!-- <meta charset=no> --><meta charset=koi8-r>", "koi8-r");
    check_charset("<meta content=charset><meta charset=\"\"><p charset=no>", NULL);
    check_charset("<meta charset=utf-8", NULL);
    check_charset("", NULL);
    char late[ND_HTML_META_REACH + 40];
    memset(late, ' ', sizeof late);
    memcpy(late + ND_HTML_META_REACH, "<meta charset=no>", 18);
    check_charset(late, NULL);
}

static void test_is(void **state) {
    (void)state;
    static const char *const pages[] = {"<!DOCTYPE html>",
                                        "\xef\xbb\xbf \n<!-- x --><html lang=en>",
                                        "<?xml version='1.0'?>\n<!doctype  HTML public",
                                        "<p>text",
                                        "<Title>x",
                                        "<script>"};
    static const char *const others[] = {"",      "text <p>", "<?xml version='1.0'?><rss>", "<svg>",
                                         "<html", "<note>x",  "{\"a\": \"<p>\"}",           "< p>"};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        assert_true(nd_html_is(pages[i], strlen(pages[i])));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(nd_html_is(others[i], strlen(others[i])));
}

/* ---- memory */

static void test_memory(void **state) {
    (void)state;
    static const char html[] = "<title>t</title><main><h1>head</h1><p>some text, and more of it.";
    for (int part = ND_HTML_VISIBLE; part <= ND_HTML_MAIN; part++) {
        nd_status status = ND_ERR_MEMORY;
        for (long requests = 0; status != ND_OK; requests++) {
            failing_allocator memory = {.left = requests};
            nd_allocator allocator = failing_allocator_make(&memory);
            nd_html_reader *own = NULL;
            const char *text;
            size_t length;
            nd_error error;
            status = nd_html_reader_create(&allocator, &own, &error);
            if (status == ND_OK)
                status = nd_html_text(own, html, sizeof html - 1, (nd_html_part)part, &text,
                                      &length, &error);
            if (status != ND_OK) {
                assert_int_equal(status, ND_ERR_MEMORY);
                assert_non_null(strstr(error.message, "out of memory"));
            }
            nd_html_reader_free(own);
            assert_int_equal(memory.live, 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_pre),
        cmocka_unit_test(test_dropped),
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_main_rules),
        cmocka_unit_test(test_main_revealed),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_charset),
        cmocka_unit_test(test_is),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, create, destroy);
}
