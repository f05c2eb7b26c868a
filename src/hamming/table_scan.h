/* Scans neighbouring buckets of an Elias-Fano table (elias_fano_table.h): unpacks 32 bits of each
 * of their keys in order and in bulk, in less than a nanosecond per key. For queries that read many
 * keys: keys that differ in more of the 32 bits than a query allows need not be read in full.
 *
 * A scan belongs to one thread. It points into the file, which must stay open. */
#ifndef ND_HAMMING_TABLE_SCAN_H
#define ND_HAMMING_TABLE_SCAN_H

#include "kernel/kernel.h"
#include "hamming/elias_fano_table.h"

typedef struct nd_table_scan {
    const nd_ef_table *table;
    uint64_t first_bucket, end_bucket;
    uint64_t unpacked, entry, end; /* the first entry that was unpacked by the last call; the next
                                      one; the one behind the last */
    /* The bytes that the scan reads: whole words of the directory from first_word on, whole bytes
     * of the heads from first_byte on. */
    const unsigned char *directory, *heads;
    uint64_t first_word, last_word, first_byte;
    uint64_t word; /* of the directory: the next one to unpack */
    size_t ended;  /* buckets of the scan whose end has been read */
} nd_table_scan;

/* Begins a scan of the buckets [first, end), first < end. Verifies the pages that it will read
 * against their hashes. */
nd_status nd_table_scan_begin(const nd_ef_table *table, uint64_t first, uint64_t end,
                              nd_table_scan *out, nd_error *error);
/* Unpacks the next keys, at most `room` (64 to 65,535); *count 0: there are no more.
 * keys[i]: 32 bits of entry scan->unpacked + i, from bit nd_table_scan_low of its head on. A key of
 *   fewer bits is given as a whole. It has room for `room` keys and ND_KEYS_BEHIND more.
 * starts[b], for each bucket and one behind the last: the index in keys of the bucket's first key.
 *   It has room for ND_ENDS_BEHIND more. */
nd_status nd_table_scan_next(nd_table_scan *scan, size_t room, uint32_t *keys, uint16_t *starts,
                             size_t *count, nd_error *error);
static inline unsigned nd_table_scan_low(const nd_ef_table *t) {
    return t->bits < 64 ? 64 - t->bits : 0;
}
/* The bucket of a key of those that the last call unpacked, which gave `starts`; both count from
 * those of the scan. O(log buckets). */
size_t nd_table_scan_bucket(const nd_table_scan *scan, const uint16_t *starts, size_t key);
/* The whole keys [first, first + count) of those: one word each, the head; with 128 bits two, head
 * and tail. bucket: that of the first key, or one before it, from which on it is looked for. */
nd_status nd_table_scan_keys(const nd_table_scan *scan, const uint16_t *starts, size_t bucket,
                             size_t first, size_t count, uint64_t *keys, nd_error *error);

#endif
