#include "summary.h"

#include <stddef.h>
#include <stdlib.h>

/* ---------------------------------------------------------------- JSON */

typedef enum number_kind { NUMBER_32, NUMBER_64, NUMBER_REAL, NUMBER_SECONDS, NUMBER_FOUND, NUMBER_SPEED } number_kind;

typedef struct summary_row {
    const char *key;
    number_kind kind;
    size_t offset; /* in nd_job_summary */
    const char *meaning;
    bool of_dedup; /* says nothing about pairs */
} summary_row;

#define AT(member) offsetof(nd_job_summary, member)
#define STAGE(number) (AT(seconds) + (number) * sizeof(double))

static const summary_row rows[] = {
    {"documents", NUMBER_64, AT(documents), "documents read", false},
    {"input_bytes", NUMBER_64, AT(input_bytes), "bytes read, after decompression", false},
    {"text_bytes", NUMBER_64, AT(text_bytes), "bytes of the documents' texts", false},
    {"kept", NUMBER_64, AT(kept), "documents kept", true},
    {"removed", NUMBER_64, AT(removed), "documents removed", true},
    {"exact_copies", NUMBER_64, AT(exact_copies), "of the removed ones, those with the same tokens as an earlier document", true},
    {"skipped", NUMBER_64, AT(skipped), "bad records left out (--on-error skip, --invalid skip)", false},
    {"duplicate_ids", NUMBER_64, AT(duplicate_ids), "documents whose id an earlier one has", false},
    {"candidates", NUMBER_64, AT(candidates), "pairs that share a band and whose sketches were compared", false},
    {"verified", NUMBER_64, AT(verified), "pairs whose texts were compared exactly", false},
    {"rejected", NUMBER_64, AT(rejected), "of the verified pairs, those below the threshold", false},
    {"pairs", NUMBER_64, AT(pairs), "pairs decided as duplicates", false},
    {"wide_buckets", NUMBER_64, AT(wide_buckets), "buckets with so many documents that they are kept as lists", false},
    {"bounded_documents", NUMBER_64, AT(bounded_documents), "documents for which --max-compare left comparisons out", false},
    {"bounded_comparisons", NUMBER_64, AT(bounded_comparisons), "comparisons left out, at most", false},
    {"bands", NUMBER_32, AT(plan.bands), "bands of the plan", false},
    {"rows", NUMBER_32, AT(plan.rows), "rows a band", false},
    {"perms", NUMBER_32, AT(plan.perms), "MinHash permutations", false},
    {"threshold", NUMBER_REAL, AT(plan.threshold), "similarity from which on two documents are duplicates", false},
    {"recall", NUMBER_REAL, AT(plan.recall), "wanted probability of finding a pair at the threshold", false},
    {"found_at_threshold", NUMBER_FOUND, AT(plan), "that probability under the plan", false},
    {"seconds_read", NUMBER_SECONDS, STAGE(ND_STAGE_READ), "reading, analysing and signing", false},
    {"seconds_match", NUMBER_SECONDS, STAGE(ND_STAGE_MATCH), "finding candidates", false},
    {"seconds_decide", NUMBER_SECONDS, STAGE(ND_STAGE_DECIDE), "verifying and deciding", false},
    {"seconds_write", NUMBER_SECONDS, STAGE(ND_STAGE_WRITE), "writing the results", false},
    {"seconds_sync", NUMBER_SECONDS, STAGE(ND_STAGE_SYNC), "waiting until the results are on the disk", false},
    {"seconds_total", NUMBER_SECONDS, AT(total_seconds), "the whole job", false},
    {"mb_per_second", NUMBER_SPEED, 0, "text_bytes a second of the whole job, in 1000000 bytes", false},
    {"output_bytes", NUMBER_64, AT(output_bytes), "bytes written", false},
    {"work_bytes", NUMBER_64, AT(work_bytes), "the most bytes in temporary files at one time", false},
    {"peak_memory", NUMBER_64, AT(peak_memory), "the most bytes of memory of the process; 0: not known", false},
    {"threads", NUMBER_32, AT(threads), "threads used", false},
};
enum { ROWS = sizeof rows / sizeof *rows };
_Static_assert(ND_STAGE_COUNT == 5, "every stage has its row");

bool summary_key(size_t index, bool pairs, const char **key, const char **meaning) {
    for (size_t i = 0; pairs && i < ROWS && i <= index; i++) index += rows[i].of_dedup;
    if (index >= ROWS) return false;
    *key = rows[index].key;
    *meaning = rows[index].meaning;
    return true;
}

void print_exact(FILE *out, double value) {
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    fputs(text, out);
}

static double megabytes_per_second(const nd_job_summary *s) { return s->total_seconds > 0 ? (double)s->text_bytes / 1e6 / s->total_seconds : 0; }

