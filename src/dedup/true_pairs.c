#include "dedup/true_pairs.h"

#include "base/limits.h"
#include "base/workers.h"
#include "text/analyzer.h"

#include <pthread.h>
#include <string.h>

/* ROUND: documents between two progress reports. STRIDE: documents that a thread compares at a
 * time. MOST_FOUND: records that a thread collects before it takes the lock. */
enum { ROUND = ND_LIMIT(1 << 14, 24), STRIDE = ND_LIMIT(64, 5), MOST_FOUND = ND_LIMIT(6144, 6) };

/* Reads documents as shingles. */
typedef struct shingle_reader {
    const nd_columns *columns;
    nd_record_reader *records;
    nd_analyzer *analyzer;
} shingle_reader;

typedef struct compare_worker {
    shingle_reader reader;
    nd_overlap_search *search;
    size_t behind;              /* sets that pass_probes has passed */
    uint64_t found[MOST_FOUND]; /* records */
    size_t found_words;
} compare_worker;

typedef struct comparer {
    const nd_true_pairs_request *request;
    nd_external_sort *pairs; /* guarded by `lock` */
    pthread_mutex_t lock;
    shingle_reader reader;
    compare_worker *workers;
    /* The probes that one pass compares: their sets, of which the hashes are in `hashes`. */
    nd_listed_set *sets;
    size_t first, count;
    uint64_t *hashes;
    size_t hash_count, hash_capacity;
    nd_overlap_index *index;
    uint32_t begin, end; /* the round's documents */
    atomic_uint next;
    atomic_bool failed;
    uint64_t passed, to_pass; /* documents in all passes, as far as they are known */
} comparer;

nd_status nd_probe_sorter_create(const nd_run *run, const nd_audit_sample *sample, unsigned words,
                                 nd_external_sort **out, nd_error *error) {
    const nd_external_sort_settings settings = {
        .disk = run->space,
        .parts = nd_probe_part(sample->count) + 1,
        .memory_limit = nd_memory_share(&run->budget, ND_MEMORY_COPY_PAIRS) / 2,
        .words = words,
        .keys = 1,
        .what = "true pairs"};
    return nd_external_sort_create_records(&run->allocator, &settings, out, error);
}

/* ---- documents as shingles */

static nd_status create_reader(const comparer *c, shingle_reader *r, nd_error *error) {
    const nd_true_pairs_request *q = c->request;
    r->columns = q->columns;
    ND_TRY(nd_record_reader_create(q->columns->corpus, &r->records, error));
    return nd_analyzer_create_for(ND_SHINGLES_ALONE, q->analyzer, &q->run->allocator, &r->analyzer,
                                  error);
}

static void free_reader(shingle_reader *r) {
    nd_record_reader_free(r->records);
    nd_analyzer_free(r->analyzer);
}

/* The shingles are valid until the next call. REQUIRES: nd_record_reader_release follows. */
static nd_status read_shingles(shingle_reader *r, uint32_t document, nd_shingles *out,
                               nd_error *error) {
    const char *text = NULL;
    size_t length = 0;
    ND_TRY(nd_columns_text(r->columns, r->records, document, &text, &length, error));
    return nd_analyze(r->analyzer, text, length, out, error);
}

/* ---- the sets of a pass */

static nd_status add_hashes(comparer *c, uint32_t document, nd_error *error) {
    nd_shingles shingles;
    ND_TRY(read_shingles(&c->reader, document, &shingles, error));
    size_t count = nd_set_make(shingles.hashes, shingles.count);
    if (!nd_reserve(&c->request->run->allocator, &c->hashes, &c->hash_capacity,
                    c->hash_count + count))
        return nd_fail_memory(error, count * sizeof *c->hashes, "the shingles of a sample");
    memcpy(c->hashes + c->hash_count, shingles.hashes, count * sizeof *c->hashes);
    c->sets[c->count++].size = count;
    c->hash_count += count;
    return ND_OK;
}

