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
#include "papers/paper_list.h"
#include "papers/papers_page.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct source_settings {
    name_list sources;
} source_settings;

/* Outputs besides the passages. NULL: not written. */
typedef struct share_settings {
    const char *shares, *source_shares, *page;
    page_language language;
} share_settings;

typedef struct passages_settings {
    result_settings result;
    report_settings report;
    share_settings share;
    source_settings source;
    input_settings input;
    text_settings text;
    passage_settings passage;
    resource_settings resources;
} passages_settings;

static const flag source_list[] = {
    {.name = "in",
     .kind = FLAG_INPUTS,
     .argument = "SOURCE",
     .offset = offsetof(source_settings, sources),
     .help =
         "look for documents in this input; passages of these documents are found; it is JSON "
         "Lines, a directory of texts, an index (neardup index), or - for standard input; it is "
         "read once and may have any size; several may be given, but an index only alone"},
};

static const flag share_list[] = {
    {.name = "shares",
     .kind = FLAG_FILE,
     .argument = "FILE",
     .offset = offsetof(share_settings, shares),
     .help = "write a table of how much of each QUERY document is found in SOURCE; its columns are "
             "query, tokens, found (tokens in passages; one in several passages counts once), "
             "share, passages, sources, largest (the source with most tokens of it), "
             "largest_found, largest_share, and file and line"},
    {.name = "source-shares",
     .kind = FLAG_FILE,
     .argument = "FILE",
     .offset = offsetof(share_settings, source_shares),
     .help = "write a table of how much of each QUERY document each document of SOURCE has; its "
             "columns are query, source, found, share, passages, and the file and line of both"},
    {.name = "page",
     .kind = FLAG_FILE,
     .argument = "FILE",
     .offset = offsetof(share_settings, page),
     .help = "write a page of HTML that shows the papers beside their sources; the largest shares "
             "first; it needs no other file, and stays below 1 MB"},
    {.name = "page-language",
     .kind = FLAG_CHOICE,
     .choices = "en|zh",
     .offset = offsetof(share_settings, language),
     .help = "language of the page of --page; English or Chinese"},
};
static const flag_table share_flags = FLAG_TABLE("Output", share_list);
static const flag_table source_flags = FLAG_TABLE("Input", source_list);

