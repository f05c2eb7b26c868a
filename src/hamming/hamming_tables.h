/* The tables of a Hamming design over a set of documents with fingerprints (hamming_design.h), in
 * sections of a sealed file; written once and then read.
 *
 * Each table has the distinct fingerprints in its own order (elias_fano_table.h). The first one
 * leads to the documents: those of entry i stand together, ascending, in a list in the order of the
 * entries. The others lead there through the fingerprint. Where all fingerprints are distinct,
 * place i of the list belongs to entry i; else a further packed table says where each entry's
 * documents begin.
 *
 * Sections, tags from ND_TAG_HAMMING on (doc/index.md, "Hamming tables"):
 *   +0    48 bytes: kind, bits, k, blocks, chosen, number of tables (32 bits each), distinct
 * fingerprints, documents, D of the tables (64 bits each) +1    the documents, W bits each, from
 * the lowest bit of byte 0 up; W = bits that the number of documents less one needs, at least 1 +2
 * (4 tags) where entries' documents begin: a fingerprint table of W bits; not there where each
 * entry has one +8    (4 tags each) the tables +512  (16 tags each) their heavy runs
 * (dense_buckets.h); not there where a table has none */
#ifndef ND_HAMMING_HAMMING_TABLES_H
#define ND_HAMMING_HAMMING_TABLES_H

#include "hamming/elias_fano_table.h"
#include "hamming/hamming_design.h"
#include "hamming/dense_buckets.h"

enum { ND_TAG_HAMMING = 4096 };

/* ---- writing */

typedef struct nd_hamming_writer nd_hamming_writer;

/* For exactly `documents` >= 1 documents (below 2^32) of at most as many distinct fingerprints.
 * Sorting takes `memory_limit` bytes, and what is more goes to `disk`. */
nd_status nd_hamming_writer_create(nd_sealed_writer *file, const nd_hamming_design *design,
                                   uint64_t documents, nd_scratch_disk *disk, size_t memory_limit,
                                   const nd_allocator *allocator, nd_hamming_writer **out,
                                   nd_error *error);
/* Of consecutive documents; in any order, each document below `documents` once. A fingerprint that
 * has more bits than the design is ND_ERR_ARGUMENT. */
nd_status nd_hamming_put(nd_hamming_writer *writer, const nd_fingerprint *fingerprints,
                         uint32_t document, size_t count, nd_error *error);
nd_status nd_hamming_finish(nd_hamming_writer *writer, nd_error *error);
/* NULL is accepted. */
void nd_hamming_writer_free(nd_hamming_writer *writer);

/* ---- reading */

typedef struct nd_hamming_tables {
    const nd_sealed_file *file;
    nd_hamming_design design;
    nd_hamming_windows windows;
    uint64_t keys, documents; /* distinct fingerprints; documents */
    unsigned document_bits;
    bool grouped; /* some fingerprints have several documents */
    nd_section document_section;
    nd_fingerprint_table groups;
    nd_bit_order *orders;
    nd_fingerprint_table *tables;
    nd_dense_runs *heavy; /* of each table */
    nd_probe_plan *ways;  /* for each k from 0 to the design's: of each table */
    atomic_uint_least64_t
        *whole; /* a bit a table: the search has seen that all its pages have been compared with
                   their hashes; and, in the second word, all of its heavy runs' tables */
} nd_hamming_tables;

nd_status nd_hamming_tables_open(const nd_sealed_file *file, const nd_allocator *allocator,
                                 nd_hamming_tables *out, nd_error *error);
void nd_hamming_tables_close(nd_hamming_tables *tables, const nd_allocator *allocator);

static inline const nd_probe_plan *nd_hamming_probe_plans(const nd_hamming_tables *tables,
                                                          uint32_t k) {
    return tables->ways + (size_t)k * tables->windows.count;
}

/* The places in the list of documents of an entry of the first table, and what stands there. */
nd_status nd_hamming_places(const nd_hamming_tables *tables, uint64_t entry, uint64_t *begin,
                            uint64_t *end, nd_error *error);
nd_status nd_hamming_document(const nd_hamming_tables *tables, uint64_t place, uint32_t *document,
                              nd_error *error);
/* Ask for the memory of what these two will look at. */
static inline void nd_hamming_prefetch_slots(const nd_hamming_tables *t, uint64_t entry) {
    if (t->grouped) nd_fingerprint_table_prefetch(&t->groups, entry);
}
static inline void nd_hamming_prefetch_document(const nd_hamming_tables *t, uint64_t place) {
    nd_sealed_prefetch(t->file, &t->document_section, place * t->document_bits / 8);
}

/* All fingerprints with their documents, in the order of the first table. Return ND_ERR_CANCELLED,
 * or another failure, to end it. */
typedef nd_status nd_hamming_document_fn(void *context, nd_fingerprint fingerprint,
                                         uint32_t document, nd_error *error);
nd_status nd_hamming_each(const nd_hamming_tables *tables, nd_hamming_document_fn *fn,
                          void *context, nd_error *error);

/* Bytes of the tables, without the documents; and of the documents. */
uint64_t nd_hamming_table_bytes(const nd_hamming_tables *tables);
uint64_t nd_hamming_document_bytes(const nd_hamming_tables *tables);

/* That all tables have the same fingerprints, and that each document is there once. O(n). */
nd_status nd_hamming_tables_check(const nd_hamming_tables *tables, nd_error *error);

#endif
