/* Hamming tables: the tables of a design (hamming_design.h) over a set of documents with
 * fingerprints, in sections of a sealed file. They are written once and then only read.
 *
 * Each table is an Elias-Fano table (elias_fano_table.h) of the distinct fingerprints in its own
 * bit order. The first table leads to the documents: lists say which documents each of its entries
 * has (document_lists.h). From an entry of another table the fingerprint is looked up in the first.
 *
 * Sections, with tags from ND_TAG_HAMMING on (doc/internals/formats.md, "Files of an index"):
 *   +0    48 bytes: kind, bits, k, blocks, chosen, number of tables (32 bits each); distinct
 *         fingerprints, documents, D of the tables (64 bits each)
 *   +5    (3 tags) the lists of documents
 *   +8    (4 tags each) the tables
 *   +512  (16 tags each) their dense runs (dense_buckets.h), missing where a table has none */
#ifndef ND_HAMMING_HAMMING_TABLES_H
#define ND_HAMMING_HAMMING_TABLES_H

#include "hamming/elias_fano_table.h"
#include "hamming/hamming_design.h"
#include "hamming/dense_buckets.h"
#include "hamming/document_lists.h"

enum { ND_TAG_HAMMING = 4096 };

/* ---- writing: one thread */

typedef struct nd_hamming_writer nd_hamming_writer;

typedef struct nd_hamming_writer_settings {
    nd_sealed_writer *file;
    const nd_hamming_design *design; /* copied */
    uint64_t documents;              /* 1 to 2^32 - 1 */
    nd_temp_space *disk;
    size_t memory_limit; /* bytes for sorting; what exceeds them goes to `disk` */
} nd_hamming_writer_settings;
nd_status nd_hamming_writer_create(const nd_hamming_writer_settings *settings,
                                   const nd_allocator *allocator, nd_hamming_writer **out,
                                   nd_error *error);
/* Puts the fingerprints of documents [document, document + count). Calls may come in any order, but
 * each document must be put once. ND_ERR_ARGUMENT: a fingerprint has more bits than the design. */
nd_status nd_hamming_put(nd_hamming_writer *writer, const nd_fingerprint *fingerprints,
                         uint32_t document, size_t count, nd_error *error);
nd_status nd_hamming_finish(nd_hamming_writer *writer, nd_error *error);
/* NULL is accepted. */
void nd_hamming_writer_free(nd_hamming_writer *writer);

/* ---- reading: any number of threads */

typedef struct nd_hamming_tables {
    const nd_sealed_file *file;
    nd_hamming_design design;
    nd_hamming_windows windows;
    uint64_t keys; /* distinct fingerprints */
    uint64_t documents;
    nd_document_lists lists;
    nd_bit_order *orders; /* of each table, like the following */
    nd_ef_table *tables;
    nd_dense_runs *dense;
    nd_probe_plan *plans; /* for each k from 0 to the design's: of each table */
    /* A bit per table: searches need not verify its pages any more, because all have been compared
     * with their hashes. First word: the tables. Second word: the tables of their dense runs. */
    atomic_uint_least64_t *verified;
} nd_hamming_tables;

/* On failure there is nothing to close. The file must stay open. */
nd_status nd_hamming_tables_open(const nd_sealed_file *file, const nd_allocator *allocator,
                                 nd_hamming_tables *out, nd_error *error);
void nd_hamming_tables_close(nd_hamming_tables *tables, const nd_allocator *allocator);

/* How queries with distance k probe each table; k: at most that of the design. */
static inline const nd_probe_plan *nd_hamming_probe_plans(const nd_hamming_tables *tables,
                                                          uint32_t k) {
    return tables->plans + (size_t)k * tables->windows.count;
}

/* Calls fn for each document with its fingerprint, in the order of the first table. The callback
 * returns ND_ERR_CANCELLED, or another failure, to end it. */
typedef nd_status nd_hamming_document_fn(void *context, nd_fingerprint fingerprint,
                                         uint32_t document, nd_error *error);
nd_status nd_hamming_each(const nd_hamming_tables *tables, nd_hamming_document_fn *fn,
                          void *context, nd_error *error);

/* Bytes of the tables without the lists of documents. */
uint64_t nd_hamming_table_bytes(const nd_hamming_tables *tables);

/* Checks that all tables have the same fingerprints, and that each document is there once. O(n). */
nd_status nd_hamming_tables_check(const nd_hamming_tables *tables, nd_error *error);

#endif
