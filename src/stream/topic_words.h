/* The words of a stream, for the topics of its clusters: the number of documents with each word
 * (Count-Min, 32 MiB, terms/count_min.h), and the names of the words that are topics.
 *
 * The members are for clusters_file.c, which saves and loads them. */
#ifndef ND_STREAM_TOPIC_WORDS_H
#define ND_STREAM_TOPIC_WORDS_H

#include "base/hash.h"
#include "stream/arrival.h"
#include "stream/space_saving.h"
#include "terms/count_min.h"
#include "terms/term_dictionary.h"

typedef struct nd_topic_words {
    nd_allocator allocator;
    nd_hash_key key;
    nd_count_min *counts;
    nd_term_dictionary *names;
    size_t names_room; /* with more names, the unused ones are dropped */
} nd_topic_words;

/* A word of a document that may become a topic. */
typedef struct nd_topic_offer {
    nd_arrival_word word;
    uint64_t feature;
} nd_topic_offer;

/* Words of a document that may become topics, at most. */
enum { ND_TOPIC_OFFERS = ND_SPACE_SAVING_SLOTS };

/* `seed`: of the hashes of words. Call nd_topic_words_free after a failure, too. */
nd_status nd_topic_words_init(nd_topic_words *words, uint64_t seed, const nd_allocator *allocator,
                              nd_error *error);
/* REQUIRES: initialised, or zeroed. */
void nd_topic_words_free(nd_topic_words *words);

/* Counts the words of one more document. *offers: the heaviest ones, by occurrences and how few
 * documents have them, the heaviest first. Returns how many. */
size_t nd_topic_words_count(nd_topic_words *words, const nd_arrival *document,
                            nd_topic_offer offers[ND_TOPIC_OFFERS]);

/* Whether unused names should be dropped before more offers are added. */
bool nd_topic_words_are_full(const nd_topic_words *words);
/* Drops the names that are in no counters. `next` returns the counters of one cluster after the
 * other, then NULL. */
typedef const nd_space_saving *nd_next_counters_fn(void *context);
nd_status nd_topic_words_drop_unused(nd_topic_words *words, nd_next_counters_fn *next,
                                     void *context, nd_error *error);

/* Adds offers to the counters of a cluster, and keeps their names. */
nd_status nd_topic_words_add(nd_topic_words *words, const nd_topic_offer *offers, size_t count,
                             nd_space_saving *counters, nd_error *error);

/* The heaviest topics of a cluster (nd_clusters_topics); `documents` of the stream so far. */
size_t nd_topic_words_heaviest(const nd_topic_words *words, const nd_space_saving *counters,
                               uint64_t documents, size_t most, nd_stream_topic *out);

#endif
