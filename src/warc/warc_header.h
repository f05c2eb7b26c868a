/* The headers of WARC records (1.0, 1.1) and of ARC records (1.0), and which records are
 * documents. */
#ifndef ND_WARC_WARC_HEADER_H
#define ND_WARC_WARC_HEADER_H

#include "warc/header_fields.h"

/* A record. Its spans are in the header's bytes; a field that is missing has length 0. */
typedef struct nd_warc_header {
    bool arc;     /* an ARC record: it has a URI, a date, a media type and a length */
    nd_span type; /* "response" */
    nd_span id;   /* without the angle brackets */
    nd_span uri, date;
    nd_span media;                        /* Content-Type: of the block */
    nd_span identified;                   /* WARC-Identified-Payload-Type */
    nd_span block_digest, payload_digest; /* "sha1:..." */
    bool truncated;  /* WARC-Truncated: whoever fetched it did not get all of it */
    uint64_t length; /* of the block, bytes */
    size_t end;      /* the place of the block */
} nd_warc_header;

typedef enum nd_warc_found {
    ND_WARC_WHOLE,
    ND_WARC_OPEN, /* the header goes on behind `stop` */
    ND_WARC_BAD
} nd_warc_found;

/* Whether a record begins at bytes[at]. `arc`: of the file, which has records of one kind.
 * ND_WARC_BAD: none does; ND_WARC_OPEN: that many bytes do not tell. O(1); of ARC: O(length of the
 * line). */
nd_warc_found nd_warc_begins(bool arc, const char *bytes, size_t at, size_t stop);

/* Reads the header at bytes[from, stop). ND_WARC_BAD: *why, static, says why. O(header). */
nd_warc_found nd_warc_header_read(bool arc, const char *bytes, size_t from, size_t stop,
                                  nd_warc_header *out, const char **why);

/* What a record is: a document, or why it is left out. */
typedef enum nd_warc_kind {
    ND_WARC_DOCUMENT,
    ND_WARC_INFO, /* warcinfo, or the version block of ARC */
    ND_WARC_REQUEST,
    ND_WARC_METADATA,
    ND_WARC_REVISIT,
    ND_WARC_REDIRECT, /* HTTP status 3xx */
    ND_WARC_STATUS,   /* neither 200 nor 3xx */
    ND_WARC_IMAGE,
    ND_WARC_NOT_TEXT, /* another media type, or none */
    ND_WARC_OTHER,    /* dns, continuation and types to come */
    ND_WARC_KINDS
} nd_warc_kind;

/* Tells the kind by the header and the first `known` bytes of the block: its HTTP header, or
 * ND_HEADER_BYTES of it. */
nd_warc_kind nd_warc_kind_of(const nd_warc_header *header, const char *block, size_t known);

/* "1 redirect" or "31 redirects": the names of a kind for one and for several. Static. */
const char *nd_warc_kind_name(nd_warc_kind kind, bool several);

/* Whether the block is an HTTP response. */
bool nd_warc_has_http(const nd_warc_header *header);

#endif
