/* How similar are two texts? The exact answer, from their shingle sets. */
#include <neardup.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(nd_status status, const nd_error *error) {
    if (status == ND_OK) return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

int main(void) {
    const char *pairs[][2] = {
        {"The quick brown fox jumps over the lazy dog.",
         "The quick brown fox JUMPS over the lazy dog!"},
        {"The quick brown fox jumps over the lazy dog.",
         "The quick brown fox leaps over the lazy dog."},
        {"The quick brown fox jumps over the lazy dog.",
         "Yesterday the quick brown fox jumps over the lazy dog again."},
        {"敏捷的棕色狐狸跳过了懒狗", "敏捷的棕色狐狸跳过了懒猫"},
    };
    nd_analyzer_options options;
    nd_analyzer_options_init(&options, sizeof options);
    options.ngram = 2; /* these texts are short */

    nd_error error;
    nd_analyzer *analyzer;
    check(nd_analyzer_create(&options, NULL, &analyzer, &error), &error);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *a = pairs[i][0], *b = pairs[i][1];
        nd_overlap overlap;
        check(nd_compare_texts(analyzer, a, strlen(a), b, strlen(b), &overlap, &error), &error);
        printf("%s\n%s\n", a, b);
        printf("    %d and %d shingles, %d in common: Jaccard %.3f, containment %.3f\n",
               (int)overlap.size_a, (int)overlap.size_b, (int)overlap.intersection,
               nd_jaccard(overlap), nd_containment(overlap));
    }
    nd_analyzer_free(analyzer);
    return 0;
}
