/* Makes the MinHash signatures of all documents of an input, with band keys and shingle sets if
 * they are wanted, and calls back with them in the order of input. */
#include "base/argument.h"
#include "base/floats.h"
#include "base/radix_sort.h"
#include "corpus/batch_ids.h"
#include "job/run_context.h"
#include "sketch/band_key.h"
#include "text/analyzer.h"

#include <string.h>

/* ---- mapping */

typedef struct sign_plan {
    const nd_allocator *allocator;
    nd_analyzer_options analyzer;
    const nd_minhash *minhash;
    uint32_t bands, rows; /* bands 0: no keys */
    bool with_sets;
} sign_plan;

typedef struct sign_entry {
    nd_batch_id id;
    uint64_t text_hash[2];
    size_t set_size;
} sign_entry;

/* Words of scratch that are kept for the next document; a huge one gives its memory back. */
enum { MOST_SCRATCH = 1 << 18 };

/* The signatures of a block. */
typedef struct signatures {
    sign_entry *entries;
    uint32_t *values; /* the signature of the first document, then of the second, and so on */
    uint64_t *keys;   /* in the same way */
    size_t count, capacity, value_capacity, key_capacity;
    nd_batch_ids ids;
    uint64_t *sets, *scratch;
    size_t set_size, set_capacity, scratch_capacity; /* shingles */
} signatures;

static void reset_signatures(void *batch) {
    signatures *s = batch;
    s->count = s->ids.size = s->set_size = 0;
}

static nd_status reserve(const sign_plan *plan, signatures *s, nd_error *error) {
    size_t count = s->count + 1, perms = nd_minhash_perms(plan->minhash);
    if (nd_reserve(plan->allocator, &s->entries, &s->capacity, count) &&
        nd_reserve(plan->allocator, &s->values, &s->value_capacity, count * perms) &&
        nd_reserve(plan->allocator, &s->keys, &s->key_capacity, count * plan->bands))
        return ND_OK;
    return nd_fail_memory(error, perms * sizeof *s->values, "signatures");
}

/* Adds the set of a document. */
static nd_status add_set(const sign_plan *plan, signatures *s, const nd_shingles *shingles,
                         size_t *size, nd_error *error) {
    const nd_allocator *a = plan->allocator;
    size_t count = shingles->count, distinct = 0;
    /* One more than is needed: an empty set has a place, too. */
    if (!nd_reserve(a, &s->sets, &s->set_capacity, s->set_size + count + 1) ||
        !nd_reserve(a, &s->scratch, &s->scratch_capacity, count))
        return nd_fail_memory(error, count * sizeof *s->sets, "a shingle set");
    uint64_t *set = s->sets + s->set_size;
    for (size_t i = 0; i < count; i++) set[i] = shingles->hashes[i] + !shingles->hashes[i];
    nd_radix_sort_spread(set, s->scratch, count, 64);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || set[i] != set[i - 1]) set[distinct++] = set[i];
    s->set_size += *size = distinct;
    if (s->scratch_capacity > MOST_SCRATCH) {
        nd_release(a, s->scratch);
        s->scratch = NULL;
        s->scratch_capacity = 0;
    }
    return ND_OK;
}

/* The worker is an analyzer. */
static nd_status sign(const void *context, void *worker, void *batch, const nd_scan_item *item,
                      nd_error *error) {
    const sign_plan *plan = context;
    signatures *s = batch;
    nd_shingles shingles;
    ND_TRY(nd_analyze(worker, item->document->text, item->document->length, &shingles, error));
    ND_TRY(reserve(plan, s, error));
    sign_entry *e = &s->entries[s->count];
    uint32_t *values = s->values + s->count * nd_minhash_perms(plan->minhash);
    uint64_t *keys = s->keys + s->count * plan->bands;
    *e = (sign_entry){.text_hash = {shingles.text_hash[0], shingles.text_hash[1]}};
    ND_TRY(nd_batch_ids_add(&s->ids, item, plan->allocator, &e->id, error));
    nd_minhash_sign(plan->minhash, shingles.hashes, shingles.count, values);
    for (uint32_t b = 0; b < plan->bands; b++)
        keys[b] = nd_band_number(nd_band_key(values + b * plan->rows, plan->rows));
    if (plan->with_sets) ND_TRY(add_set(plan, s, &shingles, &e->set_size, error));
    s->count++;
    return ND_OK;
}

static nd_status create_worker(const void *context, void **worker, nd_error *error) {
    const sign_plan *plan = context;
    nd_analyzer *analyzer = NULL;
    ND_TRY(nd_analyzer_create_for(ND_SHINGLES_AND_TEXT_HASH, &plan->analyzer, plan->allocator,
                                  &analyzer, error));
    *worker = analyzer;
    return ND_OK;
}

static void destroy_worker(const void *plan, void *worker) {
    (void)plan;
    nd_analyzer_free(worker);
}

static void destroy_signatures(const void *plan, void *batch) {
    const nd_allocator *a = ((const sign_plan *)plan)->allocator;
    signatures *s = batch;
    nd_release(a, s->entries);
    nd_release(a, s->values);
    nd_release(a, s->keys);
    nd_release(a, s->sets);
    nd_release(a, s->scratch);
    nd_batch_ids_free(&s->ids, a);
}

/* ---- emitting */

typedef struct sign_receiver {
    nd_signed_fn *fn;
    void *context;
    size_t perms, bands;
    bool with_sets;
    uint64_t documents; /* emitted so far */
} sign_receiver;

