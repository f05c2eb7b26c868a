#include "repeats/unit_finder.h"

#include "base/limits.h"
#include "base/workers.h"

#include <pthread.h>
#include <string.h>

/* PART_BITS: partitions of the sorters, as bits. MOST_QUEUED: units that a thread collects before
 * it takes the lock. */
enum { PART_BITS = ND_LIMIT(10, 2), PARTS = 1 << PART_BITS, MOST_QUEUED = ND_LIMIT(2048, 3) };

/* Shares of the budget, in percent. */
enum { UNIT_SHARE = 55, CUT_SHARE = 20 };

enum { NUMBER_BITS = 40 };
#define NUMBER_MASK (ND_UNITS_MOST - 1)

struct nd_unit_finder {
    const nd_run *run;
    nd_external_sort *units; /* hash; more of it, number */
    nd_external_sort *cuts;  /* number; number of the source */
    uint64_t *firsts;        /* by document: its first unit */
    size_t documents, capacity;
    uint64_t unit_count;
    unsigned shift; /* from a number to a part of `cuts` */
    uint64_t *records;
    size_t record_capacity;
    /* nd_unit_finder_next */
    nd_part_buffer part;
    size_t next_part, at;
};

static nd_status create_sorter(const nd_run *run, unsigned percent, unsigned keys, const char *what,
                               nd_external_sort **out, nd_error *error) {
    uint64_t share = run->budget.shared / 100 * percent / ND_LIMIT(1, 1 << 14);
    const nd_external_sort_settings settings = {
        .disk = run->space,
        .parts = PARTS,
        .memory_limit = (size_t)(share < 1 << 12 ? 1 << 12 : share),
        .words = 2,
        .keys = keys,
        .what = what};
    return nd_external_sort_create_records(&run->allocator, &settings, out, error);
}

nd_status nd_unit_finder_create(const nd_run *run, nd_unit_finder **out, nd_error *error) {
    nd_unit_finder *f = nd_allocate_zero(&run->allocator, 1, sizeof *f);
    if (!f) return nd_fail_memory(error, sizeof *f, "a finder of lines");
    f->run = run;
    nd_status status = create_sorter(run, UNIT_SHARE, 2, "lines", &f->units, error);
    if (status == ND_OK) *out = f;
    else nd_unit_finder_free(f);
    return status;
}

void nd_unit_finder_free(nd_unit_finder *f) {
    if (!f) return;
    const nd_allocator a = f->run->allocator;
    nd_external_sort_free(f->units);
    nd_external_sort_free(f->cuts);
    nd_part_buffer_free(&a, &f->part);
    nd_release(&a, f->firsts);
    nd_release(&a, f->records);
    nd_release(&a, f);
}

nd_status nd_unit_finder_add(nd_unit_finder *f, uint64_t units, const nd_hashed_unit *hashed,
                             size_t count, nd_error *error) {
    const nd_allocator *a = &f->run->allocator;
    if (units > ND_UNITS_MOST - f->unit_count)
        return nd_fail(error, ND_ERR_INPUT, "more than 2^40 lines, paragraphs or sentences");
    if (!nd_reserve(a, &f->firsts, &f->capacity, f->documents + 1) ||
        !nd_reserve(a, &f->records, &f->record_capacity, 2 * count))
        return nd_fail_memory(error, f->documents * sizeof *f->firsts, "lines");
    for (size_t i = 0; i < count; i++) {
        f->records[2 * i] = hashed[i].hash[0];
        f->records[2 * i + 1] = hashed[i].hash[1] >> NUMBER_BITS << NUMBER_BITS |
                                (f->unit_count + hashed[i].number);
    }
    f->firsts[f->documents++] = f->unit_count;
    f->unit_count += units;
    return nd_external_sort_push_all(f->units, PART_BITS, f->records, count, error);
}

uint64_t nd_unit_finder_units(const nd_unit_finder *f) { return f->unit_count; }

uint64_t nd_unit_finder_first(const nd_unit_finder *f, uint64_t document) {
    return document < f->documents ? f->firsts[document] : f->unit_count;
}

uint64_t nd_unit_finder_document(const nd_unit_finder *f, uint64_t unit) {
    uint64_t low = 0, high = f->documents;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (f->firsts[middle] <= unit) low = middle;
        else high = middle;
    }
    return low;
}

/* ---- groups */

/* One resolving of all parts, on several threads. */
typedef struct resolving {
    nd_unit_finder *finder;
    const nd_unit_rule *rule;
    pthread_mutex_t lock; /* of `cuts`, and of dropping parts */
    atomic_size_t next;
    atomic_bool failed;
} resolving;

typedef struct resolver {
    resolving *all;
    nd_part_buffer part;
    uint64_t queued[2 * MOST_QUEUED];
    size_t count;
} resolver;

static nd_status flush(resolver *r, nd_error *error) {
    nd_unit_finder *f = r->all->finder;
    nd_status status = ND_OK;
    pthread_mutex_lock(&r->all->lock);
    for (size_t i = 0; i < r->count && status == ND_OK; i++)
        status = nd_external_sort_push_record(f->cuts, (size_t)(r->queued[2 * i] >> f->shift),
                                              r->queued + 2 * i, error);
    pthread_mutex_unlock(&r->all->lock);
    r->count = 0;
    return status;
}

