/* The words of many texts, and how many texts each is in, counted exactly: in memory, about 40
 * bytes and its length for a word. One thread at a time; what several have counted is put together
 * at the end. Words are told apart by their 64-bit hashes: two of n words are taken for one with
 * probability n^2 / 2^65. */
#ifndef ND_TERMS_DOCUMENT_FREQUENCIES_H
#define ND_TERMS_DOCUMENT_FREQUENCIES_H

#include "base/job_progress.h"
#include "neardup.h"

typedef struct nd_term {
    const char *bytes; /* folded; belongs to the counts */
    size_t length;
    uint32_t documents;
} nd_term;

typedef struct nd_term_counts nd_term_counts;

/* Of the words that such an analyzer finds; its ngram is 1. */
nd_status nd_term_counts_create(const nd_analyzer_options *analyzer, const nd_allocator *allocator,
                                nd_term_counts **out, nd_error *error);
/* NULL is accepted. */
void nd_term_counts_free(nd_term_counts *counts);

/* One more text, at most 2^32 - 2. Errors as nd_analyze. */
nd_status nd_term_counts_add(nd_term_counts *counts, const char *text, size_t length,
                             nd_error *error);
/* Adds what another of the same analyzer has counted. Progress is asked now and then, here and
 * below. */
nd_status nd_term_counts_merge(nd_term_counts *counts, const nd_term_counts *other,
                               nd_progress *progress, nd_error *error);

size_t nd_term_counts_bytes(const nd_term_counts *counts); /* of memory, about */
uint64_t nd_term_counts_terms(const nd_term_counts *counts);
/* The words that at least `least` texts have, those of most texts first, equal ones in bytewise
 * order. The list is the caller's, who gives it back to the allocator. */
nd_status nd_term_counts_list(const nd_term_counts *counts, uint64_t least, nd_progress *progress,
                              nd_term **list, size_t *count, nd_error *error);

#endif
