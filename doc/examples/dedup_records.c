/* Near-duplicates among records in memory: documents come from one callback, decisions go to
 * another. The longest of each group stays. */
#include <neardup.h>
#include <stdio.h>
#include <string.h>

static const char *const texts[] = {
    "Rain is expected in the north and along the coast this evening",
    "Trains to the airport leave every ten minutes from platform two",
    "Rain is expected in the north and along the coast this evening with strong wind",
    "Trains to the airport leave every ten minutes from platform three",
    "Trains to the airport leave every ten minutes from platform two",
};
enum { COUNT = sizeof texts / sizeof *texts };

static int next_record(void *context, nd_record *out) {
    size_t *next = context;
    if (*next == COUNT) return 0;
    *out = (nd_record){.text = texts[*next],
                       .length = strlen(texts[*next])}; /* no id: the record's number, from 1 */
    ++*next;
    return 1;
}

static bool store_decision(void *context, const nd_decision *d) {
    size_t *evidence = context;
    evidence[d->document] = (size_t)d->evidence;
    return true;
}

int main(void) {
    size_t next = 0, evidence[COUNT];
    nd_input_options input;
    nd_input_options_init(&input, sizeof input);
    input.records = next_record;
    input.records_context = &next;
    input.records_stay = true; /* the texts are read where they are */

    nd_analyzer_options analyzer;
    nd_analyzer_options_init(&analyzer, sizeof analyzer);
    analyzer.ngram = 3;

    nd_similarity_options similarity;
    nd_similarity_options_init(&similarity, sizeof similarity);
    similarity.analyzer = &analyzer;
    similarity.threshold = 0.75;

    nd_survivor_options survivors = {.struct_size = sizeof survivors, .keep = ND_KEEP_LONGEST};
    nd_output_options outputs = {
        .struct_size = sizeof outputs, .on_decision = store_decision, .context = evidence};

    nd_dedup_options options = {.struct_size = sizeof options,
                                .input = &input,
                                .similarity = &similarity,
                                .survivors = &survivors,
                                .outputs = &outputs};
    nd_error error;
    if (nd_dedup(&options, NULL, &error) != ND_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    for (size_t i = 0; i < COUNT; i++) {
        if (evidence[i] == i) printf("%zu stays\n", i);
        else printf("%zu duplicates %zu\n", i, evidence[i]);
    }
    return 0;
}
