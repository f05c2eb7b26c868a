/* The flags that say how dedup and pairs find candidates, and how they decide about them. */
#ifndef CLI_SKETCH_FLAGS_H
#define CLI_SKETCH_FLAGS_H

#include "flags/fingerprint_flags.h"
#include "flags/text_flags.h"

/* No --distance was given. */
enum { DISTANCE_UNSET = UINT32_MAX };

typedef struct sketch_settings {
    fingerprint_settings fingerprint; /* first: its flags point into it */
    nd_sketch sketch;
    const char *sentences; /* how many, as text; NULL: not by sentences */
    nd_verify verify;
    uint32_t max_compare;
    uint32_t distance; /* most distance of TLSH digests; DISTANCE_UNSET: by `verify` */
    bool checks;       /* the command compares texts exactly, whatever `verify` says */
} sketch_settings;

extern const flag_table sketch_flags; /* --sketch; follows similarity_flags */
/* -k and --bits; their part is a fingerprint_settings */
extern const flag_table candidate_k_flags, candidate_bits_flags;
extern const flag_table candidate_distance_flags;  /* --distance */
extern const flag_table counted_weight_flags;      /* --weights; its part is a text_settings */
extern const flag_table verify_flags, bound_flags; /* --verify; --max-compare */
void sketch_settings_init(sketch_settings *s);

/* Whether all given flags have an effect with the sketch and do not contradict each other. False:
 * reported. */
bool sketch_flags_agree(const flags_given *given, const sketch_settings *s,
                        const text_settings *text);

/* Sketch, verification, and the bound of comparisons. REQUIRES: sketch_flags_agree. */
void sketch_settings_apply(const sketch_settings *s, nd_similarity_options *similarity);
/* All but the table of --weights tfidf:FILE, which is not read yet. */
nd_simhash_options simhash_options_of(const sketch_settings *s, const text_settings *text);

#endif
