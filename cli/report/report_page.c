#include "report/report_page.h"

#include "output/numbers.h"
#include "report/report_charts.h"
#include "report/report_pairs.h"
#include "report/report_parts.h"

#include <string.h>

/* The least similarity of duplicates; of fingerprints and digests as in nd_example. */
static double limit_of(const nd_job_summary *m) {
    return m->plan.threshold > 0 ? m->plan.threshold
           : m->bits             ? 1 - (double)m->k / (double)m->bits
           : m->buckets          ? (300 - (double)m->distance) / 300
                                 : 0;
}

/* ---- the head */

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

/* ---- warnings */

static const struct {
    report_word title, column;
} loss_kinds[] = {[ND_LOSS_SOURCE] = {SAY_BY_SOURCE, SAY_SOURCE},
                  [ND_LOSS_LENGTH] = {SAY_BY_LENGTH, SAY_LENGTH},
                  [ND_LOSS_SCRIPT] = {SAY_BY_SCRIPT, SAY_SCRIPT},
                  [ND_LOSS_HOST] = {SAY_BY_HOST, SAY_HOST},
                  [ND_LOSS_FIELD] = {SAY_BY_FIELD, SAY_FIELD}};
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
        put_count(out, s, rare[i].name, rare[i].key, rare[i].number);
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
    details_end(out);
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
    const similarity_counts counts = {m->duplicates_by_similarity, m->rejected_by_similarity};
    put_histogram(out, &counts, limit_of(m), limit_words(s, SAY_THRESHOLD, limit_of(m), threshold));
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
    details_end(out);
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
    put_curve(out, plan, limit_words(s, SAY_THRESHOLD, plan->threshold, words));
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
    else if (m->buckets)
        put_paragraph(out, s, SAY_CURVE_TLSH, (const char *[]){number_grouped(m->distance, first)});
    else if (m->plan.bands == 0) put_paragraph(out, s, SAY_CURVE_NONE, NULL);
    else put_banded_curve(out, s);
    section_end(out);
}

/* ---- groups */

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
    static const size_words words = {SAY_GROUPS_PICTURE, SAY_GROUP_SIZE, SAY_GROUP_COUNT};
    const nd_losses *l = &s->data->losses;
    uint64_t count = 0;
    bool good = true;
    for (int i = 0; i < ND_GROUP_STEPS; i++) count += l->groups_by_removed[i];
    section_begin(out, s, "groups", SAY_GROUPS);
    if (count == 0) put_paragraph(out, s, SAY_NO_GROUPS, NULL);
    else {
        put_paragraph(out, s, SAY_GROUPS_NOTE, NULL);
        put_sizes(out, s, &words, l->groups_by_removed);
        good = put_largest(out, s);
    }
    section_end(out);
    return good;
}

/* ---- losses */

static void put_losses(FILE *out, const report_source *s) {
    static const char *const keys[LOSS_KINDS] = {"source", "length", "script", "host", "field"};
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
            put_part_of_class(out, l->classes[at].name, l->classes[at].documents,
                              l->classes[at].removed);
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

static void put_costs(FILE *out, const report_source *s) {
    static const column columns[] = {
        {SAY_STAGE, ""}, {SAY_SECONDS, "n"}, {SAY_SHARE, "b"}, {0, NULL}};
    static const report_word stages[ND_STAGE_COUNT] = {SAY_READ, SAY_MATCH, SAY_DECIDE, SAY_WRITE,
                                                       SAY_SYNC};
    const nd_job_summary *m = s->summary;
    section_begin(out, s, "costs", SAY_COSTS);
    table_begin(out, s, "", columns);
    for (nd_stage stage = 0; stage < ND_STAGE_COUNT; stage++)
        put_seconds(out, s, stages[stage], nd_stage_name(stage), m->seconds[stage]);
    put_seconds(out, s, SAY_TOTAL, "total", m->total_seconds);
    table_end(out);
    put_speed(out, s);
    section_end(out);
}

/* ---- the page */

/* put_page_fn */
static bool put_run(FILE *out, const report_source *s) {
    static const section sections[] = {
        {"warnings", SAY_WARNINGS}, {"steps", SAY_STEPS},   {"similarities", SAY_SIMILARITIES},
        {"curve", SAY_CURVE},       {"groups", SAY_GROUPS}, {"losses", SAY_LOSSES},
        {"pairs", SAY_PAIRS},       {"costs", SAY_COSTS},   {NULL, 0}};
    put_head(out, s, "");
    put_verdict(out, s);
    bool good = put_command(out, s);
    put_navigation(out, s, sections);
    put_warnings(out, s);
    put_steps(out, s);
    put_similarities(out, s);
    put_candidates(out, s);
    good = good && put_groups(out, s);
    put_losses(out, s);
    good = good && put_near_pairs(out, s);
    put_costs(out, s);
    return good;
}

nd_status report_page_write(const char *path, const report_source *source, nd_error *error) {
    return page_write(path, source, put_run, error);
}
