/* neardup --completion SHELL: a completion script, made from the tables of the parser. */
#include "manual/manual_commands.h"
#include "output/complain.h"

#include <stdio.h>
#include <string.h>

static const char shells[] = "bash|zsh|fish";

static bool takes_file(const flag *f) {
    return f->kind == FLAG_FILE || f->kind == FLAG_OUTPUT || f->kind == FLAG_INPUT ||
           f->kind == FLAG_INPUTS;
}

/* Prints the words of a choice, each followed by `end`; of "max:FIELD" only "max:". */
static void print_choices(const char *choices, const char *end) {
    const char *word;
    for (size_t length; (length = choice_next(&choices, &word));) {
        const char *colon = memchr(word, ':', length);
        printf("%.*s%s", (int)(colon ? (size_t)(colon - word) + 1 : length), word, end);
    }
}

/* Prints the last words of commands, each followed by `end`. */
static void print_command_words(const command *const *c, const char *end, bool verbs_only) {
    for (; *c; c++)
        if (!verbs_only || command_is_verb(*c)) printf("%s%s", command_word(*c), end);
}

/* The commands of the program. */
typedef struct command_lists {
    const command *const *shown; /* as help shows them, NULL-ended */
    const command *verbs[64];    /* commands that are no family, NULL-ended */
    const command *families[8];  /* NULL-ended */
} command_lists;

enum { VERBS = sizeof((command_lists *)0)->verbs / sizeof(const command *) };

static command_lists lists_of(const command *const *shown) {
    command_lists l = {.shown = shown};
    size_t verbs = 0, families = 0;
    for (const command *const *c = shown; *c; c++) {
        if ((*c)->members) l.families[families++] = *c;
        else if (verbs < VERBS - 1) l.verbs[verbs++] = *c;
        for (const command *const *member = (*c)->members; member && *member; member++)
            if (verbs < VERBS - 1) l.verbs[verbs++] = *member;
    }
    return l;
}

/* ---- bash */

static const char *operand_kind_name(const command *c) {
    return c->operand == OPERAND_PATH        ? "file"
           : c->operand == OPERAND_DIRECTORY ? "directory"
                                             : "none";
}

static void bash_flags(const command *c) {
    printf("        case $previous in\n");
    FOR_EACH_FLAG(c->groups, group, f) {
        if (flag_is_bare(f)) continue;
        printf("        --%s", f->name);
        if (f->letter) printf(" | -%c", f->letter);
        printf(") ");
        if (f->kind == FLAG_CHOICE) {
            printf("words='");
            print_choices(f->choices, " ");
            printf("'");
        } else {
            printf("kind='%s'", takes_file(f)               ? "file"
                                : f->kind == FLAG_DIRECTORY ? "directory"
                                                            : "none");
        }
        printf(" ;;\n");
    }
    printf("        *)\n            words='");
    FOR_EACH_FLAG(c->groups, group, f) printf("--%s ", f->name);
    printf("'\n            [[ $word == -* ]] || kind='%s'\n            ;;\n        esac\n",
           operand_kind_name(c));
}

/* The words that may follow the name of a family in "neardup help FAMILY". */
static void bash_members(const command *family) {
    printf("        [[ $previous != %s ]] || words='", family->name);
    print_command_words(family->members, " ", true);
    printf("'\n");
}

static void bash_command(const command_lists *l, const command *c) {
    printf("    '%s')\n", c->name);
    if (c->groups) {
        bash_flags(c);
    } else if (c->operand == OPERAND_COMMAND) {
        printf("        words='");
        print_command_words(l->shown, " ", true);
        printf("'\n");
        for (const command *const *f = l->families; *f; f++) bash_members(*f);
    } else if (c->operand == OPERAND_SHELL) {
        printf("        words='");
        print_choices(shells, " ");
        printf("'\n");
    }
    printf("        ;;\n");
}

static void bash_family(const command *c) {
    printf("    %s)\n        name+=\" ${COMP_WORDS[2]-}\"\n        members='", c->name);
    print_command_words(c->members, " ", true);
    printf("'\n        ;;\n");
}

