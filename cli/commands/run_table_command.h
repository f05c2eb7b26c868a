/* Commands that look at a run: their operands are its inputs and, last, a table that it wrote. */
#ifndef CLI_RUN_TABLE_COMMAND_H
#define CLI_RUN_TABLE_COMMAND_H

#include "command.h"

static inline const char *table_operand(const invocation *call) {
    return call->operands[call->count - 1];
}
/* In messages. */
const char *table_title(const invocation *call);

/* Whether standard input is not the table and an input at once. False: reported. */
bool table_operands_agree(const invocation *call);

#endif
