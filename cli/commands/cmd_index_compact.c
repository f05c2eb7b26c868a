/* neardup index compact: writes an index as one segment. */
#include "commands/command_names.h"
#include "commands/index_command.h"
#include "commands/upkeep_command.h"
#include "manual/chapters.h"

static const char result_chapter[] =
    "An index grows by segments, which are merged from time to time. Removed documents stay in a "
    "segment until it is merged. Compacting writes one segment without them. It is never "
    "necessary: it frees space and makes searching a little faster. During it the disk holds the "
    "old and the new segments, and other processes may read the index.";

static const chapter chapters[] = {
    {"RESULT", result_chapter}, {"EXIT STATUS", index_change_exit_chapter}, {NULL, NULL}};

const command index_compact_command = {
    .name = "index compact",
    .operands = "DIR",
    .operand = OPERAND_DIRECTORY,
    .operands_least = 1,
    .operands_most = 1,
    .missing = index_missing,
    .summary = "write the index as one segment, without removed documents",
    .description = "Merges all segments of the index DIR into one and frees the space of removed "
                   "documents.",
    .examples = "neardup index compact seen\n"
                "neardup index compact seen --quiet\n",
    .chapters = chapters,
    .groups = upkeep_groups,
    .settings_size = sizeof(upkeep_settings),
    .run = index_compact_run,
};
