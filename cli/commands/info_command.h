/* Describing an index, which neardup index and neardup hamming do with other lines. */
#ifndef CLI_INFO_COMMAND_H
#define CLI_INFO_COMMAND_H

#include "command.h"
#include "flags/output_flags.h"
#include "neardup.h"

#include <stdio.h>

typedef struct info_settings {
    result_settings result;
} info_settings;

extern const flag_group info_groups[];

typedef void info_printer(FILE *out, const nd_index_info *info);

/* Opens the index of the command's operand and prints it, with one of the two. */
int index_info_run(const invocation *call, info_printer *print_lines, info_printer *print_json);

#endif