static void bash_script(const command_lists *l) {
    printf("# bash completion of neardup\n"
           "_neardup() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} "
           "words='' kind='words'\n"
           "    local name=${COMP_WORDS[1]} members=''\n"
           "    COMPREPLY=()\n"
           "    case $name in\n");
    for (const command *const *f = l->families; *f; f++) bash_family(*f);
    printf("    esac\n"
           "    if ((COMP_CWORD == 1)); then\n"
           "        words='");
    print_command_words(l->shown, " ", false);
    printf("'\n"
           "    elif [[ $members && $COMP_CWORD == 2 ]]; then\n"
           "        words=$members\n"
           "    else case $name in\n");
    for (const command *const *c = l->verbs; *c; c++) bash_command(l, *c);
    printf("    esac; fi\n"
           "    case $kind in\n"
           "    words) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\") ;;\n"
           "    file) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n"
           "    directory) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$word\") "
           ";;\n"
           "    esac\n"
           "    [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *: ]] || compopt -o nospace\n"
           "}\n"
           "complete -F _neardup neardup\n");
}

/* ---- zsh */

/* A help text inside '...[...]'. */
static void zsh_text(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\'') fputs("'\\''", stdout);
        else if (strchr("[]:\\", text[i])) printf("\\%c", text[i]);
        else putchar(text[i]);
    }
}

static void zsh_flag(const flag *f) {
    if (f->letter)
        printf("            '(-%c --%s)'{-%c%s,--%s%s}'[", f->letter, f->name, f->letter,
               flag_is_bare(f) ? "" : "+", f->name, flag_is_bare(f) ? "" : "=");
    else printf("            '--%s%s[", f->name, flag_is_bare(f) ? "" : "=");
    zsh_text(f->help, flag_brief(f));
    putchar(']');
    if (f->kind == FLAG_CHOICE) {
        printf(":%s:(", f->name);
        print_choices(f->choices, " ");
        putchar(')');
    } else if (!flag_is_bare(f)) {
        printf(":%s:%s", f->argument,
               takes_file(f)               ? "_files"
               : f->kind == FLAG_DIRECTORY ? "_files -/"
                                           : " ");
    }
    printf("' \\\n");
}

static void zsh_members(const command *family) { print_command_words(family->members, " ", true); }

static void zsh_command(const command_lists *l, const command *c) {
    printf("    '%s')\n        _arguments -s \\\n", c->name);
    FOR_EACH_FLAG(c->groups, group, f) zsh_flag(f);
    switch (c->operand) {
    case OPERAND_NONE: printf("            && return\n"); break;
    case OPERAND_PATH: printf("            '*:input:_files'\n"); break;
    case OPERAND_DIRECTORY: printf("            '*:directory:_files -/'\n"); break;
    case OPERAND_COMMAND:
        printf("            '1:command:(");
        print_command_words(l->shown, " ", true);
        printf(")' \\\n            '2:command:(");
        for (const command *const *f = l->families; *f; f++) zsh_members(*f);
        printf(")'\n");
        break;
    case OPERAND_SHELL:
        printf("            '1:shell:(");
        print_choices(shells, " ");
        printf(")'\n");
        break;
    }
    printf("        ;;\n");
}

/* Offers the commands while one is typed; afterwards continues with the words behind it. */
static void zsh_choose(const command *const *c, const char *indent) {
    printf("%snames=(\n", indent);
    for (; *c; c++) {
        printf("%s    '%s:", indent, command_word(*c));
        zsh_text((*c)->summary, strlen((*c)->summary));
        printf("'\n");
    }
    printf("%s)\n"
           "%sif ((CURRENT == 2)); then\n"
           "%s    _describe command names\n"
           "%s    return\n"
           "%sfi\n"
           "%sshift words\n"
           "%s((CURRENT--))\n",
           indent, indent, indent, indent, indent, indent, indent);
}

static void zsh_family(const command *c) {
    printf("    %s)\n", c->name);
    zsh_choose(c->members, "        ");
    printf("        name+=\" $words[1]\"\n        ;;\n");
}