static void print_value(FILE *out, const nd_job_summary *summary, const summary_row *row) {
    const void *place = (const char *)summary + row->offset;
    switch (row->kind) {
    case NUMBER_32: fprintf(out, "%u", (unsigned)*(const uint32_t *)place); break;
    case NUMBER_64: fprintf(out, "%llu", (unsigned long long)*(const uint64_t *)place); break;
    case NUMBER_REAL: print_exact(out, *(const double *)place); break;
    case NUMBER_SECONDS: fprintf(out, "%.6f", *(const double *)place); break;
    case NUMBER_FOUND: fprintf(out, "%.9f", nd_plan_probability(&summary->plan, summary->plan.threshold)); break;
    case NUMBER_SPEED: fprintf(out, "%.3f", megabytes_per_second(summary)); break;
    }
}

void summary_print_json(FILE *out, const nd_job_summary *summary, bool pairs) {
    fprintf(out, "{\"version\":\"%s\",\"command\":\"%s\"", nd_version(), pairs ? "pairs" : "dedup");
    for (const summary_row *row = rows; row < rows + ROWS; row++) {
        if (pairs && row->of_dedup) continue;
        fprintf(out, ",\"%s\":", row->key);
        print_value(out, summary, row);
    }
    fputs("}\n", out);
}

/* ---------------------------------------------------------------- for people */

/* 1234567 as "1,234,567". */
static const char *grouped(uint64_t number, char text[static 32]) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    char *at = text;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) *at++ = ',';
        *at++ = digits[i];
    }
    *at = 0;
    return text;
}

/* Bytes in powers of 1000: "1.23 GB". */
static const char *volume(uint64_t bytes, char text[static 32]) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    double amount = (double)bytes;
    size_t unit = 0;
    for (; amount >= 999.5 && unit < 5; unit++) amount /= 1000;
    int decimals = unit == 0 || amount >= 99.95 ? 0 : amount >= 9.995 ? 1 : 2;
    snprintf(text, 32, "%.*f %s", decimals, amount, units[unit]);
    return text;
}

typedef struct lines {
    FILE *out;
    bool colour;
} lines;

/* One line: a label, a count flush right, a remark. */
static void count_line(const lines *l, const char *label, uint64_t count, const char *remark) {
    char number[32];
    fprintf(l->out, "%-16s%s%15s%s%s%s\n", label, l->colour ? "\033[1m" : "", grouped(count, number), l->colour ? "\033[0m" : "", *remark ? "  " : "",
            remark);
}

static void share_line(const lines *l, const char *label, uint64_t part, uint64_t whole) {
    char text[32];
    snprintf(text, sizeof text, "%.1f %%", whole ? 100 * (double)part / (double)whole : 0);
    count_line(l, label, part, text);
}

static void print_means(const lines *l, const nd_job_summary *s) {
    char bytes[32];
    fprintf(l->out, "%-16s%u bands x %u rows of %u permutations, P(found at %.15g) = %.6f\n", "plan", (unsigned)s->plan.bands, (unsigned)s->plan.rows,
            (unsigned)s->plan.perms, s->plan.threshold, nd_plan_probability(&s->plan, s->plan.threshold));
    fprintf(l->out, "%-16s%.2f s: ", "time", s->total_seconds);
    for (nd_stage stage = 0; stage < ND_STAGE_COUNT; stage++)
        fprintf(l->out, "%s%s %.2f s", stage ? ", " : "", nd_stage_name(stage), s->seconds[stage]);
    fprintf(l->out, "\n%-16s%.1f MB/s of text, %u thread%s\n", "speed", megabytes_per_second(s), (unsigned)s->threads, s->threads == 1 ? "" : "s");
    if (s->peak_memory) fprintf(l->out, "%-16s%.0f MiB", "peak memory", (double)s->peak_memory / (1 << 20));
    else fprintf(l->out, "%-16snot known", "peak memory");
    if (s->work_bytes) fprintf(l->out, ", %s of working files", volume(s->work_bytes, bytes));
    fputc('\n', l->out);
}

void summary_print(FILE *out, const nd_job_summary *s, bool pairs, uint32_t max_compare, bool colour) {
    lines l = {out, colour};
    char text[32], input[32], remark[120];
    snprintf(remark, sizeof remark, "%s of text, %s of input", volume(s->text_bytes, text), volume(s->input_bytes, input));
    count_line(&l, "documents", s->documents, remark);
    if (pairs) {
        count_line(&l, "pairs", s->pairs, "at or above the threshold");
    } else {
        share_line(&l, "kept", s->kept, s->documents);
        share_line(&l, "removed", s->removed, s->documents);
        count_line(&l, "  exact copies", s->exact_copies, "");
    }
    count_line(&l, "candidates", s->candidates, "");
    count_line(&l, "  verified", s->verified, "compared exactly");
    count_line(&l, "  rejected", s->rejected, "of those, below the threshold");
    if (s->skipped) count_line(&l, "skipped", s->skipped, "bad records left out");
    if (s->duplicate_ids) count_line(&l, "duplicate ids", s->duplicate_ids, "told apart by position");
    if (s->bounded_documents) {
        snprintf(remark, sizeof remark, "documents, with at most %s comparisons left out (--max-compare %u)", grouped(s->bounded_comparisons, text),
                 (unsigned)max_compare);
        count_line(&l, "bounded", s->bounded_documents, remark);
    }
    print_means(&l, s);
}
