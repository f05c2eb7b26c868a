/* The flags of a random sample of the documents. */
#ifndef CLI_SAMPLE_FLAGS_H
#define CLI_SAMPLE_FLAGS_H

#include "flags/flags.h"

typedef struct sample_settings {
    uint32_t documents;
    uint64_t seed;
} sample_settings;

extern const flag_table sample_flags;

#endif
