#include "papers/paper_html.h"

#include "output/excerpt.h"
#include "output/html_text.h"
#include "output/numbers.h"
#include "output/passage_hue.h"
#include "papers/paper_rows.h"
#include "report/report_charts.h"
#include "report/report_parts.h"

#include <stdlib.h>
#include <string.h>

/* The bounds of a paper: sources in its table; passages beside one place, the first with its text;
 * characters of a text between passages, at either side of what is left out; bytes of HTML, before
 * the last row. */
enum { SOURCES_SHOWN = 8, BESIDE = 5, BETWEEN = 160, PAPER_BYTES = 40000 };

const char paper_style[] =
    "body{max-width:80rem}\n"
    ".paper{margin-top:2.6rem}\n"
    ".paper h3{margin:0;font-size:1.1rem;overflow-wrap:anywhere}\n"
    ".place{overflow-wrap:anywhere}\n"
    ".beside{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:.5rem 1.6rem;"
    "margin-top:1.2rem}\n"
    ".paper thead th:first-child{width:45%}\n"
    ".beside small{display:block;overflow-wrap:anywhere}\n"
    ".text{overflow-wrap:anywhere;unicode-bidi:plaintext}\n"
    ".left-out{color:var(--soft);white-space:nowrap}\n"
    "mark{color:inherit;border-radius:3px;background:hsl(var(--hue) 85% 60%/.25);"
    "-webkit-box-decoration-break:clone;box-decoration-break:clone}\n"
    ".number{font-weight:600;border-radius:3px;padding:0 .35em;margin-inline-end:.4em;"
    "background:hsl(var(--hue) 85% 60%/.25)}\n"
    "mark .number{font-size:.75em;vertical-align:super;background:none;padding:0 .15em;margin:0}\n"
    ".from{border-inline-start:.25rem solid hsl(var(--hue) 70% 50%);padding-inline-start:.7rem}\n"
    ".from+.from,.from+p{margin-top:.5rem}\n"
    "mark,.number,.from{-webkit-print-color-adjust:exact;print-color-adjust:exact}\n"
    "[data-key=papers] .b{padding-inline-end:1.4rem}\n"
    "@media(max-width:40rem){.b{display:none}.beside{grid-template-columns:minmax(0,1fr)}"
    ".nothing{display:none}.from{margin-inline-start:1rem}}\n"
    "@media print{.beside{font-size:8.5pt}.from{break-inside:avoid}.paper h3{break-after:avoid}}\n";

/* ---- texts */

/* A text that is not ours, whole. */
static void put_all(FILE *out, const char *text, size_t length) {
    put_foreign(out, text, length, length);
}

static void put_left_out(FILE *out, size_t bytes, page_language language) {
    char volume[32];
    fputs(" <span class=left-out>", out);
    put_words(out, language, SAY_LEFT_OUT, (const char *[]){number_volume(bytes, volume)});
    fputs("</span> ", out);
}

/* Writes both parts of a piece of the paper. */
static void put_parts(FILE *out, const paper *p, piece head, piece tail, page_language language) {
    put_all(out, p->text + head.begin, head.end - head.begin);
    if (tail.begin == tail.end) return;
    put_left_out(out, tail.begin - head.end, language);
    put_all(out, p->text + tail.begin, tail.end - tail.begin);
}

/* The paper's text between two rows, with nothing beside it. */
static void put_between(FILE *out, const paper *p, size_t begin, size_t end,
                        page_language language) {
    piece where = trimmed_piece(p->text, (piece){begin, end}), head, tail;
    if (where.begin >= where.end) return;
    excerpt_parts(p->text, where, BETWEEN, &head, &tail);
    fputs("<div class=\"text soft\" dir=auto lang=\"\">", out);
    put_parts(out, p, head, tail, language);
    fputs("</div><div class=nothing></div>\n", out);
}

static void put_number_of(FILE *out, size_t number) {
    if (number > 0) fprintf(out, "<span class=number>%zu</span>", number);
}

/* ---- sources */

static void put_name(FILE *out, const paper_name *name) {
    fputs("<bdi>", out);
    put_foreign(out, name->id, name->id_length, PAPER_ID);
    fputs("</bdi>", out);
}

static void put_place(FILE *out, const paper_name *name, page_language language) {
    char line[32];
    put_words(out, language, SAY_PLACE,
              (const char *[]){name->file, number_grouped(name->line, line)});
}

static void put_source(FILE *out, const paper *p, size_t i) {
    const paper_source *s = &p->sources[i];
    char share[32];
    fprintf(out, "<tr><th scope=row style=--hue:%u>", passage_hue(i + 1));
    put_number_of(out, i + 1);
    put_name(out, &s->name);
    fputs("</th>", out);
    put_number(out, NULL, s->found);
    fprintf(out, "<td class=n>%s</td><td class=b>", percent(s->found, p->share.tokens, share));
    put_bar(out, share_of(s->found, p->share.tokens), "own");
    fputs("</td></tr>\n", out);
}

static void put_sources(FILE *out, const paper *p, page_language language) {
    static const column columns[] = {
        {SAY_SOURCE, ""}, {SAY_FOUND, "n"}, {SAY_SHARE, "n"}, {SAY_SHARE, "b"}, {0, NULL}};
    const report_source named = {.language = language};
    char more[32];
    table_begin(out, &named, " data-key=sources", columns);
    for (size_t i = 0; i < p->source_count && i < SOURCES_SHOWN; i++) put_source(out, p, i);
    table_end(out);
    if (p->share.sources > SOURCES_SHOWN)
        put_paragraph(out, &named, SAY_MORE_SOURCES,
                      (const char *[]){number_grouped(p->share.sources - SOURCES_SHOWN, more)});
}

