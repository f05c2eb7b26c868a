/* neardup hamming info: the settings, the size and the content of an index of fingerprints. */
#include "commands/command_names.h"
#include "commands/index_command.h"
#include "commands/info_command.h"
#include "manual/chapters.h"
#include "output/complain.h"
#include "output/numbers.h"

/* Bytes per fingerprint, counting removed ones that still take space. */
static double bytes_each(const nd_hamming_info *info, uint64_t bytes) {
    uint64_t count = info->fingerprints + info->removed;
    return count ? (double)bytes / (double)count : 0;
}

static void bytes_line(FILE *out, const nd_hamming_info *info, const char *label, uint64_t bytes) {
    char remark[64];
    snprintf(remark, sizeof remark, "%.2f per fingerprint", bytes_each(info, bytes));
    index_print_count(out, label, bytes, remark);
}

static void print_lines(FILE *out, const nd_hamming_info *info) {
    char remark[80], number[32];
    index_print_count(out, "fingerprints", info->fingerprints, "");
    index_print_count(out, "removed", info->removed, info->removed ? "that still take space" : "");
    snprintf(remark, sizeof remark, "and %s fingerprints in the log",
             number_grouped(info->log_fingerprints, number));
    index_print_count(out, "segments", info->segments, remark);
    bytes_line(out, info, "bytes", info->bytes);
    bytes_line(out, info, "  tables", info->table_bytes);
    bytes_line(out, info, "  postings", info->posting_bytes);
    index_print_count(out, "generation", info->generation, "");
    fprintf(out, "%-16s%u\n%-16s%u\n", "bits", (unsigned)info->options->bits, "k",
            (unsigned)info->options->k);
    fprintf(out, "%-16s%s\n", "ids", info->options->numbered ? "numbers" : "texts");
    if (*info->design) fprintf(out, "%-16s%s\n", "design", info->design);
    if (info->options->memory)
        fprintf(out, "%-16s%s bytes for the tables\n", "memory",
                number_grouped(info->options->memory, number));
    fprintf(out, "%-16s%u\n", "format", (unsigned)info->format);
}

static void print_json(FILE *out, const nd_hamming_info *info) {
    fprintf(out,
            "{\"version\":\"%s\",\"command\":\"hamming "
            "info\",\"fingerprints\":%llu,\"removed\":%llu,\"segments\":%llu,\"log_fingerprints\":%"
            "llu,",
            nd_version(), (unsigned long long)info->fingerprints, (unsigned long long)info->removed,
            (unsigned long long)info->segments, (unsigned long long)info->log_fingerprints);
    fprintf(
        out,
        "\"bytes\":%llu,\"table_bytes\":%llu,\"posting_bytes\":%llu,\"generation\":%llu,\"bits\":%"
        "u,\"k\":%u,",
        (unsigned long long)info->bytes, (unsigned long long)info->table_bytes,
        (unsigned long long)info->posting_bytes, (unsigned long long)info->generation,
        (unsigned)info->options->bits, (unsigned)info->options->k);
    fprintf(out, "\"ids\":\"%s\",\"design\":\"%s\",\"memory\":%llu,\"format\":%u}\n",
            info->options->numbered ? "numbers" : "texts", info->design,
            (unsigned long long)info->options->memory, (unsigned)info->format);
}

/* info_printer */
static void print_info(FILE *out, const open_index *index, bool json) {
    nd_hamming_info info = {.struct_size = sizeof info};
    nd_error error;
    if (nd_hamming_describe(index->fingerprints, &info, &error) != ND_OK)
        complain("%s", error.message);
    else (json ? print_json : print_lines)(out, &info);
}

static int run(const invocation *call) { return index_info_run(call, print_info); }

static const char result_chapter[] =
    "fingerprints: how many can be found. removed: how many removed ones still take space, until a "
    "merge. segments: immutable parts, each with its own tables; fingerprints added since the last "
    "segment are in the log. bytes: size of all files. tables: the bytes that queries read. "
    "postings: the bytes that lead from a fingerprint to its ids. generation: counts the states of "
    "the index. The other lines are its settings, the design of the tables of its largest segment, "
    "and the version of its format.\n\n"
    "--json has the members fingerprints, removed, segments, log_fingerprints, bytes, table_bytes, "
    "posting_bytes, generation, bits, k, ids, design, memory (the limit of --tables) and format.";

static const chapter chapters[] = {
    {"RESULT", result_chapter}, {"EXIT STATUS", read_exit_chapter}, {NULL, NULL}};

const command hamming_info_command = {
    .name = "hamming info",
    .operands = "DIR",
    .operand = OPERAND_DIRECTORY,
    .operands_least = 1,
    .operands_most = 1,
    .missing = index_missing,
    .summary = "settings, design and size of an index",
    .description = "Says how the index DIR was created, how many fingerprints it holds, and how "
                   "many bytes it takes.",
    .examples = "neardup hamming info prints\n"
                "neardup hamming info prints --json\n",
    .chapters = chapters,
    .groups = info_groups,
    .settings_size = sizeof(info_settings),
    .run = run,
};
