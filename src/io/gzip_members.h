/* Decodes gzip members that lie in memory as a whole. libdeflate does it: it has all input and all
 * output at hand, which a decoder of streams has not, and so is faster. A build without libdeflate
 * takes nd_gzip_in. */
#ifndef ND_IO_GZIP_MEMBERS_H
#define ND_IO_GZIP_MEMBERS_H

#include "io/byte_source.h"

/* Memory for the output. Zero-initialised except for the allocator; the caller releases the
 * bytes. */
typedef struct nd_gzip_output {
    const nd_allocator *allocator;
    unsigned char *bytes;
    size_t size, capacity;
} nd_gzip_output;

/* Whether libdeflate is there. */
bool nd_gzip_members_are_fast(void);

/* Appends the content of all members of `in`, which has ND_SOURCE_SLACK bytes in front that may be
 * overwritten. ND_ERR_INPUT: they are damaged, or have more than `most` bytes, or need the care of
 * nd_gzip_in: then the output is not to be used. */
nd_status nd_gzip_members_decode(unsigned char *in, size_t size, size_t most, nd_gzip_output *out,
                                 nd_error *error);

#endif
