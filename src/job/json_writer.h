/* Lines of JSON, put together in memory: zero-initialised but for the allocator, whose memory the
 * caller gives back. */
#ifndef ND_JOB_JSON_WRITER_H
#define ND_JOB_JSON_WRITER_H

#include "base/alloc.h"
#include "base/status.h"

typedef struct nd_json_out {
    nd_allocator allocator;
    char *bytes;
    size_t size, capacity;
} nd_json_out;

/* Bytes as they are. */
nd_status nd_json_put(nd_json_out *out, const char *bytes, size_t length, nd_error *error);
/* A string with its quotes; what is not UTF-8 becomes U+FFFD, a byte at a time. */
nd_status nd_json_put_string(nd_json_out *out, const char *text, size_t length, nd_error *error);

#endif
