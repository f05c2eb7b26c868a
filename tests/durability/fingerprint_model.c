/* Fingerprints instead of documents: see fingerprint_model.h. */
#include "durability/fingerprint_model.h"

#include "base/status.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

nd_hamming_options fingerprint_options(void) {
    if (content() == CONTENT_NUMBERS)
        return (nd_hamming_options){
            .struct_size = sizeof(nd_hamming_options), .bits = 128, .k = 4, .numbered = true};
    return (nd_hamming_options){.struct_size = sizeof(nd_hamming_options), .bits = 64, .k = 3};
}

static nd_fingerprint flip(nd_fingerprint f, unsigned bits, uint64_t seed) {
    uint32_t width = fingerprint_options().bits;
    while (bits-- > 0) {
        uint64_t bit = random_below(&seed, width);
        if (bit < 64) f.low ^= UINT64_C(1) << bit;
        else f.high ^= UINT64_C(1) << (bit - 64);
    }
    return f;
}

/* Of eight documents, one has the fingerprint of the document before it, and another one has a
 * fingerprint near its predecessor's. */
static nd_fingerprint fingerprint_of(unsigned document, unsigned version) {
    unsigned first = document % 8 == 2 || document % 8 == 4 ? document - 1 : document;
    uint64_t seed = first * 1000 + version;
    nd_fingerprint f = {random_next(&seed), random_next(&seed)};
    if (fingerprint_options().bits <= 64) f.high = 0;
    return document % 8 == 4 ? flip(f, 2, seed) : f;
}

static bool equal(nd_fingerprint a, nd_fingerprint b) { return a.low == b.low && a.high == b.high; }

/* Returns a query, at the greatest distance from the fingerprint at which it is found, or nearer.
 */
static nd_fingerprint query_of(unsigned document, unsigned version) {
    return flip(fingerprint_of(document, version),
                (document + version) % (fingerprint_options().k + 1), document * 1000 + version);
}

/* ---- ids */

/* Numbers ascend across this process and its children. The remainder of a number gives the
 * document. */
static uint32_t *last_number;

