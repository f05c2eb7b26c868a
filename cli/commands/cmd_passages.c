/* neardup passages: where documents copy from which others. */
#include "output/answers.h"
#include "output/complain.h"
#include "output/escape.h"
#include "commands/job_command.h"
#include "flags/text_flags.h"

#include <limits.h>
#include <string.h>

static const flag output_flags[] = {
    {.name = "json",
     .kind = FLAG_SWITCH,
     .offset = SETTING(answers_json),
     .help =
         "one JSON object a passage and line instead of the table, with the texts of both sides"},
};

static const flag source_flags[] = {
    {.name = "in",
     .kind = FLAG_INPUT,
     .argument = "SOURCE",
     .offset = SETTING(passages.source),
     .help = "what may have been copied from; a file of JSON Lines, a directory of texts, an index "
             "(neardup index), or - for standard input; read once, of any size"},
};

static const flag passage_flags[] = {
    {.name = "min",
     .kind = FLAG_COUNT,
     .argument = "N",
     .low = 1,
     .high = UINT32_MAX,
     .offset = SETTING(passages.least_run),
     .help = "tokens that a shared run must have"},
    {.name = "gap",
     .kind = FLAG_COUNT,
     .argument = "N",
     .high = UINT32_MAX,
     .offset = SETTING(passages.gap),
     .help = "most tokens between two runs that are one passage, in either text"},
};

static const flag_group output_group = FLAG_GROUP("Output", output_flags);
static const flag_group source_group = FLAG_GROUP("Input", source_flags);
static const flag_group passage_group = FLAG_GROUP("Comparison", passage_flags);
static const flag_group *const groups[] = {
    &output_group,  &quiet_group, &source_group,  &input_group, &token_group, &seed_group,
    &passage_group, &space_group, &threads_group, &help_group,  NULL};

static const char query_chapter[] =
    "A QUERY is what neardup-dedup(1) reads: a file of JSON Lines, or a directory with one "
    "document a file; gzip and Zstandard are known by their first bytes; - is standard input. "
    "Several are read in the order "
    "given; directories and files of JSON Lines do not mix. SOURCE is one such input, of either "
    "kind, or the directory of an index of documents (see INDEXES). Ids may occur more than once. "
    "A document that is in both is found in itself.";

static const char result_chapter[] =
    "A query and a document of SOURCE share a passage where a run of at least --min tokens of the "
    "query is also in the document: at a place of the query the longest that begins there, of "
    "equally long ones the first in the "
    "document. The search goes on behind it, or, where there is none, at the next token. Runs that "
    "follow each other in both texts with at most --gap tokens between them are one passage; its "
    "tokens are those in common. Case, "
    "punctuation and spacing make no difference. Passages that several documents have are told of "
    "each.\n\n"
    "The table has a line for each passage: query, source (ids), tokens, query_begin, query_end, "
    "source_begin, source_end. Places are counted in bytes of the text from 0, the end being "
    "behind the last. Lines are in the order of the "
    "queries, then of the places in a query, then of SOURCE.\n\n"
    "With --json a line is an object with query, source, tokens, query_begin, query_end, "
    "source_begin, source_end, query_text and source_text.";

static const char index_chapter[] =
    "An index, as neardup-index(1) and neardup dedup --index make it, keeps no texts, but of each "
    "document the set of its shingles, runs of --ngram tokens. So it is searched for all that went "
    "into it and was not removed, in one "
    "pass over these sets. A passage is then the longest run of at least --min tokens of the query "
    "of which each shingle stands in the document: that they follow each other there, and where, "
    "the index does not tell. "
    "What the texts would give is all in it, but a run may be longer than it is in the document, "
    "and two passages of a query may have tokens in common. --gap is of the query alone. "
    "source_begin and "
    "source_end are left empty in the table; with --json these two and source_text are not "
    "there.\n\n"
    "--analyzer and --seed must be those that the index was made with. --min must be at least its "
    "--ngram, for a shorter run is in no shingle: with 5 and --min 8 four shingles that follow "
    "each other make a passage. With --min "
    "equal to --ngram one does, and out of 2^40 pairs of different shingles one is taken for the "
    "same. An index made with --store sketch has no shingles, and is refused.";

static const char memory_chapter[] =
    "The queries are kept in memory, 76 bytes a token, and with --json 2 for each of their bytes, "
    "for which half of --memory must do; and so are the passages, 100 bytes each, for which a "
    "quarter must. SOURCE is not; a document of it takes, while it is looked at, 200 bytes for "
    "each token that it shares.";

