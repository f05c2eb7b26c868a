#include "report/report_parts.h"

#include "output/html_text.h"
#include "output/numbers.h"
#include "output/page_style.h"
#include "report/report_charts.h"
#include "report/report_pairs.h"

#include <stdlib.h>
#include <string.h>

/* Characters: of the command, of a word of it, and of a name in a table. */
enum { COMMAND_MOST = 2000, NAME_MOST = 100 };

const char *words_of(const report_source *s, report_word word) {
    return report_words(s->language, word);
}

void put_paragraph(FILE *out, const report_source *s, report_word word, arguments given) {
    fputs("<p>", out);
    put_words(out, s->language, word, given);
    fputs("</p>\n", out);
}

double share_of(uint64_t part, uint64_t whole) { return whole ? (double)part / (double)whole : 0; }

const char *percent(uint64_t part, uint64_t whole, char text[static 32]) {
    snprintf(text, 32, "%.1f %%", 100 * share_of(part, whole));
    return text;
}

const char *exact(double value, char text[static 32]) {
    snprintf(text, 32, "%.15g", value);
    return text;
}

const char *limit_words(const report_source *s, report_word word, double limit,
                        char text[static 64]) {
    char number[32], *at = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&at, &size);
    text[0] = '\0';
    if (!memory) return text;
    put_words(memory, s->language, word, (const char *[]){exact(limit, number)});
    if (fclose(memory) == 0) snprintf(text, 64, "%s", at);
    free(at);
    return text;
}

/* ---- sections and tables */

void section_begin(FILE *out, const report_source *s, const char *id, report_word title) {
    fprintf(out, "<section aria-labelledby=%s>\n<h2 id=%s>%s</h2>\n", id, id, words_of(s, title));
}

void section_end(FILE *out) { fputs("</section>\n", out); }

void table_begin(FILE *out, const report_source *s, const char *attributes, const column *columns) {
    fprintf(out, "<table%s>\n<thead><tr>", attributes);
    for (; columns->class; columns++)
        fprintf(out, "<th scope=col class=\"%s\"><span>%s</span></th>", columns->class,
                words_of(s, columns->name));
    fputs("</tr></thead>\n<tbody>\n", out);
}

void table_end(FILE *out) { fputs("</tbody></table>\n", out); }

void put_number(FILE *out, const char *key, uint64_t number) {
    char text[32];
    fprintf(out, "<td class=n%s%s>%s</td>", key ? " data-key=" : "", key ? key : "",
            number_grouped(number, text));
}

void details_begin(FILE *out, const report_source *s) {
    fprintf(out, "<details><summary>%s</summary>\n", words_of(s, SAY_NUMBERS));
}

void details_end(FILE *out) { fputs("</details>\n", out); }

void put_count(FILE *out, const report_source *s, report_word name, const char *key,
               uint64_t number) {
    fprintf(out, "<tr><th scope=row>%s</th>", words_of(s, name));
    put_number(out, key, number);
    fputs("</tr>\n", out);
}

void put_part_of_class(FILE *out, const char *name, uint64_t documents, uint64_t part) {
    char share[32];
    fputs("<tr><th scope=row><bdi>", out);
    put_foreign(out, name, strlen(name), NAME_MOST);
    fputs("</bdi></th>", out);
    put_number(out, NULL, documents);
    put_number(out, NULL, part);
    fprintf(out, "<td class=n>%s</td><td class=b>", percent(part, documents, share));
    put_bar(out, share_of(part, documents), "own");
    fputs("</td></tr>\n", out);
}

/* ---- sizes */

static void put_size_table(FILE *out, const report_source *s, const size_words *words,
                           const uint64_t counts[ND_GROUP_STEPS]) {
    const column columns[] = {{words->size, "n"}, {words->count, "n"}, {0, NULL}};
    char from[32], to[32];
    details_begin(out, s);
    table_begin(out, s, " data-key=group_sizes", columns);
    for (int i = 0; i < ND_GROUP_STEPS; i++) {
        uint64_t first = UINT64_C(1) << i;
        if (counts[i] == 0) continue;
        fprintf(out, "<tr><th scope=row class=n>%s%s%s</th>", number_grouped(first, from),
                i ? "–" : "", i ? number_grouped(2 * first - 1, to) : "");
        put_number(out, NULL, counts[i]);
        fputs("</tr>\n", out);
    }
    table_end(out);
    details_end(out);
}

