/* neardup index check: reads a whole index and verifies it. */
#include "commands/command_names.h"
#include "commands/index_command.h"
#include "commands/upkeep_command.h"
#include "manual/chapters.h"

static const char result_chapter[] =
    "It verifies the hash of every page, and that all numbers which the files repeat agree. A "
    "damage is reported with its file and offset. Other commands verify the pages of the index "
    "that they read; this one reads all of them.";

static const chapter chapters[] = {
    {"RESULT", result_chapter}, {"EXIT STATUS", read_exit_chapter}, {NULL, NULL}};

const command index_check_command = {
    .name = "index check",
    .operands = "DIR",
    .operand = OPERAND_DIRECTORY,
    .operands_least = 1,
    .operands_most = 1,
    .missing = index_missing,
    .summary = "read every byte and verify it",
    .description = "Reads the whole index DIR and says whether it is undamaged. It changes "
                   "nothing.",
    .examples = "neardup index check seen\n"
                "neardup index check seen --quiet && echo undamaged\n",
    .chapters = chapters,
    .groups = upkeep_groups,
    .settings_size = sizeof(upkeep_settings),
    .run = index_check_run,
};