/* Reads probes from number c->first on, until their sets and the index take the memory of the
 * verifiers, which are not in use. */
static nd_status read_sets(comparer *c, nd_error *error) {
    const nd_true_pairs_request *q = c->request;
    size_t most = nd_memory_share(&q->run->budget, ND_MEMORY_VERIFIED) /
                  (sizeof *c->hashes * 3 / 2 + ND_OVERLAP_INDEX_BYTES +
                   ND_OVERLAP_SEARCH_BYTES * q->run->threads),
           left = q->sample->count - c->first;
    c->count = c->hash_count = 0;
    for (size_t i = 0; i < left && (i == 0 || c->hash_count < most); i++) {
        nd_status status = add_hashes(c, q->sample->probes[c->first + i].document, error);
        nd_record_reader_release(c->reader.records);
        ND_TRY(status);
    }
    const uint64_t *next = c->hashes;
    for (size_t i = 0; i < c->count; next += c->sets[i++].size) c->sets[i].hashes = next;
    return ND_OK;
}

/* ---- comparing, in parallel */

static nd_status flush_found(comparer *c, compare_worker *w, nd_error *error) {
    nd_status status = ND_OK;
    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; status == ND_OK && i < w->found_words; i += ND_TRUE_PAIR_WORDS)
        status = nd_external_sort_push_record(c->pairs, nd_probe_part(w->found[i] >> 32),
                                              &w->found[i], error);
    pthread_mutex_unlock(&c->lock);
    w->found_words = 0;
    return status;
}

/* Forgets the neighbours before a document of the sample, once the worker has come to it: those
 * behind it are searched now. A worker takes documents in ascending order. */
static void pass_probes(const comparer *c, compare_worker *w, uint32_t document) {
    const nd_probe *probes = c->request->sample->probes + c->first;
    for (; w->behind < c->count && probes[w->behind].document <= document; w->behind++)
        nd_overlap_search_raise(w->search, (uint32_t)w->behind, c->request->settings.threshold);
}

static nd_status compare_document(comparer *c, compare_worker *w, uint32_t document,
                                  nd_error *error) {
    const nd_probe *probes = c->request->sample->probes + c->first;
    bool nearest = c->request->wanted == ND_TRUE_PAIRS_NEAREST;
    const nd_similar_set *similar;
    size_t count;
    nd_shingles shingles;
    if (nearest) pass_probes(c, w, document);
    ND_TRY(read_shingles(&w->reader, document, &shingles, error));
    nd_overlap_search_run(w->search, shingles.hashes, shingles.count, &similar, &count);
    for (size_t i = 0; i < count; i++) {
        const nd_similar_set *s = &similar[i];
        uint32_t probe = probes[s->set].document;
        if (probe == document || nd_columns_differ(c->request->columns, probe, document)) continue;
        if (nearest) nd_overlap_search_raise(w->search, s->set, s->similarity);
        w->found[w->found_words++] = (uint64_t)(c->first + s->set) << 32 | document;
        w->found[w->found_words++] = (uint64_t)s->intersection << 32 | s->set_union;
        w->found[w->found_words++] = s->smaller;
        if (w->found_words == MOST_FOUND) ND_TRY(flush_found(c, w, error));
    }
    return ND_OK;
}

static nd_status compare_stride(comparer *c, compare_worker *w, uint32_t begin, uint32_t end,
                                nd_error *error) {
    for (uint32_t d = begin; d < end; d++) {
        if (nd_fates_is_copy(c->request->fates, d)) continue;
        nd_status status = compare_document(c, w, d, error);
        nd_record_reader_release(w->reader.records);
        ND_TRY(status);
    }
    return ND_OK;
}

static nd_status compare_run(void *context, uint32_t index, nd_error *error) {
    comparer *c = context;
    nd_status status = ND_OK;
    while (status == ND_OK && !atomic_load(&c->failed)) {
        uint32_t from = atomic_fetch_add(&c->next, STRIDE), count = c->end - c->begin;
        if (from >= count) break;
        uint32_t end = count - from < STRIDE ? count : from + STRIDE;
        status = compare_stride(c, &c->workers[index], c->begin + from, c->begin + end, error);
    }
    if (status != ND_OK) atomic_store(&c->failed, true);
    return status;
}

