/* The flags of the Jaccard similarity, and of finding its pairs by bands of MinHash signatures. */
#ifndef CLI_SIMILARITY_FLAGS_H
#define CLI_SIMILARITY_FLAGS_H

#include "flags/flags.h"
#include "neardup.h"

typedef struct similarity_settings {
    double threshold, recall;
    uint32_t perms;
} similarity_settings;

extern const flag_table similarity_flags;
void similarity_settings_init(similarity_settings *s);

/* The bands and rows for these settings. False: there are none, and that is reported. */
bool similarity_plan(const similarity_settings *s, nd_plan *out);

#endif
