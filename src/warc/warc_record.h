/* A record of WARC or ARC that is a document, taken apart: header, block, HTTP message. */
#ifndef ND_WARC_WARC_RECORD_H
#define ND_WARC_WARC_RECORD_H

#include "warc/http_message.h"
#include "warc/warc_header.h"

/* Its spans are in the record's bytes. */
typedef struct nd_warc_record {
    nd_warc_header header;
    nd_span block;
    nd_http_message http; /* zeros: the block is the payload itself */
    nd_span media;        /* Content-Type of the payload */
    nd_span body;         /* the payload, with its codings */
} nd_warc_record;

/* Returns NULL, or why the record is bad, static. O(headers). */
const char *nd_warc_record_read(const char *bytes, size_t length, nd_warc_record *out);

#endif
