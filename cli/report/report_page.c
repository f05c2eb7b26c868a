#include "report/report_page.h"

#include "output/html_text.h"
#include "output/numbers.h"
#include "output/page_style.h"
#include "report/report_charts.h"
#include "report/report_pairs.h"

#include <stdlib.h>
#include <string.h>

/* Characters: of the command, of a word of it, and of a name in a table. */
enum { COMMAND_MOST = 2000, NAME_MOST = 100 };

typedef const char *const *arguments;

static const char *words_of(const report_source *s, report_word word) {
    return report_words(s->language, word);
}

static void put_paragraph(FILE *out, const report_source *s, report_word word, arguments given) {
    fputs("<p>", out);
    put_words(out, s->language, word, given);
    fputs("</p>\n", out);
}

static double share_of(uint64_t part, uint64_t whole) {
    return whole ? (double)part / (double)whole : 0;
}

static const char *percent(uint64_t part, uint64_t whole, char text[static 32]) {
    snprintf(text, 32, "%.1f %%", 100 * share_of(part, whole));
    return text;
}

static const char *exact(double value, char text[static 32]) {
    snprintf(text, 32, "%.15g", value);
    return text;
}

/* The least similarity of duplicates; of fingerprints the part of their bits that agree. */
static double limit_of(const nd_job_summary *m) {
    return m->plan.threshold > 0 ? m->plan.threshold
           : m->bits             ? 1 - (double)m->k / (double)m->bits
                                 : 0;
}

static void section_begin(FILE *out, const report_source *s, const char *id, report_word title) {
    fprintf(out, "<section aria-labelledby=%s>\n<h2 id=%s>%s</h2>\n", id, id, words_of(s, title));
}

static void section_end(FILE *out) { fputs("</section>\n", out); }

/* Begins a table with its columns, each with its class; NULL ends them. */
typedef struct column {
    report_word name;
    const char *class; /* NULL: the end; "": none */
} column;

static void table_begin(FILE *out, const report_source *s, const char *attributes,
                        const column *columns) {
    fprintf(out, "<table%s>\n<thead><tr>", attributes);
    for (; columns->class; columns++)
        fprintf(out, "<th scope=col class=\"%s\"><span>%s</span></th>", columns->class,
                words_of(s, columns->name));
    fputs("</tr></thead>\n<tbody>\n", out);
}

static void table_end(FILE *out) { fputs("</tbody></table>\n", out); }

/* A cell with a number; `key`: its name in the summary as JSON. */
static void put_number(FILE *out, const char *key, uint64_t number) {
    char text[32];
    fprintf(out, "<td class=n%s%s>%s</td>", key ? " data-key=" : "", key ? key : "",
            number_grouped(number, text));
}

static void details_begin(FILE *out, const report_source *s) {
    fprintf(out, "<details><summary>%s</summary>\n", words_of(s, SAY_NUMBERS));
}

/* ---- the head */

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

