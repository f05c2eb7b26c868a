/* Finds the next member behind a damaged one, in a compressed file whose members each begin with a
 * record of their own, as those of web archives do. A member is that of gzip, or a frame of
 * Zstandard. */
#ifndef ND_IO_MEMBER_RESUME_H
#define ND_IO_MEMBER_RESUME_H

#include "io/byte_source.h"

/* Whether a record begins with these bytes, the first ones of a member. */
typedef bool nd_record_begins_fn(const void *context, const char *bytes, size_t size);

/* How members of a compression are known. */
typedef struct nd_member_kind {
    size_t head; /* bytes that begins() looks at */
    bool (*begins)(const unsigned char *bytes);
    /* Decodes the first `size` bytes of the member that the source reads next, or fewer if it has
     * no more or is damaged. A failure is no damage. */
    nd_status (*read_first)(void *decoder, nd_byte_source *source, const nd_allocator *allocator,
                            char *first, size_t size, size_t *got, nd_error *error);
    void *decoder;
} nd_member_kind;

typedef struct nd_resume_request {
    nd_byte_source *source; /* it has its buffer */
    const nd_member_kind *kind;
    uint64_t from; /* the member begins behind this offset of the file */
    nd_record_begins_fn *begins;
    const void *context;
} nd_resume_request;

/* *found: the source goes on at the member. False also for a source that is no regular file. Time:
 * linear in the bytes up to the member, and of each place that looks like one a bit of decoding. */
nd_status nd_member_resume(const nd_resume_request *request, const nd_allocator *allocator,
                           bool *found, nd_error *error);

#endif
