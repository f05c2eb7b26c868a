#include "output/pair_verdict.h"

#include <stdio.h>

/* Texts with the same tokens are duplicates at every threshold. */
static bool has_same_tokens(const pair *p) {
    return p->differences->count == 0 && p->differences->a_tokens > 0;
}

bool pair_is_duplicate(const pair *p) {
    return has_same_tokens(p) || p->comparison->jaccard >= p->options.threshold;
}

void pair_verdict(const pair *p, char text[static VERDICT_SIZE]) {
    const nd_comparison *c = p->comparison;
    if (has_same_tokens(p))
        snprintf(text, VERDICT_SIZE,
                 "duplicates: all tokens are the same; dedup finds every such pair");
    else if (pair_is_duplicate(p))
        snprintf(text, VERDICT_SIZE,
                 "duplicates: Jaccard similarity %.6f >= %.15g; dedup finds such a pair with "
                 "probability %.6f",
                 c->jaccard, p->options.threshold, c->found);
    else
        snprintf(text, VERDICT_SIZE, "not duplicates: Jaccard similarity %.6f < %.15g", c->jaccard,
                 p->options.threshold);
}
