/* Compares two texts by all measures: makes of each text its tokens, shingle set, sketches,
 * fingerprint and vectors; computes one measure after the other; and finds the passages that both
 * texts share, as offsets in bytes. */
#include "base/alloc.h"
#include "base/argument.h"
#include "base/options.h"
#include "base/floats.h"
#include "base/status.h"
#include "similarity/suffix_automaton.h"
#include "similarity/tf_vector.h"
#include "text/differ_by.h"
#include "text/token_offsets.h"

#include <math.h>
#include <string.h>

/* `result` is the first member, so that a pointer to it is a pointer to the whole. */
typedef struct comparison {
    nd_comparison result;
    nd_allocator allocator;
    nd_passage *passages;
    char *apart;
} comparison;

typedef struct side {
    const char *name; /* for messages */
    const char *text;
    size_t length;
    nd_token_offsets tokens;
    uint64_t *shingles; /* sorted and distinct */
    size_t shingle_count;
    uint32_t *signature;
    nd_bottom_k *bottom_k;
    nd_tf_vector vector, weighted;
    nd_compared_text *result;
} side;

typedef struct text_comparer {
    nd_compare_options options;
    nd_analyzer_options analyzer;
    nd_allocator allocator;
    nd_analyzer *shingler, *featurer;
    nd_text_simhash *plain, *weighted; /* weighted NULL: there is no weight table */
    nd_minhash *minhash;
    side a, b;
} text_comparer;

static const nd_compare_options defaults = {.struct_size = sizeof defaults,
                                            .bits = 64,
                                            .threshold = .8,
                                            .recall = .999,
                                            .perms = 128,
                                            .bottom_k = 256,
                                            .least_run = 8,
                                            .gap = 4};

void nd_compare_options_init(nd_compare_options *options, size_t struct_size) {
    nd_options_init(options, struct_size, &defaults, sizeof defaults);
}

/* ---- one text */

static nd_status make_set(text_comparer *c, side *s, nd_error *error) {
    nd_shingles shingles;
    ND_TRY(nd_analyze(c->shingler, s->text, s->length, &shingles, error));
    s->shingles = nd_allocate(&c->allocator, shingles.count, sizeof *s->shingles);
    s->signature = nd_allocate(&c->allocator, c->options.perms, sizeof *s->signature);
    if (!s->shingles || !s->signature)
        return nd_fail_memory(error, shingles.count * sizeof *s->shingles, "a text's shingles");
    memcpy(s->shingles, shingles.hashes, shingles.count * sizeof *s->shingles);
    s->shingle_count = nd_set_make(s->shingles, shingles.count);
    nd_minhash_sign(c->minhash, s->shingles, s->shingle_count, s->signature);
    ND_TRY(nd_bottom_k_create(c->options.bottom_k, c->analyzer.seed, &c->allocator, &s->bottom_k,
                              error));
    nd_bottom_k_add(s->bottom_k, s->shingles, s->shingle_count);
    s->result->size = nd_bottom_k_size(s->bottom_k);
    s->result->tokens = shingles.tokens;
    s->result->shingles = s->shingle_count;
    return ND_OK;
}

static nd_status make_features(text_comparer *c, side *s, nd_error *error) {
    nd_shingles features;
    ND_TRY(nd_analyze(c->featurer, s->text, s->length, &features, error));
    ND_TRY(nd_tf_vector_make(c->plain, &c->allocator, &features, &s->vector, error));
    if (c->weighted)
        ND_TRY(nd_tf_vector_make(c->weighted, &c->allocator, &features, &s->weighted, error));
    return nd_text_simhash_of_shingles(c->weighted ? c->weighted : c->plain, &features,
                                       &s->result->fingerprint, error);
}

static nd_status make_side(text_comparer *c, side *s, nd_error *error) {
    nd_error inner;
    nd_status status = nd_token_offsets_add(&s->tokens, c->shingler, s->text, s->length,
                                            &c->allocator, &inner);
    if (status == ND_OK) status = make_set(c, s, &inner);
    if (status == ND_OK) status = make_features(c, s, &inner);
    return status == ND_OK ? ND_OK : nd_fail(error, status, "%s: %s", s->name, inner.message);
}

static void free_side(text_comparer *c, side *s) {
    nd_token_offsets_free(&s->tokens, &c->allocator);
    nd_release(&c->allocator, s->shingles);
    nd_release(&c->allocator, s->signature);
    nd_bottom_k_free(s->bottom_k);
    nd_tf_vector_free(&c->allocator, &s->vector);
    nd_tf_vector_free(&c->allocator, &s->weighted);
}

