#include "flags/sketch_flags.h"

#include "output/complain.h"

#include <stdlib.h>
#include <string.h>

static const unsigned weightings[] = {ND_WEIGHTING_TF, ND_WEIGHTING_COUNTED, ND_WEIGHTING_TABLE,
                                      ND_WEIGHTING_NONE};

static const flag sketches[] = {
    {.name = "sketch",
     .kind = FLAG_CHOICE,
     .choices = "minhash|simhash|sentences:N|tlsh",
     .offset = offsetof(sketch_settings, sketch),
     .detail = offsetof(sketch_settings, sentences),
     .help = "how candidate pairs are found; minhash: by bands of signatures; simhash: all pairs "
             "whose fingerprints differ in few bits; sentences:N: all pairs that share one of "
             "their N longest sentences; tlsh: all pairs whose TLSH digests are near"},
};

static const flag candidate_k[] = {
    K_FLAG("6; 3 with --verify none", "; only with --sketch simhash")};
static const flag candidate_bits[] = {BITS_FLAG("; only with --sketch simhash")};

static const flag candidate_distance[] = {
    {.name = "distance",
     .kind = FLAG_COUNT,
     .argument = "N",
     .high = 300,
     .offset = offsetof(sketch_settings, distance),
     .fallback = "70; 30 with --verify none",
     .help = "largest TLSH distance of near digests; only with --sketch tlsh"},
};

static const flag counted_weights[] = {
    WEIGHTS_FLAG("tf|tfidf|tfidf:FILE|none", weightings, "tfidf",
                 WEIGHTS_COUNTED_HELP WEIGHTS_TABLE_HELP WEIGHTS_NONE_HELP
                 "; tfidf weighs single words, the others weigh shingles; only with --sketch "
                 "simhash"),
};

static const flag verify[] = {
    {.name = "verify",
     .kind = FLAG_CHOICE,
     .choices = "exact|cosine|none",
     .offset = offsetof(sketch_settings, verify),
     .help = "how a candidate pair is decided; exact: by the shingle sets; cosine (only with "
             "--sketch simhash): by the weighted features of the fingerprints, and --threshold is "
             "then a cosine; none: by the sketches"},
};

static const flag bound[] = {
    {.name = "max-compare",
     .kind = FLAG_COUNT,
     .argument = "N",
     .low = 1,
     .high = UINT32_MAX,
     .offset = offsetof(sketch_settings, max_compare),
     .help = "most comparisons of one document with members of large buckets; comparisons that are "
             "left out are counted"},
};

const flag_table sketch_flags = FLAG_TABLE("Similarity", sketches);
const flag_table candidate_k_flags = FLAG_TABLE("Similarity", candidate_k);
const flag_table candidate_bits_flags = FLAG_TABLE("Similarity", candidate_bits);
const flag_table candidate_distance_flags = FLAG_TABLE("Similarity", candidate_distance);
const flag_table counted_weight_flags = FLAG_TABLE("Similarity", counted_weights);
const flag_table verify_flags = FLAG_TABLE("Comparison", verify);
const flag_table bound_flags = FLAG_TABLE("Comparison", bound);

void sketch_settings_init(sketch_settings *s) {
    nd_similarity_options usual;
    nd_similarity_options_init(&usual, sizeof usual);
    *s = (sketch_settings){.sketch = usual.sketch,
                           .verify = usual.verify,
                           .max_compare = usual.max_compare,
                           .distance = DISTANCE_UNSET};
    fingerprint_settings_init(&s->fingerprint);
}

enum {
    OF_MINHASH = 1 << ND_SKETCH_MINHASH,
    OF_SIMHASH = 1 << ND_SKETCH_SIMHASH,
    OF_SENTENCES = 1 << ND_SKETCH_SENTENCES,
    OF_TLSH = 1 << ND_SKETCH_TLSH
};

