/* A command of the program.
 *
 * Each command is a constant of its own file in commands/ or manual/; commands.c lists them. A
 * command owns its settings: a struct made of parts (flags/ has the shared ones), a table of flags
 * that point into it, and a function that gives every member its default.
 *
 * To add a command: write commands/cmd_NAME.c, declare its constant in commands/command_names.h,
 * put it into the list of commands.c or of its family, and into the list of man pages in
 * CMakeLists.txt. Help, man page and completion follow from the tables. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "flags/flags.h"
#include "output/summary.h"

typedef enum operand_kind {
    OPERAND_NONE,
    OPERAND_PATH,
    OPERAND_DIRECTORY,
    OPERAND_COMMAND,
    OPERAND_SHELL
} operand_kind;

/* A chapter of the man page, in the prose of manual/prose.h. */
typedef struct chapter {
    const char *title, *text;
} chapter;

typedef struct command command;

/* One run of a command. */
typedef struct invocation {
    const command *self;
    const command *const *commands; /* all commands of the program */
    const flags_given *given;
    const void *settings; /* the command's own struct, filled from the flags */
    char **operands;
    int count;    /* of the operands */
    char **words; /* the command line behind the command's name, in the order given */
    int word_count;
} invocation;

struct command {
    const char *name;        /* one word, or the family's word and its own: "index add" */
    const char *operands;    /* as in the usage line: "INPUT..."; NULL: none */
    const char *missing;     /* the message when there are too few operands */
    const char *summary;     /* one line */
    const char *description; /* prose, for --help and the man page */
    const char *examples;    /* command lines, each ended by a newline; --help shows two of them */
    const chapter *chapters; /* ended by a NULL title; NULL: none */
    operand_kind operand;
    int operands_least, operands_most;
    summary_kind summary_of;       /* SUMMARY_NONE: the command has no --summary */
    const command *const *members; /* NULL-ended: this is a family of commands; NULL: it is not */
    const flag_group *groups;      /* ended by GROUPS_END; NULL: no flags */
    size_t settings_size;          /* of the settings; at most SETTINGS_MOST */
    void (*init)(void *settings);  /* gives every member its default; NULL: no settings */
    /* Sets values that follow from several flags, when all are read; NULL: there are none. */
    void (*settle)(const flags_given *given, void *settings);
    int (*run)(const invocation *i); /* returns the exit status; NULL: of a family */
};

enum { SETTINGS_MOST = 3072 };

/* A command as it is typed, not a flag of the program such as --version. */
static inline bool command_is_verb(const command *c) { return c->name[0] != '-'; }

/* The last word of its name. */
const char *command_word(const command *c);

/* Gives the settings of a command their defaults; they have SETTINGS_MOST bytes. */
void command_init_settings(const command *c, void *settings);

#endif
