#include "html/html.h"

#include "base/alloc.h"
#include "base/status.h"
#include "html/html_walk.h"

struct nd_html_reader {
    nd_allocator allocator;
    char *text;
    size_t text_capacity;
    nd_html_walk walk;
};

nd_status nd_html_reader_create(const nd_allocator *allocator, nd_html_reader **out,
                                nd_error *error) {
    nd_allocator own = nd_allocator_or_default(allocator);
    nd_html_reader *reader = nd_allocate_zero(&own, 1, sizeof *reader);
    *out = reader;
    if (!reader) return nd_fail_memory(error, sizeof *reader, "a reader of HTML");
    reader->allocator = own;
    nd_html_walk_init(&reader->walk);
    return ND_OK;
}

void nd_html_reader_free(nd_html_reader *reader) {
    if (!reader) return;
    nd_allocator allocator = reader->allocator;
    nd_release(&allocator, reader->text);
    nd_release(&allocator, reader);
}

nd_status nd_html_text(nd_html_reader *reader, const char *html, size_t length, nd_html_part part,
                       const char **text, size_t *text_length, nd_error *error) {
    size_t most = nd_html_text_most(length);
    (void)part;
    if (!nd_reserve(&reader->allocator, &reader->text, &reader->text_capacity, most))
        return nd_fail_memory(error, most, "the text of a page");
    *text_length = nd_html_walk_page(&reader->walk, html, length, reader->text);
    *text = reader->text;
    return ND_OK;
}
