/* Decodes gzip (RFC 1952): any number of members, then zero padding or nothing. Uses ISA-L, or zlib
 * in a build without ISA-L. */
#ifndef ND_IO_GZIP_IN_H
#define ND_IO_GZIP_IN_H

#include "io/member_resume.h"

typedef struct nd_gzip_in nd_gzip_in;

/* The source has its buffer, which begins with the stream's first bytes. It stays the caller's, and
 * must outlive the decoder. */
nd_status nd_gzip_in_open(nd_byte_source *source, const nd_allocator *allocator, nd_gzip_in **out,
                          nd_error *error);
void nd_gzip_in_close(nd_gzip_in *gzip);

/* As nd_stream_in_read. */
nd_status nd_gzip_in_read(nd_gzip_in *gzip, void *buffer, size_t size, size_t *got,
                          nd_error *error);

/* The same up to the end of a member at most; *ended: it has been reached. */
nd_status nd_gzip_in_read_member(nd_gzip_in *gzip, void *buffer, size_t size, size_t *got,
                                 bool *ended, nd_error *error);

/* The compressed offset where the latest member begins. *delivered: the bytes of it so far. */
uint64_t nd_gzip_in_member(const nd_gzip_in *gzip, uint64_t *delivered);

/* Bytes of a member's header without its optional fields. */
enum { ND_GZIP_HEADER = 10 };
/* Whether bytes look like the beginning of a member (RFC 1952): magic, method, flags, and the
 * fields of extra flags and system as they are written. */
static inline bool nd_gzip_begins_member(const unsigned char *bytes) {
    return bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == 8 && (bytes[3] & 0xe0) == 0 &&
           (bytes[8] == 0 || bytes[8] == 2 || bytes[8] == 4) && (bytes[9] <= 13 || bytes[9] == 255);
}

extern const nd_member_kind nd_gzip_member_kind;

#endif
