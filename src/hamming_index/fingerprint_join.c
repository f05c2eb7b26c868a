/* nd_hamming_join: reports the pairs of fingerprints within distance k, of one set or of two, by
 * their ids; or the groups (connected components) that the pairs of one set make.
 *
 * hamming_join.h finds the pairs of distinct fingerprints, by numbers. join_side.h maps a number to
 * all equal fingerprints and their ids. Callbacks come from one thread at a time. */
#include "base/floats.h"
#include "hamming_index/join_side.h"

#include "base/argument.h"
#include "job/job_options.h"
#include "base/machine.h"
#include "base/workers.h"
#include "base/union_find.h"
#include "io/file.h"
#include "hamming/hamming_planner.h"

typedef struct joiner {
    nd_allocator allocator;
    nd_hamming_join_options options;
    nd_resources resources;
    uint32_t threads;
    nd_progress progress;
    nd_temp_space disk;
    nd_join_sides sides;
    nd_hamming_pair_fn *fn;
    void *context;
    nd_join_name names[2];
    uint32_t *parent; /* union-find over the numbers, if groups are wanted; else NULL */
    uint64_t pairs;
} joiner;

static bool is_one_set(const joiner *j) { return j->sides.count == 1; }
static nd_join_side *first(joiner *j) { return &j->sides.side[0]; }
/* Returns the second side, or the only one. */
static nd_join_side *second(joiner *j) { return &j->sides.side[j->sides.count - 1]; }

static const nd_hamming_join_options defaults = {
    .struct_size = sizeof defaults, .bits = 64, .k = 3};

void nd_hamming_join_options_init(nd_hamming_join_options *options, size_t struct_size) {
    nd_options_init(options, struct_size, &defaults, sizeof defaults);
}

/* ---- reporting pairs */

/* Reports a pair: `a` is of the first set, `b` of the second or only one. */
static nd_status report(joiner *j, uint32_t a, uint32_t b, uint32_t distance, nd_error *error) {
    nd_join_name *x = &j->names[0], *y = &j->names[1];
    ND_TRY(nd_join_side_name(first(j), a, x, error));
    ND_TRY(nd_join_side_name(second(j), b, y, error));
    nd_hamming_pair pair = {.id_a = x->id,
                            .id_b = y->id,
                            .id_a_length = x->length,
                            .id_b_length = y->length,
                            .number_a = x->number,
                            .number_b = y->number,
                            .distance = distance};
    j->pairs++;
    return j->fn(j->context, &pair) ? ND_OK : nd_fail(error, ND_ERR_CANCELLED, "cancelled");
}

/* The sink's `equal`. Equal fingerprints of the only set are pairs, too. */
static nd_status add_equal(void *context, uint32_t set, const uint32_t *numbers, size_t count,
                           nd_error *error) {
    joiner *j = context;
    if (!j->parent) ND_TRY(nd_join_side_add_equal(&j->sides.side[set], numbers, count, error));
    for (size_t i = 1; j->parent && i < count; i++)
        nd_union_find_join(j->parent, numbers[0], numbers[i]);
    for (size_t a = 0; !j->parent && is_one_set(j) && a < count; a++)
        for (size_t b = a + 1; b < count; b++) ND_TRY(report(j, numbers[a], numbers[b], 0, error));
    return ND_OK;
}

/* Reports the pairs of a pair of distinct fingerprints: each number of the first with each number
 * of the second. In one set the smaller number comes first. */
static nd_status report_all(joiner *j, const nd_numbered_pair *pair, nd_error *error) {
    size_t a_count, b_count;
    const uint32_t *a, *b;
    ND_TRY(nd_join_side_equal(first(j), &pair->a, &a, &a_count, error));
    ND_TRY(nd_join_side_equal(second(j), &pair->b, &b, &b_count, error));
    for (size_t x = 0; x < a_count; x++)
        for (size_t y = 0; y < b_count; y++) {
            bool swapped = is_one_set(j) && a[x] > b[y];
            ND_TRY(report(j, swapped ? b[y] : a[x], swapped ? a[x] : b[y], pair->distance, error));
        }
    return ND_OK;
}

/* The sink's `pairs`. */
static nd_status add_pairs(void *context, const nd_numbered_pair *pairs, size_t count,
                           nd_error *error) {
    joiner *j = context;
    ND_TRY(nd_progress_report(&j->progress, ND_STAGE_MATCH, 0, 0, error));
    for (size_t i = 0; i < count; i++) {
        if (j->parent) nd_union_find_join(j->parent, pairs[i].a, pairs[i].b);
        else ND_TRY(report_all(j, &pairs[i], error));
    }
    return ND_OK;
}

static nd_status report_groups(joiner *j, nd_error *error) {
    for (uint32_t number = 0; number < first(j)->count; number++) {
        uint32_t root = nd_union_find_root(j->parent, number);
        if (root != number) ND_TRY(report(j, root, number, 0, error));
    }
    return ND_OK;
}