/* The first given flag that has no effect with the sketch; NULL: there is none. */
static const char *flag_of_other_sketch(const flags_given *given, const sketch_settings *s) {
    static const struct {
        const char *name;
        unsigned sketches; /* with which it has an effect, as bits */
    } flags[] = {
        {"recall", OF_MINHASH}, {"perms", OF_MINHASH | OF_SENTENCES},
        {"index", OF_MINHASH},  {"k", OF_SIMHASH},
        {"bits", OF_SIMHASH},   {"weights", OF_SIMHASH},
        {"distance", OF_TLSH},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (flag_is_given(given, flags[i].name) && !(flags[i].sketches >> s->sketch & 1))
            return flags[i].name;
    return s->verify == ND_VERIFY_COSINE && s->sketch != ND_SKETCH_SIMHASH ? "verify cosine" : NULL;
}

/* --sketch simhash with flags that decide about texts. False: reported. */
static bool simhash_flags_agree(const flags_given *given, const sketch_settings *s,
                                const text_settings *text) {
    bool words = text->weighting == ND_WEIGHTING_COUNTED || text->weighting == ND_WEIGHTING_TABLE;
    bool exact = s->checks || s->verify == ND_VERIFY_EXACT;
    if (words && text->analyzer == ND_CHARS)
        complain("--analyzer chars: not with --weights tfidf, which weighs words; --weights tf or "
                 "none go with it");
    else if (words && !exact && flag_is_given(given, "ngram"))
        complain("--ngram: has no effect with --weights tfidf, which weighs single words, unless "
                 "--verify is exact");
    else return true;
    return false;
}

/* The number of sentences; 0: out of range. */
static uint32_t sentence_count(const char *text) {
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    bool good = text[0] >= '0' && text[0] <= '9' && !*end && number <= 64;
    return good ? (uint32_t)number : 0;
}

static uint32_t k_of(const sketch_settings *s) {
    nd_similarity_options similarity;
    nd_hamming_options hamming;
    nd_similarity_options_init(&similarity, sizeof similarity);
    nd_hamming_options_init(&hamming, sizeof hamming);
    /* Where fingerprints alone decide, they must be as near as in neardup hamming. */
    return fingerprint_k(&s->fingerprint, s->verify == ND_VERIFY_NONE ? hamming.k : similarity.k);
}

static const char *const names[] = {[ND_SKETCH_MINHASH] = "minhash",
                                    [ND_SKETCH_SIMHASH] = "simhash",
                                    [ND_SKETCH_SENTENCES] = "sentences",
                                    [ND_SKETCH_TLSH] = "tlsh"};

/* Whether --threshold is given where the distance of two sketches decides alone. */
static bool has_idle_threshold(const flags_given *given, const sketch_settings *s) {
    bool distances = s->sketch == ND_SKETCH_SIMHASH || s->sketch == ND_SKETCH_TLSH;
    return distances && s->verify == ND_VERIFY_NONE && !s->checks &&
           flag_is_given(given, "threshold");
}

bool sketch_flags_agree(const flags_given *given, const sketch_settings *s,
                        const text_settings *text) {
    const char *foreign = flag_of_other_sketch(given, s);
    if (foreign) {
        complain("--%s: not with --sketch %s%s", foreign, names[s->sketch],
                 strcmp(foreign, "index") == 0 ? ": an index keeps MinHash sketches" : "");
        return false;
    }
    if (has_idle_threshold(given, s)) {
        complain("--threshold: not with --sketch %s --verify none, where --%s decides",
                 names[s->sketch], s->sketch == ND_SKETCH_TLSH ? "distance" : "k");
        return false;
    }
    if (s->sketch == ND_SKETCH_SENTENCES && sentence_count(s->sentences) == 0) {
        complain("--sketch sentences:%s: must be a whole number from 1 to 64", s->sentences);
        return false;
    }
    if (s->sketch != ND_SKETCH_SIMHASH) return true;
    return fingerprint_k_fits(k_of(s), s->fingerprint.bits) && simhash_flags_agree(given, s, text);
}

void sketch_settings_apply(const sketch_settings *s, nd_similarity_options *similarity) {
    similarity->sketch = s->sketch;
    similarity->verify = s->verify;
    similarity->max_compare = s->max_compare;
    if (s->sentences) similarity->sentences = sentence_count(s->sentences);
    if (s->sketch == ND_SKETCH_SIMHASH) similarity->k = k_of(s);
    if (s->distance != DISTANCE_UNSET) similarity->distance = s->distance;
    /* Where digests alone decide, they must be nearer. */
    else if (s->verify == ND_VERIFY_NONE) similarity->distance = 30;
}

nd_simhash_options simhash_options_of(const sketch_settings *s, const text_settings *text) {
    nd_simhash_options simhash;
    nd_simhash_options_init(&simhash, sizeof simhash);
    simhash.bits = s->fingerprint.bits;
    simhash.weighting = text->weighting;
    return simhash;
}
