#include "output/summary.h"

#include "output/complain.h"
#include "output/numbers.h"

#include <stddef.h>
#include <stdlib.h>

/* ---- JSON */

typedef enum number_kind {
    NUMBER_32,
    NUMBER_64,
    NUMBER_REAL,
    NUMBER_SECONDS,
    NUMBER_FOUND,
    NUMBER_STEPS,
    NUMBER_SPEED,
    LOSSES /* no number: a part of loss_notes */
} number_kind;

typedef struct summary_row {
    const char *key;
    number_kind kind;
    size_t offset; /* in nd_job_summary; LOSSES: in loss_notes */
    const char *meaning;
    unsigned of; /* the kinds that have it, as bits; with a bit of the last five: only where the
                    job used that sketch, or anchors */
} summary_row;

#define AT(member) offsetof(nd_job_summary, member)
#define STAGE(number) (AT(seconds) + (number) * sizeof(double))

#define OF(kind) (1u << (kind))
#define REMOVING (OF(SUMMARY_DEDUP) | OF(SUMMARY_EXACT))
#define DECIDING (OF(SUMMARY_DEDUP) | OF(SUMMARY_PAIRS))
#define COMPARING (DECIDING | OF(SUMMARY_AUDIT))
#define FINGERPRINTS (OF(SUMMARY_LOAD) | OF(SUMMARY_FIND) | OF(SUMMARY_JOIN))
#define STAGED (COMPARING | OF(SUMMARY_EXACT))
#define CUTTING (OF(SUMMARY_LINES) | OF(SUMMARY_SUBSTRINGS))
#define WRITING (STAGED | OF(SUMMARY_EACH) | OF(SUMMARY_WORDS) | CUTTING)
#define TEXTS                                                                                      \
    (WRITING | OF(SUMMARY_QUERY) | OF(SUMMARY_PASSAGES) | OF(SUMMARY_STREAM) | OF(SUMMARY_TEXT))
#define ALL (TEXTS | FINGERPRINTS)
#define OF_TLSH (1u << 27)
#define OF_ANCHORS (1u << 28)
#define OF_MINHASH (1u << 29)
#define OF_SIMHASH (1u << 30)
#define OF_SENTENCES (1u << 31)

