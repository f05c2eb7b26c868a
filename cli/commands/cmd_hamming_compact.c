/* neardup hamming compact: writes an index of fingerprints as one segment. */
#include "commands/command_names.h"
#include "commands/index_command.h"
#include "commands/upkeep_command.h"
#include "manual/chapters.h"

static const char result_chapter[] =
    "An index grows by segments, which are merged from time to time. Removed fingerprints stay in "
    "a segment until it is merged. Compacting writes one segment without them: each query then "
    "searches one set of tables. During it the disk holds the old and the new segments, and other "
    "processes may read the index.";

static const chapter chapters[] = {
    {"RESULT", result_chapter}, {"EXIT STATUS", index_change_exit_chapter}, {NULL, NULL}};

const command hamming_compact_command = {
    .name = "hamming compact",
    .operands = "DIR",
    .operand = OPERAND_DIRECTORY,
    .operands_least = 1,
    .operands_most = 1,
    .missing = index_missing,
    .summary = "write the index as one segment, without removed fingerprints",
    .description = "Merges all segments of the index DIR into one and frees the space of removed "
                   "fingerprints.",
    .examples = "neardup hamming compact prints\n"
                "neardup hamming compact prints --quiet\n",
    .chapters = chapters,
    .groups = upkeep_groups,
    .settings_size = sizeof(upkeep_settings),
    .run = index_compact_run,
};
