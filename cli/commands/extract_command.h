/* What simhash, idf and keywords share: a result for each document, or for all words, that the
 * library writes. */
#ifndef CLI_EXTRACT_COMMAND_H
#define CLI_EXTRACT_COMMAND_H

#include "commands/job_command.h"
#include "flags/input_flags.h"
#include "flags/resource_flags.h"

typedef struct extract_settings {
    record_settings output;
    report_settings report;
    input_settings input;
    text_settings text;
    resource_settings resources;
} extract_settings;

void extract_settings_init(extract_settings *s);

/* The job on the operands. `text`: the settings' own, or a changed copy that outlives the job. */
command_job extract_job(const invocation *call, const extract_settings *s,
                        const text_settings *text, job_fn *run);

#endif
