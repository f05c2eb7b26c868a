/* neardup index info: the settings, the size and the content of an index. */
#include "commands/command_names.h"
#include "commands/index_command.h"
#include "commands/info_command.h"
#include "manual/chapters.h"
#include "output/complain.h"
#include "output/numbers.h"

static const char *analyzer_name(const nd_index_info *info) {
    static const char *const names[] = {
        [ND_WORDS] = "words", [ND_CHARS] = "chars", [ND_SEGMENT] = "segment"};
    return names[info->options->analyzer->kind];
}

static bool has_hashes(const nd_index_info *info) {
    return info->options->content == ND_CONTENT_HASHES;
}

static const char *store_name(const nd_index_info *info) {
    return has_hashes(info) ? "hashes" : info->options->sketch_only ? "sketch" : "exact";
}

/* Of an index that keeps hashes. */
static const char *identity_name(const nd_index_info *info) {
    static const char *const names[] = {
        [ND_EQUAL_BYTES] = "bytes", [ND_EQUAL_TEXT] = "text", [ND_EQUAL_TOKENS] = "tokens"};
    return names[info->options->by];
}

static double bytes_per_document(const nd_index_info *info) {
    return info->documents ? (double)info->bytes / (double)info->documents : 0;
}

/* ---- lines */

static void print_similarity(FILE *out, const nd_index_info *info) {
    const nd_plan *plan = &info->plan;
    const nd_index_options *made = info->options;
    fprintf(out, "%-16s%.15g\n%-16s%.15g\n", "threshold", made->threshold, "recall", made->recall);
    fprintf(out, "%-16s%u bands x %u rows of %u permutations, P(found at %.15g) = %.6f\n", "plan",
            (unsigned)plan->bands, (unsigned)plan->rows, (unsigned)plan->perms, plan->threshold,
            nd_plan_probability(plan, plan->threshold));
    fprintf(out, "%-16s%u %s, seed %llu\n", "shingles", (unsigned)made->analyzer->ngram,
            analyzer_name(info), (unsigned long long)made->analyzer->seed);
    fprintf(out, "%-16s%s\n", "store",
            made->sketch_only ? "sketch, similarities are estimates" : "exact");
}

static void print_identity(FILE *out, const nd_index_info *info) {
    fprintf(out, "%-16s%s\n", "identical by", identity_name(info));
    if (info->options->by == ND_EQUAL_TOKENS)
        fprintf(out, "%-16s%s, seed %llu\n", "tokens", analyzer_name(info),
                (unsigned long long)info->options->analyzer->seed);
    fprintf(out, "%-16s%s\n", "store", store_name(info));
}

static void print_lines(FILE *out, const nd_index_info *info) {
    char remark[80], number[32];
    index_print_count(out, "documents", info->documents, "");
    index_print_count(out, "removed", info->removed, info->removed ? "that still take space" : "");
    snprintf(remark, sizeof remark, "and %s documents in the log",
             number_grouped(info->log_documents, number));
    index_print_count(out, "segments", info->segments, remark);
    snprintf(remark, sizeof remark, "%s per document",
             number_grouped((uint64_t)(bytes_per_document(info) + .5), number));
    index_print_count(out, "bytes", info->bytes, remark);
    index_print_count(out, "generation", info->generation, "");
    (has_hashes(info) ? print_identity : print_similarity)(out, info);
    fprintf(out, "%-16s%u, Unicode %s\n", "format", (unsigned)info->format, ND_UNICODE_VERSION);
}

/* ---- JSON */

static void put_similarity(FILE *out, const nd_index_info *info) {
    const nd_index_options *made = info->options;
    fprintf(out, "\"threshold\":");
    print_exact(out, made->threshold);
    fprintf(out, ",\"recall\":");
    print_exact(out, made->recall);
    fprintf(out,
            ",\"bands\":%u,\"rows\":%u,\"perms\":%u,\"found_at_threshold\":%.9f,"
            "\"analyzer\":\"%s\",\"ngram\":%u,\"seed\":%llu,",
            (unsigned)info->plan.bands, (unsigned)info->plan.rows, (unsigned)made->perms,
            nd_plan_probability(&info->plan, info->plan.threshold), analyzer_name(info),
            (unsigned)made->analyzer->ngram, (unsigned long long)made->analyzer->seed);
}

static void put_identity(FILE *out, const nd_index_info *info) {
    fprintf(out, "\"by\":\"%s\",", identity_name(info));
    if (info->options->by == ND_EQUAL_TOKENS)
        fprintf(out, "\"analyzer\":\"%s\",\"seed\":%llu,", analyzer_name(info),
                (unsigned long long)info->options->analyzer->seed);
}

static void print_json(FILE *out, const nd_index_info *info) {
    fprintf(out,
            "{\"version\":\"%s\",\"command\":\"index "
            "info\",\"documents\":%llu,\"removed\":%llu,\"segments\":%llu,\"log_documents\":%llu,",
            nd_version(), (unsigned long long)info->documents, (unsigned long long)info->removed,
            (unsigned long long)info->segments, (unsigned long long)info->log_documents);
    fprintf(out, "\"bytes\":%llu,\"bytes_a_document\":%.1f,\"generation\":%llu,",
            (unsigned long long)info->bytes, bytes_per_document(info),
            (unsigned long long)info->generation);
    (has_hashes(info) ? put_identity : put_similarity)(out, info);
    fprintf(out, "\"store\":\"%s\",\"format\":%u,\"unicode\":\"%s\"}\n", store_name(info),
            (unsigned)info->format, ND_UNICODE_VERSION);
}

/* info_printer */
static void print_info(FILE *out, const open_index *index, bool json) {
    nd_index_info info = {.struct_size = sizeof info};
    nd_error error;
    if (nd_index_describe(index->documents, &info, &error) != ND_OK) complain("%s", error.message);
    else (json ? print_json : print_lines)(out, &info);
}

static int run(const invocation *call) { return index_info_run(call, print_info); }

static const char result_chapter[] =
    "documents: how many can be found. removed: how many removed ones still take space, until a "
    "merge. segments: immutable parts; documents added since the last segment are in the log. "
    "bytes: size of all files. generation: counts the states of the index; it grows with each "
    "change that makes a segment. The other lines are the settings with which the index was "
    "created, and the versions of its format and of the Unicode tables that split its texts.\n\n"
    "An index of neardup exact says instead of a threshold and a plan by which of bytes, text and "
    "tokens its documents are identical.\n\n"
    "--json has the members documents, removed, segments, log_documents, bytes, bytes_a_document, "
    "generation, threshold, recall, bands, rows, perms, found_at_threshold, analyzer, ngram, seed, "
    "store, format and unicode; of an index of neardup exact by stands in place of all from "
    "threshold to seed, with --by tokens before analyzer and seed.";

static const chapter chapters[] = {
    {"RESULT", result_chapter}, {"EXIT STATUS", read_exit_chapter}, {NULL, NULL}};

const command index_info_command = {
    .name = "index info",
    .operands = "DIR",
    .operand = OPERAND_DIRECTORY,
    .operands_least = 1,
    .operands_most = 1,
    .missing = index_missing,
    .summary = "settings, plan and size of an index",
    .description = "Says how the index DIR was created, how many documents it holds, and how many "
                   "bytes it takes.",
    .examples = "neardup index info seen\n"
                "neardup index info seen --json\n",
    .chapters = chapters,
    .groups = info_groups,
    .settings_size = sizeof(info_settings),
    .run = run,
};
