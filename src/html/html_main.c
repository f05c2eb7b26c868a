/* A line is kept if its points are not negative. The points are a linear model, trained by logistic
 * regression on half of the development pages of WCXB and rounded; bench/quality --part html
 * measures them on the other half. Rules that added nothing there were left out. */
#include "html/html_main.h"

#include <string.h>

/* Bytes of a line. */
enum {
    SHORT = 24,    /* a shorter one is a label or a button */
    PARAGRAPH = 60 /* a longer one tells where the content of the page is */
};

/* ---- points */

enum {
    AT_FIRST = 5,
    SENTENCE = 3, /* ends like a sentence */
    NOT_SHORT = 4,
    LINKED = -4, /* most of it is links */
    BEFORE_H1 = -10,
    LATE = -4,     /* behind 70 % of the text, */
    LAST = -4,     /* and behind 85 % once more */
    OUTSIDE = -7,  /* outside of the element with the most paragraphs, */
    NOT_MAIN = -7, /* of <main> and of <article>, if most paragraphs are inside */
    NOT_ARTICLE = -5
};

static const struct {
    unsigned cue;
    int points;
} cue_points[] = {
    {ND_HTML_IN_TITLE, -100},    {ND_HTML_IN_ARTICLE, 4},    {ND_HTML_IN_HEADER, -4},
    {ND_HTML_IN_FOOTER, -13},    {ND_HTML_IN_ASIDE, -10},    {ND_HTML_IN_FORM, -3},
    {ND_HTML_IN_CAPTION, -16},   {ND_HTML_IN_LIST, 4},       {ND_HTML_IN_P, 4},
    {ND_HTML_IN_QUOTE, 4},       {ND_HTML_IN_H2, 6},         {ND_HTML_IN_LOW_HEADING, 4},
    {ND_HTML_FOOTER_WORD, -9},   {ND_HTML_MENU_WORD, -4},    {ND_HTML_OVERLAY_WORD, -6},
    {ND_HTML_COMMENT_WORD, -10}, {ND_HTML_RELATED_WORD, -7}, {ND_HTML_BYLINE_WORD, -3},
};

static int points_of_cues(unsigned cues) {
    int points = 0;
    for (size_t i = 0; i < sizeof cue_points / sizeof *cue_points; i++)
        if (cues & cue_points[i].cue) points += cue_points[i].points;
    return points;
}

/* ---- the line itself */

static size_t length_of(const nd_html_line *line) { return line->end - line->begin; }

/* Bytes of paragraphs: what a line that is long, apart from its links, adds to its element. */
static size_t weight_of(const nd_html_line *line) {
    size_t linked = line->linked < length_of(line) ? line->linked : length_of(line);
    return length_of(line) >= PARAGRAPH ? length_of(line) - linked : 0;
}

/* Whether text ends with one of the endings, which are separated by spaces; *length becomes the
 * length before it. */
static bool ends_with(const char *text, size_t *length, const char *endings) {
    while (*endings) {
        size_t size = strcspn(endings, " ");
        if (size <= *length && memcmp(text + *length - size, endings, size) == 0) {
            *length -= size;
            return true;
        }
        endings += size + (endings[size] == ' ');
    }
    return false;
}

static bool is_sentence(const char *text, size_t length) {
    while (ends_with(text, &length, "\" ' ) ] \u201d \u2019 \u00bb")) continue;
    return ends_with(text, &length, ". ! ? : ; \u2026 \u3002 \uff01 \uff1f");
}

/* ---- the page */

typedef struct page {
    nd_html_outline *outline;
    const char *text;
    size_t length;
    size_t first_h1;            /* a line; 0: there is none */
    bool has_main, has_article; /* which hold most paragraphs */
} page;

/* The element with the most paragraphs. A paragraph counts for the element around it, half for
 * the next one, and so on; less if it does not end like a sentence, or if a cue speaks against it.
 */
