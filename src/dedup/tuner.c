#include "dedup/tuner.h"

#include "base/proportion.h"
#include "dedup/copy_groups.h"
#include "dedup/true_pairs.h"

#include <string.h>

/* Sums over the sample, by step. */
typedef struct step_sums {
    uint64_t removed, groups, nearest; /* documents */
} step_sums;

typedef struct tuner {
    const nd_tune_request *request;
    nd_audit_sample sample;
    nd_copy_groups groups;
    nd_external_sort *pairs; /* records of nd_find_true_pairs */
    nd_part_buffer part;
    step_sums sums[ND_TUNE_STEPS];
    nd_id_buffer id, earlier_id, later_id;
    nd_tune_result result;
} tuner;

static double threshold_of(uint64_t step) { return (double)(step + 1) / ND_TUNE_STEPS; }

/* ---- neighbours */

/* A record of true pairs begins with probe << 32 | document, then intersection << 32 | union, and
 * the size of the smaller set. */
enum { RECORD_WORDS = ND_TRUE_PAIR_WORDS };

static void take_neighbour(const tuner *t, nd_neighbour *best, const uint64_t *record) {
    uint64_t intersection = record[1] >> 32, set_union = (uint32_t)record[1], smaller = record[2];
    bool contains = t->request->options->measure == ND_MEASURE_CONTAINMENT;
    double similarity = (double)intersection / (double)(contains ? smaller : set_union);
    if (similarity <= best->similarity) return;
    *best = (nd_neighbour){.document = (uint32_t)record[0],
                           .similarity = similarity,
                           .intersection = intersection,
                           .set_union = set_union};
}

/* Reads the records of a probe from index *at on: ascending by document. */
static void find_neighbours(const tuner *t, size_t number, size_t *at, nd_neighbour *earlier,
                            nd_neighbour *later) {
    uint32_t self = t->sample.probes[number].document;
    *earlier = *later = (nd_neighbour){.document = 0};
    for (; *at < t->part.count && t->part.words[*at * RECORD_WORDS] >> 32 == number; ++*at) {
        const uint64_t *record = &t->part.words[*at * RECORD_WORDS];
        uint32_t other = (uint32_t)record[0];
        take_neighbour(t, other < self ? earlier : later, record);
    }
}

/* ---- counting */

/* A copy is removed by every threshold, and begins no group. */
static void count_probe(tuner *t, const nd_probe *probe, double earlier, double later,
                        bool has_copies) {
    uint64_t copies = probe->sampled - probe->itself;
    t->result.sampled_copies += copies;
    for (uint64_t s = t->result.first; s < ND_TUNE_STEPS; s++) {
        bool removed = earlier >= threshold_of(s);
        t->sums[s].removed += copies + (probe->itself && removed);
        t->sums[s].groups += probe->itself && !removed && (has_copies || later >= threshold_of(s));
        t->sums[s].nearest += probe->itself && removed &&
                              (s + 1 == ND_TUNE_STEPS || earlier < threshold_of(s + 1));
    }
}

/* ---- the caller's function */

static nd_status name_document(tuner *t, uint64_t document, nd_id_buffer *buffer,
                               nd_named_document *out, nd_error *error) {
    ND_TRY(nd_columns_id(t->request->columns, (uint32_t)document, buffer, error));
    *out = (nd_named_document){.id = buffer->id,
                               .id_length = buffer->length,
                               .source = buffer->source,
                               .line = buffer->line};
    return ND_OK;
}

static nd_status tell_document(tuner *t, nd_tuned_document *d, nd_error *error) {
    const nd_tune_options *o = t->request->options;
    if (!o->on_document) return ND_OK;
    ND_TRY(name_document(t, d->document, &t->id, &d->named, error));
    if (d->earlier.similarity > 0)
        ND_TRY(name_document(t, d->earlier.document, &t->earlier_id, &d->earlier.named, error));
    if (d->later.similarity > 0)
        ND_TRY(name_document(t, d->later.document, &t->later_id, &d->later.named, error));
    return o->on_document(o->context, d) ? ND_OK : nd_fail(error, ND_ERR_CANCELLED, "cancelled");
}

