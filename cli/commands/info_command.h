/* Describing an index, which neardup index and neardup hamming do with other lines. */
#ifndef CLI_INFO_COMMAND_H
#define CLI_INFO_COMMAND_H

#include "command.h"
#include "commands/index_command.h"
#include "flags/output_flags.h"
#include "neardup.h"

#include <stdio.h>

typedef struct info_settings {
    result_settings result;
} info_settings;

extern const flag_group info_groups[];

/* `json`: as JSON instead of lines. */
typedef void info_printer(FILE *out, const open_index *index, bool json);

/* Opens the index of the command's operand and prints it. */
int index_info_run(const invocation *call, info_printer *print);

#endif
