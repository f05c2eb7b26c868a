#include "commands/run_table_command.h"

#include "output/complain.h"
#include "output/output_names.h"

#include <string.h>
#include <unistd.h>

const char *table_title(const invocation *call) {
    const char *name = table_operand(call);
    return strcmp(name, "-") == 0 ? "standard input" : name;
}

bool table_operands_agree(const invocation *call) {
    if (strcmp(table_operand(call), "-") != 0) return true;
    for (int i = 0; i < call->count - 1; i++) {
        if (strcmp(call->operands[i], "-") != 0) continue;
        complain("%s: standard input holds an input or the table, not both", call->self->name);
        return false;
    }
    return true;
}

bool table_inputs_stay(const invocation *call, const char *name, const char *path) {
    for (int i = 0; path && i < call->count - 1; i++) {
        if (access(path, F_OK) != 0 || !is_inside(path, call->operands[i])) continue;
        complain("--%s %s: is a file of %s, which is an input; name another file", name, path,
                 call->operands[i]);
        return false;
    }
    return true;
}
