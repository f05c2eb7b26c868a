/* What the marks of a review say about all pairs: how many of the removed documents were right to
 * go, and which threshold makes the fewest wrong decisions.
 *
 * Pairs are sampled in classes, the pairs of a verdict and a band (review_list.h). In a class with
 * n marked pairs, x of them "same", the share of pairs that are the same is estimated by
 * (x + 1/2) / (n + 1), the mean of the posterior for Jeffreys' prior (1946); its variance is
 * p (1 - p) / (n + 2). Classes are weighed by their pairs, as in stratified sampling (Cochran 1977,
 * chapter 5). */
#ifndef CLI_REVIEW_MARKS_H
#define CLI_REVIEW_MARKS_H

#include "review/review_list.h"

/* A threshold, and the wrong decisions that it would make, estimated. */
typedef struct threshold_choice {
    double threshold;
    double removed_wrongly; /* pairs at or above it that are not the same */
    double left;            /* pairs below it that are the same */
} threshold_choice;

typedef struct review_estimate {
    size_t marked, same;                 /* pairs */
    size_t removed_marked, removed_same; /* of the duplicates and copies */
    /* Of the duplicates and copies in classes that have marks: the share that is the same, and its
     * 95 % interval; 0 to 1 if nothing is marked. */
    double precision, low, high;
    double covered; /* share of the duplicates and copies that are in these classes */
    /* The bounds of the marked bands, ascending; none with distances. */
    threshold_choice choices[REVIEW_BANDS + 1];
    size_t choice_count;
    size_t best; /* the choice with the fewest wrong decisions, of equal ones the highest */
} review_estimate;

void review_estimate_make(const review_list *list, review_estimate *out);
/* Prints it for people. */
void review_estimate_print(FILE *out, const review_list *list, const review_estimate *e);

#endif
