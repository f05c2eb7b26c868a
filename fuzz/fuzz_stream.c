/* The input is a file of a stream. The lowest bit of the first byte says whether the bytes of its
 * state follow, or the arrivals in its log, each a length of 16 bits and its bytes. The next bit
 * chooses between moving centroids and clusters by MinHash. The index of the latter is left out, so
 * that the stream is only read. An error is a valid answer. Everything that was synced is there
 * when the stream is opened again, and looks the same. */
#include "base/bits.h"
#include "stream/stream.h"
#include "target_directory.h"
#include "sealed_bytes.h"
#include "target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 2, SAVED = 8, LENGTH = 2, SHOWN = 1 << 20 };

static const char *const texts[] = {
    "the old mill by the river was sold in spring to a family from the north",
    "seventeen lanterns burn behind the harbour wall and nobody can say who lights them",
    "the old mill by the river was sold in spring to a family from the south",
    "",
    "across the bridge one more road goes down to the sawmill",
    "seventeen lanterns burn behind the harbour wall and nobody can say who lit them",
    "the clock of the town hall stops whenever snow lies on its hands",
    "two ferries a day",
    "the old mill by the river was sold in spring to a family",
    "apples and pears were brought home in baskets before the first frost",
    "two ferries a day go down the river",
    "the clock of the town hall stops whenever snow lies on it",
};
enum { TEXTS = sizeof texts / sizeof *texts };

static const char *work;

/* A stream as it was made: its files, without its index. */
typedef struct small_stream {
    small_file files[8];
    size_t count;
} small_stream;

static small_stream streams[KINDS];

static const small_file *file_of(unsigned kind, const char *prefix) {
    const small_stream *s = &streams[kind];
    for (size_t f = 0; f < s->count; f++)
        if (strncmp(s->files[f].name, prefix, strlen(prefix)) == 0) return &s->files[f];
    target_fail("there is no file %s", prefix);
}

static uint64_t number_of(const small_file *file) {
    return strtoull(strrchr(file->name, '-') + 1, NULL, 10);
}

static bool fine(nd_status status, const nd_error *error) {
    if (status == ND_OK) return true;
    if (error->status != status)
        target_fail("status %d, and %d in the error: %s", (int)status, (int)error->status,
                    error->message);
    if (strlen(error->message) < 5 || strchr(error->message, '\n'))
        target_fail("status %d with the message \"%s\"", (int)status, error->message);
    return false;
}

static void must(nd_status status, const nd_error *error) {
    if (!fine(status, error)) target_fail("%s", error->message);
}

/* ---- making */

static nd_status add(nd_stream *s, size_t i, nd_error *error) {
    char id[16];
    size_t length = (size_t)snprintf(id, sizeof id, "d%zu", i);
    const nd_record document = {.text = texts[i],
                                .length = strlen(texts[i]),
                                .id = id,
                                .id_length = length,
                                .value = i % 4 ? (double)i * 10 : NAN};
    return nd_stream_add(s, &document, NULL, error);
}

/* Some documents are in the state, the others are in the log. */
static void make_stream(unsigned kind) {
    nd_error error;
    nd_stream *s;
    nd_analyzer_options analyzer;
    nd_stream_options o;
    nd_analyzer_options_init(&analyzer, sizeof analyzer);
    nd_stream_options_init(&o, sizeof o);
    analyzer.ngram = kind == 0 ? 1 : 2;
    o.analyzer = &analyzer;
    o.expire = 70;
    o.threshold = 0.5;
    if (kind == 0) o.sketch = ND_SKETCH_SIMHASH, o.mode = ND_STREAM_FOLLOW, o.k = 12;
    target_directory_clear();
    must(nd_stream_open(work, ND_INDEX_WRITE, &o, NULL, &s, &error), &error);
    for (size_t i = 0; i < TEXTS; i++) {
        must(add(s, i, &error), &error);
        if (i + 1 == SAVED) must(nd_stream_sync(s, &error), &error);
        if (i + 1 == SAVED)
            must(nd_stream_files_save(&s->files, &s->settings, s->clusters, &error), &error);
    }
    nd_stream_close(s);
    streams[kind].count = target_directory_load(
        streams[kind].files, sizeof streams[kind].files / sizeof *streams[kind].files);
}

/* ---- writing the files */

static void put_arrivals(const char *path, uint64_t number, const uint8_t *bytes, size_t size) {
    nd_error error;
    nd_wal *log;
    must(nd_wal_create(path, number, &nd_allocator_default, &log, &error), &error);
    for (size_t at = 0, length; at + LENGTH <= size; at += LENGTH + length) {
        length = bytes[at] | (size_t)bytes[at + 1] << 8;
        if (length > size - at - LENGTH) length = size - at - LENGTH;
        must(nd_wal_append(log, ND_STREAM_RECORD, bytes + at + LENGTH, length, &error), &error);
    }
    must(nd_wal_commit_and_sync(log, &error), &error);
    nd_wal_close(log);
}

static void lay(unsigned kind, bool arrivals, const uint8_t *bytes, size_t size) {
    const small_file *changed = file_of(kind, arrivals ? "log-" : "clusters-");
    target_directory_clear();
    for (size_t f = 0; f < streams[kind].count; f++) {
        const small_file *file = &streams[kind].files[f];
        if (file != changed) target_directory_put(file->name, file->bytes, file->size);
    }
    if (!arrivals) {
        target_directory_put(changed->name, bytes, size);
        return;
    }
    char path[400];
    snprintf(path, sizeof path, "%s/%s", work, changed->name);
    put_arrivals(path, number_of(changed), bytes, size);
}

/* ---- using */

typedef struct shown {
    char *text;
    size_t size;
} shown;

