/* The pairs within k of one or two sets of fingerprints, by their ids; or the groups that they make
 * of one set. */
#include "base/floats.h"
#include "hamming_index/join_side.h"

#include "base/argument.h"
#include "base/machine.h"
#include "base/workers.h"
#include "base/union_find.h"
#include "io/file.h"
#include "hamming/hamming_planner.h"

typedef struct joiner {
    nd_allocator allocator;
    nd_join_options options;
    nd_progress progress;
    nd_scratch_disk disk;
    nd_join_side sides[2];
    uint32_t side_count;
    nd_join_pair_fn *fn;
    void *context;
    nd_join_name names[2];
    bool sorted;      /* the lots, all of which have come */
    uint32_t *parent; /* groups are wanted: union-find over the numbers */
    uint64_t pairs;
} joiner;

static nd_join_side *second(joiner *j) { return &j->sides[j->side_count - 1]; }

void nd_join_options_init(nd_join_options *options) {
    *options = (nd_join_options){.bits = 64, .k = 3, .memory = UINT64_C(1) << 30};
}

/* ---- telling */

/* `a` of the first set, `b` of the second, or of the only one. */
static nd_status tell(joiner *j, uint32_t a, uint32_t b, uint32_t distance, nd_error *error) {
    nd_join_name *x = &j->names[0], *y = &j->names[1];
    ND_TRY(nd_join_side_name(&j->sides[0], a, x, error));
    ND_TRY(nd_join_side_name(second(j), b, y, error));
    nd_join_pair pair = {x->id, y->id, x->length, y->length, x->number, y->number, distance};
    j->pairs++;
    return j->fn(j->context, &pair) ? ND_OK : nd_fail(error, ND_ERR_CANCELLED, "cancelled");
}

static nd_status tell_ordered(joiner *j, uint32_t a, uint32_t b, uint32_t distance,
                              nd_error *error) {
    return j->side_count == 1 && a > b ? tell(j, b, a, distance, error)
                                       : tell(j, a, b, distance, error);
}

/* The sink's `equal`. Of one set they are pairs themselves. */
static nd_status take_equal(void *context, uint32_t set, const uint32_t *numbers, size_t count,
                            nd_error *error) {
    joiner *j = context;
    if (!j->parent) ND_TRY(nd_join_side_add_equal(&j->sides[set], numbers, count, error));
    for (size_t i = 1; j->parent && i < count; i++)
        nd_union_find_join(j->parent, numbers[0], numbers[i]);
    for (size_t a = 0; !j->parent && j->side_count == 1 && a < count; a++)
        for (size_t b = a + 1; b < count; b++) ND_TRY(tell(j, numbers[a], numbers[b], 0, error));
    return ND_OK;
}

static nd_status take_pair(joiner *j, const nd_hamming_pair *pair, nd_error *error) {
    size_t a_count, b_count;
    const uint32_t *a = nd_join_side_lot(&j->sides[0], &pair->a, &a_count),
                   *b = nd_join_side_lot(second(j), &pair->b, &b_count);
    for (size_t x = 0; x < a_count; x++)
        for (size_t y = 0; y < b_count; y++)
            ND_TRY(tell_ordered(j, a[x], b[y], pair->distance, error));
    return ND_OK;
}

/* The sink's `pairs`. */
static nd_status take_pairs(void *context, const nd_hamming_pair *pairs, size_t count,
                            nd_error *error) {
    joiner *j = context;
    ND_TRY(nd_progress_tell(&j->progress, ND_STAGE_MATCH, 0, 0, error));
    for (uint32_t s = 0; s < j->side_count && !j->sorted && !j->parent; s++)
        ND_TRY(nd_join_side_sort_lots(&j->sides[s], error));
    j->sorted = true;
    for (size_t i = 0; i < count; i++) {
        if (j->parent) nd_union_find_join(j->parent, pairs[i].a, pairs[i].b);
        else ND_TRY(take_pair(j, &pairs[i], error));
    }
    return ND_OK;
}

static nd_status tell_groups(joiner *j, nd_error *error) {
    for (uint32_t number = 0; number < j->sides[0].count; number++) {
        uint32_t first = nd_union_find_root(j->parent, number);
        if (first != number) ND_TRY(tell(j, first, number, 0, error));
    }
    return ND_OK;
}

/* ---- the join */