static const char passages_exit_chapter[] =
    "0: done. 1: it failed, and the message says why; lines written until then stand. 2: the "
    "command line is wrong.";

static const char example_chapter[] =
    "  neardup passages papers --in library.jsonl.zst > copied.tsv\n"
    "  neardup passages essay.jsonl --in crawl.jsonl --min 12 --gap 4 --json\n"
    "  neardup passages papers --in chinese.jsonl --analyzer segment --dict jieba\n"
    "  neardup passages thesis.jsonl --in seen --min 12 > copied.tsv\n"
    "  zcat dumps/*.jsonl.gz | neardup passages papers --in - -q";

static const chapter chapters[] = {{"INPUT", query_chapter},
                                   {"RESULT", result_chapter},
                                   {"SEGMENTS", segment_chapter},
                                   {"INDEXES", index_chapter},
                                   {"TABLES", tsv_chapter},
                                   {"MEMORY", memory_chapter},
                                   {"EXIT STATUS", passages_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {"EXAMPLES", example_chapter},
                                   {NULL, NULL}};

static void print_row(const nd_found_passage *f) {
    const nd_passage *p = &f->passage;
    print_table_text(stdout, f->query_id, f->query_id_length);
    putchar('\t');
    print_table_text(stdout, f->source_id, f->source_id_length);
    printf("\t%zu\t%zu\t%zu\t", p->tokens, p->a_begin, p->a_end);
    if (f->placed) printf("%zu\t%zu\n", p->b_begin, p->b_end);
    else puts("\t");
}

static void print_object(const nd_found_passage *f) {
    const nd_passage *p = &f->passage;
    fputs("{\"query\":", stdout);
    print_json_text(stdout, f->query_id, f->query_id_length);
    fputs(",\"source\":", stdout);
    print_json_text(stdout, f->source_id, f->source_id_length);
    printf(",\"tokens\":%zu,\"query_begin\":%zu,\"query_end\":%zu", p->tokens, p->a_begin,
           p->a_end);
    if (f->placed) printf(",\"source_begin\":%zu,\"source_end\":%zu", p->b_begin, p->b_end);
    fputs(",\"query_text\":", stdout);
    print_json_text(stdout, f->query_text, p->a_end - p->a_begin);
    if (f->placed) {
        fputs(",\"source_text\":", stdout);
        print_json_text(stdout, f->source_text, p->b_end - p->b_begin);
    }
    fputs("}\n", stdout);
}

typedef struct teller {
    bool json;
    answers table;
} teller;

/* nd_passages_fn */
static bool tell(void *context, const nd_found_passage *found) {
    teller *t = context;
    answers_begin(&t->table);
    if (t->json) print_object(found);
    else print_row(found);
    return answers_go_on(&t->table);
}

static nd_status passages(const settings *given, nd_job_summary *summary, nd_error *error) {
    bool json = given->answers_json;
    nd_passages_options options = given->passages;
    teller t = {
        .json = json,
        .table = {
            .header =
                json
                    ? NULL
                    : "query\tsource\ttokens\tquery_begin\tquery_end\tsource_begin\tsource_end\n"}};
    options.texts = json;
    return answers_end(&t.table, nd_passages(&given->job, &options, tell, &t, summary, error),
                       error);
}

static int passages_run(const command *self, settings *given, int count, char **queries) {
    if (!given->passages.source) {
        complain("--in: the documents that may have been copied from are needed; a file of JSON "
                 "Lines, a directory of texts, or an index");
        return EXIT_USAGE;
    }
    for (int i = 0; i < count && strcmp(given->passages.source, "-") == 0; i++) {
        if (strcmp(queries[i], "-") != 0) continue;
        complain("passages: standard input holds the queries or the source, not both");
        return EXIT_USAGE;
    }
    return job_run(self, given, count, queries, "-", passages);
}

const command passages_command = {
    .name = "passages",
    .operands = "QUERY...",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = "no query; name files or directories of documents, or - for standard input",
    .summary = "where documents copy from which others",
    .description = "Shows, for each document of the QUERY inputs, the passages that it has in "
                   "common with the documents of SOURCE, and where they are in both.",
    .groups = groups,
    .chapters = chapters,
    .summary_of = SUMMARY_SHARED,
    .run = passages_run,
};
