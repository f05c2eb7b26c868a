/* neardup --completion SHELL: a completion script, from the same tables as the parser. */
#include "command.h"

#include "complain.h"

#include <string.h>

static const char shells[] = "bash|zsh|fish";

static bool takes_file(const flag *f) { return f->kind == FLAG_FILE || f->kind == FLAG_OUTPUT; }

/* The words of a choice, each followed by `end`; of "max:FIELD" the part up to the colon. */
static void print_choices(const char *choices, const char *end) {
    const char *word;
    for (size_t length; (length = choice_next(&choices, &word));) {
        const char *colon = memchr(word, ':', length);
        printf("%.*s%s", (int)(colon ? (size_t)(colon - word) + 1 : length), word, end);
    }
}

static void print_command_names(const char *end, bool verbs_only) {
    for (const command *const *c = commands; *c; c++)
        if (!verbs_only || command_is_verb(*c)) printf("%s%s", (*c)->name, end);
}

/* ---------------------------------------------------------------- bash */

static void bash_command(const command *c) {
    printf("    %s)\n", c->name);
    if (c->groups) {
        printf("        case $previous in\n");
        FOR_EACH_FLAG(c->groups, f) {
            if (f->kind == FLAG_SWITCH) continue;
            printf("        --%s", f->name);
            if (f->letter) printf(" | -%c", f->letter);
            printf(") ");
            if (f->kind == FLAG_CHOICE) {
                printf("words='");
                print_choices(f->choices, " ");
                printf("'");
            } else {
                printf("kind='%s'", takes_file(f) ? "file" : f->kind == FLAG_DIRECTORY ? "directory" : "none");
            }
            printf(" ;;\n");
        }
        printf("        *)\n            words='");
        FOR_EACH_FLAG(c->groups, f) printf("--%s ", f->name);
        printf("'\n            [[ $word == -* ]] || kind='%s'\n            ;;\n        esac\n", c->operand == OPERAND_PATH ? "file" : "none");
    } else if (c->operand == OPERAND_COMMAND) {
        printf("        words='");
        print_command_names(" ", true);
        printf("'\n");
    } else if (c->operand == OPERAND_SHELL) {
        printf("        words='");
        print_choices(shells, " ");
        printf("'\n");
    }
    printf("        ;;\n");
}

static void bash_script(void) {
    printf("# bash completion of neardup\n"
           "_neardup() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words='' kind='words'\n"
           "    COMPREPLY=()\n"
           "    if ((COMP_CWORD == 1)); then\n"
           "        words='");
    print_command_names(" ", false);
    printf("'\n    else case ${COMP_WORDS[1]} in\n");
    for (const command *const *c = commands; *c; c++) bash_command(*c);
    printf("    esac; fi\n"
           "    case $kind in\n"
           "    words) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\") ;;\n"
           "    file) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n"
           "    directory) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"$word\") ;;\n"
           "    esac\n"
           "    [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *: ]] || compopt -o nospace\n"
           "}\n"
           "complete -F _neardup neardup\n");
}

/* ---------------------------------------------------------------- zsh */

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
        printf("            '(-%c --%s)'{-%c%s,--%s%s}'[", f->letter, f->name, f->letter, f->kind == FLAG_SWITCH ? "" : "+", f->name,
               f->kind == FLAG_SWITCH ? "" : "=");
    else printf("            '--%s%s[", f->name, f->kind == FLAG_SWITCH ? "" : "=");
    zsh_text(f->help, flag_brief(f));
    putchar(']');
    if (f->kind == FLAG_CHOICE) {
        printf(":%s:(", f->name);
        print_choices(f->choices, " ");
        putchar(')');
    } else if (f->kind != FLAG_SWITCH) {
        printf(":%s:%s", f->argument, takes_file(f) ? "_files" : f->kind == FLAG_DIRECTORY ? "_files -/" : " ");
    }
    printf("' \\\n");
}

static void zsh_command(const command *c) {
    printf("    %s)\n        _arguments -s \\\n", c->name);
    if (c->groups) FOR_EACH_FLAG(c->groups, f) zsh_flag(f);
    switch (c->operand) {
    case OPERAND_NONE: printf("            && return\n"); break;
    case OPERAND_PATH: printf("            '*:input:_files'\n"); break;
    case OPERAND_COMMAND:
        printf("            '1:command:(");
        print_command_names(" ", true);
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

static void zsh_script(void) {
    printf("#compdef neardup\n"
           "# zsh completion of neardup\n"
           "_neardup() {\n"
           "    local -a names=(\n");
    for (const command *const *c = commands; *c; c++) {
        printf("        '%s:", (*c)->name);
        zsh_text((*c)->summary, strlen((*c)->summary));
        printf("'\n");
    }
    printf("    )\n"
           "    if ((CURRENT == 2)); then\n"
           "        _describe command names\n"
           "        return\n"
           "    fi\n"
           "    shift words\n"
           "    ((CURRENT--))\n"
           "    case $words[1] in\n");
    for (const command *const *c = commands; *c; c++) zsh_command(*c);
    printf("    esac\n}\n_neardup \"$@\"\n");
}

/* ---------------------------------------------------------------- fish */

/* A text inside '...'. */
static void fish_text(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\'' || text[i] == '\\') putchar('\\');
        putchar(text[i]);
    }
}

static void fish_flag(const command *c, const flag *f) {
    printf("complete -c neardup -n '__fish_seen_subcommand_from %s' -l %s", c->name, f->name);
    if (f->letter) printf(" -s %c", f->letter);
    if (takes_file(f)) printf(" -r -F");
    else if (f->kind == FLAG_DIRECTORY) printf(" -x -a '(__fish_complete_directories)'");
    else if (f->kind != FLAG_SWITCH) printf(" -x");
    if (f->kind == FLAG_CHOICE) {
        printf(" -a '");
        print_choices(f->choices, " ");
        printf("'");
    }
    printf(" -d '");
    fish_text(f->help, flag_brief(f));
    printf("'\n");
}

static void fish_script(void) {
    printf("# fish completion of neardup\ncomplete -c neardup -f\n");
    for (const command *const *c = commands; *c; c++) {
        if (command_is_verb(*c)) printf("complete -c neardup -n __fish_use_subcommand -a %s", (*c)->name);
        else printf("complete -c neardup -n __fish_use_subcommand -l %s", (*c)->name + 2);
        printf(" -d '");
        fish_text((*c)->summary, strlen((*c)->summary));
        printf("'\n");
        if ((*c)->operand == OPERAND_PATH) printf("complete -c neardup -n '__fish_seen_subcommand_from %s' -F\n", (*c)->name);
        if ((*c)->groups) FOR_EACH_FLAG((*c)->groups, f) fish_flag(*c, f);
    }
    printf("complete -c neardup -n '__fish_seen_subcommand_from help' -a '");
    print_command_names(" ", true);
    printf("'\n");
}

static int completion_run(const command *self, settings *given, int count, char **operands) {
    (void)self, (void)given, (void)count;
    if (strcmp(operands[0], "bash") == 0) {
        bash_script();
    } else if (strcmp(operands[0], "zsh") == 0) {
        zsh_script();
    } else if (strcmp(operands[0], "fish") == 0) {
        fish_script();
    } else {
        complain("--completion %s: must be bash, zsh or fish", operands[0]);
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
                                    .run = completion_run};
