#include "repeats/unit_finder.h"

#include "io/spool.h"
#include "repeats/sorted_parts.h"

#include <string.h>

/* Shares of the budget, in percent. At one time there are: units, cuts of the table, and the table;
 * then units, both kinds of cuts or cuts and fresh units, and a part per thread, which has few
 * percent of the units. The documents take 23 percent (lines.c). */
enum { UNIT_SHARE = 40, CUT_SHARE = 15, FRESH_SHARE = 15, KNOWN_SHARE = 8, TABLE_SHARE = 6 };

/* Slots of the table of first units, at most; and how far ahead they are prefetched, in units. */
enum { MOST_SLOTS = ND_LIMIT(1 << 22, 4), AHEAD = 24 };

enum { NUMBER_BITS = ND_UNIT_NUMBER_BITS };
#define NUMBER_MASK (ND_UNITS_MOST - 1)

struct nd_unit_finder {
    const nd_run *run;
    nd_unit_rule rule;
    const nd_line_index *index; /* NULL: none */
    nd_external_sort *units;    /* hash; more of it, number */
    nd_external_sort *cuts;     /* number; number of the source */
    nd_external_sort *fresh;    /* for the index: hash; more of it, number of the document */
    /* The table: the complement of the record of the first unit that came to a slot, and for all
     * others of the same hash the spool with their cuts, in the order of input. A slot that no unit
     * came to is zero, so small inputs touch few pages of the table. */
    uint64_t (*slots)[2];
    size_t slot_count;
    nd_spool known;
    uint64_t *firsts; /* by document: its first unit */
    size_t documents, capacity;
    uint64_t unit_count;
    unsigned shift;    /* from a number to a part of `cuts` */
    uint64_t *records; /* of a document: those for the sorter */
    nd_cut_unit *cut;  /* and those cut by the table */
    size_t record_capacity, cut_capacity;
    /* nd_unit_finder_next */
    nd_part_buffer part;
    size_t next_part, at;
    nd_spool_cursor cursor;
    nd_cut_unit next_known;
};

static nd_status create_table(nd_unit_finder *f, nd_error *error) {
    size_t most = nd_parts_memory(f->run, TABLE_SHARE) / sizeof *f->slots;
    nd_spool_init(&f->known, &f->run->allocator, f->run->space,
                  nd_parts_memory(f->run, KNOWN_SHARE), "repeated lines");
    f->cursor.spool = &f->known;
    f->next_known.unit = UINT64_MAX;
    if (f->rule.keep == ND_REPEATS_KEEP_NONE || f->index) return ND_OK;
    for (f->slot_count = 1; 2 * f->slot_count <= most && f->slot_count < MOST_SLOTS;)
        f->slot_count *= 2;
    f->slots = nd_allocate_zero(&f->run->allocator, f->slot_count, sizeof *f->slots);
    if (!f->slots) return nd_fail_memory(error, f->slot_count * sizeof *f->slots, "lines");
    return ND_OK;
}

static void free_table(nd_unit_finder *f) {
    nd_release(&f->run->allocator, f->slots);
    f->slots = NULL;
}

nd_status nd_unit_finder_create(const nd_run *run, const nd_unit_rule *rule,
                                const nd_line_index *index, nd_unit_finder **out, nd_error *error) {
    nd_unit_finder *f = nd_allocate_zero(&run->allocator, 1, sizeof *f);
    if (!f) return nd_fail_memory(error, sizeof *f, "a finder of lines");
    f->run = run;
    f->rule = *rule;
    f->index = index;
    nd_status status = create_table(f, error);
    if (status == ND_OK)
        status = nd_parts_create(run, &(nd_parts_settings){UNIT_SHARE, 2, 2, "lines"}, &f->units,
                                 error);
    if (status == ND_OK) *out = f;
    else nd_unit_finder_free(f);
    return status;
}

void nd_unit_finder_free(nd_unit_finder *f) {
    if (!f) return;
    const nd_allocator a = f->run->allocator;
    nd_external_sort_free(f->units);
    nd_external_sort_free(f->cuts);
    nd_external_sort_free(f->fresh);
    nd_part_buffer_free(&a, &f->part);
    nd_spool_free(&f->known);
    nd_release(&a, f->cursor.bytes);
    free_table(f);
    nd_release(&a, f->firsts);
    nd_release(&a, f->records);
    nd_release(&a, f->cut);
    nd_release(&a, f);
}

static uint64_t number_of(const uint64_t *record) { return record[1] & NUMBER_MASK; }

static bool is_same(const uint64_t *a, const uint64_t *b) {
    return a[0] == b[0] && a[1] >> NUMBER_BITS == b[1] >> NUMBER_BITS;
}

/* Cuts the units that repeat one in the table, and writes to f->records the ones that found their
 * slot taken by another. Returns their number. A slot that has been taken stays so: thus a unit in
 * the table is the first one with its hash, and the table has all that repeats it. Whether a unit
 * is known cannot be predicted, so no branch depends on it. */
