/* What dedup and pairs share: both find all pairs of near-duplicates among the documents. */
#ifndef CLI_MATCH_COMMAND_H
#define CLI_MATCH_COMMAND_H

#include "commands/job_command.h"
#include "flags/differ_flags.h"
#include "flags/input_flags.h"
#include "flags/preset_flags.h"
#include "flags/resource_flags.h"
#include "flags/similarity_flags.h"
#include "flags/sketch_flags.h"

typedef struct match_settings {
    report_settings report;
    input_settings input;
    preset_settings preset;
    similarity_settings similarity;
    sketch_settings sketch;
    differ_settings differ;
    text_settings text;
    resource_settings resources;
} match_settings;

/* The groups of similarity, sketches and words, for the part `part` of the settings. */
#define MATCH_GROUPS(settings, part)                                                               \
    FLAG_GROUP(settings, part.preset, preset_flags),                                               \
        FLAG_GROUP(settings, part.similarity, similarity_flags),                                   \
        FLAG_GROUP(settings, part.similarity, set_measure_flags),                                  \
        FLAG_GROUP(settings, part.sketch, sketch_flags),                                           \
        FLAG_GROUP(settings, part.sketch.fingerprint, candidate_k_flags),                          \
        FLAG_GROUP(settings, part.sketch.fingerprint, candidate_bits_flags),                       \
        FLAG_GROUP(settings, part.sketch, candidate_distance_flags),                               \
        FLAG_GROUP(settings, part.text, counted_weight_flags),                                     \
        FLAG_GROUP(settings, part.text, token_flags),                                              \
        FLAG_GROUP(settings, part.text, shingle_flags),                                            \
        FLAG_GROUP(settings, part.text, seed_flags),                                               \
        FLAG_GROUP(settings, part.sketch, verify_flags),                                           \
        FLAG_GROUP(settings, part.differ, differ_flags),                                           \
        FLAG_GROUP(settings, part.sketch, bound_flags)
#define RESOURCE_GROUPS(settings, part)                                                            \
    FLAG_GROUP(settings, part, memory_flags), FLAG_GROUP(settings, part, work_flags),              \
        FLAG_GROUP(settings, part, threads_flags)

void match_settings_init(match_settings *s);

/* Sets the values of --preset. */
void match_settle(const flags_given *given, match_settings *s);

/* Whether the flags of the sketch agree. False: reported. */
bool match_flags_agree(const flags_given *given, const match_settings *s);

/* What a duplicate is. */
typedef struct match_options {
    nd_similarity_options similarity;
    nd_simhash_options simhash;
} match_options;
/* The options of `s`, with the words of the job. They point to the job and to *out. REQUIRES:
 * match_flags_agree. */
void match_options_fill(const match_settings *s, const command_job *j, match_options *out);

/* The job on the operands. */
command_job match_job(const invocation *call, const match_settings *s, const char *output,
                      job_fn *run);

#endif
