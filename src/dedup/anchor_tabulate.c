#include "dedup/anchor_tabulate.h"

#include "base/radix_sort.h"
#include "dedup/anchor_patterns.h"
#include "sketch/band_key.h"

#include <string.h>

/* An anchor of more documents is common. With fewer, more documents are common. With more, a text
 * with shingles that many documents have costs more. */
enum { MOST_LISTED = ND_LIMIT(64, 2) };

/* Entries between two values of `begins`, and in a word of the filter, on average, at most. */
enum { ENTRIES_PER_STEP = 4 };

typedef struct table_maker {
    const nd_anchor_table_request *request;
    nd_anchor_table *table;
    uint16_t *anchors; /* by document - first: how many it has */
    uint64_t *shared;  /* document - first << 32 | number of a common anchor */
    size_t shared_count, shared_capacity;
    uint32_t *sizes; /* by common anchor: its documents */
    size_t size_capacity;
    size_t part_begins[(1 << ND_BAND_PART_BITS) + 1]; /* by part: its first entry */
    nd_part_buffer part;
} table_maker;

static nd_status fail_memory(size_t bytes, nd_error *error) {
    return nd_fail_memory(error, bytes, "a table of anchors");
}

/* ---- entries */

static nd_status reserve(table_maker *m, size_t more, nd_error *error) {
    nd_anchor_table *t = m->table;
    const nd_allocator *a = &t->allocator;
    return nd_reserve(a, &t->entries, &t->entry_capacity, t->entry_count + more) &&
                   nd_reserve(a, &m->shared, &m->shared_capacity, m->shared_count + more) &&
                   nd_reserve(a, &m->sizes, &m->size_capacity, (size_t)t->common_count + 1)
               ? ND_OK
               : fail_memory(more * sizeof *t->entries, error);
}

/* Moves the documents of a run that are no copies to its front. Returns how many they are. */
static size_t leave_copies_out(const nd_fates *fates, uint64_t *words, size_t count) {
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        if (!nd_fates_is_copy(fates, (uint32_t)words[i])) words[used++] = words[i];
    return used;
}

/* Adds the documents of a run, all with the same anchor. */
static nd_status add_run(table_maker *m, uint64_t *words, size_t given, nd_error *error) {
    nd_anchor_table *t = m->table;
    uint64_t high = words[0] >> 32 << 32;
    size_t count = leave_copies_out(m->request->fates, words, given);
    bool common = count > MOST_LISTED, any = false;
    ND_TRY(reserve(m, count + 1, error));
    for (size_t i = 0; i < count; i++) {
        uint32_t document = (uint32_t)words[i] - t->first;
        if ((uint32_t)words[i] < t->first || document >= t->count) continue;
        m->anchors[document]++;
        if (common) m->shared[m->shared_count++] = (uint64_t)document << 32 | t->common_count;
        else t->entries[t->entry_count++] = high | document;
        any = true;
    }
    if (!common || !any) return ND_OK;
    t->entries[t->entry_count++] = high | ND_COMMON_ANCHOR | t->common_count;
    m->sizes[t->common_count++] = (uint32_t)count;
    return ND_OK;
}

static nd_status add_part(table_maker *m, size_t part, nd_error *error) {
    ND_TRY(nd_key_sort_load(m->request->anchors, part, &m->part, error));
    uint64_t *words = m->part.words;
    m->part_begins[part] = m->table->entry_count;
    for (size_t begin = 0, end; begin < m->part.count; begin = end) {
        for (end = begin; end < m->part.count && words[end] >> 32 == words[begin] >> 32;) end++;
        ND_TRY(add_run(m, words + begin, end - begin, error));
    }
    return nd_progress_poll(m->request->run->progress, error);
}

static nd_status add_parts(table_maker *m, nd_error *error) {
    nd_anchor_table *t = m->table;
    size_t parts = nd_key_sort_parts(m->request->anchors);
    for (size_t part = 0; part < parts; part++) ND_TRY(add_part(m, part, error));
    m->part_begins[parts] = t->entry_count;
    return t->entry_count <= UINT32_MAX && m->shared_count <= UINT32_MAX &&
                   t->common_count < ND_COMMON_ANCHOR
               ? ND_OK
               : nd_fail(error, ND_ERR_ARGUMENT,
                         "too many anchors for one table: less memory "
                         "makes several tables");
}

