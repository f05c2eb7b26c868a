#include "corpus/table_encoding.h"

#include "corpus/recognise.h"
#include "corpus/text_decoder.h"

#include <string.h>

/* Returns how many of the bytes are whole lines; `size`: there is no newline. */
static size_t whole_lines(const char *bytes, size_t size) {
    const char *newline = memrchr(bytes, '\n', size);
    return newline ? (size_t)(newline - bytes) + 1 : size;
}

nd_status nd_table_guess_encoding(nd_source *source, const char *bytes, size_t size,
                                  const nd_allocator *allocator, nd_error *error) {
    size_t mark;
    bool table = source->format == ND_FORMAT_CSV || source->format == ND_FORMAT_TSV;
    if (!table || nd_encoding_of_mark(bytes, size, &mark)) return ND_OK;
    /* The last character of what is known of a longer file may be cut off. */
    if (size >= ND_RECOGNISE_BYTES) size = whole_lines(bytes, ND_RECOGNISE_BYTES);
    char label[sizeof source->encoding];
    if (!nd_text_guess(bytes, size, label, sizeof label)) return ND_OK;
    nd_encoding *opened = NULL;
    nd_error why;
    nd_status status = nd_encoding_open(label, strlen(label), allocator, &opened, &why);
    if (status == ND_ERR_MEMORY) return nd_fail(error, status, "%s", why.message);
    if (!opened) return ND_OK; /* UTF-8, or unknown */
    memcpy(source->encoding, label, sizeof label);
    source->keeps_ascii = nd_encoding_keeps_ascii(opened);
    nd_encoding_close(opened);
    return ND_OK;
}
