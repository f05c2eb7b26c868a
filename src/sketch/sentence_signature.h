/* The most sentences that a signature of the longest sentences may have. */
#ifndef ND_SKETCH_SENTENCE_SIGNATURE_H
#define ND_SKETCH_SENTENCE_SIGNATURE_H

#include "neardup.h"

#define ND_MAX_SENTENCES 64

#endif
