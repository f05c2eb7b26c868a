/* Tables of flags. The parser, --help, the man pages and the shell completions all read them.
 *
 * A table is constant and belongs to a part: a struct of settings that several commands have. Each
 * flag says where in the part its value goes. A command lists its groups: a table, and where the
 * part lies in the command's settings. The defaults are the values that the command's init function
 * sets, so that no default is written twice. */
#ifndef CLI_FLAGS_H
#define CLI_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum flag_kind {
    FLAG_HELP,      /* without a value; stores nothing, flag_is_given tells it */
    FLAG_SWITCH,    /* bool, without a value */
    FLAG_COUNT,     /* uint32_t, low to high */
    FLAG_NUMBER,    /* uint64_t, low to high */
    FLAG_SIZE,      /* uint64_t, bytes, low to high (0: no limit): 64M and 1.5GiB count in powers of
                       1024, 2GB in powers of 1000 */
    FLAG_AMOUNT,    /* double, low to high: 1000000, 8e9 */
    FLAG_DURATION,  /* double, seconds: 90, 90s, 15m, 36h, 30d, 4w */
    FLAG_SHARE,     /* double above 0 and below 1, or at most 1 with `one` */
    FLAG_CHOICE,    /* unsigned: the value of the word in `choices` */
    FLAG_FIELD,     /* const char *: a field of a record */
    FLAG_FIELDS,    /* name_list: the flag may be given several times; so may the next four */
    FLAG_VALUES,    /* name_list: a field, '=', and a value of it */
    FLAG_LISTS,     /* name_list: words with commas between them */
    FLAG_GLOBS,     /* name_list: globs, each with the flag's prefix before it */
    FLAG_INPUTS,    /* name_list: files or directories to read, or "-" */
    FLAG_NAME,      /* const char *: a name that is neither a field nor a file */
    FLAG_FILE,      /* const char *: a file to write */
    FLAG_OUTPUT,    /* const char *: a file to write, or "-" */
    FLAG_INPUT,     /* const char *: a file to read, or "-" */
    FLAG_DIRECTORY, /* const char * */
} flag_kind;

/* The values of a flag, or of several, in the order given; the default until one is given. */
enum { NAMES_MOST = 64 };
typedef struct name_list {
    const char *names[NAMES_MOST];
    size_t count;
    bool given;
} name_list;

typedef struct flag {
    const char *name; /* without the dashes */
    char letter;      /* of its short form, or 0 */
    flag_kind kind;
    bool one;               /* FLAG_SHARE: 1 is allowed */
    const char *argument;   /* the name of the value in help */
    const char *choices;    /* FLAG_CHOICE: "words|chars". A word "max:FIELD" stands for "max:" and
                               any text, which goes to `detail` */
    const char *prefix;     /* FLAG_GLOBS: NULL: none */
    const unsigned *values; /* FLAG_CHOICE: a value for each word; NULL: 0, 1, 2 ... */
    uint64_t low, high;     /* FLAG_VALUES: high: most of them; 0: NAMES_MOST */
    size_t offset;          /* of the value in the part */
    size_t detail;          /* of the text of a choice (const char *) in the part; 0: none */
    const char *fallback;   /* the default in words, where the value itself does not tell it */
    const char *help;       /* the first clause, up to '.' or ';', is the meaning: it is the same in
                               all commands that have the flag */
} flag;

/* Tables of one title that follow each other are shown as one. */
typedef struct flag_table {
    const char *title;
    const flag *flags;
    size_t count;
} flag_table;

#define FLAG_TABLE(title_, flags_)                                                                 \
    { .title = (title_), .flags = (flags_), .count = sizeof(flags_) / sizeof *(flags_) }

typedef struct flag_group {
    const flag_table *table; /* NULL: the end of a list */
    size_t part;             /* offset of the table's part in the settings */
} flag_group;

/* A group of a list: FLAG_GROUP(dedup_settings, input, input_flags). */
#define FLAG_GROUP(settings, part_, table_)                                                        \
    { .table = &(table_), .part = offsetof(settings, part_) }
#define GROUPS_END                                                                                 \
    { .table = NULL }

/* -h, --help: the last group of every command that has flags. */
extern const flag_table help_flags;
#define HELP_GROUP                                                                                 \
    { .table = &help_flags }

/* Runs the next statement for each flag of a list of groups, which may be NULL. */
#define FOR_EACH_FLAG(groups_, group_, flag_)                                                      \
    for (const flag_group *group_ = (groups_); group_ && group_->table; group_++)                  \
        for (const flag *flag_ = group_->table->flags;                                             \
             flag_ < group_->table->flags + group_->table->count; flag_++)

/* Whether a group begins a new title in its list. */
bool flag_group_opens(const flag_group *groups, const flag_group *group);

/* ---- the parser */

/* The flags of a command line, each once; only lists may be repeated. */
enum { FLAGS_MOST = 64 };
typedef struct flags_given {
    const flag *list[FLAGS_MOST];
    size_t count;
    int operands;        /* how many arguments are no flags */
    const char *unknown; /* the argument that names no flag of the command; NULL: there is none */
} flags_given;

/* Parses `arguments`: values go to the settings; operands move to the front. False: a usage error.
 * It has been reported, except for an unknown flag, which only given->unknown tells. */
bool flags_parse(const flag_group *groups, int count, char **arguments, void *settings,
                 flags_given *given);

/* By the flag's name. */
bool flag_is_given(const flags_given *given, const char *name);
/* The first of some names, NULL-ended, whose flag is given; NULL: none is. */
const char *flag_first_given(const flags_given *given, const char *const *names);

/* The name of a flag that makes the list wrong: its name or letter occurs twice, or its value does
 * not lie in settings of `size` bytes. NULL: the list is right. Such a flag is a bug. */
const char *flags_wrong(const flag_group *groups, size_t size);

/* The flag that `name` (without dashes, `length` bytes) names; NULL: none. */
const flag *flag_by_name(const flag_group *groups, const char *name, size_t length);

/* ---- words about a flag */

/* The next word of "a|b|c": its length, 0 at the end; *cursor moves behind it. */
size_t choice_next(const char **cursor, const char **word);

/* Words for the value's range, as in "must be ..."; cut at `size`. */
void flag_range(const flag *f, char *text, size_t size);
/* The flag's help, range and default; `part` is its part in settings with their defaults. Cut at
 * `size`. */
void flag_explain(const flag *f, const void *part, char *text, size_t size);
/* Words for the default alone; "" where there are none. */
void flag_default(const flag *f, const void *part, char *text, size_t size);
/* Length of the first clause of the help. */
size_t flag_brief(const flag *f);
/* The name of the value in help, or the choices; NULL: the flag has no value. */
const char *flag_argument(const flag *f);
/* Whether the flag is given without a value. */
static inline bool flag_is_bare(const flag *f) {
    return f->kind == FLAG_SWITCH || f->kind == FLAG_HELP;
}

#endif