static const summary_row rows[] = {
    {"documents", NUMBER_64, AT(documents), "documents read", TEXTS},
    {"fingerprints", NUMBER_64, AT(documents), "fingerprints read", FINGERPRINTS},
    {"input_bytes", NUMBER_64, AT(input_bytes), "bytes read, after decompression", TEXTS},
    {"text_bytes", NUMBER_64, AT(text_bytes), "bytes of the documents' texts", TEXTS},
    {"kept", NUMBER_64, AT(kept), "documents kept", REMOVING | CUTTING},
    {"removed", NUMBER_64, AT(removed), "documents removed", REMOVING | CUTTING},
    {"changed", NUMBER_64, AT(changed), "documents kept, but for what was cut", CUTTING},
    {"units", NUMBER_64, AT(units), "lines, paragraphs or sentences (--unit)", OF(SUMMARY_LINES)},
    {"units_cut", NUMBER_64, AT(units_cut), "those that were cut", OF(SUMMARY_LINES)},
    {"bytes_cut", NUMBER_64, AT(repeated_bytes), "bytes of texts that were cut", CUTTING},
    {"exact_copies", NUMBER_64, AT(exact_copies),
     "removed documents with the same tokens as an earlier document", OF(SUMMARY_DEDUP)},
    {"skipped", NUMBER_64, AT(skipped), "bad records left out (--on-error skip, --invalid skip)",
     TEXTS},
    {"duplicate_ids", NUMBER_64, AT(duplicate_ids), "documents whose id an earlier document has",
     STAGED},
    {"without_value", NUMBER_64, AT(without_value),
     "documents without the field of --keep, which come behind all others", REMOVING},
    {"spared", NUMBER_64, AT(spared),
     "documents that --protect keeps, although they duplicate a kept one", OF(SUMMARY_DEDUP)},
    {"terms", NUMBER_64, AT(terms), "distinct words of the documents", OF(SUMMARY_WORDS)},
    {"terms_written", NUMBER_64, AT(terms_written), "distinct words in at least --min-df documents",
     OF(SUMMARY_WORDS)},
    {"candidates", NUMBER_64, AT(candidates),
     "pairs that share a band, a sentence, enough anchors or a neighbourhood of fingerprints, and "
     "whose sketches, if they have any, were compared",
     COMPARING},
    {"verified", NUMBER_64, AT(verified), "pairs whose texts were compared exactly", COMPARING},
    {"rejected", NUMBER_64, AT(rejected), "verified pairs below the threshold", COMPARING},
    {"kept_apart", NUMBER_64, AT(kept_apart),
     "candidate pairs that --differ-by keeps apart; these are not compared", COMPARING},
    {"pairs", NUMBER_64, AT(pairs), "pairs decided as duplicates", DECIDING},
    {"similarities", NUMBER_STEPS, 0,
     "the pairs that the measure decided, by similarity: a list of [least similarity, rejected "
     "pairs, duplicates], one for each 0.01 that has any; exact copies are not among them",
     DECIDING},
    {"pairs", NUMBER_64, AT(pairs),
     "pairs found; with --groups the members of all groups, except the first of each",
     OF(SUMMARY_JOIN)},
    {"matches", NUMBER_64, AT(pairs), "fingerprints found", OF(SUMMARY_FIND)},
    {"matches", NUMBER_64, AT(pairs), "duplicates found", OF(SUMMARY_QUERY)},
    {"passages", NUMBER_64, AT(pairs), "passages found", OF(SUMMARY_PASSAGES)},
    {"queries", NUMBER_64, AT(queries), "documents of QUERY", OF(SUMMARY_PASSAGES)},
    {"queries_found", NUMBER_64, AT(queries_found), "those with a passage", OF(SUMMARY_PASSAGES)},
    {"query_tokens", NUMBER_64, AT(query_tokens), "tokens of the documents of QUERY",
     OF(SUMMARY_PASSAGES)},
    {"found_tokens", NUMBER_64, AT(found_tokens),
     "those in passages; a token in several passages counts once", OF(SUMMARY_PASSAGES)},
    {"stretches", NUMBER_64, AT(pairs), "stretches found", OF(SUMMARY_SUBSTRINGS)},
    {"passes", NUMBER_64, AT(passes), "searches of the texts (--passes)", OF(SUMMARY_SUBSTRINGS)},
    {"large_buckets", NUMBER_64, AT(large_buckets),
     "large buckets: those with so many documents that they are kept as posting lists", COMPARING},
    {"bounded_documents", NUMBER_64, AT(bounded_documents),
     "documents for which --max-compare left comparisons out", COMPARING},
    {"bounded_comparisons", NUMBER_64, AT(bounded_comparisons), "comparisons left out, at most",
     COMPARING},
    {"bands", NUMBER_32, AT(plan.bands), "bands of the plan", COMPARING | OF_MINHASH},
    {"rows", NUMBER_32, AT(plan.rows), "rows per band", COMPARING | OF_MINHASH},
    {"perms", NUMBER_32, AT(plan.perms), "MinHash permutations",
     COMPARING | OF_MINHASH | OF_SENTENCES},
    {"threshold", NUMBER_REAL, AT(plan.threshold),
     "similarity from which on two documents are duplicates", COMPARING},
    {"recall", NUMBER_REAL, AT(plan.recall),
     "wanted probability of finding a pair at the threshold", COMPARING | OF_MINHASH | OF_ANCHORS},
    {"found_at_threshold", NUMBER_FOUND, AT(plan),
     "probability of finding a pair at the threshold with this plan; by anchors, at least",
     COMPARING | OF_MINHASH | OF_ANCHORS},
    {"anchors", NUMBER_32, AT(anchor_plan.anchors),
     "anchors of a document: the sample of its shingles that finds texts which contain it",
     COMPARING | OF_ANCHORS},
    {"least_anchors", NUMBER_32, AT(anchor_plan.least),
     "how many of them a text must have to be compared with it", COMPARING | OF_ANCHORS},
    {"bits", NUMBER_32, AT(bits), "bits of a fingerprint", COMPARING | OF_SIMHASH},
    {"k", NUMBER_32, AT(k), "most bits in which the fingerprints of candidates differ",
     COMPARING | OF_SIMHASH},
    {"sentences", NUMBER_32, AT(sentences),
     "how many of the longest sentences of a document make candidates", COMPARING | OF_SENTENCES},
    {"buckets", NUMBER_32, AT(buckets), "buckets of a TLSH digest", COMPARING | OF_TLSH},
    {"distance", NUMBER_32, AT(distance), "most distance of the digests of candidates",
     COMPARING | OF_TLSH},
    {"without_digest", NUMBER_64, AT(without_digest),
     "documents that have no digest, and so no candidates", COMPARING | OF_TLSH},
    {"seconds_read", NUMBER_SECONDS, STAGE(ND_STAGE_READ), "reading, analysing and signing",
     WRITING},
    {"seconds_match", NUMBER_SECONDS, STAGE(ND_STAGE_MATCH), "finding candidates, or repeats",
     STAGED | CUTTING},
    {"seconds_decide", NUMBER_SECONDS, STAGE(ND_STAGE_DECIDE), "verifying and deciding", STAGED},
    {"seconds_write", NUMBER_SECONDS, STAGE(ND_STAGE_WRITE),
     "writing the results; audit and tune: comparing exactly", STAGED | CUTTING},
    {"seconds_sync", NUMBER_SECONDS, STAGE(ND_STAGE_SYNC),
     "waiting until the results are on the disk", WRITING},
    {"seconds_total", NUMBER_SECONDS, AT(total_seconds), "the whole job", ALL},
    {"mb_per_second", NUMBER_SPEED, 0,
     "text_bytes per second of the whole job, in units of 1000000 bytes", TEXTS},
    {"output_bytes", NUMBER_64, AT(output_bytes), "bytes written", WRITING},
    {"work_bytes", NUMBER_64, AT(work_bytes), "most bytes in temporary files at one time",
     WRITING | OF(SUMMARY_PASSAGES) | OF(SUMMARY_LOAD) | OF(SUMMARY_JOIN)},
    {"peak_memory", NUMBER_64, AT(peak_memory), "most bytes of memory of the process; 0: not known",
     ALL},
    {"threads", NUMBER_32, AT(threads), "threads used", ALL},
    {"largest_groups", LOSSES, offsetof(loss_notes, groups),
     "the three documents for which most were removed: id, source and line, the documents removed, "
     "exact copies among them, their share of all removed ones, and an example",
     REMOVING},
    {"group_sizes", LOSSES, offsetof(loss_notes, sizes),
     "how many kept documents have how many removed ones: a list of [least removed, documents], "
     "one for each power of two that has any",
     REMOVING},
    {"losses", LOSSES, offsetof(loss_notes, classes),
     "documents, and removed ones, by source, length, script, host of archives, and the field of "
     "--losses-by: of each the 20 classes that lose most documents",
     REMOVING},
    {"alarms", LOSSES, offsetof(loss_notes, alarms),
     "losses that are warned of: more than half of all; a class that loses everything, or far more "
     "than the others; one document for which many are removed",
     REMOVING},
};
enum { ROWS = sizeof rows / sizeof *rows };
_Static_assert(ND_STAGE_COUNT == 5, "every stage has its row");

