/* A packed table of fingerprints: distinct keys (bit_order.h) in ascending order, in little more
 * than the bits that they cannot do without (Elias 1974, Fano 1971).
 *
 * The highest D bits of a key are its *bucket*. They are not stored: a directory says in unary
 * where each bucket ends. Of n keys of f bits with D near log2 n that is f - log2 n + 2.5 bits a
 * key, and the entropy of such a set is f - log2 n + 1.44 (log2 e). No block is decoded: any key
 * and any bucket is read where it stands.
 *
 * Four sections of a sealed file, tags from a base on (doc/index.md, "Fingerprint table"):
 *   heads      n numbers of `width` = min(f, 64) - D bits (1 to 57), one after the other from the
 * lowest bit of byte 0 up: the rest of the key's first 64 bits directory  for each bucket a 0 bit a
 * key and a 1 bit, from the lowest bit of byte 0 up; whole words of 8 bytes samples little-endian
 * words of 32 bits, one for each 64 buckets and one behind: keys in the buckets before tails      f
 * = 128: 8 bytes a key, the rest of it D is a function of f and of the number of keys that were
 * announced: nd_fingerprint_table_bucket_bits. */
#ifndef ND_HAMMING_ELIAS_FANO_TABLE_H
#define ND_HAMMING_ELIAS_FANO_TABLE_H

#include "storage/sealed_file.h"
#include "hamming/bit_order.h"

enum { ND_EF_TABLE_TAGS = 4, ND_EF_TABLE_SAMPLED = 64 /* buckets a sample */ };

/* D. bits: 2 to 64, or 128. `sparse`: for scanning, with some hundred keys a bucket. */
unsigned nd_fingerprint_table_bucket_bits(uint32_t bits, uint64_t keys, bool sparse);
/* Bytes of a table on paper. */
double nd_fingerprint_table_bytes(uint32_t bits, double keys);

/* ---- writing */

typedef struct nd_fingerprint_table_writer nd_fingerprint_table_writer;

/* A table of at most 2^32 - 1 keys with buckets of D bits. It begins its sections itself. What
 * comes behind the heads waits in memory, and beyond some MB in the disk of the file's directory.
 */
nd_status nd_fingerprint_table_writer_create(nd_sealed_writer *file, uint32_t tag, uint32_t bits,
                                             unsigned bucket_bits, const nd_allocator *allocator,
                                             nd_fingerprint_table_writer **out, nd_error *error);
/* The next keys, distinct and ascending, with a word each, their heads, or, of 128 bits, two. What
 * is out of order is ND_ERR_ARGUMENT. */
nd_status nd_fingerprint_table_put_all(nd_fingerprint_table_writer *writer, const uint64_t *keys,
                                       size_t count, nd_error *error);
/* The same of one; where it is the last one again, nothing is put: *distinct (NULL: not wanted)
 * says so. */
nd_status nd_fingerprint_table_put(nd_fingerprint_table_writer *writer, nd_key key, bool *distinct,
                                   nd_error *error);
uint64_t nd_fingerprint_table_count(const nd_fingerprint_table_writer *writer);
nd_status nd_fingerprint_table_finish(nd_fingerprint_table_writer *writer, nd_error *error);
/* NULL is accepted. */
void nd_fingerprint_table_writer_free(nd_fingerprint_table_writer *writer);

/* ---- reading */

typedef struct nd_fingerprint_table {
    const nd_sealed_file *file;
    nd_section heads, directory, samples, tails;
    uint64_t keys;
    uint32_t bits;
    unsigned bucket_bits, width;
} nd_fingerprint_table;

/* O(1). ND_ERR_CORRUPT where the sections' sizes are not those of a table of so many keys. */
nd_status nd_fingerprint_table_open(const nd_sealed_file *file, uint32_t tag, uint32_t bits,
                                    unsigned bucket_bits, uint64_t keys, nd_fingerprint_table *out,
                                    nd_error *error);

/* Entries [begin, end) of a bucket: all of them, or those from one on. */
typedef struct nd_ef_bucket {
    uint64_t number, begin, end;
} nd_ef_bucket;

/* Asks for the memory that nd_fingerprint_table_keys looks at where keys are spread evenly. */
void nd_fingerprint_table_prefetch(const nd_fingerprint_table *table, uint64_t entry);
/* The keys of `count` >= 1 entries from one on, all below `keys`. O(log keys), and mostly less
 * where keys are spread evenly. */
nd_status nd_fingerprint_table_keys(const nd_fingerprint_table *table, uint64_t entry,
                                    unsigned count, nd_key *out, nd_error *error);
/* The key of one that is known to stand in a bucket. */
nd_status nd_fingerprint_table_key_of_bucket(const nd_fingerprint_table *table, uint64_t bucket,
                                             uint64_t entry, nd_key *out, nd_error *error);
/* The bucket of an entry between two samples (buckets by 64), from this entry on. */
nd_status nd_fingerprint_table_bucket_of(const nd_fingerprint_table *table, uint64_t sample,
                                         uint64_t sample_end, uint64_t entry, nd_ef_bucket *out,
                                         nd_error *error);
/* A bucket by its number. */
nd_status nd_fingerprint_table_bucket(const nd_fingerprint_table *table, uint64_t number,
                                      nd_ef_bucket *out, nd_error *error);
/* Where a bucket ends, counted on from an entry that stands in a bucket which is not behind it, or
 * is the first of such a one. */
nd_status nd_fingerprint_table_bucket_end(const nd_fingerprint_table *table, uint64_t bucket,
                                          uint64_t known_bucket, uint64_t known_entry,
                                          uint64_t *end, nd_error *error);
/* The entry of a key; UINT64_MAX: it is not there. */
nd_status nd_fingerprint_table_find(const nd_fingerprint_table *table, nd_key key, uint64_t *entry,
                                    nd_error *error);
/* The same of a key whose bucket is known. */
nd_status nd_fingerprint_table_find_in(const nd_fingerprint_table *table,
                                       const nd_ef_bucket *bucket, nd_key key, uint64_t *entry,
                                       nd_error *error);
/* Of many keys, which wait for the memory together. */
nd_status nd_fingerprint_table_find_all(const nd_fingerprint_table *table, const nd_key *keys,
                                        size_t count, uint64_t *entries, nd_error *error);
static inline uint64_t nd_fingerprint_table_bucket_number(const nd_fingerprint_table *t,
                                                          nd_key key) {
    return t->bucket_bits ? key.head >> (64 - t->bucket_bits) : 0;
}

/* All keys in order: for merging, joining and checking. */
typedef struct nd_ef_cursor {
    const nd_fingerprint_table *table;
    uint64_t next;  /* entry */
    uint64_t words; /* of the directory that have been read */
    uint64_t left;  /* keys of the last of them that have not been given: a bit each */
    nd_key key;     /* of entry next - 1 */
} nd_ef_cursor;
nd_ef_cursor nd_ef_cursor_begin(const nd_fingerprint_table *table);
/* *more false: there is none. Refuses (ND_ERR_CORRUPT) keys that do not ascend and a directory that
 * does not fit. */
nd_status nd_ef_cursor_next(nd_ef_cursor *cursor, bool *more, nd_error *error);

/* Every key, the directory and the samples against each other. O(keys). */
nd_status nd_fingerprint_table_check(const nd_fingerprint_table *table, nd_error *error);

#endif
