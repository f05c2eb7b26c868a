/* Copies the kept records to the output, in their order. Records that lie one behind the other are one run; the output is cut into pieces of a
 * megabyte, of some runs and parts of runs; and some pieces are copied at a time: by all threads, each piece to its own place, where the output lets them, and one
 * after the other where it is a stream. */
#ifndef ND_JOB_RECORD_COPY_H
#define ND_JOB_RECORD_COPY_H

#include "io/output_file.h"
#include "job/job.h"

typedef struct nd_record_copy nd_record_copy;

/* The output stays the caller's, who finishes and publishes it. */
nd_status nd_record_copy_create(nd_job *job, nd_output_file *output, nd_record_copy **out, nd_error *error);
void nd_record_copy_free(nd_record_copy *copy);

/* The next kept document, in the order of input. */
nd_status nd_record_copy_add(nd_record_copy *copy, uint32_t document, nd_error *error);

/* Writes what has been added and not yet written. */
nd_status nd_record_copy_flush(nd_record_copy *copy, nd_error *error);

#endif
