/* neardup plan: bands and rows, or anchors, for a threshold and a recall. */
#include "commands/command_names.h"
#include "commands/result_command.h"
#include "flags/preset_flags.h"
#include "manual/chapters.h"
#include "output/complain.h"
#include "output/numbers.h"

#include <string.h>

enum { STEPS = 20, BAR = 40 };

typedef struct plan_settings {
    preset_settings preset;
    similarity_settings similarity;
    result_settings result;
} plan_settings;

static const flag_group groups[] = {FLAG_GROUP(plan_settings, preset, preset_flags),
                                    FLAG_GROUP(plan_settings, similarity, similarity_flags),
                                    FLAG_GROUP(plan_settings, similarity, set_measure_flags),
                                    FLAG_GROUP(plan_settings, result, result_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    plan_settings *s = settings;
    similarity_settings_init(&s->similarity);
}

static void settle(const flags_given *given, void *settings) {
    plan_settings *s = settings;
    preset_apply(&s->preset, given, &s->similarity, NULL);
}

/* A plan of either kind. */
typedef struct either_plan {
    nd_measure measure;
    nd_plan bands;          /* ND_MEASURE_JACCARD */
    nd_anchor_plan anchors; /* ND_MEASURE_CONTAINMENT */
    double threshold, recall;
} either_plan;

static double found_at(const either_plan *plan, double similarity) {
    return plan->measure == ND_MEASURE_JACCARD
               ? nd_plan_probability(&plan->bands, similarity)
               : nd_anchor_plan_probability(&plan->anchors, similarity);
}

/* Calls fn for the similarities 0, 0.05 ... 1 and the threshold, ascending, each once. */
static void for_each_similarity(FILE *out, const either_plan *plan,
                                void fn(FILE *, const either_plan *, double)) {
    bool threshold_done = false;
    for (int i = 0; i <= STEPS; i++) {
        double similarity = (double)i / STEPS;
        if (!threshold_done && plan->threshold <= similarity) {
            threshold_done = true;
            if (plan->threshold < similarity) fn(out, plan, plan->threshold);
        }
        fn(out, plan, similarity);
    }
}

static void table_row(FILE *out, const either_plan *plan, double similarity) {
    char number[40], bar[BAR + 1] = "";
    double found = found_at(plan, similarity), steps = similarity * STEPS;
    snprintf(number, sizeof number, steps == (int)steps ? "%.2f" : "%.6g", similarity);
    memset(bar, '#', (size_t)(found * BAR + .5));
    if (similarity == plan->threshold)
        fprintf(out, "%-12s%.8f  %-*s  <- threshold\n", number, found, BAR, bar);
    else fprintf(out, "%-12s%.8f%s%s\n", number, found, *bar ? "  " : "", bar);
}

static void json_row(FILE *out, const either_plan *plan, double similarity) {
    fprintf(out, "%s{\"similarity\":", similarity > 0 ? "," : "");
    print_exact(out, similarity);
    fprintf(out, ",\"found\":%.9f}", found_at(plan, similarity));
}

/* A few more permutations may allow one more row per band, and so fewer comparisons. */
static void print_advice(FILE *out, const nd_plan *plan) {
    if (plan->bands == 1) return;
    nd_plan other;
    for (uint32_t perms = plan->perms + 1; perms <= plan->perms + plan->perms / 4; perms++) {
        if (nd_plan_choose(plan->threshold, plan->recall, perms, &other, NULL) != ND_OK ||
            other.rows <= plan->rows)
            continue;
        fprintf(out, "with --perms %u: %u x %u, fewer comparisons\n", (unsigned)perms,
                (unsigned)other.bands, (unsigned)other.rows);
        return;
    }
}

static void print_table(FILE *out, const either_plan *plan) {
    const nd_plan *b = &plan->bands;
    bool by_bands = plan->measure == ND_MEASURE_JACCARD;
    if (by_bands)
        fprintf(out, "%u band%s x %u row%s, %u of %u permutations\n", (unsigned)b->bands,
                b->bands == 1 ? "" : "s", (unsigned)b->rows, b->rows == 1 ? "" : "s",
                (unsigned)(b->bands * b->rows), (unsigned)b->perms);
    else
        fprintf(out, "%u anchors of a document, %u found make a candidate\n",
                (unsigned)plan->anchors.anchors, (unsigned)plan->anchors.least);
    fprintf(out, "P(found at %.15g) %s %.8f, wanted %.15g\n", plan->threshold,
            by_bands ? "=" : ">=", found_at(plan, plan->threshold), plan->recall);
    if (by_bands) print_advice(out, b);
    fprintf(out, "\n%-12sP(found)\n", by_bands ? "similarity" : "containment");
    for_each_similarity(out, plan, table_row);
}

static void print_json(FILE *out, const either_plan *plan) {
    fprintf(out, "{\"version\":\"%s\",\"command\":\"plan\"", nd_version());
    if (plan->measure == ND_MEASURE_JACCARD)
        fprintf(out, ",\"bands\":%u,\"rows\":%u,\"perms\":%u", (unsigned)plan->bands.bands,
                (unsigned)plan->bands.rows, (unsigned)plan->bands.perms);
    else
        fprintf(out, ",\"anchors\":%u,\"least_anchors\":%u", (unsigned)plan->anchors.anchors,
                (unsigned)plan->anchors.least);
    fprintf(out, ",\"threshold\":");
    print_exact(out, plan->threshold);
    fprintf(out, ",\"recall\":");
    print_exact(out, plan->recall);
    fprintf(out, ",\"found_at_threshold\":%.9f,\"curve\":[", found_at(plan, plan->threshold));
    for_each_similarity(out, plan, json_row);
    fprintf(out, "]}\n");
}

static int run(const invocation *call) {
    const plan_settings *s = call->settings;
    either_plan plan = {.measure = s->similarity.measure,
                        .threshold = s->similarity.threshold,
                        .recall = s->similarity.recall};
    results r;
    if (!preset_agrees(&s->preset, plan.measure, ND_SKETCH_MINHASH)) return EXIT_USAGE;
    if (!similarity_flags_agree(call->given, &s->similarity) ||
        !(plan.measure == ND_MEASURE_JACCARD ? similarity_plan(&s->similarity, &plan.bands)
                                             : similarity_anchors(&s->similarity, &plan.anchors)))
        return EXIT_USAGE;
    if (*s->preset.line) fprintf(stderr, "%s\n", s->preset.line);
    if (!result_open(&r, &s->result)) return EXIT_FAILED;
    (s->result.json ? print_json : print_table)(r.out, &plan);
    return result_close(&r);
}

static const char result_chapter[] =
    "Two documents of similarity s are compared if all rows of at least one band are equal. The "
    "probability of that is 1 - (1 - s^rows)^bands. The plan has the most rows, and so the fewest "
    "comparisons, with which the probability reaches --recall at --threshold. The table lists the "
    "probability for all similarities in steps of 0.05 and for the threshold. --json has the "
    "members bands, rows, perms, threshold, recall, found_at_threshold and curve, a list of "
    "objects with similarity and found.\n\n"
    "With --measure containment a document has anchors, which are a random sample of its shingles. "
    "It is compared with each text that has at least the given number of them. Of the share s of "
    "its shingles in the text, the probability is that of so many successes in as many trials, or "
    "higher; it is 1 from --threshold on if the document has fewer shingles than anchors. --json "
    "has anchors and least_anchors instead of bands, rows and perms.";

static const char plan_exit_chapter[] =
    "0: done. 1: it failed, and the message says why. 2: the command line is wrong, or no plan "
    "reaches the recall.";

static const chapter chapters[] = {
    {"RESULT", result_chapter}, {"EXIT STATUS", plan_exit_chapter}, {NULL, NULL}};

const command plan_command = {
    .name = "plan",
    .summary = "bands and rows for a threshold and a recall, and P(found | similarity)",
    .description = "Shows how dedup and pairs find candidates, and with which probability they "
                   "find a pair.",
    .examples = "neardup plan --threshold .8 --recall .999\n"
                "neardup plan --threshold .5 --perms 256 --json\n"
                "neardup plan --measure containment --threshold .7\n",
    .chapters = chapters,
    .groups = groups,
    .settings_size = sizeof(plan_settings),
    .init = init,
    .settle = settle,
    .run = run,
};
