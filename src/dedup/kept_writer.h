/* Copies the kept records to the output, in their order, on a thread of its own, so that deciding
 * goes on while the disk works. Records that lie one behind the other are one run; the output is
 * cut into pieces of a megabyte, of some runs and parts of runs; and the pieces wait in a ring, at
 * most as many as it holds. */
#ifndef ND_DEDUP_KEPT_WRITER_H
#define ND_DEDUP_KEPT_WRITER_H

#include "io/output_file.h"
#include "job/job.h"

typedef struct nd_record_copy nd_record_copy;

/* The output stays the caller's, who does not touch it before nd_record_copy_finish, and finishes
 * and publishes it then. */
nd_status nd_record_copy_create(nd_job *job, nd_output_file *output, nd_record_copy **out,
                                nd_error *error);

/* The next kept document, in the order of input. */
nd_status nd_record_copy_add(nd_record_copy *copy, uint32_t document, nd_error *error);

/* Writes what has been added and not yet written. Nothing may be added after. */
nd_status nd_record_copy_finish(nd_record_copy *copy, nd_error *error);

/* Frees; what has not been written is given up. NULL is accepted. */
void nd_record_copy_free(nd_record_copy *copy);

#endif
