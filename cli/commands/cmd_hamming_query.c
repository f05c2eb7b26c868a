/* neardup hamming query: the fingerprints of an index within k of others. */
#include "output/answers.h"
#include "output/complain.h"
#include "output/escape.h"
#include "commands/hamming_command.h"

#include <string.h>

static const flag output_flags[] = {
    {.name = "any",
     .kind = FLAG_SWITCH,
     .offset = SETTING(any),
     .help = "one that is within k, whichever is met first; with --limit so many"},
    {.name = "nearest",
     .kind = FLAG_SWITCH,
     .offset = SETTING(nearest),
     .help = "the nearest one; with --limit so many"},
    {.name = "count",
     .kind = FLAG_SWITCH,
     .offset = SETTING(counted),
     .help = "how many there are, instead of which; 0 is listed, too"},
    {.name = "limit",
     .kind = FLAG_NUMBER,
     .argument = "N",
     .low = 1,
     .high = UINT64_MAX,
     .offset = SETTING(limit),
     .fallback = "none, with --any and --nearest 1",
     .help = "at most so many for each query; without --nearest those that are met first"},
    {.name = "binary",
     .kind = FLAG_SWITCH,
     .offset = SETTING(binary),
     .help = "numbers of 8 bytes, little-endian, without a header: query (its position in the "
             "file), id and distance, or query and count; ids must be "
             "numbers"},
};

static const flag search_flags[] = {
    K_FLAG("that of the index", "the largest distance; above that of the index each query is "
                                "compared with all, which takes longer"),
};

static const flag_group output_group = FLAG_GROUP("Output", output_flags);
static const flag_group search_group = FLAG_GROUP("Search", search_flags);
static const flag_group *const groups[] = {&output_group,         &report_group, &quiet_group,
                                           &hamming_format_group, &search_group, &threads_group,
                                           &help_group,           NULL};

typedef struct teller {
    const settings *given;
    answers table;
} teller;

static void print_count(const nd_hamming_answer *answer, bool binary) {
    if (binary) {
        hamming_put_binary((const uint64_t[]){answer->query, answer->count}, 2);
        return;
    }
    print_table_text(stdout, answer->id, answer->id_length);
    printf("\t%llu\n", (unsigned long long)answer->count);
}

static void print_matches(const nd_hamming_answer *answer, bool binary) {
    for (uint64_t i = 0; i < answer->count; i++) {
        const nd_hamming_match *match = &answer->matches[i];
        if (binary) {
            hamming_put_binary((const uint64_t[]){answer->query, match->number, match->distance},
                               3);
            continue;
        }
        print_table_text(stdout, answer->id, answer->id_length);
        putchar('\t');
        print_table_text(stdout, match->id, match->id_length);
        printf("\t%u\n", (unsigned)match->distance);
    }
}

/* nd_hamming_answer_fn; `context` is the teller. */
static bool tell(void *context, const nd_hamming_answer *answer) {
    teller *t = context;
    answers_begin(&t->table);
    if (t->given->counted) print_count(answer, t->given->binary);
    else print_matches(answer, t->given->binary);
    return answers_go_on(&t->table);
}

static nd_find_kind kind_of(const settings *given) {
    return given->counted               ? ND_FIND_COUNT
           : given->nearest             ? ND_FIND_NEAREST
           : given->any || given->limit ? ND_FIND_ANY
                                        : ND_FIND_ALL;
}

/* Microseconds in which one thread compares a query with all of an index, as neardup hamming plan
 * has them; 0: not known. */
static double scan_time(const nd_index_info *info, uint32_t k) {
    nd_hamming_estimate list[ND_HAMMING_ESTIMATES];
    size_t count = 0;
    nd_error error;
    double n = info->documents > 0 ? (double)info->documents : 1;
    if (nd_hamming_plan(n, info->hamming.bits, k, 0, NULL, list, &count, &error) != ND_OK) return 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, "scan") == 0) return list[i].microseconds;
    return 0;
}