static nd_status measure_probe(tuner *t, size_t number, size_t *at, nd_error *error) {
    const nd_probe *probe = &t->sample.probes[number];
    nd_tuned_document d = {.document = probe->document,
                           .sampled = probe->itself,
                           .sampled_copies = probe->sampled - probe->itself,
                           .copies = nd_copies_of(&t->groups, probe->document).count};
    find_neighbours(t, number, at, &d.earlier, &d.later);
    count_probe(t, probe, d.earlier.similarity, d.later.similarity, d.copies > 0);
    return tell_document(t, &d, error);
}

static nd_status measure_probes(tuner *t, nd_error *error) {
    size_t number = 0, parts = nd_external_sort_parts(t->pairs);
    for (size_t part = 0; part < parts; part++) {
        size_t at = 0;
        ND_TRY(nd_external_sort_load_records(t->pairs, part, &t->part, error));
        for (; number < t->sample.count && nd_probe_part(number) == part; number++)
            ND_TRY(measure_probe(t, number, &at, error));
        nd_external_sort_drop(t->pairs, part);
    }
    return ND_OK;
}

/* ---- the stage */

static nd_status find_pairs(tuner *t, nd_error *error) {
    const nd_tune_request *q = t->request;
    const nd_true_pairs_request request = {.run = q->run,
                                           .analyzer = q->analyzer,
                                           .settings = {q->options->measure, q->options->lowest},
                                           .columns = q->columns,
                                           .fates = q->fates,
                                           .sample = &t->sample,
                                           .wanted = ND_TRUE_PAIRS_NEAREST};
    ND_TRY(nd_probe_sorter_create(q->run, &t->sample, RECORD_WORDS, &t->pairs, error));
    return nd_find_true_pairs(&request, t->pairs, error);
}

static void finish(tuner *t) {
    nd_tune_result *r = &t->result;
    uint64_t sampled = r->sampled, documents = r->documents;
    r->exact_copies = t->groups.count;
    for (uint64_t s = r->first; s < ND_TUNE_STEPS && sampled > 0; s++) {
        const step_sums *sums = &t->sums[s];
        r->steps[s].removed = nd_share_of_units(sampled, sampled - sums->removed, sampled,
                                                documents);
        r->steps[s].groups = nd_share_of_units(sampled, sampled - sums->groups, sampled, documents);
        r->steps[s].nearest = sums->nearest;
    }
}

static nd_status measure(tuner *t, nd_error *error) {
    const nd_tune_request *q = t->request;
    ND_TRY(nd_audit_sample_draw(q->fates, q->options->sample, q->options->seed, &t->sample, error));
    ND_TRY(nd_copy_groups_make(q->fates, q->ranks, &t->groups, error));
    t->result.documents = q->fates->count;
    t->result.sampled = t->sample.sampled;
    for (unsigned s = 0; s < ND_TUNE_STEPS; s++) t->result.steps[s].threshold = threshold_of(s);
    while (threshold_of(t->result.first) < q->options->lowest) t->result.first++;
    ND_TRY(find_pairs(t, error));
    ND_TRY(measure_probes(t, error));
    finish(t);
    return ND_OK;
}

nd_status nd_tune_measure(const nd_tune_request *request, nd_tune_result *result, nd_error *error) {
    tuner t = {.request = request};
    nd_status status = measure(&t, error);
    if (status == ND_OK) *result = t.result;
    const nd_allocator *allocator = &request->run->allocator;
    nd_part_buffer_free(allocator, &t.part);
    nd_external_sort_free(t.pairs);
    nd_copy_groups_free(&t.groups);
    nd_audit_sample_free(&t.sample);
    nd_release(allocator, t.id.bytes);
    nd_release(allocator, t.earlier_id.bytes);
    nd_release(allocator, t.later_id.bytes);
    return status;
}
