/* Decodes UTF-8 code point by code point, and normalises text to form C (NFC, UAX #15) one cluster
 * at a time.
 *
 * A cluster is a character followed by characters that are not boundaries (ND_CHAR_NOT_BOUNDARY).
 * NFC never changes anything across the end of a cluster. So a text is normalised by normalising
 * the clusters that need it, and nothing else is copied.
 *
 * Time is linear in the cluster's length, whatever it holds, because marks are ordered by counting.
 * The usual insertion is quadratic: ICU 72 takes 2 s for 100,000 marks in bad order, and four times
 * as long for twice as many, so a malicious text of a few megabytes would take minutes.
 *
 * The data come from unicode_data.h, so NFC does not depend on the version of any other library. */
#ifndef ND_UNICODE_NORMALIZE_H
#define ND_UNICODE_NORMALIZE_H

#include "base/alloc.h"
#include "unicode/unicode_data.h"

/* Decodes the sequence at p < end (RFC 3629). Returns its length in bytes; 0: it is ill-formed. */
static inline unsigned nd_utf8_decode(const unsigned char *p, const unsigned char *end,
                                      uint32_t *cp) {
    size_t left = (size_t)(end - p);
    uint32_t c = p[0];
    if (c < 0x80) {
        *cp = c;
        return 1;
    }
    if (left < 2 || (p[1] & 0xc0) != 0x80) return 0;
    if (c < 0xe0) {
        *cp = (c & 0x1f) << 6 | (p[1] & 0x3fu);
        return c >= 0xc2 ? 2 : 0;
    }
    if (left < 3 || (p[2] & 0xc0) != 0x80) return 0;
    if (c < 0xf0) {
        *cp = (c & 0x0f) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
        return *cp >= 0x800 && *cp - 0xd800 >= 0x800 ? 3 : 0;
    }
    if (left < 4 || (p[3] & 0xc0) != 0x80 || c > 0xf4) return 0;
    *cp = (c & 0x07) << 18 | (p[1] & 0x3fu) << 12 | (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu);
    return *cp - 0x10000 < 0x100000 ? 4 : 0;
}

/* The UTF-8 of a code point as a word, first byte lowest, and its length in bytes. */
static inline uint32_t nd_utf8_pack(uint32_t cp, unsigned *width) {
    if (cp < 0x80) {
        *width = 1;
        return cp;
    }
    uint32_t last = 0x80 | (cp & 0x3f), middle = 0x80 | (cp >> 6 & 0x3f);
    if (cp < 0x800) {
        *width = 2;
        return (0xc0 | cp >> 6) | last << 8;
    }
    if (cp < 0x10000) {
        *width = 3;
        return (0xe0 | cp >> 12) | middle << 8 | last << 16;
    }
    *width = 4;
    return (0xf0 | cp >> 18) | (0x80 | (cp >> 12 & 0x3f)) << 8 | middle << 16 | last << 24;
}

/* "invalid UTF-8 at byte N". */
nd_status nd_fail_utf8(nd_error *error, size_t offset);

/* The normalised code points of a cluster, and memory for the work. Zero-initialised except
 * `allocator`; freed by nd_cluster_clear. */
typedef struct nd_cluster {
    nd_allocator allocator;
    uint32_t *chars;
    size_t count, capacity;
    uint32_t *scratch; /* for sorting */
    size_t scratch_capacity;
} nd_cluster;

/* Fills `cluster` with the NFC of the cluster that begins at text + from, from < length. *end is
 * the offset of the next cluster. */
nd_status nd_cluster_normalize(nd_cluster *cluster, const unsigned char *text, size_t length,
                               size_t from, size_t *end, nd_error *error);

void nd_cluster_clear(nd_cluster *cluster);

#endif
