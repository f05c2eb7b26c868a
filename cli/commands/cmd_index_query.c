/* neardup index query: the duplicates of documents in an index. */
#include "commands/command_names.h"
#include "commands/index_command.h"
#include "commands/job_command.h"
#include "flags/input_flags.h"
#include "flags/resource_flags.h"
#include "flags/sketch_flags.h"
#include "manual/chapters.h"
#include "output/complain.h"
#include "output/escape.h"
#include "output/results.h"

#include <limits.h>
#include <string.h>

typedef struct match_list_settings {
    bool all, best, all_queries;
} match_list_settings;

typedef struct index_query_settings {
    result_settings result;
    match_list_settings list;
    report_settings report;
    input_settings input;
    sketch_settings sketch; /* only its max_compare has a flag here */
    resource_settings resources;
} index_query_settings;

static const flag list_list[] = {
    {.name = "all",
     .kind = FLAG_SWITCH,
     .offset = offsetof(match_list_settings, all),
     .help = "list all duplicates of a document, the most similar first; this is the default"},
    {.name = "best",
     .kind = FLAG_SWITCH,
     .offset = offsetof(match_list_settings, best),
     .help = "list only the most similar duplicate"},
    {.name = "all-queries",
     .kind = FLAG_SWITCH,
     .offset = offsetof(match_list_settings, all_queries),
     .help = "also list documents without a duplicate; in the table their columns match and "
             "jaccard are empty"},
};
static const flag_table list_flags = FLAG_TABLE("Output", list_list);

static const flag_group groups[] = {FLAG_GROUP(index_query_settings, result, result_flags),
                                    FLAG_GROUP(index_query_settings, list, list_flags),
                                    FLAG_GROUP(index_query_settings, report, report_flags),
                                    FLAG_GROUP(index_query_settings, input, input_flags),
                                    FLAG_GROUP(index_query_settings, sketch, bound_flags),
                                    FLAG_GROUP(index_query_settings, resources, threads_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    index_query_settings *s = settings;
    input_settings_init(&s->input);
    sketch_settings_init(&s->sketch);
    resource_settings_init(&s->resources);
}

static void print_rows(FILE *out, const nd_answer *answer) {
    for (size_t i = 0; i == 0 || i < answer->count; i++) {
        print_table_text(out, answer->id, answer->id_length);
        putc('\t', out);
        if (answer->count) {
            print_table_text(out, answer->matches[i].id, answer->matches[i].id_length);
            fprintf(out, "\t%.6f\t", answer->matches[i].jaccard);
        } else {
            fputs("\t\t", out);
        }
        print_table_text(out, answer->source, strlen(answer->source));
        fprintf(out, "\t%llu\n", (unsigned long long)answer->line);
    }
}

static void print_object(FILE *out, const nd_answer *answer) {
    fputs("{\"id\":", out);
    print_json_text(out, answer->id, answer->id_length);
    fputs(",\"matches\":[", out);
    for (size_t i = 0; i < answer->count; i++) {
        const nd_match *match = &answer->matches[i];
        fputs(i ? ",{\"id\":" : "{\"id\":", out);
        print_json_text(out, match->id, match->id_length);
        fprintf(out, ",\"jaccard\":%.6f", match->jaccard);
        if (match->estimated) fputs(",\"estimated\":true}", out);
        else
            fprintf(out, ",\"intersection\":%llu,\"union\":%llu}",
                    (unsigned long long)match->intersection, (unsigned long long)match->set_union);
    }
    fputs("],\"source\":", out);
    print_json_text(out, answer->source, strlen(answer->source));
    fprintf(out, ",\"line\":%llu", (unsigned long long)answer->line);
    if (answer->left_out) fprintf(out, ",\"left_out\":%llu", (unsigned long long)answer->left_out);
    fputs("}\n", out);
}

typedef struct printer {
    const index_query_settings *settings;
    results results;
} printer;

/* nd_answer_fn; `context` is the printer. */
static bool print_answer(void *context, const nd_answer *answer) {
    printer *p = context;
    results_begin(&p->results);
    if (answer->count || p->settings->list.all_queries)
        (p->settings->result.json ? print_object : print_rows)(p->results.out, answer);
    return results_go_on(&p->results);
}

/* job_fn */
static nd_status query(command_job *j, nd_job_summary *summary, nd_error *error) {
    const index_query_settings *s = j->call->settings;
    printer p = {.settings = s};
    nd_index *index;
    nd_status status = nd_index_open(j->call->operands[0], ND_INDEX_READ, NULL, &index, error);
    if (status != ND_OK) return status;
    status = results_open(&p.results, j->output,
                          s->result.json ? NULL : "id\tmatch\tjaccard\tsource\tline\n", error);
    if (status == ND_OK) {
        const nd_index_query_options options = {.struct_size = sizeof options,
                                                .input = &j->input,
                                                .kind = s->list.best ? ND_SEARCH_BEST
                                                                     : ND_SEARCH_ALL,
                                                .max_compare = s->sketch.max_compare,
                                                .resources = &j->resources};
        status = nd_index_query(index, &options, print_answer, &p, summary, error);
        status = results_close(&p.results, status, error);
    }
    nd_index_close(index);
    return status;
}

static int run(const invocation *call) {
    const index_query_settings *s = call->settings;
    if (s->list.all && s->list.best) {
        complain("--all and --best: only one of them");
        return EXIT_USAGE;
    }
    command_job j = {.call = call,
                     .run = query,
                     .report = &s->report,
                     .inputs = call->operands + 1,
                     .input_count = call->count - 1,
                     .output = s->result.output ? s->result.output : "-",
                     .result_file = true,
                     .max_compare = s->sketch.max_compare};
    j.input = input_options_of(&s->input);
    j.resources = resources_of(&s->resources);
    return job_run(&j);
}

static const char result_chapter[] =
    "Each document of the input is compared with the index only, not with the other documents. The "
    "index does not change. The duplicates of a document are the indexed documents at or above the "
    "threshold of the index, the most similar first, equally similar ones in the order in which "
    "they were added. The table has a line for each duplicate: id, match (the id in the index), "
    "jaccard, and the file and line of the document. Documents are in the order of input; "
    "documents without a duplicate are left out "
    "unless --all-queries is given.\n\n"
    "With --json each document is an object with id and matches, a list of objects with id, "
    "jaccard, intersection and union (numbers of shingles), and source and line. In an index with "
    "--store sketch these "
    "objects have id, jaccard and estimated, which is true. Where --max-compare left comparisons "
    "out, left_out says how many.";

static const chapter chapters[] = {{"INPUT", input_chapter},
                                   {"RESULT", result_chapter},
                                   {"TABLES", tsv_chapter},
                                   {"EXIT STATUS", printed_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {NULL, NULL}};

const command index_query_command = {
    .name = "index query",
    .operands = "DIR INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 2,
    .operands_most = INT_MAX,
    .missing = index_inputs_missing,
    .summary = "for each document its duplicates in the index",
    .description = "Reads the same inputs as neardup dedup and writes, for each document, its "
                   "duplicates in the index DIR and how similar they are.",
    .examples = "neardup index query seen tuesday.jsonl --best > known.tsv\n"
                "neardup index query seen notes --all-queries --json --quiet\n",
    .chapters = chapters,
    .summary_of = SUMMARY_QUERY,
    .groups = groups,
    .settings_size = sizeof(index_query_settings),
    .init = init,
    .run = run,
};
