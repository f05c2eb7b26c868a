/* Elias-Fano tables of fingerprints (Elias 1974, Fano 1971): distinct keys (bit_order.h) in
 * ascending order, in few more bits than the entropy of the set.
 *
 * The highest D bits of a key are its *bucket*. They are not stored: a directory says in unary
 * where each bucket ends. With D near log2 n, n keys of f bits take f - log2 n + 2.5 bits each; the
 * entropy is f - log2 n + 1.44 (log2 e) bits each. There are no blocks to decode: any key and any
 * bucket can be read by itself.
 *
 * A table has four sections of a sealed file, with tags from a base tag on
 * (doc/internals/formats.md, "Files of an index"). Bits count from the lowest bit of byte 0 up.
 *
 *   +0 heads      n numbers of min(f, 64) - D bits (1 to 57): the rest of the key's first 64 bits
 *   +1 directory  for each bucket a 0 bit per key, then a 1 bit; whole words of 8 bytes
 *   +2 samples    32-bit little-endian words, one for every 64 buckets and one at the end: the
 *                 number of keys in the buckets before
 *   +3 tails      f = 128 only: 8 bytes per key, its second 64 bits
 *
 * D follows from f and from the announced number of keys (nd_ef_table_bucket_bits).
 *
 * Entry i is the i-th key, from 0. An open table is constant: any number of threads may read it. It
 * does not own the file, which must stay open. */
#ifndef ND_HAMMING_ELIAS_FANO_TABLE_H
#define ND_HAMMING_ELIAS_FANO_TABLE_H

#include "storage/sealed_file.h"
#include "hamming/bit_order.h"

enum {
    ND_EF_TABLE_TAGS = 4,
    ND_EF_TABLE_SAMPLED = 64 /* buckets per sample */
};

/* What a table is made for. A scanned table has buckets of some hundred keys. */
typedef enum nd_ef_table_use { ND_EF_PROBED, ND_EF_SCANNED } nd_ef_table_use;

/* D. bits: 2 to 64, or 128. */
unsigned nd_ef_table_bucket_bits(uint32_t bits, uint64_t keys, nd_ef_table_use use);
/* Bytes of a table on paper. */
double nd_ef_table_bytes(uint32_t bits, double keys);

/* ---- writing */

typedef struct nd_ef_table_writer nd_ef_table_writer;

/* Writes a table of at most 2^32 - 1 keys with buckets of D bits. The writer begins its sections
 * itself. The sections behind the heads wait in memory; above some MB they wait in the temporary
 * space of the file's directory. */
nd_status nd_ef_table_writer_create(nd_sealed_writer *file, uint32_t tag, uint32_t bits,
                                    unsigned bucket_bits, const nd_allocator *allocator,
                                    nd_ef_table_writer **out, nd_error *error);
/* Adds keys: distinct, ascending, above all keys before. A key is one word, its head; with 128 bits
 * it is two words. ND_ERR_ARGUMENT: they are out of order. */
nd_status nd_ef_table_put_all(nd_ef_table_writer *writer, const uint64_t *keys, size_t count,
                              nd_error *error);
/* Adds one key, unless it equals the last one. *distinct (NULL: not wanted): it was added. */
nd_status nd_ef_table_put(nd_ef_table_writer *writer, nd_key key, bool *distinct, nd_error *error);
uint64_t nd_ef_table_count(const nd_ef_table_writer *writer);
nd_status nd_ef_table_finish(nd_ef_table_writer *writer, nd_error *error);
/* NULL is accepted. */
void nd_ef_table_writer_free(nd_ef_table_writer *writer);

/* ---- reading */

typedef struct nd_ef_table {
    const nd_sealed_file *file;
    nd_section heads, directory, samples, tails;
    uint64_t keys;
    uint32_t bits;
    unsigned bucket_bits; /* D */
    unsigned width;       /* bits of a head */
} nd_ef_table;

/* O(1). ND_ERR_CORRUPT: the sections do not have the sizes of a table of so many keys. */
nd_status nd_ef_table_open(const nd_sealed_file *file, uint32_t tag, uint32_t bits,
                           unsigned bucket_bits, uint64_t keys, nd_ef_table *out, nd_error *error);

/* Entries [begin, end) of a bucket: all of them, or the last ones. */
typedef struct nd_ef_bucket {
    uint64_t number, begin, end;
} nd_ef_bucket;

/* The key of an entry, which the table has. O(log keys), and mostly less if keys are spread evenly.
 */
nd_status nd_ef_table_key(const nd_ef_table *table, uint64_t entry, nd_key *out, nd_error *error);
/* The key of an entry whose bucket is known. */
nd_status nd_ef_table_key_of_bucket(const nd_ef_table *table, uint64_t bucket, uint64_t entry,
                                    nd_key *out, nd_error *error);
/* The bucket of an entry that lies between two samples; out->begin is the entry. */
nd_status nd_ef_table_bucket_of(const nd_ef_table *table, uint64_t sample, uint64_t sample_end,
                                uint64_t entry, nd_ef_bucket *out, nd_error *error);
/* A bucket by its number. */
nd_status nd_ef_table_bucket(const nd_ef_table *table, uint64_t number, nd_ef_bucket *out,
                             nd_error *error);
/* The end of a bucket, counted from a known point of this or an earlier one: known_entry is any
 * number from the first entry of known_bucket to its end; known_bucket <= bucket. */
nd_status nd_ef_table_bucket_end(const nd_ef_table *table, uint64_t bucket, uint64_t known_bucket,
                                 uint64_t known_entry, uint64_t *end, nd_error *error);
/* The entry of a key; UINT64_MAX: the table does not have it. */
nd_status nd_ef_table_find(const nd_ef_table *table, nd_key key, uint64_t *entry, nd_error *error);
/* Finds a key whose bucket is known. */
nd_status nd_ef_table_find_in(const nd_ef_table *table, const nd_ef_bucket *bucket, nd_key key,
                              uint64_t *entry, nd_error *error);
/* Finds many keys; their memory accesses overlap. */
nd_status nd_ef_table_find_all(const nd_ef_table *table, const nd_key *keys, size_t count,
                               uint64_t *entries, nd_error *error);
static inline uint64_t nd_ef_table_bucket_number(const nd_ef_table *t, nd_key key) {
    return t->bucket_bits ? key.head >> (64 - t->bucket_bits) : 0;
}

/* Reads all keys in order: for compaction, joins and checks. */
typedef struct nd_ef_cursor {
    const nd_ef_table *table;
    uint64_t next;  /* entry */
    uint64_t words; /* words of the directory that have been read */
    uint64_t left;  /* a 1 bit for each key of the last word that has not been returned */
    nd_key key;     /* of entry next - 1 */
} nd_ef_cursor;
nd_ef_cursor nd_ef_cursor_begin(const nd_ef_table *table);
/* Moves to the next key; *more false: there is none. ND_ERR_CORRUPT: the keys do not ascend, or the
 * directory does not fit the number of keys. */
nd_status nd_ef_cursor_next(nd_ef_cursor *cursor, bool *more, nd_error *error);

/* Checks every key, and the directory and the samples against each other. O(keys). */
nd_status nd_ef_table_check(const nd_ef_table *table, nd_error *error);

#endif
