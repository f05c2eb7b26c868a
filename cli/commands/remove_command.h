/* Removing from an index by ids, which neardup index and neardup hamming do alike. */
#ifndef CLI_REMOVE_COMMAND_H
#define CLI_REMOVE_COMMAND_H

#include "command.h"
#include "flags/index_flags.h"
#include "flags/output_flags.h"

typedef struct id_settings {
    const char *ids; /* a file; NULL: none */
} id_settings;

typedef struct remove_settings {
    id_settings id;
    batch_settings batch;
    report_settings report;
} remove_settings;

extern const flag_group remove_groups[];
extern const char remove_exit_chapter[];

int index_remove_run(const invocation *call);

#endif
