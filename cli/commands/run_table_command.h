/* Commands that look at a run: their operands are its inputs and, last, a table that it wrote. */
#ifndef CLI_RUN_TABLE_COMMAND_H
#define CLI_RUN_TABLE_COMMAND_H

#include "command.h"

static inline const char *table_operand(const invocation *call) {
    return call->operands[call->count - 1];
}
/* In messages. */
const char *table_title(const invocation *call);

/* Whether an output replaces no file of an input directory. Not all of its files are read, so
 * reading would not find out. `path` NULL: there is none. False: reported. */
bool table_inputs_stay(const invocation *call, const char *name, const char *path);

/* Whether standard input is not the table and an input at once. False: reported. */
bool table_operands_agree(const invocation *call);

#endif
