#include "review/review_page.h"

#include "output/difference_html.h"
#include "output/difference_print.h"
#include "output/excerpt.h"
#include "output/html_text.h"
#include "output/numbers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* TEXT_SHOWN: bytes of each text. */
enum { CONTEXT_WORDS = 8, TEXT_SHOWN = 2000 };

static const char style[] =
    ":root{color-scheme:light dark}\n"
    "body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;padding:1em;max-width:75em}\n"
    "h1{font-size:1.3em;overflow-wrap:anywhere}\n"
    "h2{font-size:1em;margin:0}\n"
    "header p{margin:.3em 0}\n"
    "kbd{border:1px solid #8888;border-radius:3px;padding:0 .3em}\n"
    "article{border:1px solid #8888;border-radius:6px;padding:.8em 1em;margin:1em 0;"
    "scroll-margin-top:4em}\n"
    "article:focus{outline:3px solid #48f}\n"
    "article[data-mark=same]{border-left:8px solid #2a7}\n"
    "article[data-mark=different]{border-left:8px solid #c33}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:0 1em;margin:.4em 0}\n"
    "dd{margin:0;overflow-wrap:anywhere}\n"
    ".texts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20em),1fr));"
    "gap:1.5em}\n"
    ".text{white-space:pre-wrap;unicode-bidi:plaintext;overflow-wrap:anywhere}\n"
    ".bar{position:sticky;top:0;background:Canvas;border-bottom:1px solid #8888;padding:.5em 0;"
    "display:flex;flex-wrap:wrap;gap:.4em 1em;align-items:center}\n"
    "button{font:inherit}\n"
    "button[aria-pressed=true]{font-weight:bold;outline:2px solid}\n"
    "@media print{.bar,button{display:none}article{break-inside:avoid}}\n";

static const char script[] =
    "const pairs=[...document.querySelectorAll('article')];\n"
    "let at=0;\n"
    "function count(){const n=m=>pairs.filter(p=>p.dataset.mark===m).length;\n"
    " document.getElementById('count').textContent=(n('same')+n('different'))+' of '+pairs.length+"
    "' marked: '+n('same')+' same, '+n('different')+' different'}\n"
    "function mark(p,m){p.dataset.mark=m;\n"
    " for(const b of p.querySelectorAll('button'))"
    "b.setAttribute('aria-pressed',b.dataset.set===m);count()}\n"
    "function go(i){at=Math.max(0,Math.min(pairs.length-1,i));pairs[at].focus();"
    "pairs[at].scrollIntoView({block:'start'})}\n"
    "for(const [i,p] of pairs.entries()){mark(p,p.dataset.mark);\n"
    " p.addEventListener('focusin',()=>{at=i});\n"
    " for(const b of p.querySelectorAll('button'))"
    "b.addEventListener('click',()=>mark(p,b.dataset.set===p.dataset.mark?'':b.dataset.set))}\n"
    "document.addEventListener('keydown',e=>{if(e.ctrlKey||e.metaKey||e.altKey)return;\n"
    " if(e.key==='s'||e.key==='d'){mark(pairs[at],e.key==='s'?'same':'different');go(at+1)}\n"
    " else if(e.key==='u')mark(pairs[at],'');\n"
    " else if(e.key==='j')go(at+1);else if(e.key==='k')go(at-1)});\n"
    /* Columns are exact bytes: %XX, where they are no plain characters. */
    "function bytes(text){return Uint8Array.from(text.match(/%..|[^%]/g)||[],"
    "c=>c.length>1?parseInt(c.slice(1),16):c.charCodeAt(0))}\n"
    "document.getElementById('save').addEventListener('click',()=>{\n"
    " const rows=pairs.flatMap(p=>[bytes(p.dataset.begin),'\\t'+p.dataset.mark+'\\t',"
    "bytes(p.dataset.end),'\\n']);\n"
    " const a=document.createElement('a');\n"
    " a.href=URL.createObjectURL(new Blob([document.body.dataset.header+'\\n',...rows],"
    "{type:'text/tab-separated-values'}));\n"
    " a.download='marks.tsv';a.click()});\n";

/* ---- the marks' table, which the page writes again */

/* Writes bytes for bytes() of the script. An id may have characters that HTML does not allow. */
static void put_bytes(FILE *out, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (isascii(c) && (isalnum(c) || strchr(" ._/:-", c))) putc(c, out);
        else fprintf(out, "%%%02X", c);
    }
}

/* Writes the columns before the mark, or those behind it. False: out of memory. */
static bool put_columns(FILE *out, const review_list *list, const review_pair *p, bool behind) {
    char *text = NULL;
    size_t size = 0;
    FILE *columns = open_memstream(&text, &size);
    if (!columns) return false;
    if (behind) review_row_end(p, columns);
    else review_row_begin(list, p, columns);
    bool good = fclose(columns) == 0;
    if (good) put_bytes(out, text, size);
    free(text);
    return good;
}

/* The columns as attributes. */
static bool put_row(FILE *out, const review_list *list, const review_pair *p) {
    fputs(" data-begin=\"", out);
    bool good = put_columns(out, list, p, false);
    fputs("\" data-end=\"", out);
    good = put_columns(out, list, p, true) && good;
    fprintf(out, "\" data-mark=\"%s\"", review_mark_word(p->mark));
    return good;
}

