/* The parts of a job's options together, for tests: a test changes members of the parts, and then
 * gets the options of a job, which point to the parts. */
#ifndef ND_TESTS_JOB_PARTS_H
#define ND_TESTS_JOB_PARTS_H

#include "neardup.h"

typedef struct job_parts {
    nd_input_options input;
    nd_analyzer_options analyzer;
    nd_similarity_options similarity;
    nd_simhash_options simhash; /* the defaults of nd_dedup */
    nd_survivor_options survivors;
    nd_index_use index; /* used if it has a path or an index */
    nd_output_options outputs;
    nd_resources resources;
    /* Results of the functions below. */
    nd_dedup_options dedup;
    nd_exact_options exact;
    nd_pairs_options pairs;
    nd_audit_options audit;
    nd_tune_options tune;
    nd_fingerprints_options fingerprints;
    nd_signatures_options signatures;
    nd_digests_options digests;
    nd_idf_options idf;
    nd_keywords_options keywords;
    nd_passages_options passages;
} job_parts;

static inline void job_parts_init(job_parts *p) {
    *p = (job_parts){.survivors.struct_size = sizeof p->survivors,
                     .index.struct_size = sizeof p->index,
                     .outputs.struct_size = sizeof p->outputs};
    nd_input_options_init(&p->input, sizeof p->input);
    nd_analyzer_options_init(&p->analyzer, sizeof p->analyzer);
    nd_similarity_options_init(&p->similarity, sizeof p->similarity);
    nd_simhash_options_init(&p->simhash, sizeof p->simhash);
    p->simhash.weighting = ND_WEIGHTING_COUNTED;
    nd_resources_init(&p->resources, sizeof p->resources);
    nd_audit_options_init(&p->audit, sizeof p->audit);
    nd_tune_options_init(&p->tune, sizeof p->tune);
    nd_idf_options_init(&p->idf, sizeof p->idf);
    nd_passages_options_init(&p->passages, sizeof p->passages);
}

/* Each is valid until the parts change or move. */

static inline const nd_dedup_options *dedup_of(job_parts *p) {
    bool index = p->index.path || p->index.index;
    p->similarity.analyzer = &p->analyzer;
    p->similarity.simhash = &p->simhash;
    p->dedup = (nd_dedup_options){.struct_size = sizeof p->dedup,
                                  .input = &p->input,
                                  .similarity = &p->similarity,
                                  .survivors = &p->survivors,
                                  .index = index ? &p->index : NULL,
                                  .outputs = &p->outputs,
                                  .resources = &p->resources};
    return &p->dedup;
}

static inline const nd_exact_options *exact_of(job_parts *p, nd_equal by) {
    bool index = p->index.path || p->index.index;
    p->exact = (nd_exact_options){.struct_size = sizeof p->exact,
                                  .input = &p->input,
                                  .by = by,
                                  .analyzer = &p->analyzer,
                                  .survivors = &p->survivors,
                                  .outputs = &p->outputs,
                                  .resources = &p->resources,
                                  .index = index ? &p->index : NULL};
    return &p->exact;
}

/* Writes to outputs.edges. */
static inline const nd_pairs_options *pairs_of(job_parts *p) {
    p->similarity.analyzer = &p->analyzer;
    p->similarity.simhash = &p->simhash;
    p->pairs = (nd_pairs_options){.struct_size = sizeof p->pairs,
                                  .input = &p->input,
                                  .similarity = &p->similarity,
                                  .output = p->outputs.edges,
                                  .on_pair = p->outputs.on_pair,
                                  .context = p->outputs.context,
                                  .resources = &p->resources};
    return &p->pairs;
}

/* The caller sets audit.sample, seed, on_missed and context. */
static inline const nd_audit_options *audit_of(job_parts *p) {
    p->similarity.analyzer = &p->analyzer;
    p->similarity.simhash = &p->simhash;
    p->audit.input = &p->input;
    p->audit.similarity = &p->similarity;
    p->audit.survivors = &p->survivors;
    p->audit.resources = &p->resources;
    return &p->audit;
}

static inline const nd_tune_options *tune_of(job_parts *p) {
    p->tune.input = &p->input;
    p->tune.analyzer = &p->analyzer;
    p->tune.resources = &p->resources;
    return &p->tune;
}

/* This, idf_of and keywords_of write to outputs.kept. `simhash`, `keywords` NULL: the defaults. */
static inline const nd_fingerprints_options *fingerprints_of(job_parts *p,
                                                             const nd_simhash_options *simhash) {
    p->fingerprints = (nd_fingerprints_options){.struct_size = sizeof p->fingerprints,
                                                .input = &p->input,
                                                .analyzer = &p->analyzer,
                                                .simhash = simhash,
                                                .output = p->outputs.kept,
                                                .resources = &p->resources};
    return &p->fingerprints;
}

static inline const nd_digests_options *digests_of(job_parts *p, nd_tlsh_variant variant) {
    p->digests = (nd_digests_options){.struct_size = sizeof p->digests,
                                      .input = &p->input,
                                      .resources = &p->resources,
                                      .variant = variant};
    return &p->digests;
}

static inline const nd_signatures_options *signatures_of(job_parts *p, uint32_t perms) {
    p->signatures = (nd_signatures_options){.struct_size = sizeof p->signatures,
                                            .input = &p->input,
                                            .analyzer = &p->analyzer,
                                            .resources = &p->resources,
                                            .perms = perms};
    return &p->signatures;
}

static inline const nd_idf_options *idf_of(job_parts *p) {
    p->idf.input = &p->input;
    p->idf.analyzer = &p->analyzer;
    p->idf.output = p->outputs.kept;
    p->idf.resources = &p->resources;
    return &p->idf;
}

static inline const nd_keywords_options *keywords_of(job_parts *p,
                                                     const nd_keyword_options *keywords) {
    p->keywords = (nd_keywords_options){.struct_size = sizeof p->keywords,
                                        .input = &p->input,
                                        .analyzer = &p->analyzer,
                                        .keywords = keywords,
                                        .output = p->outputs.kept,
                                        .resources = &p->resources};
    return &p->keywords;
}

/* The caller sets passages.source, least_run, gap and texts. */
static inline const nd_passages_options *passages_of(job_parts *p) {
    p->passages.input = &p->input;
    p->passages.analyzer = &p->analyzer;
    p->passages.resources = &p->resources;
    return &p->passages;
}

#endif
