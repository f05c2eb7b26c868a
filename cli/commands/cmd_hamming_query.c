/* neardup hamming query: the fingerprints of an index near those of a file. */
#include "commands/command_names.h"
#include "commands/hamming_command.h"
#include "commands/index_command.h"
#include "commands/job_command.h"
#include "flags/resource_flags.h"
#include "manual/chapters.h"
#include "output/complain.h"
#include "output/escape.h"
#include "output/results.h"

#include <string.h>

typedef struct match_choice_settings {
    bool any, nearest, count;
    uint64_t limit; /* 0: none */
} match_choice_settings;

typedef struct hamming_query_settings {
    result_settings result;
    binary_settings binary;
    match_choice_settings choice;
    report_settings report;
    fingerprint_settings fingerprint;
    resource_settings resources;
} hamming_query_settings;

static const flag binary_list[] = {
    {.name = "binary",
     .kind = FLAG_SWITCH,
     .offset = offsetof(binary_settings, binary),
     .help = "write the results as numbers of 8 bytes, little-endian, without a header; each "
             "result is query (its position in the file), id and distance, or query and count; ids "
             "must be numbers"},
};
static const flag choice_list[] = {
    {.name = "any",
     .kind = FLAG_SWITCH,
     .offset = offsetof(match_choice_settings, any),
     .help = "find one near fingerprint, the first that the search meets; with --limit so many"},
    {.name = "nearest",
     .kind = FLAG_SWITCH,
     .offset = offsetof(match_choice_settings, nearest),
     .help = "find the nearest fingerprint; with --limit so many"},
    {.name = "count",
     .kind = FLAG_SWITCH,
     .offset = offsetof(match_choice_settings, count),
     .help = "count the near fingerprints instead of listing them; a count of 0 is listed, too"},
    {.name = "limit",
     .kind = FLAG_NUMBER,
     .argument = "N",
     .low = 1,
     .high = UINT64_MAX,
     .offset = offsetof(match_choice_settings, limit),
     .fallback = "none; 1 with --any and --nearest",
     .help = "most results per query; without --nearest the first ones that the search meets"},
};
static const flag k_list[] = {
    K_FLAG("the k of the index", "; with a larger one than the index has, each query is compared "
                                 "with all fingerprints, which takes longer"),
};
static const flag_table binary_flags = FLAG_TABLE("Output", binary_list);
static const flag_table choice_flags = FLAG_TABLE("Output", choice_list);
static const flag_table k_flags = FLAG_TABLE("Fingerprints", k_list);

