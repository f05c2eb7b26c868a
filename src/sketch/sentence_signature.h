/* The longest-sentences signature inside the library: how long it may be. */
#ifndef ND_SKETCH_SENTENCE_SIGNATURE_H
#define ND_SKETCH_SENTENCE_SIGNATURE_H

#include "neardup.h"

#define ND_MAX_SENTENCES 64

#endif
