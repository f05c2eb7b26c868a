/* neardup help [COMMAND], and neardup --help. */
#include "manual/find_command.h"
#include "manual/help_print.h"
#include "manual/manual_commands.h"
#include "output/complain.h"

#include <limits.h>

static int run(const invocation *call) {
    const command *c;
    if (!command_named(call, &c)) return EXIT_USAGE;
    if (c) help_print(c);
    else help_print_program(call->commands);
    return EXIT_DONE;
}

const command help_command = {.name = "help",
                              .operands = "[COMMAND]",
                              .operand = OPERAND_COMMAND,
                              .operands_most = INT_MAX,
                              .summary = "this text, or the options of one command",
                              .run = run};

const command help_flag_command = {.name = "--help", .summary = "the same as help", .run = run};