static const flag_group groups[] = {FLAG_GROUP(passages_settings, result, result_flags),
                                    FLAG_GROUP(passages_settings, share, share_flags),
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

static double share_of_query(uint64_t found, const nd_query_share *q) {
    return q->tokens > 0 ? (double)found / (double)q->tokens : 0;
}

/* A row of --shares. `largest` NULL: the query has no passage. */
static void print_query(FILE *out, const nd_query_share *q, const nd_source_share *largest) {
    print_table_text(out, q->id, q->id_length);
    fprintf(out, "\t%llu\t%llu\t%.6f\t%llu\t%llu\t", (unsigned long long)q->tokens,
            (unsigned long long)q->found, share_of_query(q->found, q),
            (unsigned long long)q->passages, (unsigned long long)q->sources);
    if (largest) {
        print_table_text(out, largest->id, largest->id_length);
        fprintf(out, "\t%llu\t%.6f\t", (unsigned long long)largest->found,
                share_of_query(largest->found, q));
    } else fputs("\t\t\t", out);
    print_table_text(out, q->file, strlen(q->file));
    fprintf(out, "\t%llu\n", (unsigned long long)q->line);
}

/* A row of --source-shares. A document of an index has no file. */
static void print_source(FILE *out, const nd_query_share *q, const nd_source_share *source) {
    print_table_text(out, q->id, q->id_length);
    putc('\t', out);
    print_table_text(out, source->id, source->id_length);
    fprintf(out, "\t%llu\t%.6f\t%llu\t", (unsigned long long)source->found,
            share_of_query(source->found, q), (unsigned long long)source->passages);
    print_table_text(out, q->file, strlen(q->file));
    fprintf(out, "\t%llu\t", (unsigned long long)q->line);
    print_table_text(out, source->file, strlen(source->file));
    if (*source->file) fprintf(out, "\t%llu\n", (unsigned long long)source->line);
    else fputs("\t\n", out);
}

/* ---- outputs */

static const char passages_header[] =
    "query\tsource\ttokens\tquery_begin\tquery_end\tsource_begin\tsource_end\tquery_file\t"
    "query_line\tsource_file\tsource_line\n";
static const char shares_header[] =
    "query\ttokens\tfound\tshare\tpassages\tsources\tlargest\tlargest_found\tlargest_share\t"
    "query_file\tquery_line\n";
static const char source_shares_header[] =
    "query\tsource\tfound\tshare\tpassages\tquery_file\tquery_line\tsource_file\t"
    "source_line\n";

enum { PASSAGES, SHARES, SOURCE_SHARES, TABLES };

typedef struct printer {
    bool json;
    results tables[TABLES];
    bool wanted[TABLES];
    uint64_t row;       /* of --shares: the query whose row is written, counted from 1 */
    paper_list *papers; /* NULL: no page is wanted */
} printer;

/* nd_query_share_fn; `context` is the printer, here and below. The row of a query with sources
 * waits for its largest one, which comes next. */
static bool take_query(void *context, const nd_query_share *query) {
    printer *p = context;
    results *shares = &p->tables[SHARES];
    if (p->papers && !paper_list_query(p->papers, query)) return false;
    if (!p->wanted[SHARES] || query->sources > 0) return true;
    results_begin(shares);
    print_query(shares->out, query, NULL);
    return results_go_on(shares);
}

/* nd_source_share_fn */
static bool take_source(void *context, const nd_query_share *query, const nd_source_share *source) {
    printer *p = context;
    results *shares = &p->tables[SHARES], *sources = &p->tables[SOURCE_SHARES];
    if (p->papers && !paper_list_source(p->papers, source)) return false;
    if (p->wanted[SHARES] && p->row <= query->query) {
        p->row = query->query + 1;
        results_begin(shares);
        print_query(shares->out, query, source);
        if (!results_go_on(shares)) return false;
    }
    if (!p->wanted[SOURCE_SHARES]) return true;
    results_begin(sources);
    print_source(sources->out, query, source);
    return results_go_on(sources);
}

/* nd_passages_fn */
static bool take_passage(void *context, const nd_found_passage *found) {
    printer *p = context;
    results *r = &p->tables[PASSAGES];
    if (p->papers && !paper_list_passage(p->papers, found)) return false;
    results_begin(r);
    (p->json ? print_object : print_row)(r->out, found);
    return results_go_on(r);
}

/* On failure nothing is open. */
static nd_status open_tables(printer *p, const command_job *j, nd_error *error) {
    const passages_settings *s = j->call->settings;
    const struct {
        const char *path, *header;
    } tables[TABLES] = {[PASSAGES] = {j->output, p->json ? NULL : passages_header},
                        [SHARES] = {s->share.shares, shares_header},
                        [SOURCE_SHARES] = {s->share.source_shares, source_shares_header}};
    for (int i = 0; i < TABLES; i++) {
        if (!tables[i].path) continue;
        nd_status status = results_open(&p->tables[i], tables[i].path, tables[i].header, error);
        p->wanted[i] = status == ND_OK;
        if (status == ND_OK) continue;
        for (int open = 0; open < i; open++)
            if (p->wanted[open]) (void)results_close(&p->tables[open], ND_ERR_CANCELLED, error);
        return status;
    }
    return ND_OK;
}

/* Passages are closed last: their output may be standard output. */
static nd_status close_tables(printer *p, nd_status status, nd_error *error) {
    for (int i = TABLES; i-- > 0;)
        if (p->wanted[i]) status = results_close(&p->tables[i], status, error);
    return status;
}

/* ---- the job */

static nd_status write_page(const command_job *j, const paper_list *list,
                            const nd_job_summary *summary, nd_error *error) {
    const passages_settings *s = j->call->settings;
    const papers_told told = {list, s->passage.min, s->passage.gap};
    const report_source source = {.command = j->call->self->name,
                                  .words = j->call->words,
                                  .word_count = j->call->word_count,
                                  .summary = summary,
                                  .papers = &told,
                                  .analyzer = &j->analyzer,
                                  .language = s->share.language};
    return papers_page_write(s->share.page, &source, error);
}

static nd_status no_memory(nd_error *error) {
    snprintf(error->message, sizeof error->message, "out of memory for the page");
    return error->status = ND_ERR_MEMORY;
}

static nd_status run_passages(const command_job *j, printer *p, nd_job_summary *summary,
                              nd_error *error) {
    const passages_settings *s = j->call->settings;
    nd_input_options sources = j->input;
    sources.inputs = s->source.sources.names;
    sources.input_count = s->source.sources.count;
    sources.files_from = NULL;
    bool shares = p->wanted[SHARES] || p->wanted[SOURCE_SHARES] || p->papers;
    const nd_passages_options options = {.struct_size = sizeof options,
                                         .input = &j->input,
                                         .source_input = &sources,
                                         .analyzer = &j->analyzer,
                                         .least_run = s->passage.min,
                                         .gap = s->passage.gap,
                                         .resources = &j->resources,
                                         .texts = s->result.json || p->papers,
                                         .on_query = shares ? take_query : NULL,
                                         .on_source = shares ? take_source : NULL};
    nd_status status = nd_passages(&options, take_passage, p, summary, error);
    return p->papers && p->papers->no_memory ? no_memory(error) : status;
}

/* job_fn. The page is written before the tables appear: none of them does if it fails. */
static nd_status find_passages(command_job *j, nd_job_summary *summary, nd_error *error) {
    const passages_settings *s = j->call->settings;
    printer p = {.json = s->result.json};
    nd_status status = open_tables(&p, j, error);
    if (status != ND_OK) return status;
    if (s->share.page) {
        p.papers = calloc(1, sizeof *p.papers);
        if (p.papers) p.papers->language = s->share.language;
        else status = no_memory(error);
    }
    if (status == ND_OK) status = run_passages(j, &p, summary, error);
    if (status == ND_OK && p.papers && !paper_list_end(p.papers)) status = no_memory(error);
    if (status == ND_OK && p.papers) status = write_page(j, p.papers, summary, error);
    if (p.papers) paper_list_free(p.papers);
    free(p.papers);
    return close_tables(&p, status, error);
}

/* False: reported. */
static bool sources_agree(const invocation *call) {
    const passages_settings *s = call->settings;
    const name_list *sources = &s->source.sources;
    bool standard = false;
    for (size_t i = 0; i < sources->count; i++) standard |= strcmp(sources->names[i], "-") == 0;
    if (sources->count == 0) {
        complain("--in: needed; it names the documents in which passages are looked for: a file of "
                 "JSON Lines, a directory of texts, or an index");
        return false;
    }
    for (int i = 0; i < call->count && standard; i++) {
        if (strcmp(call->operands[i], "-") != 0) continue;
        complain("passages: standard input holds the queries or the source, not both");
        return false;
    }
    if (flag_is_given(call->given, "page-language") && !s->share.page) {
        complain("--page-language: without --page");
        return false;
    }
    return true;
}

static int run(const invocation *call) {
    const passages_settings *s = call->settings;
    if (!sources_agree(call)) return EXIT_USAGE;
    command_job j = {.call = call,
                     .run = find_passages,
                     .report = &s->report,
                     .text = &s->text,
                     .inputs = call->operands,
                     .input_count = call->count,
                     .sources = &s->source.sources,
                     .output = s->result.output ? s->result.output : "-",
                     .result_file = true,
                     .further = {{"shares", s->share.shares},
                                 {"source-shares", s->share.source_shares},
                                 {"page", s->share.page}}};
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
    "(see INDEXES). --in may be given several times: then the inputs are read in the order given, "
    "as "
    "several queries are; an index cannot be one of them. Ids may occur more than once. A document "
    "that is in both is found in itself.";

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

static const char share_chapter[] =
    "The share of a document of QUERY is the part of its tokens that lies in passages. A passage "
    "counts as a whole, with the tokens between runs that --gap joins. A token that lies in "
    "several "
    "passages, of one source or of several, counts once; so the shares by source may add up to "
    "more "
    "than the share. The summary has the same for all documents of QUERY together.\n\n"
    "--shares has a line for each document of QUERY, in their order, also for those without a "
    "passage, whose columns of the largest source are empty. --source-shares has a line for each "
    "document of SOURCE with a passage, those with most tokens first, equal ones in the order of "
    "SOURCE. Both are tables, also with --json.\n\n"
    "--page shows the papers with the largest shares: their text with marked passages, and beside "
    "it the passages of the sources. It says how much it leaves out: papers beyond the largest "
    "100, "
    "or beyond 1 MB; sources of a paper beyond 8; the middle of long texts; what lies behind the "
    "first MiB of a paper.";

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
    "The queries are kept in memory: 76 bytes per token, and with --json or --page 2 for each byte "
    "of their "
    "texts. They may take half of --memory. The passages take 100 bytes each, and may take a "
    "quarter. SOURCE is not kept; one document of it takes 200 bytes for each token that it "
    "shares, "
    "while it is compared.";

static const chapter chapters[] = {{"INPUT", query_chapter},
                                   {"RESULT", result_chapter},
                                   {"SHARES", share_chapter},
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
                "neardup passages papers --in library.jsonl --in articles.jsonl -o copied.tsv "
                "--shares shares.tsv --page papers.html\n"
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
