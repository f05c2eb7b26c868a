/* The keywords of all documents of an input, in its order: to lines of JSON, which the workers
 * write block by block, and to a callback. Where words are counted first, the input is read
 * twice. */
#include "base/argument.h"
#include "base/floats.h"
#include "base/format.h"
#include "extract/text_keywords.h"
#include "job/json_writer.h"
#include "job/run_context.h"
#include "terms/count_min_buffer.h"
#include "terms/weight_table.h"
#include "text/analyzer.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the first reading: how many documents have each word */

typedef struct count_plan {
    const nd_allocator *allocator;
    nd_analyzer_options analyzer;
    nd_count_min *counts; /* shared by the workers, each with its own buffer */
} count_plan;

typedef struct count_worker {
    nd_analyzer *analyzer;
    nd_count_min_buffer *counter;
} count_worker;

static nd_status count_words(const void *plan, void *worker, void *batch, const nd_scan_item *item,
                             nd_error *error) {
    (void)plan, (void)batch;
    count_worker *w = worker;
    nd_shingles words;
    ND_TRY(nd_analyze(w->analyzer, item->document->text, item->document->length, &words, error));
    return nd_count_min_buffer_add_document(w->counter, words.hashes, words.tokens, error);
}

static nd_status create_counter(const void *context, void **worker, nd_error *error) {
    const count_plan *plan = context;
    count_worker *w = *worker = nd_allocate_zero(plan->allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "a worker");
    ND_TRY(nd_analyzer_create_for(ND_SHINGLES_ALONE, &plan->analyzer, plan->allocator, &w->analyzer,
                                  error));
    return nd_count_min_buffer_create(plan->counts, plan->allocator, &w->counter, error);
}

static void destroy_counter(const void *plan, void *worker) {
    count_worker *w = worker;
    if (!w) return;
    nd_count_min_buffer_free(w->counter);
    nd_analyzer_free(w->analyzer);
    nd_release(((const count_plan *)plan)->allocator, w);
}

/* ND_ERR_ARGUMENT: an input that is gone once it has been read. */
static nd_status check_twice(nd_corpus *corpus, nd_error *error) {
    static const char instead[] = "cannot be read twice, to count its words first: give a table of "
                                  "weights (idf), or weigh by tf alone";
    for (size_t i = 0; i < nd_corpus_sources(corpus); i++) {
        const nd_source *source = nd_corpus_source(corpus, i);
        struct stat s;
        if (source->kind == ND_SOURCE_CALLBACK)
            return nd_fail(error, ND_ERR_ARGUMENT, "a callback %s", instead);
        bool lasts = strcmp(source->name, "-") != 0 &&
                     (stat(source->name, &s) != 0 || S_ISREG(s.st_mode) || S_ISDIR(s.st_mode));
        if (!lasts)
            return nd_fail(error, ND_ERR_ARGUMENT, "%s %s", nd_source_title(source), instead);
    }
    return ND_OK;
}

static nd_status scan_counts(const nd_run *run, const nd_job_options *options, nd_corpus *corpus,
                             nd_count_min *words, nd_error *error) {
    nd_scan_counts ignored;
    const count_plan plan = {&run->allocator, nd_job_analyzer(options, 1), words};
    const nd_scan_stage stage = {.plan = &plan,
                                 .create_worker = create_counter,
                                 .map = count_words,
                                 .destroy_worker = destroy_counter};
    return nd_run_scan(run, options, corpus, &stage, &ignored, error);
}

/* Bad records are warned of by the second reading alone. */
static nd_status count_all_words(const nd_job_options *options, nd_count_min **out,
                                 nd_error *error) {
    nd_run run;
    nd_corpus *corpus = NULL;
    nd_status status = nd_run_begin(options, &run, error);
    run.warnings = (nd_warnings){0};
    if (status == ND_OK)
        status = nd_run_open_input(&run, options, ND_INPUT_ONCE, NULL, &corpus, error);
    if (status == ND_OK) status = check_twice(corpus, error);
    if (status == ND_OK) status = nd_count_min_create(&run.allocator, out, error);
    if (status == ND_OK) status = scan_counts(&run, options, corpus, *out, error);
    if (status == ND_OK) nd_count_min_prepare_weights(*out);
    nd_corpus_close(corpus);
    nd_run_end(&run);
    return status;
}

/* ---- the second reading: keywords */

typedef struct find_plan {
    const nd_allocator *allocator;
    nd_analyzer_options analyzer;
    const nd_keywords_options *keywords;
    nd_count_min *counts; /* NULL: words are not counted */
    bool lines, entries;  /* are wanted: for the output, for the callback */
} find_plan;

/* The keywords of a document in the arrays of a block, which still grow: offsets and counts. */
typedef struct entry {
    size_t id, id_length, term_count;
} entry;

/* Of a block. */
typedef struct found {
    size_t documents;
    nd_json_out lines;
    entry *entries;
    nd_weighed_term *terms; /* all documents' behind each other; their letters, behind each other,
                               are in `letters` */
    char *letters;          /* of ids and terms */
    size_t entry_count, entry_capacity, term_count, term_capacity, letter_count, letter_capacity;
    nd_id_buffer id; /* scratch */
} found;

