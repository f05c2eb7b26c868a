#include "review/group_list.h"

#include "review/group_counts.h"

#include <stdlib.h>

/* A chosen group has its index in place of its rows, with this bit. */
static const uint64_t chosen_bit = UINT64_C(1) << 63;

typedef struct reader {
    run_table table;
    const group_request *wanted;
    group_list *list;
    document_columns document, kept;
    size_t is_kept; /* the column that tells kept documents; TABLE_FIELDS: all are removed */
    size_t measure; /* TABLE_FIELDS: none */
    group_counts counts;
    uint64_t bound; /* rows of the smallest group that is shown */
    size_t ties;    /* so many groups of just these rows are still shown */
    nd_error *error;
} reader;

/* ---- the header */

static bool has(const document_columns *c) {
    return c->id < TABLE_FIELDS && c->source < TABLE_FIELDS && c->line < TABLE_FIELDS;
}

static document_columns find_document(const run_table *t, const char *id, const char *source,
                                      const char *line) {
    return (document_columns){run_table_column(t, id), run_table_column(t, source),
                              run_table_column(t, line)};
}

static nd_status read_header(reader *r) {
    const run_table *t = &r->table;
    bool clusters = run_table_column(t, "cluster") < TABLE_FIELDS;
    r->document = find_document(t, "id", "source", "line");
    r->kept = clusters ? find_document(t, "cluster", "cluster_source", "cluster_line")
                       : find_document(t, "kept", "kept_source", "kept_line");
    r->is_kept = clusters ? run_table_column(t, "kept") : TABLE_FIELDS;
    r->measure = clusters ? TABLE_FIELDS : run_table_measure(t, &r->list->measure);
    if (r->measure == TABLE_FIELDS) r->list->measure = "";
    if (has(&r->document) && has(&r->kept) && (r->is_kept < TABLE_FIELDS) == clusters) return ND_OK;
    return run_table_fail(t, r->error, ND_ERR_INPUT,
                          "is no table of groups: its first line must be that of neardup dedup "
                          "--clusters or --removed");
}

/* ---- rows */

static bool is_missing(const reader *r, size_t column) {
    return column != TABLE_FIELDS && column >= r->table.count;
}

static bool is_row(const reader *r) {
    const size_t columns[] = {r->document.id, r->document.source, r->document.line, r->kept.id,
                              r->kept.source, r->kept.line,       r->is_kept,       r->measure};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (is_missing(r, columns[i])) return false;
    if (r->is_kept == TABLE_FIELDS) return true;
    const table_field *kept = &r->table.fields[r->is_kept];
    return table_field_is(kept, "0") || table_field_is(kept, "1");
}

/* A hash of some fields of the row that was read last. */
static uint64_t hash_fields(const reader *r, const size_t *columns, size_t count) {
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++) {
        const table_field *f = &r->table.fields[columns[i]];
        hash = group_key_add(hash, f->text, f->length);
    }
    return hash;
}

static uint64_t hash_of_group(const reader *r) {
    const size_t columns[] = {r->kept.id, r->kept.source, r->kept.line};
    return hash_fields(r, columns, 3);
}

static uint64_t hash_of_place(const reader *r) {
    const size_t columns[] = {r->document.source, r->document.line};
    return hash_fields(r, columns, 2);
}

/* Calls a function with each row of a removed document. */
static nd_status for_each_removed(reader *r, nd_status (*take)(reader *r, uint64_t key)) {
    bool more = true;
    for (;;) {
        nd_status status = run_table_next(&r->table, &more, r->error);
        if (status != ND_OK || !more) return status;
        if (!is_row(r)) return run_table_bad_row(&r->table, r->error);
        if (r->is_kept < TABLE_FIELDS && table_field_is(&r->table.fields[r->is_kept], "1"))
            continue;
        status = take(r, hash_of_group(r));
        if (status != ND_OK) return status;
    }
}

/* ---- the first reading: sizes */

static nd_status count_row(reader *r, uint64_t key) {
    return group_counts_add(&r->counts, key) ? ND_OK : run_table_no_memory(&r->table, r->error);
}

/* Adds a number to the largest ones, which are in descending order. */
static void note_large(uint64_t *largest, size_t *count, size_t most, uint64_t rows) {
    if (*count == most && rows <= largest[most - 1]) return;
    size_t at = *count < most ? (*count)++ : most - 1;
    for (; at > 0 && largest[at - 1] < rows; at--) largest[at] = largest[at - 1];
    largest[at] = rows;
}

