#include "tune/tune_page.h"

#include "output/difference_html.h"
#include "output/difference_print.h"
#include "output/html_text.h"
#include "output/numbers.h"
#include "output/page_style.h"
#include "report/report_charts.h"

#include <stdlib.h>
#include <string.h>

enum { CONTEXT_WORDS = 6, DIFFERENCES = 6 };

static void put_head(FILE *out, const nd_tune_result *r) {
    char documents[32], sampled[32];
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
            "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n"
            "<meta http-equiv=Content-Security-Policy content=\"default-src 'none';style-src "
            "'unsafe-inline'\">\n<title>neardup: thresholds</title>\n<style>\n%s%s%s"
            "</style>\n</head>\n<body>\n<header>\n<h1>neardup: thresholds</h1>\n",
            page_style, chart_style, difference_style);
    fprintf(out,
            "<p class=verdict>What each threshold would remove of %s documents</p>\n"
            "<p>%s of them, drawn at random, are compared exactly with all documents. Shares are "
            "estimates with their 95 %% intervals",
            number_grouped(r->documents, documents), number_grouped(r->sampled, sampled));
    fprintf(out, "%s.</p>\n</header>\n<main>\n",
            r->sampled == r->documents ? "; here they are exact, since all documents are drawn"
                                       : "");
}

/* ---- the steps */

static void put_step(FILE *out, const nd_tune_step *s, double bar) {
    char nearest[32];
    fprintf(out,
            "<tr><th scope=row>%.2f<td class=n>%.1f %%<td class=n>%.1f to %.1f %%"
            "<td class=n>%.1f %%<td class=n>%s<td class=b>",
            s->threshold, 100 * s->removed.share, 100 * s->removed.low, 100 * s->removed.high,
            100 * s->groups.share, number_grouped(s->nearest, nearest));
    put_bar(out, bar, "own");
    putc('\n', out);
}

static void put_steps(FILE *out, const nd_tune_result *r) {
    char copies[32];
    uint64_t most = 1;
    for (uint64_t s = r->first; s < ND_TUNE_STEPS; s++)
        if (r->steps[s].nearest > most) most = r->steps[s].nearest;
    fprintf(out,
            "<section aria-labelledby=steps>\n<h2 id=steps>Thresholds</h2>\n"
            "<p>Removed: documents that have a duplicate before them. Groups: first documents of "
            "a group. Nearest: documents of the sample whose most similar document before them "
            "lies in this step. Every threshold removes the %s exact copies.</p>\n"
            "<div class=scroll tabindex=0 role=region aria-labelledby=steps><table><thead>"
            "<tr><th scope=col>Threshold<th scope=col class=n>Removed<th scope=col class=n>95 %%"
            "<th scope=col class=n>Groups<th scope=col class=n>Nearest"
            "<th scope=col class=b><span>Bar</span></thead><tbody>\n",
            number_grouped(r->exact_copies, copies));
    for (uint64_t s = ND_TUNE_STEPS; s-- > r->first;)
        put_step(out, &r->steps[s], (double)r->steps[s].nearest / (double)most);
    fputs("</tbody></table></div>\n</section>\n", out);
}

/* ---- other flags */

static void put_beside(FILE *out, const tune_run *runs, size_t count) {
    fputs("<section aria-labelledby=beside>\n<h2 id=beside>Removed, with other flags</h2>\n"
          "<div class=scroll tabindex=0 role=region aria-labelledby=beside><table><thead>"
          "<tr><th scope=col>Threshold<th scope=col class=n>as above",
          out);
    for (size_t i = 1; i < count; i++) {
        fputs("<th scope=col class=n>", out);
        put_html_string(out, runs[i].settings);
    }
    fputs("</thead><tbody>\n", out);
    for (uint64_t s = ND_TUNE_STEPS; s-- > runs[0].result.first;) {
        fprintf(out, "<tr><th scope=row>%.2f", runs[0].result.steps[s].threshold);
        for (size_t i = 0; i < count; i++)
            fprintf(out, "<td class=n>%.1f %%", 100 * runs[i].result.steps[s].removed.share);
        putc('\n', out);
    }
    fputs("</tbody></table></div>\n</section>\n", out);
}

/* ---- examples */

static void put_document(FILE *out, const char *role, const review_document *d) {
    fprintf(out, "<dt>%s<dd><bdi>", role);
    put_html(out, d->id, d->id_length);
    fputs(d->text ? "</bdi>\n" : "</bdi> (its text was not found)\n", out);
}

static nd_status put_pair(FILE *out, const review_list *list, size_t i, nd_analyzer *analyzer,
                          nd_error *error) {
    const review_pair *p = &list->pairs[i];
    const review_document *a = &p->documents[0], *b = &p->documents[1];
    nd_difference_list *differences = NULL;
    char nearest[32];
    fprintf(out, "<h3>%s %.3f <span class=soft>(one of %s)</span></h3>\n<dl>", list->measure,
            p->value, number_grouped(p->pairs, nearest));
    put_document(out, "kept", a);
    put_document(out, "removed", b);
    fputs("</dl>\n", out);
    nd_status status = document_differences(a, b, analyzer, &differences, error);
    if (status != ND_OK || !differences) return status;
    const differing texts = differing_documents(a, b, differences);
    fputs("<p>", out);
    print_difference_count(out, differences);
    fputs("</p>\n", out);
    bool good = put_difference_list(out, &texts, CONTEXT_WORDS, DIFFERENCES, false);
    nd_difference_list_free(differences);
    return good ? ND_OK : review_no_memory(error);
}

static nd_status put_examples(FILE *out, const review_list *list, nd_analyzer *analyzer,
                              nd_error *error) {
    nd_status status = ND_OK;
    fputs("<section aria-labelledby=pairs>\n<h2 id=pairs>The least similar pairs of each step</h2>"
          "\n<p>Documents, and the most similar ones before them. The threshold belongs above the "
          "first step whose pairs should both stay.</p>\n",
          out);
    for (size_t i = 0; i < list->count && status == ND_OK; i++)
        status = put_pair(out, list, i, analyzer, error);
    fputs("</section>\n", out);
    return status;
}

static nd_status put_page(FILE *out, const tune_run *runs, size_t count,
                          const review_list *examples, nd_analyzer *analyzer, nd_error *error) {
    nd_status status = ND_OK;
    put_head(out, &runs[0].result);
    put_steps(out, &runs[0].result);
    if (count > 1) put_beside(out, runs, count);
    if (examples->count > 0) status = put_examples(out, examples, analyzer, error);
    fputs("</main>\n</body>\n</html>\n", out);
    return status;
}

nd_status tune_page_write(const char *path, const tune_run *runs, size_t count,
                          const review_list *examples, nd_analyzer *analyzer, nd_error *error) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    nd_status status = out ? put_page(out, runs, count, examples, analyzer, error)
                           : review_no_memory(error);
    if (out && fclose(out) != 0 && status == ND_OK) status = review_no_memory(error);
    if (status == ND_OK) status = nd_write_file(path, text, size, error);
    free(text);
    return status;
}
