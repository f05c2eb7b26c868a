#include "job/simhash_pass.h"

#include "base/limits.h"
#include "base/workers.h"
#include "hamming/hamming_planner.h"
#include "text/analyzer.h"

/* Documents whose fingerprints are made together, by all threads, and how many a thread takes at a
 * time. */
enum {
    ROUND = ND_LIMIT(1 << 16, 24),
    STRIDE = ND_LIMIT(64, 5),
};

/* ---- what fingerprints are made of */

static bool weighs_words(const nd_job_options *o) {
    return nd_counts_words(o) || o->simhash.weighting == ND_WEIGHTING_TABLE;
}

static nd_analyzer_options analyzer_of(const nd_job_options *o) {
    return nd_job_analyzer(o, weighs_words(o) ? 1 : o->ngram);
}

/* With counts, which come instead of what the options say of weights. */
static nd_simhash_options simhash_of(const nd_job_options *o) {
    nd_simhash_options options = o->simhash;
    if (nd_counts_words(o)) options.weighting = ND_WEIGHTING_TF;
    return options;
}

nd_status nd_job_check_fingerprints(const nd_job_options *o, nd_error *error) {
    nd_simhash_options simhash = simhash_of(o);
    nd_analyzer_options analyzer = analyzer_of(o);
    if (o->index)
        return nd_fail(
            error, ND_ERR_ARGUMENT,
            "an index is of MinHash sketches: with one, sketch must be ND_SKETCH_MINHASH");
    ND_TRY(nd_hamming_check_width(simhash.bits, o->k, error));
    if (simhash.weighting == ND_WEIGHTING_LEVELS)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "simhash.weighting must not be ND_WEIGHTING_LEVELS: documents are compared "
                       "as texts, not as lists");
    if (weighs_words(o) && o->analyzer == ND_CHARS)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "simhash.weighting weighs single words, and analyzer is ND_CHARS: "
                       "ND_WEIGHTING_TF or ND_WEIGHTING_NONE go with it");
    ND_TRY(nd_simhash_options_check(&simhash, &analyzer, error));
    if (o->verify != ND_VERIFY_NONE && !(o->threshold > 0 && o->threshold <= 1))
        return nd_fail(error, ND_ERR_ARGUMENT, "threshold must be above 0 and at most 1, not %g",
                       o->threshold);
    return ND_OK;
}

nd_status nd_job_text_simhash(const nd_job *job, nd_analyzer_outputs outputs,
                              nd_analyzer **analyzer, nd_text_simhash **simhash, nd_error *error) {
    nd_analyzer_options features = analyzer_of(&job->options);
    nd_simhash_options options = simhash_of(&job->options);
    ND_TRY(nd_analyzer_create_for(outputs, &features, &job->allocator, analyzer, error));
    if (nd_counts_words(&job->options) && !job->counted) return ND_OK;
    return nd_text_simhash_create(*analyzer, &options, job->counts, simhash, error);
}

/* ---- the second reading */

typedef struct fingerprint_worker {
    nd_reader *reader;
    nd_analyzer *analyzer;
    nd_text_simhash *simhash;
} fingerprint_worker;

typedef struct fingerprinter {
    nd_job *job;
    fingerprint_worker *workers;
    nd_fingerprint *made; /* of the round */
    uint32_t begin, end;  /* the round's documents */
    atomic_uint next;
    atomic_bool failed;
} fingerprinter;

static nd_status fingerprint(const nd_job *job, fingerprint_worker *w, uint32_t document,
                             nd_fingerprint *out, nd_error *error) {
    const nd_document_entry *entry = nd_document_at(&job->documents, document);
    const char *text = NULL;
    size_t length = 0;
    ND_TRY(nd_reader_fetch_text(w->reader, nd_job_source_of(job, document), entry->place,
                                entry->length, &text, &length, error));
    nd_status status = nd_text_simhash_make(w->simhash, text, length, out, error);
    nd_reader_let_go(w->reader);
    return status;
}

static nd_status run_round(void *context, uint32_t index, nd_error *error) {
    fingerprinter *f = context;
    nd_status status = ND_OK;
    while (status == ND_OK && !atomic_load(&f->failed)) {
        uint32_t from = atomic_fetch_add(&f->next, STRIDE), count = f->end - f->begin;
        if (from >= count) break;
        uint32_t end = count - from < STRIDE ? count : from + STRIDE;
        for (uint32_t i = from; status == ND_OK && i < end; i++) {
            f->made[i] = (nd_fingerprint){0, 0};
            if (!nd_job_is_copy(f->job, f->begin + i))
                status = fingerprint(f->job, &f->workers[index], f->begin + i, &f->made[i], error);
        }
    }
    if (status != ND_OK) atomic_store(&f->failed, true);
    return status;
}

static nd_status prepare(fingerprinter *f, nd_error *error) {
    nd_job *job = f->job;
    f->workers = nd_allocate_zero(&job->allocator, job->threads, sizeof *f->workers);
    f->made = nd_allocate(&job->allocator, ROUND, sizeof *f->made);
    if (!f->workers || !f->made)
        return nd_fail_memory(error, ROUND * sizeof *f->made, "fingerprints");
    for (uint32_t i = 0; i < job->threads; i++) {
        fingerprint_worker *w = &f->workers[i];
        ND_TRY(nd_reader_create(job->corpus, &w->reader, error));
        ND_TRY(nd_job_text_simhash(job, ND_SHINGLES_ALONE, &w->analyzer, &w->simhash, error));
    }
    return ND_OK;
}

static void release(fingerprinter *f) {
    const nd_allocator *a = &f->job->allocator;
    for (uint32_t i = 0; f->workers && i < f->job->threads; i++) {
        nd_reader_free(f->workers[i].reader);
        nd_text_simhash_free(f->workers[i].simhash);
        nd_analyzer_free(f->workers[i].analyzer);
    }
    nd_release(a, f->workers);
    nd_release(a, f->made);
}

static nd_status run_rounds(fingerprinter *f, nd_error *error) {
    nd_job *job = f->job;
    uint64_t count = job->documents.count;
    for (uint64_t begin = 0; begin < count; begin = f->end) {
        f->begin = (uint32_t)begin;
        f->end = (uint32_t)(count - begin < ROUND ? count : begin + ROUND);
        atomic_store(&f->next, 0);
        ND_TRY(nd_run_workers(&job->allocator, job->threads, run_round, f, error));
        for (uint32_t i = 0; i < f->end - f->begin; i++)
            ND_TRY(nd_spool_append(&job->sketches, &f->made[i], job->sketch_size, error));
        ND_TRY(nd_progress_tell(&job->progress, ND_STAGE_MATCH, f->end, count, error));
    }
    return ND_OK;
}

nd_status nd_job_fingerprint_counted(nd_job *job, nd_error *error) {
    fingerprinter f = {.job = job};
    nd_feature_counts_end(job->counts);
    job->counted = true;
    nd_status status = prepare(&f, error);
    if (status == ND_OK) status = run_rounds(&f, error);
    release(&f);
    return status;
}
