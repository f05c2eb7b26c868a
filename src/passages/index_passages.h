/* Finds the passages that queries share with the documents of an index: one pass over the shingle
 * sets of the documents, on all threads of a run. */
#ifndef ND_PASSAGES_INDEX_PASSAGES_H
#define ND_PASSAGES_INDEX_PASSAGES_H

#include "passages/passage_rows.h"
#include "store/store.h"

typedef struct nd_set_pass {
    const nd_run *run;
    const nd_store *store;
    const nd_passage_queries *queries; /* with the ngram of the store */
    uint32_t least, gap;
    nd_passage_rows *rows;
} nd_set_pass;

/* Appends the passages to the rows, in the order of the documents. Removed documents are skipped.
 * *bytes: the size of all sets that were read. ND_ERR_CORRUPT: a set is damaged; the message names
 * its document. */
nd_status nd_set_pass_run(const nd_set_pass *pass, uint64_t *bytes, nd_error *error);

#endif
