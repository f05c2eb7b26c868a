#include "flags/text_flags.h"

#include "output/complain.h"
#include "commands/job_command.h"
#include "output/numbers.h"

#include <stdio.h>
#include <string.h>

/* ---- flags */

#define ANALYZER_FLAG(choices_, place, meaning)                                                    \
    {                                                                                              \
        .name = "analyzer", .kind = FLAG_CHOICE, .choices = (choices_), .offset = SETTING(place),  \
        .help = "what a token is; words: in scripts written without spaces each character" meaning \
    }
#define SEGMENT_HELP "; segment: words there, too"
#define DICTIONARY_FLAG                                                                            \
    {                                                                                              \
        .name = "dict", .kind = FLAG_INPUT, .argument = "FILE", .offset = SETTING(dictionary),     \
        .fallback = "that of ICU",                                                                 \
        .help = "a dictionary of words in scripts written without spaces; jieba is that of "       \
                "Debian's package python3-jieba; --analyzer segment"                               \
    }

static const flag token_flags[] = {ANALYZER_FLAG("words|chars|segment", job.analyzer, SEGMENT_HELP),
                                   DICTIONARY_FLAG};
static const flag stored_token_flags[] = {ANALYZER_FLAG("words|chars", job.analyzer, "")};
static const flag word_flags[] = {ANALYZER_FLAG("words|segment", segment, SEGMENT_HELP),
                                  DICTIONARY_FLAG};

static const flag stem_flags[] = {
    {.name = "stem",
     .kind = FLAG_NAME,
     .argument = "LANGUAGE",
     .offset = SETTING(job.stem),
     .fallback = "words as they are",
     .help = "take words by their stems, which Snowball finds; english, german, french and so on"},
};

static const flag stop_flags[] = {
    {.name = "stop",
     .kind = FLAG_INPUT,
     .argument = "FILE",
     .offset = SETTING(stop),
     .help = "leave out these words; a file of one word a line, such as neardup idf --stop-words "
             "writes"},
};

static const flag shingle_flags[] = {
    {.name = "ngram",
     .kind = FLAG_COUNT,
     .argument = "N",
     .low = 1,
     .high = 64,
     .offset = SETTING(job.ngram),
     .help = "tokens a shingle"},
};

static const flag seed_flags[] = {
    {.name = "seed",
     .kind = FLAG_NUMBER,
     .argument = "N",
     .high = UINT64_MAX,
     .offset = SETTING(job.seed),
     .help = "key of all hashes; a secret one defends against made-up collisions"},
};

const flag_group token_group = FLAG_GROUP("Words", token_flags);
const flag_group stored_token_group = FLAG_GROUP("Words", stored_token_flags);
const flag_group word_group = FLAG_GROUP("Words", word_flags);
const flag_group stem_group = FLAG_GROUP("Words", stem_flags);
const flag_group stop_group = FLAG_GROUP("Words", stop_flags);
const flag_group shingle_group = FLAG_GROUP("Words", shingle_flags);
const flag_group seed_group = FLAG_GROUP("Words", seed_flags);

const nd_weighting tf_weightings[] = {ND_WEIGHTING_TF, ND_WEIGHTING_TABLE, ND_WEIGHTING_NONE,
                                      ND_WEIGHTING_LEVELS};
const nd_weighting counted_weightings[] = {ND_WEIGHTING_COUNTED, ND_WEIGHTING_TABLE,
                                           ND_WEIGHTING_TF, ND_WEIGHTING_NONE};

const char segment_chapter[] =
    "With --analyzer segment, scripts written without spaces (Chinese, Japanese, Thai, Lao, Khmer, "
    "Burmese) are cut into words by ICU's dictionaries; other scripts have the same words as with "
    "words. --dict FILE cuts them by a dictionary "
    "instead: one word a line, its frequency and a tag that is not used, with blanks or tabs "
    "between them (the format of jieba); without a frequency it is 1. The most probable way to cut "
    "is taken, and ICU cuts what the dictionary does not "
    "have. A word may have letters and digits besides. FILE jieba stands for the dictionary of "
    "Debian's package python3-jieba, where it is installed.\n\n"
    "The words depend on the version of ICU and on the dictionary: what is compared is to be made "
    "with the same. A stream keeps to those that it was made with, and an index does not take "
    "them.";

/* ---- what goes together */

