/* The passages that queries share with the documents of an index: one pass over the sets of its
 * documents, on all threads of a job. */
#ifndef ND_PASSAGES_INDEX_PASSAGES_H
#define ND_PASSAGES_INDEX_PASSAGES_H

#include "passages/passage_rows.h"

typedef struct nd_set_pass {
    nd_job *job; /* of the threads and the summary */
    const nd_store *store;
    const nd_passage_queries *queries; /* with the ngram of the store */
    uint32_t least, gap;
    nd_passage_rows *rows;
} nd_set_pass;

/* Puts the passages into the rows, in the order of the documents, and adds to the job's
 * input_bytes. Removed documents are passed over. ND_ERR_CORRUPT: damage, with the document. */
nd_status nd_set_pass_run(const nd_set_pass *pass, nd_error *error);

#endif
