#include "store/document_row.h"

#include "base/bits.h"
#include "similarity/packed_set.h"
#include "sketch/band_key.h"

#include <string.h>

enum { ID_LENGTH = 4, KEY_BYTES = 5 };

nd_fingerprint nd_stored_fingerprint(const nd_stored_document *document, uint32_t bits) {
    unsigned char bytes[16] = {0};
    memcpy(bytes, document->sketch, bits / 8);
    return (nd_fingerprint){nd_load_le64(bytes), nd_load_le64(bytes + 8)};
}

/* Bytes of a payload without id and set. */
static size_t fixed_size(const nd_row_layout *layout) {
    return ID_LENGTH + layout->sketch_size + (size_t)KEY_BYTES * layout->bands;
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
    to = append(to + ID_LENGTH, document->id, document->id_length);
    to = append(to, document->sketch, layout->sketch_size);
    for (uint32_t b = 0; b < layout->bands; b++, to += KEY_BYTES) {
        nd_store_le32(to, (uint32_t)document->keys[b]);
        to[4] = (unsigned char)(document->keys[b] >> 32);
    }
    append(to, document->set, document->set_size);
}

void nd_row_parts(const unsigned char *payload, size_t size, const nd_row_layout *layout,
                  nd_stored_document *out) {
    size_t id_length = nd_load_le32(payload), fixed = fixed_size(layout) + id_length;
    *out = (nd_stored_document){.id = (const char *)payload + ID_LENGTH,
                                .id_length = id_length,
                                .sketch = payload + ID_LENGTH + id_length,
                                .set = layout->sets ? payload + fixed : NULL,
                                .set_size = size - fixed};
}

uint64_t nd_row_key(const unsigned char *payload, const nd_row_layout *layout, uint32_t band) {
    const unsigned char *p = payload + ID_LENGTH + nd_load_le32(payload) + layout->sketch_size +
                             (size_t)KEY_BYTES * band;
    return nd_load_le32(p) | (uint64_t)p[4] << 32;
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
