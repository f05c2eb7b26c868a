#include "store/document_row.h"

#include "similarity/packed_set.h"
#include "sketch/band_key.h"

#include <string.h>

nd_fingerprint nd_stored_fingerprint(const nd_stored_document *document, uint32_t bits) {
    unsigned char bytes[16] = {0};
    memcpy(bytes, document->sketch, bits / 8);
    return (nd_fingerprint){nd_load_le64(bytes), nd_load_le64(bytes + 8)};
}

/* Bytes of a payload without id and set. */
static size_t fixed_size(const nd_row_layout *layout) {
    return ND_ROW_LENGTH + layout->sketch_size + (size_t)ND_ROW_KEY * layout->bands;
}

size_t nd_row_size(const nd_stored_document *document, const nd_row_layout *layout) {
    return fixed_size(layout) + document->id_length + document->set_size;
}

/* `bytes` may be NULL if size is 0. */
static unsigned char *append(unsigned char *to, const void *bytes, size_t size) {
    if (size > 0) memcpy(to, bytes, size);
    return to + size;
}

void nd_row_write(const nd_stored_document *document, const nd_row_layout *layout,
                  unsigned char *to) {
    nd_store_le32(to, (uint32_t)document->id_length);
    to = append(to + ND_ROW_LENGTH, document->id, document->id_length);
    to = append(to, document->sketch, layout->sketch_size);
    for (uint32_t b = 0; b < layout->bands; b++, to += ND_ROW_KEY) {
        nd_store_le32(to, (uint32_t)document->keys[b]);
        to[4] = (unsigned char)(document->keys[b] >> 32);
    }
    append(to, document->set, document->set_size);
}

bool nd_row_read(const unsigned char *payload, size_t size, const nd_row_layout *layout,
                 uint64_t *keys, nd_stored_document *out) {
    size_t fixed = fixed_size(layout), values;
    if (size < fixed || nd_load_le32(payload) > size - fixed) return false;
    nd_stored_document document;
    nd_row_parts(payload, size, layout, &document);
    for (uint32_t b = 0; b < layout->bands; b++) {
        keys[b] = nd_row_key(payload, layout, b);
        if (keys[b] >> ND_BAND_BITS) return false;
    }
    document.keys = keys;
    if (layout->sets ? !nd_packed_set_count(document.set, document.set_size, &values)
                     : document.set_size > 0)
        return false;
    *out = document;
    return true;
}
