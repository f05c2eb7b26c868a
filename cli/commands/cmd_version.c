/* neardup --version */
#include "commands/command_names.h"
#include "neardup.h"
#include "output/complain.h"

#include <stdio.h>

static int run(const invocation *call) {
    (void)call;
    const char *features = nd_features();
    printf("neardup %s\nfeatures: %s\ninstruction set: %s\nUnicode: %s\n", nd_version(),
           *features ? features : "none", nd_instruction_set(), ND_UNICODE_VERSION);
    return EXIT_DONE;
}

const command version_command = {
    .name = "--version",
    .summary = "version, libraries built in, instruction set in use, Unicode version",
    .run = run};
