/* --help, and the command `help`. */
#include "command.h"

#include "output/complain.h"
#include "manual/prose.h"

#include <limits.h>
#include <string.h>

enum { FLAG_COLUMN = 28 };

/* The left column, then `text` filled beside it, or below where the left one is too long. */
static void print_entry(const char *left, const char *text) {
    int width = printf("  %s", left);
    if (width + 2 > FLAG_COLUMN) {
        putchar('\n');
        width = 0;
    }
    printf("%*s", FLAG_COLUMN - width, "");
    prose_fill(text, strlen(text), FLAG_COLUMN, FLAG_COLUMN);
}

static void print_flags(const command *c) {
    settings initial;
    settings_init(&initial);
    char left[120], text[1000];
    for (const flag_group *const *group = c->groups; *group; group++) {
        if (flag_group_opens(c->groups, group)) printf("\n%s:\n", (*group)->title);
        for (const flag *f = (*group)->flags; f < (*group)->flags + (*group)->count; f++) {
            const char *argument = flag_argument(f);
            char letter[8] = "    ";
            if (f->letter) snprintf(letter, sizeof letter, "-%c, ", f->letter);
            snprintf(left, sizeof left, "%s--%s%s%s", letter, f->name, argument ? " " : "",
                     argument ? argument : "");
            flag_explain(f, &initial, text, sizeof text);
            print_entry(left, text);
        }
    }
}

static void print_commands(const command *const *c) {
    char left[120];
    for (; *c; c++) {
        snprintf(left, sizeof left, "neardup %s%s%s", (*c)->name, (*c)->operands ? " " : "",
                 (*c)->operands ? (*c)->operands : "");
        print_entry(left, (*c)->summary);
    }
}

static void print_program(void) {
    printf("neardup finds near-duplicate texts.\n\nUsage:\n");
    print_commands(commands);
    printf("\nneardup help COMMAND shows the options of one, man neardup-COMMAND all there is to "
           "know.\n");
}

void help_print(const command *c) {
    if (!c) {
        print_program();
        return;
    }
    printf("neardup %s: ", c->name);
    prose_fill(c->summary, strlen(c->summary), strlen(c->name) + 10, 0);
    printf("\nUsage: neardup %s%s%s%s\n", c->name, c->groups && !c->members ? " [OPTION]..." : "",
           c->operands ? " " : "", c->operands ? c->operands : "");
    if (c->description) {
        putchar('\n');
        prose_print(c->description, 0);
    }
    if (c->members) {
        printf("\nCommands:\n");
        print_commands(c->members);
    }
    if (c->groups) print_flags(c);
    if (c->members) printf("\nneardup help %s COMMAND shows the options of one.\n", c->name);
}

static int help_run(const command *self, settings *given, int count, char **operands) {
    (void)given;
    const command *c;
    if (!command_named(self, count, operands, &c)) return EXIT_USAGE;
    help_print(c);
    return EXIT_DONE;
}

const command help_command = {.name = "help",
                              .operands = "[COMMAND]",
                              .operand = OPERAND_COMMAND,
                              .operands_most = INT_MAX,
                              .summary = "this text, or the options of one command",
                              .run = help_run};

const command help_flag_command = {
    .name = "--help", .summary = "the same as help", .run = help_run};