static bool put_command(FILE *out, const report_source *s) {
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

static void put_verdict(FILE *out, const report_source *s) {
    const nd_job_summary *m = s->summary;
    char kept[32], documents[32], removed[32], share[32], volume[32], threshold[32];
    fprintf(out, "<h1>%s</h1>\n<p class=verdict>", words_of(s, SAY_TITLE));
    put_words(out, s->language, SAY_VERDICT,
              (arguments)(const char *[]){
                  number_grouped(m->kept, kept), number_grouped(m->documents, documents),
                  number_grouped(m->removed, removed), percent(m->removed, m->documents, share)});
    fputs("</p>\n", out);
    if (m->plan.threshold > 0)
        put_paragraph(out, s, SAY_BASIS,
                      (const char *[]){number_volume(m->text_bytes, volume),
                                       exact(m->plan.threshold, threshold)});
}

static void put_navigation(FILE *out, const report_source *s) {
    static const struct {
        const char *id;
        report_word title;
    } parts[] = {
        {"warnings", SAY_WARNINGS}, {"steps", SAY_STEPS},   {"similarities", SAY_SIMILARITIES},
        {"curve", SAY_CURVE},       {"groups", SAY_GROUPS}, {"losses", SAY_LOSSES},
        {"pairs", SAY_PAIRS},       {"costs", SAY_COSTS}};
    fprintf(out, "<nav aria-label=\"%s\">", words_of(s, SAY_PARTS));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        fprintf(out, "<a href=\"#%s\">%s</a>\n", parts[i].id, words_of(s, parts[i].title));
    fputs("</nav>\n", out);
}

/* ---- warnings */

static const struct {
    report_word title, column;
} loss_kinds[] = {[ND_LOSS_SOURCE] = {SAY_BY_SOURCE, SAY_SOURCE},
                  [ND_LOSS_LENGTH] = {SAY_BY_LENGTH, SAY_LENGTH},
                  [ND_LOSS_SCRIPT] = {SAY_BY_SCRIPT, SAY_SCRIPT},
                  [ND_LOSS_HOST] = {SAY_BY_HOST, SAY_HOST}};
enum { LOSS_KINDS = sizeof loss_kinds / sizeof *loss_kinds };

static void put_alarm(FILE *out, const report_source *s, const nd_alarm *a) {
    static const report_word kinds[] = {SAY_ALARM_MOST, SAY_ALARM_GROUP, SAY_ALARM_CLASS};
    const nd_losses *l = &s->data->losses;
    bool classed = a->kind == ND_ALARM_CLASS;
    char share[32], removed[32], documents[32], others[32];
    percent(l->removed - a->removed, l->documents - a->documents, others);
    fputs("<li class=alarm>", out);
    put_words(out, s->language, kinds[a->kind],
              (const char *[]){percent(a->removed, a->documents, share),
                               number_grouped(a->removed, removed),
                               number_grouped(a->documents, documents),
                               classed ? words_of(s, loss_kinds[a->loss_class.kind].column) : "",
                               classed ? a->loss_class.name : "", others});
    putc('\n', out);
    put_words(out, s->language, SAY_ALARM_EXAMPLE, (const char *[]){a->example.id, a->kept.id});
    fputs("</li>\n", out);
}

static void put_warnings(FILE *out, const report_source *s) {
    const nd_losses *l = &s->data->losses;
    section_begin(out, s, "warnings", SAY_WARNINGS);
    if (l->alarm_count == 0) put_paragraph(out, s, SAY_NO_WARNINGS, NULL);
    fputs("<ul style=\"padding:0\">\n", out);
    for (size_t i = 0; i < l->alarm_count; i++) put_alarm(out, s, &l->alarms[i]);
    fputs("</ul>\n", out);
    section_end(out);
}

/* ---- from all documents to the kept ones */

typedef struct step {
    report_word name;
    const char *key;
    uint64_t number;
    bool is_pairs;
} step;

static void put_step(FILE *out, const report_source *s, const step *p) {
    const nd_job_summary *m = s->summary;
    uint64_t whole = p->is_pairs ? m->candidates : m->documents;
    char share[32];
    fprintf(out, "<tr><th scope=row>%s</th>", words_of(s, p->name));
    put_number(out, p->key, p->number);
    fprintf(out, "<td class=unit>%s</td><td class=n>%s</td><td class=b>",
            words_of(s, p->is_pairs ? SAY_OF_PAIRS : SAY_OF_DOCUMENTS),
            percent(p->number, whole, share));
    put_bar(out, share_of(p->number, whole), p->is_pairs ? "other" : "own");
    fputs("</td></tr>\n", out);
}

/* Counts that most runs do not have. */
static void put_rare_counts(FILE *out, const report_source *s) {
    const nd_job_summary *m = s->summary;
    const step rare[] = {{SAY_SKIPPED, "skipped", m->skipped, false},
                         {SAY_DUPLICATE_IDS, "duplicate_ids", m->duplicate_ids, false},
                         {SAY_WITHOUT_VALUE, "without_value", m->without_value, false},
                         {SAY_SPARED, "spared", m->spared, false},
                         {SAY_BOUNDED, "bounded_documents", m->bounded_documents, false}};
    bool any = false;
    for (size_t i = 0; i < sizeof rare / sizeof *rare; i++) {
        if (rare[i].number == 0) continue;
        if (!any) fputs("<table style=\"margin-top:1rem\"><tbody>\n", out);
        any = true;
        fprintf(out, "<tr><th scope=row>%s</th>", words_of(s, rare[i].name));
        put_number(out, rare[i].key, rare[i].number);
        fputs("</tr>\n", out);
    }
    if (any) table_end(out);
}

static void put_steps(FILE *out, const report_source *s) {
    static const column columns[] = {{SAY_STEP, ""},   {SAY_COUNT, "n"}, {SAY_UNIT, "unit"},
                                     {SAY_SHARE, "n"}, {SAY_SHARE, "b"}, {0, NULL}};
    const nd_job_summary *m = s->summary;
    const step steps[] = {{SAY_DOCUMENTS, "documents", m->documents, false},
                          {SAY_EXACT_COPIES, "exact_copies", m->exact_copies, false},
                          {SAY_CANDIDATES, "candidates", m->candidates, true},
                          {SAY_VERIFIED, "verified", m->verified, true},
                          {SAY_REJECTED, "rejected", m->rejected, true},
                          {SAY_REMOVED, "removed", m->removed, false},
                          {SAY_KEPT, "kept", m->kept, false}};
    section_begin(out, s, "steps", SAY_STEPS);
    put_paragraph(out, s, SAY_STEPS_NOTE, NULL);
    table_begin(out, s, "", columns);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) put_step(out, s, &steps[i]);
    table_end(out);
    put_rare_counts(out, s);
    section_end(out);
}

