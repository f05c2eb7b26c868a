#include "commands/info_command.h"

#include "commands/index_command.h"
#include "commands/result_command.h"
#include "output/complain.h"

const flag_group info_groups[] = {FLAG_GROUP(info_settings, result, result_flags), HELP_GROUP,
                                  GROUPS_END};

int index_info_run(const invocation *call, info_printer *print_lines, info_printer *print_json) {
    const info_settings *s = call->settings;
    nd_index_info info;
    results r;
    nd_index *index = index_open(call->self, call->operands[0], ND_INDEX_READ, &info);
    if (!index) return EXIT_FAILED;
    nd_index_close(index);
    if (!result_open(&r, &s->result)) return EXIT_FAILED;
    (s->result.json ? print_json : print_lines)(r.out, &info);
    return result_close(&r);
}
