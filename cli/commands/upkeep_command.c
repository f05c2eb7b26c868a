#include "commands/upkeep_command.h"

#include "commands/index_command.h"
#include "output/complain.h"
#include "output/numbers.h"

const flag_group upkeep_groups[] = {FLAG_GROUP(upkeep_settings, report, quiet_flags), HELP_GROUP,
                                    GROUPS_END};

int index_check_run(const invocation *call) {
    const upkeep_settings *s = call->settings;
    nd_index_info info;
    nd_error error;
    char documents[48], bytes[32];
    nd_index *index = index_open(call->self, call->operands[0], ND_INDEX_READ, &info);
    if (!index) return EXIT_FAILED;
    nd_status status = nd_index_check(index, &error);
    nd_index_close(index);
    if (status != ND_OK) {
        complain("%s", error.message);
        return EXIT_FAILED;
    }
    if (!s->report.quiet)
        announce("%s: fine, %s, %s bytes", call->operands[0],
                 index_counted(&info, info.documents, documents),
                 number_grouped(info.bytes, bytes));
    return EXIT_DONE;
}

int index_compact_run(const invocation *call) {
    const upkeep_settings *s = call->settings;
    nd_index_info before, after;
    nd_error error;
    char documents[48], bytes[32], bytes_before[32];
    nd_index *index = index_open(call->self, call->operands[0], ND_INDEX_WRITE, &before);
    if (!index) return EXIT_FAILED;
    nd_status status = nd_index_compact(index, &error);
    nd_index_describe(index, &after);
    nd_index_close(index);
    if (status != ND_OK) {
        complain("%s", error.message);
        return EXIT_FAILED;
    }
    if (!s->report.quiet)
        announce("%s: %s, %s bytes, %s before", call->operands[0],
                 index_counted(&after, after.documents, documents),
                 number_grouped(after.bytes, bytes), number_grouped(before.bytes, bytes_before));
    return EXIT_DONE;
}