/* ---- the join */

static nd_status check(const nd_hamming_side *a, const nd_hamming_side *b,
                       const nd_hamming_join_options *o, nd_error *error) {
    const nd_hamming_side *sides[] = {a, b};
    ND_TRY(nd_hamming_check_width(o->bits, o->k, error));
    ND_CHECK_ENUM(o->kind, "kind", ND_JOIN_PAIRS, ND_JOIN_GROUPS, error);
    if (o->kind == ND_JOIN_GROUPS && b)
        return nd_fail(error, ND_ERR_ARGUMENT, "groups are of one set, not of two");
    for (size_t i = 0; i < 2; i++) {
        if (!sides[i]) continue;
        ND_TRY(nd_join_side_check(sides[i], error));
        const nd_hamming_index *x = sides[i]->index;
        if (x && x->shared.settings.bits != o->bits)
            return nd_fail(error, ND_ERR_ARGUMENT, "%s: its fingerprints have %u bits, not %u",
                           x->shared.path, x->shared.settings.bits, o->bits);
    }
    return ND_OK;
}

/* Prepares the union-find over all numbers. REQUIRES: the numbers are known. */
static nd_status begin_groups(joiner *j, nd_error *error) {
    size_t count = first(j)->count;
    j->parent = nd_allocate(&j->allocator, count + 1, sizeof *j->parent);
    if (!j->parent)
        return nd_fail_memory(error, count * sizeof *j->parent, "groups of fingerprints");
    nd_union_find_init(j->parent, count);
    return ND_OK;
}

static nd_status put_and_run(joiner *j, nd_hamming_joiner *join, nd_error *error) {
    const nd_hamming_joiner_sink sink = {.context = j, .equal = add_equal, .pairs = add_pairs};
    ND_TRY(nd_join_sides_put(&j->sides, join, error));
    if (j->options.kind == ND_JOIN_GROUPS) ND_TRY(begin_groups(j, error));
    return nd_hamming_joiner_run(join, &sink, error);
}

static nd_status run(joiner *j, const nd_hamming_side *a, const nd_hamming_side *b,
                     nd_error *error) {
    nd_hamming_joiner *join;
    const nd_join_sides_settings sides = {.from = {a, b},
                                          .bits = j->options.bits,
                                          .memory = j->resources.memory,
                                          .disk = &j->disk,
                                          .progress = &j->progress,
                                          .allocator = &j->allocator};
    ND_TRY(nd_join_sides_open(&j->sides, &sides, error));
    const nd_hamming_joiner_settings settings = {
        .bits = j->options.bits,
        .k = j->options.k,
        .two_sets = !is_one_set(j),
        .groups = j->options.kind == ND_JOIN_GROUPS,
        .threads = j->threads,
        .expected = nd_join_sides_total(&j->sides),
        .memory_limit = (size_t)(j->resources.memory / 4 * 3)};
    ND_TRY(nd_hamming_joiner_create(&settings, &j->disk, &j->allocator, &join, error));
    nd_status status = put_and_run(j, join, error);
    nd_hamming_joiner_free(join);
    return status == ND_OK && j->parent ? report_groups(j, error) : status;
}

nd_status nd_hamming_join(const nd_hamming_side *a, const nd_hamming_side *b,
                          const nd_hamming_join_options *options, nd_hamming_pair_fn *fn,
                          void *context, nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    joiner j = {.fn = fn, .context = context};
    double began = nd_seconds();
    ND_TRY(nd_need(a, "a", error));
    ND_TRY(nd_need(fn, "fn", error));
    ND_TRY(nd_job_summary_check(summary, error));
    j.options = defaults;
    ND_TRY(ND_READ_OPTIONS(options, &j.options, "nd_hamming_join_options", error));
    ND_TRY(nd_resources_read(j.options.resources, &j.resources, error));
    ND_TRY(check(a, b, &j.options, error));
    j.threads = j.resources.threads ? j.resources.threads : nd_core_count();
    j.allocator = nd_allocator_or_default(j.resources.allocator);
    j.progress = nd_progress_of(&j.resources);
    j.disk.directory = j.resources.work ? j.resources.work : nd_temporary_directory();
    j.disk.progress = &j.progress;
    nd_status status = run(&j, a, b, error);
    double seconds = nd_seconds() - began;
    const nd_job_summary made = {.documents = (uint64_t)j.sides.side[0].count +
                                              j.sides.side[1].count,
                                 .pairs = j.pairs,
                                 .work_bytes = j.disk.most,
                                 .total_seconds = seconds,
                                 .seconds[ND_STAGE_MATCH] = seconds,
                                 .peak_memory = nd_peak_memory(),
                                 .threads = j.threads};
    if (status == ND_OK) nd_job_summary_give(summary, &made);
    nd_join_sides_free(&j.sides);
    for (size_t i = 0; i < 2; i++) nd_release(&j.allocator, j.names[i].room.bytes);
    nd_release(&j.allocator, j.parent);
    return status;
}
