/* The keywords of all documents of an input, in its order: to lines of JSON, which the workers
 * write a block at a time, and to a callback. Where words are counted first, the input is read
 * twice. */
#include "base/floats.h"
#include "base/format.h"
#include "job/json_writer.h"
#include "job/pass_job.h"

#include "base/argument.h"
#include "extract/text_keywords.h"
#include "text/analyzer.h"
#include "terms/count_min_buffer.h"
#include "terms/weight_table.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct keyworder {
    nd_job job; /* for the pass: options, corpus, summary */
    nd_keywords_options keywords;
    nd_feature_counts *counts; /* NULL: not wanted */
    nd_keyworded_fn *fn;       /* NULL: none */
    void *context;
    nd_output_file *output; /* NULL: none */
    nd_keyword *told;       /* of the document that fn is told of */
    size_t told_capacity;
} keyworder;

/* ---- counting */

typedef struct count_worker {
    nd_analyzer *analyzer;
    nd_feature_counter *counter;
} count_worker;

static void begin_nothing(void *made) { (void)made; }

static nd_status count_document(void *context, void *worker, void *made, const nd_block *block,
                                size_t record, const nd_document *document, nd_error *error) {
    (void)context, (void)made, (void)block, (void)record;
    count_worker *w = worker;
    nd_shingles words;
    ND_TRY(nd_analyze(w->analyzer, document->text, document->length, &words, error));
    return nd_feature_counter_add(w->counter, words.hashes, words.tokens, error);
}

static nd_status put_nothing(void *context, void *made, const nd_block *block, nd_error *error) {
    (void)context, (void)made, (void)block, (void)error;
    return ND_OK;
}

static void free_nothing(void *context, void *made) { (void)context, (void)made; }

static nd_status begin_counting(void *context, void **worker, nd_error *error) {
    keyworder *k = context;
    nd_analyzer_options analyzer = nd_job_analyzer(&k->job.options, 1);
    count_worker *w = *worker = nd_allocate_zero(&k->job.allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "a worker");
    ND_TRY(nd_analyzer_create_for(ND_SHINGLES_ALONE, &analyzer, &k->job.allocator, &w->analyzer,
                                  error));
    return nd_feature_counter_create(k->counts, &k->job.allocator, &w->counter, error);
}

static void end_counting(void *context, void *worker) {
    count_worker *w = worker;
    if (!w) return;
    nd_feature_counter_free(w->counter);
    nd_analyzer_free(w->analyzer);
    nd_release(&((keyworder *)context)->job.allocator, w);
}

/* What is gone once it has been read. */
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

/* Bad records are told of by the second reading. */
static nd_status count_words(keyworder *k, nd_error *error) {
    nd_job counting;
    nd_pass_job_begin(&counting, &k->job.options);
    counting.options.on_warning = NULL;
    nd_status status = nd_job_open_input(&counting, error);
    if (status == ND_OK) status = check_twice(counting.corpus, error);
    if (status == ND_OK) status = nd_feature_counts_create(&counting.allocator, &k->counts, error);
    if (status == ND_OK) {
        nd_record_pass pass = {
            &counting,      k,           1,           begin_counting, end_counting, begin_nothing,
            count_document, put_nothing, free_nothing};
        status = nd_record_pass_run(&pass, error);
    }
    if (status == ND_OK) nd_feature_counts_end(k->counts);
    nd_job_close_input(&counting);
    return status;
}

/* ---- making */

/* What is told of a document, being at places in arrays that still grow. */
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

