/* Scans neighbouring buckets of an Elias-Fano table (elias_fano_table.h): unpacks their keys in
 * order and in bulk, at about a nanosecond per key. For queries that read many keys.
 *
 * A scan belongs to one thread. It points into the file, which must stay open. */
#ifndef ND_HAMMING_TABLE_SCAN_H
#define ND_HAMMING_TABLE_SCAN_H

#include "kernel/kernel.h"
#include "hamming/elias_fano_table.h"

typedef struct nd_table_scan {
    const nd_ef_table *table;
    uint64_t first_bucket, end_bucket;
    uint64_t entry, end; /* the next entry; the one behind the last */
    /* The bytes that the scan reads: whole words of the directory from first_word on, whole bytes
     * of the heads from first_byte on, tails from first_entry on. */
    const unsigned char *directory, *heads, *tails;
    uint64_t first_word, last_word, first_byte, first_entry;
    uint64_t word; /* of the directory: the next one to unpack */
    size_t ended;  /* buckets of the scan whose end has been read */
} nd_table_scan;

/* Begins a scan of the buckets [first, end), first < end. Verifies the pages that it will read
 * against their hashes. */
nd_status nd_table_scan_begin(const nd_ef_table *table, uint64_t first, uint64_t end,
                              nd_table_scan *out, nd_error *error);
/* Unpacks the next keys, at most `room` (64 to 65,535); *count 0: there are no more.
 * keys: one word each, the head; with 128 bits two, head and tail. It has room for `room` keys and
 *   ND_KEYS_BEHIND more. The last key is entry scan->entry - 1.
 * starts[b], for each bucket and one behind the last: the index in keys of the bucket's first key.
 *   It has room for ND_ENDS_BEHIND more. */
nd_status nd_table_scan_next(nd_table_scan *scan, size_t room, uint64_t *keys, uint16_t *starts,
                             size_t *count, nd_error *error);

#endif