static bool row_is_of(const summary_row *row, summary_kind kind) { return row->of & OF(kind); }

bool summary_key(size_t index, summary_kind kind, const char **key, const char **meaning) {
    for (const summary_row *row = rows; row < rows + ROWS; row++) {
        if (!row_is_of(row, kind) || index-- > 0) continue;
        *key = row->key;
        *meaning = row->meaning;
        return true;
    }
    return false;
}

static double megabytes_per_second(const nd_job_summary *s) {
    return s->total_seconds > 0 ? (double)s->text_bytes / 1e6 / s->total_seconds : 0;
}

static void print_steps(FILE *out, const nd_job_summary *s) {
    const char *between = "";
    fputc('[', out);
    for (int step = 0; step < ND_SIMILARITY_STEPS; step++) {
        uint64_t rejected = s->rejected_by_similarity[step],
                 duplicates = s->duplicates_by_similarity[step];
        if (rejected + duplicates == 0) continue;
        fprintf(out, "%s[%.2f,%llu,%llu]", between, step / (double)ND_SIMILARITY_STEPS,
                (unsigned long long)rejected, (unsigned long long)duplicates);
        between = ",";
    }
    fputc(']', out);
}

static void print_losses(FILE *out, const loss_notes *losses, const summary_row *row) {
    const loss_note *note = (const loss_note *)(const void *)((const char *)losses + row->offset);
    fwrite(note->text, 1, note->size, out);
}

