#include "flags/similarity_flags.h"

#include "output/complain.h"

static const flag flags[] = {
    {.name = "threshold",
     .kind = FLAG_SHARE,
     .argument = "S",
     .one = true,
     .offset = offsetof(similarity_settings, threshold),
     .help = "similarity from which on two documents are duplicates; it is the Jaccard similarity "
             "of their sets of shingles"},
    {.name = "recall",
     .kind = FLAG_SHARE,
     .argument = "P",
     .offset = offsetof(similarity_settings, recall),
     .help = "least probability of finding a pair at the threshold; pairs of higher similarity are "
             "found with a higher probability"},
    {.name = "perms",
     .kind = FLAG_COUNT,
     .argument = "N",
     .low = 1,
     .high = 1024,
     .offset = offsetof(similarity_settings, perms),
     .help = "number of MinHash permutations"},
};

static const flag set_measures[] = {
    {.name = "measure",
     .kind = FLAG_CHOICE,
     .choices = "jaccard|containment",
     .offset = offsetof(similarity_settings, measure),
     .help = "similarity of two sets of shingles; jaccard: the share of all shingles that both "
             "have; containment: the share of the smaller set that the other one has, so that a "
             "text within a longer one is its duplicate"},
};

const flag_table similarity_flags = FLAG_TABLE("Similarity", flags);
const flag_table set_measure_flags = FLAG_TABLE("Similarity", set_measures);

void similarity_settings_init(similarity_settings *s) {
    nd_similarity_options usual;
    nd_similarity_options_init(&usual, sizeof usual);
    *s = (similarity_settings){
        .threshold = usual.threshold, .recall = usual.recall, .perms = usual.perms};
}

bool similarity_plan(const similarity_settings *s, nd_plan *out) {
    nd_error error;
    if (nd_plan_choose(s->threshold, s->recall, s->perms, out, &error) == ND_OK) return true;
    complain("%s", error.message);
    return false;
}

bool similarity_anchors(const similarity_settings *s, nd_anchor_plan *out) {
    nd_error error;
    if (nd_anchor_plan_choose(s->threshold, s->recall, out, &error) == ND_OK) return true;
    complain("%s", error.message);
    return false;
}

bool similarity_flags_agree(const flags_given *given, const similarity_settings *s) {
    nd_plan plan;
    nd_anchor_plan anchors;
    if (s->measure == ND_MEASURE_JACCARD) return similarity_plan(s, &plan);
    if (flag_is_given(given, "perms")) {
        complain("--perms: not with --measure containment, which makes no signatures");
        return false;
    }
    return similarity_anchors(s, &anchors);
}
