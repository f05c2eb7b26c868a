/* Gives pairs of documents with their texts to on_example, for people to look at. */
#ifndef ND_DEDUP_EXAMPLES_H
#define ND_DEDUP_EXAMPLES_H

#include "dedup/compared_pairs.h"
#include "dedup/ranked_documents.h"

typedef struct nd_examples_request {
    const nd_output_options *options; /* on_example and context are read */
    const nd_ranked *documents;
    const nd_allocator *allocator;
} nd_examples_request;

typedef struct nd_example_ranks {
    nd_example_kind kind;
    double similarity;
    uint32_t earlier, later;
} nd_example_ranks;

typedef struct nd_examples nd_examples;

/* The request's parts must outlive it. *out is valid for nd_examples_free in any case. */
nd_status nd_examples_create(const nd_examples_request *request, nd_examples **out,
                             nd_error *error);
void nd_examples_free(nd_examples *examples);

/* Reads both texts and calls back. */
nd_status nd_examples_give(nd_examples *examples, const nd_example_ranks *pair, nd_error *error);
/* Gives the pairs of a sample that are nearest to the threshold on both sides. */
nd_status nd_examples_give_sample(nd_examples *examples, const nd_pair_sample *sample,
                                  nd_error *error);

#endif
