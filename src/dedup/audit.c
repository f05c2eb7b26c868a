#include "dedup/audit.h"

#include "base/proportion.h"
#include "dedup/copy_groups.h"
#include "dedup/decide.h"
#include "dedup/true_pairs.h"

typedef struct auditor {
    const nd_audit_request *request;
    const nd_run *run;
    const nd_ranked *documents;
    const nd_fates *fates;
    nd_audit_sample sample;
    nd_copy_groups groups;
    nd_external_sort *truth; /* records of nd_find_true_pairs */
    nd_external_sort *found; /* the pairs that the run finds, in the same order */
    nd_cluster *clusters;    /* by probe: its pairs */
    double promised;         /* pairs that the plan promises to find */
    nd_id_buffer id_a, id_b;
    nd_audit_result result;
} auditor;

static uint32_t document_of(const auditor *a, uint32_t rank) {
    return nd_document_of(a->documents->ranks, rank);
}

/* ---- the pairs that the run finds */

static nd_status push_found(auditor *a, uint32_t one, uint32_t other, nd_error *error) {
    size_t probe = nd_probe_of(&a->sample, one);
    uint64_t word = (uint64_t)probe << 32 | other;
    if (probe == SIZE_MAX) return ND_OK;
    return nd_external_sort_push(a->found, nd_probe_part(probe), word, error);
}

/* nd_found_pair_fn */
static nd_status take_found(void *context, const nd_verdict *pair, nd_error *error) {
    auditor *a = context;
    uint32_t x = document_of(a, pair->earlier), y = document_of(a, pair->later);
    ND_TRY(push_found(a, x, y, error));
    return push_found(a, y, x, error);
}

/* Bit d of the result: document d is a probe. The caller frees it. */
static nd_status mark_probes(const auditor *a, uint8_t **out, nd_error *error) {
    size_t bytes = (size_t)a->fates->count / 8 + 1;
    uint8_t *bits = *out = nd_allocate_zero(&a->run->allocator, bytes, 1);
    if (!bits) return nd_fail_memory(error, bytes, "a sample");
    for (size_t i = 0; i < a->sample.count; i++) {
        uint32_t document = a->sample.probes[i].document;
        bits[document >> 3] |= (uint8_t)(1 << (document & 7));
    }
    return ND_OK;
}

/* Decides as nd_pairs does, and records the pairs that have a probe. */
static nd_status decide_pairs(auditor *a, nd_fates *pairs, nd_error *error) {
    nd_dedup_plan plan = *a->request->verifier->plan;
    nd_verifier_plan verifier = *a->request->verifier;
    nd_decide_counts counts;
    uint8_t *probes = NULL;
    plan.compare = ND_COMPARE_ALL;
    verifier.plan = &plan;
    nd_status status = mark_probes(a, &probes, error);
    const nd_decide_request request = {.verifier = &verifier, .only = probes};
    if (status == ND_OK)
        status = nd_decide(&request, a->request->candidates, pairs, &counts, error);
    if (status == ND_OK)
        a->result.bounded_comparisons = counts.bounded_comparisons +
                                        a->request->candidates->left_out;
    nd_release(&a->run->allocator, probes);
    return status;
}

static nd_status find_pairs(auditor *a, nd_error *error) {
    nd_fates pairs; /* of no documents: only its pairs are in use */
    nd_status status = nd_fates_init(&pairs, a->run, 0, error);
    if (status == ND_OK) status = decide_pairs(a, &pairs, error);
    nd_candidates_free(a->request->candidates);
    if (status == ND_OK) status = nd_probe_sorter_create(a->run, &a->sample, 1, &a->found, error);
    if (status == ND_OK) status = nd_fates_each_pair(&pairs, take_found, a, error);
    nd_fates_free(&pairs);
    return status;
}

/* ---- missed pairs */

static bool is_kept(const auditor *a, uint32_t document) {
    return nd_fate_of(a->fates, document) == ND_FATE_KEPT;
}

/* The number of documents with the tokens of `document`, itself included. */
static uint64_t copies_of(const auditor *a, uint32_t document) {
    return 1 + nd_copies_of(&a->groups, document).count;
}

/* So many pairs of the sample a pair of originals stands for. A pair of two probes counts for both
 * of them, as often as each is sampled. */
static uint64_t pairs_of(const auditor *a, const nd_probe *probe, uint32_t other) {
    size_t second = nd_probe_of(&a->sample, other);
    uint64_t pairs = probe->sampled * copies_of(a, other);
    return second == SIZE_MAX
               ? pairs
               : pairs + a->sample.probes[second].sampled * copies_of(a, probe->document);
}

/* The sizes of a true pair. */
typedef struct true_sizes {
    uint64_t intersection, set_union, smaller;
} true_sizes;

