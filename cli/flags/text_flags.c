#include "flags/text_flags.h"

#include "output/complain.h"
#include "output/numbers.h"

#include <stdio.h>
#include <string.h>

/* ---- flags */

static const unsigned word_analyzers[] = {ND_WORDS, ND_SEGMENT};

#define ANALYZER_FLAG(choices_, values_, more)                                                     \
    {                                                                                              \
        .name = "analyzer", .kind = FLAG_CHOICE, .choices = (choices_), .values = (values_),       \
        .offset = offsetof(text_settings, analyzer),                                               \
        .help = "what a token is; words: a word, and in scripts written without spaces each "      \
                "character" more                                                                   \
    }
#define CHARS_HELP "; chars: a character"
#define SEGMENT_HELP "; segment: a word in those scripts, too"
#define DICTIONARY_FLAG                                                                            \
    {                                                                                              \
        .name = "dict", .kind = FLAG_INPUT, .argument = "FILE",                                    \
        .offset = offsetof(text_settings, dictionary), .fallback = "ICU's dictionaries",           \
        .help = "dictionary for scripts written without spaces; FILE jieba is the dictionary of "  \
                "Debian's package python3-jieba; only with --analyzer segment"                     \
    }

static const flag tokens[] = {ANALYZER_FLAG("words|chars|segment", NULL, CHARS_HELP SEGMENT_HELP),
                              DICTIONARY_FLAG};
static const flag stored_tokens[] = {ANALYZER_FLAG("words|chars", NULL, CHARS_HELP)};
static const flag words[] = {ANALYZER_FLAG("words|segment", word_analyzers, SEGMENT_HELP),
                             DICTIONARY_FLAG};

static const flag stems[] = {
    {.name = "stem",
     .kind = FLAG_NAME,
     .argument = "LANGUAGE",
     .offset = offsetof(text_settings, stem),
     .fallback = "words are not stemmed",
     .help = "replace words by their stems; LANGUAGE is one that Snowball knows, such as english, "
             "german or french"},
};

static const flag stops[] = {
    {.name = "stop",
     .kind = FLAG_INPUT,
     .argument = "FILE",
     .offset = offsetof(text_settings, stop),
     .help = "leave out the words in FILE; it has one word per line, as neardup idf --stop-words "
             "writes them"},
};

static const flag shingles[] = {
    {.name = "ngram",
     .kind = FLAG_COUNT,
     .argument = "N",
     .low = 1,
     .high = 64,
     .offset = offsetof(text_settings, ngram),
     .help = "tokens per shingle"},
};

static const flag seeds[] = {
    {.name = "seed",
     .kind = FLAG_NUMBER,
     .argument = "N",
     .high = UINT64_MAX,
     .offset = offsetof(text_settings, seed),
     .help = "key of all hashes; with a secret one nobody can make texts that collide on purpose"},
};

const flag_table token_flags = FLAG_TABLE("Words", tokens);
const flag_table stored_token_flags = FLAG_TABLE("Words", stored_tokens);
const flag_table word_flags = FLAG_TABLE("Words", words);
const flag_table stem_flags = FLAG_TABLE("Words", stems);
const flag_table stop_flags = FLAG_TABLE("Words", stops);
const flag_table shingle_flags = FLAG_TABLE("Words", shingles);
const flag_table seed_flags = FLAG_TABLE("Words", seeds);

/* ---- settings */

void text_settings_init(text_settings *s) {
    nd_analyzer_options usual;
    nd_analyzer_options_init(&usual, sizeof usual);
    *s = (text_settings){.analyzer = usual.kind,
                         .ngram = usual.ngram,
                         .seed = usual.seed,
                         .weighting = ND_WEIGHTING_TF};
}

nd_analyzer_options analyzer_options_of(const text_settings *s) {
    nd_analyzer_options analyzer;
    nd_analyzer_options_init(&analyzer, sizeof analyzer);
    analyzer.kind = s->analyzer;
    analyzer.ngram = s->ngram;
    analyzer.seed = s->seed;
    analyzer.stem = s->stem;
    return analyzer;
}

bool analyzer_flags_agree(const text_settings *s) {
    if (s->dictionary && s->analyzer != ND_SEGMENT)
        complain("--dict: only with --analyzer segment, which uses it");
    else if (s->stem && s->analyzer == ND_SEGMENT)
        complain("--stem: not with --analyzer segment, whose words have no stems");
    else if (s->stem && s->analyzer == ND_CHARS)
        complain("--stem: not with characters, which have no stems");
    else return true;
    return false;
}

