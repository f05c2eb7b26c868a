/* text_reader INPUT [--threads N] [--digests]: reads the documents of an input by nd_texts, without
 * writing them, as bench/inputs, bench/parquet and bench/warc measure it. Prints one JSON object:
 * documents, bytes of text, and seconds by the clock and of the processor. */
#define PROGRAM_NAME "text_reader"
#include "neardup.h"
#include "program.h"

#include <string.h>

/* nd_text_fn */
static bool count_text(void *context, const nd_text *text) {
    uint64_t *bytes = context;
    *bytes += text->length;
    return true;
}

int main(int argc, char **argv) {
    nd_input_options input;
    nd_resources resources;
    nd_job_summary summary = {.struct_size = sizeof summary};
    nd_error error;
    uint64_t bytes = 0;
    nd_input_options_init(&input, sizeof input);
    nd_resources_init(&resources, sizeof resources);
    input.ignore_digests = input.skip_errors = true;
    input.html = ND_PAGES_SOURCE; /* the payloads as they are, as other readers have them */
    resources.threads = 1;
    if (argc < 2) stop("an input is missing");
    const char *inputs[] = {argv[1]};
    input.inputs = inputs;
    input.input_count = 1;
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "--digests") == 0) input.ignore_digests = false;
        else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
            resources.threads = (uint32_t)strtoul(argv[++i], NULL, 10);
        else stop("an argument is unknown");
    }
    double began = now();
    if (nd_texts(&input, count_text, &bytes, &resources, &summary, &error) != ND_OK)
        stop(error.message);
    printf("{\"documents\":%llu,\"bytes\":%llu,\"seconds\":%.6f,\"processor\":%.6f}\n",
           (unsigned long long)summary.documents, (unsigned long long)bytes, now() - began,
           (double)clock() / CLOCKS_PER_SEC);
    return 0;
}
