/* neardup audit: how many duplicates a configuration misses, measured on a sample. */
#include "commands/command_names.h"
#include "commands/match_command.h"
#include "flags/keep_flags.h"
#include "flags/sample_flags.h"
#include "manual/chapters.h"
#include "output/complain.h"
#include "output/escape.h"
#include "output/numbers.h"
#include "output/results.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct missed_settings {
    const char *missed; /* NULL: not written */
} missed_settings;

typedef struct audit_settings {
    result_settings result;
    missed_settings missed;
    sample_settings sample;
    match_settings match;
    keep_settings keep;
    group_settings group;
} audit_settings;

static const flag missed_list[] = {
    {.name = "missed",
     .kind = FLAG_FILE,
     .argument = "FILE",
     .offset = offsetof(missed_settings, missed),
     .help = "write a table of the missed pairs; its columns are id_a, id_b, jaccard (or "
             "containment), intersection, "
             "union, pairs (how many pairs of copies it stands for), remains (1: dedup keeps both; "
             "0), and the file and line of both"},
};

static const flag_table missed_flags = FLAG_TABLE("Output", missed_list);

static const flag_group groups[] = {FLAG_GROUP(audit_settings, result, result_flags),
                                    FLAG_GROUP(audit_settings, missed, missed_flags),
                                    FLAG_GROUP(audit_settings, match.report, report_flags),
                                    FLAG_GROUP(audit_settings, sample, sample_flags),
                                    FLAG_GROUP(audit_settings, match.input, input_flags),
                                    MATCH_GROUPS(audit_settings, match),
                                    FLAG_GROUP(audit_settings, keep, keep_flags),
                                    FLAG_GROUP(audit_settings, group, group_flags),
                                    RESOURCE_GROUPS(audit_settings, match.resources),
                                    HELP_GROUP,
                                    GROUPS_END};

static void init(void *settings) {
    audit_settings *s = settings;
    nd_audit_options usual;
    match_settings_init(&s->match);
    s->match.sketch.checks = true;
    nd_audit_options_init(&usual, sizeof usual);
    s->sample.documents = (uint32_t)usual.sample;
    s->sample.seed = usual.seed;
}

static void settle(const flags_given *given, void *settings) {
    audit_settings *s = settings;
    match_settle(given, &s->match);
}

/* ---- missed pairs */

/* Missed pairs that the report shows. */
enum { SHOWN = 5 };

typedef struct auditor {
    results missed;    /* the table */
    bool writes_table; /* it is wanted */
    bool contains;     /* the measure is the containment */
    FILE *shown;       /* the first missed pairs, for people; NULL: not wanted */
    unsigned rows;     /* missed pairs so far */
} auditor;

static void print_missed_row(FILE *out, const nd_missed_pair *p, double similarity) {
    print_table_text(out, p->id_a, p->id_a_length);
    putc('\t', out);
    print_table_text(out, p->id_b, p->id_b_length);
    fprintf(out, "\t%.6f\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%d\t", similarity, p->intersection,
            p->set_union, p->pairs, p->remains);
    print_table_text(out, p->source_a, strlen(p->source_a));
    fprintf(out, "\t%" PRIu64 "\t", p->line_a);
    print_table_text(out, p->source_b, strlen(p->source_b));
    fprintf(out, "\t%" PRIu64 "\n", p->line_b);
}

static void show_missed(FILE *out, const nd_missed_pair *p, double similarity) {
    fprintf(out, "%-16s%.6f  ", "missed", similarity);
    print_shown_text(out, p->id_a, p->id_a_length);
    fputs("  ", out);
    print_shown_text(out, p->id_b, p->id_b_length);
    fputs(p->remains ? "  both stay\n" : "\n", out);
}

/* nd_missed_fn; `context` is the auditor. */
static bool take_missed(void *context, const nd_missed_pair *pair) {
    auditor *a = context;
    double similarity = a->contains ? pair->containment : pair->jaccard;
    if (a->shown && a->rows < SHOWN) show_missed(a->shown, pair, similarity);
    a->rows++;
    if (!a->writes_table) return true;
    results_begin(&a->missed);
    print_missed_row(a->missed.out, pair, similarity);
    return results_go_on(&a->missed);
}

/* ---- the report */

static void count_line(FILE *out, const char *label, uint64_t count, const char *remark) {
    char number[32];
    fprintf(out, "%-16s%15s%s%s\n", label, number_grouped(count, number), *remark ? "  " : "",
            remark);
}

