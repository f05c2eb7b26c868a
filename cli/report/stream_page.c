#include "report/stream_page.h"

#include "output/numbers.h"
#include "report/report_charts.h"
#include "report/report_parts.h"

#include <string.h>

/* Characters of an id and of a topic. */
enum { ID_MOST = 100, TOPIC_MOST = 40 };

static bool has_distances(const report_source *s) {
    return s->stream->options->sketch == ND_SKETCH_SIMHASH;
}

/* ---- the head */

static void put_basis(FILE *out, const report_source *s) {
    const nd_stream_options *o = s->stream->options;
    char volume[32], limit[32], bits[32];
    number_volume(s->summary->text_bytes, volume);
    if (has_distances(s))
        put_paragraph(out, s, SAY_STREAM_BASIS_SIMHASH,
                      (const char *[]){volume, number_grouped(o->k, limit),
                                       number_grouped(o->simhash->bits, bits)});
    else
        put_paragraph(out, s, SAY_STREAM_BASIS,
                      (const char *[]){volume, exact(o->threshold, limit)});
}

static void put_verdict(FILE *out, const report_source *s) {
    const stream_data *d = s->stream;
    uint64_t documents = s->summary->documents;
    char number[3][32], share[2][32];
    fprintf(out, "<h1>%s</h1>\n<p class=verdict>", words_of(s, SAY_TITLE));
    put_words(out, s->language, SAY_STREAM_VERDICT,
              (const char *[]){
                  number_grouped(documents, number[0]), number_grouped(d->founded, number[1]),
                  percent(d->founded, documents, share[0]), number_grouped(d->joined, number[2]),
                  percent(d->joined, documents, share[1])});
    fputs("</p>\n", out);
    put_basis(out, s);
}

/* ---- answers */

static void put_answer(FILE *out, const report_source *s, report_word name, const char *key,
                       uint64_t number) {
    uint64_t documents = s->summary->documents;
    char share[32];
    fprintf(out, "<tr><th scope=row>%s</th>", words_of(s, name));
    put_number(out, key, number);
    fprintf(out, "<td class=n>%s</td><td class=b>", percent(number, documents, share));
    put_bar(out, share_of(number, documents), "own");
    fputs("</td></tr>\n", out);
}

static void put_answers(FILE *out, const report_source *s) {
    static const column columns[] = {
        {SAY_ANSWER, ""}, {SAY_COUNT, "n"}, {SAY_SHARE, "n"}, {SAY_SHARE, "b"}, {0, NULL}};
    const stream_data *d = s->stream;
    section_begin(out, s, "answers", SAY_ANSWERS);
    put_paragraph(out, s, SAY_ANSWERS_NOTE, NULL);
    table_begin(out, s, "", columns);
    put_answer(out, s, SAY_DOCUMENTS, "documents", s->summary->documents);
    put_answer(out, s, SAY_FOUNDED, "founded", d->founded);
    put_answer(out, s, SAY_JOINED, "joined", d->joined);
    put_answer(out, s, SAY_AGAIN, "again", d->again);
    if (s->summary->skipped > 0) put_count(out, s, SAY_SKIPPED, "skipped", s->summary->skipped);
    table_end(out);
    section_end(out);
}

/* ---- similarities, or distances */

static void put_likeness_table(FILE *out, const report_source *s) {
    const stream_data *d = s->stream;
    bool distances = has_distances(s);
    const column columns[] = {
        {distances ? SAY_DISTANCE : SAY_SIMILARITY, "n"}, {SAY_JOINED_AXIS, "n"}, {0, NULL}};
    const uint64_t *counts = distances ? d->joined_by_distance : d->joined_by_similarity;
    int steps = distances ? STREAM_DISTANCES : ND_SIMILARITY_STEPS;
    details_begin(out, s);
    table_begin(out, s, distances ? " data-key=distances" : " data-key=similarities", columns);
    for (int i = 0; i < steps; i++) {
        if (counts[i] == 0) continue;
        fprintf(out, "<tr><th scope=row class=n>%.*f</th>", distances ? 0 : 2,
                distances ? i : i / (double)ND_SIMILARITY_STEPS);
        put_number(out, NULL, counts[i]);
        fputs("</tr>\n", out);
    }
    table_end(out);
    details_end(out);
}

static void put_similarity_chart(FILE *out, const report_source *s) {
    static const uint64_t none[ND_SIMILARITY_STEPS];
    const similarity_counts counts = {s->stream->joined_by_similarity, none};
    double threshold = s->stream->options->threshold;
    char number[32], limit[32], words[64];
    put_words(out, s->language, SAY_JOINED_PICTURE,
              (const char *[]){number_grouped(s->stream->joined, number), exact(threshold, limit)});
    fputs("\">\n", out);
    put_histogram(out, &counts, threshold, limit_words(s, SAY_THRESHOLD, threshold, words));
    chart_end(out, words_of(s, SAY_SIMILARITY_AXIS), words_of(s, SAY_JOINED_AXIS));
}

static void put_distance_chart(FILE *out, const report_source *s) {
    uint32_t k = s->stream->options->k;
    char number[32], limit[32], words[64];
    put_words(
        out, s->language, SAY_DISTANCES_PICTURE,
        (const char *[]){number_grouped(s->stream->joined, number), number_grouped(k, limit)});
    fputs("\">\n", out);
    put_distances(out, s->stream->joined_by_distance, k,
                  limit_words(s, SAY_LARGEST_DISTANCE, k, words));
    chart_end(out, words_of(s, SAY_DISTANCE), words_of(s, SAY_JOINED_AXIS));
}

