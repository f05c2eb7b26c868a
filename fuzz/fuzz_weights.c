/* The bytes up to the first NUL are a table of weights or a list of stop words; the bytes behind it
 * are a text that is weighed with it. The first byte chooses the kind of the file and the analyzer.
 */
#include "target.h"

#include <stdlib.h>
#include <string.h>

enum { TOP = 5, MOST_WEIGHT = 1 << 18 };

/* Bits of the first byte: the kind of the file, and the analyzer. */
enum { STOP_WORDS = 1, SEGMENTS = 2 };

/* ---- the target */

typedef struct collected {
    size_t count;
    double last;
} collected;

/* nd_keyword_fn */
static bool collect(void *context, const nd_keyword *keyword) {
    collected *t = context;
    if (keyword->length == 0 || !(keyword->weight > 0) ||
        (t->count > 0 && keyword->weight > t->last))
        target_fail("keyword %zu is out of order", t->count);
    t->last = keyword->weight;
    if (++t->count > TOP) target_fail("more than %d keywords", TOP);
    return true;
}

/* A table that needs the other analyzer is rejected. Otherwise only the text itself can be
 * rejected. */
static void weigh(bool segments, const nd_weights *table, const nd_stop_words *stop,
                  const char *text, size_t length) {
    static nd_dictionary *dictionary; /* for segments without ICU */
    static const char word[] = "\u4e2d\u56fd\n";
    nd_analyzer_options analyzed = {.struct_size = sizeof analyzed,
                                    .kind = segments ? ND_SEGMENT : ND_WORDS,
                                    .ngram = 1,
                                    .seed = 1};
    nd_keyword_options options = {.struct_size = sizeof options,
                                  .top = TOP,
                                  .weighting = table ? ND_WEIGHTING_TABLE : ND_WEIGHTING_TF,
                                  .table = table,
                                  .stop = stop};
    nd_analyzer *analyzer = NULL;
    collected t = {0};
    nd_error error;
    if (!dictionary &&
        nd_dictionary_read(target_file(word, sizeof word - 1), NULL, &dictionary, &error) != ND_OK)
        target_fail("%s", error.message);
    if (segments) analyzed.dictionary = dictionary;
    if (nd_analyzer_create(&analyzed, NULL, &analyzer, &error) != ND_OK)
        target_fail("%s", error.message);
    nd_status status = nd_keywords_text(analyzer, &options, text, length, collect, &t, &error);
    target_check_error(status, &error);
    if (status != ND_OK && status != ND_ERR_INPUT && status != ND_ERR_ARGUMENT)
        target_fail("keywords: %s", error.message);
    nd_analyzer_free(analyzer);
}

static void check_table(const nd_weights *table) {
    nd_weights_info info = {.struct_size = sizeof info};
    nd_error error;
    if (nd_weights_describe(table, &info, &error) != ND_OK) target_fail("%s", error.message);
    double other = nd_weights_of(table, 1);
    if (info.seed != 1 || !(info.absent >= 0 && info.absent <= MOST_WEIGHT) ||
        !(other >= 0 && other <= MOST_WEIGHT))
        target_fail("seed %llu, weights %g and %g", (unsigned long long)info.seed, info.absent,
                    other);
}

static void read_and_weigh(unsigned how, const uint8_t *bytes, size_t size) {
    const uint8_t *nul = size > 0 ? memchr(bytes, 0, size) : NULL;
    size_t lines = nul ? (size_t)(nul - bytes) : size;
    const char *path = target_file(bytes, lines);
    nd_weights *table = NULL;
    nd_stop_words *stop = NULL;
    nd_error error;
    nd_status status = how & STOP_WORDS ? nd_stop_words_read(path, 1, NULL, NULL, &stop, &error)
                                        : nd_weights_read(path, 1, NULL, &table, &error);
    target_check_error(status, &error);
    if (status == ND_OK && table) check_table(table);
    if (status == ND_OK && nul)
        weigh(how & SEGMENTS, table, stop, (const char *)nul + 1, size - lines - 1);
    nd_stop_words_free(stop);
    nd_weights_free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size > 0) read_and_weigh(bytes[0], bytes + 1, size - 1);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed) {
    uint64_t random = seed;
    return mutate_bytes(bytes, size, most, &random);
}

/* ---- seeds */

static void write_seed(const char *directory, const char *name, unsigned how, const char *bytes,
                       size_t size) {
    uint8_t seed[300] = {(uint8_t)how};
    memcpy(seed + 1, bytes, size);
    target_write_seed(directory, name, seed, size + 1);
}

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    static const char levels[] =
        "alpha 3\nbeta\t2.5\n\n\u4e2d 1\n\0Alpha beta beta gamma \u4e2d\u56fd";
    static const char counted[] =
        "# documents: 10\nterm\tdf\tidf\nthe\t9\t0.095310\ntuesday\t1\t1.704748\n\0The Tuesday, "
        "the other";
    static const char segmented[] = "# documents: 10\n# analyzer: "
                                    "segment\nterm\tdf\tidf\n\u4e2d\u56fd\t2\t1."
                                    "299283\n\u4eba\t9\t0.095310\n\0\u4e2d\u56fd\u4eba";
    static const char list[] = "# often\nthe\n The \n\nof\n\0the best of all";
    static const char segments[] = "\u4e2d\u56fd\n\u7684\n\0\u4e2d\u56fd\u7684\u4eba";
    const char *seeds = target_seeds(*count, *arguments);
    if (!seeds) return 0;
    write_seed(seeds, "levels", 0, levels, sizeof levels - 1);
    write_seed(seeds, "counted", 0, counted, sizeof counted - 1);
    write_seed(seeds, "segmented", SEGMENTS, segmented, sizeof segmented - 1);
    write_seed(seeds, "stop", STOP_WORDS, list, sizeof list - 1);
    write_seed(seeds, "stop-segments", STOP_WORDS | SEGMENTS, segments, sizeof segments - 1);
    exit(0);
}