/* Reads the words behind the first one (true_pairs.h). */
static true_sizes sizes_of(const uint64_t *words) {
    return (true_sizes){words[1] >> 32, (uint32_t)words[1], words[2]};
}

static nd_status report_missed(auditor *a, const nd_probe *probe, uint32_t other,
                               const true_sizes *sizes, nd_error *error) {
    const nd_columns *columns = a->documents->columns;
    const nd_audit_options *o = a->request->options;
    bool again = other < probe->document && nd_probe_of(&a->sample, other) != SIZE_MAX;
    if (!o->on_missed || again) return ND_OK;
    ND_TRY(nd_columns_id(columns, probe->document, &a->id_a, error));
    ND_TRY(nd_columns_id(columns, other, &a->id_b, error));
    const nd_missed_pair pair = {.document_a = probe->document,
                                 .document_b = other,
                                 .id_a = a->id_a.id,
                                 .id_b = a->id_b.id,
                                 .id_a_length = a->id_a.length,
                                 .id_b_length = a->id_b.length,
                                 .source_a = a->id_a.source,
                                 .source_b = a->id_b.source,
                                 .line_a = a->id_a.line,
                                 .line_b = a->id_b.line,
                                 .jaccard = (double)sizes->intersection / (double)sizes->set_union,
                                 .containment = (double)sizes->intersection /
                                                (double)sizes->smaller,
                                 .intersection = sizes->intersection,
                                 .set_union = sizes->set_union,
                                 .pairs = pairs_of(a, probe, other),
                                 .remains = is_kept(a, probe->document) && is_kept(a, other)};
    return o->on_missed(o->context, &pair) ? ND_OK : nd_fail(error, ND_ERR_CANCELLED, "cancelled");
}

/* ---- probes, one after the other */

/* The records of a part that are of one probe: from `at` on. */
typedef struct cursor {
    nd_part_buffer part;
    size_t at, words; /* words of a record */
} cursor;

static bool is_at(const cursor *c, uint64_t word) {
    return c->at < c->part.count * c->words && c->part.words[c->at] == word;
}

static bool is_of(const cursor *c, size_t probe) {
    return c->at < c->part.count * c->words && c->part.words[c->at] >> 32 == probe;
}

/* What the records of a probe say of one document of the sample. */
typedef struct probe_totals {
    uint64_t all, missed; /* pairs */
    double promised;
    bool right; /* the document's evidence is its duplicate */
    bool left;  /* a duplicate of it is kept */
} probe_totals;

/* The document that removed it; REQUIRES: it is removed. */
static nd_status find_evidence(const auditor *a, uint32_t document, uint32_t *evidence,
                               nd_error *error) {
    nd_verdict verdict;
    ND_TRY(nd_fates_verdict(a->fates, document, &verdict, error));
    *evidence = document_of(a, verdict.earlier);
    return ND_OK;
}

static bool has_promise(const nd_dedup_plan *plan) {
    return plan->bands.rows > 0 || nd_plan_has_anchors(plan);
}

/* The probability with which the plan finds a pair. */
static double promise_of(const nd_dedup_plan *plan, const true_sizes *s) {
    return nd_plan_has_anchors(plan)
               ? nd_anchor_plan_probability(&plan->anchors,
                                            (double)s->intersection / (double)s->smaller)
               : nd_plan_probability(&plan->bands, (double)s->intersection / (double)s->set_union);
}

static nd_status total_probe(auditor *a, size_t number, cursor *truth, cursor *found,
                             probe_totals *t, nd_error *error) {
    const nd_probe *probe = &a->sample.probes[number];
    const nd_dedup_plan *plan = a->request->verifier->plan;
    uint32_t evidence = probe->document;
    if (!is_kept(a, probe->document)) ND_TRY(find_evidence(a, probe->document, &evidence, error));
    uint64_t copies = copies_of(a, probe->document) - 1;
    *t = (probe_totals){.all = copies, .promised = (double)copies};
    for (; is_of(truth, number); truth->at += truth->words) {
        uint64_t word = truth->part.words[truth->at];
        const true_sizes sizes = sizes_of(truth->part.words + truth->at);
        uint32_t other = (uint32_t)word;
        uint64_t weight = copies_of(a, other);
        while (is_of(found, number) && found->part.words[found->at] < word) found->at++;
        t->all += weight;
        if (has_promise(plan)) t->promised += (double)weight * promise_of(plan, &sizes);
        t->right |= other == evidence;
        t->left |= is_kept(a, other);
        if (is_at(found, word)) continue;
        t->missed += weight;
        ND_TRY(report_missed(a, probe, other, &sizes, error));
    }
    while (is_of(found, number)) found->at++;
    return ND_OK;
}

