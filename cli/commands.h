/* The commands of the program, NULL-ended, in the order in which help shows them. Members of
 * families are not in it. A name that begins with "--" is a flag of the program. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "command.h"

extern const command *const commands[];

#endif
