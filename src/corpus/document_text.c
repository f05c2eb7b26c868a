#include "corpus/document_text.h"

#include "base/format.h"
#include "corpus/text_decoder.h"
#include "html/html.h"
#include "kernel/kernel.h"
#include "unicode/utf8_repair.h"

struct nd_text_maker {
    nd_allocator allocator;
    nd_text_options options;
    nd_text_decoder *decoder;
    nd_html_reader *html; /* NULL: there was no page yet */
    char *repaired;       /* a text with U+FFFD */
    size_t repaired_capacity;
};

nd_status nd_text_maker_create(const nd_text_options *options, const nd_allocator *allocator,
                               nd_text_maker **out, nd_error *error) {
    nd_text_maker *maker = nd_allocate_zero(allocator, 1, sizeof *maker);
    if (!maker) return nd_fail_memory(error, sizeof *maker, "a reader of texts");
    maker->allocator = *allocator;
    maker->options = *options;
    nd_status status = nd_text_decoder_create(options->encoding, allocator, &maker->decoder, error);
    if (status == ND_OK) *out = maker;
    else nd_text_maker_free(maker);
    return status;
}

void nd_text_maker_release(nd_text_maker *maker) {
    nd_text_decoder_release(maker->decoder);
    nd_html_reader_free(maker->html);
    nd_release(&maker->allocator, maker->repaired);
    maker->html = NULL;
    maker->repaired = NULL;
    maker->repaired_capacity = 0;
}

void nd_text_maker_free(nd_text_maker *maker) {
    if (!maker) return;
    const nd_allocator allocator = maker->allocator;
    if (maker->decoder) nd_text_maker_release(maker);
    nd_text_decoder_free(maker->decoder);
    nd_release(&allocator, maker);
}

/* ---- decoding */

/* Whether the text of pages of this kind is wanted. */
static bool wants_html(const nd_text_maker *maker, const nd_raw_text *raw) {
    nd_pages mode = maker->options.html;
    bool field = raw->kind == ND_RAW_STRING || raw->kind == ND_RAW_COLUMN;
    return field ? mode == ND_PAGES_TEXT || mode == ND_PAGES_MAIN : mode != ND_PAGES_SOURCE;
}

static nd_status decode(nd_text_maker *maker, const nd_raw_text *raw, nd_decoded *out,
                        nd_error *error) {
    nd_told_encoding told = {raw->charset, raw->charset_length, false};
    *out = (nd_decoded){.text = raw->bytes, .length = raw->length};
    if (raw->kind == ND_RAW_STRING) return ND_OK;
    if (raw->kind == ND_RAW_COLUMN)
        return nd_text_decode_column(maker->decoder, raw->bytes, raw->length, &told, out, error);
    bool page = raw->is_html || nd_html_is(raw->bytes, raw->length);
    if (told.length == 0 && page) {
        told.in_ascii = nd_html_meta_charset(raw->bytes, raw->length, &told.label, &told.length);
        if (!told.in_ascii) told.length = 0;
    }
    return nd_text_decode(maker->decoder, raw->bytes, raw->length, &told,
                          page || raw->kind == ND_RAW_PAGE, out, error);
}

static nd_status repair(nd_text_maker *maker, nd_made_text *text, nd_error *error) {
    size_t length = nd_utf8_repair(text->text, text->length, NULL);
    if (!nd_reserve(&maker->allocator, &maker->repaired, &maker->repaired_capacity, length + 1))
        return nd_fail_memory(error, length, "a text");
    nd_utf8_repair(text->text, text->length, maker->repaired);
    text->text = maker->repaired;
    text->length = length;
    return ND_OK;
}

/* Tells why a text is malformed. `valid`: the bytes before the first that are not UTF-8. */
static void set_fault(const nd_text_maker *maker, const nd_raw_text *raw, const nd_decoded *decoded,
                      size_t valid, nd_made_text *out) {
    bool unsaid = !maker->options.encoding && raw->kind != ND_RAW_STRING;
    if (decoded->malformed > 0)
        nd_format(out->fault, sizeof out->fault, "%zu part%s of it %s not in its encoding",
                  decoded->malformed, decoded->malformed == 1 ? "" : "s",
                  decoded->malformed == 1 ? "is" : "are");
    else
        nd_format(out->fault, sizeof out->fault, "invalid UTF-8 at byte %zu%s", valid,
                  unsaid ? "; --encoding (encoding) tells another one" : "");
}

/* Handles what is malformed: it becomes U+FFFD, as in browsers, or is a fault. */
static nd_status check(nd_text_maker *maker, const nd_raw_text *raw, const nd_decoded *decoded,
                       bool as_browsers, nd_made_text *out, nd_error *error) {
    bool lenient = as_browsers || maker->options.invalid == ND_INVALID_REPLACE;
    size_t valid = decoded->encoding || raw->is_utf8
                       ? out->length
                       : nd_kernel_get()->utf8_valid_prefix(out->text, out->length);
    if (valid == out->length && decoded->malformed == 0) return ND_OK;
    if (!lenient) set_fault(maker, raw, decoded, valid, out);
    return lenient && valid < out->length ? repair(maker, out, error) : ND_OK;
}

/* ---- HTML */

/* Takes the text of a page. All of the visible text is better than none: pages without a text would
 * be copies of each other. */
static nd_status take_page(nd_text_maker *maker, nd_made_text *text, nd_error *error) {
    const char *page = text->text;
    size_t length = text->length;
    bool main = maker->options.html == ND_PAGES_MAIN;
    if (!maker->html) ND_TRY(nd_html_reader_create(&maker->allocator, &maker->html, error));
    if (main)
        ND_TRY(nd_html_text(maker->html, page, length, ND_HTML_MAIN, &text->text, &text->length,
                            error));
    return main && text->length > 0 ? ND_OK
                                    : nd_html_text(maker->html, page, length, ND_HTML_VISIBLE,
                                                   &text->text, &text->length, error);
}

nd_status nd_text_make(nd_text_maker *maker, const nd_raw_text *raw, nd_made_text *out,
                       nd_error *error) {
    nd_decoded decoded;
    ND_TRY(decode(maker, raw, &decoded, error));
    *out = (nd_made_text){.text = decoded.text, .length = decoded.length};
    bool page = wants_html(maker, raw) && (raw->is_html || nd_html_is(out->text, out->length));
    bool field = raw->kind == ND_RAW_STRING || raw->kind == ND_RAW_COLUMN;
    bool lenient = raw->kind == ND_RAW_PAGE || (page && !field);
    ND_TRY(check(maker, raw, &decoded, lenient, out, error));
    if (out->fault[0]) return ND_OK;
    if (page) ND_TRY(take_page(maker, out, error));
    if (out->length > maker->options.most)
        nd_format(out->fault, sizeof out->fault,
                  "in UTF-8 it has %zu bytes, over the limit of %llu", out->length,
                  (unsigned long long)maker->options.most);
    return ND_OK;
}