typedef struct find_worker {
    nd_analyzer *analyzer;
    nd_text_keywords *keywords;
} find_worker;

static void reset_found(void *batch) {
    found *f = batch;
    f->documents = f->lines.size = f->entry_count = f->term_count = f->letter_count = 0;
}

/* At most four places, rounded from integers, so that no locale and no rounding of printf shows. */
static nd_status put_weight(nd_json_out *out, uint64_t units, nd_error *error) {
    enum { PLACES = 10000 };
    char number[32];
    uint64_t whole = units / ND_WEIGHT_UNITS,
             part = ((units % ND_WEIGHT_UNITS) * PLACES + ND_WEIGHT_UNITS / 2) / ND_WEIGHT_UNITS;
    size_t length = nd_format(number, sizeof number, "%llu.%04u",
                              (unsigned long long)(whole + part / PLACES),
                              (unsigned)(part % PLACES));
    while (number[length - 1] == '0') length--;
    length -= number[length - 1] == '.';
    return nd_json_put(out, number, length, error);
}

static nd_status put_text(nd_json_out *out, const char *text, nd_error *error) {
    return nd_json_put(out, text, strlen(text), error);
}

static nd_status add_line(nd_json_out *out, const nd_id_buffer *id, const nd_weighed_term *terms,
                          size_t count, nd_error *error) {
    ND_TRY(put_text(out, "{\"id\":", error));
    ND_TRY(nd_json_put_string(out, id->id, id->length, error));
    ND_TRY(put_text(out, ",\"keywords\":[", error));
    for (size_t i = 0; i < count; i++) {
        if (i > 0) ND_TRY(put_text(out, ",", error));
        ND_TRY(put_text(out, "[", error));
        ND_TRY(nd_json_put_string(out, terms[i].bytes, terms[i].length, error));
        ND_TRY(put_text(out, ",", error));
        ND_TRY(put_weight(out, terms[i].units, error));
        ND_TRY(put_text(out, "]", error));
    }
    ND_TRY(put_text(out, "]}\n", error));
    return ND_OK;
}

static void add_letters(found *f, const char *bytes, size_t length) {
    if (length > 0) memcpy(f->letters + f->letter_count, bytes, length);
    f->letter_count += length;
}

static nd_status add_entry(const nd_allocator *a, found *f, const nd_weighed_term *terms,
                           size_t count, nd_error *error) {
    size_t letters = f->id.length;
    for (size_t i = 0; i < count; i++) letters += terms[i].length;
    if (!nd_reserve(a, &f->entries, &f->entry_capacity, f->entry_count + 1) ||
        !nd_reserve(a, &f->terms, &f->term_capacity, f->term_count + count) ||
        !nd_reserve(a, &f->letters, &f->letter_capacity, f->letter_count + letters))
        return nd_fail_memory(error, letters, "keywords");
    f->entries[f->entry_count++] = (entry){f->letter_count, f->id.length, count};
    add_letters(f, f->id.id, f->id.length);
    for (size_t i = 0; i < count; i++) {
        f->terms[f->term_count++] = terms[i];
        add_letters(f, terms[i].bytes, terms[i].length);
    }
    return ND_OK;
}

static nd_status find_keywords(const void *context, void *worker, void *batch,
                               const nd_scan_item *item, nd_error *error) {
    const find_plan *plan = context;
    find_worker *w = worker;
    found *f = batch;
    const nd_weighed_term *terms;
    size_t count;
    ND_TRY(nd_text_keywords_find(w->keywords, item->document->text, item->document->length, &terms,
                                 &count, error));
    ND_TRY(
        nd_document_id(item->source, item->record, item->document, plan->allocator, &f->id, error));
    f->documents++;
    f->lines.allocator = *plan->allocator;
    if (plan->lines) ND_TRY(add_line(&f->lines, &f->id, terms, count, error));
    return plan->entries ? add_entry(plan->allocator, f, terms, count, error) : ND_OK;
}

static nd_status create_finder(const void *context, void **worker, nd_error *error) {
    const find_plan *plan = context;
    find_worker *w = *worker = nd_allocate_zero(plan->allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "a worker");
    ND_TRY(nd_analyzer_create_for(ND_SHINGLES_ALONE, &plan->analyzer, plan->allocator, &w->analyzer,
                                  error));
    return nd_text_keywords_create(w->analyzer, plan->keywords, plan->counts, &w->keywords, error);
}

static void destroy_finder(const void *plan, void *worker) {
    find_worker *w = worker;
    if (!w) return;
    nd_text_keywords_free(w->keywords);
    nd_analyzer_free(w->analyzer);
    nd_release(((const find_plan *)plan)->allocator, w);
}

static void destroy_found(const void *plan, void *batch) {
    const nd_allocator *a = ((const find_plan *)plan)->allocator;
    found *f = batch;
    nd_release(a, f->lines.bytes);
    nd_release(a, f->entries);
    nd_release(a, f->terms);
    nd_release(a, f->letters);
    nd_release(a, f->id.bytes);
}

