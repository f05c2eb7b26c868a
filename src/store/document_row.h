/* A document as a store keeps it, and its bytes in a record of the write-ahead log.
 *
 * A store does not know what a sketch means: MinHash bytes in an index of documents, or the hash of
 * the document; a fingerprint in an index of fingerprints. The layout says which parts its
 * documents have. */
#ifndef ND_STORE_DOCUMENT_ROW_H
#define ND_STORE_DOCUMENT_ROW_H

#include "base/bits.h"
#include "neardup.h"

#include <stddef.h>

typedef struct nd_row_layout {
    uint32_t sketch_size; /* bytes */
    uint32_t bands;       /* keys per document */
    bool sets;            /* each document has its packed shingle set */
} nd_row_layout;

typedef struct nd_stored_document {
    const char *id;
    size_t id_length;
    const uint8_t *sketch;    /* layout.sketch_size bytes */
    const uint64_t *keys;     /* one per band, below 2^ND_BAND_BITS (band_key.h) */
    const unsigned char *set; /* packed (packed_set.h); NULL without sets */
    size_t set_size;
} nd_stored_document;

/* The fingerprint that a sketch holds, little-endian, in an index of fingerprints of `bits`. */
nd_fingerprint nd_stored_fingerprint(const nd_stored_document *document, uint32_t bits);

/* A hash as a sketch: its two words, little-endian. The key of such a document is the first word,
 * as a band key. */
enum { ND_STORED_HASH = 16 };
static inline void nd_stored_hash_write(const uint64_t hash[2], uint8_t *sketch) {
    nd_store_le64(sketch, hash[0]);
    nd_store_le64(sketch + 8, hash[1]);
}

/* The payload of a log record: length of the id (32 bits), id, sketch, keys of five bytes, set. */
enum { ND_ROW_LENGTH = 4, ND_ROW_KEY = 5 };
size_t nd_row_size(const nd_stored_document *document, const nd_row_layout *layout);
void nd_row_write(const nd_stored_document *document, const nd_row_layout *layout,
                  unsigned char *to);

/* Reads a payload that may be damaged: all of it is checked, the set with nd_packed_set_count.
 * *out points into the payload, its keys into `keys`, which has room for all bands. False: not such
 * a payload. */
bool nd_row_read(const unsigned char *payload, size_t size, const nd_row_layout *layout,
                 uint64_t *keys, nd_stored_document *out);

/* The same of a payload that nd_row_write has written, without checks; out->keys: NULL. */
static inline void nd_row_parts(const unsigned char *payload, size_t size,
                                const nd_row_layout *layout, nd_stored_document *out) {
    size_t id_length = nd_load_le32(payload), sketch = ND_ROW_LENGTH + id_length,
           set = sketch + layout->sketch_size + (size_t)ND_ROW_KEY * layout->bands;
    *out = (nd_stored_document){.id = (const char *)payload + ND_ROW_LENGTH,
                                .id_length = id_length,
                                .sketch = payload + sketch,
                                .set = layout->sets ? payload + set : NULL,
                                .set_size = size - set};
}

static inline uint64_t nd_row_key(const unsigned char *payload, const nd_row_layout *layout,
                                  uint32_t band) {
    const unsigned char *p = payload + ND_ROW_LENGTH + nd_load_le32(payload) + layout->sketch_size +
                             (size_t)ND_ROW_KEY * band;
    return nd_load_le32(p) | (uint64_t)p[4] << 32;
}

#endif
