/* The payload of an HTTP message: its body without the transfer coding (chunked) and the content
 * codings (gzip, deflate, br).
 *
 * Many archives keep the header of a body that they have decoded already. So a body that does not
 * look as its header says, at its beginning, is taken as it is. */
#ifndef ND_WARC_HTTP_PAYLOAD_H
#define ND_WARC_HTTP_PAYLOAD_H

#include "base/alloc.h"
#include "warc/http_message.h"

/* Memory of one thread. Zero-initialised. */
typedef struct nd_payload_decoder {
    struct {
        char *bytes;
        size_t capacity;
    } buffers[2]; /* a coding reads one and writes the other */
} nd_payload_decoder;

typedef enum nd_payload_problem {
    ND_PAYLOAD_FINE,
    ND_PAYLOAD_OVER,    /* over the limit */
    ND_PAYLOAD_DAMAGED, /* or cut off */
    ND_PAYLOAD_UNKNOWN, /* a coding that this build does not have */
    ND_PAYLOAD_NO_MEMORY
} nd_payload_problem;

/* Decodes the body. `limit`: most bytes of it, after each coding. `cut_off`: the archive says that
 * the end of the body is missing; then its beginning is taken. *out is in the body or in the
 * decoder, and valid until its next call. O(body + payload). */
nd_payload_problem nd_payload_decode(nd_payload_decoder *decoder, const nd_http_message *message,
                                     nd_span body, size_t limit, bool cut_off,
                                     const nd_allocator *allocator, nd_span *out);

/* "the payload is damaged, or cut off". Static. */
const char *nd_payload_fault(nd_payload_problem problem);

void nd_payload_decoder_free(nd_payload_decoder *decoder, const nd_allocator *allocator);

#endif