static uint32_t find_best(const page *p) {
    enum { LEVELS = 4 };
    const unsigned against = ND_HTML_IN_FOOTER | ND_HTML_IN_ASIDE | ND_HTML_FOOTER_WORD |
                             ND_HTML_MENU_WORD | ND_HTML_OVERLAY_WORD | ND_HTML_COMMENT_WORD;
    nd_html_node *nodes = p->outline->nodes;
    uint32_t best = 0;
    for (size_t i = 0; i < p->outline->line_count; i++) {
        const nd_html_line *line = &p->outline->lines[i];
        uint64_t weight = 16 * (uint64_t)weight_of(line);
        if (!is_sentence(p->text + line->begin, length_of(line))) weight /= 2;
        if (line->cues & against) weight /= 4;
        uint32_t node = line->node;
        if (line->cues & ND_HTML_IN_P) node = nodes[node].parent;
        for (int level = 0; level < LEVELS; level++, weight /= 2, node = nodes[node].parent) {
            nodes[node].score += weight;
            if (node == 0) break;
        }
    }
    for (uint32_t node = 1; node < p->outline->node_count; node++)
        if (nodes[node].score > nodes[best].score) best = node;
    return best;
}

/* Whether lines with a cue hold most paragraphs. */
static bool holds_most(const nd_html_outline *outline, unsigned cue) {
    size_t inside = 0, all = 0;
    for (size_t i = 0; i < outline->line_count; i++) {
        size_t weight = weight_of(&outline->lines[i]);
        all += weight;
        if (outline->lines[i].cues & cue) inside += weight;
    }
    return inside > all / 2;
}

/* Marks the elements inside `best`, itself included: their score becomes 1, and that of the others
 * 0. Parents come before their children. */
static void mark_inside(nd_html_outline *outline, uint32_t best) {
    for (uint32_t node = 0; node < outline->node_count; node++) {
        uint32_t parent = outline->nodes[node].parent;
        bool inside = node == best || (node > 0 && outline->nodes[parent].score == 1);
        outline->nodes[node].score = inside;
    }
}

static int points_of(const page *p, size_t number) {
    const nd_html_line *line = &p->outline->lines[number];
    size_t length = length_of(line);
    int points = AT_FIRST + points_of_cues(line->cues);
    if (is_sentence(p->text + line->begin, length)) points += SENTENCE;
    if (length >= SHORT) points += NOT_SHORT;
    if (line->linked >= length - length * 2 / 5) points += LINKED;
    if (number < p->first_h1) points += BEFORE_H1;
    if (line->begin / 7 > p->length / 10) points += LATE;
    if (line->begin / 17 > p->length / 20) points += LAST;
    if (p->outline->nodes[line->node].score == 0) points += OUTSIDE;
    if (p->has_main && !(line->cues & ND_HTML_IN_MAIN)) points += NOT_MAIN;
    if (p->has_article && !(line->cues & ND_HTML_IN_ARTICLE)) points += NOT_ARTICLE;
    return points;
}

static size_t find_h1(const nd_html_outline *outline) {
    size_t number = 0;
    while (number < outline->line_count && !(outline->lines[number].cues & ND_HTML_IN_H1)) number++;
    return number < outline->line_count ? number : 0;
}

size_t nd_html_keep_main(nd_html_outline *outline, char *text, size_t length) {
    page p = {.outline = outline,
              .text = text,
              .length = length,
              .first_h1 = find_h1(outline),
              .has_main = holds_most(outline, ND_HTML_IN_MAIN),
              .has_article = holds_most(outline, ND_HTML_IN_ARTICLE)};
    size_t kept = 0;
    mark_inside(outline, find_best(&p));
    for (size_t i = 0; i < outline->line_count; i++) {
        const nd_html_line *line = &outline->lines[i];
        if (points_of(&p, i) < 0) continue;
        if (kept > 0 && text[kept - 1] != '\n') text[kept++] = '\n';
        memmove(text + kept, text + line->begin, length_of(line));
        kept += length_of(line);
    }
    return kept;
}
