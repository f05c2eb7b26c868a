/* neardup hamming remove: removes fingerprints by their ids. */
#include "commands/command_names.h"
#include "commands/index_command.h"
#include "commands/remove_command.h"

#include <limits.h>

static const char result_chapter[] =
    "A removed fingerprint is no longer found, and its id is free again, unless ids are numbers. "
    "Its space is freed when parts of the index are merged, or by neardup-hamming-compact(1). Ids "
    "that the index does not have are named on stderr; the other ids are removed nevertheless. In "
    "a file of ids a tab is written \\t, a newline \\n, a carriage return \\r and a backslash "
    "\\\\; empty lines are ignored.";

static const chapter chapters[] = {
    {"RESULT", result_chapter}, {"EXIT STATUS", remove_exit_chapter}, {NULL, NULL}};

const command hamming_remove_command = {
    .name = "hamming remove",
    .operands = "DIR [ID]...",
    .operand = OPERAND_DIRECTORY,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = index_missing,
    .summary = "remove fingerprints by their ids",
    .description = "Removes from the index DIR the fingerprints with the given ids; the ids are on "
                   "the command line or in a file.",
    .examples = "neardup hamming remove prints article-17 article-18\n"
                "cut -f 1 old.tsv | neardup hamming remove prints --ids -\n",
    .chapters = chapters,
    .groups = remove_groups,
    .settings_size = sizeof(remove_settings),
    .run = index_remove_run,
};
