#include "review/review_list.h"

#include "output/escape.h"
#include "review/row_sample.h"

#include <stdlib.h>
#include <string.h>

static const char *const kind_words[] = {"duplicate", "rejected", "copy"};
static const char *const mark_words[] = {"", "same", "different"};

const char *review_kind_word(review_kind kind) { return kind_words[kind]; }
const char *review_mark_word(review_mark mark) { return mark_words[mark]; }

size_t review_band(const review_list *list, const review_pair *p) {
    if (review_has_distances(list)) {
        size_t distance = (size_t)p->value;
        return distance < REVIEW_SINGLE_DISTANCES
                   ? distance
                   : REVIEW_SINGLE_DISTANCES + (distance - REVIEW_SINGLE_DISTANCES) / 10;
    }
    size_t band = (size_t)(p->value * REVIEW_BANDS);
    return band < REVIEW_BANDS ? band : REVIEW_BANDS - 1;
}

/* ---- the header */

enum {
    AT_ID_A,
    AT_ID_B,
    AT_VALUE,
    AT_VERDICT,
    AT_PAIRS,
    AT_MARK,
    AT_SOURCE_A,
    AT_LINE_A,
    AT_SOURCE_B,
    AT_LINE_B,
    COLUMNS
};

/* The names of the columns; a table of removed documents has the later one first. */
static const char *const pair_names[COLUMNS] = {"id_a", "id_b",     NULL,     "verdict",  "pairs",
                                                "mark", "source_a", "line_a", "source_b", "line_b"};
static const char *const removed_names[COLUMNS] = {
    "kept", "id", NULL, "verdict", "pairs", "mark", "kept_source", "kept_line", "source", "line"};

typedef struct reader {
    run_table table;
    review_list *list;
    size_t columns[COLUMNS]; /* TABLE_FIELDS: not there */
    size_t capacity;
    size_t most; /* pairs of a band that are kept of a table that is no sample */
    uint64_t in_band[REVIEW_DISTANCE_BANDS];
    nd_error *error;
} reader;

static bool is_sample(const reader *r) { return r->columns[AT_VERDICT] < TABLE_FIELDS; }

static nd_status read_header(reader *r) {
    const run_table *t = &r->table;
    bool removed = run_table_column(t, "kept") < t->count && run_table_column(t, "id") < t->count;
    const char *const *names = removed ? removed_names : pair_names;
    for (size_t c = 0; c < COLUMNS; c++)
        r->columns[c] = names[c] ? run_table_column(t, names[c]) : TABLE_FIELDS;
    r->columns[AT_VALUE] = run_table_measure(t, &r->list->measure);
    for (size_t c = 0; c < COLUMNS; c++) {
        bool optional = c == AT_VERDICT || c == AT_PAIRS || c == AT_MARK;
        if (optional || r->columns[c] < TABLE_FIELDS) continue;
        return run_table_fail(t, r->error, ND_ERR_INPUT,
                              "is no table of pairs: its first line must be that of neardup dedup "
                              "--review, --removed or --edges");
    }
    return ND_OK;
}

/* ---- rows */

/* Returns the index of the word that the field is; `count`: of none. */
static size_t word_of(const table_field *f, const char *const *words, size_t count) {
    size_t i = 0;
    while (i < count && !table_field_is(f, words[i])) i++;
    return i;
}

static void free_pair(review_pair *p) {
    review_document_free(&p->documents[0]);
    review_document_free(&p->documents[1]);
}

/* What a table may say of a pair besides its documents. */
static bool read_verdict(const reader *r, review_pair *p) {
    const table_field *fields = r->table.fields;
    double pairs = 0;
    size_t kind = REVIEW_DUPLICATE, mark = MARK_NONE;
    if (is_sample(r)) {
        kind = word_of(&fields[r->columns[AT_VERDICT]], kind_words, 3);
        if (r->columns[AT_PAIRS] == TABLE_FIELDS ||
            !table_field_number(&fields[r->columns[AT_PAIRS]], &pairs))
            return false;
    }
    if (r->columns[AT_MARK] < TABLE_FIELDS)
        mark = word_of(&fields[r->columns[AT_MARK]], mark_words, 3);
    p->kind = (review_kind)kind;
    p->mark = (review_mark)mark;
    p->pairs = (uint64_t)pairs;
    return kind < 3 && mark < 3;
}

/* ---- the sample of a table that is none */

static int by_band(const void *a, const void *b) {
    const review_pair *x = a, *y = b;
    uint64_t left = row_hash(x->number), right = row_hash(y->number);
    if (x->band != y->band) return x->band < y->band ? -1 : 1;
    return left < right ? -1 : left > right;
}

/* Keeps `most` pairs of each band, those with the least hashes of their rows. */
static void thin(const reader *r) {
    review_list *list = r->list;
    size_t count = 0, in_band = 0;
    if (list->count > 0) qsort(list->pairs, list->count, sizeof *list->pairs, by_band);
    for (size_t i = 0; i < list->count; i++) {
        review_pair *p = &list->pairs[i];
        in_band = count > 0 && list->pairs[count - 1].band == p->band ? in_band + 1 : 1;
        if (in_band <= r->most) list->pairs[count++] = *p;
        else free_pair(p);
    }
    list->count = count;
}

/* A table may be larger than the memory, so it is thinned on the way, whenever most of the pairs
 * that are held are too many. */
