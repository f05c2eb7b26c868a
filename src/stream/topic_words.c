#include "stream/topic_words.h"

#include "base/limits.h"
#include "base/status.h"
#include "terms/weight_table.h"

#include <string.h>

/* Names that are kept before unused ones are first dropped. */
enum { NAMES = ND_LIMIT(1 << 20, 32) };

nd_status nd_topic_words_init(nd_topic_words *w, uint64_t seed, const nd_allocator *allocator,
                              nd_error *error) {
    *w = (nd_topic_words){
        .allocator = *allocator, .key = nd_hash_key_of(seed), .names_room = NAMES};
    ND_TRY(nd_count_min_create(allocator, &w->counts, error));
    return nd_term_dictionary_create(allocator, &w->names, error);
}

void nd_topic_words_free(nd_topic_words *w) {
    nd_count_min_free(w->counts);
    nd_term_dictionary_free(w->names);
}

/* ---- a document's words */

/* Keeps the heaviest offers, sorted; of equally heavy ones the first. Returns how many. */
static size_t keep_offer(nd_topic_offer offers[ND_TOPIC_OFFERS], size_t count, nd_topic_offer o) {
    if (o.weight == 0 || (count == ND_TOPIC_OFFERS && o.weight <= offers[count - 1].weight))
        return count;
    size_t to = count < ND_TOPIC_OFFERS ? count++ : count - 1;
    for (; to > 0 && offers[to - 1].weight < o.weight; to--) offers[to] = offers[to - 1];
    offers[to] = o;
    return count;
}

/* Reads the next ND_COUNT_MIN_BLOCK words at most; `number` are read. Returns how many. */
static size_t next_words(const nd_topic_words *w, const nd_arrival *document, size_t *at,
                         size_t number, nd_arrival_word *words, uint64_t *features) {
    size_t got = 0;
    for (; got < ND_COUNT_MIN_BLOCK && nd_arrival_next_word(document, at, &words[got]); got++) {
        uint64_t hash = document->hashes
                            ? document->hashes[number + got]
                            : nd_hash_token(&w->key, words[got].bytes, words[got].length);
        features[got] = nd_mix64(hash);
        features[got] += features[got] == 0;
    }
    return got;
}

/* Takes many words at a time, so that the cache misses of their counters overlap. */
size_t nd_topic_words_count(nd_topic_words *w, const nd_arrival *document,
                            nd_topic_offer offers[ND_TOPIC_OFFERS]) {
    nd_arrival_word words[ND_COUNT_MIN_BLOCK];
    uint64_t features[ND_COUNT_MIN_BLOCK];
    double weights[ND_COUNT_MIN_BLOCK];
    size_t count = 0, at = 0, number = 0, got;
    nd_count_min_add_document(w->counts, NULL, 0);
    nd_count_min_prepare_weights(w->counts);
    do {
        got = next_words(w, document, &at, number, words, features);
        number += got;
        nd_count_min_add_and_weigh(w->counts, features, got, weights);
        for (size_t i = 0; i < got; i++) {
            uint64_t units = (uint64_t)(weights[i] * ND_WEIGHT_UNITS);
            count = keep_offer(offers, count,
                               (nd_topic_offer){words[i], features[i], units * words[i].times});
        }
    } while (got == ND_COUNT_MIN_BLOCK);
    for (size_t i = 0; i < count; i++) nd_term_dictionary_prefetch(w->names, offers[i].feature);
    return count;
}

/* ---- names */

bool nd_topic_words_are_full(const nd_topic_words *w) {
    return nd_term_dictionary_count(w->names) + ND_TOPIC_OFFERS > w->names_room;
}

/* Adds the names of a cluster's topics to `names`. */
static nd_status copy_names(const nd_topic_words *w, const nd_space_saving *counters,
                            nd_term_dictionary *names, nd_error *error) {
    for (int t = 0; t < ND_SPACE_SAVING_SLOTS; t++) {
        const char *term;
        size_t length;
        uint64_t feature = counters->features[t];
        if (nd_term_dictionary_find(w->names, feature, &term, &length))
            ND_TRY(nd_term_dictionary_add(names, feature, term, length, error));
    }
    return ND_OK;
}

nd_status nd_topic_words_drop_unused(nd_topic_words *w, nd_next_counters_fn *next, void *context,
                                     nd_error *error) {
    nd_term_dictionary *used = NULL;
    nd_status status = nd_term_dictionary_create(&w->allocator, &used, error);
    for (const nd_space_saving *counters; status == ND_OK && (counters = next(context));)
        status = copy_names(w, counters, used, error);
    if (status != ND_OK) {
        nd_term_dictionary_free(used);
        return status;
    }
    nd_term_dictionary_free(w->names);
    w->names = used;
    size_t twice = 2 * nd_term_dictionary_count(used);
    w->names_room = twice > NAMES ? twice : NAMES;
    return ND_OK;
}

nd_status nd_topic_words_add(nd_topic_words *w, const nd_topic_offer *offers, size_t count,
                             nd_space_saving *counters, nd_error *error) {
    for (size_t i = 0; i < count; i++) {
        const nd_arrival_word *word = &offers[i].word;
        ND_TRY(
            nd_term_dictionary_add(w->names, offers[i].feature, word->bytes, word->length, error));
        nd_space_saving_add(counters, offers[i].feature, word->times);
    }
    return ND_OK;
}

/* ---- topics */

static bool is_heavier(const nd_stream_topic *a, const nd_stream_topic *b) {
    if (a->weight != b->weight) return a->weight > b->weight;
    int order = memcmp(a->term, b->term, a->length < b->length ? a->length : b->length);
    return order != 0 ? order < 0 : a->length < b->length;
}

size_t nd_topic_words_heaviest(const nd_topic_words *w, const nd_space_saving *counters,
                               uint64_t documents, size_t most, nd_stream_topic *out) {
    nd_stream_topic all[ND_SPACE_SAVING_SLOTS];
    size_t count = 0;
    for (int t = 0; t < ND_SPACE_SAVING_SLOTS; t++) {
        nd_stream_topic one;
        uint64_t feature = counters->features[t];
        if (feature == 0 || !nd_term_dictionary_find(w->names, feature, &one.term, &one.length))
            continue;
        uint32_t units = nd_idf_units(documents, nd_count_min_of(w->counts, feature));
        one.weight = (double)units * nd_space_saving_least(counters, t) / ND_WEIGHT_UNITS;
        size_t to = count++;
        for (; to > 0 && is_heavier(&one, &all[to - 1]); to--) all[to] = all[to - 1];
        all[to] = one;
    }
    if (count > most) count = most;
    if (count > 0) memcpy(out, all, count * sizeof *out);
    return count;
}
