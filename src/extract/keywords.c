/* Finds the keywords of all documents of an input, and emits them in the order of input: as lines
 * of JSON, which the workers write block by block, and to a callback. If words are counted first,
 * the input is read twice. */
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

typedef struct keyword_receiver {
    const nd_allocator *allocator;
    nd_keyworded_fn *fn; /* NULL: none */
    void *context;
    nd_output_file *output; /* NULL: none */
    uint64_t documents;     /* emitted so far */
    nd_keyword *list;       /* keywords of the document with which fn is called */
    size_t list_capacity;
} keyword_receiver;

typedef struct keyword_run {
    nd_keywords_options options;
    nd_input_options input;
    nd_analyzer_options analyzer; /* the tokens are single words */
    nd_keyword_options keywords;
    nd_run run;
    nd_corpus *corpus;
    nd_count_min *counts; /* NULL: words are not counted */
    keyword_receiver receiver;
    nd_job_summary summary;
} keyword_run;

/* ---- the first reading counts how many documents have each word */

typedef struct count_plan {
    const nd_allocator *allocator;
    nd_analyzer_options analyzer;
    nd_count_min *counts; /* shared by the workers; each adds through its own buffer */
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

/* ND_ERR_ARGUMENT: an input cannot be read a second time. */
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

static nd_status scan_counts(const keyword_run *k, const nd_run *run, nd_corpus *corpus,
                             nd_count_min *words, nd_error *error) {
    nd_scan_counts ignored;
    const count_plan plan = {&run->allocator, k->analyzer, words};
    const nd_scan_stage stage = {.plan = &plan,
                                 .create_worker = create_counter,
                                 .map = count_words,
                                 .destroy_worker = destroy_counter};
    return nd_run_scan(run, &k->input, corpus, &stage, &ignored, error);
}

/* Bad records cause no warning here, because the second reading warns of them. */
static nd_status count_all_words(const keyword_run *k, nd_count_min **out, nd_error *error) {
    nd_run run;
    nd_corpus *corpus = NULL;
    const nd_input_plan input = {.use = ND_INPUT_ONCE, .analyzer = k->analyzer.kind};
    nd_status status = nd_run_begin(k->options.resources, k->options.output, &run, error);
    run.warnings = (nd_warnings){0};
    if (status == ND_OK) status = nd_run_open_input(&run, &k->input, &input, &corpus, error);
    if (status == ND_OK) status = check_twice(corpus, error);
    if (status == ND_OK) status = nd_count_min_create(&run.allocator, out, error);
    if (status == ND_OK) status = scan_counts(k, &run, corpus, *out, error);
    if (status == ND_OK) nd_count_min_prepare_weights(*out);
    nd_corpus_close(corpus);
    nd_run_end(&run);
    return status;
}

/* ---- the second reading finds the keywords */

typedef struct find_plan {
    const nd_allocator *allocator;
    nd_analyzer_options analyzer;
    const nd_keyword_options *keywords;
    nd_count_min *counts; /* NULL: words are not counted */
    bool lines, entries;  /* lines for the output are wanted; entries for the callback are wanted */
} find_plan;

/* The keywords of one document. The arrays of the block still grow, so the entry has an offset and
 * counts, not pointers. */
typedef struct entry {
    size_t id, id_length, term_count;
} entry;

/* The keywords of a block. */
typedef struct found {
    size_t documents;
    nd_json_out lines;
    entry *entries;
    nd_weighed_term *terms; /* of the first document, then of the second, and so on; their letters
                               are in `letters` in the same order */
    char *letters;          /* for each entry: the id, then the letters of its terms */
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

/* Writes a weight with at most four decimals. They are rounded from integers, so that neither the
 * locale nor the rounding of printf changes them. */
static nd_status put_weight(nd_json_out *out, uint64_t units, nd_error *error) {
    enum { DECIMALS = 10000 };
    char number[32];
    uint64_t whole = units / ND_WEIGHT_UNITS,
             part = ((units % ND_WEIGHT_UNITS) * DECIMALS + ND_WEIGHT_UNITS / 2) / ND_WEIGHT_UNITS;
    size_t length = nd_format(number, sizeof number, "%llu.%04u",
                              (unsigned long long)(whole + part / DECIMALS),
                              (unsigned)(part % DECIMALS));
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
    ND_TRY(nd_json_put_string(out, id->id, id->length, ND_JSON_NUMBERS, error));
    ND_TRY(put_text(out, ",\"keywords\":[", error));
    for (size_t i = 0; i < count; i++) {
        if (i > 0) ND_TRY(put_text(out, ",", error));
        ND_TRY(put_text(out, "[", error));
        ND_TRY(nd_json_put_string(out, terms[i].bytes, terms[i].length, ND_JSON_NUMBERS, error));
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

static nd_status find_all_keywords(keyword_run *k, nd_error *error) {
    nd_scan_counts counts;
    const find_plan plan = {.allocator = &k->run.allocator,
                            .analyzer = k->analyzer,
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
    ND_TRY(nd_run_scan(&k->run, &k->input, k->corpus, &stage, &counts, error));
    nd_summary_add_scan(&k->summary, &counts);
    return nd_run_publish(&k->run, &k->receiver.output, 1, &k->summary, error);
}

static nd_status run(keyword_run *k, nd_error *error) {
    const char *output = k->options.output;
    const nd_input_plan input = {.use = ND_INPUT_ONCE, .analyzer = k->analyzer.kind};
    ND_TRY(nd_analyzer_options_check_transient(&k->analyzer, error));
    ND_TRY(nd_run_begin(k->options.resources, output, &k->run, error));
    k->receiver.allocator = &k->run.allocator;
    ND_TRY(nd_run_open_input(&k->run, &k->input, &input, &k->corpus, error));
    ND_TRY(nd_keyword_options_check(&k->keywords, &k->analyzer, true, error));
    if (output)
        ND_TRY(nd_output_file_open(output, k->run.progress, &k->run.allocator, &k->receiver.output,
                                   error));
    ND_TRY(nd_run_check_outputs(k->corpus, &k->receiver.output, 1, error));
    if (k->keywords.weighting == ND_WEIGHTING_COUNTED)
        ND_TRY(count_all_words(k, &k->counts, error));
    ND_TRY(find_all_keywords(k, error));
    nd_run_fill_scan_summary(&k->run, &k->summary);
    return ND_OK;
}

static nd_status read_options(const nd_keywords_options *given, keyword_run *k, nd_error *error) {
    nd_keywords_options *o = &k->options;
    nd_analyzer_options analyzer;
    ND_TRY(nd_need(given, "options", error));
    ND_TRY(ND_READ_OPTIONS(given, o, "nd_keywords_options", error));
    ND_TRY(nd_input_options_read(o->input, &k->input, error));
    ND_TRY(nd_analyzer_options_read(o->analyzer, &analyzer, error));
    k->analyzer = nd_analyzer_with_ngram(&analyzer, 1);
    return nd_keyword_options_read(o->keywords, &k->keywords, error);
}

nd_status nd_keywords(const nd_keywords_options *options, nd_keyworded_fn *fn, void *context,
                      nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    keyword_run k = {.receiver = {.fn = fn, .context = context}};
    ND_TRY(nd_job_summary_check(summary, error));
    ND_TRY(read_options(options, &k, error));
    if (!fn && !k.options.output)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "keywords go to fn or to options.output: at least one of them");
    nd_status status = run(&k, error);
    if (status == ND_OK) nd_job_summary_give(summary, &k.summary);
    nd_output_file_free(k.receiver.output);
    nd_count_min_free(k.counts);
    nd_release(&k.run.allocator, k.receiver.list);
    nd_corpus_close(k.corpus);
    nd_run_end(&k.run);
    return status;
}