static void share_line(FILE *out, const char *label, const nd_audit_share *s, const char *remark) {
    fprintf(out, "%-16s%13.3f %%  %.3f to %.3f %%%s\n", label, 100 * s->share, 100 * s->low,
            100 * s->high, remark);
}

static void print_report(FILE *out, const nd_audit_result *r, const char *missed,
                         size_t missed_size, unsigned rows) {
    char number[32], remark[80] = "";
    count_line(out, "documents", r->documents, "");
    count_line(out, "sample", r->sampled, "each compared exactly with all documents");
    snprintf(remark, sizeof remark, "%s of exact copies", number_grouped(r->copies, number));
    count_line(out, "true pairs", r->true_pairs, remark);
    count_line(out, "  found", r->found, "");
    snprintf(remark, sizeof remark, "at most %s comparisons left out (--max-compare)",
             number_grouped(r->bounded_comparisons, number));
    count_line(out, "  missed", r->missed, r->bounded_comparisons > 0 ? remark : "");
    snprintf(remark, sizeof remark, ", the plan promises %.3f %%", 100 * r->promised);
    share_line(out, "recall", &r->recall, r->promised > 0 ? remark : "");
    count_line(out, "removed", r->removed, "of the sample");
    count_line(out, "  wrong", r->wrong, "below the threshold");
    share_line(out, "precision", &r->precision, "");
    count_line(out, "kept", r->kept, "of the sample");
    count_line(out, "  left", r->left, "duplicates of another kept document");
    share_line(out, "clean", &r->clean, "");
    fwrite(missed, 1, missed_size, out);
    if (rows > SHOWN) fprintf(out, "%-16s... and %u more (--missed)\n", "", rows - SHOWN);
}

static void print_share(FILE *out, const char *name, const nd_audit_share *s) {
    fprintf(out, ",\"%s\":%.6f,\"%s_low\":%.6f,\"%s_high\":%.6f", name, s->share, name, s->low,
            name, s->high);
}

static void print_json(FILE *out, const nd_audit_result *r) {
    fprintf(out,
            "{\"version\":\"%s\",\"command\":\"audit\",\"documents\":%" PRIu64
            ",\"sampled\":%" PRIu64 ",\"true_pairs\":%" PRIu64 ",\"copies\":%" PRIu64
            ",\"found\":%" PRIu64 ",\"missed\":%" PRIu64,
            nd_version(), r->documents, r->sampled, r->true_pairs, r->copies, r->found, r->missed);
    fprintf(out, ",\"bounded_comparisons\":%" PRIu64, r->bounded_comparisons);
    print_share(out, "recall", &r->recall);
    if (r->promised > 0) fprintf(out, ",\"promised\":%.6f", r->promised);
    fprintf(out, ",\"removed\":%" PRIu64 ",\"wrong\":%" PRIu64, r->removed, r->wrong);
    print_share(out, "precision", &r->precision);
    fprintf(out, ",\"kept\":%" PRIu64 ",\"left\":%" PRIu64, r->kept, r->left);
    print_share(out, "clean", &r->clean);
    fputs("}\n", out);
}

/* ---- the job */

static nd_status measure(command_job *j, auditor *a, nd_audit_result *result,
                         nd_job_summary *summary, nd_error *error) {
#define SIZES "\tintersection\tunion\tpairs\tremains\tsource_a\tline_a\tsource_b\tline_b\n"
    const char *header = a->contains ? "id_a\tid_b\tcontainment" SIZES
                                     : "id_a\tid_b\tjaccard" SIZES;
#undef SIZES
    const audit_settings *s = j->call->settings;
    match_options match;
    nd_survivor_options survivors = survivor_options_of(&s->keep);
    survivors.group = s->group.group;
    match_options_fill(&s->match, j, &match);
    const nd_audit_options options = {.struct_size = sizeof options,
                                      .input = &j->input,
                                      .similarity = &match.similarity,
                                      .survivors = &survivors,
                                      .resources = &j->resources,
                                      .sample = s->sample.documents,
                                      .seed = s->sample.seed,
                                      .on_missed = take_missed,
                                      .context = a};
    if (!a->writes_table) return nd_audit(&options, result, summary, error);
    nd_status status = results_open(&a->missed, s->missed.missed, header, error);
    if (status != ND_OK) return status;
    return results_close(&a->missed, nd_audit(&options, result, summary, error), error);
}

