/* The head of an HTTP response as it is in an archive: status line and header fields. */
#ifndef ND_WARC_HTTP_MESSAGE_H
#define ND_WARC_HTTP_MESSAGE_H

#include "warc/header_fields.h"

typedef struct nd_http_message {
    unsigned status;  /* 100 to 999 */
    nd_span media;    /* Content-Type */
    nd_span encoding; /* Content-Encoding */
    nd_span transfer; /* Transfer-Encoding */
    size_t body;      /* its place */
} nd_http_message;

/* Reads the message at the beginning of `bytes`. Without an empty line all of it is header. False:
 * it does not begin with a status line. */
bool nd_http_read(const char *bytes, size_t size, nd_http_message *out);

/* Of a Content-Type: "text/html" of "text/html; charset=x"; and "x", length 0: there is none. */
nd_span nd_media_type(nd_span content_type);
nd_span nd_media_charset(nd_span content_type);

/* Whether people read such a text: HTML, XHTML, plain text and other text, but no program and no
 * style sheet. */
bool nd_media_is_text(nd_span media_type);

#endif