bool feature_flags_agree(const text_settings *s, uint32_t feature_ngram) {
    bool single = s->analyzer != ND_CHARS && feature_ngram == 1;
    if (s->stop && !single)
        complain("--stop: only with single words, not with runs of words or characters");
    else if (s->weight_table && !single)
        complain("--weights tfidf: only with single words, not with runs of words or characters");
    else return true;
    return false;
}

/* ---- files */

/* Where Debian's package python3-jieba has a file. */
#define JIEBA(file) "/usr/lib/python3/dist-packages/jieba/" file

typedef struct reader {
    const text_settings *settings;
    const nd_allocator *memory;
    text_files *files;
} reader;

static bool is_jieba(const char *name) { return strcmp(name, "jieba") == 0; }

static nd_status jieba_missing(const char *path, nd_error *error) {
    snprintf(error->message, sizeof error->message,
             "jieba: there is no %s; Debian's package python3-jieba has it", path);
    return ND_ERR_IO;
}

static nd_status read_dictionary(const reader *r, nd_error *error) {
    const char *name = r->settings->dictionary;
    bool jieba = is_jieba(name);
    nd_status status = nd_dictionary_read(jieba ? JIEBA("dict.txt") : name, r->memory,
                                          &r->files->dictionary, error);
    return status == ND_ERR_IO && jieba ? jieba_missing(JIEBA("dict.txt"), error) : status;
}

/* Warns of terms that no text can have. A table for words of another kind would otherwise give all
 * words the same weight without a sign. */
static void warn_of_vain_terms(const reader *r) {
    nd_weights_info info = {.struct_size = sizeof info};
    char left_out[32], terms[32];
    nd_error error;
    if (nd_weights_describe(r->files->weights, &info, &error) != ND_OK) return;
    bool segment = r->settings->analyzer == ND_SEGMENT;
    uint64_t vain = info.left_out + (segment ? 0 : info.segments);
    if (vain)
        complain("warning: %s: %s of %s terms are not one word%s: no text has them",
                 r->settings->weight_table, number_grouped(vain, left_out),
                 number_grouped(info.words + info.segments + info.left_out, terms),
                 info.segments && !segment ? " without --analyzer segment" : "");
}

static nd_status read_table(const reader *r, nd_error *error) {
    const char *name = r->settings->weight_table;
    bool jieba = is_jieba(name);
    nd_status status = nd_weights_read(jieba ? JIEBA("analyse/idf.txt") : name, r->settings->seed,
                                       r->memory, &r->files->weights, error);
    if (status == ND_OK) warn_of_vain_terms(r);
    return status == ND_ERR_IO && jieba ? jieba_missing(JIEBA("analyse/idf.txt"), error) : status;
}

static nd_status read_stop_words(const reader *r, nd_error *error) {
    const text_settings *s = r->settings;
    return nd_stop_words_read(s->stop, s->seed, s->stem, r->memory, &r->files->stop, error);
}

nd_status text_files_read(const text_settings *s, uint64_t memory, text_files *files,
                          nd_error *error) {
    *files = (text_files){.memory.limit = memory};
    const nd_allocator allocator = budget_allocator(&files->memory);
    const reader r = {.settings = s, .memory = &allocator, .files = files};
    const struct {
        const char *path;
        nd_status (*read)(const reader *, nd_error *);
    } steps[] = {{s->dictionary, read_dictionary},
                 {s->weight_table, read_table},
                 {s->stop, read_stop_words}};
    nd_status status = ND_OK;
    for (size_t i = 0; status == ND_OK && i < sizeof steps / sizeof *steps; i++) {
        if (steps[i].path) status = steps[i].read(&r, error);
        if (status == ND_ERR_MEMORY && atomic_load(&files->memory.exceeded))
            snprintf(error->message, sizeof error->message,
                     "%.500s: its words need more than %llu MiB, half of the memory limit",
                     steps[i].path, (unsigned long long)memory >> 20);
    }
    return status;
}

void text_files_free(text_files *files) {
    nd_stop_words_free(files->stop);
    nd_weights_free(files->weights);
    nd_dictionary_free(files->dictionary);
}
