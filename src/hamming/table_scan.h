/* Keys of neighbouring buckets of a packed table (elias_fano_table.h), in order and in bulk: where
 * many are to be looked at, in a nanosecond each. */
#ifndef ND_HAMMING_TABLE_SCAN_H
#define ND_HAMMING_TABLE_SCAN_H

#include "kernel/kernel.h"
#include "hamming/elias_fano_table.h"

typedef struct nd_table_scan {
    const nd_fingerprint_table *table;
    uint64_t first_bucket, end_bucket;
    uint64_t entry, end; /* the next one; behind the last */
    /* Of the whole words of the directory, of the whole bytes of the heads, and of the tails that
     * are needed: where they are, and the first. */
    const unsigned char *directory, *heads, *tails;
    uint64_t first_word, last_word, first_byte, first_entry;
    uint64_t word; /* of the directory, whose keys come next */
    size_t ended;  /* buckets whose end has come */
} nd_table_scan;

/* Of the buckets [first, end), first < end. Compares their pages with their hashes. */
nd_status nd_table_scan_begin(const nd_fingerprint_table *table, uint64_t first, uint64_t end,
                              nd_table_scan *out, nd_error *error);
/* The next keys, at most `room` (64 to 65,535), behind which ND_KEYS_BEHIND can be written: the
 * head and, of 128 bits, the tail of each. Their entries are those before sweep->entry. starts[b],
 * of each bucket and one behind: where its keys among these begin; there is room for ND_ENDS_BEHIND
 * more. *count 0: there are no more. */
nd_status nd_table_scan_next(nd_table_scan *sweep, size_t room, uint64_t *keys, uint16_t *starts,
                             size_t *count, nd_error *error);

#endif
