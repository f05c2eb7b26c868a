#include "review/review_marks.h"

#include "output/numbers.h"

#include <math.h>
#include <string.h>

/* The marks of a class. */
typedef struct tally {
    double pairs; /* of the class */
    size_t marked, same;
} tally;

static double share_same(const tally *t) {
    return ((double)t->same + .5) / ((double)t->marked + 1);
}

/* ---- precision */

/* Adds a class to sums over classes, weighed by pairs: of the share and of its variance. */
static void add_class(const tally *t, double *pairs, double *mean, double *variance) {
    if (t->marked == 0) return;
    double p = share_same(t);
    *pairs += t->pairs;
    *mean += t->pairs * p;
    *variance += t->pairs * t->pairs * p * (1 - p) / ((double)t->marked + 2);
}

/* ---- classes */

/* The bands of distances are more than those of similarities. */
enum { BANDS = REVIEW_DISTANCE_BANDS, COPIES = 2 * BANDS, CLASSES };

static size_t class_of(const review_list *list, const review_pair *p) {
    if (p->kind == REVIEW_COPY) return COPIES;
    return review_band(list, p) + (p->kind == REVIEW_DUPLICATE ? BANDS : 0);
}

static void fill_tallies(const review_list *list, tally tallies[CLASSES]) {
    memset(tallies, 0, CLASSES * sizeof *tallies);
    for (size_t i = 0; i < list->count; i++) {
        const review_pair *p = &list->pairs[i];
        tally *t = &tallies[class_of(list, p)];
        t->pairs = (double)p->pairs;
        t->marked += p->mark != MARK_NONE;
        t->same += p->mark == MARK_SAME;
    }
}

static void estimate_precision(const tally tallies[CLASSES], review_estimate *e) {
    double pairs = 0, mean = 0, variance = 0, all = 0;
    for (size_t c = BANDS; c < CLASSES; c++) {
        all += tallies[c].pairs;
        e->removed_marked += tallies[c].marked;
        e->removed_same += tallies[c].same;
        add_class(&tallies[c], &pairs, &mean, &variance);
    }
    e->low = 0;
    e->high = 1;
    if (pairs <= 0) return;
    double spread = 1.96 * sqrt(variance) / pairs;
    e->precision = mean / pairs;
    e->low = fmax(0, e->precision - spread);
    e->high = fmin(1, e->precision + spread);
    e->covered = pairs / all;
}

/* ---- thresholds */

static bool is_marked(const tally tallies[CLASSES], size_t band) {
    return tallies[band].marked + tallies[BANDS + band].marked > 0;
}

/* Pairs of a band that are the same, and that are not. */
static void split_band(const tally tallies[CLASSES], size_t band, double *same, double *different) {
    for (size_t c = band; c < COPIES; c += BANDS) {
        if (tallies[c].marked == 0) continue;
        *same += tallies[c].pairs * share_same(&tallies[c]);
        *different += tallies[c].pairs * (1 - share_same(&tallies[c]));
    }
}

static threshold_choice choice_at(const tally tallies[CLASSES], size_t bound) {
    threshold_choice choice = {.threshold = (double)bound / REVIEW_BANDS};
    for (size_t band = 0; band < REVIEW_BANDS; band++) {
        double same = 0, different = 0;
        split_band(tallies, band, &same, &different);
        if (band < bound) choice.left += same;
        else choice.removed_wrongly += different;
    }
    return choice;
}

static void choose_threshold(const tally tallies[CLASSES], review_estimate *e) {
    size_t first = 0, last = REVIEW_BANDS;
    while (first < REVIEW_BANDS && !is_marked(tallies, first)) first++;
    while (last > first && !is_marked(tallies, last - 1)) last--;
    if (first == last) return;
    double least = INFINITY;
    for (size_t bound = first; bound <= last; bound++) {
        threshold_choice choice = choice_at(tallies, bound);
        double wrong = choice.removed_wrongly + choice.left;
        if (wrong <= least) e->best = e->choice_count;
        least = fmin(least, wrong);
        e->choices[e->choice_count++] = choice;
    }
}

void review_estimate_make(const review_list *list, review_estimate *out) {
    tally tallies[CLASSES];
    *out = (review_estimate){.marked = 0};
    fill_tallies(list, tallies);
    for (size_t c = 0; c < CLASSES; c++) {
        out->marked += tallies[c].marked;
        out->same += tallies[c].same;
    }
    estimate_precision(tallies, out);
    if (!review_has_distances(list)) choose_threshold(tallies, out);
}

/* ---- for people */

static void print_choices(FILE *out, const review_estimate *e) {
    char wrong[32], left[32];
    fprintf(out, "\nthreshold  removed wrongly  duplicates left  (estimated pairs)\n");
    for (size_t i = 0; i < e->choice_count; i++) {
        const threshold_choice *c = &e->choices[i];
        fprintf(out, "%9.2f  %15s  %15s%s\n", c->threshold,
                number_grouped((uint64_t)(c->removed_wrongly + .5), wrong),
                number_grouped((uint64_t)(c->left + .5), left),
                i == e->best ? "  <- fewest wrong decisions" : "");
    }
    fputs("Bands without marks are not counted.\n", out);
}

void review_estimate_print(FILE *out, const review_list *list, const review_estimate *e) {
    fprintf(out, "%zu of %zu pairs are marked: %zu same, %zu different\n", e->marked, list->count,
            e->same, e->marked - e->same);
    if (e->removed_marked > 0)
        fprintf(
            out,
            "precision %.3f (95 %% interval %.3f to %.3f): the share of the duplicates that are "
            "the same, in the bands with marks, which have %.0f %% of them\n",
            e->precision, e->low, e->high, 100 * e->covered);
    if (e->choice_count > 1) print_choices(out, e);
}