/* ---- emitting */

typedef struct keyword_receiver {
    const nd_allocator *allocator;
    nd_keyworded_fn *fn; /* NULL: none */
    void *context;
    nd_output_file *output; /* NULL: none */
    uint64_t documents;     /* emitted so far */
    nd_keyword *list;       /* of the document that fn is called for */
    size_t list_capacity;
} keyword_receiver;

static nd_status call_back(keyword_receiver *r, const found *f, size_t number,
                           const nd_weighed_term *terms, nd_error *error) {
    const entry *e = &f->entries[number];
    const char *id = f->letters + e->id, *letters = id + e->id_length;
    if (!nd_reserve(r->allocator, &r->list, &r->list_capacity, e->term_count))
        return nd_fail_memory(error, e->term_count * sizeof *r->list, "keywords");
    for (size_t i = 0; i < e->term_count; letters += terms[i++].length)
        r->list[i] = (nd_keyword){letters, terms[i].length,
                                  (double)terms[i].units / ND_WEIGHT_UNITS};
    const nd_keyworded document = {.document = r->documents + number,
                                   .id = id,
                                   .id_length = e->id_length,
                                   .keywords = r->list,
                                   .count = e->term_count};
    return r->fn(r->context, &document) ? ND_OK : nd_fail(error, ND_ERR_CANCELLED, "cancelled");
}

static nd_status emit_found(void *result, void *batch, const nd_block *block, nd_error *error) {
    (void)block;
    keyword_receiver *r = result;
    const found *f = batch;
    const nd_weighed_term *terms = f->terms;
    if (r->output) ND_TRY(nd_output_file_write(r->output, f->lines.bytes, f->lines.size, error));
    for (size_t i = 0; i < f->entry_count; terms += f->entries[i++].term_count)
        ND_TRY(call_back(r, f, i, terms, error));
    r->documents += f->documents;
    return ND_OK;
}

/* ---- the run */

typedef struct keyword_run {
    const nd_job_options *options;
    nd_keywords_options keywords;
    nd_run run;
    nd_corpus *corpus;
    nd_count_min *counts; /* NULL: words are not counted */
    keyword_receiver receiver;
    nd_job_summary summary;
} keyword_run;

static nd_status find_all_keywords(keyword_run *k, nd_error *error) {
    nd_scan_counts counts;
    const find_plan plan = {.allocator = &k->run.allocator,
                            .analyzer = nd_job_analyzer(k->options, 1),
                            .keywords = &k->keywords,
                            .counts = k->counts,
                            .lines = k->receiver.output != NULL,
                            .entries = k->receiver.fn != NULL};
    const nd_scan_stage stage = {.plan = &plan,
                                 .result = &k->receiver,
                                 .create_worker = create_finder,
                                 .map = find_keywords,
                                 .destroy_worker = destroy_finder,
                                 .batch_size = sizeof(found),
                                 .reset = reset_found,
                                 .emit = emit_found,
                                 .destroy_batch = destroy_found};
    ND_TRY(nd_run_scan(&k->run, k->options, k->corpus, &stage, &counts, error));
    nd_summary_add_scan(&k->summary, &counts);
    return nd_run_publish(&k->run, &k->receiver.output, 1, &k->summary, error);
}

static nd_status run(keyword_run *k, nd_error *error) {
    const nd_job_options *o = k->options;
    nd_analyzer_options analyzer = nd_job_analyzer(o, 1);
    ND_TRY(nd_run_begin(o, &k->run, error));
    k->receiver.allocator = &k->run.allocator;
    ND_TRY(nd_run_open_input(&k->run, o, ND_INPUT_ONCE, NULL, &k->corpus, error));
    ND_TRY(nd_keywords_options_check(&k->keywords, &analyzer, true, error));
    if (o->output)
        ND_TRY(nd_output_file_open(o->output, k->run.progress, &k->run.allocator,
                                   &k->receiver.output, error));
    ND_TRY(nd_run_check_outputs(k->corpus, &k->receiver.output, 1, error));
    if (k->keywords.weighting == ND_WEIGHTING_COUNTED)
        ND_TRY(count_all_words(o, &k->counts, error));
    ND_TRY(find_all_keywords(k, error));
    nd_run_fill_scan_summary(&k->run, &k->summary);
    return ND_OK;
}

nd_status nd_keywords(const nd_job_options *options, const nd_keywords_options *keywords,
                      nd_keyworded_fn *fn, void *context, nd_job_summary *summary,
                      nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(options, "options", error));
    if (!fn && !options->output)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "keywords go to fn or to options.output: at least one of them");
    keyword_run k = {.options = options, .receiver = {.fn = fn, .context = context}};
    nd_keywords_options_init(&k.keywords);
    if (keywords) k.keywords = *keywords;
    nd_status status = run(&k, error);
    if (status == ND_OK && summary) *summary = k.summary;
    nd_output_file_free(k.receiver.output);
    nd_count_min_free(k.counts);
    nd_release(&k.run.allocator, k.receiver.list);
    nd_corpus_close(k.corpus);
    nd_run_end(&k.run);
    return status;
}