static size_t cut_known(nd_unit_finder *f, const nd_hashed_unit *hashed, size_t count, size_t ahead,
                        size_t *cuts) {
    const size_t mask = f->slot_count - 1;
    const bool across = f->rule.across;
    size_t left = 0, cut = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t record[] = {hashed[i].hash, hashed[i].rest + f->unit_count};
        const uint64_t complement[] = {~record[0], ~record[1]};
        uint64_t *slot = f->slots[record[0] & mask];
        if (i + AHEAD < ahead) __builtin_prefetch(f->slots[hashed[i + AHEAD].hash & mask], 1);
        bool free = (slot[0] | slot[1]) == 0, known = !free & is_same(slot, complement);
        uint64_t first = ~slot[1] & NUMBER_MASK;
        f->cut[cut] = (nd_cut_unit){number_of(record), first};
        cut += known & !(across & (first >= f->unit_count));
        if (free) memcpy(slot, complement, sizeof complement);
        memcpy(f->records + 2 * left, record, sizeof record);
        left += !known & !free;
    }
    *cuts = cut;
    return left;
}

static size_t add_records(nd_unit_finder *f, const nd_hashed_unit *hashed, size_t count) {
    for (size_t i = 0; i < count; i++) {
        f->records[2 * i] = hashed[i].hash;
        f->records[2 * i + 1] = hashed[i].rest + f->unit_count;
    }
    return count;
}

