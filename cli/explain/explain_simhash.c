/* Prints SimHash as a textbook does. Each feature has a row with its count, its weight, and for
 * each bit of its hash the number that it adds to the sum: positive for 1, negative for 0. Below
 * are the sums, and their signs: the fingerprint. The highest bits come first, as in the
 * hexadecimal digits. */
#include "explain/explain_simhash.h"

#include "explain/shingle_list.h"
#include "output/complain.h"

#include <math.h>
#include <string.h>

/* ROWS: features with a row of their own. SHOWN: columns of a feature. */
enum { ROWS = 100, SHOWN = 20, MOST_BITS = 128 };

typedef struct feature {
    uint64_t hash;
    size_t first; /* of its occurrences */
    uint64_t count;
    double weight; /* of each */
} feature;

typedef struct explanation {
    uint32_t bits;
    const nd_weights *table;
    const nd_stop_words *stop;
    nd_simhash *simhash;
    shingle_list shingles;
    feature features[ROWS];
    size_t count;
    uint64_t others;              /* occurrences of features that have no row */
    double other_sums[MOST_BITS]; /* their sums */
} explanation;

/* ---- features */

/* The bits of a feature's hash: the fingerprint of a text with that feature alone. */
static nd_fingerprint hash_of(explanation *e, uint64_t hash) {
    nd_error error;
    /* One feature of weight 1 is within all bounds. */
    if (nd_simhash_add(e->simhash, &hash, NULL, 1, &error) != ND_OK) complain("%s", error.message);
    return nd_simhash_finish(e->simhash);
}

static bool bit_of(nd_fingerprint f, uint32_t bit) {
    return (bit < 64 ? f.low >> bit : f.high >> (bit - 64)) & 1;
}

static double weight_of(const explanation *e, uint64_t hash) {
    return e->table && e->shingles.tokens > 0 ? nd_weights_of(e->table, hash) : 1;
}

static bool is_left_out(const explanation *e, uint64_t hash) {
    return e->stop && e->shingles.tokens > 0 && nd_stop_words_has(e->stop, hash);
}

static void count_features(explanation *e) {
    for (size_t i = 0; i < e->shingles.count; i++) {
        size_t at = 0;
        if (is_left_out(e, e->shingles.hashes[i])) continue;
        while (at < e->count && e->features[at].hash != e->shingles.hashes[i]) at++;
        if (at < e->count) {
            e->features[at].count++;
        } else if (e->count < ROWS) {
            e->features[e->count++] = (feature){.hash = e->shingles.hashes[i],
                                                .first = i,
                                                .count = 1,
                                                .weight = weight_of(e, e->shingles.hashes[i])};
        } else {
            nd_fingerprint hash = hash_of(e, e->shingles.hashes[i]);
            double weight = weight_of(e, e->shingles.hashes[i]);
            e->others++;
            for (uint32_t bit = 0; bit < e->bits; bit++)
                e->other_sums[bit] += bit_of(hash, bit) ? weight : -weight;
        }
    }
}

static nd_status take_features(explanation *e, const nd_compare_options *o, const pair_text *text,
                               nd_error *error) {
    nd_analyzer_options analyzer = *o->analyzer;
    analyzer.ngram = analyzer.kind == ND_CHARS ? 5 : 1;
    nd_status status = shingle_list_take(&e->shingles, &analyzer, text, error);
    if (status == ND_OK) status = nd_simhash_create(e->bits, NULL, &e->simhash, error);
    if (status == ND_OK) count_features(e);
    return status;
}

/* ---- the table */

/* Formats a weight or a sum, without decimals if it is whole. */
static int format_number(char *text, size_t size, double value, bool sign) {
    bool signs = sign && value != 0;
    return snprintf(text, size,
                    value == rint(value) ? (signs ? "%+.0f" : "%.0f") : (signs ? "%+.2f" : "%.2f"),
                    value);
}

static int width_of(double value, bool sign) { return format_number(NULL, 0, value, sign); }

/* Columns of a terminal that a character takes; `at` points to its valid UTF-8. Chinese, Japanese
 * and Korean characters and emoji take 2; combining marks of European and most Asian scripts
 * take 0. */
static unsigned columns_of(const unsigned char *at) {
    static const struct {
        uint32_t first, last;
        unsigned columns;
    } ranges[] = {{0x300, 0x36f, 0},   {0x591, 0x5bd, 0},     {0x64b, 0x65f, 0},
                  {0x93c, 0x93c, 0},   {0x941, 0x948, 0},     {0x94d, 0x94d, 0},
                  {0xe31, 0xe31, 0},   {0xe34, 0xe3a, 0},     {0xe47, 0xe4e, 0},
                  {0x1100, 0x115f, 2}, {0x1160, 0x11ff, 0},   {0x2e80, 0x303e, 2},
                  {0x3041, 0x3098, 2}, {0x3099, 0x309a, 0},   {0x309b, 0xa4cf, 2},
                  {0xac00, 0xd7a3, 2}, {0xf900, 0xfaff, 2},   {0xff00, 0xff60, 2},
                  {0xffe0, 0xffe6, 2}, {0x1f300, 0x1faff, 2}, {0x20000, 0x3fffd, 2}};
    static const unsigned char masks[] = {0x7f, 0x1f, 0x0f, 0x07};
    unsigned more = at[0] < 0x80 ? 0 : at[0] < 0xe0 ? 1 : at[0] < 0xf0 ? 2 : 3;
    uint32_t c = at[0] & masks[more];
    for (unsigned i = 1; i <= more; i++) c = c << 6 | (at[i] & 0x3f);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i].first && c <= ranges[i].last) return ranges[i].columns;
    return 1;
}

