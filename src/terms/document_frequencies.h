/* The exact document frequencies of all words of many texts: how many texts have each word.
 *
 * Memory: about 40 bytes and the length of the word, per word. Used by one thread at a time;
 * several threads count on their own, and their counts are merged at the end. Words are compared by
 * 64-bit hashes: among n words, two share a hash with probability n^2 / 2^65. */
#ifndef ND_TERMS_DOCUMENT_FREQUENCIES_H
#define ND_TERMS_DOCUMENT_FREQUENCIES_H

#include "base/job_progress.h"
#include "neardup.h"

typedef struct nd_term {
    const char *bytes; /* folded; valid while the counts live and get no more texts */
    size_t length;
    uint32_t documents;
} nd_term;

typedef struct nd_document_frequencies nd_document_frequencies;

/* Counts the words that this analyzer finds. REQUIRES: its ngram is 1. */
nd_status nd_document_frequencies_create(const nd_analyzer_options *analyzer,
                                         const nd_allocator *allocator,
                                         nd_document_frequencies **out, nd_error *error);
/* NULL is accepted. */
void nd_document_frequencies_free(nd_document_frequencies *counts);

/* Counts one more text, at most 2^32 - 2 in all. Errors as nd_analyze. */
nd_status nd_document_frequencies_add(nd_document_frequencies *counts, const char *text,
                                      size_t length, nd_error *error);
/* Adds the counts of another one with the same analyzer. Asks `progress` now and then, and so does
 * nd_document_frequencies_list. */
nd_status nd_document_frequencies_merge(nd_document_frequencies *counts,
                                        const nd_document_frequencies *other, nd_progress *progress,
                                        nd_error *error);

/* Memory in bytes, about. */
size_t nd_document_frequencies_memory(const nd_document_frequencies *counts);
/* The number of distinct words. */
uint64_t nd_document_frequencies_terms(const nd_document_frequencies *counts);
/* Lists the words that at least `least` texts have: the most frequent first, words of equal
 * frequency in bytewise order. The caller frees the list with the allocator. */
nd_status nd_document_frequencies_list(const nd_document_frequencies *counts, uint64_t least,
                                       nd_progress *progress, nd_term **list, size_t *count,
                                       nd_error *error);

#endif