static double found_at_threshold(const nd_job_summary *s) {
    return s->anchor_plan.anchors ? nd_anchor_plan_probability(&s->anchor_plan, s->plan.threshold)
                                  : nd_plan_probability(&s->plan, s->plan.threshold);
}

static void print_value(FILE *out, const nd_job_summary *summary, const loss_notes *losses,
                        const summary_row *row) {
    const void *place = (const char *)summary + row->offset;
    switch (row->kind) {
    case NUMBER_32: fprintf(out, "%u", (unsigned)*(const uint32_t *)place); break;
    case NUMBER_64: fprintf(out, "%llu", (unsigned long long)*(const uint64_t *)place); break;
    case NUMBER_REAL: print_exact(out, *(const double *)place); break;
    case NUMBER_SECONDS: fprintf(out, "%.6f", *(const double *)place); break;
    case NUMBER_FOUND: fprintf(out, "%.9f", found_at_threshold(summary)); break;
    case NUMBER_STEPS: print_steps(out, summary); break;
    case NUMBER_SPEED: fprintf(out, "%.3f", megabytes_per_second(summary)); break;
    case LOSSES: print_losses(out, losses, row); break;
    }
}

static void print_json(FILE *out, const nd_job_summary *summary, const loss_notes *losses,
                       summary_kind kind, const char *command) {
    unsigned sketch = summary->bits                  ? OF_SIMHASH
                      : summary->sentences           ? OF_SENTENCES
                      : summary->buckets             ? OF_TLSH
                      : summary->anchor_plan.anchors ? OF_ANCHORS
                                                     : OF_MINHASH;
    const unsigned sketches = OF_MINHASH | OF_SIMHASH | OF_SENTENCES | OF_ANCHORS | OF_TLSH;
    fprintf(out, "{\"version\":\"%s\",\"command\":\"%s\"", nd_version(), command);
    for (const summary_row *row = rows; row < rows + ROWS; row++) {
        if (!row_is_of(row, kind) || ((row->of & sketches) && !(row->of & sketch))) continue;
        fprintf(out, ",\"%s\":", row->key);
        print_value(out, summary, losses, row);
    }
    fputs("}\n", out);
}

bool summary_write(const char *path, const nd_job_summary *summary, const loss_notes *losses,
                   summary_kind kind, const char *command) {
    char *text = NULL;
    size_t size = 0;
    nd_error error;
    FILE *out = open_memstream(&text, &size);
    if (out) print_json(out, summary, losses, kind, command);
    bool made = out && fclose(out) == 0;
    bool written = made && nd_write_file(path, text, size, &error) == ND_OK;
    if (!made) complain("--summary: no memory");
    else if (!written) complain("--summary: %s", error.message);
    free(text);
    return written;
}

/* ---- for people */

