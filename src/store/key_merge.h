/* Merges the entries of key tables, for a new table over the documents of all: by a tree of merges
 * of two (Knuth, "The Art of Computer Programming" 3, 5.4.1). Equal keys come in the order of their
 * tables.
 *
 * Entries go through the tree in blocks, and no branch depends on a key, because keys are random: a
 * processor guesses half of such branches wrong. */
#ifndef ND_STORE_KEY_MERGE_H
#define ND_STORE_KEY_MERGE_H

#include "store/key_table.h"

/* A table, and the numbers that its documents have in the new one: `moved[document]`, or, if moved
 * is NULL, `begin + document`. New numbers ascend with the old ones. Entries of documents whose bit
 * is set in `removed` (NULL: none) are left out. */
typedef struct nd_key_input {
    const nd_key_table *table;
    uint32_t begin;
    const uint32_t *moved;
    const uint8_t *removed;
} nd_key_input;

typedef struct nd_key_merge nd_key_merge;

/* Merges `count` >= 1 tables. What the inputs point to must outlive the merge. */
nd_status nd_key_merge_create(const nd_key_input *inputs, size_t count,
                              const nd_allocator *allocator, nd_key_merge **out, nd_error *error);
/* NULL is accepted. */
void nd_key_merge_free(nd_key_merge *merge);

/* The next entries, ascending by (key, document); valid until the next call. */
typedef struct nd_key_entries {
    const uint64_t *keys;
    const uint32_t *documents;
    uint32_t count; /* 0: there are none left */
} nd_key_entries;

/* ND_ERR_CORRUPT: a table is damaged. */
nd_status nd_key_merge_next(nd_key_merge *merge, nd_key_entries *out, nd_error *error);

#endif
