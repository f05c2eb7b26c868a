/* neardup index remove: removes documents by their ids. */
#include "commands/command_names.h"
#include "commands/index_command.h"
#include "commands/remove_command.h"

#include <limits.h>

static const char result_chapter[] =
    "A removed document is no longer found, and its id is free again. Documents that it once kept "
    "out do not come back. Its space is freed when parts of the index are merged, or by "
    "neardup-index-compact(1).\n\n"
    "Ids that the index does not have are named on stderr; the other ids are removed nevertheless. "
    "In a file of ids, as in all tables of neardup, a tab is written \\t, a newline \\n, a "
    "carriage return \\r and a backslash \\\\; empty lines are ignored. On the command line an id "
    "is written as it is.";

static const chapter chapters[] = {
    {"RESULT", result_chapter}, {"EXIT STATUS", remove_exit_chapter}, {NULL, NULL}};

const command index_remove_command = {
    .name = "index remove",
    .operands = "DIR [ID]...",
    .operand = OPERAND_DIRECTORY,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = index_missing,
    .summary = "remove documents by their ids",
    .description = "Removes from the index DIR the documents with the given ids; the ids are on "
                   "the command line or in a file.",
    .examples = "neardup index remove seen article-17 article-18\n"
                "tail -n +2 removed.tsv | cut -f 2 | neardup index remove seen --ids -\n",
    .chapters = chapters,
    .groups = remove_groups,
    .settings_size = sizeof(remove_settings),
    .run = index_remove_run,
};
