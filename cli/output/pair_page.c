/* The page has the verdict, the differences, both texts beside each other, and the measures. In the
 * texts differences are marked, and shared passages are coloured and linked. The page contains
 * everything, so it can be sent, and opened without a network; it has no script. Long texts would
 * make a page that no browser shows in time: then it has the differences alone. */
#include "output/pair_page.h"

#include "output/difference_html.h"
#include "output/difference_print.h"
#include "output/html_text.h"
#include "output/passage_hue.h"
#include "output/pair_verdict.h"

#include <math.h>
#include <stdlib.h>

/* Up to so many bytes and marks the page has both texts. */
enum { WHOLE_BYTES = 1 << 20, WHOLE_MARKS = 20000 };

/* Differences in the list: with both texts, and without them; words around each. */
enum { LISTED = 100, LISTED_ALONE = 1000, CONTEXT = 8 };

static const char style[] =
    ":root{color-scheme:light dark}\n"
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:100em;margin:0 auto;"
    "padding:clamp(.8em,2.5vw,2em)}\n"
    "h1,h3{overflow-wrap:anywhere}\n"
    "h1{font-size:1.3em;line-height:1.3;margin:0 0 .5em}\n"
    "h2{font-size:1.1em;margin:2em 0 .5em;border-bottom:1px solid #8888}\n"
    "h3{font-size:1em;margin:0}\n"
    "p{margin:.3em 0}\n"
    ".verdict{border-inline-start:.35em solid;padding:.4em .8em;font-weight:600}\n"
    ".duplicates{border-color:#c60}\n"
    ".different{border-color:#28a}\n"
    "nav a{display:inline-block;padding:.3em 1em .3em 0}\n"
    "table{border-collapse:collapse}\n"
    "th{text-align:start;font-weight:normal}\n"
    "th,td{padding:.1em 1.5em .1em 0;vertical-align:top}\n"
    "td{font-variant-numeric:tabular-nums}\n"
    "code{overflow-wrap:anywhere}\n"
    "code b{text-decoration:underline}\n"
    ".texts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,21em),1fr));"
    "gap:1.5em}\n"
    ".text{white-space:pre-wrap;unicode-bidi:plaintext;overflow-wrap:anywhere;margin-top:.7em}\n"
    "mark{color:inherit;border-radius:3px;background:hsl(var(--hue) 85% 60%/.2);"
    "-webkit-box-decoration-break:clone;box-decoration-break:clone;"
    "-webkit-print-color-adjust:exact;print-color-adjust:exact}\n"
    "mark:target{outline:2px solid hsl(var(--hue) 85% 45%)}\n"
    "sup{font-size:.75em;padding:0 .25em}\n"
    "@media(max-width:40em){th,td{padding-inline-end:.7em}}\n"
    "@media print{nav,li>a{display:none}body{padding:0;font-size:10pt}h2{break-after:avoid}}\n";

static const char *ending(size_t count) { return count == 1 ? "" : "s"; }

/* ---- measures */

static void put_row(FILE *out, const char *name, double value, const char *note) {
    fprintf(out, "<tr><th scope=row>%s<td>%.6f<td>%s\n", name, value, note);
}

/* Digits whose bits differ from the other fingerprint's are bold and underlined. */
static void put_fingerprint(FILE *out, const char *name, nd_fingerprint mine, nd_fingerprint other,
                            uint32_t bits) {
    char digits[33], others[33];
    nd_fingerprint_format(mine, bits, digits);
    nd_fingerprint_format(other, bits, others);
    fprintf(out, "<tr><th scope=row>SimHash of %s<td colspan=2><code>", name);
    for (size_t i = 0; digits[i]; i++)
        fprintf(out, digits[i] == others[i] ? "%c" : "<b>%c</b>", digits[i]);
    fputs("</code>\n", out);
}