static void zsh_script(const command_lists *l) {
    printf("#compdef neardup\n"
           "# zsh completion of neardup\n"
           "_neardup() {\n"
           "    local name\n"
           "    local -a names\n");
    zsh_choose(l->shown, "    ");
    printf("    name=$words[1]\n"
           "    case $name in\n");
    for (const command *const *f = l->families; *f; f++) zsh_family(*f);
    printf("    esac\n"
           "    case $name in\n");
    for (const command *const *c = l->verbs; *c; c++) zsh_command(l, *c);
    printf("    esac\n}\n_neardup \"$@\"\n");
}

/* ---- fish */

/* A text inside '...'. */
static void fish_text(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\'' || text[i] == '\\') putchar('\\');
        putchar(text[i]);
    }
}

/* Begins a line for the words behind a command: each word of its name has been seen. */
static void fish_behind(const command *c) {
    const char *joint = "complete -c neardup -n '";
    for (const char *word = c->name; *word; word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        printf("%s__fish_seen_subcommand_from %.*s", joint, (int)length, word);
        joint = "; and ";
        word += length;
    }
    putchar('\'');
}

static void fish_flag(const command *c, const flag *f) {
    fish_behind(c);
    printf(" -l %s", f->name);
    if (f->letter) printf(" -s %c", f->letter);
    if (takes_file(f)) printf(" -r -F");
    else if (f->kind == FLAG_DIRECTORY) printf(" -x -a '(__fish_complete_directories)'");
    else if (!flag_is_bare(f)) printf(" -x");
    if (f->kind == FLAG_CHOICE) {
        printf(" -a '");
        print_choices(f->choices, " ");
        printf("'");
    }
    printf(" -d '");
    fish_text(f->help, flag_brief(f));
    printf("'\n");
}

static void fish_summary(const command *c) {
    printf(" -d '");
    fish_text(c->summary, strlen(c->summary));
    printf("'\n");
}

static void fish_command(const command *c) {
    if (c->operand == OPERAND_PATH) {
        fish_behind(c);
        printf(" -F\n");
    } else if (c->operand == OPERAND_DIRECTORY) {
        fish_behind(c);
        printf(" -x -a '(__fish_complete_directories)'\n");
    }
    FOR_EACH_FLAG(c->groups, group, f) fish_flag(c, f);
}

static void fish_family(const command *c) {
    for (const command *const *member = c->members; *member; member++) {
        printf("complete -c neardup -n '__fish_seen_subcommand_from %s; and not "
               "__fish_seen_subcommand_from ",
               c->name);
        print_command_words(c->members, " ", true);
        printf("' -a %s", command_word(*member));
        fish_summary(*member);
    }
}

static void fish_script(const command_lists *l) {
    printf("# fish completion of neardup\ncomplete -c neardup -f\n");
    for (const command *const *c = l->shown; *c; c++) {
        if (command_is_verb(*c))
            printf("complete -c neardup -n __fish_use_subcommand -a %s", (*c)->name);
        else printf("complete -c neardup -n __fish_use_subcommand -l %s", (*c)->name + 2);
        fish_summary(*c);
    }
    for (const command *const *f = l->families; *f; f++) fish_family(*f);
    for (const command *const *c = l->verbs; *c; c++) fish_command(*c);
    printf("complete -c neardup -n '__fish_seen_subcommand_from help' -a '");
    print_command_words(l->shown, " ", true);
    printf("'\n");
}

static int run(const invocation *call) {
    const command_lists l = lists_of(call->commands);
    const char *shell = call->operands[0];
    if (strcmp(shell, "bash") == 0) {
        bash_script(&l);
    } else if (strcmp(shell, "zsh") == 0) {
        zsh_script(&l);
    } else if (strcmp(shell, "fish") == 0) {
        fish_script(&l);
    } else {
        complain("--completion %s: must be bash, zsh or fish", shell);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}

const command completion_command = {.name = "--completion",
                                    .operands = "SHELL",
                                    .operand = OPERAND_SHELL,
                                    .operands_least = 1,
                                    .operands_most = 1,
                                    .missing = "a value is missing: must be bash, zsh or fish",
                                    .summary = "a completion script for bash, zsh or fish",
                                    .run = run};
