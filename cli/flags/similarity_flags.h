/* The flags of the similarity of shingle sets, and of finding its pairs: by bands of MinHash
 * signatures, or by anchors. */
#ifndef CLI_SIMILARITY_FLAGS_H
#define CLI_SIMILARITY_FLAGS_H

#include "flags/flags.h"
#include "neardup.h"

typedef struct similarity_settings {
    double threshold, recall;
    uint32_t perms;
    nd_measure measure;
} similarity_settings;

extern const flag_table similarity_flags;
extern const flag_table set_measure_flags; /* --measure; follows similarity_flags */
void similarity_settings_init(similarity_settings *s);

/* The bands and rows for these settings. False: there are none, and that is reported. */
bool similarity_plan(const similarity_settings *s, nd_plan *out);
/* The same for the anchors. */
bool similarity_anchors(const similarity_settings *s, nd_anchor_plan *out);
/* Whether there is the plan that the measure needs, and --perms has an effect. False: reported. */
bool similarity_flags_agree(const flags_given *given, const similarity_settings *s);

#endif
