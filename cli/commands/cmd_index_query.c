/* neardup index query: the duplicates that documents have in an index. */
#include "output/answers.h"
#include "output/complain.h"
#include "output/escape.h"
#include "commands/index_command.h"

#include <limits.h>

static const flag output_flags[] = {
    {.name = "all",
     .kind = FLAG_SWITCH,
     .offset = SETTING(all),
     .help = "every duplicate, the most similar first; this is the default"},
    {.name = "best",
     .kind = FLAG_SWITCH,
     .offset = SETTING(best),
     .help = "the most similar one only"},
    {.name = "all-queries",
     .kind = FLAG_SWITCH,
     .offset = SETTING(all_queries),
     .help = "documents without a duplicate are listed, too; in the table with match and jaccard "
             "left empty"},
    {.name = "json",
     .kind = FLAG_SWITCH,
     .offset = SETTING(answers_json),
     .help = "one JSON object a document and line instead of the table"},
};

static const flag_group output_group = FLAG_GROUP("Output", output_flags);
static const flag_group *const groups[] = {&output_group,  &quiet_group, &input_group, &bound_group,
                                           &threads_group, &help_group,  NULL};

static void print_rows(const nd_answer *answer) {
    for (size_t i = 0; i == 0 || i < answer->count; i++) {
        print_table_text(stdout, answer->id, answer->id_length);
        putchar('\t');
        if (answer->count) {
            print_table_text(stdout, answer->matches[i].id, answer->matches[i].id_length);
            printf("\t%.6f\n", answer->matches[i].jaccard);
        } else {
            fputs("\t\n", stdout);
        }
    }
}

static void print_object(const nd_answer *answer) {
    fputs("{\"id\":", stdout);
    print_json_text(stdout, answer->id, answer->id_length);
    fputs(",\"matches\":[", stdout);
    for (size_t i = 0; i < answer->count; i++) {
        const nd_match *match = &answer->matches[i];
        fputs(i ? ",{\"id\":" : "{\"id\":", stdout);
        print_json_text(stdout, match->id, match->id_length);
        printf(",\"jaccard\":%.6f", match->jaccard);
        if (match->estimated) fputs(",\"estimated\":true}", stdout);
        else
            printf(",\"intersection\":%llu,\"union\":%llu}",
                   (unsigned long long)match->intersection, (unsigned long long)match->set_union);
    }
    putchar(']');
    if (answer->left_out) printf(",\"left_out\":%llu", (unsigned long long)answer->left_out);
    fputs("}\n", stdout);
}

typedef struct teller {
    const settings *given;
    answers table;
} teller;

/* nd_answer_fn; `context` is the teller. */
static bool tell(void *context, const nd_answer *answer) {
    teller *t = context;
    answers_begin(&t->table);
    if (answer->count || t->given->all_queries) {
        if (t->given->answers_json) print_object(answer);
        else print_rows(answer);
    }
    return answers_go_on(&t->table);
}

static nd_status query(const settings *given, nd_job_summary *summary, nd_error *error) {
    nd_index *index;
    nd_status status = nd_index_open(given->job.index, ND_INDEX_READ, NULL, &index, error);
    if (status != ND_OK) return status;
    teller t = {.given = given,
                .table = {.header = given->answers_json ? NULL : "id\tmatch\tjaccard\n"}};
    status = nd_query(index, &given->job, given->best ? ND_SEARCH_BEST : ND_SEARCH_ALL, tell, &t,
                      summary, error);
    nd_index_close(index);
    return answers_end(&t.table, status, error);
}

static int query_run(const command *self, settings *given, int count, char **operands) {
    if (given->all && given->best) {
        complain("--all and --best: only one of them");
        return EXIT_USAGE;
    }
    given->job.index = operands[0];
    return job_run(self, given, count - 1, operands + 1, "-", query);
}

static const char result_chapter[] =
    "Each document of the input is compared with the index alone, not with the others, and nothing "
    "is changed. Its duplicates are the documents of "
    "the index at or above the threshold of the index, the most similar first, equally similar "
    "ones in the order in which they were added. The "
    "table has a line for each: id, match (the id in the index), jaccard. Documents come in the "
    "order of input, those without a duplicate are left "
    "out unless --all-queries is given.\n\n"
    "With --json a line is an object with id and matches, a list of objects with id, jaccard, "
    "intersection and union (numbers of shingles); in an "
    "index made with --store sketch with id, jaccard and estimated, which is true. Where "
    "--max-compare left comparisons out, left_out says how "
    "many.";

static const char query_exit_chapter[] =
    "0: done. 1: it failed, and the message says why; the answers written until then stand. 2: the "
    "command line is wrong.";

static const char example_chapter[] =
    "  neardup index query seen tuesday.jsonl --best > known.tsv\n"
    "  neardup index query seen ~/notes --all-queries --json --quiet";

static const chapter chapters[] = {{"INPUT", input_chapter},
                                   {"RESULT", result_chapter},
                                   {"TABLES", tsv_chapter},
                                   {"EXIT STATUS", query_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {"EXAMPLES", example_chapter},
                                   {NULL, NULL}};

const command index_query_command = {
    .name = "index query",
    .operands = "DIR INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 2,
    .operands_most = INT_MAX,
    .missing = index_inputs_missing,
    .summary = "for each document its duplicates in the index",
    .description = "Reads what neardup dedup reads and writes, for each document, which ones of "
                   "the index DIR it duplicates and how similar they are.",
    .groups = groups,
    .chapters = chapters,
    .summary_of = SUMMARY_QUERY,
    .run = query_run,
};
