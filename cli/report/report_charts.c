#include "report/report_charts.h"

#include "output/html_text.h"
#include "output/numbers.h"

#include <math.h>

/* A chart in pixels, from above: the name of the axis upwards, the words of the threshold, the
 * plot, the numbers below it, and the name of the other axis. */
enum { PLOT_TOP = 42, PLOT_HEIGHT = 180, PLOT_BOTTOM = PLOT_TOP + PLOT_HEIGHT };
enum { CHART_HEIGHT = PLOT_BOTTOM + 42 };

const char chart_style[] =
    ".chart{display:block;overflow:visible;font-size:.8rem;fill:var(--soft)}\n"
    ".chart text{font-variant-numeric:tabular-nums}\n"
    ".grid{stroke:var(--line)}\n"
    ".axis{stroke:var(--soft)}\n"
    ".own{fill:var(--accent)}\n"
    ".other{fill:var(--quiet)}\n"
    ".limit{stroke:var(--ink);stroke-dasharray:4 3}\n"
    ".chart .limit-word{fill:var(--ink)}\n"
    ".curve{fill:none;stroke:var(--accent);stroke-width:2.5;vector-effect:non-scaling-stroke}\n"
    ".bar{display:block;min-width:3rem}\n"
    "@media(max-width:40rem){.bar{min-width:1rem}}\n"
    "figure{margin:1rem 0;padding-inline-start:4.2rem;padding-inline-end:.6rem}\n"
    "@media print{svg{-webkit-print-color-adjust:exact;print-color-adjust:exact}}\n";

void put_bar(FILE *out, double share, const char *kind) {
    fprintf(out,
            "<svg class=bar width=\"100%%\" height=12 aria-hidden=true>"
            "<rect class=%s width=\"%.2f%%\" height=12 rx=2 /></svg>",
            kind, 100 * share);
}

void chart_begin(FILE *out) {
    fprintf(out, "<svg class=chart width=\"100%%\" height=%d role=img aria-label=\"", CHART_HEIGHT);
}

void chart_end(FILE *out, const char *across, const char *upwards) {
    fprintf(out,
            "<text x=-8 y=12>%s</text><text x=\"100%%\" y=%d text-anchor=end>%s</text></svg>\n",
            upwards, CHART_HEIGHT - 6, across);
}

/* ---- axes */

/* A line of the grid at a share of the height, with its number before it. */
static void put_grid(FILE *out, double share, const char *number) {
    double y = PLOT_BOTTOM - share * PLOT_HEIGHT;
    fprintf(out,
            "<line class=%s x2=\"100%%\" y1=%.1f y2=%.1f /><text x=-8 y=%.1f text-anchor=end "
            "dominant-baseline=middle>%s</text>\n",
            share > 0 ? "grid" : "axis", y, y, y, number);
}

/* A number below the plot, at a share of its width. */
static void put_below(FILE *out, double share, const char *number) {
    fprintf(out, "<text x=\"%.2f%%\" y=%d text-anchor=middle>%s</text>\n", 100 * share,
            PLOT_BOTTOM + 18, number);
}

static void put_limit(FILE *out, double share, const char *words) {
    fprintf(out,
            "<line class=limit x1=\"%.2f%%\" x2=\"%.2f%%\" y1=%d y2=%d />"
            "<text class=limit-word x=\"%.2f%%\" y=%d text-anchor=%s>",
            100 * share, 100 * share, PLOT_TOP - 4, PLOT_BOTTOM, 100 * share, PLOT_TOP - 9,
            share > .7   ? "end"
            : share < .3 ? "start"
                         : "middle");
    put_html_string(out, words);
    fputs("</text>\n", out);
}

/* ---- similarities */

/* The least number of the form 1, 2 or 5 times a power of ten that is not below `most`. */
static uint64_t round_up(uint64_t most) {
    uint64_t scale = 1;
    for (; scale <= UINT64_MAX / 10; scale *= 10)
        for (unsigned i = 0; i < 3; i++)
            if (scale * (const unsigned[]){1, 2, 5}[i] >= most)
                return scale * (const unsigned[]){1, 2, 5}[i];
    return most;
}

/* The axis upwards: counts from 0 to `top`. */
static void put_count_axis(FILE *out, uint64_t top) {
    char number[32];
    put_grid(out, 0, "0");
    if (top % 2 == 0) put_grid(out, .5, number_grouped(top / 2, number));
    put_grid(out, 1, number_grouped(top, number));
}

/* No bar that counts something is invisible. */
static double height_of(uint64_t count, uint64_t top) {
    double height = (double)count / (double)top * PLOT_HEIGHT;
    return height < 1 ? 1 : height;
}

static uint64_t count_of(const similarity_counts *c, int step) {
    return c->own[step] + c->other[step];
}

/* The plot begins at the tenth below the first pair and the limit. */
static int first_step(const similarity_counts *c, double limit) {
    int first = (int)(limit * ND_SIMILARITY_STEPS) - 1;
    if (first < 0 || first >= ND_SIMILARITY_STEPS) first = ND_SIMILARITY_STEPS - 1;
    for (int step = 0; step < first; step++)
        if (count_of(c, step) > 0) first = step;
    return first / 10 * 10;
}

