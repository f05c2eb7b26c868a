/* neardup index compact: an index without the room of what was removed. */
#include "output/complain.h"
#include "commands/index_command.h"
#include "output/numbers.h"

static const flag_group *const groups[] = {&quiet_group, &help_group, NULL};

int index_compact_run(const command *self, settings *given, int count, char **operands) {
    (void)count;
    nd_index_info before, after;
    nd_error error;
    char documents[48], bytes[32], bytes_before[32];
    nd_index *index = index_open(self, operands[0], ND_INDEX_WRITE, &before);
    if (!index) return EXIT_FAILED;
    nd_status status = nd_index_compact(index, &error);
    nd_index_describe(index, &after);
    nd_index_close(index);
    if (status != ND_OK) {
        complain("%s", error.message);
        return EXIT_FAILED;
    }
    if (given->quiet) return EXIT_DONE;
    announce("%s: %s, %s bytes, %s before", operands[0],
             index_counted(&after, after.documents, documents), number_grouped(after.bytes, bytes),
             number_grouped(before.bytes, bytes_before));
    return EXIT_DONE;
}

static const char result_chapter[] =
    "An index grows by segments, which are merged now and then; removed documents stay in them "
    "until then. Compacting writes one segment with "
    "what is left. It is never needed: it gives back room, and makes searching a little faster. "
    "While it runs the disk holds both; others may read "
    "the index.";

static const chapter chapters[] = {
    {"RESULT", result_chapter}, {"EXIT STATUS", index_change_exit_chapter}, {NULL, NULL}};

const command index_compact_command = {
    .name = "index compact",
    .operands = "DIR",
    .operand = OPERAND_DIRECTORY,
    .operands_least = 1,
    .operands_most = 1,
    .missing = index_missing,
    .summary = "write the index as one segment, without what was removed",
    .description = "Merges all segments of the index DIR into one and gives back the room of "
                   "removed documents.",
    .groups = groups,
    .chapters = chapters,
    .run = index_compact_run,
};
