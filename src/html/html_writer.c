#include "html/html_writer.h"

#include <string.h>

#include "html/html_entities.h"

size_t nd_html_text_most(size_t html_length) {
    size_t more = html_length / 5 + ND_HTML_REFERENCE_MOST;
    return html_length > SIZE_MAX - more ? SIZE_MAX : html_length + more;
}

static void close_gap(nd_html_writer *writer) {
    static const char gaps[] = {[ND_HTML_SPACE] = ' ', [ND_HTML_TAB] = '\t', [ND_HTML_LINE] = '\n'};
    char last = writer->length > 0 ? writer->out[writer->length - 1] : '\n';
    /* A <pre> may have ended its last line itself. */
    if (writer->gap != ND_HTML_NO_GAP && last != '\n')
        writer->out[writer->length++] = gaps[writer->gap];
    writer->gap = ND_HTML_NO_GAP;
}

/* Whether a byte ends a run of characters that are copied as they are. */
static const bool stops[256] = {[0] = true,    ['\t'] = true, ['\n'] = true, ['\f'] = true,
                                ['\r'] = true, [' '] = true,  ['&'] = true};

/* Appends a run of such characters. Returns the place behind it. */
static const char *copy_run(nd_html_writer *writer, const char *at, const char *end) {
    char *out = writer->out + writer->length;
    do *out++ = *at++;
    while (at < end && !stops[(unsigned char)*at]);
    writer->length = (size_t)(out - writer->out);
    return at;
}

/* Handles the line ends of <pre>. Returns the bytes taken. */
static size_t write_verbatim_space(nd_html_writer *writer, const char *at, const char *end) {
    bool pair = *at == '\r' && end - at >= 2 && at[1] == '\n';
    close_gap(writer);
    writer->out[writer->length++] = *at == '\r' ? '\n' : *at;
    return pair ? 2 : 1;
}

/* Appends the character of the reference at `at`. Returns the bytes taken; 0: it is none. */
static size_t write_reference(nd_html_writer *writer, const char *at, const char *end,
                              bool verbatim) {
    char character[ND_HTML_REFERENCE_MOST];
    size_t written, taken = nd_html_decode(at, end, character, &written);
    if (taken == 0) return 0;
    if (nd_html_is_space(character[0]) && !verbatim) {
        nd_html_widen_gap(writer, ND_HTML_SPACE);
        return taken;
    }
    close_gap(writer);
    memcpy(writer->out + writer->length, character, written);
    writer->length += written;
    return taken;
}

void nd_html_write(nd_html_writer *writer, const nd_html_token *token, bool verbatim) {
    const char *at = token->text.bytes, *end = at + token->text.length;
    while (at < end) {
        size_t taken = 0;
        if (nd_html_is_space(*at)) {
            taken = 1;
            if (verbatim) taken = write_verbatim_space(writer, at, end);
            else nd_html_widen_gap(writer, ND_HTML_SPACE);
        } else if (*at == '&' && token->kind == ND_HTML_TEXT) {
            taken = write_reference(writer, at, end, verbatim);
        } else if (*at == 0) {
            taken = 1;
        }
        at += taken;
        if (taken > 0) continue;
        close_gap(writer);
        at = copy_run(writer, at, end);
    }
}
