#include "output/difference_html.h"

#include "output/excerpt.h"
#include "output/html_text.h"

/* Characters of a long difference that the list shows before and behind the cut. */
enum { LISTED = 200 };

static const char *const elements[] = {"del", "ins"};

/* A line through a word or under it shows a difference to readers who see no colours; hidden words
 * tell it to screen readers. */
const char difference_style[] =
    "del,ins{border-radius:3px;padding:0 .1em;unicode-bidi:isolate;text-decoration-thickness:.1em;"
    "-webkit-box-decoration-break:clone;box-decoration-break:clone;"
    "-webkit-print-color-adjust:exact;print-color-adjust:exact}\n"
    "del{background:rgb(230 40 40/.22);text-decoration-line:line-through}\n"
    "ins{background:rgb(0 160 70/.25);text-decoration-line:underline;"
    "text-underline-offset:.15em}\n"
    "del:target,ins:target{outline:2px solid}\n"
    "del::before,ins::before{position:absolute;width:1px;height:1px;overflow:hidden;"
    "clip-path:inset(50%);white-space:nowrap}\n"
    "del::before{content:' removed: '}\n"
    "ins::before{content:' added: '}\n"
    ".differences{padding-inline-start:1.3em}\n"
    ".differences li{margin:.35em 0;overflow-wrap:anywhere}\n";

/* ---- the list */

static void put_excerpt(FILE *out, const differing *texts, int side, piece where) {
    piece head, tail;
    const char *text = texts->texts[side];
    if (where.begin == where.end) return;
    excerpt_parts(text, where, LISTED, &head, &tail);
    fprintf(out, "<%s>", elements[side]);
    put_html_piece(out, text, head);
    if (tail.begin < tail.end) fprintf(out, " [%zu bytes are left out] ", tail.begin - head.end);
    put_html_piece(out, text, tail);
    fprintf(out, "</%s>", elements[side]);
}

/* Whether a blank comes before the words that are added: they follow removed words, or have a blank
 * before them in the second text. */
static bool stands_apart(const differing *texts, const nd_difference *d) {
    if (d->b_begin == d->b_end) return false;
    return d->a_begin < d->a_end ||
           (d->b_begin > 0 && (unsigned char)texts->texts[1][d->b_begin - 1] <= ' ');
}

/* The hunk as one text: what is the same is written as in the first one. */
static void put_hunk(FILE *out, const differing *texts, const difference_hunk *hunk) {
    size_t at = hunk->places[0].begin;
    if (at > 0) fputs("\u2026 ", out);
    for (size_t i = hunk->first; i < hunk->first + hunk->count; i++) {
        const nd_difference *d = &texts->list->differences[i];
        put_html_piece(out, texts->texts[0], (piece){at, d->a_begin});
        put_excerpt(out, texts, 0, difference_piece(d, 0));
        if (stands_apart(texts, d)) putc(' ', out);
        put_excerpt(out, texts, 1, difference_piece(d, 1));
        at = d->a_end;
    }
    put_html_piece(out, texts->texts[0], (piece){at, hunk->places[0].end});
    if (hunk->places[0].end < texts->lengths[0]) fputs(" \u2026", out);
}

bool put_difference_list(FILE *out, const differing *texts, unsigned words, size_t most,
                         bool linked) {
    difference_hunks hunks;
    difference_hunk hunk;
    if (!difference_hunks_open(&hunks, texts, words, most)) return false;
    fputs("<ul class=differences>\n", out);
    while (difference_hunks_next(&hunks, &hunk)) {
        const nd_difference *first = &texts->list->differences[hunk.first];
        fputs("<li><bdi dir=auto>", out);
        put_hunk(out, texts, &hunk);
        fputs("</bdi>", out);
        if (linked)
            fprintf(out,
                    " <a href=\"#%s%zu\" aria-label=\"difference %zu in the text\">in the "
                    "text</a>",
                    elements[first->a_begin == first->a_end], hunk.first + 1, hunk.first + 1);
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
    difference_hunks_close(&hunks);
    return true;
}

/* ---- marks */

void put_marked_differences(FILE *out, const differing *texts, int side, piece where, size_t *next,
                            bool linked) {
    const char *text = texts->texts[side], *element = elements[side];
    for (; *next < texts->list->count; ++*next) {
        piece differs = difference_piece(&texts->list->differences[*next], side);
        bool begins = differs.begin >= where.begin, ends = differs.end <= where.end;
        if (differs.begin >= where.end) break;
        if (begins) put_html_piece(out, text, (piece){where.begin, differs.begin});
        if (differs.begin < differs.end) {
            piece inside = {begins ? differs.begin : where.begin, ends ? differs.end : where.end};
            if (begins && linked) fprintf(out, "<%s id=%s%zu>", element, element, *next + 1);
            else fprintf(out, "<%s>", element);
            put_html_piece(out, text, inside);
            fprintf(out, "</%s>", element);
        }
        where.begin = ends ? differs.end : where.end;
        if (!ends) break;
    }
    put_html_piece(out, text, where);
}