typedef struct lines {
    FILE *out;
    bool colour;
} lines;

/* Prints a label, a count flush right, and a remark. */
static void count_line(const lines *l, const char *label, uint64_t count, const char *remark) {
    char number[32];
    fprintf(l->out, "%-16s%s%15s%s%s%s\n", label, l->colour ? "\033[1m" : "",
            number_grouped(count, number), l->colour ? "\033[0m" : "", *remark ? "  " : "", remark);
}

static void share_line(const lines *l, const char *label, uint64_t part, uint64_t whole) {
    char text[32];
    snprintf(text, sizeof text, "%.1f %%", whole ? 100 * (double)part / (double)whole : 0);
    count_line(l, label, part, text);
}

static void print_plan(const lines *l, const nd_plan *plan) {
    fprintf(l->out, "%-16s%u bands x %u rows of %u permutations, P(found at %.15g) = %.6f\n",
            "plan", (unsigned)plan->bands, (unsigned)plan->rows, (unsigned)plan->perms,
            plan->threshold, nd_plan_probability(plan, plan->threshold));
}

static bool reads_texts(summary_kind kind) { return OF(kind) & TEXTS; }

static void print_fingerprints(const lines *l, const nd_job_summary *s) {
    fprintf(l->out, "%-16s%u bits, all pairs within %u\n", "fingerprints", (unsigned)s->bits,
            (unsigned)s->k);
}

static void print_sentences(const lines *l, const nd_job_summary *s) {
    fprintf(l->out, "%-16s%u longest, any one equal\n", "sentences", (unsigned)s->sentences);
}

static void print_digests(const lines *l, const nd_job_summary *s) {
    fprintf(l->out, "%-16s%u buckets, all pairs within a distance of %u\n", "TLSH digests",
            (unsigned)s->buckets, (unsigned)s->distance);
}

static void print_anchors(const lines *l, const nd_job_summary *s) {
    const nd_anchor_plan *plan = &s->anchor_plan;
    fprintf(l->out, "%-16s%u anchors, %u found make a candidate, P(found at %.15g) >= %.6f\n",
            "plan", (unsigned)plan->anchors, (unsigned)plan->least, plan->threshold,
            found_at_threshold(s));
}

static bool compares(summary_kind kind) { return OF(kind) & COMPARING; }

static bool removes(summary_kind kind) { return OF(kind) & REMOVING; }

static bool cuts(summary_kind kind) { return OF(kind) & CUTTING; }

static void print_means(const lines *l, const nd_job_summary *s, summary_kind kind) {
    char bytes[32];
    fprintf(l->out, "%-16s%.2f s", "time", s->total_seconds);
    for (nd_stage stage = 0; (OF(kind) & STAGED) && stage < ND_STAGE_COUNT; stage++)
        fprintf(l->out, "%s%s %.2f s", stage ? ", " : ": ", nd_stage_name(stage),
                s->seconds[stage]);
    if (reads_texts(kind))
        fprintf(l->out, "\n%-16s%.1f MB/s of text, ", "speed", megabytes_per_second(s));
    else
        fprintf(l->out, "\n%-16s%.0f fingerprints/s, ", "speed",
                s->total_seconds > 0 ? (double)s->documents / s->total_seconds : 0);
    fprintf(l->out, "%u thread%s\n", (unsigned)s->threads, s->threads == 1 ? "" : "s");
    if (s->peak_memory)
        fprintf(l->out, "%-16s%.0f MiB", "peak memory", (double)s->peak_memory / (1 << 20));
    else fprintf(l->out, "%-16snot known", "peak memory");
    if (s->work_bytes)
        fprintf(l->out, ", %s of working files", number_volume(s->work_bytes, bytes));
    fputc('\n', l->out);
}

static void print_comparisons(const lines *l, const nd_job_summary *s) {
    count_line(l, "candidates", s->candidates, "");
    count_line(l, "  verified", s->verified, "compared exactly");
    count_line(l, "  rejected", s->rejected, "of those, below the threshold");
    if (s->kept_apart > 0)
        count_line(l, "kept apart", s->kept_apart, "pairs that --differ-by tells apart");
}

