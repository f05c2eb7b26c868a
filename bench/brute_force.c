/* brute_force: finds every pair of documents with Jaccard similarity >= t, exactly. It is the
 * oracle of the benchmarks for `neardup dedup`.
 *
 * Method: prefix filtering (Bayardo, Ma, Srikant: Scaling up all pairs similarity search, WWW 2007;
 * Xiao et al.: PPJoin, WWW 2008). Shingles are numbered from the rarest to the commonest, and every
 * set is sorted by that number. Two sets with J >= t share at least o shingles. So the |x| - o + 1
 * rarest shingles of each set contain a common one, and only these are indexed and looked up. Sets
 * are processed by ascending size. Bounds on size and position drop further pairs; the remaining
 * pairs are counted in full. No bound is an estimate: each is the least integer that passes the
 * comparison nd_jaccard(o) >= t in double, and quotients in double have the order of the exact
 * quotients.
 *
 * The library provides the shingles (nd_analyze, nd_set_make) and a second opinion: nd_set_overlap
 * must agree on every pair that is printed. */
#include "json_lines.h"
#define PROGRAM_NAME "brute_force"
#include "program.h"

#include "neardup.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct settings {
    double threshold;
    nd_analyzer_options analyzer;
    bool survivors;
    size_t limit; /* the most documents that are read */
} settings;

typedef struct corpus {
    uint64_t *shingles; /* set of document d: shingles[starts[d] .. starts[d+1]); hashes at first,
                           numbers by rarity later */
    size_t shingle_count, shingle_capacity;
    size_t *starts;
    char **ids;
    size_t count, capacity;
    uint64_t text_bytes;
    size_t distinct; /* number of distinct shingles */
    size_t single;   /* shingles with a number below this occur in one document only */
} corpus;

typedef struct pair {
    uint32_t first, second; /* document numbers, first < second */
    uint32_t intersection, set_union;
} pair;

typedef struct pair_list {
    pair *items;
    size_t count, capacity;
} pair_list;

/* ---------------------------------------------------------------- reading */

static char *make_id(const char *line, size_t length, char *scratch, const char *path,
                     size_t number) {
    size_t id_length;
    char *id;
    if (json_field(line, length, "id", scratch, &id_length)) {
        id = sized(NULL, id_length + 1, 1);
        memcpy(id, scratch, id_length);
        id[id_length] = 0;
    } else {
        id = sized(NULL, strlen(path) + 24, 1);
        snprintf(id, strlen(path) + 24, "%s:%zu", path, number);
    }
    return id;
}

static void add_document(corpus *c, nd_analyzer *analyzer, const char *text, size_t length,
                         char *id) {
    nd_shingles shingles;
    nd_error error;
    if (nd_analyze(analyzer, text, length, &shingles, &error) != ND_OK) stop(error.message);
    size_t size = nd_set_make(shingles.hashes, shingles.count);
    if (c->shingle_count + size > c->shingle_capacity) {
        c->shingle_capacity = (c->shingle_count + size) * 2;
        c->shingles = sized(c->shingles, c->shingle_capacity, sizeof *c->shingles);
    }
    if (c->count + 2 > c->capacity) {
        c->capacity = c->capacity * 2 + 1024;
        c->starts = sized(c->starts, c->capacity, sizeof *c->starts);
        c->ids = sized(c->ids, c->capacity, sizeof *c->ids);
    }
    memcpy(c->shingles + c->shingle_count, shingles.hashes, size * sizeof *c->shingles);
    c->starts[c->count] = c->shingle_count;
    c->ids[c->count++] = id;
    c->starts[c->count] = c->shingle_count += size;
    c->text_bytes += length;
}

static void read_file(corpus *c, nd_analyzer *analyzer, const char *path, size_t limit) {
    input_file file;
    char *line = NULL, *text = NULL;
    size_t line_capacity = 0, text_capacity = 0, number = 0, text_length;
    ssize_t length = 0;
    if (!input_open(&file, path)) exit(1);
    while (c->count < limit && (length = getline(&line, &line_capacity, file.stream)) > 0) {
        number++;
        if (length == 1) continue;
        if (text_capacity < line_capacity) text = sized(text, text_capacity = line_capacity, 1);
        char *id = make_id(line, (size_t)length, text, path, number);
        if (!json_field(line, (size_t)length, "text", text, &text_length)) {
            fprintf(stderr, "%s:%zu: no text\n", path, number);
            exit(1);
        }
        add_document(c, analyzer, text, text_length, id);
    }
    if (!input_close(&file, length < 0)) exit(1);
    free(line);
    free(text);
}