/* ---- a pair */

static void put_document(FILE *out, const char *role, const review_document *d) {
    char bytes[32];
    fprintf(out, "<dt>%s<dd><bdi>", role);
    put_html(out, d->id, d->id_length);
    fputs("</bdi>", out);
    if (d->text) fprintf(out, " (%s)", number_volume(d->whole, bytes));
    else fputs(d->line > 0 ? " (its text was not found)" : " (in an index)", out);
    putc('\n', out);
}

static void put_title(FILE *out, const review_list *list, size_t i) {
    const review_pair *p = &list->pairs[i];
    char pairs[32];
    fprintf(out, "<h2>%zu. ", i + 1);
    if (p->kind == REVIEW_COPY) fputs("copy: the same words", out);
    else if (review_has_distances(list))
        fprintf(out, "%s: distance %.0f", review_kind_word(p->kind), p->value);
    else fprintf(out, "%s: %s %.3f", review_kind_word(p->kind), list->measure, p->value);
    fprintf(out, " <small>(one of %s)</small></h2>\n", number_grouped(p->pairs, pairs));
}

static void put_text(FILE *out, const differing *texts, int side) {
    piece shown = {0, character_begin(texts->texts[side], texts->lengths[side] < TEXT_SHOWN
                                                              ? texts->lengths[side]
                                                              : TEXT_SHOWN)};
    size_t next = 0;
    fputs("<div class=text dir=auto>", out);
    put_marked_differences(out, texts, side, shown, &next, false);
    if (shown.end < texts->lengths[side]) fputs(" \u2026", out);
    fputs("</div>\n", out);
}

static nd_status put_differences(FILE *out, const review_pair *p, const review_form *form,
                                 nd_error *error) {
    nd_difference_list *list = NULL;
    const review_document *a = &p->documents[0], *b = &p->documents[1];
    nd_status status = document_differences(a, b, form->analyzer, &list, error);
    if (status != ND_OK || !list) return status;
    const differing texts = differing_documents(a, b, list);
    fputs("<p>", out);
    print_difference_count(out, list);
    fputs("</p>\n", out);
    bool good = put_difference_list(out, &texts, CONTEXT_WORDS, form->differences, false);
    fputs("<details><summary>Both texts</summary><div class=texts>\n", out);
    put_text(out, &texts, 0);
    put_text(out, &texts, 1);
    fputs("</div></details>\n", out);
    nd_difference_list_free(list);
    return good ? ND_OK : review_no_memory(error);
}

static nd_status put_pair(FILE *out, const review_list *list, size_t i, const review_form *form,
                          nd_error *error) {
    const review_pair *p = &list->pairs[i];
    bool rejected = p->kind == REVIEW_REJECTED;
    fprintf(out, "<article tabindex=-1 id=p%zu", i + 1);
    if (!put_row(out, list, p)) return review_no_memory(error);
    fputs(">\n", out);
    put_title(out, list, i);
    fputs("<dl>", out);
    put_document(out, rejected ? "first" : "kept", &p->documents[0]);
    put_document(out, rejected ? "second" : "removed", &p->documents[1]);
    fputs("</dl>\n", out);
    nd_status status = put_differences(out, p, form, error);
    fputs("<p><button data-set=same>same</button> <button data-set=different>different</button>"
          "</p>\n</article>\n",
          out);
    return status;
}

/* ---- the page */

static void put_head(FILE *out, const char *title, const review_list *list) {
    fputs("<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>\n"
          "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n"
          "<meta http-equiv=Content-Security-Policy content=\"default-src 'none';"
          "style-src 'unsafe-inline';script-src 'unsafe-inline'\">\n<title>Review of ",
          out);
    put_html_string(out, title);
    fputs("</title>\n<style>\n", out);
    fputs(style, out);
    fputs(difference_style, out);
    fprintf(out,
            "</style></head>\n"
            "<body data-header=\"id_a&#9;id_b&#9;%s&#9;verdict&#9;pairs&#9;mark&#9;source_a&#9;"
            "line_a&#9;source_b&#9;line_b\">\n<header><h1>Review of ",
            list->measure);
    put_html_string(out, title);
    fputs(
        "</h1>\n<p>Are the two documents of a pair the same to you? Pairs that neardup removed "
        "come first, those nearest to the threshold before all others; then pairs that it "
        "rejected.</p>\n<p>Keys: <kbd>s</kbd> same, <kbd>d</kbd> different, <kbd>u</kbd> no mark, "
        "<kbd>j</kbd> next, <kbd>k</kbd> back. Save the marks, then <code>neardup review INPUT "
        "marks.tsv</code> tells the precision and the best threshold.</p></header>\n"
        "<div class=bar><output id=count></output><button id=save>Save the marks</button></div>\n"
        "<main>\n",
        out);
}

nd_status review_page_write(FILE *out, const char *title, const review_list *list,
                            const review_form *form, nd_error *error) {
    nd_status status = ND_OK;
    put_head(out, title, list);
    for (size_t i = 0; i < list->count && status == ND_OK; i++)
        status = put_pair(out, list, i, form, error);
    fputs("</main>\n<script>\n", out);
    fputs(script, out);
    fputs("</script></body></html>\n", out);
    return status;
}
