#include "corpus/text_decoder.h"

#include "kernel/kernel.h"
#include "unicode/utf8_repair.h"

#include <string.h>

struct nd_text_decoder {
    nd_allocator allocator;
    bool guesses;
    bool utf8;             /* the option says UTF-8 */
    nd_encoding *option;   /* NULL: none, or UTF-8 */
    nd_encoding *declared; /* the latest encoding that was declared or guessed */
    nd_encoded_text text;
    char label[40];
};

nd_status nd_text_decoder_create(const char *encoding, const nd_allocator *allocator,
                                 nd_text_decoder **out, nd_error *error) {
    nd_text_decoder *d = nd_allocate_zero(allocator, 1, sizeof *d);
    if (!d) return nd_fail_memory(error, sizeof *d, "a decoder of texts");
    d->allocator = *allocator;
    d->guesses = encoding && strcmp(encoding, "auto") == 0;
    nd_status status = ND_OK;
    if (encoding && !d->guesses) {
        status = nd_encoding_open(encoding, strlen(encoding), allocator, &d->option, error);
        d->utf8 = !d->option;
    }
    if (status == ND_OK) *out = d;
    else nd_text_decoder_free(d);
    return status;
}

void nd_text_decoder_free(nd_text_decoder *decoder) {
    if (!decoder) return;
    const nd_allocator allocator = decoder->allocator;
    nd_text_decoder_release(decoder);
    nd_encoding_close(decoder->option);
    nd_encoding_close(decoder->declared);
    nd_release(&allocator, decoder);
}

void nd_text_decoder_release(nd_text_decoder *decoder) {
    nd_release(&decoder->allocator, decoder->text.bytes);
    decoder->text = (nd_encoded_text){0};
}

static nd_status convert(nd_text_decoder *d, nd_encoding *encoding, const char *label,
                         nd_decoded *out, nd_error *error) {
    out->encoding = label;
    ND_TRY(nd_encoding_convert(encoding, out->text, out->length, &d->text, &out->malformed, error));
    out->text = d->text.bytes ? d->text.bytes : "";
    out->length = d->text.length;
    return ND_OK;
}

/* Converts from an encoding that the text itself tells. *known false: there is none of this label,
 * so that the text tells nothing. */
static nd_status convert_from(nd_text_decoder *d, const char *label, size_t length, bool *known,
                              nd_decoded *out, nd_error *error) {
    *known = true;
    if (!d->declared || !nd_encoding_has_label(d->declared, label, length)) {
        nd_error why;
        nd_encoding *opened = NULL;
        nd_status status = nd_encoding_open(label, length, &d->allocator, &opened, &why);
        if (status == ND_ERR_MEMORY) return nd_fail(error, status, "%s", why.message);
        *known = status == ND_OK;
        if (!opened) return ND_OK; /* UTF-8, or unknown */
        nd_encoding_close(d->declared);
        d->declared = opened;
    }
    return convert(d, d->declared, label, out, error);
}

/* Whether a text is UTF-8 with some damage: of the sequences that are not ASCII most are
 * well-formed, which another encoding would hardly have by chance. */
static bool is_damaged_utf8(const char *text, size_t length) {
    enum { MOST = 4 };
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    size_t formed = 0, damaged = 0;
    while (at < end) {
        bool valid = true;
        size_t size = nd_utf8_take(at, (size_t)(end - at), &valid);
        formed += valid && size > 1;
        damaged += !valid;
        at += size;
    }
    return formed >= MOST * damaged;
}

/* Converts from the encoding that is told. *known becomes whether this build knows it. */
static nd_status convert_told(nd_text_decoder *d, const nd_told_encoding *told, bool *known,
                              nd_decoded *out, nd_error *error) {
    nd_encoding *opened = NULL;
    nd_error why;
    *known = false;
    if (told->length == 0) return ND_OK;
    bool same = d->declared && nd_encoding_has_label(d->declared, told->label, told->length);
    if (told->in_ascii && !same &&
        nd_encoding_open(told->label, told->length, &d->allocator, &opened, &why) == ND_OK &&
        opened && !nd_encoding_keeps_ascii(opened) && nd_encoding_is_wide(opened)) {
        nd_encoding_close(opened);
        *known = true;
        return ND_OK;
    }
    nd_encoding_close(opened);
    return convert_from(d, told->label, told->length, known, out, error);
}

const char *nd_text_guess(const char *text, size_t length, char *label, size_t size) {
    bool utf8 = nd_kernel_get()->utf8_valid_prefix(text, length) == length ||
                is_damaged_utf8(text, length);
    return utf8 ? NULL : nd_encoding_guess(text, length, label, size);
}

nd_status nd_text_decode(nd_text_decoder *d, const char *text, size_t length,
                         const nd_told_encoding *told, bool guess, nd_decoded *out,
                         nd_error *error) {
    size_t mark = 0;
    bool known = false;
    const char *marked = nd_encoding_of_mark(text, length, &mark);
    *out = (nd_decoded){.text = text + mark, .length = length - mark};
    if (marked) return convert_from(d, marked, strlen(marked), &known, out, error);
    ND_TRY(convert_told(d, told, &known, out, error));
    if (known || d->utf8) return ND_OK;
    if (d->option) return convert(d, d->option, "", out, error);
    if (!guess && !d->guesses) return ND_OK;
    const char *guessed = nd_text_guess(text, length, d->label, sizeof d->label);
    return guessed ? convert_from(d, guessed, strlen(guessed), &known, out, error) : ND_OK;
}

nd_status nd_text_decode_column(nd_text_decoder *d, const char *text, size_t length,
                                const nd_told_encoding *file, nd_decoded *out, nd_error *error) {
    bool known;
    *out = (nd_decoded){.text = text, .length = length};
    if (d->option) return convert(d, d->option, "", out, error);
    return file->length > 0 ? convert_from(d, file->label, file->length, &known, out, error)
                            : ND_OK;
}

bool nd_text_decoder_converts(const nd_text_decoder *decoder, bool *keeps_ascii) {
    *keeps_ascii = !decoder->option || nd_encoding_keeps_ascii(decoder->option);
    return decoder->option != NULL;
}
