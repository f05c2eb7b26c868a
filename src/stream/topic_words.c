#include "stream/topic_words.h"

#include "base/limits.h"
#include "base/status.h"
#include "storage/write_ahead_log.h"
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

static uint64_t feature_of(uint64_t hash) {
    uint64_t feature = nd_mix64(hash);
    return feature + (feature == 0);
}

/* Words that are counted together, so that the cache misses of their counters overlap. */
typedef struct word_block {
    size_t count;
    uint64_t features[ND_COUNT_MIN_BLOCK];
    uint32_t times[ND_COUNT_MIN_BLOCK];
    uint64_t offsets[ND_COUNT_MIN_BLOCK]; /* in the document's words */
} word_block;

/* Reads the next words, from offset *at on; `number` of them are read already. */
static void read_block(const nd_topic_words *w, const nd_arrival *document, size_t *at,
                       size_t number, word_block *b) {
    nd_arrival_word word;
    size_t count = 0;
    for (size_t begin = *at; count < ND_COUNT_MIN_BLOCK; begin = *at, count++) {
        if (!nd_arrival_next_word(document, at, &word)) break;
        uint64_t feature = feature_of(document->hashes
                                          ? document->hashes[number + count]
                                          : nd_hash_token(&w->key, word.bytes, word.length));
        b->features[count] = feature;
        b->times[count] = word.times;
        b->offsets[count] = begin;
    }
    b->count = count;
}

/* The heaviest words, sorted: the weight, at most 34 bits, above the complement of the offset. So
 * of equally heavy words the first is greater. 0: none. */
enum { OFFSET_BITS = 30 };
#define OFFSET_MASK ((UINT64_C(1) << OFFSET_BITS) - 1)
_Static_assert(ND_WAL_MAX_RECORD <= 1 << OFFSET_BITS, "offsets are in the lower bits");

/* Inserts without branches: where is not foreseeable. */
static inline void keep_heaviest(uint64_t heaviest[ND_TOPIC_OFFERS], uint64_t key) {
    for (int i = ND_TOPIC_OFFERS - 1; i > 0; i--) {
        uint64_t greater = heaviest[i] > key ? heaviest[i] : key;
        heaviest[i] = greater < heaviest[i - 1] ? greater : heaviest[i - 1];
    }
    heaviest[0] = heaviest[0] > key ? heaviest[0] : key;
}

/* An upper bound of the weight of a word that is in so many documents. `most`: the weight of a word
 * that is in none. Each doubling of 1 + frequency takes ln 2 off, which is 2839.1 units.
 * Counters that words share may say more documents than there are: then the bound wraps round, and
 * the word is weighed. */
static inline uint32_t most_units(uint32_t most, uint32_t frequency) {
    enum { LN_2 = 2839 };
    unsigned doublings = 63 - (unsigned)__builtin_clzll((uint64_t)frequency + 1);
    return most - LN_2 * doublings;
}

/* Weighs only the words that may be among the heaviest. An equally heavy word that comes later is
 * not. */
static void weigh_block(nd_topic_words *w, const word_block *b,
                        uint64_t heaviest[ND_TOPIC_OFFERS]) {
    uint32_t frequencies[ND_COUNT_MIN_BLOCK];
    const uint32_t most = nd_count_min_units(w->counts, 0);
    nd_count_min_add_and_count(w->counts, b->features, b->count, frequencies);
    for (size_t i = 0; i < b->count; i++) {
        uint64_t times = b->times[i], least = heaviest[ND_TOPIC_OFFERS - 1] >> OFFSET_BITS;
        if (most_units(most, frequencies[i]) * times <= least) continue;
        uint64_t weight = nd_count_min_units(w->counts, frequencies[i]) * times,
                 key = weight << OFFSET_BITS | (OFFSET_MASK - b->offsets[i]);
        if (key > heaviest[ND_TOPIC_OFFERS - 1]) keep_heaviest(heaviest, key);
    }
}

size_t nd_topic_words_count(nd_topic_words *w, const nd_arrival *document,
                            nd_topic_offer offers[ND_TOPIC_OFFERS]) {
    word_block block;
    uint64_t heaviest[ND_TOPIC_OFFERS] = {0};
    size_t count = 0, at = 0, number = 0;
    nd_count_min_add_document(w->counts, NULL, 0);
    nd_count_min_prepare_weights(w->counts);
    do {
        read_block(w, document, &at, number, &block);
        weigh_block(w, &block, heaviest);
        number += block.count;
    } while (block.count == ND_COUNT_MIN_BLOCK);
    for (; count < ND_TOPIC_OFFERS && heaviest[count] > OFFSET_MASK; count++) {
        nd_topic_offer *o = &offers[count];
        at = (size_t)(OFFSET_MASK - (heaviest[count] & OFFSET_MASK));
        nd_arrival_next_word(document, &at, &o->word);
        o->feature = feature_of(nd_hash_token(&w->key, o->word.bytes, o->word.length));
        nd_term_dictionary_prefetch(w->names, o->feature);
    }
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