static nd_status queue_cut(resolver *r, uint64_t unit, uint64_t source, nd_error *error) {
    r->queued[2 * r->count] = unit;
    r->queued[2 * r->count + 1] = source;
    return ++r->count == MOST_QUEUED ? flush(r, error) : ND_OK;
}

static uint64_t number_of(const uint64_t *record) { return record[1] & NUMBER_MASK; }

static bool is_same(const uint64_t *a, const uint64_t *b) {
    return a[0] == b[0] && a[1] >> NUMBER_BITS == b[1] >> NUMBER_BITS;
}

/* Whether a group is in more documents than that. */
static bool has_more_documents(const nd_unit_finder *f, const uint64_t *group, size_t count,
                               uint64_t documents) {
    uint64_t found = 0, behind = 0; /* the first unit behind the last document found */
    for (size_t i = 0; i < count && found <= documents && count - i > documents - found; i++) {
        uint64_t unit = number_of(group + 2 * i);
        if (unit < behind) continue;
        behind = nd_unit_finder_first(f, nd_unit_finder_document(f, unit) + 1);
        found++;
    }
    return found > documents;
}

static nd_status cut_group(resolver *r, const uint64_t *group, size_t count, nd_error *error) {
    const nd_unit_finder *f = r->all->finder;
    const nd_unit_rule *rule = r->all->rule;
    uint64_t first = number_of(group), stays = 0;
    if (rule->keep == ND_UNITS_KEEP_NONE) {
        if (!has_more_documents(f, group, count, rule->more_than)) return ND_OK;
        ND_TRY(queue_cut(r, first, number_of(group + 2), error));
    } else if (rule->across) {
        stays = nd_unit_finder_first(f, nd_unit_finder_document(f, first) + 1);
    }
    for (size_t i = 1; i < count; i++) {
        uint64_t unit = number_of(group + 2 * i);
        if (unit >= stays) ND_TRY(queue_cut(r, unit, first, error));
    }
    return ND_OK;
}

static nd_status cut_groups(resolver *r, nd_error *error) {
    const uint64_t *words = r->part.words;
    for (size_t begin = 0, end; begin < r->part.count; begin = end) {
        for (end = begin + 1; end < r->part.count && is_same(words + 2 * begin, words + 2 * end);)
            end++;
        if (end - begin > 1) ND_TRY(cut_group(r, words + 2 * begin, end - begin, error));
    }
    return ND_OK;
}

static nd_status resolve_parts(resolver *r, nd_error *error) {
    resolving *all = r->all;
    nd_external_sort *units = all->finder->units;
    while (!atomic_load(&all->failed)) {
        size_t part = atomic_fetch_add(&all->next, 1);
        if (part >= PARTS) break;
        ND_TRY(nd_progress_report(all->finder->run->progress, ND_STAGE_MATCH, part, PARTS, error));
        ND_TRY(nd_external_sort_load_records(units, part, &r->part, error));
        ND_TRY(cut_groups(r, error));
        pthread_mutex_lock(&all->lock);
        nd_external_sort_drop(units, part);
        pthread_mutex_unlock(&all->lock);
    }
    return r->count > 0 ? flush(r, error) : ND_OK;
}

/* nd_worker_fn */
static nd_status resolve(void *context, uint32_t index, nd_error *error) {
    (void)index;
    resolving *all = context;
    const nd_allocator *a = &all->finder->run->allocator;
    resolver *r = nd_allocate_zero(a, 1, sizeof *r);
    if (!r) return nd_fail_memory(error, sizeof *r, "a worker");
    r->all = all;
    nd_status status = resolve_parts(r, error);
    if (status != ND_OK) atomic_store(&all->failed, true);
    nd_part_buffer_free(a, &r->part);
    nd_release(a, r);
    return status;
}

nd_status nd_unit_finder_run(nd_unit_finder *f, const nd_unit_rule *rule, nd_error *error) {
    resolving all = {.finder = f, .rule = rule};
    while (f->unit_count >> f->shift >= PARTS) f->shift++;
    ND_TRY(create_sorter(f->run, CUT_SHARE, 1, "repeated lines", &f->cuts, error));
    ND_TRY(nd_external_sort_flush(f->units, error));
    pthread_mutex_init(&all.lock, NULL);
    nd_status status = nd_run_workers(&f->run->allocator, f->run->threads, resolve, &all, error);
    pthread_mutex_destroy(&all.lock);
    if (status == ND_OK) status = nd_external_sort_flush(f->cuts, error);
    nd_external_sort_free(f->units);
    f->units = NULL;
    return status;
}

/* ---- results */

nd_status nd_unit_finder_next(nd_unit_finder *f, nd_cut_unit *out, nd_error *error) {
    out->unit = UINT64_MAX;
    while (f->at == f->part.count) {
        if (f->next_part > 0) nd_external_sort_drop(f->cuts, f->next_part - 1);
        if (f->next_part == PARTS) return ND_OK;
        f->at = 0;
        ND_TRY(nd_external_sort_load_records(f->cuts, f->next_part++, &f->part, error));
    }
    out->unit = f->part.words[2 * f->at];
    out->source = f->part.words[2 * f->at++ + 1];
    return ND_OK;
}
