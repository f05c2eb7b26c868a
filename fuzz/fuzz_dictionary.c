/* The bytes up to the first NUL are a dictionary of words; the bytes behind it are a text that is
 * segmented with it. The words together have all tokens of ND_WORDS in their order, and either both
 * analyzers reject a text or none does. */
#include "target.h"

#include <stdlib.h>
#include <string.h>

/* The tokens that an analyzer returns for a text. */
typedef struct collected {
    char *bytes; /* the bytes of the tokens, one after the other */
    size_t used, room, count, begin, end;
} collected;

/* nd_token_fn */
static bool collect(void *context, const nd_token *token) {
    collected *t = context;
    /* Tokens of a normalised cluster all have the offsets of the cluster. */
    if (token->length == 0 || token->begin >= token->end || token->begin < t->begin ||
        token->end < t->end)
        target_fail("token %zu is out of order", t->count);
    if (t->used + token->length > t->room) {
        t->room = 2 * (t->used + token->length);
        t->bytes = realloc(t->bytes, t->room);
        if (!t->bytes) target_fail("no memory");
    }
    memcpy(t->bytes + t->used, token->text, token->length);
    t->used += token->length;
    t->count++;
    t->begin = token->begin;
    t->end = token->end;
    return true;
}

static nd_analyzer *analyzer_of(nd_analyzer_kind kind, const nd_dictionary *dictionary) {
    const nd_analyzer_options options = {.struct_size = sizeof options,
                                         .kind = kind,
                                         .ngram = 1,
                                         .seed = 1,
                                         .dictionary = dictionary};
    nd_analyzer *analyzer = NULL;
    nd_error error;
    if (nd_analyzer_create(&options, NULL, &analyzer, &error) != ND_OK)
        target_fail("%s", error.message);
    return analyzer;
}

static void cut(const nd_dictionary *dictionary, const char *text, size_t length) {
    nd_analyzer *words = analyzer_of(ND_WORDS, NULL),
                *segments = analyzer_of(ND_SEGMENT, dictionary);
    collected tokens = {0}, found = {0};
    nd_error error = {.status = ND_OK}, other = {.status = ND_OK};
    nd_shingles shingles;
    nd_status status = nd_tokenize(words, text, length, collect, &tokens, &error);
    target_check_error(status, &error);
    if (nd_tokenize(segments, text, length, collect, &found, &other) != status ||
        (status != ND_OK && strcmp(error.message, other.message) != 0))
        target_fail("as words: %s; as segments: %s", error.message, other.message);
    if (nd_analyze(segments, text, length, &shingles, &other) != status)
        target_fail("nd_tokenize and nd_analyze do not agree on whether the text is valid");
    if (status == ND_OK) {
        if (found.used != tokens.used || found.count > tokens.count || found.end != tokens.end)
            target_fail("the words do not have the bytes of the tokens");
        if (tokens.used > 0 && memcmp(found.bytes, tokens.bytes, tokens.used) != 0)
            target_fail("words have other letters");
        if (shingles.tokens != found.count)
            target_fail("%zu words, but %zu hashes", found.count, (size_t)shingles.tokens);
    }
    free(tokens.bytes);
    free(found.bytes);
    nd_analyzer_free(words);
    nd_analyzer_free(segments);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    const uint8_t *nul = size > 0 ? memchr(bytes, 0, size) : NULL;
    size_t lines = nul ? (size_t)(nul - bytes) : size;
    nd_dictionary *dictionary = NULL;
    nd_error error;
    nd_status status = nd_dictionary_read(target_file(bytes, lines), NULL, &dictionary, &error);
    target_check_error(status, &error);
    if (status == ND_OK && nul) cut(dictionary, (const char *)nul + 1, size - lines - 1);
    nd_dictionary_free(dictionary);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed) {
    uint64_t random = seed;
    return mutate_bytes(bytes, size, most, &random);
}

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    static const char cut_once[] = "\u7814\u7a76 5 n\n\u7814\u7a76\u751f 2\n\u751f\u547d\t3\n# "
                                   "1\n\u547d\n\0\u7814\u7a76\u751f\u547d\u8d77\u6e90";
    static const char mixed[] =
        "51\u533a 3 n\n9\u67b6 0\n\u5361\u62c9OK 4294967295\nplain "
        "2\n\0\u7f8e\u56fd\u201c51\u533a\u201d\u67099\u67b6, \u5361\u62c9ok cafe\u0301";
    static const char marks[] = "\u0e17\u0e35\u0e48\u0e19\u0e35\u0e48 "
                                "1\n\u30ab\u3099\u30b9\n\0\u0e17\u0e35\u0e48\u0e19\u0e35\u0e48 "
                                "\u30ac\u30b9 \U00020000\ufe00";
    const char *seeds = target_seeds(*count, *arguments);
    if (!seeds) return 0;
    target_write_seed(seeds, "cut", cut_once, sizeof cut_once - 1);
    target_write_seed(seeds, "mixed", mixed, sizeof mixed - 1);
    target_write_seed(seeds, "marks", marks, sizeof marks - 1);
    exit(0);
}
