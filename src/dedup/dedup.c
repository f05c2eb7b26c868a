/* nd_dedup, nd_exact, nd_pairs, nd_audit and nd_tune: runs the stages in order, and passes the
 * results of each to the next ones.
 *
 *   read     ingest              records -> columns, band keys, hashes
 *   match    ranks               priorities -> the order in which documents are considered
 *            exact_copies        equal token sequences -> fates
 *            repeated_ids        a warning, or with an index an error
 *            simhash_pass        a second reading, for fingerprints that need all word counts
 *            propose_by_bands    band keys -> candidates
 *            propose_by_hamming  fingerprints -> candidates
 *            propose_by_tlsh     TLSH digests -> candidates
 *            propose_by_anchors  anchors, and a second reading -> candidates
 *   decide   decide              candidates -> fates, by comparing pairs (pair_verifier)
 *            components          found pairs -> fates, if one document of each component is kept
 *            losses              fates -> where documents are lost
 *   write    report              fates -> kept records, tables, callbacks; begins while deciding
 *            index_update        kept documents -> the index
 *   audit                        in place of "write": candidates, fates, texts -> shares
 *   exact_copies alone decides for nd_exact, with an index also indexed_copies: nothing is
 *   proposed, and no pair is compared
 *   tuner                        behind exact_copies, in place of the rest: texts -> shares */
#include "base/argument.h"
#include "base/floats.h"
#include "base/machine.h"
#include "base/options.h"
#include "base/workers.h"
#include "dedup/audit.h"
#include "dedup/components.h"
#include "dedup/decide.h"
#include "dedup/exact_copies.h"
#include "dedup/indexed_copies.h"
#include "dedup/losses.h"
#include "dedup/propose_by_anchors.h"
#include "dedup/propose_by_bands.h"
#include "dedup/propose_by_hamming.h"
#include "dedup/propose_by_tlsh.h"
#include "dedup/repeated_ids.h"
#include "dedup/report.h"
#include "dedup/simhash_pass.h"
#include "dedup/tuner.h"

#include <string.h>

/* The results of the stages, in the order in which they are made. */
typedef struct dedup {
    nd_dedup_parts options;
    nd_run run;
    nd_corpus *corpus;
    nd_index_update *update; /* NULL: there is no index */
    nd_dedup_plan plan;
    nd_protected_values protect;
    nd_dedup_outputs outputs;
    nd_ingested ingested;
    nd_ranks ranks;
    nd_fates fates;
    nd_candidates candidates;
    nd_pair_sample sample;
    nd_report *report;             /* NULL except inside decide_and_write */
    const nd_audit_options *audit; /* NULL: the results are written */
    nd_audit_result audited;
    const nd_tune_options *tune; /* NULL: documents are decided */
    nd_tune_result tuned;
    nd_job_summary summary;
    double stage_began; /* nd_seconds() */
} dedup;

static const nd_store *store_of(const dedup *d) {
    return d->update ? nd_index_update_store(d->update) : NULL;
}

static nd_ranked documents_of(const dedup *d) {
    return (nd_ranked){&d->ingested.columns, &d->ranks, store_of(d)};
}

static void end_stage(dedup *d, nd_stage stage) {
    double now = nd_seconds();
    d->summary.seconds[stage] += now - d->stage_began;
    d->stage_began = now;
}

/* ---- read */

static void describe_plan(const nd_dedup_plan *plan, nd_job_summary *summary) {
    summary->plan = plan->bands;
    summary->sentences = plan->sentences;
    summary->anchor_plan = plan->anchors;
    if (nd_plan_has_anchors(plan)) summary->plan.bands = 0;
    if (nd_plan_has_digests(plan)) {
        summary->buckets = 128;
        summary->distance = plan->distance;
    }
    if (!nd_plan_has_fingerprints(plan)) return;
    summary->bits = plan->simhash.bits;
    summary->k = plan->k;
}

/* Opens the index before the plan is made, because its settings fix the bands, and whether sets are
 * kept. */
static nd_status open_index(dedup *d, nd_error *error) {
    if (!nd_has_index(&d->options)) return ND_OK;
    ND_TRY(nd_index_update_open(&d->run, &d->options, &d->update, error));
    nd_memory_reserve_sets(&d->run.budget);
    return nd_dedup_plan_make(d->plan.goal, &d->options, nd_index_update_settings(d->update),
                              &d->plan, error);
}

