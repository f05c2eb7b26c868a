/* The flags by which a text becomes words, and by which words weigh, each told once for all
 * commands: which go together, and the files that they name. */
#ifndef CLI_TEXT_FLAGS_H
#define CLI_TEXT_FLAGS_H

#include "command.h"

/* In the order in which they are shown, all of the title "Words". */
extern const flag_group token_group;        /* --analyzer words|chars|segment, --dict */
extern const flag_group stored_token_group; /* --analyzer words|chars, for what is stored */
extern const flag_group word_group;         /* --analyzer words|segment, --dict */
extern const flag_group stem_group, stop_group;
extern const flag_group shingle_group; /* --ngram */
extern const flag_group seed_group;

/* --weights has the first choices of one of two lists: tf|tfidf:FILE|none|levels, or, where words
 * can be counted first, tfidf|tfidf:FILE|tf|none. What each stands for. */
extern const nd_weighting tf_weightings[], counted_weightings[];
enum { WEIGHTS_TABLE = 1 }; /* of both */

#define WEIGHTS_FLAG(choices_, meaning)                                                            \
    {                                                                                              \
        .name = "weights", .kind = FLAG_CHOICE, .choices = (choices_), .offset = SETTING(weights), \
        .detail = SETTING(weight_table),                                                           \
        .help = "how much a word or another feature counts; " meaning                              \
    }
/* The meanings of the choices, for this help. */
#define WEIGHTS_TF_HELP "tf: 1 each time that it occurs"
#define WEIGHTS_NONE_HELP "none: 1, once"
#define WEIGHTS_TABLE_HELP                                                                         \
    "tfidf:FILE: each time what a table of words says, such as neardup idf writes; jieba is that " \
    "of Debian's package python3-jieba"
#define WEIGHTS_COUNTED_HELP "tfidf: each time by how rare it is in the input, which is read twice"

/* Chapter of the analyzer segment. */
extern const char segment_chapter[];

/* --dict and --stem with an analyzer that has no use for them: false, and told. */
bool analyzer_flags_agree(const settings *given);
/* --stop and a table of weights where features are not single words: false, and told. */
bool feature_flags_agree(const settings *given, uint32_t feature_ngram);

/* Reads the files that the flags name into given->words; the dictionary is also that of the job. In
 * any case text_files_free gives them back, when the job has ended. */
nd_status text_files_read(settings *given, nd_error *error);
void text_files_free(settings *given);

#endif