/* ---- both */

static double share(uint64_t part, uint64_t whole) {
    return whole > 0 ? (double)part / (double)whole : 1;
}

static void measure(const text_comparer *c, nd_comparison *result) {
    const side *a = &c->a, *b = &c->b;
    nd_overlap overlap = nd_set_overlap(a->shingles, a->shingle_count, b->shingles,
                                        b->shingle_count);
    result->intersection = overlap.intersection;
    result->set_union = overlap.size_a + overlap.size_b - overlap.intersection;
    result->jaccard = nd_jaccard(overlap);
    result->containment = nd_containment(overlap);
    result->a_in_b = share(overlap.intersection, overlap.size_a);
    result->b_in_a = share(overlap.intersection, overlap.size_b);
    result->cosine = nd_tf_vector_cosine(a->vector.words, a->vector.count, b->vector.words,
                                         b->vector.count);
    result->weighted_cosine = c->weighted
                                  ? nd_tf_vector_cosine(a->weighted.words, a->weighted.count,
                                                        b->weighted.words, b->weighted.count)
                                  : (double)NAN;
    result->bits = c->options.bits;
    result->distance = nd_distance(result->a.fingerprint, result->b.fingerprint);
    result->estimate = nd_minhash_estimate(a->signature, b->signature, c->options.perms);
    result->standard_error = sqrt(result->jaccard * (1 - result->jaccard) / c->options.perms);
    result->found = nd_plan_probability(&result->plan, result->jaccard);
}

/* Merges runs of tokens to passages, and converts positions of tokens to offsets in bytes. */
static nd_status make_passages(const text_comparer *c, const nd_common_run *runs, size_t count,
                               comparison *out, nd_error *error) {
    nd_common_passage *merged = nd_allocate(&c->allocator, count, sizeof *merged);
    out->passages = nd_allocate(&c->allocator, count, sizeof *out->passages);
    if (!merged || !out->passages) {
        nd_release(&c->allocator, merged);
        return nd_fail_memory(error, count * sizeof *merged, "shared passages");
    }
    out->result.passage_count = nd_common_runs_merge(runs, count, c->options.gap, merged);
    out->result.passages = out->passages;
    for (size_t i = 0; i < out->result.passage_count; i++) {
        const nd_common_passage *p = &merged[i];
        const nd_text_range *a = c->a.tokens.places, *b = c->b.tokens.places;
        out->passages[i] = (nd_passage){.a_begin = a[p->a_begin].begin,
                                        .a_end = a[p->a_end - 1].end,
                                        .b_begin = b[p->b_begin].begin,
                                        .b_end = b[p->b_end - 1].end,
                                        .tokens = p->tokens};
    }
    nd_release(&c->allocator, merged);
    return ND_OK;
}

static nd_status find_passages(const text_comparer *c, comparison *out, nd_error *error) {
    nd_suffix_automaton *index = NULL;
    nd_common_run *runs = NULL;
    size_t count = 0;
    nd_status status = nd_suffix_automaton_create(c->b.tokens.hashes, c->b.tokens.count,
                                                  &c->allocator, &index, error);
    if (status == ND_OK)
        status = nd_common_runs_find(index, c->a.tokens.hashes, c->a.tokens.count,
                                     c->options.least_run, &runs, &count, error);
    nd_suffix_automaton_free(index);
    if (status == ND_OK && count > 0) status = make_passages(c, runs, count, out, error);
    nd_release(&c->allocator, runs);
    return status;
}

/* ---- the comparison */

