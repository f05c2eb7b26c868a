#include "tune/tune_examples.h"

#include <stdlib.h>
#include <string.h>

size_t tune_step_of(double similarity) {
    size_t step = 0;
    while (step + 1 < ND_TUNE_STEPS && similarity >= (double)(step + 2) / ND_TUNE_STEPS) step++;
    return step;
}

bool tune_examples_begin(tune_examples *e, size_t most, nd_measure measure) {
    *e = (tune_examples){.most = most};
    e->list.measure = measure == ND_MEASURE_CONTAINMENT ? "containment" : "jaccard";
    e->list.pairs = calloc(ND_TUNE_STEPS * most, sizeof *e->list.pairs);
    return e->list.pairs != NULL;
}

/* The place for a pair of a step: a new one, or that of the most similar pair, if the new one is
 * less similar. NULL: none. The places of step s begin at s * most. */
static review_pair *place_for(tune_examples *e, size_t step, double similarity) {
    review_pair *pairs = &e->list.pairs[step * e->most], *top = pairs;
    if (e->counts[step] < e->most) return &pairs[e->counts[step]++];
    for (size_t i = 1; i < e->most; i++)
        if (pairs[i].value > top->value) top = &pairs[i];
    return similarity < top->value ? top : NULL;
}

static bool take_document(review_document *d, const nd_named_document *named) {
    free(d->id);
    free(d->source);
    *d = (review_document){.id_length = named->id_length, .line = named->line};
    d->id = malloc(named->id_length + 1);
    d->source = strdup(named->source);
    if (!d->id || !d->source) return false;
    memcpy(d->id, named->id, named->id_length);
    d->id[named->id_length] = '\0';
    return true;
}

bool tune_examples_take(void *context, const nd_tuned_document *document) {
    tune_examples *e = context;
    const nd_neighbour *earlier = &document->earlier;
    if (!document->sampled || earlier->similarity == 0) return true;
    review_pair *p = place_for(e, tune_step_of(earlier->similarity), earlier->similarity);
    if (!p) return true;
    p->kind = REVIEW_DUPLICATE;
    p->value = earlier->similarity;
    e->no_memory = !take_document(&p->documents[0], &earlier->named) ||
                   !take_document(&p->documents[1], &document->named);
    return !e->no_memory;
}

static int by_similarity(const void *a, const void *b) {
    const review_pair *x = a, *y = b;
    if (x->value != y->value) return x->value > y->value ? -1 : 1;
    int sources = strcmp(x->documents[1].source, y->documents[1].source);
    if (sources != 0) return sources;
    return x->documents[1].line < y->documents[1].line ? -1 : 1;
}

void tune_examples_finish(tune_examples *e, const nd_tune_result *result) {
    review_list *list = &e->list;
    for (size_t s = 0; s < ND_TUNE_STEPS; s++)
        for (size_t i = 0; i < e->counts[s]; i++) {
            review_pair p = list->pairs[s * e->most + i];
            p.pairs = result->steps[s].nearest;
            list->pairs[s * e->most + i] = (review_pair){.kind = REVIEW_DUPLICATE};
            list->pairs[list->count++] = p;
        }
    if (list->count > 0) qsort(list->pairs, list->count, sizeof *list->pairs, by_similarity);
}

void tune_examples_free(tune_examples *e) {
    e->list.count = e->list.pairs ? ND_TUNE_STEPS * e->most : 0;
    review_list_free(&e->list);
}