static nd_status read_documents(dedup *d, nd_dedup_goal goal, nd_error *error) {
    const nd_dedup_parts *o = &d->options;
    ND_TRY(nd_run_begin(o->resources, o->outputs.kept ? o->outputs.kept : o->outputs.edges, &d->run,
                        error));
    ND_TRY(nd_dedup_plan_make(goal, o, NULL, &d->plan, error));
    ND_TRY(nd_protected_values_make(o->survivors.protect, o->survivors.protect_count,
                                    &d->run.allocator, &d->protect, error));
    const nd_input_plan input = {.use = ND_INPUT_AGAIN,
                                 .analyzer = o->analyzer.kind,
                                 .value_field = d->plan.keep_field,
                                 .protect = &d->protect,
                                 .label_field = d->plan.losses_by};
    ND_TRY(nd_run_open_input(&d->run, &o->input, &input, &d->corpus, error));
    ND_TRY(open_index(d, error));
    ND_TRY(nd_dedup_outputs_open(&d->run, &o->outputs, &d->plan, d->corpus, &d->outputs, error));
    describe_plan(&d->plan, &d->summary);
    ND_TRY(nd_ingest(&d->run, &o->input, &d->plan, d->corpus, &d->ingested, error));
    nd_summary_add_scan(&d->summary, &d->ingested.counts);
    d->summary.without_digest = d->ingested.without_digest;
    end_stage(d, ND_STAGE_READ);
    return ND_OK;
}

/* ---- match */

/* If no record is protected, the name of the field or the value is most likely wrong. */
static void check_protection(const dedup *d) {
    if (d->protect.count > 0 && d->ingested.protected_count == 0)
        nd_warn(&d->run.warnings,
                "--protect (protect): no record is protected: none has %s, or another field that "
                "is given, with its value",
                d->protect.fields[0]);
}

/* The same of a field by which losses are counted. */
static void check_losses_by(const dedup *d) {
    if (d->plan.losses_by && d->ingested.columns.count > 0 &&
        d->ingested.named[ND_NAMED_FIELD].named == 0)
        nd_warn(&d->run.warnings, "--losses-by (losses_by): no record has the field %s",
                d->plan.losses_by);
}

static nd_status make_ranks(dedup *d, uint32_t count, uint32_t base, nd_error *error) {
    const nd_ranks_request request = {.run = &d->run,
                                      .plan = &d->plan,
                                      .priorities = &d->ingested.priorities,
                                      .protected_bits = d->ingested.protected_bits,
                                      .base = base,
                                      .count = count};
    check_protection(d);
    check_losses_by(d);
    d->ingested.protected_bits = NULL;
    ND_TRY(nd_ranks_make(&request, &d->ranks, error));
    d->summary.without_value = d->ranks.without_value;
    return ND_OK;
}

static nd_status resolve_equal(dedup *d, nd_error *error) {
    uint32_t count = (uint32_t)d->ingested.columns.count,
             base = d->update ? nd_index_update_base(d->update) : 0;
    ND_TRY(make_ranks(d, count, base, error));
    ND_TRY(nd_fates_init(&d->fates, &d->run, count, error));
    ND_TRY(nd_find_exact_copies(&d->run, &d->ingested, &d->ranks, &d->fates, error));
    ND_TRY(nd_find_repeated_ids(&d->run, &d->ingested,
                                d->update ? ND_REPEATED_IDS_FAIL : ND_REPEATED_IDS_WARN,
                                &d->summary.duplicate_ids, error));
    return d->update ? nd_index_update_check_ids(d->update, &d->ingested.columns, error) : ND_OK;
}

static nd_status propose(dedup *d, nd_error *error) {
    const nd_hamming_request hamming = {.run = &d->run,
                                        .plan = &d->plan,
                                        .columns = &d->ingested.columns,
                                        .ranks = &d->ranks,
                                        .fates = &d->fates};
    const nd_tlsh_request tlsh = {.run = &d->run,
                                  .plan = &d->plan,
                                  .columns = &d->ingested.columns,
                                  .ranks = &d->ranks,
                                  .fates = &d->fates};
    const nd_bands_request bands = {.run = &d->run,
                                    .plan = &d->plan,
                                    .band_keys = d->ingested.band_keys,
                                    .ranks = &d->ranks,
                                    .fates = &d->fates,
                                    .store = store_of(d),
                                    .differ_keys = d->ingested.columns.differ_keys,
                                    .replaced = d->update ? nd_index_update_replaced(d->update)
                                                          : NULL};
    const nd_anchors_request anchors = {.run = &d->run,
                                        .plan = &d->plan,
                                        .columns = &d->ingested.columns,
                                        .anchors = d->ingested.band_keys,
                                        .ranks = &d->ranks,
                                        .fates = &d->fates};
    ND_TRY(nd_plan_has_fingerprints(&d->plan)
               ? nd_propose_by_hamming(&hamming, &d->candidates, error)
           : nd_plan_has_digests(&d->plan) ? nd_propose_by_tlsh(&tlsh, &d->candidates, error)
           : nd_plan_has_anchors(&d->plan) ? nd_propose_by_anchors(&anchors, &d->candidates, error)
                                           : nd_propose_by_bands(&bands, &d->candidates, error));
    d->summary.large_buckets = d->candidates.large_buckets;
    if (d->update) return ND_OK; /* the update needs the band keys */
    nd_key_sort_free(d->ingested.band_keys);
    d->ingested.band_keys = NULL;
    return ND_OK;
}

