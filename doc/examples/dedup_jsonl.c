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
    const char *path = argc > 1 ? argv[1] : "notices.jsonl";
    nd_input_options input;
    nd_input_options_init(&input, sizeof input);
    input.inputs = &path;
    input.input_count = 1;

    nd_similarity_options similarity;
    nd_similarity_options_init(&similarity, sizeof similarity);
    similarity.threshold = 0.5;

    nd_resources resources;
    nd_resources_init(&resources, sizeof resources);
    resources.on_warning = print_warning;

    nd_output_options outputs = {.struct_size = sizeof outputs, .on_decision = print_decision};

    nd_dedup_options options = {.struct_size = sizeof options,
                                .input = &input,
                                .similarity = &similarity,
                                .outputs = &outputs,
                                .resources = &resources};
    nd_error error;
    nd_job_summary summary = {.struct_size = sizeof summary};
    if (nd_dedup(&options, &summary, &error) != ND_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    printf("%d documents, %d kept, %d removed, %d of them exact copies\n", (int)summary.documents,
           (int)summary.kept, (int)summary.removed, (int)summary.exact_copies);
    return 0;
}