/* What a k costs for which the index was not made. */
static void tell_cost(const char *directory, const nd_index_info *info, uint32_t k) {
    char counted[48], time[48] = "less than 0.01";
    double ms = scan_time(info, k) / 1000;
    if (ms >= 0.01) snprintf(time, sizeof time, "about %.*f", ms < 10 ? 2 : 0, ms);
    complain("warning: %s: made for k = %u: with k = %u each query is compared with all of %s, %s "
             "ms each; neardup hamming build with --k %u makes an "
             "index that is faster",
             directory, (unsigned)info->hamming.k, (unsigned)k,
             index_counted(info, info->documents, counted), time, (unsigned)k);
}

static nd_status search(const settings *given, nd_index *index, teller *t, nd_job_summary *summary,
                        nd_error *error) {
    nd_index_info info;
    nd_index_describe(index, &info);
    if (given->binary && info.hamming.bits && !info.hamming.numbered && !given->counted) {
        snprintf(error->message, sizeof error->message, "%s: --binary: its ids are no numbers",
                 given->job.index);
        return ND_ERR_ARGUMENT;
    }
    uint32_t k = given->k == UINT32_MAX ? info.hamming.k : given->k;
    if (k > info.hamming.k && k <= info.hamming.bits / 4) tell_cost(given->job.index, &info, k);
    return nd_hamming_query(index, &given->fingerprints, k, kind_of(given),
                            given->limit ? given->limit : 1, &given->job, tell, t, summary, error);
}

static nd_status query(const settings *given, nd_job_summary *summary, nd_error *error) {
    nd_index *index;
    nd_status status = nd_index_open(given->job.index, ND_INDEX_READ, NULL, &index, error);
    if (status != ND_OK) return status;
    teller t = {.given = given};
    if (!given->binary)
        t.table.header = given->counted ? "query\tcount\n" : "query\tid\tdistance\n";
    status = search(given, index, &t, summary, error);
    nd_index_close(index);
    return answers_end(&t.table, status, error);
}

static int query_run(const command *self, settings *given, int count, char **operands) {
    if (given->any + given->nearest + given->counted > 1) {
        complain("--any, --nearest and --count: only one of them");
        return EXIT_USAGE;
    }
    if (given->counted && given->limit) {
        complain("--limit: not with --count, which looks for all");
        return EXIT_USAGE;
    }
    hamming_take_file(given, operands[1]);
    given->job.index = operands[0];
    return job_run(self, given, count - 1, operands + 1, "-", query);
}

static const char result_chapter[] =
    "Each fingerprint of the file is looked for in the index, which is not changed. The table has "
    "a line for each that is within k bits of it: query (the id in the file, or the "
    "position), id (in the index), distance; the nearest first, equally near ones in the order in "
    "which they were added. Queries come in the order of the file. With --count there is "
    "one line for each query: query, count.\n\n"
    "A -k above that of the index is answered, too, by comparing each query with all fingerprints; "
    "a line on stderr says what that costs.";

static const char query_exit_chapter[] =
    "0: done. 1: it failed, and the message says why; the answers written until then stand. 2: the "
    "command line is wrong.";

static const char example_chapter[] =
    "  neardup simhash today.jsonl | neardup hamming query seen - > near.tsv\n"
    "  neardup hamming query prints crawl.u64 --format u64 -k 2 --nearest --binary > nearest.bin";

static const chapter chapters[] = {{"FINGERPRINTS", hamming_file_chapter},
                                   {"RESULT", result_chapter},
                                   {"EXIT STATUS", query_exit_chapter},
                                   {"EXAMPLES", example_chapter},
                                   {NULL, NULL}};

const command hamming_query_command = {
    .name = "hamming query",
    .operands = "DIR FINGERPRINTS",
    .operand = OPERAND_PATH,
    .operands_least = 2,
    .operands_most = 2,
    .missing = hamming_missing,
    .summary = "for each fingerprint of a file those of the index within k bits",
    .description = "Finds for each fingerprint of a file all fingerprints of the index DIR that "
                   "differ from it in at most k bits.",
    .groups = groups,
    .chapters = chapters,
    .summary_of = SUMMARY_FIND,
    .run = query_run,
};