/* job_fn */
static nd_status audit(command_job *j, nd_job_summary *summary, nd_error *error) {
    const audit_settings *s = j->call->settings;
    nd_audit_result result = {.struct_size = sizeof result};
    results report;
    char *shown = NULL;
    size_t shown_size = 0;
    auditor a = {.writes_table = s->missed.missed != NULL,
                 .contains = s->match.similarity.measure == ND_MEASURE_CONTAINMENT,
                 .shown = s->result.json ? NULL : open_memstream(&shown, &shown_size)};
    nd_status status = results_open(&report, j->output, NULL, error);
    if (status == ND_OK) {
        status = measure(j, &a, &result, summary, error);
        if (a.shown) fflush(a.shown);
        if (status == ND_OK && s->result.json) print_json(report.out, &result);
        else if (status == ND_OK) print_report(report.out, &result, shown, shown_size, a.rows);
        status = results_close(&report, status, error);
    }
    if (a.shown) fclose(a.shown);
    free(shown);
    return status;
}

static int run(const invocation *call) {
    const audit_settings *s = call->settings;
    if (!match_flags_agree(call->given, &s->match)) return EXIT_USAGE;
    command_job j = match_job(call, &s->match, s->result.output, audit);
    j.result_file = true;
    j.further[0] = (own_output){"missed", s->missed.missed};
    j.keep_field = s->keep.field;
    return job_run(&j);
}

/* ---- the manual */

static const char result_chapter[] =
    "A random sample of the documents is compared exactly with all documents, which costs about as "
    "much as the run itself. A true pair is a document of the sample and another document whose "
    "similarity (--measure) reaches the threshold. recall is the share of the true pairs that "
    "pairs "
    "finds with these flags; exact copies are found always. Beside it is the interval that has the "
    "share of all pairs with 95 percent confidence, and the share that the plan promises for pairs "
    "of these similarities.\n\n"
    "removed counts documents of the sample that dedup removes; wrong are the ones whose "
    "similarity with the document that stays instead is below the threshold. This happens with "
    "--verify none or cosine, and with --group component. precision is the share of the others. "
    "kept counts documents of the sample that dedup keeps; left are the ones with a duplicate that "
    "it keeps, too. clean is the share of the others.\n\n"
    "At the end are the first missed pairs; \"both stay\" says that dedup keeps both. --missed "
    "writes all of them, ordered by the document of the sample. --json writes one object with "
    "documents, sampled, true_pairs, copies (true pairs of exact copies), found, missed, "
    "bounded_comparisons (as in the summary of pairs), recall, "
    "recall_low, recall_high, promised (not with --sketch simhash, sentences or tlsh), removed, "
    "wrong, "
    "precision, precision_low, precision_high, kept, left, clean, clean_low and clean_high; shares "
    "are 0 to 1.\n\n"
    "A sample sees a group of duplicates only if it has a document of the group: a group should "
    "have more than documents / N members.";

static const chapter chapters[] = {{"INPUT", input_chapter},
                                   {"RESULT", result_chapter},
                                   {"SEGMENTS", segment_chapter},
                                   {"SIMHASH", simhash_chapter},
                                   {"SENTENCES", sentences_chapter},
                                   {"TLSH", tlsh_chapter},
                                   {"TABLES", pair_tsv_chapter},
                                   {"EXIT STATUS", whole_exit_chapter},
                                   {"ENVIRONMENT", environment_chapter},
                                   {NULL, NULL}};

const command audit_command = {
    .name = "audit",
    .operands = "INPUT...",
    .operand = OPERAND_PATH,
    .operands_least = 1,
    .operands_most = INT_MAX,
    .missing = inputs_missing,
    .summary = "how many duplicates dedup misses with these flags, measured on a sample",
    .description = "Runs neardup dedup and pairs without writing their results, and checks their "
                   "answers on a random sample of the documents, each of which is compared exactly "
                   "with all others.",
    .examples = "neardup audit articles.jsonl --threshold .7\n"
                "neardup audit articles.jsonl --sketch simhash --sample 4000 --missed missed.tsv\n",
    .chapters = chapters,
    .summary_of = SUMMARY_AUDIT,
    .groups = groups,
    .settings_size = sizeof(audit_settings),
    .init = init,
    .settle = settle,
    .run = run,
};