/* Prints the part of the name that fits into SHOWN columns. */
static void print_name(FILE *out, const explanation *e, const feature *f) {
    unsigned used = 0;
    size_t length;
    const char *name = shingle_list_name(&e->shingles, f->first, &length);
    for (size_t i = 0, size; i < length; i += size) {
        char shown[16];
        for (size = 1; i + size < length && ((unsigned char)name[i + size] & 0xc0) == 0x80;) size++;
        bool plain = nd_printable(name + i, size, shown, sizeof shown) == size;
        used += plain ? columns_of((const unsigned char *)name + i) : 1;
        if (used <= SHOWN) fputs(plain ? shown : "?", out);
    }
    fprintf(out, "%*s", used < SHOWN ? (int)(SHOWN - used) : 0, "");
}

static void print_row(FILE *out, const explanation *e, const double *values, int width, bool sign) {
    char number[40];
    for (uint32_t bit = e->bits; bit-- > 0;) {
        format_number(number, sizeof number, values[bit], sign);
        fprintf(out, " %*s", width, number);
    }
    putc('\n', out);
}

static void print_table(FILE *out, const explanation *e, const double rows[][MOST_BITS],
                        const double *sums) {
    int width = 2, weight_width = (int)strlen("weight");
    for (uint32_t bit = 0; bit < e->bits; bit++) {
        if (width_of(sums[bit], true) > width) width = width_of(sums[bit], true);
        if (width_of(e->other_sums[bit], true) > width) width = width_of(e->other_sums[bit], true);
        for (size_t i = 0; i < e->count; i++)
            if (width_of(rows[i][bit], true) > width) width = width_of(rows[i][bit], true);
    }
    fprintf(out, "%-*s  count  weight ", SHOWN, "feature");
    for (uint32_t bit = e->bits; bit-- > 0;) fprintf(out, " %*u", width, (unsigned)bit);
    putc('\n', out);
    for (size_t i = 0; i < e->count; i++) {
        char weight[40];
        print_name(out, e, &e->features[i]);
        format_number(weight, sizeof weight, e->features[i].weight, false);
        fprintf(out, "  %5llu  %*s ", (unsigned long long)e->features[i].count, weight_width,
                weight);
        print_row(out, e, rows[i], width, true);
    }
    if (e->others) {
        fprintf(out, "%-*s  %5llu  %*s ", SHOWN, "others", (unsigned long long)e->others,
                weight_width, "");
        print_row(out, e, e->other_sums, width, true);
    }
    fprintf(out, "%-*s  %5s  %*s ", SHOWN, "sum", "", weight_width, "");
    print_row(out, e, sums, width, true);
    double signs[MOST_BITS];
    nd_fingerprint fingerprint = {0, 0};
    for (uint32_t bit = 0; bit < e->bits; bit++) {
        signs[bit] = sums[bit] > 0;
        if (sums[bit] > 0)
            *(bit < 64 ? &fingerprint.low : &fingerprint.high) |= UINT64_C(1) << bit % 64;
    }
    fprintf(out, "%-*s  %5s  %*s ", SHOWN, "above 0", "", weight_width, "");
    print_row(out, e, signs, width, false);
    char hex[33];
    nd_fingerprint_format(fingerprint, e->bits, hex);
    fprintf(out, "%-*s  %s\n", SHOWN, "fingerprint", hex);
}

static void print_steps(FILE *out, explanation *e) {
    static double rows[ROWS][MOST_BITS];
    double sums[MOST_BITS];
    memcpy(sums, e->other_sums, sizeof sums);
    for (size_t i = 0; i < e->count; i++) {
        nd_fingerprint hash = hash_of(e, e->features[i].hash);
        double value = (double)e->features[i].count * e->features[i].weight;
        for (uint32_t bit = 0; bit < e->bits; bit++) {
            rows[i][bit] = bit_of(hash, bit) ? value : -value;
            sums[bit] += rows[i][bit];
        }
    }
    print_table(out, e, rows, sums);
}

bool explain_simhash(FILE *out, const pair *p, uint32_t bits) {
    nd_status status = ND_OK;
    for (int i = 0; i < 2 && status == ND_OK; i++) {
        explanation e = {.bits = bits, .table = p->options.table, .stop = p->options.stop};
        nd_error error;
        status = take_features(&e, &p->options, &p->texts[i], &error);
        if (status == ND_OK) {
            fprintf(out, "\nSimHash of %c", "ab"[i]);
            if (bits < p->comparison->bits)
                fprintf(out, ", the lowest %u of %u bits", (unsigned)bits,
                        (unsigned)p->comparison->bits);
            fputs("\n\n", out);
            print_steps(out, &e);
        } else {
            complain("%s", error.message);
        }
        nd_simhash_free(e.simhash);
        shingle_list_free(&e.shingles);
    }
    return status == ND_OK;
}