static void put_measures(FILE *out, const pair *p) {
    const nd_comparison *c = p->comparison;
    char note[120];
    fputs("<section aria-labelledby=measures>\n<h2 id=measures>Measures</h2>\n<table>\n", out);
    snprintf(note, sizeof note, "%llu of %llu shingles in common",
             (unsigned long long)c->intersection, (unsigned long long)c->set_union);
    put_row(out, "Jaccard similarity", c->jaccard, note);
    put_row(out, "containment", c->containment, "of the smaller set in the larger");
    put_row(out, "containment of a in b", c->a_in_b, "");
    put_row(out, "containment of b in a", c->b_in_a, "");
    put_row(out, "cosine, tf", c->cosine, "");
    if (!isnan(c->weighted_cosine)) put_row(out, "cosine, tf-idf", c->weighted_cosine, "");
    snprintf(note, sizeof note, "standard error %.6f, %u permutations", c->standard_error,
             (unsigned)c->plan.perms);
    put_row(out, "MinHash estimate", c->estimate, note);
    snprintf(note, sizeof note, "standard error %.6f, %u smallest values",
             c->bottom_k.jaccard.error, (unsigned)p->options.bottom_k);
    put_row(out, "bottom-k estimate", c->bottom_k.jaccard.value, note);
    if (p->measure == ND_MEASURE_CONTAINMENT)
        snprintf(note, sizeof note, "%u of %u anchors", (unsigned)p->anchors.least,
                 (unsigned)p->anchors.anchors);
    else
        snprintf(note, sizeof note, "%u bands x %u rows", (unsigned)c->plan.bands,
                 (unsigned)c->plan.rows);
    put_row(out, "P(found)", pair_found(p), note);
    fprintf(out, "<tr><th scope=row>SimHash distance<td>%u<td>of %u bits\n", (unsigned)c->distance,
            (unsigned)c->bits);
    put_fingerprint(out, "a", c->a.fingerprint, c->b.fingerprint, c->bits);
    put_fingerprint(out, "b", c->b.fingerprint, c->a.fingerprint, c->bits);
    fputs("</table>\n</section>\n", out);
}

/* ---- texts */

/* A passage in one of the texts. */
typedef struct placed {
    piece where;
    size_t number; /* from 1 */
} placed;

