/* Copies the kept records to the output, in their order, behind the header of their files. A thread
 * of its own writes, so that deciding goes on while the disk works. Records that follow each other
 * in the input are one run. The output is cut into pieces of 1 MiB, which hold several runs or a
 * part of one. Finished pieces wait in a ring of fixed size. */
#ifndef ND_DEDUP_KEPT_WRITER_H
#define ND_DEDUP_KEPT_WRITER_H

#include "dedup/columns.h"
#include "io/output_file.h"

typedef struct nd_kept_writer nd_kept_writer;

/* The output stays the caller's. The caller must not use it before nd_kept_writer_finish returns;
 * then the caller finishes and publishes it. */
nd_status nd_kept_writer_create(const nd_columns *columns, nd_output_file *output,
                                nd_kept_writer **out, nd_error *error);

/* Adds the next kept document, in the order of input. */
nd_status nd_kept_writer_add(nd_kept_writer *writer, uint32_t document, nd_error *error);

/* Writes everything that was added. Nothing may be added after this call. */
nd_status nd_kept_writer_finish(nd_kept_writer *writer, nd_error *error);

/* Drops the pieces that are not written yet. NULL is accepted. */
void nd_kept_writer_free(nd_kept_writer *writer);

#endif
