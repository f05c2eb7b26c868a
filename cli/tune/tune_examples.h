/* Pairs that show what each threshold would remove: of each step the least similar ones, because
 * they are the first that a higher threshold leaves. */
#ifndef CLI_TUNE_EXAMPLES_H
#define CLI_TUNE_EXAMPLES_H

#include "review/review_list.h"

typedef struct tune_examples {
    size_t most;      /* pairs of a step */
    review_list list; /* of all steps; in no order until tune_examples_finish */
    size_t counts[ND_TUNE_STEPS];
    bool no_memory;
} tune_examples;

/* `most` pairs of each step, at least 1. False: out of memory. */
bool tune_examples_begin(tune_examples *e, size_t most, nd_measure measure);
/* nd_tuned_fn; `context` is the examples. */
bool tune_examples_take(void *context, const nd_tuned_document *document);
/* Orders the pairs by similarity, the most similar first, and says how many documents of the sample
 * each stands for. */
void tune_examples_finish(tune_examples *e, const nd_tune_result *result);
void tune_examples_free(tune_examples *e);

/* The step of a similarity, from 0. */
size_t tune_step_of(double similarity);

#endif
