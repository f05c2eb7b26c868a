#include "output/pair_print.h"

#include "output/difference_print.h"
#include "output/escape.h"
#include "output/excerpt.h"
#include "output/numbers.h"
#include "output/pair_verdict.h"

#include <math.h>
#include <string.h>

/* Columns of a label. */
enum { NAME = 22 };

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
    fprintf(out, "%-*s%.6f  ", NAME, "P(found)", pair_found(p));
    if (p->measure == ND_MEASURE_CONTAINMENT)
        fprintf(out, "%u of %u anchors", (unsigned)p->anchors.least, (unsigned)p->anchors.anchors);
    else
        fprintf(out, "%u band%s x %u row%s", (unsigned)c->plan.bands, ending(c->plan.bands),
                (unsigned)c->plan.rows, ending(c->plan.rows));
    fprintf(out, ", for a recall of %.15g at %.15g\n", p->options.recall, p->options.threshold);
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
        print_excerpt(out, p->texts[0].bytes, a);
        putc('\n', out);
        if (same) continue;
        fputs("  b  ", out);
        print_excerpt(out, p->texts[1].bytes, b);
        putc('\n', out);
    }
}

static bool print_all_differences(FILE *out, const pair *p, const difference_form *form) {
    const differing texts = pair_differing(p);
    print_difference_count(out, p->differences);
    putc('\n', out);
    return form->most == 0 || p->differences->count == 0 || print_differences(out, &texts, form);
}

bool pair_print(FILE *out, const pair *p, const difference_form *form) {
    char verdict[VERDICT_SIZE];
    pair_verdict(p, verdict);
    fprintf(out, "%s\n\n", verdict);
    print_texts(out, p);
    putc('\n', out);
    print_measures(out, p);
    putc('\n', out);
    print_fingerprints(out, p->comparison);
    putc('\n', out);
    bool good = print_all_differences(out, p, form);
    putc('\n', out);
    print_passages(out, p);
    return good;
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

/* The members begin, end and text of a piece. */
static void json_piece(FILE *out, const pair *p, int side, piece where) {
    fprintf(out, "\"%s\":{\"begin\":%zu,\"end\":%zu,\"text\":", sides[side], where.begin,
            where.end);
    print_json_text(out, p->texts[side].bytes + where.begin, where.end - where.begin);
    putc('}', out);
}

static void json_passages(FILE *out, const pair *p) {
    const nd_comparison *c = p->comparison;
    fputs(",\"passages\":[", out);
    for (size_t i = 0; i < c->passage_count; i++) {
        fprintf(out, "%s{\"tokens\":%zu", i > 0 ? "," : "", c->passages[i].tokens);
        for (int side = 0; side < 2; side++) {
            putc(',', out);
            json_piece(out, p, side, passage_piece(&c->passages[i], side));
        }
        putc('}', out);
    }
    putc(']', out);
}

static void json_differences(FILE *out, const pair *p) {
    const nd_difference_list *list = p->differences;
    fprintf(out, ",\"same_tokens\":%zu", list->same_tokens);
    json_number(out, "same", list->same);
    fprintf(out, ",\"shortest\":%s,\"differences\":[", list->shortest ? "true" : "false");
    for (size_t i = 0; i < list->count; i++) {
        fputs(i > 0 ? ",{" : "{", out);
        json_piece(out, p, 0, difference_piece(&list->differences[i], 0));
        putc(',', out);
        json_piece(out, p, 1, difference_piece(&list->differences[i], 1));
        putc('}', out);
    }
    putc(']', out);
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
    if (p->measure == ND_MEASURE_CONTAINMENT)
        fprintf(out, ",\"anchors\":%u,\"least_anchors\":%u", (unsigned)p->anchors.anchors,
                (unsigned)p->anchors.least);
    else
        fprintf(out, ",\"perms\":%u,\"bands\":%u,\"rows\":%u", (unsigned)c->plan.perms,
                (unsigned)c->plan.bands, (unsigned)c->plan.rows);
    json_number(out, "threshold", p->options.threshold);
    json_number(out, "recall", p->options.recall);
    json_number(out, "found", pair_found(p));
    fprintf(out, ",\"bits\":%u,\"distance\":%u", (unsigned)c->bits, (unsigned)c->distance);
    json_passages(out, p);
    if (p->comparison->apart) {
        fputs(",\"apart\":", out);
        print_json_text(out, p->comparison->apart, strlen(p->comparison->apart));
    }
    fprintf(out, ",\"duplicates\":%s", pair_is_duplicate(p) ? "true" : "false");
    json_differences(out, p);
    fputs("}\n", out);
}
