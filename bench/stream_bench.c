/* stream_bench DIRECTORY: measures a stream through the public interface, with texts in memory.
 *
 * First it fills the stream with --clusters N clusters. Their documents have 24 words drawn from
 * 400,000 artificial words, so that nearly each founds a cluster. Then --documents of news size
 * (spliced.h) arrive through nd_stream_run with --threads N (default 1), in --rounds N rounds
 * (default 1) under new ids; from the second round on all are duplicates. Each round is timed until
 * its last answer. --topics N returns this many topics with each answer. Then the stream is closed,
 * and opening it for writing is timed. The time of a save is the time of the slowest sync while the
 * stream is filled. Prints one JSON object. The directory must not exist; it is not removed. */
#define PROGRAM_NAME "stream_bench"
#include "neardup.h"
#include "program.h"
#include "spliced.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

enum { FILL_WORDS = 24, VOCABULARY = 400000, SYNCED = 512 };

static void must(nd_status status, const nd_error *error) {
    if (status != ND_OK) stop(error->message);
}

static double sync_now(nd_stream *s) {
    nd_error error;
    double start = now();
    must(nd_stream_sync(s, &error), &error);
    return now() - start;
}

static void add(nd_stream *s, const char *kind, uint64_t i, const char *text, size_t length) {
    nd_error error;
    char id[32];
    size_t id_length = (size_t)snprintf(id, sizeof id, "%s-%llu", kind, (unsigned long long)i);
    const nd_record document = {
        .text = text, .length = length, .id = id, .id_length = id_length, .value = NAN};
    must(nd_stream_add(s, &document, NULL, &error), &error);
}

/* Adds documents until there are this many clusters. Returns the seconds of the slowest sync. */
static double fill(nd_stream *s, uint64_t clusters) {
    nd_stream_info info = {.struct_size = sizeof info};
    nd_error error;
    uint64_t state = 1;
    double slowest = 0;
    for (uint64_t i = 0; info.clusters < clusters; i++) {
        char text[16 * FILL_WORDS];
        size_t size = 0;
        for (int w = 0; w < FILL_WORDS; w++)
            size += (size_t)sprintf(text + size, "x%llx ",
                                    (unsigned long long)random_below(&state, VOCABULARY));
        add(s, "fill", i, text, size);
        must(nd_stream_describe(s, &info, &error), &error);
        if (i % SYNCED) continue;
        double took = sync_now(s);
        if (took > slowest) slowest = took;
    }
    sync_now(s);
    return slowest;
}

/* Documents of news size in memory, and the next one to hand over. */
typedef struct news {
    char *texts;
    size_t *begins; /* has documents + 1 offsets */
    uint64_t documents, given, answered, round;
    char id[48];
} news;

static void make_news(news *n, const material *m, uint64_t documents) {
    n->begins = sized(NULL, documents + 1, sizeof *n->begins);
    n->begins[0] = 0;
    for (size_t i = 0, room = 0; i < documents; i++) {
        if (n->begins[i] + SPLICED_ROOM > room)
            n->texts = sized(n->texts, 1, room = 2 * n->begins[i] + SPLICED_ROOM);
        n->begins[i + 1] = n->begins[i] + spliced_document(m, i, n->texts + n->begins[i]);
    }
    n->documents = documents;
}

/* nd_record_fn */
static int give(void *context, nd_record *out) {
    news *n = context;
    if (n->given == n->documents) return 0;
    *out = (nd_record){.text = n->texts + n->begins[n->given],
                       .length = n->begins[n->given + 1] - n->begins[n->given],
                       .id = n->id,
                       .value = NAN};
    out->id_length = (size_t)snprintf(n->id, sizeof n->id, "news-%llu-%llu",
                                      (unsigned long long)n->round, (unsigned long long)n->given++);
    return 1;
}

/* nd_stream_answer_fn */
static bool count_answer(void *context, const nd_stream_answer *answer) {
    (void)answer;
    ((news *)context)->answered++;
    return true;
}

typedef struct moment {
    double time, processor; /* of all threads */
    double ran, waited;     /* of this thread: time on a processor, and time waiting for a processor
                               that others had; 0 if the system does not report it */
} moment;

static moment moment_now(void) {
    unsigned long long ran = 0, waited = 0;
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    if (file && fscanf(file, "%llu %llu", &ran, &waited) != 2) ran = waited = 0;
    if (file) fclose(file);
    return (moment){now(), (double)clock() / CLOCKS_PER_SEC, (double)ran / 1e9,
                    (double)waited / 1e9};
}

typedef struct arrived {
    double seconds, processor, waited; /* processor time of other processes, at least: the time of
                                          the stream's other threads is subtracted */
} arrived;

