#include "commands/info_command.h"

#include "commands/index_command.h"
#include "commands/result_command.h"
#include "output/complain.h"

const flag_group info_groups[] = {FLAG_GROUP(info_settings, result, result_flags), HELP_GROUP,
                                  GROUPS_END};

int index_info_run(const invocation *call, info_printer *print) {
    const info_settings *s = call->settings;
    open_index index;
    results r;
    if (!index_open(call->self, call->operands[0], ND_INDEX_READ, &index)) return EXIT_FAILED;
    bool opened = result_open(&r, &s->result);
    if (opened) print(r.out, &index, s->result.json);
    index_close(&index);
    return opened ? result_close(&r) : EXIT_FAILED;
}
