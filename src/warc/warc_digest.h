/* Digests of WARC records: "sha1:" and 20 bytes in base32 (RFC 4648) or hexadecimal digits; sha256,
 * sha512 and md5 alike. libcrypto computes them. */
#ifndef ND_WARC_WARC_DIGEST_H
#define ND_WARC_WARC_DIGEST_H

#include "warc/header_fields.h"

typedef enum nd_digest_check {
    ND_DIGEST_EQUAL,
    ND_DIGEST_OTHER,
    ND_DIGEST_UNKNOWN /* another algorithm, not written as above, or a build without libcrypto */
} nd_digest_check;

/* Compares the digest with that of the bytes. O(length). */
nd_digest_check nd_digest_compare(nd_span digest, const char *bytes, size_t length);

/* Whether this build has libcrypto. */
bool nd_has_digests(void);

#endif
