/* Receives the tokens of the tokenizers: as an array of hashes, or through a callback that gets
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
    nd_token_fn *fn; /* not NULL: gets the tokens, and `hashes` stays empty */
    void *fn_context;
} nd_token_sink;

#endif