/* ---- common anchors */

/* Lists the common anchors of each document, in the order of their numbers. */
static nd_status list_commons(table_maker *m, nd_error *error) {
    nd_anchor_table *t = m->table;
    const nd_allocator *a = &t->allocator;
    t->commons = nd_allocate(a, m->shared_count, sizeof *t->commons);
    t->common_begins = nd_allocate_zero(a, (size_t)t->count + 1, sizeof *t->common_begins);
    if (!t->commons || !t->common_begins)
        return fail_memory(m->shared_count * sizeof *t->commons, error);
    for (size_t i = 0; i < m->shared_count; i++) t->common_begins[m->shared[i] >> 32]++;
    uint32_t end = 0;
    for (uint32_t d = 0; d <= t->count; d++) t->common_begins[d] = end += t->common_begins[d];
    for (size_t i = m->shared_count; i-- > 0;)
        t->commons[--t->common_begins[m->shared[i] >> 32]] = (uint32_t)m->shared[i];
    return ND_OK;
}

static void set_needed(table_maker *m) {
    nd_anchor_table *t = m->table;
    for (uint32_t d = 0; d < t->count; d++)
        if (m->anchors[d] > 0)
            t->needed[d] = (uint16_t)nd_anchors_needed(m->request->plan, m->anchors[d]);
}

/* ---- lookups */

/* Counts the entries of each step, and sets the bits of the filter. */
static void count_entries(const table_maker *m) {
    nd_anchor_table *t = m->table;
    for (size_t part = 0; part < 1 << ND_BAND_PART_BITS; part++)
        for (size_t i = m->part_begins[part]; i < m->part_begins[part + 1]; i++) {
            uint64_t number = nd_band_number_of(part, t->entries[i]);
            t->begins[(number >> t->shift) + 1]++;
            t->filter[number >> t->shift] |= nd_anchor_bits(number);
        }
}

static nd_status add_steps(table_maker *m, nd_error *error) {
    nd_anchor_table *t = m->table;
    unsigned bits = ND_BAND_PART_BITS;
    while (bits < 32 && t->entry_count >> bits > ENTRIES_PER_STEP) bits++;
    size_t steps = (size_t)1 << bits;
    t->shift = ND_BAND_BITS - bits;
    t->begins = nd_allocate_zero(&t->allocator, steps + 1, sizeof *t->begins);
    t->filter = nd_allocate_zero(&t->allocator, steps, sizeof *t->filter);
    if (!t->begins || !t->filter) return fail_memory(steps * sizeof *t->filter, error);
    count_entries(m);
    for (size_t i = 0; i < steps; i++) t->begins[i + 1] += t->begins[i];
    return ND_OK;
}

/* ---- the table */

static nd_status make(table_maker *m, nd_candidates *out, nd_error *error) {
    nd_anchor_table *t = m->table;
    m->anchors = nd_allocate_zero(&t->allocator, t->count, sizeof *m->anchors);
    t->needed = nd_allocate_zero(&t->allocator, t->count, sizeof *t->needed);
    if (!m->anchors || !t->needed) return fail_memory(t->count * sizeof *t->needed, error);
    ND_TRY(add_parts(m, error));
    ND_TRY(list_commons(m, error));
    nd_release(&t->allocator, m->shared);
    m->shared = NULL;
    set_needed(m);
    ND_TRY(nd_anchor_patterns_add(t, m->sizes, m->request->ranks, out, error));
    return add_steps(m, error);
}

nd_status nd_anchor_tabulate(const nd_anchor_table_request *request, nd_candidates *out,
                             nd_anchor_table *table, nd_error *error) {
    const nd_allocator *a = &request->run->allocator;
    table_maker m = {.request = request, .table = table};
    *table = (nd_anchor_table){.allocator = *a,
                               .first = request->first,
                               .count = request->count,
                               .differ_keys = request->differ_keys};
    nd_status status = make(&m, out, error);
    nd_part_buffer_free(a, &m.part);
    nd_release(a, m.shared);
    nd_release(a, m.sizes);
    nd_release(a, m.anchors);
    return status;
}
