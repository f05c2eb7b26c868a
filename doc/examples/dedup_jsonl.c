/* Near-duplicates of a JSON Lines file: what happens to each record, by a callback, and the
 * summary. */
#include <neardup.h>
#include <stdio.h>

static bool print_decision(void *context, const nd_decision *d) {
    (void)context;
    if (d->kept) printf("keep    %.*s\n", (int)d->id_length, d->id);
    else
        printf("remove  %.*s: a copy of %.*s, %.3f (%d of %d shingles)\n", (int)d->id_length, d->id,
               (int)d->evidence_id_length, d->evidence_id, d->jaccard, (int)d->intersection,
               (int)d->set_union);
    return true; /* go on */
}

static void print_warning(void *context, const char *message) {
    (void)context;
    fprintf(stderr, "%s\n", message);
}

int main(int argc, char **argv) {
    const char *input = argc > 1 ? argv[1] : "notices.jsonl";
    nd_job_options options;
    nd_job_options_init(&options);
    options.inputs = &input;
    options.input_count = 1;
    options.threshold = 0.5;
    options.on_decision = print_decision;
    options.on_warning = print_warning;

    nd_error error;
    nd_job_summary summary;
    if (nd_dedup(&options, &summary, &error) != ND_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    printf("%d documents, %d kept, %d removed, %d of them exact copies\n", (int)summary.documents,
           (int)summary.kept, (int)summary.removed, (int)summary.exact_copies);
    return 0;
}