static int by_begin(const void *a, const void *b) {
    const placed *x = a, *y = b;
    if (x->where.begin != y->where.begin) return x->where.begin < y->where.begin ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* Writes the text with its differences and its passages, which are sorted by begin. Where passages
 * overlap, the first one gets the bytes, and the next one the rest. If the rest is empty, its mark
 * is only the target of a link. */
static void put_marked(FILE *out, const pair *p, int side, const placed *passages, size_t count) {
    static const char names[] = "ab";
    const differing texts = pair_differing(p);
    size_t at = 0, difference = 0;
    for (size_t i = 0; i < count; i++) {
        const placed *passage = &passages[i];
        size_t number = passage->number, tokens = p->comparison->passages[number - 1].tokens;
        if (passage->where.begin > at) {
            put_marked_differences(out, &texts, side, (piece){at, passage->where.begin},
                                   &difference, true);
            at = passage->where.begin;
        }
        fprintf(out,
                "<mark id=%c%zu style=\"--hue:%u\"><a href=\"#%c%zu\" aria-label=\"shared passage "
                "%zu, %zu token%s: go to text %c\"><sup>%zu</sup></a>",
                names[side], number, passage_hue(number), names[1 - side], number, number, tokens,
                ending(tokens), names[1 - side], number);
        if (passage->where.end > at) {
            put_marked_differences(out, &texts, side, (piece){at, passage->where.end}, &difference,
                                   true);
            at = passage->where.end;
        }
        fputs("</mark>", out);
    }
    put_marked_differences(out, &texts, side, (piece){at, p->texts[side].length}, &difference,
                           true);
}

static bool put_side(FILE *out, const pair *p, int side) {
    size_t count = p->comparison->passage_count;
    placed *passages = malloc((count + 1) * sizeof *passages);
    if (!passages) return false;
    for (size_t i = 0; i < count; i++)
        passages[i] = (placed){passage_piece(&p->comparison->passages[i], side), i + 1};
    qsort(passages, count, sizeof *passages, by_begin);
    const nd_compared_text *told = side == 0 ? &p->comparison->a : &p->comparison->b;
    const char *name = side == 0 ? "a" : "b";
    fprintf(out, "<article aria-labelledby=text-%s>\n<h3 id=text-%s>%s: <bdi>", name, name, name);
    put_html_string(out, p->texts[side].title);
    fprintf(out,
            "</bdi></h3>\n<p>%zu bytes, %zu tokens, %zu distinct shingles</p>\n<div class=text "
            "lang=\"\" dir=auto>",
            p->texts[side].length, told->tokens, told->shingles);
    put_marked(out, p, side, passages, count);
    fputs("</div>\n</article>\n", out);
    free(passages);
    return true;
}

static bool put_texts(FILE *out, const pair *p) {
    size_t count = p->comparison->passage_count;
    fputs("<section aria-labelledby=texts>\n<h2 id=texts>Both texts</h2>\n", out);
    if (count > 0)
        fprintf(out,
                "<p>%zu shared passage%s in colour; the number of a passage leads to its place in "
                "the other text.</p>\n",
                count, ending(count));
    fputs("<div class=texts>\n", out);
    bool good = put_side(out, p, 0) && put_side(out, p, 1);
    fputs("</div>\n</section>\n", out);
    return good;
}

/* ---- differences */

static bool is_whole(const pair *p) {
    return p->texts[0].length + p->texts[1].length <= WHOLE_BYTES &&
           p->differences->count + p->comparison->passage_count <= WHOLE_MARKS;
}

static bool put_differences(FILE *out, const pair *p) {
    const differing texts = pair_differing(p);
    bool whole = is_whole(p);
    size_t count = p->differences->count, most = whole ? LISTED : LISTED_ALONE;
    fputs("<section aria-labelledby=differences>\n<h2 id=differences>Differences</h2>\n<p>", out);
    print_difference_count(out, p->differences);
    if (count > 0) fputs(": <del>only in a</del> <ins>only in b</ins>", out);
    fputs("</p>\n", out);
    if (count > most)
        fprintf(out, "<p>The first %zu are listed; %s.</p>\n", most,
                whole ? "all are marked in the texts"
                      : "the others are left out: <code>neardup compare --json</code> has all");
    if (!whole)
        fprintf(out,
                "<p>The texts are too long for a page. They have %zu shared passage%s: "
                "<code>neardup compare</code> without <code>--page</code> lists them.</p>\n",
                p->comparison->passage_count, ending(p->comparison->passage_count));
    bool good = count == 0 || put_difference_list(out, &texts, CONTEXT, most, whole);
    fputs("</section>\n", out);
    return good;
}

/* ---- the page */

/* Each title stands between `before` and `behind`. */
static void put_titles(FILE *out, const pair *p, const char *before, const char *behind) {
    for (int side = 0; side < 2; side++) {
        fprintf(out, "%s%s", side == 0 ? "" : " and ", before);
        put_html_string(out, p->texts[side].title);
        fputs(behind, out);
    }
}

static void put_head(FILE *out, const pair *p) {
    char verdict[VERDICT_SIZE];
    pair_verdict(p, verdict);
    fputs("<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n<meta name=viewport "
          "content=\"width=device-width,initial-scale=1\">\n<meta "
          "http-equiv=Content-Security-Policy content=\"default-src 'none';style-src "
          "'unsafe-inline'\">\n<title>",
          out);
    put_titles(out, p, "", "");
    fprintf(out, "</title>\n<style>\n%s%s</style>\n</head>\n<body>\n<header>\n<h1>", style,
            difference_style);
    put_titles(out, p, "<bdi>", "</bdi>");
    fprintf(out, "</h1>\n<p class=\"verdict %s\">",
            pair_is_duplicate(p) ? "duplicates" : "different");
    put_html_string(out, verdict);
    fputs("</p>\n<nav aria-label=\"Parts of the page\"><a href=\"#differences\">Differences</a> ",
          out);
    if (is_whole(p)) fputs("<a href=\"#texts\">Both texts</a> ", out);
    fputs("<a href=\"#measures\">Measures</a></nav>\n</header>\n<main>\n", out);
}

bool pair_print_page(FILE *out, const pair *p) {
    put_head(out, p);
    bool good = put_differences(out, p) && (!is_whole(p) || put_texts(out, p));
    put_measures(out, p);
    fputs("</main>\n</body>\n</html>\n", out);
    return good;
}
