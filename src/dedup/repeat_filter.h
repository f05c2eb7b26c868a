/* Guesses while documents are read whether a document has a near-duplicate among those before it:
 * a Bloom filter (Bloom, 1970) of band keys, in which all bits of a key are in one word (Putze,
 * Sanders, Singler, 2007). It decides nothing: a wrong guess costs time alone.
 *
 * The filter grows while documents come: a larger one begins with copies of the old one, one behind
 * the other, so it has all keys as before. At its limit it is emptied instead, and so guesses from
 * the documents since then. */
#ifndef ND_DEDUP_REPEAT_FILTER_H
#define ND_DEDUP_REPEAT_FILTER_H

#include "base/alloc.h"
#include "base/status.h"

typedef struct nd_repeat_filter nd_repeat_filter;

/* Takes at most `memory` bytes, or 64 KiB; and 16 to 300 bytes per document. */
nd_status nd_repeat_filter_create(const nd_allocator *allocator, size_t memory,
                                  nd_repeat_filter **out, nd_error *error);
/* NULL is accepted. */
void nd_repeat_filter_free(nd_repeat_filter *filter);

/* Adds a document: its keys in the order of the bands, and the hash of its tokens. Returns whether
 * it probably has a key in common with a document before it, and is no exact copy of one. Any
 * number of threads at the same time. */
bool nd_repeat_filter_add(nd_repeat_filter *filter, const uint64_t *keys, size_t count,
                          uint64_t text_hash);
/* Called with the same document a little before, hides the time that memory takes. */
void nd_repeat_filter_prefetch(nd_repeat_filter *filter, const uint64_t *keys, size_t count,
                               uint64_t text_hash);

#endif
