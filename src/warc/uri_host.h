/* The host that a URI names. */
#ifndef ND_WARC_URI_HOST_H
#define ND_WARC_URI_HOST_H

#include "warc/header_fields.h"

/* Finds the host, without user and port, in "scheme://user@host:port/path". Length 0: there is
 * none. */
nd_span nd_uri_host(nd_span uri);

#endif