/* All that nd_exact still has to match. */
static nd_status match_hashes(dedup *d, nd_error *error) {
    if (!d->update) return ND_OK;
    const nd_indexed_copies_request request = {.run = &d->run,
                                               .columns = &d->ingested.columns,
                                               .hash_keys = d->ingested.band_keys,
                                               .ranks = &d->ranks,
                                               .update = d->update};
    return nd_find_indexed_copies(&request, &d->fates, error);
}

static nd_status match(dedup *d, nd_error *error) {
    uint32_t count = (uint32_t)d->ingested.columns.count;
    ND_TRY(resolve_equal(d, error));
    if (d->update) ND_TRY(nd_index_update_begin_merge(d->update, count, error));
    if (d->plan.counts_words) {
        end_stage(d, ND_STAGE_MATCH);
        ND_TRY(nd_fingerprint_counted(&d->run, &d->plan, &d->fates, &d->ingested, error));
        end_stage(d, ND_STAGE_READ);
    }
    ND_TRY(d->plan.exact ? match_hashes(d, error) : propose(d, error));
    end_stage(d, ND_STAGE_MATCH);
    return ND_OK;
}

/* ---- decide */

static nd_update_source source_of(const dedup *d) {
    return (nd_update_source){&d->ingested.columns, &d->ranks, &d->fates, d->ingested.band_keys};
}

/* Whether a block of documents can be given away when it is decided: documents are considered in
 * the order of input, and the job cannot be refused any more. */
static bool gives_blocks(const dedup *d) {
    return !d->ranks.order && d->report && !nd_has_limit(&d->options);
}

/* nd_decided_fn */
static nd_status report_block(void *context, uint32_t decided, nd_error *error) {
    return nd_report_until(((dedup *)context)->report, decided, error);
}

/* nd_decided_fn */
static nd_status index_block(void *context, uint32_t decided, nd_error *error) {
    dedup *d = context;
    const nd_update_source source = source_of(d);
    return nd_index_update_checkpoint(d->update, &source, decided, error);
}

static void count_decided(nd_job_summary *summary, const nd_decide_counts *counts) {
    summary->candidates = counts->comparisons.candidates;
    summary->verified = counts->comparisons.verified;
    summary->rejected = counts->comparisons.rejected;
    summary->kept_apart = counts->comparisons.kept_apart;
    memcpy(summary->duplicates_by_similarity, counts->comparisons.duplicates_by_similarity,
           sizeof summary->duplicates_by_similarity);
    memcpy(summary->rejected_by_similarity, counts->comparisons.rejected_by_similarity,
           sizeof summary->rejected_by_similarity);
    summary->bounded_documents = counts->bounded_documents;
    summary->bounded_comparisons = counts->bounded_comparisons;
    summary->spared = counts->spared;
}

static nd_status tell_losses(dedup *d, nd_error *error) {
    const nd_ranked documents = documents_of(d);
    const nd_evidence_source evidence = {&d->fates, &d->ranks, d->update};
    const nd_losses_request request = {.run = &d->run,
                                       .options = &d->options,
                                       .plan = &d->plan,
                                       .documents = &documents,
                                       .evidence = &evidence,
                                       .ingested = &d->ingested};
    bool removes = d->plan.goal == ND_GOAL_DEDUP && !d->audit;
    return removes ? nd_losses_tell(&request, error) : ND_OK;
}

/* Whether blocks are reported while later ones are compared. */
static bool reports_blocks(const dedup *d) {
    return gives_blocks(d) && !d->plan.exact && d->plan.compare == ND_COMPARE_UNTIL_FIRST;
}