static void put(shown *to, const void *bytes, size_t size) {
    if (size > SHOWN - to->size) size = SHOWN - to->size;
    if (size > 0) memcpy(to->text + to->size, bytes, size);
    to->size += size;
}

/* nd_stream_cluster_fn. Reads ids and terms to their ends, for the sanitizers. */
static bool show(void *context, const nd_stream_cluster *c) {
    shown *to = context;
    const uint64_t numbers[] = {c->size, c->founded, c->grown, c->centre.low, c->centre.high};
    put(to, numbers, sizeof numbers);
    put(to, c->cluster, c->cluster_length);
    put(to, c->central, c->central_length);
    for (size_t t = 0; t < c->topic_count; t++) {
        put(to, c->topics[t].term, c->topics[t].length);
        put(to, &c->topics[t].weight, sizeof c->topics[t].weight);
    }
    for (uint64_t m = 0; m < c->size; m++) put(to, c->members[m].id, c->members[m].length);
    return true;
}

static bool look(nd_stream *s, shown *to) {
    nd_error error;
    nd_stream_info info = {.struct_size = sizeof info};
    must(nd_stream_describe(s, &info, &error), &error);
    to->size = 0;
    put(to, &info.documents, sizeof info.documents);
    return fine(nd_stream_clusters(s, 1, ND_STREAM_TOPICS, true, show, to, &error), &error);
}

static bool read_stream(shown *to) {
    nd_error error;
    nd_stream *s;
    if (!fine(nd_stream_open(work, ND_INDEX_READ, NULL, NULL, &s, &error), &error)) return false;
    bool whole = look(s, to);
    nd_stream_close(s);
    return whole;
}

/* Returns whether all documents have been added and synced. */
static bool go_on(nd_stream *s) {
    nd_error error;
    bool whole = true;
    nd_stream_set_topics(s, 3);
    for (size_t i = 0; i < TEXTS && whole; i++) whole = fine(add(s, i, &error), &error);
    whole = whole && fine(nd_stream_sync(s, &error), &error);
    return whole &&
           fine(nd_stream_files_save(&s->files, &s->settings, s->clusters, &error), &error);
}

static void use(unsigned kind) {
    static char texts_shown[2][SHOWN];
    shown before = {texts_shown[0], 0}, after = {texts_shown[1], 0};
    nd_error error;
    nd_stream *s;
    nd_stream_options *options = NULL;
    bool whole = read_stream(&before);
    if (fine(nd_stream_read_options(work, NULL, &options, &error), &error) && !options)
        target_fail("no stream is found");
    nd_stream_options_free(options);
    if (kind != 0 || !fine(nd_stream_open(work, ND_INDEX_WRITE, NULL, NULL, &s, &error), &error))
        return;
    if (whole && (!look(s, &after) || after.size != before.size ||
                  memcmp(after.text, before.text, after.size) != 0))
        target_fail("a writer and a reader see different streams");
    whole = go_on(s) && look(s, &before);
    nd_stream_close(s);
    if (whole && (!read_stream(&after) || after.size != before.size ||
                  memcmp(after.text, before.text, after.size) != 0))
        target_fail("the stream is not in its synced state");
}

/* ---- the target */

typedef struct seed {
    uint8_t bytes[1 << 14];
    size_t size;
} seed;

/* nd_wal_record_fn */
static nd_status take_arrival(void *context, uint16_t type, const unsigned char *payload,
                              size_t size, nd_error *error) {
    seed *to = context;
    (void)type, (void)error;
    if (to->size + LENGTH + size > sizeof to->bytes) target_fail("too much to begin with");
    to->bytes[to->size] = (uint8_t)size;
    to->bytes[to->size + 1] = (uint8_t)(size >> 8);
    memcpy(to->bytes + to->size + LENGTH, payload, size);
    to->size += LENGTH + size;
    return ND_OK;
}

static void write_seeds(const char *directory, unsigned kind) {
    static seed state, arrivals;
    nd_error error;
    nd_wal_tail tail;
    char path[400];
    const small_file *file = file_of(kind, "clusters-"), *log = file_of(kind, "log-");
    if (file->size + 1 > sizeof state.bytes) target_fail("%s: too large to begin with", file->name);
    state.bytes[0] = (uint8_t)(2 * kind);
    memcpy(state.bytes + 1, file->bytes, file->size);
    target_write_seed(directory, kind ? "minhash" : "follow", state.bytes, file->size + 1);
    arrivals.bytes[0] = (uint8_t)(2 * kind + 1);
    arrivals.size = 1;
    target_directory_clear();
    target_directory_put(log->name, log->bytes, log->size);
    snprintf(path, sizeof path, "%s/%s", work, log->name);
    must(nd_wal_read(path, number_of(log), take_arrival, &arrivals, &nd_allocator_default, &tail,
                     &error),
         &error);
    target_write_seed(directory, kind ? "founds" : "nearest", arrivals.bytes, arrivals.size);
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed) {
    uint64_t random = seed;
    if (size < 2) return mutate_bytes(bytes, size, most, &random);
    if (bytes[0] & 1) return mutate_bytes(bytes + 1, size - 1, most - 1, &random) + 1;
    return sealed_mutate(bytes + 1, size - 1, most - 1, &random) + 1;
}

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    work = target_directory_make();
    for (unsigned kind = 0; kind < KINDS; kind++) make_stream(kind);
    const char *seeds = target_seeds(*count, *arguments);
    if (!seeds) return 0;
    for (unsigned kind = 0; kind < KINDS; kind++) write_seeds(seeds, kind);
    exit(0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size == 0) return 0;
    unsigned kind = bytes[0] >> 1 & 1;
    lay(kind, bytes[0] & 1, bytes + 1, size - 1);
    use(kind);
    return 0;
}
