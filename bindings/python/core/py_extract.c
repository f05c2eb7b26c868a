#include "py_extract.h"

#include "py_job.h"

#include <stddef.h>

/* ---- keywords */

typedef struct keyword_lists {
    job *job;
    nd_keywords_options options;
    array counts; /* int64: keywords of each document */
    array rows;   /* int64 */
    texts terms;
    array weights; /* double */
} keyword_lists;

static bool take_keywords(void *context, const nd_keyworded *document) {
    keyword_lists *l = context;
    bool good = ARRAY_PUT(&l->rows, int64_t,
                          documents_row(&l->job->documents, document->document)) &&
                ARRAY_PUT(&l->counts, int64_t, (int64_t)document->count);
    for (size_t i = 0; i < document->count && good; i++)
        good = texts_put(&l->terms, document->keywords[i].term, document->keywords[i].length) &&
               ARRAY_PUT(&l->weights, double, document->keywords[i].weight);
    l->job->no_memory = !good;
    return good;
}

static nd_status run_keywords(job *j, void *context, nd_error *error) {
    keyword_lists *l = context;
    return nd_keywords(&l->options, take_keywords, l, &j->summary, error);
}

static const option keyword_options[] = {
    {"top", OPTION_U32, offsetof(nd_keyword_options, top), NULL},
};

PyObject *core_keywords(PyObject *module, PyObject *given) {
    core_state *state = core_state_of(module);
    job j;
    text_options text = {0};
    nd_keyword_options keywords;
    bool done = false;
    keyword_lists l = {.job = &j,
                       .options = {.struct_size = sizeof l.options,
                                   .input = &j.input,
                                   .analyzer = &text.analyzer,
                                   .keywords = &keywords,
                                   .resources = &j.resources}};
    nd_keyword_options_init(&keywords, sizeof keywords);
    if (job_open(state, given, &j) &&
        text_options_read(state, given, ND_WEIGHTING_COUNTED, &text) &&
        OPTIONS_READ(state, given, keyword_options, &keywords)) {
        keywords.weighting = text.simhash.weighting;
        keywords.table = text.table;
        keywords.stop = text.stop;
        done = job_run(&j, run_keywords, &l);
    }
    const result_part parts[] = {
        {.name = "rows", .array = &l.rows},
        {.name = "counts", .array = &l.counts},
        {.name = "terms", .texts = &l.terms},
        {.name = "weights", .array = &l.weights},
    };
    PyObject *out = JOB_RESULTS(&j, done, parts);
    text_options_free(&text);
    job_close(&j);
    return out;
}

/* ---- document frequencies */

static nd_status run_idf(job *j, void *context, nd_error *error) {
    return nd_idf(context, &j->summary, error);
}

static const option idf_options[] = {
    {"output", OPTION_TEXT, offsetof(nd_idf_options, output), NULL},
    {"least", OPTION_U64, offsetof(nd_idf_options, least), NULL},
    {"stop_words", OPTION_TEXT, offsetof(nd_idf_options, stop_words), NULL},
    {"stop_share", OPTION_DOUBLE, offsetof(nd_idf_options, stop_share), NULL},
};

PyObject *core_idf(PyObject *module, PyObject *given) {
    core_state *state = core_state_of(module);
    job j;
    text_options text = {0};
    nd_idf_options options;
    PyObject *out = NULL;
    nd_idf_options_init(&options, sizeof options);
    options.input = &j.input;
    options.analyzer = &text.analyzer;
    options.resources = &j.resources;
    if (job_open(state, given, &j) && text_options_read(state, given, ND_WEIGHTING_TF, &text) &&
        OPTIONS_READ(state, given, idf_options, &options) && job_run(&j, run_idf, &options))
        out = job_summary(&j);
    text_options_free(&text);
    job_close(&j);
    return out;
}

/* ---- passages */

typedef struct passage_list {
    job *job;
    nd_passages_options options;
    documents sources; /* of a stream */
    nd_input_options source_input;
    array query, source;                  /* int64: rows, numbers */
    array a_begin, a_end, b_begin, b_end; /* int64: bytes; b -1: not known */
    array tokens;                         /* int64 */
    texts query_ids, source_ids, texts;
    bool with_ids;
} passage_list;