static nd_status compare(dedup *d, const nd_verifier_plan *verifier, nd_error *error) {
    bool gives = gives_blocks(d);
    const nd_decide_request request = {.verifier = verifier,
                                       .known = d->update ? nd_index_update_known(d->update) : NULL,
                                       .sample = d->sample.most > 0 ? &d->sample : NULL,
                                       .decided = gives && d->update ? index_block : NULL,
                                       .report = reports_blocks(d) ? report_block : NULL,
                                       .context = d};
    nd_decide_counts counts;
    ND_TRY(nd_decide(&request, &d->candidates, &d->fates, &counts, error));
    counts.bounded_documents += d->candidates.bounded_documents;
    counts.bounded_comparisons += d->candidates.left_out;
    counts.comparisons.kept_apart += d->candidates.kept_apart;
    count_decided(&d->summary, &counts);
    if (d->plan.by_component)
        ND_TRY(nd_remove_by_component(verifier, &d->fates, &d->summary.spared, error));
    return ND_OK;
}

/* nd_worker_fn: The first thread tells losses. The second one drops the file of shingles if all
 * documents are reported, because then no stage needs it, and to drop a large file takes time. */
static nd_status end_deciding(void *context, uint32_t index, nd_error *error) {
    dedup *d = context;
    bool second = index == 1 || d->run.threads == 1; /* or there is no second one */
    if (second && reports_blocks(d)) nd_shingle_spool_empty(d->ingested.columns.shingles);
    return index == 0 ? tell_losses(d, error) : ND_OK;
}

static nd_status decide(dedup *d, const nd_verifier_plan *verifier, nd_error *error) {
    uint32_t threads = d->run.threads == 1 ? 1 : 2;
    if (!d->plan.exact) ND_TRY(compare(d, verifier, error));
    ND_TRY(nd_run_workers(&d->run.allocator, threads, end_deciding, d, error));
    end_stage(d, ND_STAGE_DECIDE);
    return ND_OK;
}

/* ---- write */

static void count_reported(nd_job_summary *summary, const nd_report_counts *counts) {
    summary->kept = counts->kept;
    summary->removed = counts->removed;
    summary->exact_copies = counts->exact_copies;
    summary->pairs = counts->pairs;
    summary->output_bytes += counts->directory_bytes;
    summary->bounded_documents += counts->bounded_documents;
    summary->bounded_comparisons += counts->bounded_comparisons;
}

/* Gives the outputs their names first, then adds documents to the index. If the index fails, the
 * files that had these names before get them back. */
static nd_status write_results(dedup *d, nd_error *error) {
    nd_report_counts counts;
    const nd_update_source source = source_of(d);
    ND_TRY(nd_report_finish(d->report, &counts, error));
    count_reported(&d->summary, &counts);
    ND_TRY(nd_dedup_outputs_publish(&d->outputs, &d->run, &d->plan, &d->summary, error));
    if (d->update) ND_TRY(nd_index_update_finish(d->update, &source, error));
    nd_dedup_outputs_accept(&d->outputs);
    end_stage(d, ND_STAGE_WRITE);
    d->summary.seconds[ND_STAGE_WRITE] -= d->summary.seconds[ND_STAGE_SYNC];
    return ND_OK;
}

/* ---- the run */

static nd_verifier_plan verifier_of(const dedup *d) {
    return (nd_verifier_plan){.run = &d->run,
                              .plan = &d->plan,
                              .documents = documents_of(d),
                              .index = d->update ? nd_index_update_path(d->update) : NULL,
                              .words = d->ingested.words};
}

static nd_status decide_and_audit(dedup *d, nd_error *error) {
    const nd_verifier_plan verifier = verifier_of(d);
    const nd_audit_request request = {.options = d->audit,
                                      .verifier = &verifier,
                                      .fates = &d->fates,
                                      .candidates = &d->candidates};
    ND_TRY(decide(d, &verifier, error));
    ND_TRY(nd_audit_measure(&request, &d->audited, error));
    end_stage(d, ND_STAGE_WRITE);
    return ND_OK;
}

static nd_status decide_and_write(dedup *d, nd_error *error) {
    const nd_verifier_plan verifier = verifier_of(d);
    const nd_report_request report = {.options = &d->options.outputs,
                                      .verifier = &verifier,
                                      .fates = &d->fates,
                                      .update = d->update,
                                      .sample = &d->sample,
                                      .outputs = &d->outputs};
    const nd_output_options *o = &d->options.outputs;
    d->sample = (nd_pair_sample){.allocator = d->run.allocator,
                                 .most = o->review || o->on_example ? (uint32_t)o->review_pairs
                                                                    : 0};
    nd_status status = nd_report_create(&report, &d->report, error);
    if (status == ND_OK) status = decide(d, &verifier, error);
    nd_candidates_free(&d->candidates);
    if (status == ND_OK) status = write_results(d, error);
    nd_report_free(d->report);
    nd_pair_sample_free(&d->sample);
    return status;
}

