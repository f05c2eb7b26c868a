#include "manual/help_print.h"

#include "manual/prose.h"

#include <stdio.h>
#include <string.h>

enum { FLAG_COLUMN = 28, SHOWN_EXAMPLES = 2 };

/* Prints the left column, then `text` filled beside it, or below if the left column is too wide. */
static void print_entry(const char *left, const char *text) {
    int width = printf("  %s", left);
    if (width + 2 > FLAG_COLUMN) {
        putchar('\n');
        width = 0;
    }
    printf("%*s", FLAG_COLUMN - width, "");
    prose_fill(text, strlen(text), FLAG_COLUMN, FLAG_COLUMN);
}

static void print_flag(const flag *f, const char *part) {
    const char *argument = flag_argument(f);
    char left[120], text[1000], letter[8] = "    ";
    if (f->letter) snprintf(letter, sizeof letter, "-%c, ", f->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, f->name, argument ? " " : "",
             argument ? argument : "");
    flag_explain(f, part, text, sizeof text);
    print_entry(left, text);
}

static void print_flags(const command *c) {
    _Alignas(max_align_t) char initial[SETTINGS_MOST];
    command_init_settings(c, initial);
    for (const flag_group *group = c->groups; group->table; group++) {
        const flag_table *table = group->table;
        if (flag_group_opens(c->groups, group)) printf("\n%s:\n", table->title);
        for (const flag *f = table->flags; f < table->flags + table->count; f++)
            print_flag(f, initial + group->part);
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

/* The first examples; the man page has all. */
static void print_examples(const char *examples) {
    printf("\nExamples:\n");
    for (int i = 0; i < SHOWN_EXAMPLES && *examples; i++) {
        size_t length = strcspn(examples, "\n");
        printf("  %.*s\n", (int)length, examples);
        examples += length + 1;
    }
}

void help_print_program(const command *const *commands) {
    printf("neardup finds near-duplicate texts.\n\nUsage:\n");
    print_commands(commands);
    printf("\nneardup help COMMAND shows the options of a command, man neardup-COMMAND "
           "more.\n");
}

void help_print(const command *c) {
    printf("neardup %s: ", c->name);
    prose_fill(c->summary, strlen(c->summary), strlen(c->name) + 10, 0);
    if (c->examples) print_examples(c->examples);
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
    if (c->members) printf("\nneardup help %s COMMAND shows the options of a command.\n", c->name);
}
