/* neardup index check: whether an index is whole. */
#include "output/complain.h"
#include "commands/index_command.h"
#include "output/numbers.h"

static const flag_group *const groups[] = {&quiet_group, &help_group, NULL};

int index_check_run(const command *self, settings *given, int count, char **operands) {
    (void)count;
    nd_index_info info;
    nd_error error;
    char documents[48], bytes[32];
    nd_index *index = index_open(self, operands[0], ND_INDEX_READ, &info);
    if (!index) return EXIT_FAILED;
    nd_status status = nd_index_check(index, &error);
    nd_index_close(index);
    if (status != ND_OK) {
        complain("%s", error.message);
        return EXIT_FAILED;
    }
    if (!given->quiet)
        announce("%s: fine, %s, %s bytes", operands[0],
                 index_counted(&info, info.documents, documents),
                 number_grouped(info.bytes, bytes));
    return EXIT_DONE;
}

static const char result_chapter[] =
    "All pages are compared with their hashes, and all that is said twice in the files with each "
    "other. What is wrong is named, with its file and "
    "place. Other commands check what they read of the index as they read it; this one reads all "
    "of it.";

static const chapter chapters[] = {
    {"RESULT", result_chapter}, {"EXIT STATUS", index_exit_chapter}, {NULL, NULL}};

const command index_check_command = {
    .name = "index check",
    .operands = "DIR",
    .operand = OPERAND_DIRECTORY,
    .operands_least = 1,
    .operands_most = 1,
    .missing = index_missing,
    .summary = "read every byte and check it",
    .description =
        "Reads the whole index DIR, changes nothing, and says whether it is as it was written.",
    .groups = groups,
    .chapters = chapters,
    .run = index_check_run,
};