static bool take_passage(void *context, const nd_found_passage *f) {
    passage_list *l = context;
    const nd_passage *p = &f->passage;
    bool good = ARRAY_PUT(&l->query, int64_t, documents_row(&l->job->documents, f->query)) &&
                ARRAY_PUT(&l->source, int64_t, documents_row(&l->sources, f->source)) &&
                ARRAY_PUT(&l->a_begin, int64_t, (int64_t)p->a_begin) &&
                ARRAY_PUT(&l->a_end, int64_t, (int64_t)p->a_end) &&
                ARRAY_PUT(&l->b_begin, int64_t, f->placed ? (int64_t)p->b_begin : -1) &&
                ARRAY_PUT(&l->b_end, int64_t, f->placed ? (int64_t)p->b_end : -1) &&
                ARRAY_PUT(&l->tokens, int64_t, (int64_t)p->tokens) &&
                texts_put(&l->source_ids, f->source_id, f->source_id_length) &&
                texts_put(&l->texts, f->query_text, p->a_end - p->a_begin) &&
                (!l->with_ids || texts_put(&l->query_ids, f->query_id, f->query_id_length));
    l->job->no_memory = !good;
    return good;
}

/* nd_record_fn */
static int next_source(void *context, nd_record *out) {
    passage_list *l = context;
    int more = documents_next(&l->sources, out);
    if (more < 0) l->job->documents.failure = l->sources.failure;
    return more;
}

/* Opens the stream `sources`, if there is one. */
static bool open_sources(core_state *state, PyObject *given, passage_list *l) {
    PyObject *sources = PyDict_GetItemString(given, "sources");
    if (!sources) return true;
    l->source_input = l->job->input;
    l->source_input.inputs = NULL;
    l->source_input.input_count = 0;
    l->source_input.records = next_source;
    l->source_input.records_context = l;
    l->options.source_input = &l->source_input;
    return documents_open(state, sources, &l->sources);
}

static nd_status run_passages(job *j, void *context, nd_error *error) {
    passage_list *l = context;
    return nd_passages(&l->options, take_passage, l, &j->summary, error);
}

static const option passage_options[] = {
    {"source", OPTION_TEXT, offsetof(nd_passages_options, source), NULL},
    {"least_run", OPTION_U32, offsetof(nd_passages_options, least_run), NULL},
    {"gap", OPTION_U32, offsetof(nd_passages_options, gap), NULL},
};

PyObject *core_passages(PyObject *module, PyObject *given) {
    core_state *state = core_state_of(module);
    job j;
    text_options text = {0};
    passage_list l = {.job = &j, .with_ids = PyDict_GetItemString(given, "with_ids") == Py_True};
    nd_passages_options_init(&l.options, sizeof l.options);
    l.options.input = &j.input;
    l.options.analyzer = &text.analyzer;
    l.options.resources = &j.resources;
    l.options.texts = true;
    bool done = job_open(state, given, &j) &&
                text_options_read(state, given, ND_WEIGHTING_TF, &text) &&
                OPTIONS_READ(state, given, passage_options, &l.options) &&
                open_sources(state, given, &l) && job_run(&j, run_passages, &l);
    const result_part parts[] = {
        {.name = "query", .array = &l.query},
        {.name = "source", .array = &l.source},
        {.name = "a_begin", .array = &l.a_begin},
        {.name = "a_end", .array = &l.a_end},
        {.name = "b_begin", .array = &l.b_begin},
        {.name = "b_end", .array = &l.b_end},
        {.name = "tokens", .array = &l.tokens},
        {.name = "query_ids", .texts = &l.query_ids},
        {.name = "source_ids", .texts = &l.source_ids},
        {.name = "texts", .texts = &l.texts},
    };
    PyObject *out = JOB_RESULTS(&j, done, parts);
    documents_close(&l.sources);
    text_options_free(&text);
    job_close(&j);
    return out;
}
