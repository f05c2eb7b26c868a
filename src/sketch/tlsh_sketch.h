/* The TLSH digest of a document as a sketch of fixed size, or the note that it has none. */
#ifndef ND_SKETCH_TLSH_SKETCH_H
#define ND_SKETCH_TLSH_SKETCH_H

#include "neardup.h"

#include <stddef.h>

/* The beginning of a digest of ND_TLSH_128_1, up to the end of its body of 32 bytes. */
enum { ND_TLSH_SKETCH_SIZE = offsetof(nd_tlsh, body) + 32 };

/* Fills ND_TLSH_SKETCH_SIZE bytes. Returns false if the text has no digest. */
bool nd_tlsh_sketch_make(const char *text, size_t length, void *sketch);

/* Gets the digest. Returns false, and fills nothing, if there is none. */
bool nd_tlsh_sketch_load(const void *sketch, nd_tlsh *out);

/* The distance of two digests, with their lengths; UINT32_MAX: one of the documents has none. */
uint32_t nd_tlsh_sketch_distance(const void *a, const void *b);

#endif