static nd_status emit_signatures(void *result, void *batch, const nd_block *block,
                                 nd_error *error) {
    (void)block;
    sign_receiver *r = result;
    const signatures *s = batch;
    const uint64_t *set = s->sets;
    for (size_t i = 0; i < s->count; i++) {
        const sign_entry *e = &s->entries[i];
        const nd_signed document = {.document = r->documents++,
                                    .id = s->ids.bytes + e->id.start,
                                    .id_length = e->id.length,
                                    .signature = s->values + i * r->perms,
                                    .text_hash = {e->text_hash[0], e->text_hash[1]},
                                    .keys = r->bands > 0 ? s->keys + i * r->bands : NULL,
                                    .set = r->with_sets ? set : NULL,
                                    .set_size = e->set_size};
        if (r->with_sets) set += e->set_size;
        if (!r->fn(r->context, &document)) return nd_fail(error, ND_ERR_CANCELLED, "cancelled");
    }
    return ND_OK;
}

/* ---- the run */

typedef struct sign_run {
    nd_signatures_options options;
    nd_input_options input;
    nd_analyzer_options analyzer;
    nd_run run;
    nd_corpus *corpus;
    nd_minhash *minhash;
    sign_receiver receiver;
    nd_job_summary summary;
} sign_run;

/* The budget of a run has little memory for the results of a block, and the signatures and keys of
 * many short texts take more. Their arrays grow by half, so they take up to 3/2 of their size.
 * Lowers the number of threads until half of the memory limit holds these arrays. */
static void bound_threads(nd_run *run, const nd_signatures_options *o) {
    const uint64_t signature = o->perms * sizeof(uint32_t) + o->bands * sizeof(uint64_t),
                   bytes = signature * ND_BLOCK_RECORDS * ND_BATCHES_PER_THREAD / 2 * 3;
    while (run->threads > 1 && run->threads * bytes > run->memory / 2) run->threads--;
}

static nd_status sign_all(sign_run *s, nd_error *error) {
    nd_scan_counts counts;
    const sign_plan plan = {.allocator = &s->run.allocator,
                            .analyzer = s->analyzer,
                            .minhash = s->minhash,
                            .bands = s->options.bands,
                            .rows = s->options.rows,
                            .with_sets = s->options.with_sets};
    const nd_scan_stage stage = {.plan = &plan,
                                 .result = &s->receiver,
                                 .create_worker = create_worker,
                                 .map = sign,
                                 .destroy_worker = destroy_worker,
                                 .batch_size = sizeof(signatures),
                                 .reset = reset_signatures,
                                 .emit = emit_signatures,
                                 .destroy_batch = destroy_signatures};
    ND_TRY(nd_run_scan(&s->run, &s->input, s->corpus, &stage, &counts, error));
    nd_summary_add_scan(&s->summary, &counts);
    nd_run_fill_scan_summary(&s->run, &s->summary);
    return ND_OK;
}

static nd_status run(sign_run *s, nd_error *error) {
    const nd_input_plan input = {.use = ND_INPUT_ONCE, .analyzer = s->analyzer.kind};
    ND_TRY(nd_analyzer_options_check_transient(&s->analyzer, error));
    ND_TRY(nd_run_begin(s->options.resources, NULL, &s->run, error));
    ND_TRY(nd_minhash_create(s->options.perms, s->analyzer.seed, &s->run.allocator, &s->minhash,
                             error));
    bound_threads(&s->run, &s->options);
    ND_TRY(nd_run_open_input(&s->run, &s->input, &input, &s->corpus, error));
    return sign_all(s, error);
}

static const nd_signatures_options defaults = {.struct_size = sizeof defaults, .perms = 128};

void nd_signatures_options_init(nd_signatures_options *options, size_t struct_size) {
    nd_options_init(options, struct_size, &defaults, sizeof defaults);
}

static nd_status check_bands(const nd_signatures_options *o, nd_error *error) {
    if (o->bands == 0 || (o->rows > 0 && (uint64_t)o->bands * o->rows <= o->perms)) return ND_OK;
    return nd_fail(error, ND_ERR_ARGUMENT, "%u bands of %u rows do not fit into %u permutations",
                   o->bands, o->rows, o->perms);
}

static nd_status read_options(const nd_signatures_options *given, sign_run *s, nd_error *error) {
    s->options = defaults;
    ND_TRY(nd_need(given, "options", error));
    ND_TRY(ND_READ_OPTIONS(given, &s->options, "nd_signatures_options", error));
    ND_TRY(check_bands(&s->options, error));
    ND_TRY(nd_input_options_read(s->options.input, &s->input, error));
    return nd_analyzer_options_read(s->options.analyzer, &s->analyzer, error);
}

nd_status nd_signatures(const nd_signatures_options *options, nd_signed_fn *fn, void *context,
                        nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    sign_run s = {.receiver = {.fn = fn, .context = context}};
    ND_TRY(nd_need(fn, "fn", error));
    ND_TRY(nd_job_summary_check(summary, error));
    ND_TRY(read_options(options, &s, error));
    s.receiver.perms = s.options.perms;
    s.receiver.bands = s.options.bands;
    s.receiver.with_sets = s.options.with_sets;
    nd_status status = run(&s, error);
    if (status == ND_OK) nd_job_summary_give(summary, &s.summary);
    nd_minhash_free(s.minhash);
    nd_corpus_close(s.corpus);
    nd_run_end(&s.run);
    return status;
}
