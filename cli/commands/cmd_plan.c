/* neardup plan: bands and rows for a threshold and a recall, and what they find. */
#include "output/complain.h"
#include "commands/job_command.h"
#include "output/numbers.h"

#include <string.h>

enum { STEPS = 20, BAR = 40 };

static const flag output_flags[] = {
    {.name = "json",
     .kind = FLAG_SWITCH,
     .offset = SETTING(json),
     .help = "one JSON object instead of the table"},
};

static const flag_group output_group = FLAG_GROUP("Output", output_flags);
static const flag_group *const groups[] = {&similarity_group, &output_group, &help_group, NULL};

/* Calls fn for the similarities 0, 0.05 ... 1 and the threshold, ascending, each once. */
static void for_each_similarity(const nd_plan *plan, void fn(const nd_plan *, double)) {
    bool threshold_done = false;
    for (int i = 0; i <= STEPS; i++) {
        double similarity = (double)i / STEPS;
        if (!threshold_done && plan->threshold <= similarity) {
            threshold_done = true;
            if (plan->threshold < similarity) fn(plan, plan->threshold);
        }
        fn(plan, similarity);
    }
}

static void table_row(const nd_plan *plan, double similarity) {
    char number[40], bar[BAR + 1] = "";
    double found = nd_plan_probability(plan, similarity), steps = similarity * STEPS;
    snprintf(number, sizeof number, steps == (int)steps ? "%.2f" : "%.6g", similarity);
    memset(bar, '#', (size_t)(found * BAR + .5));
    if (similarity == plan->threshold)
        printf("%-12s%.8f  %-*s  <- threshold\n", number, found, BAR, bar);
    else printf("%-12s%.8f%s%s\n", number, found, *bar ? "  " : "", bar);
}

static void json_row(const nd_plan *plan, double similarity) {
    printf("%s{\"similarity\":", similarity > 0 ? "," : "");
    print_exact(stdout, similarity);
    printf(",\"found\":%.9f}", nd_plan_probability(plan, similarity));
}

/* A few more permutations may allow another row a band, and so fewer comparisons. */
static void print_advice(const nd_plan *plan) {
    if (plan->bands == 1) return;
    nd_plan other;
    for (uint32_t perms = plan->perms + 1; perms <= plan->perms + plan->perms / 4; perms++) {
        if (nd_plan_choose(plan->threshold, plan->recall, perms, &other, NULL) != ND_OK ||
            other.rows <= plan->rows)
            continue;
        printf("with --perms %u: %u x %u, fewer comparisons\n", (unsigned)perms,
               (unsigned)other.bands, (unsigned)other.rows);
        return;
    }
}

static void print_table(const nd_plan *plan) {
    printf("%u band%s x %u row%s, %u of %u permutations\n", (unsigned)plan->bands,
           plan->bands == 1 ? "" : "s", (unsigned)plan->rows, plan->rows == 1 ? "" : "s",
           (unsigned)(plan->bands * plan->rows), (unsigned)plan->perms);
    printf("P(found at %.15g) = %.8f, wanted %.15g\n", plan->threshold,
           nd_plan_probability(plan, plan->threshold), plan->recall);
    print_advice(plan);
    printf("\n");
    printf("similarity  P(found)\n");
    for_each_similarity(plan, table_row);
}

static void print_json(const nd_plan *plan) {
    printf("{\"version\":\"%s\",\"command\":\"plan\",\"bands\":%u,\"rows\":%u,\"perms\":%u,"
           "\"threshold\":",
           nd_version(), (unsigned)plan->bands, (unsigned)plan->rows, (unsigned)plan->perms);
    print_exact(stdout, plan->threshold);
    printf(",\"recall\":");
    print_exact(stdout, plan->recall);
    printf(",\"found_at_threshold\":%.9f,\"curve\":[", nd_plan_probability(plan, plan->threshold));
    for_each_similarity(plan, json_row);
    printf("]}\n");
}

static int plan_run(const command *self, settings *given, int count, char **operands) {
    (void)self, (void)count, (void)operands;
    nd_plan plan;
    nd_error error;
    if (nd_plan_choose(given->job.threshold, given->job.recall, given->job.perms, &plan, &error) !=
        ND_OK) {
        complain("%s", error.message);
        return EXIT_USAGE;
    }
    if (given->json) print_json(&plan);
    else print_table(&plan);
    return EXIT_DONE;
}

static const char result_chapter[] =
    "Two documents of similarity s are compared when all rows of at least one band agree, which "
    "happens with probability 1 - (1 - "
    "s^rows)^bands. The plan has the most rows, and so the fewest comparisons, for which that "
    "reaches --recall at --threshold. The table "
    "gives it for all similarities in steps of 0.05 and for the threshold; --json has the members "
    "bands, rows, perms, threshold, recall, "
    "found_at_threshold and curve, a list of objects with similarity and found.";

static const char example_chapter[] = "  neardup plan --threshold .8 --recall .999\n"
                                      "  neardup plan --threshold .5 --perms 256 --json";

static const char plan_exit_chapter[] =
    "0: done. 2: the command line is wrong, or no plan reaches the recall.";

static const chapter chapters[] = {{"RESULT", result_chapter},
                                   {"EXIT STATUS", plan_exit_chapter},
                                   {"EXAMPLES", example_chapter},
                                   {NULL, NULL}};

const command plan_command = {
    .name = "plan",
    .summary = "bands and rows for a threshold and a recall, and P(found | similarity)",
    .description = "Shows how dedup and pairs would look for candidates, and with which "
                   "probability they find a pair.",
    .groups = groups,
    .chapters = chapters,
    .run = plan_run,
};
