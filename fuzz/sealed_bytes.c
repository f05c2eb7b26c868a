/* Changes sealed files and corrects their hashes: see sealed_bytes.h. */
#include "sealed_bytes.h"

#include "base/bits.h"
#include "storage/sealed_file.h"
#include "target.h"

#include <string.h>

/* The trailer, as storage/sealed_file.h defines it. */
enum {
    PAGE = ND_SEALED_PAGE,
    ENTRY = 16,
    TRAILER = 56,
    TRAILER_TABLE_HASH = 8,
    TRAILER_SIZE = 16,
    TRAILER_COUNT = 24,
    TRAILER_PAGE = 32,
    TRAILER_VERSION = 36,
    TRAILER_HASH = 40,
    TRAILER_MAGIC = 48
};

/* ---- sealing */

static size_t pages_of(size_t bytes) { return (bytes + PAGE - 1) / PAGE; }

/* Returns the pages of data of the sections in the table; `pages` + 1: more than that. */
static size_t data_pages(const unsigned char *table, size_t sections, size_t pages) {
    size_t data = 0;
    for (size_t s = 0; s < sections; s++) {
        uint64_t size = nd_load_le64(table + s * ENTRY + 8);
        if (size > (pages - data) * PAGE) return pages + 1;
        data += pages_of((size_t)size);
    }
    return data;
}

/* Writes the levels of hashes behind the data, as many as fit. Returns the hash of the page of the
 * last level. */
static uint64_t seal_levels(unsigned char *bytes, size_t data, size_t pages) {
    size_t first = 0, count = data;
    while (count > 1 && first + count + pages_of(count * 8) <= pages) {
        unsigned char *above = bytes + (first + count) * PAGE;
        memset(above, 0, pages_of(count * 8) * PAGE);
        for (size_t p = 0; p < count; p++)
            nd_store_le64(above + p * 8,
                          nd_sealed_page_hash(bytes + (first + p) * PAGE, PAGE, first + p));
        first += count;
        count = pages_of(count * 8);
    }
    return count == 1 && first < pages ? nd_sealed_page_hash(bytes + first * PAGE, PAGE, first) : 0;
}

/* Corrects the hashes of a file of complete pages. Its table and its trailer keep their other
 * values. */
static void seal(unsigned char *bytes, size_t size) {
    size_t pages = size / PAGE, last = pages - 1;
    unsigned char *trailer = bytes + size - TRAILER;
    size_t sections = nd_load_le32(trailer + TRAILER_COUNT),
           table_pages = pages_of(sections * ENTRY + TRAILER);
    nd_store_le64(trailer + TRAILER_SIZE, size);
    nd_store_le32(trailer + TRAILER_PAGE, PAGE);
    nd_store_le32(trailer + TRAILER_VERSION, 1);
    memcpy(trailer + TRAILER_MAGIC, "ndsealed", 8);
    if (table_pages <= pages) {
        size_t first = pages - table_pages,
               data = data_pages(bytes + first * PAGE, sections, first);
        uint64_t table_hash = 0;
        for (size_t p = first; p < last; p++)
            table_hash += nd_sealed_page_hash(bytes + p * PAGE, PAGE, p);
        nd_store_le64(trailer, data <= first ? seal_levels(bytes, data, first) : 0);
        nd_store_le64(trailer + TRAILER_TABLE_HASH, table_hash);
    }
    nd_store_le64(trailer + TRAILER_HASH,
                  nd_sealed_page_hash(bytes + last * PAGE, PAGE - TRAILER + TRAILER_HASH, last));
}

size_t sealed_mutate(uint8_t *bytes, size_t size, size_t most, uint64_t *random) {
    size = mutate_bytes(bytes, size, most, random);
    if (random_below(random, 16) == 0) return size;
    size_t whole = pages_of(size) * PAGE <= most ? pages_of(size) * PAGE : most / PAGE * PAGE;
    if (whole == 0) return size;
    if (whole > size) memset(bytes + size, 0, whole - size);
    seal(bytes, whole);
    return whole;
}

uint64_t sealed_hash(const uint8_t *bytes, size_t size) {
    return size < TRAILER ? 0 : nd_load_le64(bytes + size - TRAILER + TRAILER_HASH);
}
