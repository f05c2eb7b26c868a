#include "commands/match_command.h"

#include "output/complain.h"

void match_settings_init(match_settings *s) {
    input_settings_init(&s->input);
    similarity_settings_init(&s->similarity);
    sketch_settings_init(&s->sketch);
    text_settings_init(&s->text);
    s->text.weighting = ND_WEIGHTING_COUNTED;
    resource_settings_init(&s->resources);
}

void match_settle(const flags_given *given, match_settings *s) {
    preset_apply(&s->preset, given, &s->similarity, &s->text);
}

/* Whether the flags go with --measure containment. False: reported. */
static bool containment_flags_agree(const flags_given *given, const match_settings *s) {
    if (s->sketch.sketch != ND_SKETCH_MINHASH)
        complain("--measure containment: not with --sketch, since it makes no sketches");
    else if (s->sketch.verify != ND_VERIFY_EXACT)
        complain(
            "--measure containment: only with --verify exact, since there are no sketches that "
            "could decide");
    else if (flag_is_given(given, "index"))
        complain("--measure containment: not with --index, which finds pairs by their Jaccard "
                 "similarity");
    else return true;
    return false;
}

bool match_flags_agree(const flags_given *given, const match_settings *s) {
    if (!preset_agrees(&s->preset, s->similarity.measure, s->sketch.sketch)) return false;
    if (s->similarity.measure == ND_MEASURE_CONTAINMENT && !containment_flags_agree(given, s))
        return false;
    return sketch_flags_agree(given, &s->sketch, &s->text);
}

void match_options_fill(const match_settings *s, const command_job *j, match_options *out) {
    nd_similarity_options *o = &out->similarity;
    nd_similarity_options_init(o, sizeof *o);
    o->analyzer = &j->analyzer;
    o->threshold = s->similarity.threshold;
    o->recall = s->similarity.recall;
    o->perms = s->similarity.perms;
    o->measure = s->similarity.measure;
    sketch_settings_apply(&s->sketch, o);
    o->differ_by = s->differ.lists.names;
    o->differ_by_count = s->differ.lists.count;
    if (s->sketch.sketch != ND_SKETCH_SIMHASH) return;
    out->simhash = simhash_options_of(&s->sketch, &s->text);
    out->simhash.table = j->files.weights;
    o->simhash = &out->simhash;
}

command_job match_job(const invocation *call, const match_settings *s, const char *output,
                      job_fn *run) {
    command_job j = {.call = call,
                     .run = run,
                     .report = &s->report,
                     .text = &s->text,
                     .inputs = call->operands,
                     .input_count = call->count,
                     .output = output ? output : "-",
                     .plan = s->sketch.sketch == ND_SKETCH_MINHASH ? &s->similarity : NULL,
                     .preset = s->preset.line,
                     .max_compare = s->sketch.max_compare};
    j.input = input_options_of(&s->input);
    j.analyzer = analyzer_options_of(&s->text);
    j.resources = resources_of(&s->resources);
    return j;
}