/* ---- similarities */

static void put_similarity_table(FILE *out, const report_source *s) {
    static const column columns[] = {
        {SAY_SIMILARITY, "n"}, {SAY_REJECTED_PAIRS, "n"}, {SAY_DUPLICATES, "n"}, {0, NULL}};
    const nd_job_summary *m = s->summary;
    details_begin(out, s);
    table_begin(out, s, " data-key=similarities", columns);
    for (int i = 0; i < ND_SIMILARITY_STEPS; i++) {
        uint64_t rejected = m->rejected_by_similarity[i], same = m->duplicates_by_similarity[i];
        if (rejected + same == 0) continue;
        fprintf(out, "<tr><th scope=row class=n>%.2f</th>", i / (double)ND_SIMILARITY_STEPS);
        put_number(out, NULL, rejected);
        put_number(out, NULL, same);
        fputs("</tr>\n", out);
    }
    table_end(out);
    fputs("</details>\n", out);
}

/* Writes the words of the line at the threshold. */
static const char *threshold_words(const report_source *s, char text[static 64]) {
    char number[32], *at = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&at, &size);
    text[0] = '\0';
    if (!memory) return text;
    put_words(memory, s->language, SAY_THRESHOLD,
              (const char *[]){exact(limit_of(s->summary), number)});
    if (fclose(memory) == 0) snprintf(text, 64, "%s", at);
    free(at);
    return text;
}

static void put_similarities(FILE *out, const report_source *s) {
    const nd_job_summary *m = s->summary;
    uint64_t rejected = 0, duplicates = 0;
    char number[3][32], threshold[64];
    for (int i = 0; i < ND_SIMILARITY_STEPS; i++) {
        rejected += m->rejected_by_similarity[i];
        duplicates += m->duplicates_by_similarity[i];
    }
    section_begin(out, s, "similarities", SAY_SIMILARITIES);
    if (rejected + duplicates == 0) {
        put_paragraph(out, s, SAY_NOTHING_COMPARED, NULL);
        section_end(out);
        return;
    }
    put_paragraph(out, s, SAY_SIMILARITIES_NOTE, NULL);
    fprintf(out,
            "<p class=key aria-hidden=true><span><i class=own></i>%s</span>"
            "<span><i class=other></i>%s</span></p>\n<figure>",
            words_of(s, SAY_DUPLICATES), words_of(s, SAY_REJECTED_PAIRS));
    chart_begin(out);
    put_words(out, s->language, SAY_SIMILARITIES_PICTURE,
              (const char *[]){number_grouped(duplicates, number[0]),
                               number_grouped(rejected, number[1]), exact(limit_of(m), number[2])});
    fputs("\">\n", out);
    put_histogram(out, m, limit_of(m), threshold_words(s, threshold));
    chart_end(out, words_of(s, SAY_SIMILARITY_AXIS), words_of(s, SAY_PAIRS_AXIS));
    fputs("</figure>\n", out);
    put_similarity_table(out, s);
    section_end(out);
}

