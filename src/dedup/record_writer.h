/* Writes records to an output, in the order of input, behind the header of their files. Threads of
 * its own write, so that deciding goes on while the disk works. Finished pieces of the work wait
 * in a ring of fixed size.
 *
 * Into one file, records are copied: records that follow each other in the input are one run, and
 * the output is cut into pieces of 4 MiB, which hold several runs or a part of one. Otherwise, for
 * several files or another form, records are written one by one. */
#ifndef ND_DEDUP_RECORD_WRITER_H
#define ND_DEDUP_RECORD_WRITER_H

#include "dedup/columns.h"
#include "dedup/record_files.h"

typedef struct nd_record_writer nd_record_writer;

/* The target stays the caller's. The caller must not use it before nd_record_writer_finish returns;
 * then the caller finishes and publishes it. */
nd_status nd_record_writer_create(const nd_columns *columns, const nd_record_form *form,
                                  const nd_record_target *target, nd_record_writer **out,
                                  nd_error *error);

/* Adds the next document, in the order of input. `mark`: what became of it; only read if the form
 * has marks. `id`: only read if the records are texts, or rows of Parquet. */
nd_status nd_record_writer_add(nd_record_writer *writer, uint32_t document,
                               const nd_record_mark *mark, const nd_id_buffer *id, nd_error *error);

/* Writes everything that was added. Nothing may be added after this call. Adds the bytes of files
 * in a directory to *bytes. */
nd_status nd_record_writer_finish(nd_record_writer *writer, uint64_t *bytes, nd_error *error);

/* Drops the pieces that are not written yet. NULL is accepted. */
void nd_record_writer_free(nd_record_writer *writer);

#endif
