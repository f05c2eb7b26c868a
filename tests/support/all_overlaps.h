/* The truth about a small corpus: all documents compared with each other, exactly. */
#ifndef ND_TESTS_ALL_OVERLAPS_H
#define ND_TESTS_ALL_OVERLAPS_H

#include "small_corpus.h"

static nd_overlap overlaps[MOST][MOST]; /* by numbers, both ways */
static bool copies[MOST][MOST];         /* the same tokens */

static inline void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) fail_msg("%s", error->message);
}

static inline void compare_all(const corpus *texts, const nd_analyzer_options *options) {
    static uint64_t sets[MOST][4000], hash[MOST][2];
    size_t sizes[MOST];
    nd_analyzer *analyzer;
    nd_error error;
    must(nd_analyzer_create(options, NULL, &analyzer, &error), &error);
    for (size_t d = 0; d < texts->count; d++) {
        nd_shingles s;
        must(nd_analyze(analyzer, texts->text[d], strlen(texts->text[d]), &s, &error), &error);
        memcpy(sets[d], s.hashes, s.count * sizeof *s.hashes);
        memcpy(hash[d], s.text_hash, sizeof hash[d]);
        sizes[d] = nd_set_make(sets[d], s.count);
    }
    for (size_t a = 0; a < texts->count; a++) {
        for (size_t b = 0; b < texts->count; b++) {
            overlaps[a][b] = nd_set_overlap(sets[a], sizes[a], sets[b], sizes[b]);
            copies[a][b] = memcmp(hash[a], hash[b], sizeof hash[a]) == 0;
        }
    }
    nd_analyzer_free(analyzer);
}

#endif
