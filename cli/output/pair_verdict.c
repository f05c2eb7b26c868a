#include "output/pair_verdict.h"

#include <stdio.h>

/* Texts with the same tokens are duplicates at every threshold. */
static bool has_same_tokens(const pair *p) {
    return p->differences->count == 0 && p->differences->a_tokens > 0;
}

static bool contains(const pair *p) { return p->measure == ND_MEASURE_CONTAINMENT; }

/* The measure that decides. */
static double similarity(const pair *p) {
    return contains(p) ? p->comparison->containment : p->comparison->jaccard;
}

/* All shingles of a small set are anchors, and the plan misses none of its duplicates. */
double pair_found(const pair *p) {
    const nd_comparison *c = p->comparison;
    if (!contains(p)) return c->found;
    size_t smaller = c->a.shingles < c->b.shingles ? c->a.shingles : c->b.shingles;
    if (smaller < p->anchors.anchors) return c->containment >= p->options.threshold;
    return nd_anchor_plan_probability(&p->anchors, c->containment);
}

bool pair_is_duplicate(const pair *p) {
    return !p->comparison->apart && (has_same_tokens(p) || similarity(p) >= p->options.threshold);
}

void pair_verdict(const pair *p, char text[static VERDICT_SIZE]) {
    const char *name = contains(p) ? "containment" : "Jaccard similarity";
    const char *apart = p->comparison->apart;
    if (apart) snprintf(text, VERDICT_SIZE, "not duplicates: %s", apart);
    else if (has_same_tokens(p))
        snprintf(text, VERDICT_SIZE,
                 "duplicates: all tokens are the same; dedup finds every such pair");
    else if (pair_is_duplicate(p))
        snprintf(text, VERDICT_SIZE,
                 "duplicates: %s %.6f >= %.15g; dedup finds such a pair with probability %.6f%s",
                 name, similarity(p), p->options.threshold, pair_found(p),
                 contains(p) && pair_found(p) < 1 ? " or more" : "");
    else
        snprintf(text, VERDICT_SIZE, "not duplicates: %s %.6f < %.15g", name, similarity(p),
                 p->options.threshold);
}