static report_word likeness_title(const report_source *s) {
    return has_distances(s) ? SAY_DISTANCES : SAY_JOINED_SIMILARITIES;
}

static void put_likeness(FILE *out, const report_source *s) {
    section_begin(out, s, "similarities", likeness_title(s));
    if (s->stream->joined == 0) put_paragraph(out, s, SAY_NONE_JOINED, NULL);
    else {
        put_paragraph(out, s, has_distances(s) ? SAY_DISTANCES_NOTE : SAY_JOINED_NOTE, NULL);
        fputs("<figure>", out);
        chart_begin(out);
        if (has_distances(s)) put_distance_chart(out, s);
        else put_similarity_chart(out, s);
        fputs("</figure>\n", out);
        put_likeness_table(out, s);
    }
    section_end(out);
}

/* ---- clusters */

static void put_cluster(FILE *out, const report_source *s, const stream_cluster *c) {
    fputs("<tr><th scope=row><bdi>", out);
    put_foreign(out, c->id, c->length, ID_MOST);
    fputs("</bdi></th>", out);
    put_number(out, NULL, c->size);
    fprintf(out, "<td class=short>%s</td><td class=list>",
            words_of(s, c->is_new ? SAY_THIS_RUN : SAY_EARLIER_RUN));
    for (size_t i = 0; i < c->topic_count; i++) {
        fputs(i ? "\u00a0· <bdi>" : "<bdi>", out);
        put_foreign(out, c->topics[i].text, c->topics[i].length, TOPIC_MOST);
        fputs("</bdi>", out);
    }
    fputs("</td></tr>\n", out);
}

static void put_largest(FILE *out, const report_source *s) {
    static const column columns[] = {{SAY_CLUSTER, ""},
                                     {SAY_DOCUMENTS, "n"},
                                     {SAY_FOUNDED_BY, "short"},
                                     {SAY_TOPICS, "list"},
                                     {0, NULL}};
    const stream_data *d = s->stream;
    fprintf(out,
            "<h3 id=largest>%s</h3>\n<div class=scroll tabindex=0 role=region "
            "aria-labelledby=largest>\n",
            words_of(s, SAY_LARGEST_CLUSTERS));
    table_begin(out, s, " data-key=clusters", columns);
    for (size_t i = 0; i < d->cluster_count; i++) put_cluster(out, s, &d->clusters[i]);
    table_end(out);
    fputs("</div>\n", out);
}

static void put_clusters(FILE *out, const report_source *s) {
    static const size_words words = {SAY_CLUSTERS_PICTURE, SAY_CLUSTER_SIZE, SAY_CLUSTER_COUNT};
    const stream_data *d = s->stream;
    section_begin(out, s, "clusters", SAY_CLUSTERS);
    if (d->cluster_count == 0) put_paragraph(out, s, SAY_NO_CLUSTERS, NULL);
    else {
        put_paragraph(out, s, SAY_CLUSTERS_NOTE, NULL);
        if (d->options->expire > 0) put_paragraph(out, s, SAY_FORGOTTEN_NOTE, NULL);
        put_sizes(out, s, &words, d->clusters_by_size);
        put_largest(out, s);
    }
    section_end(out);
}

/* ---- sources */

static void put_sources(FILE *out, const report_source *s) {
    static const column columns[] = {{SAY_SOURCE, ""}, {SAY_DOCUMENTS, "n"}, {SAY_JOINED, "n"},
                                     {SAY_SHARE, "n"}, {SAY_SHARE, "b"},     {0, NULL}};
    const stream_data *d = s->stream;
    section_begin(out, s, "sources", SAY_BY_SOURCE);
    put_paragraph(out, s, SAY_SOURCES_NOTE, NULL);
    fputs("<div class=scroll tabindex=0 role=region aria-labelledby=sources>\n", out);
    table_begin(out, s, " data-key=source", columns);
    for (size_t i = 0; i < d->source_count; i++)
        put_part_of_class(out, d->sources[i].name, d->sources[i].documents, d->sources[i].joined);
    table_end(out);
    fputs("</div>\n", out);
    section_end(out);
}

/* ---- time and memory */

static void put_costs(FILE *out, const report_source *s) {
    const nd_job_summary *m = s->summary;
    char seconds[32], rate[32];
    section_begin(out, s, "costs", SAY_COSTS);
    snprintf(seconds, sizeof seconds, "%.3f", m->total_seconds);
    number_grouped(m->total_seconds > 0 ? (uint64_t)((double)m->documents / m->total_seconds) : 0,
                   rate);
    put_paragraph(out, s, SAY_STREAM_TIME, (const char *[]){seconds, rate});
    put_speed(out, s);
    section_end(out);
}

/* ---- the page */

/* put_page_fn */
static bool put_run(FILE *out, const report_source *s) {
    const section sections[] = {{"answers", SAY_ANSWERS},   {"similarities", likeness_title(s)},
                                {"clusters", SAY_CLUSTERS}, {"sources", SAY_BY_SOURCE},
                                {"costs", SAY_COSTS},       {NULL, 0}};
    put_head(out, s, "");
    put_verdict(out, s);
    bool good = put_command(out, s);
    put_navigation(out, s, sections);
    put_answers(out, s);
    put_likeness(out, s);
    put_clusters(out, s);
    put_sources(out, s);
    put_costs(out, s);
    return good;
}

nd_status stream_page_write(const char *path, const report_source *source, nd_error *error) {
    return page_write(path, source, put_run, error);
}
