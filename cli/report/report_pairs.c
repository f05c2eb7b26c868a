#include "report/report_pairs.h"

#include "output/difference_html.h"
#include "output/excerpt.h"
#include "output/numbers.h"

#include <stdlib.h>

/* The bounds of a pair: words around a difference; differences; hunks; bytes of a text in a hunk;
 * bytes of HTML, before the last hunk. ID_MOST, EXCERPT_MOST: characters. */
enum {
    CONTEXT_WORDS = 8,
    DIFFERENCES_MOST = 40,
    HUNKS_MOST = 8,
    CELL_BYTES = 400,
    PAIR_BYTES = 10000,
    ID_MOST = 100,
    EXCERPT_MOST = 240
};

void put_pair_style(FILE *out, page_language language) {
    fputs(difference_style, out);
    fprintf(out, "del::before{content:' %s: '}\nins::before{content:' %s: '}\n",
            report_words(language, SAY_ONLY_LEFT), report_words(language, SAY_ONLY_RIGHT));
    fputs("blockquote{margin:.4rem 0;max-width:46rem;overflow-wrap:anywhere;"
          "unicode-bidi:plaintext}\n"
          ".pair{width:100%;table-layout:fixed;margin:.4rem 0 1.6rem}\n"
          ".pair th,.pair td{width:50%;text-align:start;vertical-align:top;padding:.45rem .8rem "
          ".45rem 0;overflow-wrap:anywhere}\n"
          ".pair td{white-space:pre-wrap;unicode-bidi:plaintext}\n"
          ".pair th{font-weight:600}\n"
          ".pair small{display:block;font-weight:400}\n"
          "@media print{.pair,blockquote{break-inside:avoid}blockquote{break-after:avoid}"
          ".pair{font-size:8.5pt}.pair td{white-space:normal}}\n",
          out);
}

/* ---- who they are */

static void put_document(FILE *out, const report_source *s, const nd_example *e, int side) {
    static const report_word roles[][2] = {{SAY_KEPT_ROLE, SAY_REMOVED_ROLE},
                                           {SAY_FIRST_ROLE, SAY_SECOND_ROLE}};
    const nd_named_document *d = &e->documents[side];
    char line[32], bytes[32];
    fputs("<th scope=col><small>", out);
    fputs(report_words(s->language, roles[e->kind == ND_EXAMPLE_REJECTED][side]), out);
    if (e->texts[side]) fprintf(out, " · %s", number_volume(e->whole_lengths[side], bytes));
    fputs("</small><bdi>", out);
    put_foreign(out, d->id, d->id_length, ID_MOST);
    fputs("</bdi>", out);
    if (d->line > 0) {
        fputs("<small>", out);
        put_words(out, s->language, SAY_PLACE,
                  (const char *[]){d->source, number_grouped(d->line, line)});
        fputs("</small>", out);
    }
    fputs("</th>", out);
}

/* ---- what differs */

/* Writes a piece of a text with its differences; a long one is cut. */
static void put_cell(FILE *out, const differing *texts, int side, piece where, size_t first) {
    size_t end = where.end, next = first;
    if (end > where.begin + CELL_BYTES)
        end = character_begin(texts->texts[side], where.begin + CELL_BYTES);
    fputs("<td dir=auto lang=\"\">", out);
    if (where.begin > 0) fputs("\u2026 ", out);
    put_marked_differences(out, texts, side, (piece){where.begin, end}, &next, false);
    if (end < texts->lengths[side]) fputs(" \u2026", out);
    fputs("</td>", out);
}

static void put_row(FILE *out, const differing *texts, const difference_hunk *hunk) {
    fputs("<tr>", out);
    put_cell(out, texts, 0, hunk->places[0], hunk->first);
    put_cell(out, texts, 1, hunk->places[1], hunk->first);
    fputs("</tr>\n", out);
}

/* *shown: differences in the rows that are written. */
static bool put_hunks(FILE *out, const differing *texts, size_t *shown) {
    difference_hunks hunks;
    difference_hunk hunk;
    long begin = ftell(out);
    if (!difference_hunks_open(&hunks, texts, CONTEXT_WORDS, DIFFERENCES_MOST)) return false;
    for (int rows = 0; rows < HUNKS_MOST && ftell(out) - begin < PAIR_BYTES &&
                       difference_hunks_next(&hunks, &hunk);
         rows++) {
        put_row(out, texts, &hunk);
        *shown = hunk.first + hunk.count;
    }
    difference_hunks_close(&hunks);
    return true;
}

static void put_beginnings(FILE *out, const differing *texts) {
    const difference_hunk whole = {0, 0, {{0, texts->lengths[0]}, {0, texts->lengths[1]}}};
    put_row(out, texts, &whole);
}