static bool make_room(reader *r) {
    review_list *list = r->list;
    if (!is_sample(r) && list->count >= 2 * REVIEW_DISTANCE_BANDS * r->most) thin(r);
    if (list->count < r->capacity) return true;
    size_t more = r->capacity ? 2 * r->capacity : 256;
    review_pair *larger = realloc(list->pairs, more * sizeof *larger);
    if (!larger) return false;
    list->pairs = larger;
    r->capacity = more;
    return true;
}

static void finish_sample(const reader *r) {
    thin(r);
    for (size_t i = 0; i < r->list->count; i++)
        r->list->pairs[i].pairs = r->in_band[r->list->pairs[i].band];
}

/* ---- the table */

static nd_status read_documents(const reader *r, review_pair *p) {
    const size_t *at = r->columns;
    const document_columns columns[] = {{at[AT_ID_A], at[AT_SOURCE_A], at[AT_LINE_A]},
                                        {at[AT_ID_B], at[AT_SOURCE_B], at[AT_LINE_B]}};
    nd_status status = ND_OK;
    for (int i = 0; i < 2 && status == ND_OK; i++)
        status = review_document_read(&r->table, &columns[i], &p->documents[i], r->error);
    return status;
}

static bool has_columns(const reader *r) {
    for (size_t c = 0; c < COLUMNS; c++)
        if (r->columns[c] != TABLE_FIELDS && r->columns[c] >= r->table.count) return false;
    return true;
}

static nd_status read_row(reader *r) {
    review_pair p = {.number = r->table.row};
    if (!has_columns(r) ||
        !table_field_value(&r->table.fields[r->columns[AT_VALUE]], r->list->measure, &p.value) ||
        !read_verdict(r, &p))
        return run_table_bad_row(&r->table, r->error);
    nd_status status = read_documents(r, &p);
    if (status == ND_OK && !make_room(r)) status = run_table_no_memory(&r->table, r->error);
    if (status != ND_OK) {
        free_pair(&p);
        return status;
    }
    p.band = review_band(r->list, &p);
    r->in_band[p.band]++;
    r->list->pairs[r->list->count++] = p;
    return ND_OK;
}

/* Grows with the distance from the threshold, on each side of it. */
static double remoteness(const review_list *list, const review_pair *p) {
    bool grows = (p->kind == REVIEW_REJECTED) == review_has_distances(list);
    return grows ? p->value : -p->value;
}

static int by_interest(const void *a, const void *b) {
    static const int places[] = {[REVIEW_DUPLICATE] = 0, [REVIEW_REJECTED] = 1, [REVIEW_COPY] = 2};
    const review_pair *x = a, *y = b;
    if (x->kind != y->kind) return places[x->kind] - places[y->kind];
    if (x->remoteness != y->remoteness) return x->remoteness < y->remoteness ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static nd_status read_rows(reader *r) {
    bool more = true;
    nd_status status = read_header(r);
    while (status == ND_OK) {
        status = run_table_next(&r->table, &more, r->error);
        if (!more) break;
        if (status == ND_OK) status = read_row(r);
    }
    return status;
}

static void sort(review_list *list) {
    for (size_t i = 0; i < list->count; i++)
        list->pairs[i].remoteness = remoteness(list, &list->pairs[i]);
    if (list->count > 0) qsort(list->pairs, list->count, sizeof *list->pairs, by_interest);
}

nd_status review_list_read(const char *path, size_t most, review_list *out, nd_error *error) {
    reader r = {.list = out, .most = most, .error = error};
    *out = (review_list){.measure = "", .pairs = NULL};
    nd_status status = run_table_open(&r.table, path, error);
    if (status != ND_OK) return status;
    status = read_rows(&r);
    run_table_close(&r.table);
    out->is_sample = status == ND_OK && is_sample(&r);
    if (status == ND_OK && !is_sample(&r)) finish_sample(&r);
    if (status == ND_OK) sort(out);
    else review_list_free(out);
    return status;
}

void review_list_free(review_list *list) {
    for (size_t i = 0; i < list->count; i++) free_pair(&list->pairs[i]);
    free(list->pairs);
    *list = (review_list){.pairs = NULL};
}

/* ---- writing */

static void write_position(FILE *out, const review_document *d) {
    print_table_text(out, d->source, strlen(d->source));
    if (d->line > 0) fprintf(out, "\t%llu", (unsigned long long)d->line);
    else putc('\t', out);
}

void review_row_begin(const review_list *list, const review_pair *p, FILE *out) {
    print_table_text(out, p->documents[0].id, p->documents[0].id_length);
    putc('\t', out);
    print_table_text(out, p->documents[1].id, p->documents[1].id_length);
    fprintf(out, review_has_distances(list) ? "\t%.0f" : "\t%.6f", p->value);
    fprintf(out, "\t%s\t%llu", kind_words[p->kind], (unsigned long long)p->pairs);
}

void review_row_end(const review_pair *p, FILE *out) {
    write_position(out, &p->documents[0]);
    putc('\t', out);
    write_position(out, &p->documents[1]);
}

void review_list_write(const review_list *list, FILE *out) {
    fprintf(out, "id_a\tid_b\t%s\tverdict\tpairs\tmark\tsource_a\tline_a\tsource_b\tline_b\n",
            list->measure);
    for (size_t i = 0; i < list->count; i++) {
        const review_pair *p = &list->pairs[i];
        review_row_begin(list, p, out);
        fprintf(out, "\t%s\t", mark_words[p->mark]);
        review_row_end(p, out);
        putc('\n', out);
    }
}