/* ---- the curve */

static void put_curve_table(FILE *out, const report_source *s) {
    static const column columns[] = {{SAY_SIMILARITY, "n"}, {SAY_PROBABILITY, "n"}, {0, NULL}};
    details_begin(out, s);
    table_begin(out, s, "", columns);
    for (int i = 0; i <= 20; i++)
        fprintf(out, "<tr><th scope=row class=n>%.2f</th><td class=n>%.6f</td></tr>\n", i / 20.0,
                nd_plan_probability(&s->summary->plan, i / 20.0));
    table_end(out);
    fputs("</details>\n", out);
}

static void put_banded_curve(FILE *out, const report_source *s) {
    const nd_plan *plan = &s->summary->plan;
    char bands[32], rows[32], threshold[32], probability[32], words[64];
    snprintf(probability, sizeof probability, "%.6f", nd_plan_probability(plan, plan->threshold));
    put_paragraph(out, s, SAY_CURVE_NOTE,
                  (const char *[]){number_grouped(plan->bands, bands),
                                   number_grouped(plan->rows, rows),
                                   exact(plan->threshold, threshold), probability});
    fputs("<figure>", out);
    chart_begin(out);
    put_words(out, s->language, SAY_CURVE_PICTURE, (const char *[]){threshold, probability});
    fputs("\">\n", out);
    put_curve(out, plan, threshold_words(s, words));
    chart_end(out, words_of(s, SAY_SIMILARITY_AXIS), words_of(s, SAY_PROBABILITY));
    fputs("</figure>\n", out);
    put_paragraph(out, s, SAY_CURVE_COMPUTED, NULL);
    put_curve_table(out, s);
}

static void put_candidates(FILE *out, const report_source *s) {
    const nd_job_summary *m = s->summary;
    char first[32], second[32];
    section_begin(out, s, "curve", SAY_CURVE);
    if (m->bits)
        put_paragraph(
            out, s, SAY_CURVE_SIMHASH,
            (const char *[]){number_grouped(m->k, first), number_grouped(m->bits, second)});
    else if (m->sentences)
        put_paragraph(out, s, SAY_CURVE_SENTENCES,
                      (const char *[]){number_grouped(m->sentences, first)});
    else if (m->plan.bands == 0) put_paragraph(out, s, SAY_CURVE_NONE, NULL);
    else put_banded_curve(out, s);
    section_end(out);
}

/* ---- groups */

static void put_group_table(FILE *out, const report_source *s) {
    static const column columns[] = {{SAY_GROUP_SIZE, "n"}, {SAY_GROUP_COUNT, "n"}, {0, NULL}};
    const uint64_t *groups = s->data->losses.groups_by_removed;
    char from[32], to[32];
    details_begin(out, s);
    table_begin(out, s, " data-key=group_sizes", columns);
    for (int i = 0; i < ND_GROUP_STEPS; i++) {
        uint64_t first = UINT64_C(1) << i;
        if (groups[i] == 0) continue;
        fprintf(out, "<tr><th scope=row class=n>%s%s%s</th>", number_grouped(first, from),
                i ? "–" : "", i ? number_grouped(2 * first - 1, to) : "");
        put_number(out, NULL, groups[i]);
        fputs("</tr>\n", out);
    }
    table_end(out);
    fputs("</details>\n", out);
}