/* ---------------------------------------------------------------- numbering by rarity */

/* Sorts in ascending order, in four passes of 16 bits. */
static void sort_hashes(uint64_t *values, size_t count) {
    uint64_t *other = sized(NULL, count, sizeof *other);
    size_t *offsets = sized(NULL, 1 << 16, sizeof *offsets);
    for (int shift = 0; shift < 64; shift += 16) {
        memset(offsets, 0, (1 << 16) * sizeof *offsets);
        for (size_t i = 0; i < count; i++) offsets[values[i] >> shift & 0xFFFF]++;
        for (size_t i = 0, sum = 0; i < 1 << 16; i++) {
            size_t n = offsets[i];
            offsets[i] = sum;
            sum += n;
        }
        for (size_t i = 0; i < count; i++)
            other[offsets[values[i] >> shift & 0xFFFF]++] = values[i];
        uint64_t *swap = values;
        values = other;
        other = swap;
    }
    free(other); /* the number of passes is even: the result is in the caller's array */
    free(offsets);
}

/* Keeps one of each value, in order; frequency[i] is the number of occurrences of values[i]. */
static size_t count_values(uint64_t *values, size_t count, uint32_t *frequency) {
    size_t distinct = 0;
    for (size_t i = 0; i < count; i++) {
        if (distinct > 0 && values[distinct - 1] == values[i]) {
            frequency[distinct - 1]++;
        } else {
            frequency[distinct] = 1;
            values[distinct++] = values[i];
        }
    }
    return distinct;
}

/* Replaces frequency[i] by the rank of value i in the order of (frequency, value). Returns the
 * number of values with frequency 1. */
static size_t rank_values(uint32_t *frequency, size_t distinct, size_t documents) {
    uint32_t *offsets = sized(NULL, documents + 2, sizeof *offsets);
    memset(offsets, 0, (documents + 2) * sizeof *offsets);
    for (size_t i = 0; i < distinct; i++) offsets[frequency[i] + 1]++;
    for (size_t f = 1; f <= documents + 1; f++) offsets[f] += offsets[f - 1];
    size_t single = documents > 0 ? offsets[2] : 0;
    for (size_t i = 0; i < distinct; i++) frequency[i] = offsets[frequency[i]]++;
    free(offsets);
    return single;
}

/* Replaces every shingle by its rank and sorts the sets again. */
static void number_shingles(corpus *c) {
    enum { TOP_BITS = 20 };
    size_t n = c->shingle_count;
    if (n > UINT32_MAX) stop("more than 2^32 shingles");
    uint64_t *values = sized(NULL, n, sizeof *values);
    uint32_t *rank = sized(NULL, n, sizeof *rank);
    size_t *directory = sized(NULL, ((size_t)1 << TOP_BITS) + 1, sizeof *directory);
    if (n > 0) memcpy(values, c->shingles, n * sizeof *values);
    sort_hashes(values, n);
    c->distinct = count_values(values, n, rank);
    c->single = rank_values(rank, c->distinct, c->count);
    for (size_t top = 0, at = 0; top <= (size_t)1 << TOP_BITS; top++) {
        while (at < c->distinct && values[at] >> (64 - TOP_BITS) < top) at++;
        directory[top] = at;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t value = c->shingles[i];
        size_t low = directory[value >> (64 - TOP_BITS)],
               high = directory[(value >> (64 - TOP_BITS)) + 1];
        while (low + 1 < high) {
            size_t middle = (low + high) / 2;
            if (values[middle] <= value) low = middle;
            else high = middle;
        }
        c->shingles[i] = rank[low];
    }
    for (size_t d = 0; d < c->count; d++)
        nd_set_make(c->shingles + c->starts[d], c->starts[d + 1] - c->starts[d]);
    free(values);
    free(rank);
    free(directory);
}

/* ---------------------------------------------------------------- the join */

