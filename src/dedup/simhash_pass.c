#include "dedup/simhash_pass.h"

#include "base/limits.h"
#include "base/workers.h"
#include "text/analyzer.h"

/* ROUND: documents of a round, whose fingerprints all threads make together. STRIDE: documents that
 * a thread processes at a time. */
enum { ROUND = ND_LIMIT(1 << 16, 24), STRIDE = ND_LIMIT(64, 5) };

typedef struct fingerprint_worker {
    nd_record_reader *reader;
    nd_analyzer *analyzer;
    nd_text_simhash *simhash;
} fingerprint_worker;

typedef struct fingerprinter {
    const nd_run *run;
    const nd_dedup_plan *plan;
    const nd_fates *fates;
    nd_columns *columns;
    const nd_count_min *words;
    fingerprint_worker *workers;
    nd_fingerprint *made; /* fingerprints of the round */
    uint32_t begin, end;  /* the round's documents */
    atomic_uint next;
    atomic_bool failed;
} fingerprinter;

static nd_status fingerprint(const fingerprinter *f, fingerprint_worker *w, uint32_t document,
                             nd_fingerprint *out, nd_error *error) {
    const char *text = NULL;
    size_t length = 0;
    ND_TRY(nd_columns_text(f->columns, w->reader, document, &text, &length, error));
    nd_status status = nd_text_simhash_make(w->simhash, text, length, out, error);
    nd_record_reader_release(w->reader);
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
            if (!nd_fates_is_copy(f->fates, f->begin + i))
                status = fingerprint(f, &f->workers[index], f->begin + i, &f->made[i], error);
        }
    }
    if (status != ND_OK) atomic_store(&f->failed, true);
    return status;
}

static nd_status prepare(fingerprinter *f, nd_error *error) {
    const nd_allocator *a = &f->run->allocator;
    f->workers = nd_allocate_zero(a, f->run->threads, sizeof *f->workers);
    f->made = nd_allocate(a, ROUND, sizeof *f->made);
    if (!f->workers || !f->made)
        return nd_fail_memory(error, ROUND * sizeof *f->made, "fingerprints");
    for (uint32_t i = 0; i < f->run->threads; i++) {
        fingerprint_worker *w = &f->workers[i];
        ND_TRY(nd_record_reader_create(f->columns->corpus, &w->reader, error));
        ND_TRY(nd_plan_simhash(f->plan, ND_SHINGLES_ALONE, f->words, a, &w->analyzer, &w->simhash,
                               error));
    }
    return ND_OK;
}

static void release(fingerprinter *f) {
    const nd_allocator *a = &f->run->allocator;
    for (uint32_t i = 0; f->workers && i < f->run->threads; i++) {
        nd_record_reader_free(f->workers[i].reader);
        nd_text_simhash_free(f->workers[i].simhash);
        nd_analyzer_free(f->workers[i].analyzer);
    }
    nd_release(a, f->workers);
    nd_release(a, f->made);
}

static nd_status run_rounds(fingerprinter *f, nd_error *error) {
    const nd_run *run = f->run;
    nd_columns *columns = f->columns;
    uint64_t count = columns->count;
    for (uint64_t begin = 0; begin < count; begin = f->end) {
        f->begin = (uint32_t)begin;
        f->end = (uint32_t)(count - begin < ROUND ? count : begin + ROUND);
        atomic_store(&f->next, 0);
        ND_TRY(nd_run_workers(&run->allocator, run->threads, run_round, f, error));
        for (uint32_t i = 0; i < f->end - f->begin; i++)
            ND_TRY(nd_spool_append(&columns->sketches, &f->made[i], columns->sketch_size, error));
        ND_TRY(nd_progress_report(run->progress, ND_STAGE_MATCH, f->end, count, error));
    }
    return ND_OK;
}

nd_status nd_fingerprint_counted(const nd_run *run, const nd_dedup_plan *plan,
                                 const nd_fates *fates, nd_ingested *ingested, nd_error *error) {
    fingerprinter f = {.run = run,
                       .plan = plan,
                       .fates = fates,
                       .columns = &ingested->columns,
                       .words = ingested->words};
    nd_count_min_prepare_weights(ingested->words);
    nd_status status = prepare(&f, error);
    if (status == ND_OK) status = run_rounds(&f, error);
    release(&f);
    if (plan->verify == ND_VERIFY_COSINE) return status;
    nd_count_min_free(ingested->words);
    ingested->words = NULL;
    return status;
}
