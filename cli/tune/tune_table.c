#include "tune/tune_table.h"

#include "output/bar.h"
#include "output/escape.h"
#include "output/numbers.h"

#include <inttypes.h>
#include <string.h>

enum { BAR = 30 };

/* ---- for people */

static double share_of(uint64_t count, uint64_t all) {
    return all > 0 ? 100 * (double)count / (double)all : 0;
}

static void print_counts(FILE *out, const nd_tune_result *r) {
    char number[32];
    fprintf(out, "%-13s%15s\n", "documents", number_grouped(r->documents, number));
    fprintf(out, "%-13s%15s  each compared exactly with all documents\n", "sample",
            number_grouped(r->sampled, number));
    fprintf(out, "%-13s%15s  %.1f %%: every threshold removes these\n", "exact copies",
            number_grouped(r->exact_copies, number), share_of(r->exact_copies, r->documents));
}

static uint64_t documents_of(const nd_tune_result *r, const nd_audit_share *share) {
    return (uint64_t)(share->share * (double)r->documents + .5);
}

static uint64_t largest_step(const nd_tune_result *r) {
    uint64_t most = 1;
    for (uint64_t s = r->first; s < ND_TUNE_STEPS; s++)
        if (r->steps[s].nearest > most) most = r->steps[s].nearest;
    return most;
}

static void print_step(FILE *out, const nd_tune_result *r, const nd_tune_step *s, uint64_t most) {
    char removed[32], groups[32];
    fprintf(out, "%9.2f  %5.1f %%  %5.1f to %5.1f %%%15s%13s  %7" PRIu64, s->threshold,
            100 * s->removed.share, 100 * s->removed.low, 100 * s->removed.high,
            number_grouped(documents_of(r, &s->removed), removed),
            number_grouped(documents_of(r, &s->groups), groups), s->nearest);
    if (s->nearest > 0) fputs("  ", out);
    bar_print(out, (double)s->nearest / (double)most, BAR);
    putc('\n', out);
}

static void print_steps(FILE *out, const nd_tune_result *r) {
    uint64_t most = largest_step(r);
    fputs("\nthreshold  removed         95 %            documents       groups  nearest\n", out);
    for (uint64_t s = ND_TUNE_STEPS; s-- > r->first;) print_step(out, r, &r->steps[s], most);
}

/* The names are above the table, because they are long. */
static void print_beside(FILE *out, const tune_run *runs, size_t count) {
    fputs("\nremoved, with other flags\n", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "  (%zu) ", i + 1);
        if (i == 0) fputs("as above", out);
        else print_shown_text(out, runs[i].settings, strlen(runs[i].settings));
        putc('\n', out);
    }
    fputs("threshold", out);
    for (size_t i = 0; i < count; i++) fprintf(out, "  %6s%zu)", "(", i + 1);
    putc('\n', out);
    for (uint64_t s = ND_TUNE_STEPS; s-- > runs[0].result.first;) {
        fprintf(out, "%9.2f", runs[0].result.steps[s].threshold);
        for (size_t i = 0; i < count; i++)
            fprintf(out, "  %6.1f %%", 100 * runs[i].result.steps[s].removed.share);
        putc('\n', out);
    }
}

void tune_table_print(FILE *out, const tune_run *runs, size_t count) {
    print_counts(out, &runs[0].result);
    print_steps(out, &runs[0].result);
    if (count > 1) print_beside(out, runs, count);
}

/* ---- for programs */

static void json_share(FILE *out, const char *name, const nd_audit_share *s) {
    fprintf(out, ",\"%s\":%.6f,\"%s_low\":%.6f,\"%s_high\":%.6f", name, s->share, name, s->low,
            name, s->high);
}

static void json_run(FILE *out, const nd_tune_result *r) {
    fprintf(out, "\"exact_copies\":%" PRIu64 ",\"sampled_copies\":%" PRIu64 ",\"steps\":[",
            r->exact_copies, r->sampled_copies);
    for (uint64_t s = r->first; s < ND_TUNE_STEPS; s++) {
        fprintf(out, "%s{\"threshold\":%.2f", s > r->first ? "," : "", r->steps[s].threshold);
        json_share(out, "removed", &r->steps[s].removed);
        json_share(out, "groups", &r->steps[s].groups);
        fprintf(out, ",\"nearest\":%" PRIu64 "}", r->steps[s].nearest);
    }
    putc(']', out);
}

void tune_table_json(FILE *out, const tune_run *runs, size_t count) {
    const nd_tune_result *first = &runs[0].result;
    fprintf(out,
            "{\"version\":\"%s\",\"command\":\"tune\",\"documents\":%" PRIu64
            ",\"sampled\":%" PRIu64 ",",
            nd_version(), first->documents, first->sampled);
    json_run(out, first);
    fputs(",\"beside\":[", out);
    for (size_t i = 1; i < count; i++) {
        fprintf(out, "%s{\"settings\":", i > 1 ? "," : "");
        print_json_text(out, runs[i].settings, strlen(runs[i].settings));
        putc(',', out);
        json_run(out, &runs[i].result);
        putc('}', out);
    }
    fputs("]}\n", out);
}
