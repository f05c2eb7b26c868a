/* neardup --man [COMMAND]: the man page in roff (man(7)). The build makes the installed pages with it. */
#include "command.h"

#include "complain.h"
#include "prose.h"
#include "summary.h"

#include <ctype.h>
#include <string.h>

/* Text with what roff would read as its own made plain: backslashes, dashes, dots and quotes that begin a line. */
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

/* What stands below a heading: the paragraph macro only between paragraphs. */
static void print_prose(const char *text) {
    paragraph part;
    for (const char *cursor = text; paragraph_next(&cursor, &part);) {
        if (part.text != text) printf(".PP\n");
        if (part.literal) printf(".nf\n");
        print_escaped(part.text, part.length);
        fputs(part.literal ? "\n.fi\n" : "\n", stdout);
    }
}

static void print_flags(const command *c) {
    settings initial;
    settings_init(&initial);
    char text[1000];
    printf(".SH OPTIONS\n");
    for (const flag_group *const *group = c->groups; *group; group++) {
        printf(".SS %s\n", (*group)->title);
        for (const flag *f = (*group)->flags; f < (*group)->flags + (*group)->count; f++) {
            const char *argument = flag_argument(f);
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
            flag_explain(f, &initial, text, sizeof text);
            print_text(text);
            putchar('\n');
        }
    }
}

static void print_summary_keys(bool pairs) {
    const char *key, *meaning;
    printf(".SH SUMMARY IN JSON\nOne object with the members \\fBversion\\fR and \\fBcommand\\fR (strings) and these numbers:\n");
    for (size_t i = 0; summary_key(i, pairs, &key, &meaning); i++) {
        printf(".TP\n");
        print_bold(key);
        putchar('\n');
        print_text(meaning);
        putchar('\n');
    }
}

static void print_command_page(const command *c) {
    char title[40];
    size_t length = (size_t)snprintf(title, sizeof title, "neardup-%s", c->name);
    for (size_t i = 0; i < length; i++) title[i] = (char)toupper((unsigned char)title[i]);
    printf(".TH %s 1 \"\" \"neardup %s\" \"User Commands\"\n.SH NAME\nneardup\\-%s \\- ", title, nd_version(), c->name);
    print_text(c->summary);
    printf("\n.SH SYNOPSIS\n\\fBneardup %s\\fR%s", c->name, c->groups ? " [\\fIOPTION\\fR]..." : "");
    if (c->operands) printf(" \\fI%s\\fR", c->operands);
    putchar('\n');
    if (c->description) {
        printf(".SH DESCRIPTION\n");
        print_prose(c->description);
    }
    if (c->groups) print_flags(c);
    for (const chapter *part = c->chapters; part && part->title; part++) {
        printf(".SH %s\n", part->title);
        print_prose(part->text);
    }
    if (c->summary_keys) print_summary_keys(c == &pairs_command);
    printf(".SH SEE ALSO\n\\fBneardup\\fR(1)\n");
}

static void print_program_page(void) {
    printf(".TH NEARDUP 1 \"\" \"neardup %s\" \"User Commands\"\n.SH NAME\nneardup \\- find near\\-duplicate texts\n.SH SYNOPSIS\n"
           "\\fBneardup\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n.SH COMMANDS\n",
           nd_version());
    for (const command *const *c = commands; *c; c++) {
        printf(".TP\n");
        print_bold((*c)->name);
        if ((*c)->operands) printf(" \\fI%s\\fR", (*c)->operands);
        putchar('\n');
        print_text((*c)->summary);
        putchar('\n');
    }
    printf(".SH SEE ALSO\n");
    const char *joint = "";
    for (const command *const *c = commands; *c; c++) {
        if (!(*c)->chapters) continue;
        printf("%s\\fBneardup\\-%s\\fR(1)", joint, (*c)->name);
        joint = ",\n";
    }
    putchar('\n');
}

static int man_run(const command *self, settings *given, int count, char **operands) {
    (void)self, (void)given;
    const command *c = count ? command_find(operands[0]) : NULL;
    if (count && !c) return EXIT_USAGE;
    if (c) print_command_page(c);
    else print_program_page();
    return EXIT_DONE;
}

const command man_command = {.name = "--man",
                             .operands = "[COMMAND]",
                             .operand = OPERAND_COMMAND,
                             .operands_most = 1,
                             .summary = "the man page of the program or of a command, in roff",
                             .run = man_run};