void summary_print(FILE *out, const nd_job_summary *s, const loss_notes *losses, summary_kind kind,
                   uint32_t max_compare, bool colour) {
    lines l = {out, colour};
    char text[32], input[32], remark[120];
    snprintf(remark, sizeof remark, "%s of text, %s of input", number_volume(s->text_bytes, text),
             number_volume(s->input_bytes, input));
    if (reads_texts(kind)) count_line(&l, "documents", s->documents, remark);
    else count_line(&l, kind == SUMMARY_FIND ? "queries" : "fingerprints", s->documents, "");
    if (kind == SUMMARY_FIND || kind == SUMMARY_JOIN)
        count_line(&l, kind == SUMMARY_FIND ? "matches" : "pairs", s->pairs, "");
    if (removes(kind)) {
        share_line(&l, "kept", s->kept, s->documents);
        share_line(&l, "removed", s->removed, s->documents);
        if (kind == SUMMARY_DEDUP) count_line(&l, "  exact copies", s->exact_copies, "");
        fwrite(losses->lines.text, 1, losses->lines.size, out);
    } else if (kind == SUMMARY_PAIRS || kind == SUMMARY_QUERY) {
        count_line(&l, kind == SUMMARY_QUERY ? "matches" : "pairs", s->pairs,
                   (s->bits || s->buckets) && !(s->plan.threshold > 0)
                       ? "within the distance"
                       : "at or above the threshold");
    } else if (kind == SUMMARY_PASSAGES) {
        count_line(&l, "passages", s->pairs, "");
        share_line(&l, "queries found", s->queries_found, s->queries);
        share_line(&l, "tokens found", s->found_tokens, s->query_tokens);
    } else if (cuts(kind)) {
        share_line(&l, "  removed", s->removed, s->documents);
        share_line(&l, "  changed", s->changed, s->documents);
        if (kind == SUMMARY_LINES) {
            count_line(&l, "units", s->units, "lines, paragraphs or sentences");
            share_line(&l, "  cut", s->units_cut, s->units);
        } else {
            snprintf(remark, sizeof remark, "in %llu pass%s", (unsigned long long)s->passes,
                     s->passes == 1 ? "" : "es");
            count_line(&l, "stretches", s->pairs, remark);
        }
        share_line(&l, "  bytes cut", s->repeated_bytes, s->text_bytes);
    } else if (kind == SUMMARY_WORDS) {
        count_line(&l, "words", s->terms, "");
        share_line(&l, "  written", s->terms_written, s->terms);
    }
    if (compares(kind)) print_comparisons(&l, s);
    if (s->skipped) count_line(&l, "skipped", s->skipped, "bad records left out");
    if (s->duplicate_ids)
        count_line(&l, "duplicate ids", s->duplicate_ids, "told apart by position");
    if (s->without_value)
        count_line(&l, "without value", s->without_value, "of --keep, behind all others");
    if (s->without_digest)
        count_line(&l, "without digest", s->without_digest, "only exact copies are found");
    if (s->spared) count_line(&l, "spared", s->spared, "duplicates that --protect keeps");
    if (s->bounded_documents) {
        snprintf(remark, sizeof remark,
                 "documents, with at most %s comparisons left out (--max-compare %u)",
                 number_grouped(s->bounded_comparisons, text), (unsigned)max_compare);
        count_line(&l, "bounded", s->bounded_documents, remark);
    }
    if (compares(kind) && s->bits) print_fingerprints(&l, s);
    else if (compares(kind) && s->sentences) print_sentences(&l, s);
    else if (compares(kind) && s->buckets) print_digests(&l, s);
    else if (compares(kind) && s->anchor_plan.anchors) print_anchors(&l, s);
    else if (compares(kind)) print_plan(&l, &s->plan);
    print_means(&l, s, kind);
}
