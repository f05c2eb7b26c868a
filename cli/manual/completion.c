/* neardup --completion SHELL: a completion script, from the same tables as the parser. */
#include "command.h"

#include "output/complain.h"

#include <string.h>

static const char shells[] = "bash|zsh|fish";

static bool takes_file(const flag *f) {
    return f->kind == FLAG_FILE || f->kind == FLAG_OUTPUT || f->kind == FLAG_INPUT;
}

/* The words of a choice, each followed by `end`; of "max:FIELD" the part up to the colon. */
static void print_choices(const char *choices, const char *end) {
    const char *word;
    for (size_t length; (length = choice_next(&choices, &word));) {
        const char *colon = memchr(word, ':', length);
        printf("%.*s%s", (int)(colon ? (size_t)(colon - word) + 1 : length), word, end);
    }
}

/* The words of commands, each followed by `end`. */
static void print_command_words(const command *const *c, const char *end, bool verbs_only) {
    for (; *c; c++)
        if (!verbs_only || command_is_verb(*c)) printf("%s%s", command_word(*c), end);
}

/* All that has flags or operands: the members of a family instead of the family. */
static void for_each_command(void fn(const command *)) {
    for (const command *const *c = commands; *c; c++) {
        if (!(*c)->members) fn(*c);
        for (const command *const *member = (*c)->members; member && *member; member++) fn(*member);
    }
}

static void for_each_family(void fn(const command *)) {
    for (const command *const *c = commands; *c; c++)
        if ((*c)->members) fn(*c);
}

/* ---------------------------------------------------------------- bash */

static const char *operand_kind_name(const command *c) {
    return c->operand == OPERAND_PATH        ? "file"
           : c->operand == OPERAND_DIRECTORY ? "directory"
                                             : "none";
}

static void bash_flags(const command *c) {
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
            printf("kind='%s'", takes_file(f)               ? "file"
                                : f->kind == FLAG_DIRECTORY ? "directory"
                                                            : "none");
        }
        printf(" ;;\n");
    }
    printf("        *)\n            words='");
    FOR_EACH_FLAG(c->groups, f) printf("--%s ", f->name);
    printf("'\n            [[ $word == -* ]] || kind='%s'\n            ;;\n        esac\n",
           operand_kind_name(c));
}

/* What may follow the name of a family, where commands are told of. */
static void bash_members(const command *family) {
    printf("        [[ $previous != %s ]] || words='", family->name);
    print_command_words(family->members, " ", true);
    printf("'\n");
}

static void bash_command(const command *c) {
    printf("    '%s')\n", c->name);
    if (c->groups) {
        bash_flags(c);
    } else if (c->operand == OPERAND_COMMAND) {
        printf("        words='");
        print_command_words(commands, " ", true);
        printf("'\n");
        for_each_family(bash_members);
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

static void bash_script(void) {
    printf("# bash completion of neardup\n"
           "_neardup() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} "
           "words='' kind='words'\n"
           "    local name=${COMP_WORDS[1]} members=''\n"
           "    COMPREPLY=()\n"
           "    case $name in\n");
    for_each_family(bash_family);
    printf("    esac\n"
           "    if ((COMP_CWORD == 1)); then\n"
           "        words='");
    print_command_words(commands, " ", false);
    printf("'\n"
           "    elif [[ $members && $COMP_CWORD == 2 ]]; then\n"
           "        words=$members\n"
           "    else case $name in\n");
    for_each_command(bash_command);
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
        printf("            '(-%c --%s)'{-%c%s,--%s%s}'[", f->letter, f->name, f->letter,
               f->kind == FLAG_SWITCH ? "" : "+", f->name, f->kind == FLAG_SWITCH ? "" : "=");
    else printf("            '--%s%s[", f->name, f->kind == FLAG_SWITCH ? "" : "=");
    zsh_text(f->help, flag_brief(f));
    putchar(']');
    if (f->kind == FLAG_CHOICE) {
        printf(":%s:(", f->name);
        print_choices(f->choices, " ");
        putchar(')');
    } else if (f->kind != FLAG_SWITCH) {
        printf(":%s:%s", f->argument,
               takes_file(f)               ? "_files"
               : f->kind == FLAG_DIRECTORY ? "_files -/"
                                           : " ");
    }
    printf("' \\\n");
}

static void zsh_members(const command *family) { print_command_words(family->members, " ", true); }

static void zsh_command(const command *c) {
    printf("    '%s')\n        _arguments -s \\\n", c->name);
    if (c->groups) FOR_EACH_FLAG(c->groups, f) zsh_flag(f);
    switch (c->operand) {
    case OPERAND_NONE: printf("            && return\n"); break;
    case OPERAND_PATH: printf("            '*:input:_files'\n"); break;
    case OPERAND_DIRECTORY: printf("            '*:directory:_files -/'\n"); break;
    case OPERAND_COMMAND:
        printf("            '1:command:(");
        print_command_words(commands, " ", true);
        printf(")' \\\n            '2:command:(");
        for_each_family(zsh_members);
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

/* Offers commands where one is typed, and else goes on behind it. */
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

static void zsh_script(void) {
    printf("#compdef neardup\n"
           "# zsh completion of neardup\n"
           "_neardup() {\n"
           "    local name\n"
           "    local -a names\n");
    zsh_choose(commands, "    ");
    printf("    name=$words[1]\n"
           "    case $name in\n");
    for_each_family(zsh_family);
    printf("    esac\n"
           "    case $name in\n");
    for_each_command(zsh_command);
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

/* Begins a line for what follows a command: each word of its name has been seen. */
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
    if (c->groups) FOR_EACH_FLAG(c->groups, f) fish_flag(c, f);
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

static void fish_script(void) {
    printf("# fish completion of neardup\ncomplete -c neardup -f\n");
    for (const command *const *c = commands; *c; c++) {
        if (command_is_verb(*c))
            printf("complete -c neardup -n __fish_use_subcommand -a %s", (*c)->name);
        else printf("complete -c neardup -n __fish_use_subcommand -l %s", (*c)->name + 2);
        fish_summary(*c);
    }
    for_each_family(fish_family);
    for_each_command(fish_command);
    printf("complete -c neardup -n '__fish_seen_subcommand_from help' -a '");
    print_command_words(commands, " ", true);
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
