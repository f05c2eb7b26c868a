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

static nd_hamming_kind kind_of(const match_choice_settings *s) {
    return s->count             ? ND_HAMMING_COUNT
           : s->nearest         ? ND_HAMMING_NEAREST
           : s->any || s->limit ? ND_HAMMING_ANY
                                : ND_HAMMING_ALL;
}

/* Microseconds in which one thread compares a query with all fingerprints of an index, as neardup
 * hamming plan estimates them; 0: not known. */
static double scan_time(const nd_hamming_info *info, uint32_t k) {
    nd_hamming_estimate list[ND_HAMMING_ESTIMATES];
    size_t count = 0;
    nd_error error;
    nd_hamming_plan_options plan;
    nd_hamming_plan_options_init(&plan, sizeof plan);
    plan.fingerprints = info->fingerprints > 0 ? (double)info->fingerprints : 1;
    plan.bits = info->options->bits;
    plan.k = k;
    if (nd_hamming_plan(&plan, list, &count, &error) != ND_OK) return 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, "scan") == 0) return list[i].microseconds;
    return 0;
}

/* Warns that a k for which the index was not made costs time. */
static void warn_of_cost(const char *directory, const nd_hamming_info *info, uint32_t k) {
    char counted[48], time[48] = "less than 0.01";
    double ms = scan_time(info, k) / 1000;
    if (ms >= 0.01) snprintf(time, sizeof time, "about %.*f", ms < 10 ? 2 : 0, ms);
    complain("warning: %s: made for k = %u: with k = %u each query is compared with all of %s, %s "
             "ms each; neardup hamming create with -k %u makes an "
             "index that is faster",
             directory, (unsigned)info->options->k, (unsigned)k,
             index_counted("fingerprint", info->fingerprints, counted), time, (unsigned)k);
}

static nd_status run_queries(command_job *j, nd_hamming_index *index, printer *p,
                             nd_job_summary *summary, nd_error *error) {
    const hamming_query_settings *s = j->call->settings;
    const char *directory = j->call->operands[0];
    const nd_fingerprint_source source = hamming_source(&s->fingerprint, j->inputs[0]);
    nd_hamming_info info = {.struct_size = sizeof info};
    nd_status status = nd_hamming_describe(index, &info, error);
    if (status != ND_OK) return status;
    if (s->binary.binary && !info.options->numbered && !s->choice.count) {
        snprintf(error->message, sizeof error->message, "%s: --binary: its ids are not numbers",
                 directory);
        return ND_ERR_ARGUMENT;
    }
    uint32_t k = fingerprint_k(&s->fingerprint, info.options->k);
    if (k > info.options->k && k <= info.options->bits / 4) warn_of_cost(directory, &info, k);
    const nd_hamming_search_options search = {.struct_size = sizeof search,
                                              .k = k,
                                              .kind = kind_of(&s->choice),
                                              .limit = s->choice.limit ? s->choice.limit : 1};
    const nd_hamming_query_options options = {.struct_size = sizeof options,
                                              .source = &source,
                                              .search = &search,
                                              .resources = &j->resources};
    return nd_hamming_query(index, &options, print_answer, p, summary, error);
}

/* job_fn */
static nd_status query(command_job *j, nd_job_summary *summary, nd_error *error) {
    const hamming_query_settings *s = j->call->settings;
    printer p = {.print = printer_of(s)};
    nd_hamming_index *index;
    nd_status status = nd_hamming_open(j->call->operands[0], ND_INDEX_READ, NULL, &index, error);
    if (status != ND_OK) return status;
    status = results_open(&p.results, j->output, header_of(s), error);
    if (status == ND_OK)
        status = results_close(&p.results, run_queries(j, index, &p, summary, error), error);
    nd_hamming_close(index);
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
    j.resources = resources_of(&s->resources);
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
