/* The flags by which a text becomes words, and by which words weigh. */
#ifndef CLI_TEXT_FLAGS_H
#define CLI_TEXT_FLAGS_H

#include "flags/budget.h"
#include "flags/flags.h"
#include "neardup.h"

typedef struct text_settings {
    nd_analyzer_kind analyzer;
    uint32_t ngram; /* tokens per shingle or feature; 0: the command's own */
    uint64_t seed;
    const char *dictionary; /* a file; NULL: ICU's */
    const char *stem;       /* a language; NULL: words are not stemmed */
    const char *stop;       /* a file of words; NULL: none */
    nd_weighting weighting;
    const char *weight_table; /* a file; NULL: none */
} text_settings;

/* All of the title "Words", in the order in which they are shown. */
extern const flag_table token_flags;        /* --analyzer words|chars|segment, --dict */
extern const flag_table stored_token_flags; /* --analyzer words|chars, for indexes */
extern const flag_table word_flags;         /* --analyzer words|segment, --dict */
extern const flag_table stem_flags, stop_flags;
extern const flag_table shingle_flags; /* --ngram */
extern const flag_table seed_flags;

/* --weights has a list of words and a value for each. WEIGHTS_COUNTED is for commands that read
 * their input twice, to count its words first. */
#define WEIGHTS_FLAG(choices_, values_, fallback_, more)                                           \
    {                                                                                              \
        .name = "weights", .kind = FLAG_CHOICE, .choices = (choices_), .values = (values_),        \
        .offset = offsetof(text_settings, weighting),                                              \
        .detail = offsetof(text_settings, weight_table), .fallback = (fallback_),                  \
        .help = "weight of a word or another feature; tf: 1 for each occurrence" more              \
    }
#define WEIGHTS_TABLE_HELP                                                                         \
    "; tfidf:FILE: for each occurrence the weight in a table, which neardup idf makes; FILE "      \
    "jieba is the table of Debian's package python3-jieba"
#define WEIGHTS_COUNTED_HELP                                                                       \
    "; tfidf: for each occurrence more, the rarer the word is in the input, which is read twice"
#define WEIGHTS_NONE_HELP "; none: 1, however often it occurs"

void text_settings_init(text_settings *s);
/* All but the dictionary, which is not read yet. */
nd_analyzer_options analyzer_options_of(const text_settings *s);

/* --dict and --stem with an analyzer on which they have no effect: false, and reported. */
bool analyzer_flags_agree(const text_settings *s);
/* --stop and a table of weights with features of more than one word: false, and reported. */
bool feature_flags_agree(const text_settings *s, uint32_t feature_ngram);

/* The content of the files that the flags name; NULL: not given. */
typedef struct text_files {
    nd_dictionary *dictionary;
    nd_weights *weights;
    nd_stop_words *stop;
    budget memory; /* bytes that they take */
} text_files;

/* Reads the files; they may take `memory` bytes, half of the limit of the command. Call
 * text_files_free in any case, after the job. `files` must not move meanwhile. */
nd_status text_files_read(const text_settings *s, uint64_t memory, text_files *files,
                          nd_error *error);
void text_files_free(text_files *files);

#endif
