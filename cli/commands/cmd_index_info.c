/* neardup index info: what an index is and holds. */
#include "output/complain.h"
#include "commands/index_command.h"
#include "output/numbers.h"

static const flag output_flags[] = {
    {.name = "json",
     .kind = FLAG_SWITCH,
     .offset = SETTING(json),
     .help = "one JSON object instead of the lines"},
};

static const flag_group output_group = FLAG_GROUP("Output", output_flags);
static const flag_group *const groups[] = {&output_group, &help_group, NULL};

static const char *analyzer_name(const nd_index_info *info) {
    static const char *const names[] = {
        [ND_WORDS] = "words", [ND_CHARS] = "chars", [ND_SEGMENT] = "segment"};
    return names[info->options.analyzer];
}
static const char *store_name(const nd_index_info *info) {
    return info->options.sketch_only ? "sketch" : "exact";
}
static double bytes_a_document(const nd_index_info *info) {
    return info->documents ? (double)info->bytes / (double)info->documents : 0;
}

static void count_line(const char *label, uint64_t count, const char *remark) {
    char number[32];
    printf("%-16s%15s%s%s\n", label, number_grouped(count, number), *remark ? "  " : "", remark);
}

static void print_lines(const nd_index_info *info) {
    char remark[80], number[32];
    const nd_plan *plan = &info->plan;
    const nd_index_options *made = &info->options;
    count_line("documents", info->documents, "");
    count_line("removed", info->removed, info->removed ? "that still take room" : "");
    snprintf(remark, sizeof remark, "and %s documents in the log",
             number_grouped(info->log_documents, number));
    count_line("segments", info->segments, remark);
    snprintf(remark, sizeof remark, "%s a document",
             number_grouped((uint64_t)(bytes_a_document(info) + .5), number));
    count_line("bytes", info->bytes, remark);
    count_line("generation", info->generation, "");
    printf("%-16s%.15g\n%-16s%.15g\n", "threshold", made->threshold, "recall", made->recall);
    printf("%-16s%u bands x %u rows of %u permutations, P(found at %.15g) = %.6f\n", "plan",
           (unsigned)plan->bands, (unsigned)plan->rows, (unsigned)plan->perms, plan->threshold,
           nd_plan_probability(plan, plan->threshold));
    printf("%-16s%u %s, seed %llu\n", "shingles", (unsigned)made->ngram, analyzer_name(info),
           (unsigned long long)made->seed);
    printf("%-16s%s\n", "store",
           made->sketch_only ? "sketch, similarities are estimates" : "exact");
    printf("%-16s%u, Unicode %s\n", "format", (unsigned)info->format, ND_UNICODE_VERSION);
}

static void print_json(const nd_index_info *info) {
    const nd_index_options *made = &info->options;
    printf("{\"version\":\"%s\",\"command\":\"index "
           "info\",\"documents\":%llu,\"removed\":%llu,\"segments\":%llu,\"log_documents\":%llu,",
           nd_version(), (unsigned long long)info->documents, (unsigned long long)info->removed,
           (unsigned long long)info->segments, (unsigned long long)info->log_documents);
    printf("\"bytes\":%llu,\"bytes_a_document\":%.1f,\"generation\":%llu,\"threshold\":",
           (unsigned long long)info->bytes, bytes_a_document(info),
           (unsigned long long)info->generation);
    print_exact(stdout, made->threshold);
    printf(",\"recall\":");
    print_exact(stdout, made->recall);
    printf(",\"bands\":%u,\"rows\":%u,\"perms\":%u,\"found_at_threshold\":%.9f,",
           (unsigned)info->plan.bands, (unsigned)info->plan.rows, (unsigned)made->perms,
           nd_plan_probability(&info->plan, info->plan.threshold));
    printf("\"analyzer\":\"%s\",\"ngram\":%u,\"seed\":%llu,\"store\":\"%s\",\"format\":%u,"
           "\"unicode\":\"%s\"}\n",
           analyzer_name(info), (unsigned)made->ngram, (unsigned long long)made->seed,
           store_name(info), (unsigned)info->format, ND_UNICODE_VERSION);
}

static int info_run(const command *self, settings *given, int count, char **operands) {
    (void)count;
    nd_index_info info;
    nd_index *index = index_open(self, operands[0], ND_INDEX_READ, &info);
    if (!index) return EXIT_FAILED;
    nd_index_close(index);
    if (given->json) print_json(&info);
    else print_lines(&info);
    return EXIT_DONE;
}

static const char result_chapter[] =
    "documents: those that can be found. removed: those that still take room, until they are "
    "merged away. segments: sealed parts; what has come since "
    "the last one is in the log. bytes: of all files. generation: counts the states of the index; "
    "it is higher after each change that makes a "
    "segment. Then the settings with which the index was created, and the versions of its format "
    "and of the Unicode tables behind its tokens. --json "
    "has the members documents, removed, segments, log_documents, bytes, bytes_a_document, "
    "generation, threshold, recall, bands, rows, perms, "
    "found_at_threshold, analyzer, ngram, seed, store, format and unicode.";

static const chapter chapters[] = {
    {"RESULT", result_chapter}, {"EXIT STATUS", index_exit_chapter}, {NULL, NULL}};

const command index_info_command = {
    .name = "index info",
    .operands = "DIR",
    .operand = OPERAND_DIRECTORY,
    .operands_least = 1,
    .operands_most = 1,
    .missing = index_missing,
    .summary = "settings, plan, and how much is in it",
    .description = "Says how the index DIR was made, what it holds, and how many bytes it takes.",
    .groups = groups,
    .chapters = chapters,
    .run = info_run,
};