static bool put_largest(FILE *out, const report_source *s) {
    const nd_losses *l = &s->data->losses;
    char removed[32], copies[32], share[32];
    bool good = true;
    fprintf(out, "<h3>%s</h3>\n", words_of(s, SAY_LARGEST_GROUPS));
    for (size_t i = 0; i < l->group_count && good; i++) {
        const nd_loss_group *g = &l->groups[i];
        fputs("<h4>", out);
        put_words(out, s->language, SAY_GROUP,
                  (const char *[]){number_grouped(g->removed, removed),
                                   number_grouped(g->exact_copies, copies),
                                   percent(g->removed, l->removed, share)});
        fputs("</h4>\n", out);
        good = put_pairs(out, s, ND_EXAMPLE_GROUP, i);
    }
    return good;
}

static bool put_groups(FILE *out, const report_source *s) {
    const nd_losses *l = &s->data->losses;
    uint64_t count = 0;
    char number[32];
    bool good = true;
    for (int i = 0; i < ND_GROUP_STEPS; i++) count += l->groups_by_removed[i];
    section_begin(out, s, "groups", SAY_GROUPS);
    if (count == 0) put_paragraph(out, s, SAY_NO_GROUPS, NULL);
    else {
        put_paragraph(out, s, SAY_GROUPS_NOTE, NULL);
        fputs("<figure>", out);
        chart_begin(out);
        put_words(out, s->language, SAY_GROUPS_PICTURE,
                  (const char *[]){number_grouped(count, number)});
        fputs("\">\n", out);
        put_group_sizes(out, l->groups_by_removed);
        chart_end(out, words_of(s, SAY_GROUP_SIZE), words_of(s, SAY_GROUP_COUNT));
        fputs("</figure>\n", out);
        put_group_table(out, s);
        good = put_largest(out, s);
    }
    section_end(out);
    return good;
}

/* ---- losses */

static void put_class(FILE *out, const nd_loss_class *c) {
    char share[32];
    fputs("<tr><th scope=row><bdi>", out);
    put_foreign(out, c->name, strlen(c->name), NAME_MOST);
    fputs("</bdi></th>", out);
    put_number(out, NULL, c->documents);
    put_number(out, NULL, c->removed);
    fprintf(out, "<td class=n>%s</td><td class=b>", percent(c->removed, c->documents, share));
    put_bar(out, share_of(c->removed, c->documents), "own");
    fputs("</td></tr>\n", out);
}

static void put_losses(FILE *out, const report_source *s) {
    static const char *const keys[LOSS_KINDS] = {"source", "length", "script", "host"};
    const nd_losses *l = &s->data->losses;
    size_t at = 0;
    section_begin(out, s, "losses", SAY_LOSSES);
    put_paragraph(out, s, SAY_LOSSES_NOTE, NULL);
    for (unsigned kind = 0; kind < LOSS_KINDS; kind++) {
        const column columns[] = {{loss_kinds[kind].column, ""},
                                  {SAY_DOCUMENTS, "n"},
                                  {SAY_REMOVED, "n"},
                                  {SAY_SHARE, "n"},
                                  {SAY_SHARE, "b"},
                                  {0, NULL}};
        char key[40];
        if (at == l->class_count || l->classes[at].kind != kind) continue;
        fprintf(out, "<h3 id=by-%s>%s</h3>\n", keys[kind], words_of(s, loss_kinds[kind].title));
        snprintf(key, sizeof key, " data-key=%s", keys[kind]);
        fprintf(out, "<div class=scroll tabindex=0 role=region aria-labelledby=by-%s>\n",
                keys[kind]);
        table_begin(out, s, key, columns);
        for (; at < l->class_count && l->classes[at].kind == kind; at++)
            put_class(out, &l->classes[at]);
        table_end(out);
        fputs("</div>\n", out);
    }
    section_end(out);
}

/* ---- pairs */

static bool has_examples(const report_source *s, nd_example_kind kind) {
    for (size_t i = 0; i < s->data->example_count; i++)
        if (s->data->examples[i].kind == kind) return true;
    return false;
}

static bool put_side(FILE *out, const report_source *s, report_word title, nd_example_kind kind) {
    fprintf(out, "<h3>%s</h3>\n", words_of(s, title));
    if (has_examples(s, kind)) return put_pairs(out, s, kind, SIZE_MAX);
    put_paragraph(out, s, SAY_NO_PAIRS, NULL);
    return true;
}

