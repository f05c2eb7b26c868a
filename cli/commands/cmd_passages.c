/* neardup passages: the passages that documents share with other documents. */
#include "commands/command_names.h"
#include "commands/job_command.h"
#include "flags/input_flags.h"
#include "flags/passage_flags.h"
#include "flags/resource_flags.h"
#include "manual/chapters.h"
#include "output/complain.h"
#include "output/escape.h"
#include "output/results.h"

#include <limits.h>
#include <string.h>

typedef struct source_settings {
    const char *source; /* NULL: not given */
} source_settings;

typedef struct passages_settings {
    result_settings result;
    report_settings report;
    source_settings source;
    input_settings input;
    text_settings text;
    passage_settings passage;
    resource_settings resources;
} passages_settings;

static const flag source_list[] = {
    {.name = "in",
     .kind = FLAG_INPUT,
     .argument = "SOURCE",
     .offset = offsetof(source_settings, source),
     .help =
         "look for documents in this input; passages of these documents are found; it is JSON "
         "Lines, a directory of texts, an index (neardup index), or - for standard input; it is "
         "read once and may have any size"},
};
static const flag_table source_flags = FLAG_TABLE("Input", source_list);

static const flag_group groups[] = {FLAG_GROUP(passages_settings, result, result_flags),
                                    FLAG_GROUP(passages_settings, report, report_flags),
                                    FLAG_GROUP(passages_settings, source, source_flags),
                                    FLAG_GROUP(passages_settings, input, input_flags),
                                    FLAG_GROUP(passages_settings, text, token_flags),
                                    FLAG_GROUP(passages_settings, text, seed_flags),
                                    FLAG_GROUP(passages_settings, passage, passage_flags),
                                    FLAG_GROUP(passages_settings, resources, memory_flags),
                                    FLAG_GROUP(passages_settings, resources, work_flags),
                                    FLAG_GROUP(passages_settings, resources, threads_flags),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    passages_settings *s = settings;
    input_settings_init(&s->input);
    text_settings_init(&s->text);
    passage_settings_init(&s->passage);
    resource_settings_init(&s->resources);
}

/* ---- results */

static void print_row(FILE *out, const nd_found_passage *f) {
    const nd_passage *p = &f->passage;
    print_table_text(out, f->query_id, f->query_id_length);
    putc('\t', out);
    print_table_text(out, f->source_id, f->source_id_length);
    fprintf(out, "\t%zu\t%zu\t%zu\t", p->tokens, p->a_begin, p->a_end);
    if (f->placed) fprintf(out, "%zu\t%zu\t", p->b_begin, p->b_end);
    else fputs("\t\t", out);
    print_table_text(out, f->query_file, strlen(f->query_file));
    fprintf(out, "\t%llu\t", (unsigned long long)f->query_line);
    print_table_text(out, f->source_file, strlen(f->source_file));
    if (f->placed) fprintf(out, "\t%llu\n", (unsigned long long)f->source_line);
    else fputs("\t\n", out);
}

static void print_place(FILE *out, const char *of, const char *file, uint64_t line) {
    fprintf(out, ",\"%s_file\":", of);
    print_json_text(out, file, strlen(file));
    fprintf(out, ",\"%s_line\":%llu", of, (unsigned long long)line);
}

static void print_object(FILE *out, const nd_found_passage *f) {
    const nd_passage *p = &f->passage;
    fputs("{\"query\":", out);
    print_json_text(out, f->query_id, f->query_id_length);
    fputs(",\"source\":", out);
    print_json_text(out, f->source_id, f->source_id_length);
    fprintf(out, ",\"tokens\":%zu,\"query_begin\":%zu,\"query_end\":%zu", p->tokens, p->a_begin,
            p->a_end);
    if (f->placed) fprintf(out, ",\"source_begin\":%zu,\"source_end\":%zu", p->b_begin, p->b_end);
    fputs(",\"query_text\":", out);
    print_json_text(out, f->query_text, p->a_end - p->a_begin);
    if (f->placed) {
        fputs(",\"source_text\":", out);
        print_json_text(out, f->source_text, p->b_end - p->b_begin);
    }
    print_place(out, "query", f->query_file, f->query_line);
    if (f->placed) print_place(out, "source", f->source_file, f->source_line);
    fputs("}\n", out);
}

typedef struct printer {
    bool json;
    results results;
} printer;

/* nd_passages_fn; `context` is the printer. */
static bool print_passage(void *context, const nd_found_passage *found) {
    printer *p = context;
    results_begin(&p->results);
    (p->json ? print_object : print_row)(p->results.out, found);
    return results_go_on(&p->results);
}

/* ---- the job */

/* job_fn */
static nd_status find_passages(command_job *j, nd_job_summary *summary, nd_error *error) {
    static const char header[] =
        "query\tsource\ttokens\tquery_begin\tquery_end\tsource_begin\tsource_end\tquery_file\t"
        "query_line\tsource_file\tsource_line\n";
    const passages_settings *s = j->call->settings;
    const nd_passages_options options = {.struct_size = sizeof options,
                                         .input = &j->input,
                                         .source = s->source.source,
                                         .analyzer = &j->analyzer,
                                         .least_run = s->passage.min,
                                         .gap = s->passage.gap,
                                         .resources = &j->resources,
                                         .texts = s->result.json};
    printer p = {.json = s->result.json};
    nd_status status = results_open(&p.results, j->output, p.json ? NULL : header, error);
    if (status != ND_OK) return status;
    status = nd_passages(&options, print_passage, &p, summary, error);
    return results_close(&p.results, status, error);
}

