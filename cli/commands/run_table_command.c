#include "commands/run_table_command.h"

#include "output/complain.h"

#include <string.h>

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
