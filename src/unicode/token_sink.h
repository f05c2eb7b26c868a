/* Where the scanners put tokens: an array of token hashes, or, for looking, a callback that sees
 * their bytes. */
#ifndef ND_UNICODE_TOKEN_SINK_H
#define ND_UNICODE_TOKEN_SINK_H

#include "base/alloc.h"
#include "base/hash.h"
#include "base/status.h"

typedef struct nd_token_sink {
    nd_allocator allocator;
    nd_hash_key key;
    uint64_t *hashes; /* owned; nd_hash_token of each token's folded UTF-8 bytes */
    size_t count, capacity;
    nd_token_fn *fn; /* not NULL: tokens go there instead, hashes stays empty */
    void *fn_context;
} nd_token_sink;

#endif