/* False: reported. */
static bool source_agrees(const invocation *call, const char *source) {
    if (!source) {
        complain("--in: needed; it names the documents in which passages are looked for: a file of "
                 "JSON Lines, a directory of texts, or an index");
        return false;
    }
    for (int i = 0; i < call->count && strcmp(source, "-") == 0; i++) {
        if (strcmp(call->operands[i], "-") != 0) continue;
        complain("passages: standard input holds the queries or the source, not both");
        return false;
    }
    return true;
}

static int run(const invocation *call) {
    const passages_settings *s = call->settings;
    if (!source_agrees(call, s->source.source)) return EXIT_USAGE;
    command_job j = {.call = call,
                     .run = find_passages,
                     .report = &s->report,
                     .text = &s->text,
                     .inputs = call->operands,
                     .input_count = call->count,
                     .source = s->source.source,
                     .output = s->result.output ? s->result.output : "-",
                     .result_file = true};
    j.input = input_options_of(&s->input);
    j.analyzer = analyzer_options_of(&s->text);
    j.resources = resources_of(&s->resources);
    return job_run(&j);
}

/* ---- the manual */

static const char query_chapter[] =
    "A QUERY is an input as in neardup-dedup(1): a file of JSON Lines, or a directory with one "
    "document per file. gzip and Zstandard are recognised by their first bytes; - is standard "
    "input. Several queries are read in the order given; directories and files of JSON Lines do "
    "not mix. SOURCE is one such input of either kind, or the directory of an index of documents "
    "(see INDEXES). Ids may occur more than once. A document that is in both is found in itself.";

static const char result_chapter[] =
    "A query and a document of SOURCE share a passage where the document contains a run of at "
    "least --min tokens of the query. At each token of the query the longest such run is taken; of "
    "equally long ones, the first in the document. The search continues behind the run, or at the "
    "next token if there is none. Runs that follow each other in both texts with at most --gap "
    "tokens between them are joined to one passage; its tokens are the tokens in common. Case, "
    "punctuation and spacing make no difference. A passage that several documents contain is "
    "listed for each of them.\n\n"
    "The table has a line for each passage: query and source (ids), tokens, query_begin, "
    "query_end, source_begin, source_end, and the file and line of both: query_file, query_line, "
    "source_file, source_line. Offsets count bytes of the text from 0; the end is the "
    "offset behind the last byte. Lines are in the order of the queries, then of the offsets in a "
    "query, then of SOURCE.\n\n"
    "With --json each passage is an object with query, source, tokens, query_begin, query_end, "
    "source_begin, source_end, query_text, source_text, and the files and lines.";

static const char index_chapter[] =
    "An index, as neardup-index(1) and neardup dedup --index make it, keeps no texts, but the set "
    "of shingles of each document: runs of --ngram tokens. All documents that were added and not "
    "removed are searched, in one pass over these sets. A passage is then the longest run of at "
    "least --min tokens of the query such that the document has each shingle of the run. The index "
    "does not know whether these shingles follow each other in the document, nor where they "
    "are.\n\n"
    "So every passage that the texts would give is found. But a passage may be longer than in the "
    "document, and two passages of a query may overlap. --gap applies to the query only. "
    "source_begin and source_end are empty in the table, and so are source_file and source_line; "
    "with --json these four and source_text are left out.\n\n"
    "--analyzer and --seed must be those of the index. --min must be at least its --ngram, because "
    "a shorter run is in no shingle. With an --ngram of 5, a --min of 8 takes four shingles in a "
    "row. With --min equal to --ngram one shingle is enough, and 1 of 2^40 pairs of different "
    "shingles is taken for equal. An index with --store sketch has no shingles and is refused.";

static const char memory_chapter[] =
    "The queries are kept in memory: 76 bytes per token, and with --json 2 for each byte of their "
    "texts. They may take half of --memory. The passages take 100 bytes each, and may take a "
    "quarter. SOURCE is not kept; one document of it takes 200 bytes for each token that it "
    "shares, "
    "while it is compared.";

static const chapter chapters[] = {{"INPUT", query_chapter},
                                   {"RESULT", result_chapter},
                                   {"SEGMENTS", segment_chapter},
                                   {"INDEXES", index_chapter},
                                   {"TABLES", tsv_chapter},
                                   {"MEMORY", memory_chapter},
                                   {"EXIT STATUS", printed_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {NULL, NULL}};

const command passages_command = {
    .name = "passages",
    .operands = "QUERY...",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = "no query; name files or directories of documents, or - for standard input",
    .summary = "the passages that documents share with other documents",
    .description = "Compares each document of the QUERY inputs with the documents of SOURCE, and "
                   "shows their shared passages and where they are in both.",
    .examples = "neardup passages papers --in library.jsonl > copied.tsv\n"
                "neardup passages essay.jsonl --in seen --min 12 --gap 4 --json\n"
                "neardup passages papers --in chinese.jsonl --analyzer segment --dict jieba\n"
                "zcat dumps/*.jsonl.gz | neardup passages papers --in - -q\n",
    .chapters = chapters,
    .summary_of = SUMMARY_PASSAGES,
    .groups = groups,
    .settings_size = sizeof(passages_settings),
    .init = init,
    .run = run,
};
