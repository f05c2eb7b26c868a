/* The input is a page of HTML, with U+FFFD for bytes that are not UTF-8. Its texts are valid UTF-8
 * and not longer than html.h says, and a reader that has read other pages finds the same. */
#include "html/html.h"
#include "target.h"
#include "unicode/utf8_repair.h"

#include <stdlib.h>
#include <string.h>

/* ---- the target */

static void *need(size_t size) {
    void *memory = malloc(size ? size : 1);
    if (!memory) target_fail("no memory");
    return memory;
}

static nd_html_reader *new_reader(void) {
    nd_html_reader *reader;
    nd_error error;
    if (nd_html_reader_create(NULL, &reader, &error) != ND_OK) target_fail("%s", error.message);
    return reader;
}

static void read_page(nd_html_reader *reader, const char *html, size_t length, nd_html_part part,
                      const char **text, size_t *text_length) {
    nd_error error;
    if (nd_html_text(reader, html, length, part, text, text_length, &error) != ND_OK)
        target_fail("%s", error.message);
    if (*text_length > length + length / 5)
        target_fail("%zu bytes of text from %zu of HTML", *text_length, length);
    for (size_t at = 0, valid_length; at < *text_length; at += valid_length) {
        bool valid;
        valid_length = nd_utf8_take((const unsigned char *)*text + at, *text_length - at, &valid);
        if (!valid) target_fail("byte %zu of the text is not UTF-8", at);
    }
}

static void check_page(const char *html, size_t length) {
    static nd_html_reader *used;
    if (!used) used = new_reader();
    for (int part = ND_HTML_VISIBLE; part <= ND_HTML_MAIN; part++) {
        nd_html_reader *fresh = new_reader();
        const char *text, *again;
        size_t text_length, again_length;
        read_page(fresh, html, length, (nd_html_part)part, &text, &text_length);
        read_page(used, html, length, (nd_html_part)part, &again, &again_length);
        if (text_length != again_length || memcmp(text, again, text_length) != 0)
            target_fail("a reader that was used before finds another text");
        nd_html_reader_free(fresh);
    }
    const char *name;
    size_t name_length;
    if (nd_html_meta_charset(html, length, &name, &name_length) &&
        (name_length == 0 || name < html || name + name_length > html + length))
        target_fail("a charset outside of the page");
    nd_html_is(html, length);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    size_t length = nd_utf8_repair((const char *)bytes, size, NULL);
    /* Not one byte more, so that AddressSanitizer reports reads behind it. */
    char *html = need(length);
    nd_utf8_repair((const char *)bytes, size, html);
    check_page(html, length);
    free(html);
    return 0;
}

/* ---- mutations */

static const char *const pieces[] = {"<p>",
                                     "</p>",
                                     "<div hidden>",
                                     "</div>",
                                     "<b>",
                                     "</b>",
                                     "<a href=x>",
                                     "</a>",
                                     "<table>",
                                     "<tr>",
                                     "<td>",
                                     "</table>",
                                     "<ul>",
                                     "<li>",
                                     "</ul>",
                                     "<script>",
                                     "</script>",
                                     "<!--",
                                     "-->",
                                     "<svg>",
                                     "</svg>",
                                     "<title>",
                                     "</title>",
                                     "<![CDATA[",
                                     "]]>",
                                     "&amp;",
                                     "&nGt;",
                                     "&#0",
                                     "<pre>\r\n",
                                     "</pre>",
                                     "<template>",
                                     "<form>",
                                     "</form>",
                                     "<x-y>",
                                     "</x-y>",
                                     "<main>",
                                     "<footer>",
                                     "<noscript>",
                                     "</noscript>",
                                     " class='comment'>",
                                     "<meta charset=",
                                     "<math>",
                                     "<mi>",
                                     "<desc>",
                                     "<select>",
                                     "<h1>",
                                     "<!doctype html>"};

/* Sometimes puts a piece of HTML somewhere. */
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed) {
    uint64_t random = seed;
    const char *piece = pieces[random_below(&random, sizeof pieces / sizeof *pieces)];
    size_t length = strlen(piece);
    if (random_below(&random, 3) == 0 || size + length > most)
        return LLVMFuzzerMutate(bytes, size, most);
    size_t at = random_below(&random, size + 1);
    memmove(bytes + at + length, bytes + at, size - at);
    memcpy(bytes + at, piece, length);
    return size + length;
}

/* ---- seeds */

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    static const char page[] =
        "<!doctype html><html><head><meta charset=utf-8><title>A &amp; B</title></head><body>"
        "<nav><a href=/>Home</a></nav><main><h1>Head</h1><p>A paragraph that is long enough to "
        "be one of the content, as it seems.</p><ul><li>one<li>two</ul></main><footer>Us</footer>";
    static const char table[] = "<table><caption>T<tr><th>a<th>b<tr><td>1<td hidden>2</table><pre>"
                                "\n x\n</pre><svg><title>t</title><![CDATA[x]]></svg>";
    static const char scripts[] = "<p>Loading<script><!--<script></script>--></script><noscript>"
                                  "<p>All of the text, which scripts would show.</noscript>";
    const char *seeds = target_seeds(*count, *arguments);
    if (!seeds) return 0;
    target_write_seed(seeds, "page", page, sizeof page - 1);
    target_write_seed(seeds, "table", table, sizeof table - 1);
    target_write_seed(seeds, "scripts", scripts, sizeof scripts - 1);
    exit(0);
}
