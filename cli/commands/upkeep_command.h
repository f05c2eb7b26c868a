/* Checking and compacting an index, which neardup index and neardup hamming do alike. */
#ifndef CLI_UPKEEP_COMMAND_H
#define CLI_UPKEEP_COMMAND_H

#include "command.h"
#include "flags/output_flags.h"

typedef struct upkeep_settings {
    report_settings report;
} upkeep_settings;

extern const flag_group upkeep_groups[];

int index_compact_run(const invocation *call);
int index_check_run(const invocation *call);

#endif
