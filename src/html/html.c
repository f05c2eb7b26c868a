#include "html/html.h"

#include "base/alloc.h"
#include "base/status.h"
#include "html/html_main.h"
#include "html/html_walk.h"

struct nd_html_reader {
    nd_allocator allocator;
    char *text;
    size_t text_capacity;
    nd_html_walk walk;
    nd_html_outline outline;
};

nd_status nd_html_reader_create(const nd_allocator *allocator, nd_html_reader **out,
                                nd_error *error) {
    nd_allocator own = nd_allocator_or_default(allocator);
    nd_html_reader *reader = nd_allocate_zero(&own, 1, sizeof *reader);
    *out = reader;
    if (!reader) return nd_fail_memory(error, sizeof *reader, "a reader of HTML");
    reader->allocator = own;
    reader->outline.allocator = own;
    nd_html_walk_init(&reader->walk);
    nd_html_cue_words_fill(&reader->outline.words);
    return ND_OK;
}

void nd_html_reader_free(nd_html_reader *reader) {
    if (!reader) return;
    nd_allocator allocator = reader->allocator;
    nd_html_outline_clear(&reader->outline);
    nd_release(&allocator, reader->text);
    nd_release(&allocator, reader);
}

/* A page with less text than FEW bytes is shown by its scripts, if there is TIMES as much in the
 * elements that it hides and in <noscript>: then these are its content. */
enum { FEW = 2500, TIMES = 3 };

/* Walks over a page for its main content. Returns the length of the text. */
static size_t walk_for_main(nd_html_reader *reader, const char *html, size_t length) {
    nd_html_walk *walk = &reader->walk;
    size_t shown = nd_html_walk_page(walk, html, length, reader->text, &reader->outline);
    if (shown >= FEW) return shown;
    walk->reveals = true;
    size_t all = nd_html_walk_page(walk, html, length, reader->text, &reader->outline);
    walk->reveals = false;
    if (all >= TIMES * shown) return all;
    return nd_html_walk_page(walk, html, length, reader->text, &reader->outline);
}

nd_status nd_html_text(nd_html_reader *reader, const char *html, size_t length, nd_html_part part,
                       const char **text, size_t *text_length, nd_error *error) {
    size_t most = nd_html_text_most(length);
    if (!nd_reserve(&reader->allocator, &reader->text, &reader->text_capacity, most))
        return nd_fail_memory(error, most, "the text of a page");
    size_t written;
    if (part == ND_HTML_VISIBLE) {
        written = nd_html_walk_page(&reader->walk, html, length, reader->text, NULL);
    } else {
        written = walk_for_main(reader, html, length);
        if (reader->outline.full) return nd_fail_memory(error, most, "the lines of a page");
        written = nd_html_keep_main(&reader->outline, reader->text, written);
    }
    /* Of a <pre> that is the last. */
    if (written > 0 && reader->text[written - 1] == '\n') written--;
    *text = reader->text;
    *text_length = written;
    return ND_OK;
}
