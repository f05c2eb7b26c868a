#include "papers/papers_page.h"

#include "output/numbers.h"
#include "papers/paper_html.h"
#include "papers/paper_list.h"
#include "report/report_charts.h"
#include "report/report_parts.h"

/* Bytes of all papers beside their sources. The other parts of the page take less than 150 kB: a
 * row of the table has at most 100 characters of an id, of at most 6 bytes each. */
enum { PAPERS_BYTES = 850000 };

/* ---- the head */

static void put_verdict(FILE *out, const report_source *s) {
    const nd_job_summary *m = s->summary;
    char number[4][32], share[32];
    fprintf(out, "<h1>%s</h1>\n<p class=verdict>", words_of(s, SAY_TITLE));
    put_words(out, s->language, SAY_PAPERS_VERDICT,
              (const char *[]){number_grouped(m->queries_found, number[0]),
                               number_grouped(m->queries, number[1]),
                               number_grouped(m->found_tokens, number[2]),
                               number_grouped(m->query_tokens, number[3]),
                               percent(m->found_tokens, m->query_tokens, share)});
    fputs("</p>\n", out);
    put_paragraph(out, s, SAY_PAPERS_BASIS,
                  (const char *[]){number_grouped(s->papers->least_run, number[0]),
                                   number_grouped(s->papers->gap, number[1])});
}

/* ---- shares */

/* The papers on the page are links to them. */
static void put_share(FILE *out, const listed_paper *p, bool shown) {
    char share[32];
    fputs("<tr><th scope=row>", out);
    if (shown) fprintf(out, "<a href=\"#paper-%llu\">", (unsigned long long)p->share.query + 1);
    fputs("<bdi>", out);
    put_foreign(out, p->id, p->share.id_length, PAPER_ID);
    fprintf(out, "</bdi>%s</th>", shown ? "</a>" : "");
    fprintf(out, "<td class=n>%s</td><td class=b>",
            percent(p->share.found, p->share.tokens, share));
    put_bar(out, share_of(p->share.found, p->share.tokens), "own");
    fputs("</td>", out);
    put_number(out, NULL, p->share.found);
    put_number(out, NULL, p->share.tokens);
    put_number(out, NULL, p->share.sources);
    fputs("</tr>\n", out);
}

static void put_shares(FILE *out, const report_source *s, size_t shown) {
    static const column columns[] = {{SAY_PAPER, ""},  {SAY_SHARE, "n"},  {SAY_SHARE, "b"},
                                     {SAY_FOUND, "n"}, {SAY_TOKENS, "n"}, {SAY_SOURCES, "n"},
                                     {0, NULL}};
    const paper_list *list = s->papers->list;
    char more[32];
    section_begin(out, s, "shares", SAY_PAPERS_SHARES);
    put_paragraph(out, s, list->count > 0 ? SAY_PAPERS_SHARES_NOTE : SAY_NO_PAPERS, NULL);
    if (list->count > 0) {
        fputs("<div class=scroll tabindex=0 role=region aria-labelledby=shares>\n", out);
        table_begin(out, s, " data-key=papers", columns);
        for (size_t i = 0; i < list->count; i++) put_share(out, &list->papers[i], i < shown);
        table_end(out);
        fputs("</div>\n", out);
    }
    if (s->summary->queries_found > list->count)
        put_paragraph(
            out, s, SAY_MORE_SHARES,
            (const char *[]){number_grouped(s->summary->queries_found - list->count, more)});
    section_end(out);
}

/* ---- papers */

static void put_papers(FILE *out, const report_source *s, size_t shown) {
    const paper_list *list = s->papers->list;
    char more[32];
    section_begin(out, s, "papers", SAY_PAPERS);
    put_paragraph(out, s, SAY_PAPERS_NOTE, NULL);
    for (size_t i = 0; i < shown; i++) fwrite(list->papers[i].html, 1, list->papers[i].size, out);
    if (shown < list->count)
        put_paragraph(out, s, SAY_MORE_PAPERS,
                      (const char *[]){number_grouped(list->count - shown, more)});
    section_end(out);
}

/* ---- the page */

static size_t count_fitting(const paper_list *list) {
    size_t shown = 0, bytes = 0;
    for (; shown < list->count; shown++) {
        bytes += list->papers[shown].size;
        if (bytes > PAPERS_BYTES) break;
    }
    return shown;
}

/* put_page_fn */
static bool put_run(FILE *out, const report_source *s) {
    static const section sections[] = {
        {"shares", SAY_PAPERS_SHARES}, {"papers", SAY_PAPERS}, {NULL, 0}};
    size_t shown = count_fitting(s->papers->list);
    put_head(out, s, paper_style);
    put_verdict(out, s);
    bool good = put_command(out, s);
    put_navigation(out, s, shown > 0 ? sections : sections + 2);
    put_shares(out, s, shown);
    if (shown > 0) put_papers(out, s, shown);
    return good;
}

nd_status papers_page_write(const char *path, const report_source *source, nd_error *error) {
    return page_write(path, source, put_run, error);
}