void put_sizes(FILE *out, const report_source *s, const size_words *words,
               const uint64_t counts[ND_GROUP_STEPS]) {
    uint64_t all = 0;
    char number[32];
    for (int i = 0; i < ND_GROUP_STEPS; i++) all += counts[i];
    fputs("<figure>", out);
    chart_begin(out);
    put_words(out, s->language, words->picture, (const char *[]){number_grouped(all, number)});
    fputs("\">\n", out);
    put_group_sizes(out, counts);
    chart_end(out, words_of(s, words->size), words_of(s, words->count));
    fputs("</figure>\n", out);
    put_size_table(out, s, words, counts);
}

/* ---- time and memory */

void put_seconds(FILE *out, const report_source *s, report_word name, const char *key,
                 double seconds) {
    double whole = s->summary->total_seconds;
    fprintf(out, "<tr><th scope=row>%s</th><td class=n data-key=seconds_%s>%.3f</td><td class=b>",
            words_of(s, name), key, seconds);
    put_bar(out, whole > 0 && seconds > 0 ? seconds / whole : 0, "own");
    fputs("</td></tr>\n", out);
}

void put_speed(FILE *out, const report_source *s) {
    const nd_job_summary *m = s->summary;
    char speed[32], threads[32], memory[32], work[32];
    snprintf(speed, sizeof speed, "%.1f",
             m->total_seconds > 0 ? (double)m->text_bytes / 1e6 / m->total_seconds : 0);
    put_paragraph(out, s, SAY_SPEED, (const char *[]){speed, number_grouped(m->threads, threads)});
    put_paragraph(out, s, SAY_MEMORY,
                  (const char *[]){m->peak_memory ? number_volume(m->peak_memory, memory) : "–",
                                   number_volume(m->work_bytes, work)});
}

/* ---- the page */

static bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("_@%+=:,./-", c));
}

/* A word as a shell reads it. */
static void quote(FILE *out, const char *word) {
    bool plain = *word != '\0';
    for (const char *c = word; *c; c++) plain &= is_plain(*c);
    if (plain) {
        fputs(word, out);
        return;
    }
    putc('\'', out);
    for (const char *c = word; *c; c++)
        if (*c == '\'') fputs("'\\''", out);
        else putc(*c, out);
    putc('\'', out);
}

bool put_command(FILE *out, const report_source *s) {
    char *text = NULL;
    size_t size = 0;
    FILE *line = open_memstream(&text, &size);
    if (!line) return false;
    fprintf(line, "neardup %s", s->command);
    for (int i = 0; i < s->word_count; i++) {
        putc(' ', line);
        quote(line, s->words[i]);
    }
    bool good = fclose(line) == 0;
    if (good) {
        fprintf(out, "<dl><dt>%s</dt><dd><code>", words_of(s, SAY_COMMAND));
        put_foreign(out, text, size, COMMAND_MOST);
        fprintf(out, "</code></dd>\n<dt>%s</dt><dd>neardup %s</dd></dl>\n",
                words_of(s, SAY_VERSION), nd_version());
    }
    free(text);
    return good;
}

void put_navigation(FILE *out, const report_source *s, const section *sections) {
    fprintf(out, "<nav aria-label=\"%s\">", words_of(s, SAY_PARTS));
    for (; sections->id; sections++)
        fprintf(out, "<a href=\"#%s\">%s</a>\n", sections->id, words_of(s, sections->title));
    fputs("</nav>\n</header>\n<main>\n", out);
}

void put_head(FILE *out, const report_source *s, const char *style) {
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=%s>\n<head>\n<meta charset=utf-8>\n<meta name=viewport "
            "content=\"width=device-width,initial-scale=1\">\n<meta "
            "http-equiv=Content-Security-Policy content=\"default-src 'none';style-src "
            "'unsafe-inline'\">\n<title>%s</title>\n<style>\n%s%s",
            words_of(s, SAY_LANGUAGE), words_of(s, SAY_TITLE), page_style, chart_style);
    put_pair_style(out, s->language);
    fputs(style, out);
    fputs("</style>\n</head>\n<body>\n<header>\n", out);
}

nd_status page_write(const char *path, const report_source *s, put_page_fn *put, nd_error *error) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool made = out && put(out, s);
    if (out) fputs("</main>\n</body>\n</html>\n", out);
    if (out) made = fclose(out) == 0 && made;
    nd_status status = ND_ERR_MEMORY;
    if (made) status = nd_write_file(path, text, size, error);
    else snprintf(error->message, sizeof error->message, "out of memory");
    free(text);
    return status;
}
