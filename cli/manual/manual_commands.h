/* The commands of the program that are about its commands. */
#ifndef CLI_MANUAL_COMMANDS_H
#define CLI_MANUAL_COMMANDS_H

#include "command.h"

extern const command help_command, help_flag_command, man_command, completion_command;

#endif