bool analyzer_flags_agree(const settings *given) {
    nd_analyzer_kind analyzer = given->job.analyzer;
    if (given->dictionary && analyzer != ND_SEGMENT)
        complain("--dict: only with --analyzer segment, which cuts by it");
    else if (given->job.stem && analyzer == ND_SEGMENT)
        complain("--stem: not with --analyzer segment: stems are of words as they are");
    else if (given->job.stem && analyzer == ND_CHARS)
        complain("--stem: not with characters, which have no stems");
    else return true;
    return false;
}

bool feature_flags_agree(const settings *given, uint32_t feature_ngram) {
    bool words = given->job.analyzer != ND_CHARS && feature_ngram == 1;
    if (given->stop && !words)
        complain("--stop: only with single words, not with runs of words or characters");
    else if (given->weight_table && !words)
        complain("--weights tfidf: only with single words, not with runs of words or characters");
    else return true;
    return false;
}

/* ---- files */

/* Where Debian's package python3-jieba has a file. */
#define JIEBA(file) "/usr/lib/python3/dist-packages/jieba/" file

static nd_status jieba_missing(const char *path, nd_error *error) {
    snprintf(error->message, sizeof error->message,
             "jieba: there is no %s, which Debian's package python3-jieba brings", path);
    return ND_ERR_IO;
}

static bool is_jieba(const char *name) { return strcmp(name, "jieba") == 0; }

static nd_status read_dictionary(settings *given, const nd_allocator *memory, nd_error *error) {
    bool jieba = is_jieba(given->dictionary);
    nd_status status = nd_dictionary_read(jieba ? JIEBA("dict.txt") : given->dictionary, memory,
                                          &given->words.dictionary, error);
    given->job.dictionary = given->words.dictionary;
    return status == ND_ERR_IO && jieba ? jieba_missing(JIEBA("dict.txt"), error) : status;
}

/* What the table has in vain is told, and told even when little else is: a list made for other
 * words weighs all of them the same. */
static void warn_of_vain_terms(const settings *given) {
    nd_weights_info info;
    char left_out[32], terms[32];
    nd_weights_describe(given->words.table, &info);
    bool segment = given->job.analyzer == ND_SEGMENT;
    uint64_t vain = info.left_out + (segment ? 0 : info.segments);
    if (vain)
        complain("warning: %s: %s of %s terms are not one word%s and are never met",
                 given->weight_table, number_grouped(vain, left_out),
                 number_grouped(info.words + info.segments + info.left_out, terms),
                 info.segments && !segment ? " without --analyzer segment" : "");
}

static nd_status read_table(settings *given, const nd_allocator *memory, nd_error *error) {
    bool jieba = is_jieba(given->weight_table);
    nd_status status = nd_weights_read(jieba ? JIEBA("analyse/idf.txt") : given->weight_table,
                                       given->job.seed, memory, &given->words.table, error);
    if (status == ND_OK) warn_of_vain_terms(given);
    return status == ND_ERR_IO && jieba ? jieba_missing(JIEBA("analyse/idf.txt"), error) : status;
}

static nd_status read_stop_words(settings *given, const nd_allocator *memory, nd_error *error) {
    return nd_stop_words_read(given->stop, given->job.seed, given->job.stem, memory,
                              &given->words.stop, error);
}

nd_status text_files_read(settings *given, nd_error *error) {
    budget *b = &given->words.memory;
    const struct {
        const char *path;
        nd_status (*read)(settings *, const nd_allocator *, nd_error *);
    } files[] = {{given->dictionary, read_dictionary},
                 {given->weight_table, read_table},
                 {given->stop, read_stop_words}};
    b->limit = given->job.memory / 2;
    const nd_allocator memory = budget_allocator(b);
    nd_status status = ND_OK;
    for (size_t i = 0; status == ND_OK && i < sizeof files / sizeof *files; i++) {
        if (files[i].path) status = files[i].read(given, &memory, error);
        if (status == ND_ERR_MEMORY && atomic_load(&b->exceeded))
            snprintf(error->message, sizeof error->message,
                     "%.500s: words need more than %llu MiB, half of the memory that the command "
                     "may have",
                     files[i].path, (unsigned long long)b->limit >> 20);
    }
    return status;
}

void text_files_free(settings *given) {
    nd_stop_words_free(given->words.stop);
    nd_weights_free(given->words.table);
    nd_dictionary_free(given->words.dictionary);
}