static bool put_near_pairs(FILE *out, const report_source *s) {
    section_begin(out, s, "pairs", SAY_PAIRS);
    put_paragraph(out, s, SAY_PAIRS_NOTE, NULL);
    bool good = put_side(out, s, SAY_ABOVE, ND_EXAMPLE_DUPLICATE) &&
                put_side(out, s, SAY_BELOW, ND_EXAMPLE_REJECTED);
    section_end(out);
    return good;
}

/* ---- time and memory */

static void put_seconds(FILE *out, const report_source *s, report_word name, const char *key,
                        double seconds) {
    double whole = s->summary->total_seconds;
    fprintf(out, "<tr><th scope=row>%s</th><td class=n data-key=seconds_%s>%.3f</td><td class=b>",
            words_of(s, name), key, seconds);
    put_bar(out, whole > 0 && seconds > 0 ? seconds / whole : 0, "own");
    fputs("</td></tr>\n", out);
}

static void put_costs(FILE *out, const report_source *s) {
    static const column columns[] = {
        {SAY_STAGE, ""}, {SAY_SECONDS, "n"}, {SAY_SHARE, "b"}, {0, NULL}};
    static const report_word stages[ND_STAGE_COUNT] = {SAY_READ, SAY_MATCH, SAY_DECIDE, SAY_WRITE,
                                                       SAY_SYNC};
    const nd_job_summary *m = s->summary;
    char speed[32], threads[32], memory[32], work[32];
    section_begin(out, s, "costs", SAY_COSTS);
    table_begin(out, s, "", columns);
    for (nd_stage stage = 0; stage < ND_STAGE_COUNT; stage++)
        put_seconds(out, s, stages[stage], nd_stage_name(stage), m->seconds[stage]);
    put_seconds(out, s, SAY_TOTAL, "total", m->total_seconds);
    table_end(out);
    snprintf(speed, sizeof speed, "%.1f",
             m->total_seconds > 0 ? (double)m->text_bytes / 1e6 / m->total_seconds : 0);
    put_paragraph(out, s, SAY_SPEED, (const char *[]){speed, number_grouped(m->threads, threads)});
    put_paragraph(out, s, SAY_MEMORY,
                  (const char *[]){m->peak_memory ? number_volume(m->peak_memory, memory) : "–",
                                   number_volume(m->work_bytes, work)});
    section_end(out);
}

/* ---- the page */

static void put_head(FILE *out, const report_source *s) {
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=%s>\n<head>\n<meta charset=utf-8>\n<meta name=viewport "
            "content=\"width=device-width,initial-scale=1\">\n<meta "
            "http-equiv=Content-Security-Policy content=\"default-src 'none';style-src "
            "'unsafe-inline'\">\n<title>%s</title>\n<style>\n%s%s",
            words_of(s, SAY_LANGUAGE), words_of(s, SAY_TITLE), page_style, chart_style);
    put_pair_style(out, s->language);
    fputs("</style>\n</head>\n<body>\n<header>\n", out);
}

/* False: out of memory. */
static bool put_page(FILE *out, const report_source *s) {
    put_head(out, s);
    put_verdict(out, s);
    bool good = put_command(out, s);
    put_navigation(out, s);
    fputs("</header>\n<main>\n", out);
    put_warnings(out, s);
    put_steps(out, s);
    put_similarities(out, s);
    put_candidates(out, s);
    good = good && put_groups(out, s);
    put_losses(out, s);
    good = good && put_near_pairs(out, s);
    put_costs(out, s);
    fputs("</main>\n</body>\n</html>\n", out);
    return good;
}

nd_status report_page_write(const char *path, const report_source *source, nd_error *error) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool made = out && put_page(out, source);
    if (out) made = fclose(out) == 0 && made;
    nd_status status = ND_ERR_MEMORY;
    if (made) status = nd_write_file(path, text, size, error);
    else snprintf(error->message, sizeof error->message, "out of memory");
    free(text);
    return status;
}
