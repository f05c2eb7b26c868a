#include "review/review_list.h"

#include "output/escape.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_words[] = {"duplicate", "rejected", "copy"};
static const char *const mark_words[] = {"", "same", "different"};

const char *review_kind_word(review_kind kind) { return kind_words[kind]; }
const char *review_mark_word(review_mark mark) { return mark_words[mark]; }

size_t review_band(const review_list *list, const review_pair *p) {
    if (review_has_distances(list)) return (size_t)p->value;
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
enum { MOST_FIELDS = 16 };

/* The names of the columns; a table of removed documents has the later one first. */
static const char *const pair_names[COLUMNS] = {"id_a", "id_b",     NULL,     "verdict",  "pairs",
                                                "mark", "source_a", "line_a", "source_b", "line_b"};
static const char *const removed_names[COLUMNS] = {
    "kept", "id", NULL, "verdict", "pairs", "mark", "kept_source", "kept_line", "source", "line"};
static const char *const measures[] = {"jaccard", "cosine", "distance"};

typedef struct field {
    const char *text;
    size_t length;
} field;

typedef struct reader {
    const char *path;
    review_list *list;
    size_t columns[COLUMNS]; /* indices of fields; MOST_FIELDS: not there */
    size_t capacity;
    size_t most;  /* pairs of a band that are kept of a table that is no sample */
    uint64_t row; /* of the table, from 1 */
    uint64_t in_band[REVIEW_DISTANCES];
    nd_error *error;
} reader;

static bool is_sample(const reader *r) { return r->columns[AT_VERDICT] < MOST_FIELDS; }

/* Sets the error. */
__attribute__((format(printf, 3, 4))) static nd_status fail(const reader *r, nd_status status,
                                                            const char *format, ...) {
    char message[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (!r->error) return status;
    r->error->status = status;
    snprintf(r->error->message, sizeof r->error->message, "%s: %s", r->path, message);
    return status;
}

static nd_status fail_memory(const reader *r) { return fail(r, ND_ERR_MEMORY, "out of memory"); }

/* Cuts a line without its newline into fields. Returns how many there are. */
static size_t cut(const char *line, size_t length, field fields[MOST_FIELDS]) {
    size_t count = 0;
    const char *end = line + length;
    for (const char *at = line; count < MOST_FIELDS; count++) {
        const char *tab = memchr(at, '\t', (size_t)(end - at));
        fields[count] = (field){at, (size_t)((tab ? tab : end) - at)};
        if (!tab) return count + 1;
        at = tab + 1;
    }
    return count;
}

static bool field_is(const field *f, const char *word) {
    return strlen(word) == f->length && memcmp(f->text, word, f->length) == 0;
}

static size_t find(const field *fields, size_t count, const char *name) {
    for (size_t i = 0; i < count && name; i++)
        if (field_is(&fields[i], name)) return i;
    return MOST_FIELDS;
}

static nd_status read_header(reader *r, const char *line, size_t length) {
    field fields[MOST_FIELDS];
    size_t count = cut(line, length, fields);
    bool removed = find(fields, count, "kept") < count && find(fields, count, "id") < count;
    for (size_t c = 0; c < COLUMNS; c++)
        r->columns[c] = find(fields, count, (removed ? removed_names : pair_names)[c]);
    for (size_t m = 0; m < sizeof measures / sizeof *measures; m++) {
        size_t at = find(fields, count, measures[m]);
        if (at == MOST_FIELDS) continue;
        r->columns[AT_VALUE] = at;
        memcpy(r->list->measure, measures[m], strlen(measures[m]) + 1);
    }
    for (size_t c = 0; c < COLUMNS; c++) {
        bool optional = c == AT_VERDICT || c == AT_PAIRS || c == AT_MARK;
        if (optional || r->columns[c] < count) continue;
        return fail(r, ND_ERR_INPUT,
                    "is no table of pairs: its first line must be that of neardup dedup --review, "
                    "--removed or --edges");
    }
    return ND_OK;
}

/* ---- rows */

/* Reads a number from 0 to 2^53, up to which a double is exact. */
static bool read_number(const field *f, double *out) {
    char text[40], *end;
    if (f->length == 0 || f->length >= sizeof text) return false;
    memcpy(text, f->text, f->length);
    text[f->length] = '\0';
    *out = strtod(text, &end);
    return *end == '\0' && *out >= 0 && *out <= 0x1p53;
}

static bool read_value(const reader *r, const field *f, double *out) {
    return read_number(f, out) &&
           (review_has_distances(r->list) ? *out < REVIEW_DISTANCES : *out <= 1);
}

/* Returns the index of the word that the field is; `count`: of none. */
static size_t word_of(const field *f, const char *const *words, size_t count) {
    size_t i = 0;
    while (i < count && !field_is(f, words[i])) i++;
    return i;
}

static char *take_text(const field *f, size_t *length) {
    char *text = malloc(f->length + 1);
    if (!text) return NULL;
    *length = table_text_read(f->text, f->length, text);
    text[*length] = '\0';
    return text;
}

/* False: a bad row, or out of memory, which *memory says. */
static bool read_document(const field *id, const field *source, const field *line,
                          review_document *out, bool *memory) {
    double number = 0;
    size_t length;
    if (line->length > 0 && !read_number(line, &number)) return false;
    out->line = (uint64_t)number;
    out->id = take_text(id, &out->id_length);
    out->source = take_text(source, &length);
    *memory = out->id && out->source;
    return *memory;
}

static void free_document(review_document *d) {
    free(d->id);
    free(d->source);
    free(d->text);
}

static void free_pair(review_pair *p) {
    free_document(&p->documents[0]);
    free_document(&p->documents[1]);
}

/* What a table may say of a pair besides its documents. */
static bool read_verdict(const reader *r, const field *fields, review_pair *p) {
    double pairs = 0;
    size_t kind = REVIEW_DUPLICATE, mark = MARK_NONE;
    if (is_sample(r)) {
        kind = word_of(&fields[r->columns[AT_VERDICT]], kind_words, 3);
        if (r->columns[AT_PAIRS] == MOST_FIELDS ||
            !read_number(&fields[r->columns[AT_PAIRS]], &pairs))
            return false;
    }
    if (r->columns[AT_MARK] < MOST_FIELDS)
        mark = word_of(&fields[r->columns[AT_MARK]], mark_words, 3);
    p->kind = (review_kind)kind;
    p->mark = (review_mark)mark;
    p->pairs = (uint64_t)pairs;
    return kind < 3 && mark < 3;
}

/* ---- the sample of a table that is none */

/* A bijective mixer (David Stafford's variant 13, 2011): rows come in the order of the input, and
 * the first ones would be no sample. */
static uint64_t mix(uint64_t x) {
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static int by_band(const void *a, const void *b) {
    const review_pair *x = a, *y = b;
    uint64_t left = mix(x->number), right = mix(y->number);
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
    if (!is_sample(r) && list->count >= 2 * REVIEW_DISTANCES * r->most) thin(r);
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

static nd_status read_row(reader *r, const char *line, size_t length) {
    field fields[MOST_FIELDS] = {{NULL, 0}};
    const size_t *at = r->columns;
    size_t count = cut(line, length, fields);
    review_pair p = {.number = r->row};
    bool memory = true, good = true;
    for (size_t c = 0; c < COLUMNS; c++) good &= at[c] == MOST_FIELDS || at[c] < count;
    good = good && read_value(r, &fields[at[AT_VALUE]], &p.value) && read_verdict(r, fields, &p) &&
           read_document(&fields[at[AT_ID_A]], &fields[at[AT_SOURCE_A]], &fields[at[AT_LINE_A]],
                         &p.documents[0], &memory) &&
           read_document(&fields[at[AT_ID_B]], &fields[at[AT_SOURCE_B]], &fields[at[AT_LINE_B]],
                         &p.documents[1], &memory);
    if (good && make_room(r)) {
        p.band = review_band(r->list, &p);
        r->in_band[p.band]++;
        r->list->pairs[r->list->count++] = p;
        return ND_OK;
    }
    free_pair(&p);
    return good || !memory ? fail_memory(r)
                           : fail(r, ND_ERR_INPUT, "line %llu is no row of this table",
                                  (unsigned long long)(r->row + 1));
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

static nd_status read_lines(reader *r, FILE *file) {
    char *line = NULL;
    size_t room = 0;
    bool any = false;
    nd_status status = ND_OK;
    for (ssize_t length; status == ND_OK && (length = getline(&line, &room, file)) >= 0;) {
        if (length > 0 && line[length - 1] == '\n') length--;
        if (any) r->row++;
        status = any ? read_row(r, line, (size_t)length) : read_header(r, line, (size_t)length);
        any = true;
    }
    free(line);
    if (status != ND_OK) return status;
    if (ferror(file)) return fail(r, ND_ERR_IO, "%s", strerror(errno));
    return any ? ND_OK : fail(r, ND_ERR_INPUT, "is empty");
}

static void sort(review_list *list) {
    for (size_t i = 0; i < list->count; i++)
        list->pairs[i].remoteness = remoteness(list, &list->pairs[i]);
    if (list->count > 0) qsort(list->pairs, list->count, sizeof *list->pairs, by_interest);
}

nd_status review_list_read(const char *path, size_t most, review_list *out, nd_error *error) {
    bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : fopen(path, "rb");
    reader r = {
        .path = standard ? "standard input" : path, .list = out, .most = most, .error = error};
    *out = (review_list){.pairs = NULL};
    if (!file) return fail(&r, ND_ERR_IO, "%s", strerror(errno));
    nd_status status = read_lines(&r, file);
    if (!standard) fclose(file);
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
