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
    j.input = input_options_of(&s->input);
    j.analyzer = analyzer_options_of(text);
    j.resources = resources_of(&s->resources);
    return j;
}
