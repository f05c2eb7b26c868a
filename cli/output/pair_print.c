#include "output/pair_print.h"

#include "output/escape.h"
#include "output/numbers.h"

#include <math.h>
#include <string.h>

/* Columns of a label; columns of a passage that are shown before and behind the cut. */
enum { NAME = 22, SHOWN = 70 };

static const char *const sides[] = {"a", "b"};

static const nd_compared_text *side_of(const pair *p, int side) {
    return side == 0 ? &p->comparison->a : &p->comparison->b;
}

static const char *ending(uint64_t count) { return count == 1 ? "" : "s"; }

/* ---- for people */

static void print_texts(FILE *out, const pair *p) {
    char bytes[32], tokens[32], shingles[32];
    for (int i = 0; i < 2; i++) {
        const nd_compared_text *text = side_of(p, i);
        fprintf(out, "%s  ", sides[i]);
        print_shown_text(out, p->texts[i].title, strlen(p->texts[i].title));
        fprintf(out, ": %s byte%s, %s token%s, %s distinct shingle%s\n",
                number_grouped(p->texts[i].length, bytes), ending(p->texts[i].length),
                number_grouped(text->tokens, tokens), ending(text->tokens),
                number_grouped(text->shingles, shingles), ending(text->shingles));
    }
}

/* Prints a share, or with `decimals` 0 a number of shingles; `remark` ends the line. */
static void print_estimate(FILE *out, const char *name, nd_estimate estimate, int decimals,
                           bool exact, const char *remark) {
    fprintf(out, "%-*s%-8.*f  ", NAME, name, decimals, estimate.value);
    if (exact) fprintf(out, "exact%s\n", remark);
    else fprintf(out, "standard error %.*f%s\n", decimals ? decimals : 1, estimate.error, remark);
}

/* If a set has fewer shingles than the sketch has values, its estimates are exact. */
static void print_bottom_k(FILE *out, const pair *p) {
    const nd_comparison *c = p->comparison;
    unsigned k = p->options.bottom_k;
    bool a = c->a.shingles < k, b = c->b.shingles < k;
    char remark[60];
    snprintf(remark, sizeof remark,
             a && b ? ": both have fewer than %u shingles" : ", %u smallest values", k);
    print_estimate(out, "bottom-k estimate", c->bottom_k.jaccard, 6, a && b, remark);
    print_estimate(out, "  of a in b", c->bottom_k.a_in_b, 6, a && b, "");
    print_estimate(out, "  of b in a", c->bottom_k.b_in_a, 6, a && b, "");
    print_estimate(out, "  shingles of a", c->a.size, 0, a, "");
    print_estimate(out, "  shingles of b", c->b.size, 0, b, "");
}

static void print_measures(FILE *out, const pair *p) {
    const nd_comparison *c = p->comparison;
    char part[32], whole[32];
    fprintf(out, "%-*s%.6f  %s of %s shingle%s in common\n", NAME, "Jaccard similarity", c->jaccard,
            number_grouped(c->intersection, part), number_grouped(c->set_union, whole),
            ending(c->set_union));
    fprintf(out, "%-*s%.6f  of the smaller set in the larger\n", NAME, "containment",
            c->containment);
    fprintf(out, "%-*s%.6f\n", NAME, "  of a in b", c->a_in_b);
    fprintf(out, "%-*s%.6f\n", NAME, "  of b in a", c->b_in_a);
    fprintf(out, "%-*s%.6f\n", NAME, "cosine, tf", c->cosine);
    if (p->options.table) fprintf(out, "%-*s%.6f\n", NAME, "cosine, tf-idf", c->weighted_cosine);
    fprintf(out, "%-*s%.6f  standard error %.6f, %u permutation%s\n", NAME, "MinHash estimate",
            c->estimate, c->standard_error, (unsigned)c->plan.perms, ending(c->plan.perms));
    print_bottom_k(out, p);
    fprintf(out, "%-*s%.6f  %u band%s x %u row%s, for a recall of %.15g at %.15g\n", NAME,
            "P(found)", c->found, (unsigned)c->plan.bands, ending(c->plan.bands),
            (unsigned)c->plan.rows, ending(c->plan.rows), c->plan.recall, c->plan.threshold);
    fprintf(out, "%-*s%-8u  of %u bits\n", NAME, "SimHash distance", (unsigned)c->distance,
            (unsigned)c->bits);
}