static const flag_group groups[] = {FLAG_GROUP(hamming_query_settings, result, result_flags),
                                    FLAG_GROUP(hamming_query_settings, binary, binary_flags),
                                    FLAG_GROUP(hamming_query_settings, choice, choice_flags),
                                    FLAG_GROUP(hamming_query_settings, report, report_flags),
                                    FLAG_GROUP(hamming_query_settings, fingerprint, format_flags),
                                    FLAG_GROUP(hamming_query_settings, fingerprint, k_flags),
                                    FLAG_GROUP(hamming_query_settings, resources, threads_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    hamming_query_settings *s = settings;
    fingerprint_settings_init(&s->fingerprint);
    resource_settings_init(&s->resources);
}

/* ---- results */

static void print_count_binary(FILE *out, const nd_hamming_answer *answer) {
    hamming_put_binary(out, (const uint64_t[]){answer->query, answer->count}, 2);
}

static void print_count_row(FILE *out, const nd_hamming_answer *answer) {
    print_table_text(out, answer->id, answer->id_length);
    fprintf(out, "\t%llu\n", (unsigned long long)answer->count);
}

static void print_count_object(FILE *out, const nd_hamming_answer *answer) {
    fputs("{\"query\":", out);
    print_json_text(out, answer->id, answer->id_length);
    fprintf(out, ",\"count\":%llu}\n", (unsigned long long)answer->count);
}

static void print_matches_binary(FILE *out, const nd_hamming_answer *answer) {
    for (uint64_t i = 0; i < answer->count; i++) {
        const nd_hamming_match *match = &answer->matches[i];
        hamming_put_binary(out, (const uint64_t[]){answer->query, match->number, match->distance},
                           3);
    }
}

static void print_match_rows(FILE *out, const nd_hamming_answer *answer) {
    for (uint64_t i = 0; i < answer->count; i++) {
        const nd_hamming_match *match = &answer->matches[i];
        print_table_text(out, answer->id, answer->id_length);
        putc('\t', out);
        print_table_text(out, match->id, match->id_length);
        fprintf(out, "\t%u\n", (unsigned)match->distance);
    }
}

static void print_match_objects(FILE *out, const nd_hamming_answer *answer) {
    for (uint64_t i = 0; i < answer->count; i++) {
        const nd_hamming_match *match = &answer->matches[i];
        fputs("{\"query\":", out);
        print_json_text(out, answer->id, answer->id_length);
        fputs(",\"id\":", out);
        print_json_text(out, match->id, match->id_length);
        fprintf(out, ",\"distance\":%u}\n", (unsigned)match->distance);
    }
}

typedef void answer_printer(FILE *out, const nd_hamming_answer *answer);

static answer_printer *printer_of(const hamming_query_settings *s) {
    if (s->choice.count)
        return s->binary.binary ? print_count_binary
               : s->result.json ? print_count_object
                                : print_count_row;
    return s->binary.binary ? print_matches_binary
           : s->result.json ? print_match_objects
                            : print_match_rows;
}

static const char *header_of(const hamming_query_settings *s) {
    if (s->binary.binary || s->result.json) return NULL;
    return s->choice.count ? "query\tcount\n" : "query\tid\tdistance\n";
}

typedef struct printer {
    answer_printer *print;
    results results;
} printer;

/* nd_hamming_answer_fn; `context` is the printer. */
static bool print_answer(void *context, const nd_hamming_answer *answer) {
    printer *p = context;
    results_begin(&p->results);
    p->print(p->results.out, answer);
    return results_go_on(&p->results);
}

/* ---- the search */

static nd_find_kind kind_of(const match_choice_settings *s) {
    return s->count             ? ND_FIND_COUNT
           : s->nearest         ? ND_FIND_NEAREST
           : s->any || s->limit ? ND_FIND_ANY
                                : ND_FIND_ALL;
}

/* Microseconds in which one thread compares a query with all fingerprints of an index, as neardup
 * hamming plan estimates them; 0: not known. */
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

/* Warns that a k for which the index was not made costs time. */
static void warn_of_cost(const char *directory, const nd_index_info *info, uint32_t k) {
    char counted[48], time[48] = "less than 0.01";
    double ms = scan_time(info, k) / 1000;
    if (ms >= 0.01) snprintf(time, sizeof time, "about %.*f", ms < 10 ? 2 : 0, ms);
    complain("warning: %s: made for k = %u: with k = %u each query is compared with all of %s, %s "
             "ms each; neardup hamming create with -k %u makes an "
             "index that is faster",
             directory, (unsigned)info->hamming.k, (unsigned)k,
             index_counted(info, info->documents, counted), time, (unsigned)k);
}

static nd_status search(command_job *j, nd_index *index, printer *p, nd_job_summary *summary,
                        nd_error *error) {
    const hamming_query_settings *s = j->call->settings;
    const char *directory = j->call->operands[0];
    const nd_fingerprint_source source = hamming_source(&s->fingerprint, j->inputs[0]);
    nd_index_info info;
    nd_index_describe(index, &info);
    if (s->binary.binary && info.hamming.bits && !info.hamming.numbered && !s->choice.count) {
        snprintf(error->message, sizeof error->message, "%s: --binary: its ids are not numbers",
                 directory);
        return ND_ERR_ARGUMENT;
    }
    uint32_t k = fingerprint_k(&s->fingerprint, info.hamming.k);
    if (k > info.hamming.k && k <= info.hamming.bits / 4) warn_of_cost(directory, &info, k);
    return nd_hamming_query(index, &source, k, kind_of(&s->choice),
                            s->choice.limit ? s->choice.limit : 1, &j->options, print_answer, p,
                            summary, error);
}

/* job_fn */
static nd_status query(command_job *j, nd_job_summary *summary, nd_error *error) {
    const hamming_query_settings *s = j->call->settings;
    printer p = {.print = printer_of(s)};
    nd_index *index;
    nd_status status = nd_index_open(j->call->operands[0], ND_INDEX_READ, NULL, &index, error);
    if (status != ND_OK) return status;
    status = results_open(&p.results, j->output, header_of(s), error);
    if (status == ND_OK)
        status = results_close(&p.results, search(j, index, &p, summary, error), error);
    nd_index_close(index);
    return status;
}

static int run(const invocation *call) {
    const hamming_query_settings *s = call->settings;
    if (s->choice.any + s->choice.nearest + s->choice.count > 1) {
        complain("--any, --nearest and --count: only one of them");
        return EXIT_USAGE;
    }
    if (s->choice.count && s->choice.limit) {
        complain("--limit: not with --count, which counts all");
        return EXIT_USAGE;
    }
    if (!binary_agrees(&s->binary, s->result.json)) return EXIT_USAGE;
    command_job j = {.call = call,
                     .run = query,
                     .report = &s->report,
                     .inputs = call->operands + 1,
                     .input_count = call->count - 1,
                     .output = s->result.output ? s->result.output : "-",
                     .result_file = true};
    nd_job_options_init(&j.options);
    resource_settings_apply(&s->resources, &j.options);
    return job_run(&j);
}

/* ---- the manual */

static const char result_chapter[] =
    "The index is searched for each fingerprint of the file; it does not change. The table has a "
    "line for each stored fingerprint within K bits: query (the id in the file, or the position), "
    "id (in the index), distance; the nearest first, equally near ones in the order in which they "
    "were added. Queries are in the order of the file. With --count there is one line per query: "
    "query, count. With --json each line is an object with the same members.\n\n"
    "If -k is larger than the k of the index, each query is compared with all fingerprints. A line "
    "on stderr says what that costs.";

static const chapter chapters[] = {{"FINGERPRINTS", fingerprint_file_chapter},
                                   {"RESULT", result_chapter},
                                   {"TABLES", tsv_chapter},
                                   {"EXIT STATUS", printed_exit_chapter},
                                   {NULL, NULL}};

const command hamming_query_command = {
    .name = "hamming query",
    .operands = "DIR FINGERPRINTS",
    .operand = OPERAND_PATH,
    .operands_least = 2,
    .operands_most = 2,
    .missing = hamming_missing,
    .summary = "for each fingerprint of a file the near ones of the index",
    .description = "Finds for each fingerprint of a file all fingerprints of the index DIR that "
                   "differ from it in at most K bits.",
    .examples = "neardup simhash today.jsonl | neardup hamming query prints - > near.tsv\n"
                "neardup hamming query prints today.tsv -k 2 --nearest --json\n"
                "neardup hamming query numbers crawl.u64 --format u64 --binary -o nearest.bin\n",
    .chapters = chapters,
    .summary_of = SUMMARY_FIND,
    .groups = groups,
    .settings_size = sizeof(hamming_query_settings),
    .init = init,
    .run = run,
};