typedef struct posting {
    uint32_t document, position, next; /* next: an earlier posting of the same shingle; 0: none */
} posting;

typedef struct join {
    const corpus *corpus;
    double threshold;
    uint32_t *heads; /* the latest posting of each shingle; postings are added by ascending size of
                        document, so a walk meets descending sizes */
    posting *postings;
    size_t posting_count, posting_capacity;
    uint32_t *shared; /* for each document: shingles found in prefixes so far; SHARED_OUT: excluded
                         by position */
    uint32_t *touched;
    size_t touched_count;
    uint64_t candidates;
    pair_list pairs;
} join;

enum { SHARED_OUT = UINT32_MAX };

static size_t size_of(const corpus *c, size_t document) {
    return c->starts[document + 1] - c->starts[document];
}

/* Returns the least size of intersection with which sets of sizes a and b reach the threshold. It
 * is more than min(a, b) if none does. */
static size_t least_overlap(double threshold, size_t a, size_t b) {
    size_t sum = a + b, least = a < b ? a : b;
    size_t o = (size_t)(threshold / (1 + threshold) * (double)sum);
    o = o > 2 ? o - 2 : 0;
    while (o <= least && (double)o / (double)(sum - o) < threshold) o++;
    return o;
}

/* Returns the least size of a set that can reach the threshold with a set of size a >= it: the
 * least b with b / a >= t. */
static size_t least_partner(double threshold, size_t a) {
    size_t b = (size_t)(threshold * (double)a);
    b = b > 2 ? b - 2 : 0;
    while ((double)b / (double)a < threshold) b++;
    return b;
}

/* Counts the shingles that the prefixes of x and of each smaller document share. */
static void probe(join *j, uint32_t x) {
    const corpus *c = j->corpus;
    const uint64_t *set = c->shingles + c->starts[x];
    size_t size = size_of(c, x), least = least_partner(j->threshold, size),
           prefix = size - least + 1;
    j->touched_count = 0;
    for (size_t i = 0; i < prefix; i++) {
        if (set[i] < c->single) continue;
        for (uint32_t p = j->heads[set[i]]; p; p = j->postings[p].next) {
            const posting *at = &j->postings[p];
            size_t other = size_of(c, at->document);
            if (other < least) break;
            uint32_t *shared = &j->shared[at->document];
            if (*shared == SHARED_OUT) continue;
            if (*shared == 0) j->touched[j->touched_count++] = at->document;
            size_t left = size - i < other - at->position ? size - i : other - at->position;
            bool possible = *shared + left >= least_overlap(j->threshold, size, other);
            *shared = possible ? *shared + 1 : SHARED_OUT;
        }
    }
}

static void add_postings(join *j, uint32_t x) {
    const corpus *c = j->corpus;
    const uint64_t *set = c->shingles + c->starts[x];
    size_t size = size_of(c, x), prefix = size - least_overlap(j->threshold, size, size) +
                                          1; /* later partners are not smaller */
    if (j->posting_count + prefix > j->posting_capacity) {
        j->posting_capacity = (j->posting_count + prefix) * 2;
        j->postings = sized(j->postings, j->posting_capacity, sizeof *j->postings);
    }
    for (size_t i = 0; i < prefix; i++) {
        if (set[i] < c->single) continue;
        if (j->posting_count == UINT32_MAX) stop("more than 2^32 postings");
        j->postings[j->posting_count] = (posting){x, (uint32_t)i, j->heads[set[i]]};
        j->heads[set[i]] = (uint32_t)j->posting_count++;
    }
}

/* Returns |A and B|, or any number below `wanted` as soon as the result is known to be below it. */
static size_t count_common(const uint64_t *a, size_t a_size, const uint64_t *b, size_t b_size,
                           size_t wanted) {
    size_t i = 0, k = 0, common = 0;
    while (i < a_size && k < b_size) {
        if (a[i] == b[k]) {
            common++, i++, k++;
        } else {
            size_t left = a[i] < b[k] ? a_size - ++i : b_size - ++k;
            if (common + left < wanted) break;
        }
    }
    return common;
}