/* Rejected pairs stand on the duplicates. */
static void put_step(FILE *out, const similarity_counts *c, int step, int first, uint64_t top) {
    const uint64_t counts[] = {c->own[step], c->other[step]};
    double width = 100.0 / (ND_SIMILARITY_STEPS - first), bottom = PLOT_BOTTOM;
    for (int i = 0; i < 2; i++) {
        double height = height_of(counts[i], top);
        if (counts[i] == 0) continue;
        bottom -= height;
        fprintf(out, "<rect class=%s x=\"%.2f%%\" y=%.1f width=\"%.2f%%\" height=%.1f />\n",
                i ? "other" : "own", width * (step - first) + width * .08, bottom, width * .84,
                height);
    }
}

void put_histogram(FILE *out, const similarity_counts *c, double limit, const char *words) {
    char number[32];
    uint64_t most = 1;
    int first = first_step(c, limit);
    for (int step = 0; step < ND_SIMILARITY_STEPS; step++)
        if (count_of(c, step) > most) most = count_of(c, step);
    uint64_t top = round_up(most);
    put_count_axis(out, top);
    for (int step = first; step < ND_SIMILARITY_STEPS; step++) put_step(out, c, step, first, top);
    double width = ND_SIMILARITY_STEPS - first;
    int every = width > 60 ? 20 : width > 20 ? 10 : 5;
    for (int step = first; step <= ND_SIMILARITY_STEPS; step += every) {
        snprintf(number, sizeof number, "%.*f", every < 10 ? 2 : 1,
                 step / (double)ND_SIMILARITY_STEPS);
        put_below(out, (step - first) / width, number);
    }
    put_limit(out, (limit * ND_SIMILARITY_STEPS - first) / width, words);
}

/* ---- distances */

/* The place of one distance more is left empty, so that the line stands behind the last bar. */
void put_distances(FILE *out, const uint64_t *counts, uint32_t most, const char *words) {
    char number[32];
    uint64_t top = 1;
    double width = 100.0 / (most + 2);
    uint32_t every = most / 10 + 1;
    for (uint32_t i = 0; i <= most; i++)
        if (counts[i] > top) top = counts[i];
    top = round_up(top);
    put_count_axis(out, top);
    for (uint32_t i = 0; i <= most; i++) {
        double height = height_of(counts[i], top);
        if (counts[i] > 0)
            fprintf(out, "<rect class=own x=\"%.2f%%\" y=%.1f width=\"%.2f%%\" height=%.1f />\n",
                    width * (i + .1), PLOT_BOTTOM - height, width * .8, height);
        if (i % every == 0) put_below(out, width * (i + .5) / 100, number_grouped(i, number));
    }
    put_limit(out, width * (most + 1) / 100, words);
}

/* ---- the curve */

void put_curve(FILE *out, const nd_plan *plan, const char *threshold) {
    char number[16];
    double t = plan->threshold;
    for (int i = 0; i <= 4; i += 2) {
        snprintf(number, sizeof number, "%.1f", i / 4.0);
        put_grid(out, i / 4.0, number);
    }
    for (int i = 0; i <= 5; i++) {
        snprintf(number, sizeof number, "%.1f", i / 5.0);
        put_below(out, i / 5.0, number);
    }
    put_limit(out, t, threshold);
    fprintf(out,
            "<svg y=%d width=\"100%%\" height=%d viewBox=\"0 0 100 100\" "
            "preserveAspectRatio=none overflow=visible><path class=curve d=\"",
            PLOT_TOP, PLOT_HEIGHT);
    for (int i = 0; i <= 200; i++)
        fprintf(out, "%c%.1f %.2f", i ? 'L' : 'M', i / 2.0,
                100 - 100 * nd_plan_probability(plan, i / 200.0));
    fprintf(out, "\"/></svg><circle class=own cx=\"%.2f%%\" cy=%.1f r=5 />\n", 100 * t,
            PLOT_BOTTOM - PLOT_HEIGHT * nd_plan_probability(plan, t));
}

/* ---- groups */

/* The height of a count, as a share of the plot: one group is a visible bar. */
static double log_height(uint64_t count, uint64_t most) {
    return log10(2 * (double)count) / log10(2 * (double)most);
}

void put_group_sizes(FILE *out, const uint64_t groups[ND_GROUP_STEPS]) {
    char number[32];
    uint64_t most = 10;
    int steps = 4;
    for (int step = 0; step < ND_GROUP_STEPS; step++) {
        if (groups[step] == 0) continue;
        if (step >= steps) steps = step + 1;
        if (groups[step] > most) most = groups[step];
    }
    for (uint64_t line = 1; line <= most && line < UINT64_MAX / 10; line *= 10)
        put_grid(out, log_height(line, most), number_grouped(line, number));
    fprintf(out, "<line class=axis x2=\"100%%\" y1=%d y2=%d />\n", PLOT_BOTTOM, PLOT_BOTTOM);
    double width = 100.0 / steps;
    int every = (steps + 6) / 7;
    for (int step = 0; step < steps; step++) {
        double height = groups[step] ? log_height(groups[step], most) * PLOT_HEIGHT : 0;
        if (groups[step] > 0)
            fprintf(out, "<rect class=own x=\"%.2f%%\" y=%.1f width=\"%.2f%%\" height=%.1f />\n",
                    width * (step + .1), PLOT_BOTTOM - height, width * .8, height);
        if (step % every == 0)
            put_below(out, (step + .5) / steps, number_grouped(UINT64_C(1) << step, number));
    }
}
