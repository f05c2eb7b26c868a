/* One pass over the records of a job, on all its threads, with results in the order of input. Each
 * worker takes a block of records and makes of them what the caller wants. A block whose turn has
 * not come is laid down, and its worker goes on with another; who finishes the one whose turn it is
 * puts it and all that wait behind it: so documents come in the order of input whoever worked on
 * them. Bad records end the job, or are warned of, counted and left out, as its options say. */
#ifndef ND_JOB_RECORD_PASS_H
#define ND_JOB_RECORD_PASS_H

#include "job/job.h"

typedef struct nd_record_pass {
    nd_job *job;
    void *context;
    size_t made_size; /* bytes of what is made of a block: zeros at first, reused from block to
                         block */
    /* One thread's means. */
    nd_status (*begin_worker)(void *context, void **worker, nd_error *error);
    void (*end_worker)(void *context, void *worker);
    /* A block is begun, and each of its documents given. Any number of threads, each with its own
     * worker and `made`. ND_ERR_INPUT: the text is not what it should be, which makes its record a
     * bad one; nothing has been made of it then. */
    void (*begin)(void *made);
    nd_status (*take)(void *context, void *worker, void *made, const nd_block *block, size_t record,
                      const nd_document *document, nd_error *error);
    /* What was made of a block, in the order of input; one thread at a time. text_bytes: of the
     * block's documents. */
    nd_status (*put)(void *context, void *made, const nd_block *block, nd_error *error);
    void (*free_made)(void *context, void *made);
} nd_record_pass;

/* Adds to the job's input_bytes, text_bytes and skipped, and tells the progress of reading. */
nd_status nd_record_pass_run(const nd_record_pass *pass, nd_error *error);

/* The id of a document: its own, or its place, FILE:LINE or the number of a callback's record, in
 * `buffer`, which stays the caller's. */
nd_status nd_document_id(const nd_job *job, const nd_block *block, size_t record,
                         const nd_document *document, nd_id_buffer *buffer, nd_error *error);

#endif
