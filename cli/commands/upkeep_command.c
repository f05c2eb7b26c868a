#include "commands/upkeep_command.h"

#include "commands/index_command.h"
#include "output/complain.h"
#include "output/numbers.h"

const flag_group upkeep_groups[] = {FLAG_GROUP(upkeep_settings, report, quiet_flags), HELP_GROUP,
                                    GROUPS_END};

static nd_status check(const open_index *x, nd_error *error) {
    return x->documents ? nd_index_check(x->documents, error)
                        : nd_hamming_check(x->fingerprints, error);
}

static nd_status compact(const open_index *x, nd_error *error) {
    return x->documents ? nd_index_compact(x->documents, error)
                        : nd_hamming_compact(x->fingerprints, error);
}

int index_check_run(const invocation *call) {
    const upkeep_settings *s = call->settings;
    open_index index;
    nd_error error;
    char counted[48], bytes[32];
    if (!index_open(call->self, call->operands[0], ND_INDEX_READ, &index)) return EXIT_FAILED;
    const char *noun = index_noun(&index);
    const index_size size = index_measure(&index);
    nd_status status = check(&index, &error);
    index_close(&index);
    if (status != ND_OK) {
        complain("%s", error.message);
        return EXIT_FAILED;
    }
    if (!s->report.quiet)
        announce("%s: fine, %s, %s bytes", call->operands[0],
                 index_counted(noun, size.count, counted), number_grouped(size.bytes, bytes));
    return EXIT_DONE;
}

int index_compact_run(const invocation *call) {
    const upkeep_settings *s = call->settings;
    open_index index;
    nd_error error;
    char counted[48], bytes[32], bytes_before[32];
    if (!index_open(call->self, call->operands[0], ND_INDEX_WRITE, &index)) return EXIT_FAILED;
    const char *noun = index_noun(&index);
    const index_size before = index_measure(&index);
    nd_status status = compact(&index, &error);
    const index_size after = index_measure(&index);
    index_close(&index);
    if (status != ND_OK) {
        complain("%s", error.message);
        return EXIT_FAILED;
    }
    if (!s->report.quiet)
        announce("%s: %s, %s bytes, %s before", call->operands[0],
                 index_counted(noun, after.count, counted), number_grouped(after.bytes, bytes),
                 number_grouped(before.bytes, bytes_before));
    return EXIT_DONE;
}
