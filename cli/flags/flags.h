/* Tables of flags. A command has one, in groups; the parser, --help, the man page and the shell
 * completions all come from it.
 *
 * A flag says where in a structure its value goes; the structure's initial content is the default,
 * so that a default stands nowhere twice. */
#ifndef CLI_FLAGS_H
#define CLI_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum flag_kind {
    FLAG_SWITCH, /* bool, without a value */
    FLAG_COUNT,  /* uint32_t, low to high */
    FLAG_NUMBER, /* uint64_t, low to high */
    FLAG_SIZE, /* uint64_t, bytes, low to high (0: no limit): 4096, 64M, 1.5G, 2GiB, powers of 1024,
                  or 2GB, of 1000 */
    FLAG_AMOUNT,   /* double, low to high: 1000000, 8e9 */
    FLAG_DURATION, /* double, seconds: 90, 90s, 15m, 36h, 30d, 4w */
    FLAG_SHARE,    /* double above 0 and below 1, or at most 1 with `one` */
    FLAG_CHOICE,   /* unsigned: the number of the word in `choices` */
    FLAG_FIELD,    /* const char *: a record's field */
    FLAG_NAME,     /* const char *: of something else that is no file */
    FLAG_FILE,     /* const char *: a file to write */
    FLAG_OUTPUT,   /* const char *: the same, or "-" */
    FLAG_INPUT,    /* const char *: a file to read, or "-" */
    FLAG_DIRECTORY /* const char * */
} flag_kind;

typedef struct flag {
    const char *name; /* without the dashes */
    char letter;      /* of its short form, or 0 */
    flag_kind kind;
    const char *argument; /* what help calls the value */
    const char *choices; /* FLAG_CHOICE: "words|chars". A word "max:FIELD" stands for "max:" and any
                            text, which goes to `detail` */
    uint64_t low, high;
    bool one;
    size_t offset;        /* of the value in the target */
    size_t detail;        /* of the text of a choice (const char *) */
    const char *fallback; /* words for the default where the value itself says nothing */
    const char *help;     /* the first clause, up to '.' or ';', also serves alone */
} flag;

/* Groups of one title that follow each other are shown as one. */
typedef struct flag_group {
    const char *title;
    const flag *flags;
    size_t count;
} flag_group;

/* Those that a command line gives. */
enum { FLAGS_MOST = 64 };
typedef struct flags_given {
    const flag *list[FLAGS_MOST];
    size_t count;
} flags_given;

/* By the flag's name. */
bool flag_is_given(const flags_given *given, const char *name);
/* The first of some names, NULL-ended, whose flag is given; NULL: none is. */
const char *flag_first_given(const flags_given *given, const char *const *names);

/* Parses `arguments`: flags go to the target and, each once, to `given`; the rest moves to the
 * front and is counted in *operands. False: a usage error, and told. */
bool flags_parse(const flag_group *const *groups, int count, char **arguments, void *target,
                 flags_given *given, int *operands);

/* Calls fn for each flag of a NULL-ended list of groups. */
#define FOR_EACH_FLAG(groups, f)                                                                   \
    for (const flag_group *const *group_ = (groups); *group_; group_++)                            \
        for (const flag *f = (*group_)->flags; f < (*group_)->flags + (*group_)->count; f++)

/* Whether a group of a NULL-ended list begins a new title. */
bool flag_group_opens(const flag_group *const *groups, const flag_group *const *group);

/* The next word of "a|b|c": its length, 0 at the end; *cursor moves behind it. */
size_t choice_next(const char **cursor, const char **word);

/* Words for the value's range, as in "must be ..."; cut at `size`. */
void flag_range(const flag *f, char *text, size_t size);
/* The flag's help, range and default (taken from a target in its initial state); cut at `size`. */
void flag_explain(const flag *f, const void *initial, char *text, size_t size);
/* Length of the first clause of the help. */
size_t flag_brief(const flag *f);
/* What stands for the value: the argument's name, or the choices; NULL for a switch. */
const char *flag_argument(const flag *f);

#endif
