#include "commands/match_command.h"

void match_settings_init(match_settings *s) {
    input_settings_init(&s->input);
    similarity_settings_init(&s->similarity);
    sketch_settings_init(&s->sketch);
    text_settings_init(&s->text);
    s->text.weighting = ND_WEIGHTING_COUNTED;
    resource_settings_init(&s->resources);
}

bool match_flags_agree(const flags_given *given, const match_settings *s) {
    return sketch_flags_agree(given, &s->sketch, &s->text);
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
                     .checks_plan = s->sketch.sketch == ND_SKETCH_MINHASH};
    nd_job_options_init(&j.options);
    input_settings_apply(&s->input, &j.options);
    similarity_settings_apply(&s->similarity, &j.options);
    text_settings_apply(&s->text, &j.options);
    sketch_settings_apply(&s->sketch, &s->text, &j.options);
    resource_settings_apply(&s->resources, &j.options);
    return j;
}