static void put_note(FILE *out, const report_source *s, const nd_example *e,
                     const nd_difference_list *list, size_t shown) {
    char count[32], share[32], bytes[32];
    bool cut = e->lengths[0] < e->whole_lengths[0] || e->lengths[1] < e->whole_lengths[1];
    fputs("<caption><p>", out);
    snprintf(share, sizeof share, "%.1f %%", 100 * list->same);
    if (list->count == 0) fputs(report_words(s->language, SAY_SAME_WORDS), out);
    else
        put_words(out, s->language, SAY_DIFFERENCES,
                  (const char *[]){number_grouped(list->count, count), share});
    if (shown < list->count) fprintf(out, " %s", report_words(s->language, SAY_MORE_DIFFERENCES));
    if (cut) {
        putc(' ', out);
        put_words(out, s->language, SAY_BEGINNING,
                  (const char *[]){number_volume(ND_EXAMPLE_BYTES, bytes)});
    }
    fputs("</p></caption>\n", out);
}

/* ---- a pair */

static void put_heads(FILE *out, const report_source *s, const nd_example *e) {
    fputs("<thead><tr>", out);
    put_document(out, s, e, 0);
    put_document(out, s, e, 1);
    fputs("</tr></thead>\n<tbody>\n", out);
}

/* A document of an index has no text: the other one has its beginning. */
static void put_single(FILE *out, const report_source *s, const nd_example *e) {
    fputs("<table class=pair>\n", out);
    put_heads(out, s, e);
    fputs("<tr>", out);
    for (int side = 0; side < 2; side++) {
        fputs("<td dir=auto>", out);
        if (e->texts[side]) put_foreign(out, e->texts[side], e->lengths[side], CELL_BYTES);
        else fputs(report_words(s->language, SAY_NO_TEXT), out);
        fputs("</td>", out);
    }
    fputs("</tr>\n</tbody></table>\n", out);
}

/* The rows are made first, since the caption tells whether they have all differences. */
static bool put_compared(FILE *out, const report_source *s, const nd_example *e,
                         nd_analyzer *analyzer) {
    nd_difference_list *list = NULL;
    if (nd_differences(analyzer, e->texts[0], e->lengths[0], e->texts[1], e->lengths[1], &list,
                       NULL) != ND_OK)
        return false;
    const differing texts = {{e->texts[0], e->texts[1]}, {e->lengths[0], e->lengths[1]}, list};
    char *rows = NULL;
    size_t size = 0, shown = 0;
    FILE *memory = open_memstream(&rows, &size);
    bool good = memory != NULL;
    if (good && list->count > 0) good = put_hunks(memory, &texts, &shown);
    else if (good && e->kind != ND_EXAMPLE_GROUP) put_beginnings(memory, &texts);
    if (memory) good = fclose(memory) == 0 && good;
    if (good) {
        fputs("<table class=pair>\n", out);
        put_note(out, s, e, list, shown);
        put_heads(out, s, e);
        fwrite(rows, 1, size, out);
        fputs("</tbody></table>\n", out);
    }
    free(rows);
    nd_difference_list_free(list);
    return good;
}

/* A group is known by the text of its documents. */
static void put_beginning(FILE *out, const nd_example *e) {
    int side = e->texts[0] ? 0 : 1;
    fputs("<blockquote dir=auto lang=\"\">", out);
    put_foreign(out, e->texts[side], e->lengths[side], EXCERPT_MOST);
    fputs("</blockquote>\n", out);
}

static bool put_pair(FILE *out, const report_source *s, const nd_example *e,
                     nd_analyzer *analyzer) {
    char similarity[32];
    snprintf(similarity, sizeof similarity, "%.6f", e->similarity);
    if (e->kind != ND_EXAMPLE_GROUP) {
        fputs("<h4>", out);
        put_words(out, s->language, SAY_PAIR_SIMILARITY, (const char *[]){similarity});
        fputs("</h4>\n", out);
    }
    if (e->kind == ND_EXAMPLE_GROUP) put_beginning(out, e);
    if (e->texts[0] && e->texts[1]) return put_compared(out, s, e, analyzer);
    put_single(out, s, e);
    return true;
}

bool put_pairs(FILE *out, const report_source *s, nd_example_kind kind, size_t only) {
    nd_analyzer *analyzer = NULL;
    nd_error error;
    bool good = nd_analyzer_create(s->analyzer, NULL, &analyzer, &error) == ND_OK;
    size_t number = 0;
    for (size_t i = 0; i < s->data->example_count && good; i++) {
        const nd_example *e = &s->data->examples[i];
        if (e->kind == kind && (number++ == only || only == SIZE_MAX))
            good = put_pair(out, s, e, analyzer);
    }
    nd_analyzer_free(analyzer);
    return good;
}