static nd_status compare_rounds(comparer *c, nd_error *error) {
    const nd_run *run = c->request->run;
    uint64_t count = c->request->columns->count;
    for (uint64_t begin = 0; begin < count; begin = c->end) {
        c->begin = (uint32_t)begin;
        c->end = (uint32_t)(count - begin < ROUND ? count : begin + ROUND);
        atomic_store(&c->next, 0);
        ND_TRY(nd_run_workers(&run->allocator, run->threads, compare_run, c, error));
        c->passed += c->end - c->begin;
        ND_TRY(nd_progress_report(run->progress, ND_STAGE_WRITE, c->passed, c->to_pass, error));
    }
    for (uint32_t i = 0; i < run->threads; i++) ND_TRY(flush_found(c, &c->workers[i], error));
    return ND_OK;
}

/* ---- passes */

static nd_status compare_with_sets(comparer *c, nd_error *error) {
    const nd_run *run = c->request->run;
    ND_TRY(nd_overlap_index_create(c->sets, c->count, &c->request->settings, &run->allocator,
                                   &c->index, error));
    for (uint32_t i = 0; i < run->threads; i++) {
        c->workers[i].behind = 0;
        ND_TRY(nd_overlap_search_create(c->index, &run->allocator, &c->workers[i].search, error));
    }
    return compare_rounds(c, error);
}

static void end_pass(comparer *c) {
    for (uint32_t i = 0; i < c->request->run->threads; i++) {
        nd_overlap_search_free(c->workers[i].search);
        c->workers[i].search = NULL;
    }
    nd_overlap_index_free(c->index);
    c->index = NULL;
    c->first += c->count;
}

/* Estimates how many passes there are from the part of the probes that this pass has. */
static void expect_passes(comparer *c) {
    uint64_t left = c->request->sample->count - c->first;
    c->to_pass = c->passed + c->request->columns->count * ((left + c->count - 1) / c->count);
}

static nd_status run_passes(comparer *c, nd_error *error) {
    nd_status status = ND_OK;
    while (status == ND_OK && c->first < c->request->sample->count) {
        ND_TRY(read_sets(c, error));
        expect_passes(c);
        status = compare_with_sets(c, error);
        end_pass(c);
    }
    return status;
}

static nd_status prepare(comparer *c, nd_error *error) {
    const nd_true_pairs_request *q = c->request;
    const nd_allocator *a = &q->run->allocator;
    c->workers = nd_allocate_zero(a, q->run->threads, sizeof *c->workers);
    c->sets = nd_allocate(a, q->sample->count, sizeof *c->sets);
    if (!c->workers || !c->sets)
        return nd_fail_memory(error, q->sample->count * sizeof *c->sets, "a sample");
    ND_TRY(create_reader(c, &c->reader, error));
    for (uint32_t i = 0; i < q->run->threads; i++)
        ND_TRY(create_reader(c, &c->workers[i].reader, error));
    return ND_OK;
}

static void release(comparer *c) {
    const nd_allocator *a = &c->request->run->allocator;
    for (uint32_t i = 0; c->workers && i < c->request->run->threads; i++)
        free_reader(&c->workers[i].reader);
    free_reader(&c->reader);
    nd_release(a, c->workers);
    nd_release(a, c->sets);
    nd_release(a, c->hashes);
}

nd_status nd_find_true_pairs(const nd_true_pairs_request *request, nd_external_sort *pairs,
                             nd_error *error) {
    comparer c = {.request = request, .pairs = pairs};
    pthread_mutex_init(&c.lock, NULL);
    nd_status status = prepare(&c, error);
    if (status == ND_OK) status = run_passes(&c, error);
    release(&c);
    pthread_mutex_destroy(&c.lock);
    return status;
}
