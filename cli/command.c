#include "command.h"

#include <string.h>

const char *command_word(const command *c) {
    const char *space = strrchr(c->name, ' ');
    return space ? space + 1 : c->name;
}

void command_init_settings(const command *c, void *settings) {
    memset(settings, 0, SETTINGS_MOST);
    if (c->init) c->init(settings);
}
