/* Document lists: the documents of each entry of the first Hamming table (hamming_tables.h). Most
 * fingerprints have one document, which is read by one line of memory; the others lead to a group.
 *
 * Documents are at *slots*. The slot of entry e is e. It has the entry's document, or the number of
 * the group that has the entry's documents. The slots of the groups' documents come behind those of
 * all entries.
 *
 * Sections of a sealed file, with tags from a base tag on (doc/internals/formats.md, "Files of an
 * index"). Bits count from the lowest bit of byte 0 up. V: bits of 3/2 times the number of
 * documents, less one, at least 1.
 *
 *   +0  for each entry V bits: its document; or the number of documents plus that of a group
 *   +1  the documents of the groups, V bits each, group by group, ascending in a group
 *   +2  32-bit little-endian words: where each group begins in +1, and where the last one ends
 *
 * Without groups +1 and +2 are missing. A group has two documents or more, so there are at most
 * half as many groups as documents. */
#ifndef ND_HAMMING_DOCUMENT_LISTS_H
#define ND_HAMMING_DOCUMENT_LISTS_H

#include "io/temp_space.h"
#include "storage/bit_writer.h"
#include "storage/sealed_file.h"

enum { ND_DOCUMENT_LIST_TAGS = 3 };

/* ---- writing: entry by entry */

typedef struct nd_document_lists_writer {
    uint64_t documents, groups, members; /* members: documents of the groups so far */
    unsigned width;                      /* V */
    nd_spool entry_spool, member_spool, begin_spool;
    nd_bit_writer entry_numbers, member_numbers, begins;
} nd_document_lists_writer;

/* documents: 1 to 2^32 - 1. memory_limit: bytes; what exceeds them goes to `disk`. */
void nd_document_lists_writer_init(nd_document_lists_writer *writer, uint64_t documents,
                                   const nd_allocator *allocator, nd_temp_space *disk,
                                   size_t memory_limit);
/* The next entry has this one document. */
nd_status nd_document_lists_put(nd_document_lists_writer *writer, uint64_t document,
                                nd_error *error);
/* The next entry has several documents, which are put as members, ascending. */
nd_status nd_document_lists_begin_group(nd_document_lists_writer *writer, nd_error *error);
nd_status nd_document_lists_put_member(nd_document_lists_writer *writer, uint64_t document,
                                       nd_error *error);
/* Writes the sections. */
nd_status nd_document_lists_finish(nd_document_lists_writer *writer, nd_sealed_writer *file,
                                   uint32_t tag, nd_error *error);
void nd_document_lists_writer_free(nd_document_lists_writer *writer);

/* ---- reading: any number of threads */

typedef struct nd_document_lists {
    const nd_sealed_file *file;
    uint64_t entries, documents, members;
    unsigned width; /* V */
    nd_section entry_numbers, member_numbers, begins;
} nd_document_lists;

/* ND_ERR_CORRUPT: the sections do not have the sizes for so many entries and documents. The file
 * must stay open. */
nd_status nd_document_lists_open(const nd_sealed_file *file, uint32_t tag, uint64_t entries,
                                 uint64_t documents, nd_document_lists *out, nd_error *error);

/* The slots [begin, end) of an entry, and the document in a slot. */
nd_status nd_document_lists_slots(const nd_document_lists *lists, uint64_t entry, uint64_t *begin,
                                  uint64_t *end, nd_error *error);
nd_status nd_document_lists_at(const nd_document_lists *lists, uint64_t slot, uint32_t *document,
                               nd_error *error);
/* Prefetches what nd_document_lists_slots will read of an entry. */
static inline void nd_document_lists_prefetch(const nd_document_lists *l, uint64_t entry) {
    nd_sealed_prefetch(l->file, &l->entry_numbers, entry * l->width / 8);
}

uint64_t nd_document_lists_bytes(const nd_document_lists *lists);

#endif