static void check_with_library(const corpus *c, const pair *p, double threshold) {
    const uint64_t *first = c->shingles + c->starts[p->first],
                   *second = c->shingles + c->starts[p->second];
    nd_overlap overlap = nd_set_overlap(first, size_of(c, p->first), second, size_of(c, p->second));
    if (overlap.intersection != p->intersection || !(nd_jaccard(overlap) >= threshold))
        stop("nd_set_overlap or nd_jaccard disagrees");
}

static void decide(join *j, uint32_t x) {
    const corpus *c = j->corpus;
    size_t size = size_of(c, x);
    for (size_t i = 0; i < j->touched_count; i++) {
        uint32_t y = j->touched[i], shared = j->shared[y];
        j->shared[y] = 0;
        if (shared == SHARED_OUT) continue;
        j->candidates++;
        size_t other = size_of(c, y), wanted = least_overlap(j->threshold, size, other);
        size_t common = count_common(c->shingles + c->starts[x], size, c->shingles + c->starts[y],
                                     other, wanted);
        if (common < wanted) continue;
        if (j->pairs.count == j->pairs.capacity) {
            j->pairs.capacity = j->pairs.capacity * 2 + 1024;
            j->pairs.items = sized(j->pairs.items, j->pairs.capacity, sizeof *j->pairs.items);
        }
        pair found = {x < y ? x : y, x < y ? y : x, (uint32_t)common,
                      (uint32_t)(size + other - common)};
        check_with_library(c, &found, j->threshold);
        j->pairs.items[j->pairs.count++] = found;
    }
}

/* Orders documents by ascending size; documents of equal size by number. */
static uint32_t *order_by_size(const corpus *c) {
    uint64_t *keys = sized(NULL, c->count, sizeof *keys);
    uint32_t *order = sized(NULL, c->count, sizeof *order);
    for (size_t d = 0; d < c->count; d++) keys[d] = (uint64_t)size_of(c, d) << 32 | d;
    sort_hashes(keys, c->count);
    for (size_t i = 0; i < c->count; i++) order[i] = (uint32_t)keys[i];
    free(keys);
    return order;
}

