#include "commands/extract_command.h"

void extract_settings_init(extract_settings *s) {
    input_settings_init(&s->input);
    text_settings_init(&s->text);
    resource_settings_init(&s->resources);
}

command_job extract_job(const invocation *call, const extract_settings *s,
                        const text_settings *text, job_fn *run) {
    command_job j = {.call = call,
                     .run = run,
                     .report = &s->report,
                     .text = text,
                     .inputs = call->operands,
                     .input_count = call->count,
                     .output = s->output.output ? s->output.output : "-"};
    nd_job_options_init(&j.options);
    input_settings_apply(&s->input, &j.options);
    text_settings_apply(text, &j.options);
    resource_settings_apply(&s->resources, &j.options);
    j.options.output = j.output;
    return j;
}
