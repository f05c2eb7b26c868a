/* neardup --man [COMMAND]: the man page in roff (man(7)). The build runs it for the installed
 * pages. */
#include "manual/manual_commands.h"
#include "manual/find_command.h"
#include "manual/prose.h"
#include "output/complain.h"

#include <ctype.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Prints text with the characters escaped that roff interprets: backslashes, dashes, and dots and
 * quotes at the beginning of a line. */
static void print_escaped(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        bool line_start = i == 0 || text[i - 1] == '\n';
        if (line_start && (text[i] == '.' || text[i] == '\'')) fputs("\\&", stdout);
        if (text[i] == '\\') fputs("\\e", stdout);
        else if (text[i] == '-') fputs("\\-", stdout);
        else putchar(text[i]);
    }
}

static void print_text(const char *text) { print_escaped(text, strlen(text)); }

static void print_bold(const char *text) {
    fputs("\\fB", stdout);
    print_text(text);
    fputs("\\fR", stdout);
}

/* Prints paragraphs below a heading, with the paragraph macro only between them. */
static void print_prose(const char *text) {
    paragraph part;
    for (const char *cursor = text; paragraph_next(&cursor, &part);) {
        if (part.text != text) printf(".PP\n");
        if (part.literal) printf(".nf\n");
        print_escaped(part.text, part.length);
        fputs(part.literal ? "\n.fi\n" : "\n", stdout);
    }
}

static void print_flag(const flag *f, const char *part) {
    const char *argument = flag_argument(f);
    char text[1000];
    printf(".TP\n");
    if (f->letter) printf("\\fB\\-%c\\fR, ", f->letter);
    fputs("\\fB\\-\\-", stdout);
    print_text(f->name);
    fputs("\\fR", stdout);
    if (argument) {
        fputs(" \\fI", stdout);
        print_text(argument);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    flag_explain(f, part, text, sizeof text);
    print_text(text);
    putchar('\n');
}

static void print_flags(const command *c) {
    _Alignas(max_align_t) char initial[SETTINGS_MOST];
    command_init_settings(c, initial);
    printf(".SH OPTIONS\n");
    for (const flag_group *group = c->groups; group->table; group++) {
        const flag_table *table = group->table;
        if (flag_group_opens(c->groups, group)) printf(".SS %s\n", table->title);
        for (const flag *f = table->flags; f < table->flags + table->count; f++)
            print_flag(f, initial + group->part);
    }
}

static void print_examples(const command *c) {
    if (!c->examples) return;
    printf(".SH EXAMPLES\n.nf\n");
    print_text(c->examples);
    printf(".fi\n");
}

/* The keys of --summary. */
static void print_summary_keys(summary_kind kind) {
    const char *key, *meaning;
    if (!summary_key(0, kind, &key, &meaning)) return;
    printf(".SH SUMMARY\n\\fB\\-\\-summary\\fR writes one object with the members \\fBversion\\fR "
           "and \\fBcommand\\fR "
           "(strings) and these numbers:\n");
    for (size_t i = 0; summary_key(i, kind, &key, &meaning); i++) {
        printf(".TP\n");
        print_bold(key);
        putchar('\n');
        print_text(meaning);
        putchar('\n');
    }
}

static void print_commands(const command *const *c) {
    printf(".SH COMMANDS\n");
    for (; *c; c++) {
        printf(".TP\n");
        print_bold((*c)->name);
        if ((*c)->operands) printf(" \\fI%s\\fR", (*c)->operands);
        putchar('\n');
        print_text((*c)->summary);
        putchar('\n');
    }
}

/* The name of a command's page: "neardup-index-add". */
static void page_name(const command *c, char *name, size_t size) {
    snprintf(name, size, "neardup-%s", c->name);
    for (char *at = name; *at; at++)
        if (*at == ' ') *at = '-';
}

static void print_page_names(const command *const *c, const char *joint) {
    char name[40];
    for (; *c; c++) {
        if (!(*c)->chapters) continue;
        fputs(joint, stdout);
        page_name(*c, name, sizeof name);
        print_bold(name);
        fputs("(1)", stdout);
        joint = ",\n";
    }
}

static void print_see_also(const command *c) {
    printf(".SH SEE ALSO\n\\fBneardup\\fR(1)");
    if (c->members) print_page_names(c->members, ",\n");
    /* The family's name is before the member's own word. */
    size_t family = (size_t)(command_word(c) - c->name);
    if (family) printf(",\n\\fBneardup\\-%.*s\\fR(1)", (int)family - 1, c->name);
    putchar('\n');
}

static void print_command_page(const command *c) {
    char name[40] = "", title[40];
    page_name(c, name, sizeof name);
    for (size_t i = 0; i < sizeof title; i++) title[i] = (char)toupper((unsigned char)name[i]);
    printf(".TH %s 1 \"\" \"neardup %s\" \"User Commands\"\n.SH NAME\n", title, nd_version());
    print_text(name);
    printf(" \\- ");
    print_text(c->summary);
    printf("\n.SH SYNOPSIS\n\\fBneardup %s\\fR%s", c->name,
           c->groups && !c->members ? " [\\fIOPTION\\fR]..." : "");
    if (c->operands) printf(" \\fI%s\\fR", c->operands);
    putchar('\n');
    if (c->description) {
        printf(".SH DESCRIPTION\n");
        print_prose(c->description);
    }
    if (c->members) print_commands(c->members);
    if (c->groups) print_flags(c);
    for (const chapter *part = c->chapters; part && part->title; part++) {
        printf(".SH %s\n", part->title);
        print_prose(part->text);
    }
    print_examples(c);
    print_summary_keys(c->summary_of);
    print_see_also(c);
}

static void print_program_page(const command *const *list) {
    printf(".TH NEARDUP 1 \"\" \"neardup %s\" \"User Commands\"\n.SH NAME\nneardup \\- find "
           "near\\-duplicate texts\n.SH SYNOPSIS\n"
           "\\fBneardup\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n",
           nd_version());
    print_commands(list);
    printf(".SH SEE ALSO\n");
    print_page_names(list, "");
    putchar('\n');
}

static int man_run(const invocation *call) {
    const command *c;
    if (!command_named(call, &c)) return EXIT_USAGE;
    if (c) print_command_page(c);
    else print_program_page(call->commands);
    return EXIT_DONE;
}

const command man_command = {.name = "--man",
                             .operands = "[COMMAND]",
                             .operand = OPERAND_COMMAND,
                             .operands_most = INT_MAX,
                             .summary = "the man page of the program or of a command, in roff",
                             .run = man_run};