nd_status nd_unit_finder_add(nd_unit_finder *f, uint64_t units, const nd_hashed_unit *hashed,
                             size_t count, size_t ahead, nd_error *error) {
    const nd_allocator *a = &f->run->allocator;
    if (units > ND_UNITS_MOST - f->unit_count)
        return nd_fail(error, ND_ERR_INPUT, "more than 2^40 lines, paragraphs or sentences");
    if (!nd_reserve(a, &f->firsts, &f->capacity, f->documents + 1) ||
        !nd_reserve(a, &f->records, &f->record_capacity, 2 * count) ||
        !nd_reserve(a, &f->cut, &f->cut_capacity, count))
        return nd_fail_memory(error, f->documents * sizeof *f->firsts, "lines");
    size_t cuts = 0, left = f->slots ? cut_known(f, hashed, count, ahead, &cuts)
                                     : add_records(f, hashed, count);
    f->firsts[f->documents++] = f->unit_count;
    f->unit_count += units;
    ND_TRY(nd_spool_append(&f->known, f->cut, cuts * sizeof *f->cut, error));
    return nd_external_sort_push_all(f->units, ND_PART_BITS, f->records, left, error);
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

static nd_status queue_cut(nd_parts_worker *w, uint64_t unit, uint64_t source, nd_error *error) {
    const uint64_t record[] = {unit, source};
    return nd_parts_queue_record(w, 0, record, error);
}

/* A group whose units come one by one. */
typedef struct unit_group {
    nd_allocator allocator;
    nd_line_search search;
    bool any;           /* there is a group */
    uint64_t record[2]; /* of the first unit */
    uint64_t source;    /* the document of the index that has it, or UINT64_MAX */
    uint64_t stays;     /* units before this one are not cut */
    bool waits;         /* for more documents: its units are in `held` */
    uint64_t documents; /* of the units that are held */
    uint64_t behind;    /* the first unit behind the last of these documents */
    uint64_t *held;
    size_t held_count, held_capacity;
} unit_group;

/* Begins a group with its first unit, which is looked up in the index. */
static nd_status begin_group(nd_parts_worker *w, unit_group *g, const uint64_t *record,
                             nd_error *error) {
    const nd_unit_finder *f = w->pass->context;
    uint64_t unit = number_of(record), document = nd_unit_finder_document(f, unit);
    g->any = true;
    memcpy(g->record, record, sizeof g->record);
    g->held_count = 0;
    g->documents = g->behind = g->stays = 0;
    g->source = UINT64_MAX;
    g->waits = f->rule.keep == ND_REPEATS_KEEP_NONE;
    if (!g->waits) g->stays = f->rule.across ? nd_unit_finder_first(f, document + 1) : unit + 1;
    if (!f->index) return ND_OK;
    const nd_line_entry line = {record[0], record[1]};
    bool found;
    uint64_t source;
    ND_TRY(nd_line_search_find(&g->search, &line, &found, &source, error));
    if (found) {
        g->source = ND_SOURCE_INDEX | source;
        g->waits = false;
        g->stays = 0;
        return ND_OK;
    }
    document += nd_line_index_next_document(f->index);
    const uint64_t entry[] = {record[0], (record[1] & ~NUMBER_MASK) | document};
    return nd_parts_queue_record(w, 1, entry, error);
}

/* Holds a unit, and cuts all of them once there are enough documents. */
static nd_status hold_unit(nd_parts_worker *w, unit_group *g, uint64_t unit, nd_error *error) {
    const nd_unit_finder *f = w->pass->context;
    if (!nd_reserve(&g->allocator, &g->held, &g->held_capacity, g->held_count + 1))
        return nd_fail_memory(error, g->held_count * sizeof *g->held, "repeated lines");
    g->held[g->held_count++] = unit;
    if (unit >= g->behind) {
        g->behind = nd_unit_finder_first(f, nd_unit_finder_document(f, unit) + 1);
        g->documents++;
    }
    if (g->documents <= f->rule.more_than) return ND_OK;
    g->waits = false;
    ND_TRY(queue_cut(w, g->held[0], g->held[1], error));
    for (size_t i = 1; i < g->held_count; i++) ND_TRY(queue_cut(w, g->held[i], g->held[0], error));
    return ND_OK;
}

static nd_status add_unit(nd_parts_worker *w, unit_group *g, const uint64_t *record,
                          nd_error *error) {
    uint64_t unit = number_of(record), first = number_of(g->record);
    if (g->waits) return hold_unit(w, g, unit, error);
    if (unit < g->stays) return ND_OK;
    return queue_cut(w, unit, g->source < UINT64_MAX ? g->source : first, error);
}

static nd_status cut_part(nd_parts_worker *w, unit_group *g, nd_error *error) {
    for (;;) {
        const uint64_t *record;
        ND_TRY(nd_part_reader_next(&w->part, &record, error));
        if (!record) return ND_OK;
        if (!g->any || !is_same(g->record, record)) ND_TRY(begin_group(w, g, record, error));
        ND_TRY(add_unit(w, g, record, error));
    }
}

/* nd_parts_pass.take_part */
static nd_status cut_groups(nd_parts_worker *w, nd_error *error) {
    const nd_unit_finder *f = w->pass->context;
    unit_group group = {.allocator = f->run->allocator, .search = {.index = f->index}};
    nd_status status = cut_part(w, &group, error);
    nd_release(&group.allocator, group.held);
    return status;
}

/* Reads the next cut of the table. */
static nd_status next_known(nd_unit_finder *f, nd_error *error) {
    const void *cut;
    f->next_known.unit = UINT64_MAX;
    if (f->cursor.next == f->known.size) return ND_OK;
    ND_TRY(nd_spool_next(&f->cursor, sizeof f->next_known, &cut, error));
    memcpy(&f->next_known, cut, sizeof f->next_known);
    return ND_OK;
}

static nd_status create_results(nd_unit_finder *f, nd_error *error) {
    const nd_parts_settings cuts = {CUT_SHARE, 2, 1, "repeated lines"},
                            fresh = {FRESH_SHARE, 2, 2, "new lines"};
    ND_TRY(nd_parts_create(f->run, &cuts, &f->cuts, error));
    return f->index ? nd_parts_create(f->run, &fresh, &f->fresh, error) : ND_OK;
}

nd_status nd_unit_finder_run(nd_unit_finder *f, nd_error *error) {
    free_table(f);
    while (f->unit_count >> f->shift >= ND_PARTS) f->shift++;
    ND_TRY(create_results(f, error));
    nd_parts_pass pass = {.run = f->run,
                          .from = f->units,
                          .targets = {{f->cuts, 2, f->shift}, {f->fresh, 2, 64 - ND_PART_BITS}},
                          .context = f,
                          .take_part = cut_groups};
    ND_TRY(nd_parts_run(&pass, error));
    ND_TRY(nd_external_sort_flush(f->cuts, error));
    if (f->fresh) ND_TRY(nd_external_sort_flush(f->fresh, error));
    nd_external_sort_free(f->units);
    f->units = NULL;
    return next_known(f, error);
}

const nd_external_sort *nd_unit_finder_fresh(const nd_unit_finder *f) { return f->fresh; }

/* ---- results */

/* Finds the next cut of the sorter, and does not take it. NULL: there is none. */
static nd_status find_sorted(nd_unit_finder *f, const uint64_t **record, nd_error *error) {
    *record = NULL;
    while (f->at == f->part.count) {
        if (f->next_part == ND_PARTS) return ND_OK;
        if (f->next_part > 0) nd_external_sort_drop(f->cuts, f->next_part - 1);
        f->at = 0;
        ND_TRY(nd_external_sort_load_records(f->cuts, f->next_part++, &f->part, error));
    }
    *record = f->part.words + 2 * f->at;
    return ND_OK;
}

nd_status nd_unit_finder_next(nd_unit_finder *f, nd_cut_unit *out, nd_error *error) {
    const uint64_t *sorted;
    ND_TRY(find_sorted(f, &sorted, error));
    *out = f->next_known;
    if (!sorted || f->next_known.unit < sorted[0])
        return out->unit < UINT64_MAX ? next_known(f, error) : ND_OK;
    *out = (nd_cut_unit){sorted[0], sorted[1]};
    f->at++;
    return ND_OK;
}