static nd_status check(const nd_hamming_side *a, const nd_hamming_side *b, const nd_join_options *o,
                       nd_error *error) {
    const nd_hamming_side *sides[] = {a, b};
    ND_TRY(nd_hamming_check_width(o->bits, o->k, error));
    if (o->groups && b) return nd_fail(error, ND_ERR_ARGUMENT, "groups are of one set, not of two");
    if (o->threads > ND_MAX_WORKERS)
        return nd_fail(error, ND_ERR_ARGUMENT, "threads must be 0 to %d, not %u", ND_MAX_WORKERS,
                       o->threads);
    for (size_t i = 0; i < 2; i++) {
        if (!sides[i]) continue;
        ND_TRY(nd_join_side_check(sides[i], error));
        const nd_index *x = sides[i]->index;
        if (x && x->shared.settings.bits != o->bits)
            return nd_fail(error, ND_ERR_ARGUMENT, "%s: its fingerprints have %u bits, not %u",
                           x->shared.path, x->shared.settings.bits, o->bits);
    }
    return ND_OK;
}

static nd_status put_sides(joiner *j, nd_hamming_join *join, nd_error *error) {
    for (uint32_t s = 0; s < j->side_count; s++)
        ND_TRY(nd_join_side_put(&j->sides[s], join, error));
    if (!j->options.groups) return ND_OK;
    size_t count = j->sides[0].count;
    j->parent = nd_allocate(&j->allocator, count + 1, sizeof *j->parent);
    if (!j->parent)
        return nd_fail_memory(error, count * sizeof *j->parent, "groups of fingerprints");
    nd_union_find_init(j->parent, count);
    return ND_OK;
}

static nd_status run(joiner *j, nd_error *error) {
    nd_hamming_join *join;
    nd_hamming_join_sink sink = {j, take_equal, take_pairs};
    nd_hamming_join_settings settings = {.bits = j->options.bits,
                                         .k = j->options.k,
                                         .two_sets = j->side_count == 2,
                                         .groups = j->options.groups,
                                         .threads = j->options.threads ? j->options.threads
                                                                       : nd_core_count(),
                                         .memory_limit = (size_t)(j->options.memory / 4 * 3)};
    for (uint32_t s = 0; s < j->side_count; s++) {
        ND_TRY(nd_join_side_gather(&j->sides[s], &j->options, error));
        settings.expected += nd_join_side_count(&j->sides[s]);
    }
    ND_TRY(nd_hamming_join_create(&settings, &j->disk, &j->allocator, &join, error));
    nd_status status = put_sides(j, join, error);
    if (status == ND_OK) status = nd_hamming_join_run(join, &sink, error);
    nd_hamming_join_free(join);
    return status == ND_OK && j->parent ? tell_groups(j, error) : status;
}

static nd_status open_sides(joiner *j, nd_error *error) {
    ND_TRY(nd_join_side_open(&j->sides[0], error));
    if (j->side_count == 1) return ND_OK;
    if (j->sides[1].index != j->sides[0].index) return nd_join_side_open(&j->sides[1], error);
    nd_join_side_share(&j->sides[1], &j->sides[0]);
    return ND_OK;
}

nd_status nd_join(const nd_hamming_side *a, const nd_hamming_side *b,
                  const nd_join_options *options, nd_join_pair_fn *fn, void *context,
                  nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    joiner j = {.side_count = b ? 2 : 1, .fn = fn, .context = context};
    double began = nd_seconds();
    ND_TRY(nd_need(a, "a", error));
    ND_TRY(nd_need(fn, "fn", error));
    nd_join_options_init(&j.options);
    if (options) j.options = *options;
    ND_TRY(check(a, b, &j.options, error));
    j.allocator = nd_allocator_or_default(j.options.allocator);
    j.progress = (nd_progress){.fn = j.options.on_progress, .context = j.options.notice_context};
    j.disk.directory = j.options.work ? j.options.work : nd_temporary_directory();
    j.disk.progress = &j.progress;
    for (uint32_t s = 0; s < j.side_count; s++)
        nd_join_side_init(&j.sides[s], s ? b : a, s, (size_t)(j.options.memory / 8), &j.disk,
                          &j.progress, &j.allocator);
    nd_status status = open_sides(&j, error);
    if (status == ND_OK) status = run(&j, error);
    double seconds = nd_seconds() - began;
    if (status == ND_OK && summary)
        *summary = (nd_job_summary){.documents = (uint64_t)j.sides[0].count + j.sides[1].count,
                                    .pairs = j.pairs,
                                    .work_bytes = j.disk.most,
                                    .total_seconds = seconds,
                                    .seconds[ND_STAGE_MATCH] = seconds,
                                    .peak_memory = nd_peak_memory(),
                                    .threads = j.options.threads ? j.options.threads
                                                                 : nd_core_count()};
    for (uint32_t s = 0; s < j.side_count; s++) nd_join_side_free(&j.sides[s]);
    for (size_t i = 0; i < 2; i++) nd_release(&j.allocator, j.names[i].room.bytes);
    nd_release(&j.allocator, j.parent);
    return status;
}
