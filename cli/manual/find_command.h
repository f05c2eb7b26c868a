/* Finds a command by its words. A wrong word or option is reported with a hint at the right one. */
#ifndef CLI_FIND_COMMAND_H
#define CLI_FIND_COMMAND_H

#include "command.h"

/* The command that the first words name; *used: how many of them. NULL: unknown, and reported. */
const command *command_find(const command *const *commands, int count, char *const *words,
                            int *used);
/* The same with the operands of a command that is about commands; *out is NULL if there are none.
 * False: they do not name one command, and that is reported. */
bool command_named(const invocation *call, const command **out);

/* Reports an argument that names no flag of the command. */
void report_unknown_flag(const command *const *commands, const command *c, const char *argument);

#endif