static int by_second(const void *left, const void *right) {
    const pair *a = left, *b = right;
    if (a->second != b->second) return a->second < b->second ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

static pair_list find_pairs(const corpus *c, double threshold, uint64_t *candidates) {
    join j = {.corpus = c, .threshold = threshold, .posting_count = 1};
    j.heads = sized(NULL, c->distinct, sizeof *j.heads);
    j.shared = sized(NULL, c->count, sizeof *j.shared);
    j.touched = sized(NULL, c->count, sizeof *j.touched);
    memset(j.heads, 0, c->distinct * sizeof *j.heads);
    memset(j.shared, 0, c->count * sizeof *j.shared);
    uint32_t *order = order_by_size(c);
    for (size_t i = 0; i < c->count; i++) {
        probe(&j, order[i]);
        decide(&j, order[i]);
        add_postings(&j, order[i]);
    }
    if (j.pairs.count > 0) qsort(j.pairs.items, j.pairs.count, sizeof *j.pairs.items, by_second);
    free(order);
    free(j.heads);
    free(j.postings);
    free(j.shared);
    free(j.touched);
    *candidates = j.candidates;
    return j.pairs;
}

/* ---------------------------------------------------------------- output */

static double jaccard_of(const pair *p) { return (double)p->intersection / (double)p->set_union; }

/* Escapes as the TSV files of neardup do: backslash, tab, newline and carriage return. */
static void print_id(const char *id) {
    static const char special[] = "\\\t\n\r", names[] = "\\tnr";
    for (; *id; id++) {
        const char *found = strchr(special, *id);
        if (found) printf("\\%c", names[found - special]);
        else putchar(*id);
    }
}

static void print_pairs(const pair_list *pairs) {
    for (size_t i = 0; i < pairs->count; i++) {
        const pair *p = &pairs->items[i];
        printf("%u\t%u\t%u\t%u\t%.6f\n", p->first, p->second, p->intersection, p->set_union,
               jaccard_of(p));
    }
}

/* The greedy rule, in the order of input: a document is removed when an earlier kept document
 * reaches the threshold; the earliest such document is the evidence. Pairs are sorted by (second,
 * first). */
static size_t print_removed(const corpus *c, const pair_list *pairs) {
    bool *removed = sized(NULL, c->count, sizeof *removed);
    size_t count = 0;
    memset(removed, 0, c->count * sizeof *removed);
    printf("id\tkept\tjaccard\tintersection\tunion\n");
    for (size_t i = 0; i < pairs->count; i++) {
        const pair *p = &pairs->items[i];
        if (removed[p->second] || removed[p->first]) continue;
        removed[p->second] = true;
        count++;
        print_id(c->ids[p->second]);
        putchar('\t');
        print_id(c->ids[p->first]);
        printf("\t%.6f\t%u\t%u\n", jaccard_of(p), p->intersection, p->set_union);
    }
    free(removed);
    return count;
}

static const char usage[] = "usage: brute_force [options] FILE.jsonl[.gz|.zst]... > pairs\n"
                            "prints every pair with J >= threshold: i, j (documents from 0), "
                            "intersection, union, J, separated by tabs\n"
                            "  --threshold T      (0, 1], .8\n"
                            "  --survivors        print instead which documents the greedy rule "
                            "removes: id kept jaccard intersection union\n"
                            "  --analyzer A       words (default) or chars\n"
                            "  --ngram N          tokens a shingle, 5\n"
                            "  --seed N           of the shingle hashes, 1\n"
                            "  --limit N          the first N documents only\n";

static int parse(int count, char **arguments, settings *s) {
    int i = 1;
    for (; i < count && arguments[i][0] == '-'; i++) {
        const char *name = arguments[i];
        if (strcmp(name, "--survivors") == 0) {
            s->survivors = true;
            continue;
        }
        const char *value = i + 1 < count ? arguments[++i] : "";
        if (strcmp(name, "--threshold") == 0) s->threshold = strtod(value, NULL);
        else if (strcmp(name, "--analyzer") == 0)
            s->analyzer.kind = strcmp(value, "chars") == 0 ? ND_CHARS : ND_WORDS;
        else if (strcmp(name, "--ngram") == 0)
            s->analyzer.ngram = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(name, "--seed") == 0) s->analyzer.seed = strtoull(value, NULL, 10);
        else if (strcmp(name, "--limit") == 0) s->limit = strtoull(value, NULL, 10);
        else i = count;
    }
    if (i >= count || !(s->threshold > 0 && s->threshold <= 1)) {
        fputs(usage, stderr);
        exit(2);
    }
    return i;
}

int main(int count, char **arguments) {
    settings s = {.threshold = 0.8, .limit = UINT32_MAX};
    nd_analyzer_options_init(&s.analyzer, sizeof s.analyzer);
    int first = parse(count, arguments, &s);
    nd_analyzer *analyzer;
    nd_error error;
    if (nd_analyzer_create(&s.analyzer, NULL, &analyzer, &error) != ND_OK) stop(error.message);
    corpus c = {0};
    double started = now();
    for (int i = first; i < count; i++) read_file(&c, analyzer, arguments[i], s.limit);
    nd_analyzer_free(analyzer);
    double read = now();
    if (c.count == 0) c.starts = sized(NULL, 1, sizeof *c.starts), c.starts[0] = 0;
    number_shingles(&c);
    double numbered = now();
    uint64_t candidates;
    pair_list pairs = find_pairs(&c, s.threshold, &candidates);
    double joined = now();
    size_t removed = 0;
    if (s.survivors) removed = print_removed(&c, &pairs);
    else print_pairs(&pairs);
    if (fflush(stdout) != 0) stop("writing failed");
    fprintf(stderr,
            "{\"documents\": %zu, \"text_bytes\": %llu, \"shingles\": %zu, \"distinct\": %zu, "
            "\"candidates\": %llu, \"pairs\": %zu, \"removed\": %zu,"
            " \"read_seconds\": %.2f, \"number_seconds\": %.2f, \"join_seconds\": %.2f}\n",
            c.count, (unsigned long long)c.text_bytes, c.shingle_count, c.distinct,
            (unsigned long long)candidates, pairs.count, removed, read - started, numbered - read,
            joined - numbered);
    for (size_t d = 0; d < c.count; d++) free(c.ids[d]);
    free(c.ids);
    free(c.starts);
    free(c.shingles);
    free(pairs.items);
    return 0;
}