static void add_probe(auditor *a, size_t number, const probe_totals *t) {
    const nd_probe *probe = &a->sample.probes[number];
    nd_audit_result *r = &a->result;
    r->true_pairs += probe->sampled * t->all;
    r->copies += probe->sampled * (copies_of(a, probe->document) - 1);
    r->missed += probe->sampled * t->missed;
    a->promised += probe->sampled * t->promised;
    a->clusters[number] = (nd_cluster){probe->sampled, t->all, t->missed};
    bool kept = is_kept(a, probe->document);
    uint64_t removed = kept ? probe->sampled - probe->itself : probe->sampled;
    r->kept += kept && probe->itself;
    r->left += kept && probe->itself && t->left;
    r->removed += removed;
    r->wrong += kept || t->right ? 0 : removed;
}

static nd_status join(auditor *a, cursor *truth, cursor *found, nd_error *error) {
    size_t parts = nd_external_sort_parts(a->truth), number = 0;
    for (size_t part = 0; part < parts; part++) {
        truth->at = found->at = 0;
        ND_TRY(nd_external_sort_load_records(a->truth, part, &truth->part, error));
        ND_TRY(nd_external_sort_load_records(a->found, part, &found->part, error));
        for (; number < a->sample.count && nd_probe_part(number) == part; number++) {
            probe_totals totals;
            ND_TRY(total_probe(a, number, truth, found, &totals, error));
            add_probe(a, number, &totals);
        }
    }
    return ND_OK;
}

static nd_status join_pairs(auditor *a, nd_error *error) {
    cursor truth = {.words = ND_TRUE_PAIR_WORDS}, found = {.words = 1};
    a->clusters = nd_allocate(&a->run->allocator, a->sample.count, sizeof *a->clusters);
    if (!a->clusters)
        return nd_fail_memory(error, a->sample.count * sizeof *a->clusters, "a sample");
    nd_status status = join(a, &truth, &found, error);
    nd_part_buffer_free(&a->run->allocator, &truth.part);
    nd_part_buffer_free(&a->run->allocator, &found.part);
    return status;
}

/* ---- the stage */

static void finish(auditor *a) {
    nd_audit_result *r = &a->result;
    r->documents = a->fates->count;
    r->sampled = a->sample.sampled;
    r->found = r->true_pairs - r->missed;
    r->recall = nd_share_of_clusters(a->clusters, a->sample.count, r->sampled, r->documents);
    r->precision = nd_share_of_units(r->removed, r->wrong, r->sampled, r->documents);
    r->clean = nd_share_of_units(r->kept, r->left, r->sampled, r->documents);
    if (has_promise(a->request->verifier->plan))
        r->promised = r->true_pairs > 0 ? a->promised / (double)r->true_pairs : 1;
}

static nd_status find_truth(auditor *a, nd_error *error) {
    const nd_dedup_plan *plan = a->request->verifier->plan;
    const nd_measure measure = nd_plan_has_anchors(plan) ? ND_MEASURE_CONTAINMENT
                                                         : ND_MEASURE_JACCARD;
    const nd_true_pairs_request request = {.run = a->run,
                                           .analyzer = &plan->analyzer,
                                           .settings = {measure, plan->threshold},
                                           .columns = a->documents->columns,
                                           .fates = a->fates,
                                           .sample = &a->sample};
    ND_TRY(nd_probe_sorter_create(a->run, &a->sample, ND_TRUE_PAIR_WORDS, &a->truth, error));
    return nd_find_true_pairs(&request, a->truth, error);
}

static nd_status measure(auditor *a, nd_error *error) {
    const nd_audit_options *o = a->request->options;
    ND_TRY(nd_audit_sample_draw(a->fates, o->sample, o->seed, &a->sample, error));
    ND_TRY(nd_copy_groups_make(a->fates, a->documents->ranks, &a->groups, error));
    ND_TRY(find_pairs(a, error));
    ND_TRY(find_truth(a, error));
    ND_TRY(join_pairs(a, error));
    finish(a);
    return ND_OK;
}

nd_status nd_audit_measure(const nd_audit_request *request, nd_audit_result *result,
                           nd_error *error) {
    auditor a = {.request = request,
                 .run = request->verifier->run,
                 .documents = &request->verifier->documents,
                 .fates = request->fates};
    nd_status status = measure(&a, error);
    if (status == ND_OK) *result = a.result;
    const nd_allocator *allocator = &a.run->allocator;
    nd_external_sort_free(a.truth);
    nd_external_sort_free(a.found);
    nd_copy_groups_free(&a.groups);
    nd_audit_sample_free(&a.sample);
    nd_release(allocator, a.clusters);
    nd_release(allocator, a.id_a.bytes);
    nd_release(allocator, a.id_b.bytes);
    return status;
}
