/* --help. */
#ifndef CLI_HELP_PRINT_H
#define CLI_HELP_PRINT_H

#include "command.h"

/* Prints the help of a command. */
void help_print(const command *c);
/* Prints the help of the program, with its commands. */
void help_print_program(const command *const *commands);

#endif
