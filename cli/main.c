/* neardup: the commands and how one is found and started. */
#include "command.h"

#include "complain.h"
#include "interrupt.h"
#include "suggest.h"

#include <errno.h>
#include <string.h>

const command *const commands[] = {&dedup_command,   &pairs_command, &plan_command,       &help_command, &help_flag_command,
                                   &version_command, &man_command,   &completion_command, NULL};

static const flag help_flags[] = {{.name = "help", .letter = 'h', .kind = FLAG_SWITCH, .offset = SETTING(help), .help = "this text"}};
const flag_group help_group = {"Help", help_flags, 1};

void settings_init(settings *given) {
    memset(given, 0, sizeof *given);
    nd_job_options_init(&given->job);
}

bool command_is_verb(const command *c) { return c->name[0] != '-'; }

const command *command_find(const char *name) {
    suggestion best = {.typed = name, .length = strlen(name)};
    for (const command *const *c = commands; *c; c++) {
        if (strcmp((*c)->name, name) == 0) return *c;
        suggestion_offer(&best, (*c)->name);
    }
    const char *what = name[0] == '-' ? "unknown option" : "unknown command";
    if (best.word) complain("%s: %s; did you mean %s?", name, what, best.word);
    else complain("%s: %s; neardup help lists the commands", name, what);
    return NULL;
}

static int version_run(const command *self, settings *given, int count, char **operands) {
    (void)self, (void)given, (void)count, (void)operands;
    const char *features = nd_features();
    printf("neardup %s\nfeatures: %s\ninstruction set: %s\nUnicode: %s\n", nd_version(), *features ? features : "none", nd_instruction_set(),
           ND_UNICODE_VERSION);
    return EXIT_DONE;
}

const command version_command = {
    .name = "--version", .summary = "version, libraries built in, instruction set in use, Unicode version", .run = version_run};

static int command_start(const command *c, int count, char **arguments) {
    static const flag_group *const no_flags[] = {NULL};
    settings given;
    int operands;
    settings_init(&given);
    if (!flags_parse(c->groups ? c->groups : no_flags, count, arguments, &given, &operands)) return EXIT_USAGE;
    if (given.help) {
        help_print(c);
        return EXIT_DONE;
    }
    if (operands < c->operands_least) {
        complain("%s: %s", c->name, c->missing);
        return EXIT_USAGE;
    }
    if (operands > c->operands_most) {
        complain("%s: unexpected argument %s", c->name, arguments[c->operands_most]);
        return EXIT_USAGE;
    }
    return c->run(c, &given, operands, arguments);
}

int main(int count, char **arguments) {
    if (count < 2) {
        complain("a command is missing; neardup help lists the commands");
        return EXIT_USAGE;
    }
    const char *name = strcmp(arguments[1], "-h") == 0 ? help_flag_command.name : arguments[1];
    const command *c = command_find(name);
    if (!c) return EXIT_USAGE;
    int status = command_start(c, count - 2, arguments + 2);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        int reason = errno;
        interrupt_obey(); /* a reader that went away is no error */
        complain("standard output: %s", strerror(reason));
        return EXIT_FAILED;
    }
    return status;
}