/* Finds out which groups are large enough. False: out of memory. */
static bool choose_bound(reader *r) {
    size_t most = r->wanted->groups, count = 0;
    uint64_t *largest = malloc(most * sizeof *largest);
    if (!largest) return false;
    for (size_t i = 0; i < r->counts.capacity; i++) {
        uint64_t rows = r->counts.slots[i].rows;
        r->list->documents += rows;
        if (rows + 1 >= r->wanted->least && rows > 0) note_large(largest, &count, most, rows);
    }
    r->list->all = r->counts.count;
    r->list->documents += r->counts.count;
    r->bound = count > 0 ? largest[count - 1] : UINT64_MAX;
    for (size_t i = 0; i < count; i++) r->ties += largest[i] == r->bound;
    free(largest);
    r->list->groups = calloc(count + 1, sizeof *r->list->groups);
    return r->list->groups != NULL;
}

/* ---- the second reading: documents */

static void find_remotest(review_group *g) {
    g->remotest = 0;
    for (size_t i = 1; i < g->count; i++)
        if (g->members[i].hash > g->members[g->remotest].hash) g->remotest = i;
}

/* Takes the document of a row if it belongs to the sample so far. */
static nd_status offer_member(const reader *r, review_group *g) {
    removed_member *place = &g->members[g->remotest],
                   member = {.row = r->table.row, .hash = hash_of_place(r)};
    bool full = g->count == r->wanted->members;
    if (r->wanted->members == 0 || (full && member.hash >= place->hash)) return ND_OK;
    if (r->measure < TABLE_FIELDS &&
        !table_field_value(&r->table.fields[r->measure], r->list->measure, &member.value))
        return run_table_bad_row(&r->table, r->error);
    nd_status status = review_document_read(&r->table, &r->document, &member.document, r->error);
    if (full) review_document_free(&place->document);
    else place = &g->members[g->count++];
    *place = member;
    if (status == ND_OK) find_remotest(g);
    return status;
}

static nd_status open_group(const reader *r, group_slot *slot) {
    review_group *g = &r->list->groups[r->list->count];
    g->size = slot->rows + 1;
    slot->rows = chosen_bit | r->list->count++;
    g->members = calloc(r->wanted->members + 1, sizeof *g->members);
    return g->members ? review_document_read(&r->table, &r->kept, &g->kept, r->error)
                      : run_table_no_memory(&r->table, r->error);
}

static nd_status take_row(reader *r, uint64_t key) {
    group_slot *slot = group_counts_find(&r->counts, key);
    if (slot->rows < r->bound || (slot->rows == r->bound && r->ties == 0)) return ND_OK;
    if (!(slot->rows & chosen_bit)) {
        r->ties -= slot->rows == r->bound;
        nd_status status = open_group(r, slot);
        if (status != ND_OK) return status;
    }
    return offer_member(r, &r->list->groups[slot->rows & ~chosen_bit]);
}

/* ---- the list */

static int by_row(const void *a, const void *b) {
    const removed_member *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

/* The groups are in the order of the table. Insertion keeps equally large ones in it. */
static void sort(group_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        review_group g = list->groups[i];
        if (g.count > 0) qsort(g.members, g.count, sizeof *g.members, by_row);
        size_t at = i;
        for (; at > 0 && list->groups[at - 1].size < g.size; at--)
            list->groups[at] = list->groups[at - 1];
        list->groups[at] = g;
    }
}

static nd_status read_twice(reader *r) {
    nd_status status = read_header(r);
    if (status == ND_OK) status = run_table_keep(&r->table, r->error);
    if (status == ND_OK) status = for_each_removed(r, count_row);
    if (status == ND_OK && !choose_bound(r)) status = run_table_no_memory(&r->table, r->error);
    if (status != ND_OK || r->counts.count == 0) return status;
    status = run_table_rewind(&r->table, r->error);
    return status == ND_OK ? for_each_removed(r, take_row) : status;
}

nd_status group_list_read(const char *path, const group_request *wanted, group_list *out,
                          nd_error *error) {
    reader r = {.wanted = wanted, .list = out, .error = error};
    *out = (group_list){.measure = ""};
    nd_status status = run_table_open(&r.table, path, error);
    if (status != ND_OK) return status;
    status = read_twice(&r);
    run_table_close(&r.table);
    group_counts_free(&r.counts);
    if (status == ND_OK) sort(out);
    else group_list_free(out);
    return status;
}

void group_list_free(group_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        review_group *g = &list->groups[i];
        for (size_t m = 0; m < g->count; m++) review_document_free(&g->members[m].document);
        free(g->members);
        review_document_free(&g->kept);
    }
    free(list->groups);
    *list = (group_list){.measure = ""};
}
