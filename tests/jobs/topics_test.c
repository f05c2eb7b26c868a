/* A labelled stream that mixes five subjects: the first topic of each cluster is the word of its
 * subject. */
#include "neardup.h"
#include "own_directory.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUBJECTS = 5, DOCUMENTS = 200, SAID = 6, OWN = 24 };

static const char *const subjects[SUBJECTS] = {"comet", "harvest", "parliament", "violin",
                                               "glacier"};

/* Writes the subject three times, most of the words that belong to it, and words that all texts
 * have. These words are more frequent than the subject, so that counting alone would choose them.
 */
static void write_text(char *text, unsigned subject, uint64_t *seed) {
    size_t size = 0;
    for (int i = 0; i < 3; i++) size += (size_t)sprintf(text + size, "%s ", subjects[subject]);
    for (int i = 0; i < OWN; i++)
        if (random_below(seed, 8))
            size += (size_t)sprintf(text + size, "%s%c%d ", "own", 'a' + (int)subject, i);
    for (int i = 0; i < SAID; i++)
        size += (size_t)sprintf(text + size, "%s ", i < 4 ? "today" : "people");
    size += (size_t)sprintf(text + size, "once%llu",
                            (unsigned long long)random_below(seed, 1000000));
}

typedef struct tally {
    unsigned clusters, documents;
    unsigned of_subject[SUBJECTS];
} tally;

/* An id begins with the subject. */
static bool judge(void *context, const nd_stream_cluster *c) {
    tally *t = context;
    unsigned subject = (unsigned)(c->cluster[0] - '0');
    t->clusters++;
    t->documents += (unsigned)c->size;
    t->of_subject[subject] += (unsigned)c->size;
    for (uint64_t i = 0; i < c->size; i++) assert_int_equal(c->members[i].id[0], c->cluster[0]);
    assert_true(c->topic_count > 1);
    assert_int_equal(c->topics[0].length, strlen(subjects[subject]));
    assert_memory_equal(c->topics[0].term, subjects[subject], c->topics[0].length);
    return true;
}

static void cluster_subjects(const nd_stream_options *options, uint64_t seed, unsigned most) {
    nd_error error;
    nd_stream *s;
    tally t = {0};
    remove_directory("topics_test.state");
    if (nd_stream_open("topics_test.state", ND_INDEX_WRITE, options, NULL, &s, &error) != ND_OK)
        fail_msg("%s", error.message);
    for (unsigned d = 0; d < DOCUMENTS; d++) {
        char text[1000], id[16];
        unsigned subject = (unsigned)random_below(&seed, SUBJECTS);
        write_text(text, subject, &seed);
        size_t length = (size_t)snprintf(id, sizeof id, "%u-%u", subject, d);
        const nd_record document = {
            .text = text, .length = strlen(text), .id = id, .id_length = length, .value = NAN};
        if (nd_stream_add(s, &document, NULL, &error) != ND_OK) fail_msg("%s", error.message);
    }
    if (nd_stream_clusters(s, 2, 10, true, judge, &t, &error) != ND_OK)
        fail_msg("%s", error.message);
    for (unsigned i = 0; i < SUBJECTS; i++) assert_true(t.of_subject[i] > 0);
    assert_in_range(t.clusters, SUBJECTS, most);
    assert_true(t.documents > DOCUMENTS * 9 / 10);
    nd_stream_close(s);
    remove_directory("topics_test.state");
}

static void test_topics(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 6; seed++) {
        nd_analyzer_options analyzer;
        nd_stream_options o;
        nd_analyzer_options_init(&analyzer, sizeof analyzer);
        nd_stream_options_init(&o, sizeof o);
        analyzer.ngram = 1;
        o.analyzer = &analyzer;
        o.threshold = 0.5;
        cluster_subjects(&o, seed, 2 * SUBJECTS);
        o.sketch = ND_SKETCH_SIMHASH;
        o.k = 10;
        cluster_subjects(&o, seed, 4 * SUBJECTS);
        o.mode = ND_STREAM_FOLLOW;
        cluster_subjects(&o, seed, 4 * SUBJECTS);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_topics)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}