static nd_status match_and_tune(dedup *d, nd_error *error) {
    const nd_tune_request request = {.options = d->tune,
                                     .run = &d->run,
                                     .analyzer = &d->plan.analyzer,
                                     .columns = &d->ingested.columns,
                                     .ranks = &d->ranks,
                                     .fates = &d->fates};
    ND_TRY(resolve_equal(d, error));
    end_stage(d, ND_STAGE_MATCH);
    ND_TRY(nd_tune_measure(&request, &d->tuned, error));
    end_stage(d, ND_STAGE_WRITE);
    return ND_OK;
}

static nd_status match_and_decide(dedup *d, nd_error *error) {
    ND_TRY(match(d, error));
    return d->audit ? decide_and_audit(d, error) : decide_and_write(d, error);
}

static void release(dedup *d) {
    nd_candidates_free(&d->candidates);
    nd_fates_free(&d->fates);
    nd_ranks_free(&d->ranks, &d->run.allocator);
    nd_ingested_free(&d->ingested);
    nd_dedup_outputs_free(&d->outputs);
    nd_index_update_free(d->update);
    nd_corpus_close(d->corpus);
    nd_protected_values_free(&d->protect, &d->run.allocator);
    nd_run_end(&d->run);
}

static nd_status run_stages(nd_dedup_goal goal, dedup *d, nd_job_summary *summary,
                            nd_error *error) {
    nd_status status = read_documents(d, goal, error);
    if (status == ND_OK) status = d->tune ? match_and_tune(d, error) : match_and_decide(d, error);
    if (status == ND_OK) {
        nd_run_fill_summary(&d->run, &d->summary);
        nd_job_summary_give(summary, &d->summary);
    }
    release(d);
    return status;
}

nd_status nd_dedup(const nd_dedup_options *options, nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    dedup d = {.stage_began = nd_seconds()};
    ND_TRY(nd_job_summary_check(summary, error));
    ND_TRY(nd_dedup_parts_read(options, &d.options, error));
    return run_stages(ND_GOAL_DEDUP, &d, summary, error);
}

nd_status nd_exact(const nd_exact_options *options, nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    dedup d = {.stage_began = nd_seconds()};
    ND_TRY(nd_job_summary_check(summary, error));
    ND_TRY(nd_dedup_parts_read_exact(options, &d.options, error));
    return run_stages(ND_GOAL_DEDUP, &d, summary, error);
}

nd_status nd_pairs(const nd_pairs_options *options, nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    dedup d = {.stage_began = nd_seconds()};
    ND_TRY(nd_job_summary_check(summary, error));
    ND_TRY(nd_dedup_parts_read_pairs(options, &d.options, error));
    return run_stages(ND_GOAL_PAIRS, &d, summary, error);
}

nd_status nd_audit(const nd_audit_options *options, nd_audit_result *result,
                   nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    nd_audit_options given;
    dedup d = {.stage_began = nd_seconds(), .audit = &given};
    ND_TRY(nd_need(result, "result", error));
    ND_TRY(nd_results_check(result, sizeof *result, "nd_audit_result", error));
    ND_TRY(nd_job_summary_check(summary, error));
    ND_TRY(nd_dedup_parts_read_audit(options, &given, &d.options, error));
    ND_TRY(run_stages(ND_GOAL_DEDUP, &d, summary, error));
    nd_results_write(result, &d.audited, sizeof d.audited);
    return ND_OK;
}

nd_status nd_tune(const nd_tune_options *options, nd_tune_result *result, nd_job_summary *summary,
                  nd_error *error) {
    ND_DEFAULT_FLOATS;
    nd_tune_options given;
    dedup d = {.stage_began = nd_seconds(), .tune = &given};
    ND_TRY(nd_need(result, "result", error));
    ND_TRY(nd_results_check(result, sizeof *result, "nd_tune_result", error));
    ND_TRY(nd_job_summary_check(summary, error));
    ND_TRY(nd_dedup_parts_read_tune(options, &given, &d.options, error));
    ND_TRY(run_stages(ND_GOAL_DEDUP, &d, summary, error));
    nd_results_write(result, &d.tuned, sizeof d.tuned);
    return ND_OK;
}
