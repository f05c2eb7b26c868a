/*
 * stream_bench DIRECTORY: a stream by the calls of the library, texts in memory.
 *
 * It is filled to --clusters N, with documents of 24 words drawn from 400,000 that do not exist, so
 * that nearly each founds a cluster. Then --documents of news size (spliced.h) arrive by
 * nd_stream_run with --threads N (default 1), --rounds N times over under new ids (default once;
 * from the second round on all are duplicates), and each round is timed until its last answer
 * (--topics N: with so many topics). Then the stream is closed, and opening it for writing is
 * timed. The time of a save is that of the slowest sync during the filling. Prints one JSON object.
 * The directory must not exist; it is left behind.
 */
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
    must(nd_stream_add(s, id, id_length, text, length, NAN, NULL, &error), &error);
}

/* Until there are so many clusters. Returns the seconds of the slowest sync. */
static double fill(nd_stream *s, uint64_t clusters) {
    nd_stream_info info = {0};
    uint64_t state = 1;
    double slowest = 0;
    for (uint64_t i = 0; info.clusters < clusters; i++) {
        char text[16 * FILL_WORDS];
        size_t size = 0;
        for (int w = 0; w < FILL_WORDS; w++)
            size += (size_t)sprintf(text + size, "x%llx ",
                                    (unsigned long long)random_below(&state, VOCABULARY));
        add(s, "fill", i, text, size);
        nd_stream_describe(s, &info);
        if (i % SYNCED) continue;
        double took = sync_now(s);
        if (took > slowest) slowest = took;
    }
    sync_now(s);
    return slowest;
}

/* Documents of news size, in memory, and how far they have come. */
typedef struct news {
    char *texts;
    size_t *begins; /* documents + 1 */
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
                       .priority = NAN};
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
    double ran, waited; /* of this thread: on a processor, and for one that others had; 0 where the
                           system does not tell */
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
    double seconds, processor, waited; /* for other processes, at least: what the stream's other
                                          thread has had is taken off */
} arrived;

static arrived arrive(nd_stream *s, news *n, uint32_t threads) {
    nd_error error;
    nd_job_options job;
    nd_job_options_init(&job);
    job.records = give;
    job.records_context = n;
    job.threads = threads;
    n->given = n->answered = 0;
    n->round++;
    const moment start = moment_now();
    must(nd_stream_run(s, &job, count_answer, n, NULL, &error), &error);
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

int main(int count, char **arguments) {
    uint64_t clusters = 1000000, documents = 40960;
    uint32_t topics = 0, threads = 1;
    int rounds = 1;
    const char *path = NULL, *file = NULL;
    nd_stream_options options;
    nd_stream_options_init(&options);
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
        else path = a;
    }
    if (!path)
        stop("usage: stream_bench [--clusters N] [--documents N] [--threshold S | --k K "
             "[--follow]] [--topics N] [--threads N] [--rounds N] [--material FILE] DIRECTORY");
    material m = {.limit = 16 << 20};
    if (!(file ? material_add_file(&m, file) : material_add_machine(&m)) || m.count < 1000)
        stop("too little material");
    nd_error error;
    nd_stream *s;
    must(nd_stream_open(path, ND_INDEX_WRITE, &options, NULL, &s, &error), &error);
    uint64_t empty = peak_memory();
    double start = now(), save = fill(s, clusters), filled = now() - start;
    uint64_t full = peak_memory();
    nd_stream_info info, filling;
    nd_stream_describe(s, &filling);
    news n = {0};
    make_news(&n, &m, documents);
    nd_stream_set_topics(s, topics);
    arrived took = arrive(s, &n, threads), again = took;
    for (int i = 1; i < rounds; i++) again = arrive(s, &n, threads);
    nd_stream_describe(s, &info);
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