static void begin_found(void *made) {
    found *f = made;
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

#define PUT(out, literal) ND_TRY(nd_json_put(out, literal, sizeof literal - 1, error))

static nd_status add_line(nd_json_out *out, const nd_id_buffer *id, const nd_weighed_term *terms,
                          size_t count, nd_error *error) {
    PUT(out, "{\"id\":");
    ND_TRY(nd_json_put_string(out, id->id, id->length, error));
    PUT(out, ",\"keywords\":[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) PUT(out, ",");
        PUT(out, "[");
        ND_TRY(nd_json_put_string(out, terms[i].bytes, terms[i].length, error));
        PUT(out, ",");
        ND_TRY(put_weight(out, terms[i].units, error));
        PUT(out, "]");
    }
    PUT(out, "]}\n");
    return ND_OK;
}

static void add_letters(found *f, const char *bytes, size_t length) {
    if (length > 0) memcpy(f->letters + f->letter_count, bytes, length);
    f->letter_count += length;
}

static nd_status add_entry(const keyworder *k, found *f, const nd_weighed_term *terms, size_t count,
                           nd_error *error) {
    const nd_allocator *a = &k->job.allocator;
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

static nd_status find_keywords(void *context, void *worker, void *made, const nd_block *block,
                               size_t record, const nd_document *document, nd_error *error) {
    const keyworder *k = context;
    find_worker *w = worker;
    found *f = made;
    const nd_weighed_term *terms;
    size_t count;
    ND_TRY(nd_text_keywords_find(w->keywords, document->text, document->length, &terms, &count,
                                 error));
    ND_TRY(nd_document_id(&k->job, block, record, document, &f->id, error));
    f->documents++;
    f->lines.allocator = k->job.allocator;
    if (k->output) ND_TRY(add_line(&f->lines, &f->id, terms, count, error));
    return k->fn ? add_entry(k, f, terms, count, error) : ND_OK;
}

/* ---- telling */

static nd_status tell(keyworder *k, const found *f, size_t number, const nd_weighed_term *terms,
                      nd_error *error) {
    const entry *e = &f->entries[number];
    const char *id = f->letters + e->id, *letters = id + e->id_length;
    if (!nd_reserve(&k->job.allocator, &k->told, &k->told_capacity, e->term_count))
        return nd_fail_memory(error, e->term_count * sizeof *k->told, "keywords");
    for (size_t i = 0; i < e->term_count; letters += terms[i++].length)
        k->told[i] = (nd_keyword){letters, terms[i].length,
                                  (double)terms[i].units / ND_WEIGHT_UNITS};
    nd_keyworded told = {k->job.summary.documents + number, id, e->id_length, k->told,
                         e->term_count};
    return k->fn(k->context, &told) ? ND_OK : nd_fail(error, ND_ERR_CANCELLED, "cancelled");
}

static nd_status put_found(void *context, void *made, const nd_block *block, nd_error *error) {
    (void)block;
    keyworder *k = context;
    const found *f = made;
    const nd_weighed_term *terms = f->terms;
    if (k->output) ND_TRY(nd_output_file_write(k->output, f->lines.bytes, f->lines.size, error));
    for (size_t i = 0; i < f->entry_count; terms += f->entries[i++].term_count)
        ND_TRY(tell(k, f, i, terms, error));
    k->job.summary.documents += f->documents;
    return ND_OK;
}

static void free_found(void *context, void *made) {
    const nd_allocator *a = &((keyworder *)context)->job.allocator;
    found *f = made;
    nd_release(a, f->lines.bytes);
    nd_release(a, f->entries);
    nd_release(a, f->terms);
    nd_release(a, f->letters);
    nd_release(a, f->id.bytes);
}

/* ---- workers */

static nd_status begin_finding(void *context, void **worker, nd_error *error) {
    keyworder *k = context;
    nd_analyzer_options analyzer = nd_job_analyzer(&k->job.options, 1);
    find_worker *w = *worker = nd_allocate_zero(&k->job.allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "a worker");
    ND_TRY(nd_analyzer_create_for(ND_SHINGLES_ALONE, &analyzer, &k->job.allocator, &w->analyzer,
                                  error));
    return nd_text_keywords_create(w->analyzer, &k->keywords, k->counts, &w->keywords, error);
}

static void end_finding(void *context, void *worker) {
    find_worker *w = worker;
    if (!w) return;
    nd_text_keywords_free(w->keywords);
    nd_analyzer_free(w->analyzer);
    nd_release(&((keyworder *)context)->job.allocator, w);
}

/* ---- the job */

static nd_status run(keyworder *k, nd_error *error) {
    nd_job *job = &k->job;
    nd_analyzer_options analyzer = nd_job_analyzer(&job->options, 1);
    ND_TRY(nd_job_open_input(job, error));
    ND_TRY(nd_keywords_options_check(&k->keywords, &analyzer, true, error));
    if (job->options.output)
        ND_TRY(nd_output_file_open(job->options.output, &job->progress, &job->allocator, &k->output,
                                   error));
    ND_TRY(nd_job_check_outputs(job, &k->output, 1, error));
    if (k->keywords.weighting == ND_WEIGHTING_COUNTED) ND_TRY(count_words(k, error));
    nd_record_pass pass = {job,           k,           sizeof(found),
                           begin_finding, end_finding, begin_found,
                           find_keywords, put_found,   free_found};
    ND_TRY(nd_record_pass_run(&pass, error));
    return nd_pass_job_publish(job, &k->output, 1, error);
}

nd_status nd_keywords(const nd_job_options *options, const nd_keywords_options *keywords,
                      nd_keyworded_fn *fn, void *context, nd_job_summary *summary,
                      nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(options, "options", error));
    if (!fn && !options->output)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "keywords go to fn or to options.output: at least one of them");
    keyworder k = {.fn = fn, .context = context};
    nd_keywords_options_init(&k.keywords);
    if (keywords) k.keywords = *keywords;
    nd_pass_job_begin(&k.job, options);
    nd_status status = run(&k, error);
    nd_pass_job_end(&k.job, status, summary);
    nd_output_file_free(k.output);
    nd_feature_counts_free(k.counts);
    nd_release(&k.job.allocator, k.told);
    return status;
}
