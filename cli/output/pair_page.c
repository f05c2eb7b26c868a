/* The page has the measures, and both texts beside each other; shared passages are coloured and
 * linked. It contains everything, so it can be sent, and opened without a network. */
#include "output/pair_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Passages take these colours in turn; more could not be told apart. */
enum { COLOURS = 8 };

static const char style[] =
    ":root{color-scheme:light dark}\n"
    "body{font:15px/1.5 system-ui,sans-serif;margin:1.5em}\n"
    "h1{font-size:1.3em;overflow-wrap:anywhere}\n"
    "h2{font-size:1em;margin:0 0 .5em;overflow-wrap:anywhere}\n"
    "table{border-collapse:collapse;margin-bottom:1.5em}\n"
    "th{text-align:left;font-weight:normal;padding-right:1.5em}\n"
    "td{font-variant-numeric:tabular-nums;padding-right:1.5em}\n"
    "code b{color:#d11}\n"
    ".texts{display:grid;grid-template-columns:1fr 1fr;gap:1.5em}\n"
    ".text{white-space:pre-wrap;unicode-bidi:plaintext;overflow-wrap:anywhere;border-top:1px solid "
    "#8888;padding-top:.7em}\n"
    "mark{color:inherit;border-radius:3px;background:hsl(var(--hue) 85% 60%/.35)}\n"
    "mark:target{outline:2px solid hsl(var(--hue) 85% 45%)}\n"
    "mark a{color:inherit;text-decoration:none}\n"
    "sup{font-size:.7em}\n";

/* Writes text for HTML; characters that HTML does not allow become U+FFFD. */
static void put_text(FILE *out, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '&') fputs("&amp;", out);
        else if (c == '<') fputs("&lt;", out);
        else if (c == '>') fputs("&gt;", out);
        else if (c == '"') fputs("&quot;", out);
        else if ((c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == 0x7f)
            fputs("\xef\xbf\xbd", out);
        else putc(c, out);
    }
}

static void put_string(FILE *out, const char *text) { put_text(out, text, strlen(text)); }

/* ---- measures */

static void put_row(FILE *out, const char *name, double value, const char *note) {
    fprintf(out, "<tr><th>%s<td>%.6f<td>%s\n", name, value, note);
}

/* Digits whose bits differ from the other fingerprint's are bold. */
static void put_fingerprint(FILE *out, const char *name, nd_fingerprint mine, nd_fingerprint other,
                            uint32_t bits) {
    char digits[33], others[33];
    nd_fingerprint_format(mine, bits, digits);
    nd_fingerprint_format(other, bits, others);
    fprintf(out, "<tr><th>SimHash of %s<td colspan=2><code>", name);
    for (size_t i = 0; digits[i]; i++)
        fprintf(out, digits[i] == others[i] ? "%c" : "<b>%c</b>", digits[i]);
    fputs("</code>\n", out);
}

static void put_measures(FILE *out, const pair *p) {
    const nd_comparison *c = p->comparison;
    char note[120];
    fputs("<table>\n", out);
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
    snprintf(note, sizeof note, "%u bands x %u rows", (unsigned)c->plan.bands,
             (unsigned)c->plan.rows);
    put_row(out, "P(found)", c->found, note);
    fprintf(out, "<tr><th>SimHash distance<td>%u<td>of %u bits\n", (unsigned)c->distance,
            (unsigned)c->bits);
    put_fingerprint(out, "a", c->a.fingerprint, c->b.fingerprint, c->bits);
    put_fingerprint(out, "b", c->b.fingerprint, c->a.fingerprint, c->bits);
    fputs("</table>\n", out);
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

/* Writes the text with its passages, which are sorted by begin. Where passages overlap, the first
 * one gets the bytes, and the next one the rest. If the rest is empty, its mark is only the target
 * of a link. */
static void put_marked(FILE *out, const pair *p, int side, const placed *passages, size_t count) {
    static const char names[] = "ab";
    const char *bytes = p->texts[side].bytes;
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const placed *passage = &passages[i];
        if (passage->where.begin > at) {
            put_text(out, bytes + at, passage->where.begin - at);
            at = passage->where.begin;
        }
        fprintf(out,
                "<mark id=%c%zu style=\"--hue:%zu\" title=\"%zu tokens\"><a "
                "href=\"#%c%zu\"><sup>%zu</sup>",
                names[side], passage->number, passage->number % COLOURS * (360 / COLOURS),
                p->comparison->passages[passage->number - 1].tokens, names[1 - side],
                passage->number, passage->number);
        if (passage->where.end > at) {
            put_text(out, bytes + at, passage->where.end - at);
            at = passage->where.end;
        }
        fputs("</a></mark>", out);
    }
    put_text(out, bytes + at, p->texts[side].length - at);
}

static bool put_side(FILE *out, const pair *p, int side) {
    size_t count = p->comparison->passage_count;
    placed *passages = malloc((count + 1) * sizeof *passages);
    if (!passages) return false;
    for (size_t i = 0; i < count; i++)
        passages[i] = (placed){passage_piece(&p->comparison->passages[i], side), i + 1};
    qsort(passages, count, sizeof *passages, by_begin);
    const nd_compared_text *told = side == 0 ? &p->comparison->a : &p->comparison->b;
    fprintf(out, "<section>\n<h2>%s: ", side == 0 ? "a" : "b");
    put_string(out, p->texts[side].title);
    fprintf(out,
            "</h2>\n<p>%zu bytes, %zu tokens, %zu distinct shingles</p>\n<div class=text dir=auto>",
            p->texts[side].length, told->tokens, told->shingles);
    put_marked(out, p, side, passages, count);
    fputs("</div>\n</section>\n", out);
    free(passages);
    return true;
}

bool pair_print_page(FILE *out, const pair *p) {
    fputs("<!DOCTYPE html>\n<html lang=en>\n<meta charset=utf-8>\n<meta name=viewport "
          "content=\"width=device-width\">\n<title>",
          out);
    put_string(out, p->texts[0].title);
    fputs(" and ", out);
    put_string(out, p->texts[1].title);
    fprintf(out, "</title>\n<style>\n%s</style>\n<h1>", style);
    put_string(out, p->texts[0].title);
    fputs(" and ", out);
    put_string(out, p->texts[1].title);
    fputs("</h1>\n", out);
    put_measures(out, p);
    fputs("<div class=texts>\n", out);
    bool good = put_side(out, p, 0) && put_side(out, p, 1);
    fputs("</div>\n</html>\n", out);
    return good;
}
