/* What a command of the program is. Each is a constant of its own file, listed in main.c. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "flags/budget.h"
#include "flags/flags.h"
#include "neardup.h"
#include "output/summary.h"

/* Where the flags of every command go. */
typedef struct settings {
    nd_job_options job;
    flags_given flags;
    unsigned on_error;      /* 0 fail, 1 skip */
    unsigned store;         /* 0 exact, 1 sketch */
    unsigned sync;          /* 0 batch, 1 off */
    const char *ids;        /* a file of them */
    unsigned bits;          /* of a fingerprint: 16 << bits */
    unsigned features;      /* 0 words, 1 chars, 2 shingles */
    unsigned segment;       /* 0 words, 1 segment: where there is a choice of these alone */
    const char *dictionary; /* a file; NULL: none */
    unsigned weights;       /* by the command's own choices */
    const char *weight_table;
    const char *sentences;      /* how many; NULL: not by them */
    uint32_t feature_ngram;     /* 0: that of the features */
    nd_compare_options compare; /* its least_run and gap; the others are those of the job */
    unsigned compare_bits;      /* 0 auto, else a fingerprint of 8 << compare_bits */
    const char *within;         /* an input whose documents are compared; NULL: files */
    const char *page;           /* a file for it; NULL: none */
    bool explain;
    const char *idf_table; /* that of --idf; NULL: none */
    nd_idf_options idf;
    nd_keywords_options keywords;
    nd_passages_options passages;
    const char *stop; /* a list of words; NULL: none */
    struct {
        nd_dictionary *dictionary;
        nd_weights *table;
        nd_stop_words *stop;
        budget memory;          /* that they take */
    } words;                    /* what those files hold, while a command runs; NULL: not given */
    uint32_t k;                 /* UINT32_MAX: that of the index, or the usual one */
    nd_hamming_options hamming; /* its bits: as `bits` says */
    const char *other;          /* a second operand; NULL: none */
    nd_fingerprint_source fingerprints; /* its format: as `format` says */
    unsigned format;                    /* 0 hex, 1 u64, 2 u128 */
    uint64_t limit;                     /* 0: none */
    const char *costs;                  /* a file of them */
    double count;                       /* of fingerprints on paper */
    const char *state;                  /* directory of a stream */
    unsigned mode;                      /* 0 leader, 1 follow */
    double near;                        /* a threshold; 0: none was given */
    nd_stream_options stream;           /* of the state, or the usual ones */
    double expire;                      /* seconds */
    uint64_t least;                     /* documents of a cluster */
    uint32_t topics, answer_topics;     /* of clusters; and of answers of a stream */
    bool members;
    bool any, nearest, counted, groups, binary;
    bool all, best, all_queries;
    bool json, answers_json, quiet, help;
} settings;

#define SETTING(member) offsetof(settings, member)

typedef enum operand_kind {
    OPERAND_NONE,
    OPERAND_PATH,
    OPERAND_DIRECTORY,
    OPERAND_COMMAND,
    OPERAND_SHELL
} operand_kind;

/* A chapter of the man page, in the prose of prose.h. */
typedef struct chapter {
    const char *title, *text;
} chapter;

typedef struct command command;
struct command {
    const char *name;     /* one word, or that of the family and its own: "index add" */
    const char *operands; /* as in the usage line: "INPUT..."; NULL: none */
    operand_kind operand;
    int operands_least, operands_most;
    const char *missing;             /* the complaint about too few */
    const char *summary;             /* one line */
    const char *description;         /* prose, for --help and the man page */
    const flag_group *const *groups; /* NULL-ended; NULL: no flags */
    const chapter *chapters;         /* ended by a NULL title; NULL: none */
    summary_kind
        summary_of; /* the job's, if it is one; the man page lists the keys of its --json */
    const command *const
        *members; /* NULL-ended: a family, whose members are the commands proper; NULL: none */
    /* Returns the exit status. NULL: of a family. */
    int (*run)(const command *self, settings *given, int count, char **operands);
};

/* All commands but the members of families, NULL-ended, in the order in which they are shown. A
 * name that begins with "--" is a flag of the program. */
extern const command *const commands[];

extern const command dedup_command, pairs_command, simhash_command, idf_command, keywords_command,
    compare_command, passages_command, plan_command, index_command, hamming_command, stream_command,
    clusters_command, help_command, help_flag_command, version_command, man_command,
    completion_command;

/* The group with --help, of every command that has flags. */
extern const flag_group help_group;

/* The command that the first words name; *used: how many of them. NULL: unknown, and told. */
const command *command_find(int count, char *const *words, int *used);
/* The same, of the operands of a command that tells of commands: *out is NULL where there are none.
 * False: not one command, and told. */
bool command_named(const command *self, int count, char *const *words, const command **out);
/* The last word of its name. */
const char *command_word(const command *c);
/* A real command, not a flag of the program. */
bool command_is_verb(const command *c);
/* Settings before any flag. */
void settings_init(settings *given);
/* --help of one command, or of the program (NULL). */
void help_print(const command *c);

#endif
