/* neardup plan: bands and rows for a threshold and a recall. */
#include "commands/command_names.h"
#include "commands/result_command.h"
#include "flags/similarity_flags.h"
#include "manual/chapters.h"
#include "output/complain.h"
#include "output/numbers.h"

#include <string.h>

enum { STEPS = 20, BAR = 40 };

typedef struct plan_settings {
    similarity_settings similarity;
    result_settings result;
} plan_settings;

static const flag_group groups[] = {FLAG_GROUP(plan_settings, similarity, similarity_flags),
                                    FLAG_GROUP(plan_settings, result, result_flags), HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    plan_settings *s = settings;
    similarity_settings_init(&s->similarity);
}

/* Calls fn for the similarities 0, 0.05 ... 1 and the threshold, ascending, each once. */
static void for_each_similarity(FILE *out, const nd_plan *plan,
                                void fn(FILE *, const nd_plan *, double)) {
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

static void table_row(FILE *out, const nd_plan *plan, double similarity) {
    char number[40], bar[BAR + 1] = "";
    double found = nd_plan_probability(plan, similarity), steps = similarity * STEPS;
    snprintf(number, sizeof number, steps == (int)steps ? "%.2f" : "%.6g", similarity);
    memset(bar, '#', (size_t)(found * BAR + .5));
    if (similarity == plan->threshold)
        fprintf(out, "%-12s%.8f  %-*s  <- threshold\n", number, found, BAR, bar);
    else fprintf(out, "%-12s%.8f%s%s\n", number, found, *bar ? "  " : "", bar);
}

static void json_row(FILE *out, const nd_plan *plan, double similarity) {
    fprintf(out, "%s{\"similarity\":", similarity > 0 ? "," : "");
    print_exact(out, similarity);
    fprintf(out, ",\"found\":%.9f}", nd_plan_probability(plan, similarity));
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

static void print_table(FILE *out, const nd_plan *plan) {
    fprintf(out, "%u band%s x %u row%s, %u of %u permutations\n", (unsigned)plan->bands,
            plan->bands == 1 ? "" : "s", (unsigned)plan->rows, plan->rows == 1 ? "" : "s",
            (unsigned)(plan->bands * plan->rows), (unsigned)plan->perms);
    fprintf(out, "P(found at %.15g) = %.8f, wanted %.15g\n", plan->threshold,
            nd_plan_probability(plan, plan->threshold), plan->recall);
    print_advice(out, plan);
    fprintf(out, "\n");
    fprintf(out, "similarity  P(found)\n");
    for_each_similarity(out, plan, table_row);
}

static void print_json(FILE *out, const nd_plan *plan) {
    fprintf(out,
            "{\"version\":\"%s\",\"command\":\"plan\",\"bands\":%u,\"rows\":%u,\"perms\":%u,"
            "\"threshold\":",
            nd_version(), (unsigned)plan->bands, (unsigned)plan->rows, (unsigned)plan->perms);
    print_exact(out, plan->threshold);
    fprintf(out, ",\"recall\":");
    print_exact(out, plan->recall);
    fprintf(out, ",\"found_at_threshold\":%.9f,\"curve\":[",
            nd_plan_probability(plan, plan->threshold));
    for_each_similarity(out, plan, json_row);
    fprintf(out, "]}\n");
}

static int run(const invocation *call) {
    const plan_settings *s = call->settings;
    nd_plan plan;
    results r;
    if (!similarity_plan(&s->similarity, &plan)) return EXIT_USAGE;
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
    "objects with similarity and found.";

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
                "neardup plan --threshold .5 --perms 256 --json\n",
    .chapters = chapters,
    .groups = groups,
    .settings_size = sizeof(plan_settings),
    .init = init,
    .run = run,
};