static nd_status open_comparer(text_comparer *c, nd_plan *plan, nd_error *error) {
    const nd_compare_options *o = &c->options;
    nd_analyzer_options shingles = c->analyzer, features = c->analyzer;
    shingles.stem = NULL;
    features.ngram = o->feature_ngram ? o->feature_ngram : features.kind == ND_CHARS ? 5 : 1;
    nd_simhash_options plain = {.bits = o->bits, .weighting = ND_WEIGHTING_TF, .stop = o->stop},
                       weighted = {.bits = o->bits,
                                   .weighting = ND_WEIGHTING_TABLE,
                                   .table = o->table,
                                   .stop = o->stop};
    if (o->feature_ngram > 64)
        return nd_fail(error, ND_ERR_ARGUMENT, "feature_ngram must be 0 to 64, not %u",
                       o->feature_ngram);
    if (o->bottom_k < 2 || o->bottom_k > 65536)
        return nd_fail(error, ND_ERR_ARGUMENT, "bottom_k must be 2 to 65536, not %u", o->bottom_k);
    if (o->least_run < 1)
        return nd_fail(error, ND_ERR_ARGUMENT, "least_run must be at least 1, not 0");
    ND_TRY(nd_plan_choose(o->threshold, o->recall, o->perms, plan, error));
    ND_TRY(nd_minhash_create(o->perms, c->analyzer.seed, &c->allocator, &c->minhash, error));
    ND_TRY(
        nd_analyzer_create_for(ND_SHINGLES_ALONE, &shingles, &c->allocator, &c->shingler, error));
    ND_TRY(
        nd_analyzer_create_for(ND_SHINGLES_ALONE, &features, &c->allocator, &c->featurer, error));
    ND_TRY(nd_text_simhash_create(c->featurer, &plain, NULL, &c->plain, error));
    if (o->table) ND_TRY(nd_text_simhash_create(c->featurer, &weighted, NULL, &c->weighted, error));
    return ND_OK;
}

static void close_comparer(text_comparer *c) {
    free_side(c, &c->a);
    free_side(c, &c->b);
    nd_text_simhash_free(c->weighted);
    nd_text_simhash_free(c->plain);
    nd_analyzer_free(c->featurer);
    nd_analyzer_free(c->shingler);
    nd_minhash_free(c->minhash);
}

static nd_status find_difference(const text_comparer *c, comparison *out, nd_error *error) {
    const nd_compare_options *o = &c->options;
    nd_differ_by *lists;
    if (o->differ_by_count == 0) return ND_OK;
    ND_TRY(nd_differ_by_create(o->differ_by, o->differ_by_count, &c->allocator, &lists, error));
    nd_status status = nd_differ_by_explain(lists, c->a.text, c->a.length, c->b.text, c->b.length,
                                            &out->apart, error);
    out->result.apart = out->apart;
    nd_differ_by_free(lists);
    return status;
}

static nd_status run(text_comparer *c, comparison *out, nd_error *error) {
    ND_TRY(open_comparer(c, &out->result.plan, error));
    ND_TRY(make_side(c, &c->a, error));
    ND_TRY(make_side(c, &c->b, error));
    ND_TRY(nd_bottom_k_estimate(c->a.bottom_k, c->b.bottom_k, &out->result.bottom_k, error));
    measure(c, &out->result);
    ND_TRY(find_difference(c, out, error));
    return find_passages(c, out, error);
}

nd_status nd_compare(const nd_compare_options *options, const char *a, size_t length_a,
                     const char *b, size_t length_b, nd_comparison **out, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need_array(a, length_a, "a", error));
    ND_TRY(nd_need_array(b, length_b, "b", error));
    ND_TRY(nd_need(out, "out", error));
    nd_compare_options o = defaults;
    nd_analyzer_options analyzer;
    ND_TRY(ND_READ_OPTIONS(options, &o, "nd_compare_options", error));
    ND_TRY(nd_need_array(o.differ_by, o.differ_by_count, "differ_by", error));
    ND_TRY(nd_analyzer_options_read(o.analyzer, &analyzer, error));
    nd_allocator memory = nd_allocator_or_default(o.allocator);
    comparison *made = nd_allocate_zero(&memory, 1, sizeof *made);
    if (!made) return nd_fail_memory(error, sizeof *made, "a comparison");
    made->allocator = memory;
    text_comparer c = {
        .allocator = memory,
        .options = o,
        .analyzer = analyzer,
        .a = {.name = "a", .text = a ? a : "", .length = length_a, .result = &made->result.a},
        .b = {.name = "b", .text = b ? b : "", .length = length_b, .result = &made->result.b}};
    nd_status status = run(&c, made, error);
    close_comparer(&c);
    if (status != ND_OK) {
        nd_comparison_free(&made->result);
        return status;
    }
    *out = &made->result;
    return ND_OK;
}

void nd_comparison_free(nd_comparison *result) {
    if (!result) return;
    comparison *made = (comparison *)result;
    nd_allocator allocator = made->allocator;
    nd_release(&allocator, made->passages);
    nd_release(&allocator, made->apart);
    nd_release(&allocator, made);
}
