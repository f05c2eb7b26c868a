/* A stream, its documents and its expected states: see stream_model.h. */
#include "durability/stream_model.h"

#include "base/limits.h"
#include "durability/documents.h"
#include "durability/image.h"
#include "durability/system.h"
#include "stream/stream.h"
#include "small_corpus.h"

static stream_kind used;
static corpus documents;
static char *expected[ARRIVALS + 1]; /* the stream as text, after each number of documents */
static seen now;

unsigned stream_sparse(void) { return ND_LIMIT(20, 1) * test_sparsity(); }

const char *stream_name(void) {
    return used == STREAM_FOLLOWS ? "centres that follow" : "leaders by MinHash";
}

nd_stream_options stream_options(void) {
    static const nd_analyzer_options pairs = {sizeof pairs, .kind = ND_WORDS, .ngram = 2,
                                              .seed = 1};
    nd_stream_options o;
    nd_stream_options_init(&o, sizeof o);
    o.expire = 150;
    if (used == STREAM_MINHASH) {
        o.analyzer = &pairs;
        o.threshold = 0.6;
        return o;
    }
    o.sketch = ND_SKETCH_SIMHASH;
    o.mode = ND_STREAM_FOLLOW;
    o.k = 10;
    return o;
}

static nd_status add(nd_stream *s, unsigned d, nd_error *error) {
    char id[16];
    size_t length = (size_t)snprintf(id, sizeof id, "d%u", d);
    const nd_record document = {.text = documents.text[d],
                                .length = strlen(documents.text[d]),
                                .id = id,
                                .id_length = length,
                                .value = d % 5 ? d * 10.0 : NAN};
    return nd_stream_add(s, &document, NULL, error);
}

/* Documents before `synced` are answered when the sync that is running ends. */
typedef struct feeding {
    nd_stream *s;
    unsigned *answered, synced;
    bool reported;
} feeding;

/* nd_stream_synced_fn */
static void report(void *context) { ((feeding *)context)->reported = true; }

static nd_status end_sync(feeding *f, nd_error *error) {
    nd_status status = nd_stream_end_sync(f->s, error);
    if (status != ND_OK) return status;
    if (f->synced > *f->answered && !f->reported) broken("synced, but the callback did not come");
    *f->answered = f->synced;
    return ND_OK;
}

/* Syncs at once, or while the next documents are added. */
static nd_status sync_some(feeding *f, unsigned to, bool at_once, nd_error *error) {
    nd_status status = end_sync(f, error);
    if (status == ND_OK) system_note(*f->answered, to);
    f->reported = false;
    f->synced = to;
    if (status == ND_OK)
        status = at_once ? nd_stream_sync(f->s, error)
                         : nd_stream_begin_sync(f->s, report, f, error);
    if (status != ND_OK || !at_once) return status;
    f->reported = true;
    *f->answered = to;
    system_note(to, to);
    return ND_OK;
}

nd_status stream_feed(nd_stream *s, unsigned from, unsigned to, uint64_t *seed, unsigned *answered,
                      nd_error *error) {
    feeding f = {.s = s, .answered = answered, .synced = from};
    nd_status status = ND_OK;
    *answered = from;
    system_note(*answered, from);
    for (unsigned d = from; d < to && status == ND_OK; d++) {
        system_note(*answered, d + 1);
        status = add(s, d, error);
        if (status == ND_OK &&
            (d + 1 == to || d + 1 - f.synced == UNANSWERED || !random_below(seed, 4)))
            status = sync_some(&f, d + 1, d + 1 == to || random_below(seed, 2), error);
    }
    /* Whatever has failed: no callback comes after this call returns. */
    nd_error ignored;
    if (nd_stream_end_sync(s, &ignored) == ND_OK && f.reported) *answered = f.synced;
    return status;
}

/* ---- observing a stream */

void stream_use(stream_kind kind, uint64_t seed) {
    nd_error error;
    nd_stream *s;
    used = kind;
    make_corpus(&documents, seed, ARRIVALS);
    nd_stream_options o = stream_options();
    must(nd_stream_open("clean", ND_INDEX_WRITE, &o, NULL, &s, &error), &error);
    for (unsigned d = 0; d <= ARRIVALS; d++) {
        if (d > 0) must(add(s, d - 1, &error), &error);
        must(stream_look(s, &now, &error), &error);
        expected[d] = strdup(now.text);
        assert_non_null(expected[d]);
    }
    nd_stream_close(s);
    remove_directory("clean");
}

void stream_end(void) {
    free_corpus(&documents);
    for (unsigned d = 0; d <= ARRIVALS; d++) free(expected[d]);
}

nd_status stream_observe(nd_stream *s, unsigned *count, nd_error *error) {
    nd_stream_info info = {.struct_size = sizeof info};
    must(nd_stream_describe(s, &info, error), error);
    *count = (unsigned)info.documents;
    nd_status status = stream_look(s, &now, error);
    if (status != ND_OK) return status;
    if (info.documents > ARRIVALS || strcmp(now.text, expected[info.documents]) != 0)
        broken("the stream shows, not\n%s\nbut\n%s",
               info.documents > ARRIVALS ? "" : expected[info.documents], now.text);
    return ND_OK;
}

static nd_stream *open_surely(const char *path, nd_index_mode mode) {
    nd_error error;
    nd_stream *s;
    nd_stream_options o = stream_options();
    must(nd_stream_open(path, mode, &o, NULL, &s, &error), &error);
    return s;
}

bool stream_open_surely(const char *path, unsigned answered, unsigned begun) {
    nd_error error;
    nd_stream *s;
    unsigned count;
    nd_status status = nd_stream_open(path, ND_INDEX_READ, NULL, NULL, &s, &error);
    if (status != ND_OK) {
        must_report(status, &error);
        if (answered > 0 || !strstr(error.message, "no stream is there"))
            broken("not opened: %s", error.message);
        return false;
    }
    must(stream_observe(s, &count, &error), &error);
    if (count < answered || count > begun)
        broken("%u documents, not %u to %u", count, answered, begun);
    nd_stream_close(s);
    return true;
}

void stream_go_on(const char *path, unsigned answered, uint64_t *seed) {
    nd_error error;
    unsigned count, done, middle = answered + (unsigned)random_below(seed, ARRIVALS - answered + 1);
    nd_stream *s = open_surely(path, ND_INDEX_WRITE);
    must(stream_feed(s, answered, middle, seed, &done, &error), &error);
    if (random_below(seed, 2)) {
        nd_stream_close(s);
        s = open_surely(path, ND_INDEX_WRITE);
    }
    must(stream_feed(s, middle, ARRIVALS, seed, &done, &error), &error);
    must(stream_observe(s, &count, &error), &error);
    nd_stream_close(s);
    stream_open_surely(path, ARRIVALS, ARRIVALS);
}