/* ---- passages */

static void put_source_text(FILE *out, const paper_passage *e, page_language language) {
    if (!e->text) {
        fprintf(out, "<div class=soft>%s</div>", report_words(language, SAY_NO_TEXT));
        return;
    }
    fputs("<div class=text dir=auto lang=\"\">", out);
    put_all(out, e->text, e->head);
    if (e->head < e->length) {
        put_left_out(out, e->whole - e->length, language);
        put_all(out, e->text + e->head, e->length - e->head);
    }
    fputs("</div>", out);
}

/* The id of a source, where its passage is, and its size. */
static void put_passage_name(FILE *out, const paper_passage *e, page_language language) {
    char tokens[32];
    put_number_of(out, e->number);
    put_name(out, &e->name);
    fputs("<small class=soft>", out);
    if (e->text) {
        put_place(out, &e->name, language);
        fputs(" · ", out);
    }
    put_words(out, language, SAY_PASSAGE_TOKENS,
              (const char *[]){number_grouped(e->tokens, tokens)});
    fputs("</small>", out);
}

/* The first passage of a place has its text; the others have the same words. */
static void put_passage(FILE *out, const paper_passage *e, bool first, page_language language) {
    fprintf(out, "<div class=from style=--hue:%u>", passage_hue(e->number));
    put_passage_name(out, e, language);
    if (first) put_source_text(out, e, language);
    fputs("</div>\n", out);
}

/* Of the passages that begin in the row and are not shown yet, the one with most tokens; of equal
 * ones the first. SIZE_MAX: there is none. */
static size_t next_beside(const paper *p, const paper_row *row, const size_t *shown, size_t count) {
    size_t best = SIZE_MAX;
    for (size_t i = row->first; i < row->last; i++) {
        bool taken = false;
        for (size_t k = 0; k < count; k++) taken |= shown[k] == i;
        if (!taken && (best == SIZE_MAX || p->passages[i].tokens > p->passages[best].tokens))
            best = i;
    }
    return best;
}

static void put_row(FILE *out, const paper *p, const paper_row *row, page_language language) {
    const paper_passage *leader = &p->passages[row->leader];
    size_t shown[BESIDE] = {row->leader}, count = 1, rest = row->last - row->first;
    piece head, tail;
    char more[32];
    paper_parts(p->text, row->where, &head, &tail);
    fprintf(out, "<div class=text dir=auto lang=\"\"><mark style=--hue:%u>",
            passage_hue(leader->number));
    put_number_of(out, leader->number);
    put_parts(out, p, head, tail, language);
    fputs("</mark></div><div>", out);
    put_passage(out, leader, true, language);
    for (size_t i; count < BESIDE && (i = next_beside(p, row, shown, count)) != SIZE_MAX;) {
        put_passage(out, &p->passages[i], false, language);
        shown[count++] = i;
    }
    for (size_t k = 0; k < count; k++) rest -= shown[k] >= row->first && shown[k] < row->last;
    if (rest > 0) {
        fputs("<p class=soft>", out);
        put_words(out, language, SAY_MORE_BESIDE, (const char *[]){number_grouped(rest, more)});
        fputs("</p>", out);
    }
    fputs("</div>\n", out);
}

static bool put_rows(FILE *out, const paper *p, page_language language) {
    size_t count, at = 0, i = 0, reported = 0;
    paper_row *rows = paper_rows(p, &count);
    long begin = ftell(out);
    char left[32];
    if (!rows) return false;
    fputs("<div class=beside>\n", out);
    for (; i < count && ftell(out) - begin < PAPER_BYTES; i++) {
        put_between(out, p, at, rows[i].where.begin, language);
        put_row(out, p, &rows[i], language);
        reported = rows[i].last;
        at = rows[i].where.end;
    }
    if (i == count && reported == p->share.passages && p->length == p->share.text_length)
        put_between(out, p, at, p->length, language);
    fputs("</div>\n", out);
    if (reported < p->share.passages) {
        fputs("<p class=soft>", out);
        put_words(out, language, SAY_MORE_PASSAGES,
                  (const char *[]){number_grouped(p->share.passages - reported, left)});
        fputs("</p>\n", out);
    }
    free(rows);
    return true;
}

bool paper_put(FILE *out, const paper *p, size_t number, page_language language) {
    char share[32], tokens[32], found[32], sources[32];
    fprintf(out, "<article class=paper aria-labelledby=paper-%zu>\n<h3 id=paper-%zu>", number,
            number);
    put_name(out, &p->name);
    fputs("</h3>\n<p class=\"place soft\">", out);
    put_place(out, &p->name, language);
    fputs("</p>\n<p>", out);
    put_words(out, language, SAY_PAPER_SHARE,
              (const char *[]){percent(p->share.found, p->share.tokens, share),
                               number_grouped(p->share.found, found),
                               number_grouped(p->share.tokens, tokens),
                               number_grouped(p->share.sources, sources)});
    fputs("</p>\n", out);
    put_sources(out, p, language);
    bool good = put_rows(out, p, language);
    fputs("</article>\n", out);
    return good;
}