static arrived arrive(nd_stream *s, news *n, uint32_t threads) {
    nd_error error;
    nd_input_options input;
    nd_resources resources;
    nd_input_options_init(&input, sizeof input);
    nd_resources_init(&resources, sizeof resources);
    input.records = give;
    input.records_context = n;
    resources.threads = threads;
    const nd_stream_run_options options = {
        .struct_size = sizeof options, .input = &input, .resources = &resources};
    n->given = n->answered = 0;
    n->round++;
    const moment start = moment_now();
    must(nd_stream_run(s, &options, count_answer, n, NULL, &error), &error);
    if (n->answered != n->documents) stop("documents without an answer");
    const moment end = moment_now();
    arrived took = {end.time - start.time, end.processor - start.processor, 0};
    double others = end.waited - start.waited - (took.processor - (end.ran - start.ran));
    if (end.ran > 0 && others > 0) took.waited = others;
    return took;
}

static uint64_t peak_memory(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_maxrss * 1024;
}

static const char usage[] =
    "usage: stream_bench [--clusters N] [--documents N] [--threshold S | --k K "
    "[--follow]] [--topics N] [--threads N] [--rounds N] [--material FILE] DIRECTORY";

int main(int count, char **arguments) {
    uint64_t clusters = 1000000, documents = 40960;
    uint32_t topics = 0, threads = 1;
    int rounds = 1;
    const char *path = NULL, *file = NULL;
    nd_stream_options options;
    nd_stream_options_init(&options, sizeof options);
    for (int i = 1; i < count; i++) {
        const char *a = arguments[i], *value = i + 1 < count ? arguments[i + 1] : "";
        if (strcmp(a, "--clusters") == 0) clusters = strtoull(value, NULL, 10), i++;
        else if (strcmp(a, "--documents") == 0) documents = strtoull(value, NULL, 10), i++;
        else if (strcmp(a, "--material") == 0) file = value, i++;
        else if (strcmp(a, "--threshold") == 0) options.threshold = atof(value), i++;
        else if (strcmp(a, "--k") == 0)
            options.sketch = ND_SKETCH_SIMHASH, options.k = (uint32_t)atoi(value), i++;
        else if (strcmp(a, "--threads") == 0) threads = (uint32_t)atoi(value), i++;
        else if (strcmp(a, "--rounds") == 0) rounds = atoi(value), i++;
        else if (strcmp(a, "--topics") == 0) topics = (uint32_t)atoi(value), i++;
        else if (strcmp(a, "--follow") == 0) options.mode = ND_STREAM_FOLLOW;
        else if (a[0] != '-') path = a;
        else stop(usage);
    }
    if (!path) stop(usage);
    material m = {.limit = 16 << 20};
    if (!(file ? material_add_file(&m, file) : material_add_machine(&m)) || m.count < 1000)
        stop("too little material");
    nd_error error;
    nd_stream *s;
    must(nd_stream_open(path, ND_INDEX_WRITE, &options, NULL, &s, &error), &error);
    uint64_t empty = peak_memory();
    double start = now(), save = fill(s, clusters), filled = now() - start;
    uint64_t full = peak_memory();
    nd_stream_info info = {.struct_size = sizeof info}, filling = {.struct_size = sizeof filling};
    must(nd_stream_describe(s, &filling, &error), &error);
    news n = {0};
    make_news(&n, &m, documents);
    nd_stream_set_topics(s, topics);
    arrived took = arrive(s, &n, threads), again = took;
    for (int i = 1; i < rounds; i++) again = arrive(s, &n, threads);
    must(nd_stream_describe(s, &info, &error), &error);
    nd_stream_close(s);
    start = now();
    must(nd_stream_open(path, ND_INDEX_WRITE, NULL, NULL, &s, &error), &error);
    double opened = now() - start;
    nd_stream_close(s);
    printf("{\"clusters\": %llu, \"fill_seconds\": %.2f, \"empty_bytes\": %llu, \"filled_bytes\": "
           "%llu, \"cluster_memory\": %llu, \"centre_memory\": %llu, \"documents\": %llu, "
           "\"text_mb\": %.1f, \"seconds\": %.3f, \"processor_seconds\": %.3f, \"waited_seconds\": "
           "%.3f, "
           "\"documents_a_second\": %.0f, \"clusters_then\": %llu, \"save_seconds\": %.3f, "
           "\"take_up_seconds\": %.3f, \"file_bytes\": %llu, \"last_round_seconds\": %.3f, "
           "\"last_round_processor_seconds\": %.3f}\n",
           (unsigned long long)clusters, filled, (unsigned long long)empty,
           (unsigned long long)full, (unsigned long long)filling.cluster_memory,
           (unsigned long long)filling.centre_memory, (unsigned long long)documents,
           (double)n.begins[documents] / 1e6, took.seconds, took.processor, took.waited,
           (double)documents / took.seconds, (unsigned long long)info.clusters, save, opened,
           (unsigned long long)info.bytes, again.seconds, again.processor);
    free(n.texts);
    free(n.begins);
    material_free(&m);
    return 0;
}