void fingerprint_numbers_begin(void) {
    if (last_number) return;
    last_number = mmap(NULL, sizeof *last_number, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(last_number != MAP_FAILED);
}

typedef struct given_id {
    char digits[16];
    const char *bytes;
    size_t length;
} given_id;

static void give_id(unsigned document, given_id *out) {
    if (content() == CONTENT_FINGERPRINTS) {
        out->bytes = document_id(document, &out->length);
        return;
    }
    uint32_t number = __atomic_add_fetch(last_number, 1, __ATOMIC_SEQ_CST) * DOCUMENTS + document;
    out->length = (size_t)snprintf(out->digits, sizeof out->digits, "%u", (unsigned)number);
    out->bytes = out->digits;
}

static unsigned document_of(const char *id, size_t length) {
    char digits[16] = "";
    if (content() == CONTENT_NUMBERS) {
        if (length >= sizeof digits) broken("the id of a match has %zu bytes", length);
        memcpy(digits, id, length);
        return (unsigned)strtoul(digits, NULL, 10) % DOCUMENTS;
    }
    for (unsigned d = 0; d < DOCUMENTS; d++) {
        size_t own_length;
        const char *own = document_id(d, &own_length);
        if (own_length == length && memcmp(own, id, length) == 0) return d;
    }
    broken("a match has the id %.*s, which none has", (int)length, id);
}

/* ---- searching */

/* Checks without knowing the content: the match is a document, and has the distance that it claims.
 */
static void check_match(const nd_hamming_match *m, nd_fingerprint query, uint32_t k) {
    unsigned d = document_of(m->id, m->id_length), version = 1;
    while (version <= TEXTS && !equal(m->fingerprint, fingerprint_of(d, version))) version++;
    if (version > TEXTS || m->distance > k || m->distance != nd_distance(m->fingerprint, query))
        broken("a false match with document %u", d);
}

static nd_hamming_search_options search_options(uint32_t k, nd_hamming_kind kind) {
    nd_hamming_search_options o;
    nd_hamming_search_options_init(&o, sizeof o);
    o.k = k;
    o.kind = kind;
    return o;
}

nd_status fingerprint_find(nd_hamming_searcher *searcher, unsigned document, unsigned version,
                           bool *there, nd_error *error) {
    const nd_hamming_match *matches;
    uint64_t count;
    uint32_t k = fingerprint_options().k;
    nd_fingerprint own = fingerprint_of(document, version), query = query_of(document, version);
    *there = false;
    const nd_hamming_search_options all = search_options(k, ND_HAMMING_ALL);
    ND_TRY(nd_hamming_search(searcher, query, &all, &matches, &count, error));
    for (uint64_t m = 0; m < count; m++) {
        check_match(&matches[m], query, k);
        if (m > 0 && matches[m - 1].distance > matches[m].distance)
            broken("match %u is nearer than the one before", (unsigned)m);
        if (document_of(matches[m].id, matches[m].id_length) != document ||
            !equal(matches[m].fingerprint, own))
            continue;
        if (*there) broken("document %u is found twice", document);
        *there = true;
    }
    return ND_OK;
}

static uint64_t count_near(const row *held, nd_fingerprint query) {
    uint64_t count = 0;
    for (unsigned d = 0; d < DOCUMENTS; d++)
        count += held->version[d] > 0 &&
                 nd_is_within(fingerprint_of(d, held->version[d]), query, fingerprint_options().k);
    return count;
}

/* All matches are in the index, and no match that must be found is missing. */
static void check_matches(const nd_hamming_match *matches, uint64_t count, nd_fingerprint query,
                          const row *held, bool all) {
    row found = {0};
    for (uint64_t m = 0; m < count; m++) {
        check_match(&matches[m], query, fingerprint_options().k);
        unsigned d = document_of(matches[m].id, matches[m].id_length);
        found.version[d] = 1;
        if (all && (!held->version[d] ||
                    !equal(matches[m].fingerprint, fingerprint_of(d, held->version[d]))))
            broken("%u is found and not there", d);
    }
    for (unsigned d = 0; d < DOCUMENTS; d++)
        if (held->version[d] && !found.version[d] &&
            nd_is_within(fingerprint_of(d, held->version[d]), query, fingerprint_options().k))
            broken("document %u is not found", d);
}

nd_status fingerprint_check_searches(nd_hamming_searcher *searcher, const row *held,
                                     nd_error *error) {
    const nd_hamming_match *matches;
    uint64_t count;
    uint32_t k = fingerprint_options().k;
    for (unsigned d = 0; d < DOCUMENTS; d++) {
        nd_fingerprint query = query_of(d, held->version[d] ? held->version[d] : 1);
        uint64_t near = count_near(held, query);
        for (nd_hamming_kind kind = ND_HAMMING_ALL; kind <= ND_HAMMING_COUNT; kind++) {
            bool bounded = kind == ND_HAMMING_ANY || kind == ND_HAMMING_NEAREST;
            const nd_hamming_search_options one = search_options(k, kind);
            ND_TRY(nd_hamming_search(searcher, query, &one, &matches, &count, error));
            if (count != (bounded && near > 1 ? 1 : near))
                broken("%u matches near document %u, not %u", (unsigned)count, d, (unsigned)near);
            if (kind == ND_HAMMING_ALL) check_matches(matches, count, query, held, true);
            else if (bounded && count > 0) check_match(matches, query, k);
        }
    }
    return ND_OK;
}

/* ---- batches of queries, and joins */

static nd_resources job_resources(uint32_t threads, const nd_allocator *allocator) {
    nd_resources o;
    nd_resources_init(&o, sizeof o);
    o.threads = threads;
    o.work = ".";
    o.allocator = allocator;
    return o;
}

typedef struct check {
    const row *held;
    bool all;
    unsigned queried, answered;
    uint8_t pairs[DOCUMENTS][DOCUMENTS]; /* distance + 1 */
} check;

/* Asks for each document in each version. */
static int next_query(void *context, nd_fingerprinted *out) {
    check *c = context;
    if (c->queried == DOCUMENTS * TEXTS) return 0;
    *out = (nd_fingerprinted){.fingerprint = query_of(c->queried / TEXTS, c->queried % TEXTS + 1)};
    c->queried++;
    return 1;
}

static bool take_answer(void *context, const nd_hamming_answer *answer) {
    check *c = context;
    if (answer->query != c->answered++)
        broken("an answer to query %u after %u", (unsigned)answer->query, c->answered - 1);
    check_matches(answer->matches, answer->count, answer->fingerprint, c->held, c->all);
    return true;
}

nd_status fingerprint_check_queries(nd_hamming_index *index, const row *held, bool all,
                                    uint32_t threads, const nd_allocator *allocator,
                                    nd_error *error) {
    check c = {.held = held, .all = all};
    nd_fingerprint_source source = {sizeof source, .next = next_query, .context = &c};
    nd_resources resources = job_resources(threads, allocator);
    const nd_hamming_search_options near = search_options(fingerprint_options().k, ND_HAMMING_ALL);
    const nd_hamming_query_options o = {sizeof o, .source = &source, .search = &near,
                                        .resources = &resources};
    ND_TRY(nd_hamming_query(index, &o, take_answer, &c, NULL, error));
    if (c.answered != DOCUMENTS * TEXTS) broken("%u answers", c.answered);
    return ND_OK;
}

static bool take_pair(void *context, const nd_hamming_pair *pair) {
    check *c = context;
    unsigned a = document_of(pair->id_a, pair->id_a_length),
             b = document_of(pair->id_b, pair->id_b_length);
    if (a > b) {
        unsigned first = b;
        b = a;
        a = first;
    }
    if (c->pairs[a][b]) broken("documents %u and %u are a pair twice", a, b);
    c->pairs[a][b] = (uint8_t)(pair->distance + 1);
    return true;
}

static void check_pair(const check *c, unsigned a, unsigned b) {
    unsigned version_a = c->held->version[a], version_b = c->held->version[b];
    bool sure = version_a && version_b;
    uint32_t distance = sure ? nd_distance(fingerprint_of(a, version_a),
                                           fingerprint_of(b, version_b))
                             : UINT32_MAX;
    unsigned wanted = distance <= fingerprint_options().k ? distance + 1 : 0;
    if (c->pairs[a][b] != wanted && (sure || c->all))
        broken("documents %u and %u are %sa pair", a, b, wanted ? "not " : "");
}

nd_status fingerprint_check_join(nd_hamming_index *index, const row *held, bool all,
                                 uint32_t threads, const nd_allocator *allocator, nd_error *error) {
    check c = {.held = held, .all = all};
    nd_hamming_side side = {.index = index};
    nd_hamming_join_options o;
    nd_hamming_join_options_init(&o, sizeof o);
    nd_resources resources = job_resources(threads, allocator);
    o.bits = fingerprint_options().bits;
    o.k = fingerprint_options().k;
    o.resources = &resources;
    ND_TRY(nd_hamming_join(&side, NULL, &o, take_pair, &c, NULL, error));
    for (unsigned b = 0; b < DOCUMENTS; b++)
        for (unsigned a = 0; a < b; a++) check_pair(&c, a, b);
    return ND_OK;
}

/* ---- operations */

/* Held while a fingerprint is added, so that numbers are added in order. */
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

static nd_status add(const operation *o, const row *now, nd_hamming_index *index, nd_error *error) {
    given_id id;
    pthread_mutex_lock(&adding);
    give_id(o->document, &id);
    nd_fingerprint f = fingerprint_of(o->document, o->version[o->document]);
    bool replace = content() == CONTENT_FINGERPRINTS && now->version[o->document] > 0;
    nd_status status = replace ? nd_hamming_replace(index, id.bytes, id.length, f, error)
                               : nd_hamming_add(index, id.bytes, id.length, f, error);
    pthread_mutex_unlock(&adding);
    return status;
}

/* Finds the id of a fingerprint if ids are numbers; otherwise returns the document's id. If the
 * fingerprint is not there: an id that no fingerprint has. */
static nd_status find_id(nd_hamming_searcher *searcher, unsigned document, unsigned version,
                         given_id *out, nd_error *error) {
    const nd_hamming_match *matches;
    uint64_t count = 0;
    give_id(document, out);
    if (content() == CONTENT_FINGERPRINTS || version == 0) return ND_OK;
    const nd_hamming_search_options equal_ones = search_options(0, ND_HAMMING_ALL);
    ND_TRY(nd_hamming_search(searcher, fingerprint_of(document, version), &equal_ones, &matches,
                             &count, error));
    for (uint64_t m = 0; m < count; m++) {
        if (document_of(matches[m].id, matches[m].id_length) != document) continue;
        out->length = matches[m].id_length;
        memcpy(out->digits, matches[m].id, out->length);
        return ND_OK;
    }
    broken("document %u is not found", document);
}

/* Adds an id that is there already, which is rejected. */
static nd_status add_copy(const operation *o, const row *now, nd_hamming_index *index,
                          nd_hamming_searcher *searcher, nd_error *error) {
    given_id id;
    unsigned version = now->version[o->document];
    ND_TRY(find_id(searcher, o->document, version, &id, error));
    nd_status status = nd_hamming_add(index, id.bytes, id.length,
                                      fingerprint_of(o->document, version), error);
    if (status == ND_OK) broken("the id %.*s is there twice", (int)id.length, id.bytes);
    return status == ND_ERR_ARGUMENT ? ND_OK : status;
}

static nd_status remove_document(const operation *o, const row *now, nd_hamming_index *index,
                                 nd_hamming_searcher *searcher, nd_error *error) {
    given_id id;
    bool found = false;
    unsigned version = now->version[o->document];
    ND_TRY(find_id(searcher, o->document, version, &id, error));
    ND_TRY(nd_hamming_remove(index, id.bytes, id.length, &found, error));
    if (found != (version > 0))
        broken("document %u is %sfound and removed", o->document, found ? "" : "not ");
    return ND_OK;
}

nd_status fingerprint_perform(const operation *o, const row *now, nd_hamming_index *index,
                              nd_hamming_searcher *searcher, nd_error *error) {
    switch (o->kind) {
    case OPERATION_ADD: return add(o, now, index, error);
    case OPERATION_COPY: return add_copy(o, now, index, searcher, error);
    case OPERATION_REMOVE: return remove_document(o, now, index, searcher, error);
    case OPERATION_COMPACT: return nd_hamming_compact(index, error);
    default: return nd_hamming_sync(index, error);
    }
}

/* ---- batches */

typedef struct feed {
    const operation *operation;
    unsigned next;
    given_id id;
} feed;

static int give(void *context, nd_fingerprinted *out) {
    feed *f = context;
    const operation *o = f->operation;
    if (f->next == o->document + o->count) return 0;
    unsigned d = f->next++;
    give_id(d, &f->id);
    *out = (nd_fingerprinted){.id = f->id.bytes,
                              .id_length = f->id.length,
                              .fingerprint = fingerprint_of(d, o->version[d])};
    return 1;
}

nd_status fingerprint_load(const operation *o, nd_hamming_index *index,
                           const nd_allocator *allocator, nd_error *error) {
    feed f = {.operation = o, .next = o->document};
    nd_fingerprint_source source = {sizeof source, .next = give, .context = &f};
    nd_resources resources = job_resources(1, allocator);
    const nd_hamming_load_options options = {sizeof options, .resources = &resources,
                                             .replace = content() == CONTENT_FINGERPRINTS};
    pthread_mutex_lock(&adding);
    nd_status status = nd_hamming_load(index, &source, &options, NULL, error);
    pthread_mutex_unlock(&adding);
    return status;
}

nd_status fingerprint_perform_batch(const operation *o, const char *path,
                                    const nd_allocator *allocator, nd_error *error) {
    nd_hamming_index *index;
    ND_TRY(nd_hamming_open(path, ND_INDEX_WRITE, allocator, &index, error));
    nd_status status = fingerprint_load(o, index, allocator, error);
    nd_hamming_close(index);
    return status;
}

nd_status fingerprint_build(const operation *o, const char *path, const nd_allocator *allocator,
                            nd_error *error) {
    feed f = {.operation = o, .next = o->document};
    nd_fingerprint_source source = {sizeof source, .next = give, .context = &f};
    nd_hamming_options hamming = fingerprint_options();
    nd_resources resources = job_resources(1, allocator);
    return nd_hamming_build(path, &hamming, &source, &resources, NULL, error);
}
