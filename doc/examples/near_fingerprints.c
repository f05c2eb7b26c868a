/* Fingerprints within k bits of each other: an index of them is made, searched, and joined with
 * itself. near_fingerprints DIRECTORY makes the index there. */
#include <inttypes.h>
#include <neardup.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const texts[][2] = {
    {"first", "the cat sat on the mat"},
    {"second", "the cat sat on a mat"},
    {"third", "we all scream for ice cream"},
};

static void must(nd_status status, const nd_error *error) {
    if (status == ND_OK) return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

static nd_fingerprint fingerprint_of(nd_analyzer *analyzer, const char *text) {
    nd_fingerprint fingerprint;
    nd_error error;
    must(nd_simhash_text(analyzer, NULL, text, strlen(text), &fingerprint, &error), &error);
    return fingerprint;
}

/* nd_hamming_pair_fn */
static bool print_pair(void *context, const nd_hamming_pair *pair) {
    (void)context;
    printf("pair: %.*s and %.*s, %" PRIu32 " bits apart\n", (int)pair->id_a_length, pair->id_a,
           (int)pair->id_b_length, pair->id_b, pair->distance);
    return true;
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: near_fingerprints DIRECTORY\n");
        return 2;
    }
    nd_error error;
    nd_hamming_index *index;
    nd_hamming_searcher *searcher;
    nd_analyzer *analyzer;
    nd_analyzer_options single_words;
    nd_analyzer_options_init(&single_words, sizeof single_words);
    single_words.ngram = 1;
    nd_hamming_options options;
    nd_hamming_options_init(&options, sizeof options);
    options.k = 8;
    must(nd_analyzer_create(&single_words, NULL, &analyzer, &error), &error);
    must(nd_hamming_create(arguments[1], &options, &error), &error);
    must(nd_hamming_open(arguments[1], ND_INDEX_WRITE, NULL, &index, &error), &error);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        must(nd_hamming_add(index, texts[i][0], strlen(texts[i][0]),
                            fingerprint_of(analyzer, texts[i][1]), &error),
             &error);

    nd_hamming_search_options search;
    nd_hamming_search_options_init(&search, sizeof search);
    search.k = options.k;
    const nd_hamming_match *matches;
    uint64_t found;
    must(nd_hamming_searcher_create(index, &searcher, &error), &error);
    must(nd_hamming_search(searcher, fingerprint_of(analyzer, "a cat sat on the mat"), &search,
                           &matches, &found, &error),
         &error);
    for (uint64_t i = 0; i < found; i++)
        printf("near: %.*s, %" PRIu32 " bits\n", (int)matches[i].id_length, matches[i].id,
               matches[i].distance);

    nd_hamming_side side = {.index = index};
    nd_hamming_join_options join;
    nd_hamming_join_options_init(&join, sizeof join);
    join.k = options.k;
    must(nd_hamming_join(&side, NULL, &join, print_pair, NULL, NULL, &error), &error);

    nd_hamming_searcher_free(searcher);
    nd_hamming_close(index);
    nd_analyzer_free(analyzer);
    return 0;
}