/* The third line has, under each digit that differs, the bits that differ as a digit. */
static void print_fingerprints(FILE *out, const nd_comparison *c) {
    char a[33], b[33], difference[33];
    nd_fingerprint differ = {c->a.fingerprint.low ^ c->b.fingerprint.low,
                             c->a.fingerprint.high ^ c->b.fingerprint.high};
    nd_fingerprint_format(c->a.fingerprint, c->bits, a);
    nd_fingerprint_format(c->b.fingerprint, c->bits, b);
    nd_fingerprint_format(differ, c->bits, difference);
    for (char *digit = difference; *digit; digit++)
        if (*digit == '0') *digit = '.';
    fprintf(out, "%-*s%s\n%-*s%s\n%-*s%s\n", NAME, "SimHash of a", a, NAME, "SimHash of b", b, NAME,
            "bits that differ", difference);
}

static bool is_blank(char c) { return (unsigned char)c <= ' ' || c == 0x7f; }

static bool goes_on(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

/* Prints text on one line: each run of white space and control characters becomes one blank. */
static void print_line(FILE *out, const char *text, size_t begin, size_t end) {
    for (size_t i = begin, next; i < end; i = next) {
        bool blank = is_blank(text[i]);
        for (next = i + 1; next < end && is_blank(text[next]) == blank;) next++;
        if (blank) putc(' ', out);
        else print_shown_text(out, text + i, next - i);
    }
}

/* The offset behind `characters` characters from `at` on, at most `end`. */
static size_t forward(const char *text, size_t at, size_t end, size_t characters) {
    while (at < end && (characters > 0 || goes_on(text[at]))) characters -= !goes_on(text[at++]);
    return at;
}

/* The offset of the first of `characters` characters before `at`, at least `begin`. */
static size_t backward(const char *text, size_t begin, size_t at, size_t characters) {
    while (at > begin && characters > 0) characters -= !goes_on(text[--at]);
    return at;
}

static void print_piece(FILE *out, const char *text, piece where) {
    size_t head = forward(text, where.begin, where.end, SHOWN),
           tail = backward(text, head, where.end, SHOWN);
    print_line(out, text, where.begin, head);
    if (tail > head) fputs(" ... ", out);
    print_line(out, text, tail, where.end);
    putc('\n', out);
}

static void print_passages(FILE *out, const pair *p) {
    const nd_comparison *c = p->comparison;
    size_t tokens = 0;
    char count[32], sum[32];
    for (size_t i = 0; i < c->passage_count; i++) tokens += c->passages[i].tokens;
    fprintf(out, "%s shared passage%s",
            c->passage_count ? number_grouped(c->passage_count, count) : "no",
            ending(c->passage_count));
    if (c->passage_count == 0)
        fprintf(out, " of %u tokens or more", (unsigned)p->options.least_run);
    else fprintf(out, ", %s tokens", number_grouped(tokens, sum));
    putc('\n', out);
    for (size_t i = 0; i < c->passage_count; i++) {
        piece a = passage_piece(&c->passages[i], 0), b = passage_piece(&c->passages[i], 1);
        fprintf(out, "\n%3zu  %s token%s, bytes %zu-%zu of a, %zu-%zu of b\n", i + 1,
                number_grouped(c->passages[i].tokens, count), ending(c->passages[i].tokens),
                a.begin, a.end, b.begin, b.end);
        bool same = a.end - a.begin == b.end - b.begin &&
                    memcmp(p->texts[0].bytes + a.begin, p->texts[1].bytes + b.begin,
                           a.end - a.begin) == 0;
        fputs(same ? "     " : "  a  ", out);
        print_piece(out, p->texts[0].bytes, a);
        if (same) continue;
        fputs("  b  ", out);
        print_piece(out, p->texts[1].bytes, b);
    }
}

void pair_print(FILE *out, const pair *p) {
    print_texts(out, p);
    putc('\n', out);
    print_measures(out, p);
    putc('\n', out);
    print_fingerprints(out, p->comparison);
    putc('\n', out);
    print_passages(out, p);
}

/* ---- for programs */

static void json_number(FILE *out, const char *key, double value) {
    fprintf(out, ",\"%s\":", key);
    if (isnan(value)) fputs("null", out);
    else print_exact(out, value);
}

/* Both members of an estimate. */
static void json_estimate(FILE *out, const char *key, nd_estimate estimate) {
    char error[64];
    snprintf(error, sizeof error, "%s_standard_error", key);
    json_number(out, key, estimate.value);
    json_number(out, error, estimate.error);
}

static void json_text(FILE *out, const pair *p, int side) {
    const nd_compared_text *text = side_of(p, side);
    char hex[33];
    nd_fingerprint_format(text->fingerprint, p->comparison->bits, hex);
    fprintf(out, ",\"%s\":{\"id\":", sides[side]);
    print_json_text(out, p->texts[side].title, strlen(p->texts[side].title));
    fprintf(out, ",\"text_bytes\":%zu,\"tokens\":%zu,\"shingles\":%zu", p->texts[side].length,
            text->tokens, text->shingles);
    json_estimate(out, "bottom_k_shingles", text->size);
    fprintf(out, ",\"simhash\":\"%s\"}", hex);
}

static void json_passage(FILE *out, const pair *p, const nd_passage *passage) {
    fprintf(out, "{\"tokens\":%zu", passage->tokens);
    for (int i = 0; i < 2; i++) {
        piece where = passage_piece(passage, i);
        fprintf(out, ",\"%s\":{\"begin\":%zu,\"end\":%zu,\"text\":", sides[i], where.begin,
                where.end);
        print_json_text(out, p->texts[i].bytes + where.begin, where.end - where.begin);
        putc('}', out);
    }
    putc('}', out);
}

void pair_print_json(FILE *out, const pair *p) {
    const nd_comparison *c = p->comparison;
    fprintf(out, "{\"version\":\"%s\",\"command\":\"compare\"", nd_version());
    for (int i = 0; i < 2; i++) json_text(out, p, i);
    fprintf(out, ",\"intersection\":%llu,\"union\":%llu", (unsigned long long)c->intersection,
            (unsigned long long)c->set_union);
    json_number(out, "jaccard", c->jaccard);
    json_number(out, "containment", c->containment);
    json_number(out, "a_in_b", c->a_in_b);
    json_number(out, "b_in_a", c->b_in_a);
    json_number(out, "cosine_tf", c->cosine);
    json_number(out, "cosine_tfidf", c->weighted_cosine);
    json_number(out, "minhash_estimate", c->estimate);
    json_number(out, "minhash_standard_error", c->standard_error);
    fprintf(out, ",\"bottom_k\":%u", (unsigned)p->options.bottom_k);
    json_estimate(out, "bottom_k_jaccard", c->bottom_k.jaccard);
    json_estimate(out, "bottom_k_a_in_b", c->bottom_k.a_in_b);
    json_estimate(out, "bottom_k_b_in_a", c->bottom_k.b_in_a);
    fprintf(out, ",\"perms\":%u,\"bands\":%u,\"rows\":%u", (unsigned)c->plan.perms,
            (unsigned)c->plan.bands, (unsigned)c->plan.rows);
    json_number(out, "threshold", c->plan.threshold);
    json_number(out, "recall", c->plan.recall);
    json_number(out, "found", c->found);
    fprintf(out, ",\"bits\":%u,\"distance\":%u,\"passages\":[", (unsigned)c->bits,
            (unsigned)c->distance);
    for (size_t i = 0; i < c->passage_count; i++) {
        if (i > 0) putc(',', out);
        json_passage(out, p, &c->passages[i]);
    }
    fputs("]}\n", out);
}
