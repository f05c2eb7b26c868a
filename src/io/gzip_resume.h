/* Finds the next member behind a damaged one, in a gzip file whose members each begin with a record
 * of their own, as those of web archives do. */
#ifndef ND_IO_GZIP_RESUME_H
#define ND_IO_GZIP_RESUME_H

#include "io/byte_source.h"

/* Whether a record begins with these bytes, the first ones of a member. */
typedef bool nd_record_begins_fn(const void *context, const char *bytes, size_t size);

/* Looks for a member that begins behind the offset `from` of the file. *found: the source, which
 * has its buffer, goes on there. False also for a source that is no regular file. Time: linear in
 * the bytes up to the member, and of each place that looks like one a bit of decoding. */
nd_status nd_gzip_resume(nd_byte_source *source, uint64_t from, nd_record_begins_fn *begins,
                         const void *context, const nd_allocator *allocator, bool *found,
                         nd_error *error);

#endif
