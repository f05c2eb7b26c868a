/* neardup hamming info: what an index of fingerprints is and holds. */
#include "output/complain.h"
#include "commands/hamming_command.h"
#include "output/numbers.h"

static const flag output_flags[] = {
    {.name = "json",
     .kind = FLAG_SWITCH,
     .offset = SETTING(json),
     .help = "one JSON object instead of the lines"},
};

static const flag_group output_group = FLAG_GROUP("Output", output_flags);
static const flag_group *const groups[] = {&output_group, &help_group, NULL};

/* Of a fingerprint that is there. */
static double share(const nd_index_info *info, uint64_t bytes) {
    uint64_t count = info->documents + info->removed;
    return count ? (double)bytes / (double)count : 0;
}

static void count_line(const char *label, uint64_t count, const char *remark) {
    char number[32];
    printf("%-16s%15s%s%s\n", label, number_grouped(count, number), *remark ? "  " : "", remark);
}

static void bytes_line(const nd_index_info *info, const char *label, uint64_t bytes) {
    char remark[64];
    snprintf(remark, sizeof remark, "%.2f a fingerprint", share(info, bytes));
    count_line(label, bytes, remark);
}

static void print_lines(const nd_index_info *info) {
    char remark[80], number[32];
    count_line("fingerprints", info->documents, "");
    count_line("removed", info->removed, info->removed ? "that still take room" : "");
    snprintf(remark, sizeof remark, "and %s fingerprints in the log",
             number_grouped(info->log_documents, number));
    count_line("segments", info->segments, remark);
    bytes_line(info, "bytes", info->bytes);
    bytes_line(info, "  tables", info->table_bytes);
    bytes_line(info, "  places", info->place_bytes);
    count_line("generation", info->generation, "");
    printf("%-16s%u\n%-16s%u\n", "bits", (unsigned)info->hamming.bits, "k",
           (unsigned)info->hamming.k);
    printf("%-16s%s\n", "ids", info->hamming.numbered ? "numbers" : "texts");
    if (*info->design) printf("%-16s%s\n", "design", info->design);
    if (info->hamming.memory)
        printf("%-16s%s bytes for the tables\n", "memory",
               number_grouped(info->hamming.memory, number));
    printf("%-16s%u\n", "format", (unsigned)info->format);
}

static void print_json(const nd_index_info *info) {
    printf("{\"version\":\"%s\",\"command\":\"hamming "
           "info\",\"fingerprints\":%llu,\"removed\":%llu,\"segments\":%llu,\"log_fingerprints\":%"
           "llu,",
           nd_version(), (unsigned long long)info->documents, (unsigned long long)info->removed,
           (unsigned long long)info->segments, (unsigned long long)info->log_documents);
    printf("\"bytes\":%llu,\"table_bytes\":%llu,\"place_bytes\":%llu,\"generation\":%llu,\"bits\":%"
           "u,\"k\":%u,",
           (unsigned long long)info->bytes, (unsigned long long)info->table_bytes,
           (unsigned long long)info->place_bytes, (unsigned long long)info->generation,
           (unsigned)info->hamming.bits, (unsigned)info->hamming.k);
    printf("\"ids\":\"%s\",\"design\":\"%s\",\"memory\":%llu,\"format\":%u}\n",
           info->hamming.numbered ? "numbers" : "texts", info->design,
           (unsigned long long)info->hamming.memory, (unsigned)info->format);
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
    "fingerprints: those that can be found. removed: those that still take room, until they are "
    "merged away. segments: sealed parts, each with its tables; what has come since the "
    "last one is in the log. bytes: of all files; tables: of these what queries look into; places: "
    "what leads from a fingerprint to its ids. generation: counts the states of the "
    "index. Then its settings, the design of its largest segment's tables, and the version of its "
    "format. --json has the members fingerprints, removed, segments, log_fingerprints, "
    "bytes, table_bytes, place_bytes, generation, bits, k, ids, design, memory and format.";

static const chapter chapters[] = {
    {"RESULT", result_chapter}, {"EXIT STATUS", index_exit_chapter}, {NULL, NULL}};

const command hamming_info_command = {
    .name = "hamming info",
    .operands = "DIR",
    .operand = OPERAND_DIRECTORY,
    .operands_least = 1,
    .operands_most = 1,
    .missing = index_missing,
    .summary = "settings, design, and how much is in it",
    .description = "Says how the index DIR was made, what it holds, and how many bytes it takes.",
    .groups = groups,
    .chapters = chapters,
    .run = info_run,
};
