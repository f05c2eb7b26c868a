/* Jobs against an index that is open, on disk or in memory, and against one that is named by its
 * path: all give the same decisions, which are those of the definition, worked out by plain means:
 * a document that is not protected is removed exactly when a document of the index that is not
 * replaced, or an earlier kept one, shares a band with it and reaches the threshold; its evidence
 * is the first such, or the protected one of which it is an exact copy. */
#include "base/limits.h"
#include "job_parts.h"
#include "own_directory.h"
#include "small_corpus.h"

#include <math.h>
#include <pthread.h>

/* LARGE: more than a job puts into the write-ahead log (src/dedup/index_update.c). */
enum { PERMS = 64, LARGE = ND_LIMIT(1200, 30), POOL = ND_LIMIT(4000, 600), QUERIES = 12 };

static nd_error error;

static void good(nd_status status) {
    if (status != ND_OK) fail_msg("%s", error.message);
}

/* ---- documents */

typedef struct document {
    char id[16], *text;
    double value;
    bool is_protected;
    uint64_t *set; /* of shingles */
    size_t size;
    uint32_t signature[PERMS];
    uint64_t text_hash[2]; /* equal token sequences have equal ones */
} document;

typedef enum way { BY_PATH, ON_DISK, IN_MEMORY, WAYS } way;

static const char *const directories[] = {[BY_PATH] = "by-path", [ON_DISK] = "on-disk"};

typedef struct world {
    uint64_t seed;
    nd_analyzer_options analyzer;
    nd_index_options made;
    nd_plan plan;
    nd_analyzer *tokens;
    nd_minhash *minhash;
    nd_index *index[WAYS]; /* by path: NULL, but while it is borrowed */
    document documents[POOL];
    size_t count;
    const document *live[POOL]; /* of the index, in the order of adding */
    size_t live_count;
    failing_allocator memory; /* of the open indexes */
    nd_allocator allocator;
} world;

static void make_text(world *w, char *text) {
    uint64_t kind = random_below(&w->seed, 10);
    *text = 0;
    if (w->count > 0 && kind < 6) {
        strcpy(text, w->documents[random_below(&w->seed, w->count)].text);
        edit(text, &w->seed, (unsigned)random_below(&w->seed, 4));
    } else if (kind == 6) {
        strcpy(text, random_below(&w->seed, 2) ? "?!" : "");
    } else {
        if (kind == 7) strcpy(text, "all pages of this site begin with the same words and end so ");
        add_words(text, &w->seed, random_below(&w->seed, 30), kind == 8 ? 12 : 1000);
    }
}

/* `id` NULL: one that no document has. */
static document *new_document(world *w, const char *id) {
    char text[2000];
    nd_shingles shingles;
    assert_true(w->count < POOL);
    document *d = &w->documents[w->count];
    make_text(w, text);
    *d = (document){.text = strdup(text),
                    .value = random_below(&w->seed, 6) ? (double)random_below(&w->seed, 9) : NAN};
    if (id) strcpy(d->id, id);
    else snprintf(d->id, sizeof d->id, "d%zu", w->count);
    w->count++;
    good(nd_analyze(w->tokens, text, strlen(text), &shingles, &error));
    nd_minhash_sign(w->minhash, shingles.hashes, shingles.count, d->signature);
    d->set = malloc(shingles.count * sizeof *d->set);
    memcpy(d->set, shingles.hashes, shingles.count * sizeof *d->set);
    d->size = nd_set_make(d->set, shingles.count);
    memcpy(d->text_hash, shingles.text_hash, sizeof d->text_hash);
    return d;
}

static nd_record record_of(const document *d) {
    return (nd_record){.text = d->text,
                       .length = strlen(d->text),
                       .id = d->id,
                       .id_length = strlen(d->id),
                       .value = d->value,
                       .is_protected = d->is_protected};
}

/* ---- the definition */

typedef struct likeness {
    double jaccard;
    uint64_t intersection, set_union;
} likeness;

static bool share_band(const nd_plan *plan, const document *a, const document *b) {
    for (uint32_t band = 0; band < plan->bands; band++)
        if (memcmp(a->signature + band * plan->rows, b->signature + band * plan->rows,
                   plan->rows * sizeof *a->signature) == 0)
            return true;
    return false;
}

/* Of an index of sketches: the share of equal low bytes, of which one in 256 is equal by chance. */
static bool estimate(const world *w, const document *a, const document *b, likeness *out) {
    double equal = 0, threshold = w->made.threshold;
    for (int i = 0; i < PERMS; i++) equal += (a->signature[i] & 0xff) == (b->signature[i] & 0xff);
    double share = (equal / PERMS - 1. / 256) / (1 - 1. / 256);
    *out = (likeness){.jaccard = share < 0 ? 0 : share};
    return equal + 1e-9 >= PERMS * (threshold + (1 - threshold) / 256);
}

static bool are_duplicates(const world *w, const document *a, const document *b, likeness *out) {
    if (!share_band(&w->plan, a, b)) return false;
    if (w->made.sketch_only) return estimate(w, a, b, out);
    nd_overlap overlap = nd_set_overlap(a->set, a->size, b->set, b->size);
    *out = (likeness){.jaccard = nd_jaccard(overlap),
                      .intersection = overlap.intersection,
                      .set_union = a->size + b->size - overlap.intersection};
    return out->jaccard >= w->made.threshold;
}

/* A job, and what it has to decide. */
typedef struct decision {
    bool kept, indexed;
    size_t evidence; /* number in the batch; of the index: among the live ones */
    likeness like;
} decision;

typedef struct batch {
    const world *w;
    const document *documents[POOL];
    size_t count;
    bool replace;
    nd_keep keep;
    uint32_t order[POOL]; /* by priority */
    decision wanted[POOL];
    const document *live[POOL]; /* of the index after it */
    size_t live_count;
} batch;

static bool is_replaced(const batch *b, const document *d) {
    for (size_t i = 0; b->replace && i < b->count; i++)
        if (strcmp(b->documents[i]->id, d->id) == 0) return true;
    return false;
}

/* The least comes first. */
static double priority_of(const batch *b, uint32_t d) {
    double value = b->documents[d]->value;
    switch (b->keep) {
    case ND_KEEP_LONGEST: return -(double)strlen(b->documents[d]->text);
    case ND_KEEP_MAX: return isnan(value) ? INFINITY : -value;
    case ND_KEEP_MIN: return isnan(value) ? INFINITY : value;
    default: return 0;
    }
}

/* Whether document x is considered before document y, which comes behind it in the input. */
static bool is_first(const batch *b, uint32_t x, uint32_t y) {
    bool px = b->documents[x]->is_protected, py = b->documents[y]->is_protected;
    return px != py ? px : priority_of(b, x) <= priority_of(b, y);
}

/* Insertion: equal ones stay in the order of input. */
static void sort_by_priority(batch *b) {
    for (uint32_t d = 0; d < b->count; d++) {
        uint32_t to = d;
        for (; to > 0 && !is_first(b, b->order[to - 1], d); to--) b->order[to] = b->order[to - 1];
        b->order[to] = d;
    }
}

/* Finds the first protected document of the batch of which it is an exact copy. */
static bool find_protected_copy(const batch *b, const document *own, size_t rank, decision *d) {
    for (size_t r = 0; r < rank; r++) {
        const document *other = b->documents[b->order[r]];
        bool equal = memcmp(other->text_hash, own->text_hash, sizeof own->text_hash) == 0;
        if (!other->is_protected || !equal) continue;
        assert_true(are_duplicates(b->w, other, own, &d->like));
        d->evidence = b->order[r];
        return true;
    }
    return false;
}

static decision decide(const batch *b, const bool *replaced, size_t rank) {
    const world *w = b->w;
    const document *own = b->documents[b->order[rank]];
    decision d = {.indexed = false};
    if (own->is_protected) return (decision){.kept = true, .evidence = b->order[rank]};
    if (find_protected_copy(b, own, rank, &d)) return d;
    d.indexed = true;
    for (; d.evidence < w->live_count; d.evidence++)
        if (!replaced[d.evidence] && are_duplicates(w, w->live[d.evidence], own, &d.like)) return d;
    d.indexed = false;
    for (size_t r = 0; r < rank; r++) {
        d.evidence = b->order[r];
        if (b->wanted[d.evidence].kept && are_duplicates(w, b->documents[d.evidence], own, &d.like))
            return d;
    }
    return (decision){.kept = true, .evidence = b->order[rank]};
}

static void define(batch *b) {
    const world *w = b->w;
    bool replaced[POOL];
    b->live_count = 0;
    for (size_t i = 0; i < w->live_count; i++) {
        replaced[i] = is_replaced(b, w->live[i]);
        if (!replaced[i]) b->live[b->live_count++] = w->live[i];
    }
    sort_by_priority(b);
    for (size_t rank = 0; rank < b->count; rank++) {
        uint32_t own = b->order[rank];
        b->wanted[own] = decide(b, replaced, rank);
        if (b->wanted[own].kept) b->live[b->live_count++] = b->documents[own];
    }
}

/* A batch of new documents; a single one is not protected, since no job adds it. With `replace` a
 * part of them have ids that others have had. */
static void make_batch(world *w, batch *b, size_t count, bool replace) {
    *b = (batch){
        .w = w, .count = count, .replace = replace, .keep = (nd_keep)random_below(&w->seed, 4)};
    for (size_t i = 0; i < count; i++) {
        const char *id = NULL;
        if (replace && w->count > 0 && random_below(&w->seed, 2))
            id = w->documents[random_below(&w->seed, w->count)].id;
        for (size_t j = 0; id && j < i; j++)
            if (strcmp(b->documents[j]->id, id) == 0) id = NULL;
        document *added = new_document(w, id);
        added->is_protected = count > 1 && nd_mix64(w->count) % 12 == 0;
        b->documents[i] = added;
    }
    define(b);
}

/* The batch has been added everywhere. */
static void accept_batch(world *w, const batch *b) {
    memcpy(w->live, b->live, b->live_count * sizeof *b->live);
    w->live_count = b->live_count;
}

/* ---- jobs */

typedef struct job {
    job_parts parts;
    const batch *of;
    size_t given, decided;
    failing_allocator memory; /* of test_failures */
    nd_allocator allocator;
    long left;
} job;

/* nd_record_fn */
static int give_document(void *context, nd_record *out) {
    job *j = context;
    if (j->given == j->of->count) return 0;
    *out = record_of(j->of->documents[j->given++]);
    return 1;
}

static bool is_id(const char *id, const char *given, size_t length) {
    return strlen(id) == length && memcmp(id, given, length) == 0;
}

static bool is_as_wanted(const batch *b, const nd_decision *d) {
    const decision *wanted = &b->wanted[d->document];
    const document *own = b->documents[d->document],
                   *evidence = wanted->indexed ? b->w->live[wanted->evidence]
                                               : b->documents[wanted->evidence];
    if (d->kept != wanted->kept || d->indexed != wanted->indexed ||
        d->evidence != (wanted->indexed ? 0 : wanted->evidence) ||
        !is_id(own->id, d->id, d->id_length) ||
        !is_id(evidence->id, d->evidence_id, d->evidence_id_length))
        return false;
    return d->kept ||
           (d->jaccard == wanted->like.jaccard && d->intersection == wanted->like.intersection &&
            d->set_union == wanted->like.set_union && d->estimated == b->w->made.sketch_only);
}

/* nd_decision_fn */
static bool check_decision(void *context, const nd_decision *d) {
    job *j = context;
    assert_int_equal(d->document, j->decided++);
    assert_true(is_as_wanted(j->of, d));
    return true;
}

static void make_job(job *j, const batch *b, way of) {
    const world *w = b->w;
    *j = (job){.of = b};
    job_parts *p = &j->parts;
    job_parts_init(p);
    p->input.records = give_document;
    p->input.records_context = j;
    p->analyzer = w->analyzer;
    p->similarity.perms = w->made.perms;
    p->similarity.threshold = w->made.threshold;
    p->similarity.recall = w->made.recall;
    p->similarity.max_compare = 100000;
    p->survivors.keep = b->keep;
    p->index.path = of == BY_PATH ? directories[of] : NULL;
    p->index.index = w->index[of];
    p->index.replace = b->replace;
    p->outputs.on_decision = check_decision;
    p->outputs.context = j;
    p->resources.memory = UINT64_C(64) << 20;
    p->resources.threads = 1 + (uint32_t)(b->count % 3);
}

static void run_job(const batch *b, way of) {
    job j;
    nd_job_summary summary = {.struct_size = sizeof summary};
    make_job(&j, b, of);
    good(nd_dedup(dedup_of(&j.parts), &summary, &error));
    assert_int_equal(j.decided, b->count);
    assert_int_equal(summary.documents, b->count);
    size_t kept = 0;
    for (size_t i = 0; i < b->count; i++) kept += b->wanted[i].kept;
    assert_int_equal(summary.kept, kept);
    assert_int_equal(summary.removed, b->count - kept);
    assert_int_equal(summary.bounded_documents, 0);
}

/* ---- the index beside its jobs */

static nd_index *borrow(world *w, way of) {
    if (of == BY_PATH)
        good(nd_index_open(directories[of], ND_INDEX_WRITE, NULL, &w->index[of], &error));
    return w->index[of];
}

static void give_back(world *w, way of) {
    if (of != BY_PATH) return;
    nd_index_close(w->index[of]);
    w->index[of] = NULL;
}

typedef struct hit {
    const document *document;
    likeness like;
} hit;

/* Those of a list that duplicate a document, the most similar first. */
static size_t find_all(const world *w, const document *query, const document *const *live,
                       size_t live_count, hit *out) {
    size_t count = 0;
    for (size_t i = 0; i < live_count; i++) {
        hit f = {.document = live[i]};
        if (!are_duplicates(w, live[i], query, &f.like)) continue;
        size_t to = count++;
        for (; to > 0 && out[to - 1].like.jaccard < f.like.jaccard; to--) out[to] = out[to - 1];
        out[to] = f;
    }
    return count;
}

/* Whether a search finds these. */
static bool finds(const world *w, nd_index_searcher *searcher, const document *query,
                  const document *const *live, size_t live_count) {
    hit wanted[POOL];
    const nd_match *matches;
    size_t count;
    nd_error failure;
    if (nd_index_search(searcher, query->text, strlen(query->text), ND_SEARCH_ALL, &matches, &count,
                        &failure) != ND_OK ||
        count != find_all(w, query, live, live_count, wanted))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!is_id(wanted[i].document->id, matches[i].id, matches[i].id_length) ||
            matches[i].jaccard != wanted[i].like.jaccard ||
            matches[i].intersection != wanted[i].like.intersection ||
            matches[i].set_union != wanted[i].like.set_union)
            return false;
    return true;
}

/* The index has the live documents, and no others. */
static void check_index(world *w, nd_index *index) {
    nd_index_searcher *searcher;
    nd_index_info info = {.struct_size = sizeof info};
    good(nd_index_describe(index, &info, &error));
    assert_int_equal(info.documents, w->live_count);
    good(nd_index_check(index, &error));
    good(nd_index_searcher_create(index, &searcher, &error));
    for (int i = 0; i < QUERIES && w->count > 0; i++) {
        const document *query = &w->documents[random_below(&w->seed, w->count)];
        assert_true(finds(w, searcher, query, w->live, w->live_count));
        assert_int_equal(nd_index_searcher_left_out(searcher), 0);
    }
    nd_index_searcher_free(searcher);
}

/* Adds a document that is like no other, and removes it: the index can be changed. */
static void change_and_restore(nd_index *index) {
    static const char text[] = "seventeen quinces behind the mill of which nobody else has spoken";
    const nd_record quince = {.text = text, .length = strlen(text), .id = "quince", .id_length = 6};
    nd_index_searcher *searcher;
    bool done;
    good(nd_index_searcher_create(index, &searcher, &error));
    good(nd_index_add(index, searcher, &quince, &done, NULL, &error));
    assert_true(done);
    good(nd_index_remove(index, "quince", 6, &done, &error));
    assert_true(done);
    nd_index_searcher_free(searcher);
}

/* ---- a world */

static world *new_world(uint64_t seed) {
    static const double thresholds[] = {0.3, 0.5, 0.8};
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->seed = seed;
    nd_analyzer_options_init(&w->analyzer, sizeof w->analyzer);
    w->analyzer.ngram = 1 + (uint32_t)random_below(&w->seed, 3);
    nd_index_options_init(&w->made, sizeof w->made);
    w->made.analyzer = &w->analyzer;
    w->made.perms = PERMS;
    w->made.recall = 0.9;
    w->made.threshold = thresholds[random_below(&w->seed, 3)];
    w->made.sketch_only = seed % 3 == 2;
    w->memory.left = FAILING_ALLOCATOR_NEVER;
    w->allocator = failing_allocator_make(&w->memory);
    good(nd_plan_choose(w->made.threshold, w->made.recall, PERMS, &w->plan, &error));
    good(nd_analyzer_create(&w->analyzer, NULL, &w->tokens, &error));
    good(nd_minhash_create(PERMS, w->analyzer.seed, NULL, &w->minhash, &error));
    return w;
}

static void open_all(world *w) {
    good(nd_index_create(directories[BY_PATH], &w->made, &error));
    good(nd_index_create(directories[ON_DISK], &w->made, &error));
    good(nd_index_open(directories[ON_DISK], ND_INDEX_WRITE, &w->allocator, &w->index[ON_DISK],
                       &error));
    good(nd_index_create_in_memory(&w->made, &w->allocator, &w->index[IN_MEMORY], &error));
}

static void free_world(world *w) {
    for (way of = 0; of < WAYS; of++) nd_index_close(w->index[of]);
    assert_int_equal(w->memory.live, 0);
    remove_directory(directories[BY_PATH]);
    remove_directory(directories[ON_DISK]);
    for (size_t d = 0; d < w->count; d++) {
        free(w->documents[d].text);
        free(w->documents[d].set);
    }
    nd_minhash_free(w->minhash);
    nd_analyzer_free(w->tokens);
    free(w);
}

/* ---- any batches, with other changes between them */

static void add_all(world *w, size_t count, bool replace) {
    static batch b;
    make_batch(w, &b, count, replace);
    for (way of = 0; of < WAYS; of++) run_job(&b, of);
    accept_batch(w, &b);
}

static void check_all(world *w) {
    for (way of = 0; of < WAYS; of++) {
        check_index(w, borrow(w, of));
        give_back(w, of);
    }
}

static void remove_one(world *w) {
    if (w->live_count == 0) return;
    size_t place = (size_t)random_below(&w->seed, w->live_count);
    const char *id = w->live[place]->id;
    for (way of = 0; of < WAYS; of++) {
        bool found;
        good(nd_index_remove(borrow(w, of), id, strlen(id), &found, &error));
        assert_true(found);
        give_back(w, of);
    }
    w->live_count--;
    memmove(w->live + place, w->live + place + 1, (w->live_count - place) * sizeof *w->live);
}

/* By the call for one document, which decides as a job of one does. */
static void replace_one(world *w) {
    static batch b;
    make_batch(w, &b, 1, true);
    const nd_record given = record_of(b.documents[0]);
    for (way of = 0; of < WAYS; of++) {
        nd_index_searcher *searcher;
        nd_index *index = borrow(w, of);
        const nd_match *evidence;
        bool added;
        good(nd_index_searcher_create(index, &searcher, &error));
        good(nd_index_replace(index, searcher, &given, &added, &evidence, &error));
        assert_int_equal(added, b.wanted[0].kept);
        if (!added)
            assert_true(
                is_id(w->live[b.wanted[0].evidence]->id, evidence->id, evidence->id_length));
        nd_index_searcher_free(searcher);
        give_back(w, of);
    }
    accept_batch(w, &b);
}

static void compact_all(world *w) {
    for (way of = 0; of < WAYS; of++) {
        good(nd_index_compact(borrow(w, of), &error));
        give_back(w, of);
    }
}

static void test_few(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 18; seed++) {
        world *w = new_world(seed);
        open_all(w);
        for (int step = 0; step < 12; step++) {
            add_all(w, (size_t)random_below(&w->seed, random_below(&w->seed, 2) ? 4 : 30),
                    random_below(&w->seed, 2));
            if (random_below(&w->seed, 3) == 0) remove_one(w);
            if (random_below(&w->seed, 3) == 0) replace_one(w);
            if (random_below(&w->seed, 5) == 0) compact_all(w);
            if (random_below(&w->seed, 4) == 0) check_all(w);
        }
        check_all(w);
        free_world(w);
    }
}

static void test_many(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 3; seed++) {
        world *w = new_world(seed);
        open_all(w);
        add_all(w, LARGE, false);
        check_all(w);
        replace_one(w);
        add_all(w, LARGE / 2, true);
        check_all(w);
        add_all(w, 3, false);
        add_all(w, LARGE, false);
        check_all(w);
        free_world(w);
    }
}

/* What a job has added is there for another reader as soon as it has returned. */
static void test_reader(void **state) {
    (void)state;
    for (uint64_t seed = 30; seed < 36; seed++) {
        static batch b;
        world *w = new_world(seed);
        nd_index *reader;
        open_all(w);
        good(nd_index_open(directories[ON_DISK], ND_INDEX_READ, NULL, &reader, &error));
        for (int i = 0; i < 4; i++) {
            make_batch(w, &b, 1 + (size_t)random_below(&w->seed, 20), i % 2);
            run_job(&b, ON_DISK);
            accept_batch(w, &b);
            good(nd_index_refresh(reader, &error));
            check_index(w, reader);
        }
        nd_index_close(reader);
        free_world(w);
    }
}

/* ---- a batch that was added already */

static nd_status run_again(const batch *b, way of, bool resume) {
    job j;
    make_job(&j, b, of);
    j.parts.index.resume = resume;
    nd_status status = nd_dedup(dedup_of(&j.parts), NULL, &error);
    if (status == ND_OK) assert_int_equal(j.decided, b->count);
    return status;
}

static void test_resumed(void **state) {
    (void)state;
    static batch b;
    for (uint64_t seed = 40; seed < 52; seed++) {
        world *w = new_world(seed);
        open_all(w);
        add_all(w, 20, false);
        make_batch(w, &b, 1 + (size_t)random_below(&w->seed, 20), seed % 2);
        for (way of = 0; of < WAYS; of++) {
            run_job(&b, of);
            good(run_again(&b, of, true));
            if (!b.replace && b.live_count > w->live_count)
                assert_int_equal(run_again(&b, of, false), ND_ERR_ARGUMENT);
        }
        accept_batch(w, &b);
        check_all(w);
        free_world(w);
    }
}

/* ---- callbacks that use the index */

/* What one kind of callback sees. Callbacks may run on any thread, so nothing is asserted there. */
typedef struct watcher {
    const batch *of;
    nd_index *index;
    nd_index_searcher *searcher;
    bool may_change, has_changed; /* to the state after the job */
    unsigned calls;
    char wrong[1200]; /* the first thing that was wrong; "": nothing */
} watcher;

enum { WATCHED = 3 }; /* documents that each call searches for */

static void complain(watcher *x, const char *what, const char *why) {
    if (!*x->wrong) snprintf(x->wrong, sizeof x->wrong, "%s: %s", what, why);
}

static void expect_busy(watcher *x, const char *what, nd_status status, const nd_error *failure) {
    if (status != ND_ERR_BUSY) complain(x, what, status == ND_OK ? "done" : failure->message);
}

/* nd_record_fn */
static int give_nothing(void *context, nd_record *out) { return (void)context, (void)out, 0; }

static void try_changes(watcher *x) {
    static const nd_record fresh = {
        .text = "words of no other text", .length = 22, .id = "fresh", .id_length = 5};
    const world *w = x->of->w;
    const char *id = w->live[0]->id;
    const nd_record again = {.text = fresh.text, .length = 22, .id = id, .id_length = strlen(id)};
    nd_error failure;
    job nested;
    bool done;
    make_job(&nested, x->of, ON_DISK);
    nested.parts.input.records = give_nothing;
    nested.parts.index.index = x->index;
    expect_busy(x, "add", nd_index_add(x->index, x->searcher, &fresh, &done, NULL, &failure),
                &failure);
    expect_busy(x, "replace",
                nd_index_replace(x->index, x->searcher, &again, &done, NULL, &failure), &failure);
    expect_busy(x, "remove", nd_index_remove(x->index, id, strlen(id), &done, &failure), &failure);
    expect_busy(x, "compact", nd_index_compact(x->index, &failure), &failure);
    if (x->calls % 16 == 1)
        expect_busy(x, "job", nd_dedup(dedup_of(&nested.parts), NULL, &failure), &failure);
    nd_status synced = nd_index_sync(x->index, &failure);
    if (synced != ND_OK && synced != ND_ERR_BUSY) complain(x, "sync", failure.message);
}

/* A search finds what the index had before the job, replaced documents, too, or, once it has found
 * something else, what the index has after it. */
static void watch(watcher *x) {
    const batch *b = x->of;
    const world *w = b->w;
    for (size_t i = 0; i < WATCHED; i++) {
        size_t place = x->calls * WATCHED + i;
        const document *query = i % 2 ? w->live[place % w->live_count]
                                      : b->documents[place % b->count];
        bool before = !x->has_changed && finds(w, x->searcher, query, w->live, w->live_count);
        if (before) continue;
        if (!x->may_change || !finds(w, x->searcher, query, b->live, b->live_count))
            complain(x, "search", query->id);
        x->has_changed = true;
    }
    x->calls++;
    try_changes(x);
}

typedef struct watched_job {
    job job;
    watcher records, decisions, progress;
    unsigned reports;
    nd_status of_other_thread;
} watched_job;

static void *add_on_thread(void *context) {
    watched_job *j = context;
    static const nd_record fresh = {
        .text = "words of another thread", .length = 23, .id = "other", .id_length = 5};
    nd_index_searcher *searcher;
    nd_error failure;
    bool done;
    j->of_other_thread = nd_index_searcher_create(j->records.index, &searcher, &failure);
    if (j->of_other_thread != ND_OK) return NULL;
    j->of_other_thread = nd_index_add(j->records.index, searcher, &fresh, &done, NULL, &failure);
    nd_index_searcher_free(searcher);
    return NULL;
}

/* nd_record_fn */
static int give_and_watch(void *context, nd_record *out) {
    watched_job *j = context;
    pthread_t thread;
    watch(&j->records);
    if (j->job.given == 2 && pthread_create(&thread, NULL, add_on_thread, j) == 0)
        pthread_join(thread, NULL);
    return give_document(&j->job, out);
}

/* nd_decision_fn */
static bool decide_and_watch(void *context, const nd_decision *d) {
    watched_job *j = context;
    watch(&j->decisions);
    if (!is_as_wanted(j->job.of, d)) complain(&j->decisions, "decision", "is another");
    j->job.decided++;
    return true;
}

/* nd_progress_fn. Of many calls some are enough. */
static bool progress_and_watch(void *context, nd_stage stage, uint64_t done, uint64_t total) {
    watched_job *j = context;
    (void)stage, (void)done, (void)total;
    if (j->reports++ < 50 || j->reports % 8 == 0) watch(&j->progress);
    return true;
}

static void begin_watch(watcher *x, const batch *b, way of) {
    *x = (watcher){.of = b, .index = b->w->index[of]};
    good(nd_index_searcher_create(x->index, &x->searcher, &error));
}

static void end_watch(watcher *x) {
    assert_string_equal(x->wrong, "");
    assert_true(x->calls > 0);
    nd_index_searcher_free(x->searcher);
}

static void run_watched(const batch *b, way of, uint32_t threads) {
    static watched_job j;
    make_job(&j.job, b, of);
    j.of_other_thread = ND_OK;
    j.reports = 0;
    begin_watch(&j.records, b, of);
    begin_watch(&j.decisions, b, of);
    begin_watch(&j.progress, b, of);
    j.progress.may_change = true; /* while segments are merged, at the end */
    job_parts *p = &j.job.parts;
    p->input.records = give_and_watch;
    p->input.records_context = &j;
    p->outputs.on_decision = decide_and_watch;
    p->outputs.context = &j;
    p->resources.on_progress = progress_and_watch;
    p->resources.context = &j;
    p->resources.threads = threads;
    good(nd_dedup(dedup_of(p), NULL, &error));
    assert_int_equal(j.job.decided, b->count);
    assert_int_equal(j.of_other_thread, ND_ERR_BUSY);
    end_watch(&j.records);
    end_watch(&j.decisions);
    end_watch(&j.progress);
}

/* Documents in segments and in the log. */
static void fill(world *w) {
    open_all(w);
    for (int i = 0; i < 4; i++) {
        add_all(w, 16, true);
        if (random_below(&w->seed, 2)) compact_all(w);
    }
    while (w->live_count < 12) add_all(w, 12, false);
    for (int i = 0; i < 3; i++) replace_one(w);
}

static bool replaces_some(const batch *b) {
    for (size_t i = 0; i < b->w->live_count; i++)
        if (is_replaced(b, b->w->live[i])) return true;
    return false;
}

/* Without `replace` a job adds documents at checkpoints already, on disk, where limits are tiny. */
static bool has_checkpoints(way of, bool replace) {
    return ND_LIMIT(false, true) && of != IN_MEMORY && !replace;
}

static void test_callbacks(void **state) {
    (void)state;
    static batch b;
    for (uint64_t seed = 60; seed < 68; seed++) {
        world *w = new_world(seed);
        bool replace = seed % 2;
        fill(w);
        do make_batch(w, &b, 24, replace);
        while (replace && !replaces_some(&b));
        for (way of = ON_DISK; of < WAYS; of++) {
            if (has_checkpoints(of, replace)) run_job(&b, of);
            else run_watched(&b, of, seed % 4 < 2 ? 1 : 3);
        }
        run_job(&b, BY_PATH);
        accept_batch(w, &b);
        check_all(w);
        for (way of = ON_DISK; of < WAYS; of++) change_and_restore(w->index[of]);
        free_world(w);
    }
}

/* ---- jobs that fail */

/* nd_record_fn: cancels after so many. */
static int give_and_cancel(void *context, nd_record *out) {
    job *j = context;
    return j->left-- == 0 ? -1 : give_document(j, out);
}

/* nd_record_fn: a text that is not UTF-8 after so many. */
static int give_and_spoil(void *context, nd_record *out) {
    job *j = context;
    int more = give_document(j, out);
    if (more && j->left-- == 0) out->text = "\xff", out->length = 1;
    return more;
}

/* nd_decision_fn */
static bool decide_and_cancel(void *context, const nd_decision *d) {
    return ((job *)context)->left-- > 0 && check_decision(context, d);
}

/* nd_progress_fn */
static bool progress_and_cancel(void *context, nd_stage stage, uint64_t done, uint64_t total) {
    (void)stage, (void)done, (void)total;
    return ((job *)context)->left-- > 0;
}

/* Each makes the job fail after j->left steps of its kind. */
static void fail_records(job *j) { j->parts.input.records = give_and_cancel; }
static void fail_texts(job *j) { j->parts.input.records = give_and_spoil; }
static void fail_decisions(job *j) { j->parts.outputs.on_decision = decide_and_cancel; }
static void fail_progress(job *j) {
    j->parts.resources.on_progress = progress_and_cancel;
    j->parts.resources.context = j;
}
static void fail_memory(job *j) {
    j->memory = (failing_allocator){.left = j->left};
    j->allocator = failing_allocator_make(&j->memory);
    j->parts.resources.allocator = &j->allocator;
}
static void fail_memory_of_index(job *j) {
    failing_allocator *memory = j->parts.index.index ? j->allocator.context : NULL;
    memory->left = j->left;
}

static const struct failure {
    const char *name;
    void (*make)(job *j);
    nd_status wanted;
    unsigned least; /* times that a job fails so */
} failures[] = {{"records", fail_records, ND_ERR_CANCELLED, 10},
                {"texts", fail_texts, ND_ERR_INPUT, 10},
                {"decisions", fail_decisions, ND_ERR_CANCELLED, 10},
                {"progress", fail_progress, ND_ERR_CANCELLED, 3},
                {"memory", fail_memory, ND_ERR_MEMORY, 20},
                {"memory of the index", fail_memory_of_index, ND_ERR_MEMORY, 1}};
enum { FAILURES = sizeof failures / sizeof *failures };

/* After a failure that may have stopped all changes of an index on disk: it is as it was, or as it
 * is after the job. Returns whether it has the batch. */
static bool reopen(world *w, const batch *b) {
    nd_index_info info = {.struct_size = sizeof info};
    nd_index_close(w->index[ON_DISK]);
    good(nd_index_open(directories[ON_DISK], ND_INDEX_WRITE, &w->allocator, &w->index[ON_DISK],
                       &error));
    good(nd_index_describe(w->index[ON_DISK], &info, &error));
    nd_index_searcher *searcher;
    good(nd_index_searcher_create(w->index[ON_DISK], &searcher, &error));
    bool has = true;
    for (size_t i = 0; i < b->live_count; i++)
        has = has && finds(w, searcher, b->live[i], b->live, b->live_count);
    nd_index_searcher_free(searcher);
    if (has) assert_int_equal(info.documents, b->live_count);
    return has;
}

/* The job fails later and later, until it succeeds. */
static void fail_often(world *w, const batch *b, way of, const struct failure *f) {
    unsigned failed = 0;
    bool may_stop = of == ON_DISK && f->make == fail_memory_of_index;
    for (long left = 0;; left += 1 + left / 12) {
        job j;
        make_job(&j, b, of);
        j.left = left;
        j.allocator = w->allocator;
        f->make(&j);
        nd_status status = nd_dedup(dedup_of(&j.parts), NULL, &error);
        w->memory.left = FAILING_ALLOCATOR_NEVER;
        assert_int_equal(j.memory.live, 0);
        if (status == ND_OK) break;
        if (status != f->wanted)
            fail_msg("%s, after %ld: %d: %s", f->name, left, (int)status, error.message);
        failed++;
        if (may_stop && reopen(w, b)) break;
        check_index(w, w->index[of]);
        change_and_restore(w->index[of]);
    }
    if (failed < f->least) fail_msg("%s: fails %u times only", f->name, failed);
}

static void test_failures(void **state) {
    (void)state;
    static batch b;
    for (uint64_t seed = 80; seed < 80 + 2 * FAILURES; seed++) {
        const struct failure *f = &failures[seed % FAILURES];
        world *w = new_world(seed);
        fill(w);
        bool replace = seed / FAILURES % 2 || ND_LIMIT(false, true);
        make_batch(w, &b, 14, replace);
        for (way of = ON_DISK; of < WAYS; of++) fail_often(w, &b, of, f);
        run_job(&b, BY_PATH);
        accept_batch(w, &b);
        check_all(w);
        free_world(w);
    }
}

/* ---- what is refused */

static void refuse(job *j, nd_index *index, const char *words) {
    assert_int_equal(nd_dedup(dedup_of(&j->parts), NULL, &error), ND_ERR_ARGUMENT);
    if (!strstr(error.message, words)) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
    change_and_restore(index);
}

static void test_refusals(void **state) {
    (void)state;
    static batch b;
    world *w = new_world(1);
    job j;
    nd_index *reader;
    open_all(w);
    add_all(w, 5, false);
    make_batch(w, &b, 5, false);
    for (way of = ON_DISK; of < WAYS; of++) {
        nd_index *index = w->index[of];
        make_job(&j, &b, of);
        j.parts.index.path = directories[BY_PATH];
        refuse(&j, index, "a path or an open index, and not both");
        make_job(&j, &b, of);
        j.parts.survivors.group = ND_GROUP_COMPONENT;
        refuse(&j, index, "it must be greedy");
        make_job(&j, &b, of);
        j.parts.similarity.sketch = ND_SKETCH_SIMHASH;
        refuse(&j, index, "with one, sketch must be ND_SKETCH_MINHASH");
        make_job(&j, &b, of);
        j.parts.similarity.threshold = 0.75;
        refuse(&j, index,
               of == ON_DISK ? "on-disk: made with threshold"
                             : "an index in memory: made with threshold");
        make_job(&j, &b, of);
        strcpy(((document *)b.documents[3])->id, b.documents[1]->id);
        refuse(&j, index, "in an index each document has its own");
        strcpy(((document *)b.documents[3])->id, w->live[0]->id);
        make_job(&j, &b, of);
        refuse(&j, index, "already");
        check_index(w, index);
    }
    good(nd_index_open(directories[BY_PATH], ND_INDEX_READ, NULL, &reader, &error));
    make_job(&j, &b, ON_DISK);
    j.parts.index.index = reader;
    refuse(&j, w->index[ON_DISK], "opened for reading");
    nd_index_close(reader);
    free_world(w);
}

/* ---- two jobs at once: one after the other, or the second is refused */

static void *run_on_thread(void *context) {
    job *j = context;
    nd_error failure;
    j->left = (long)nd_dedup(dedup_of(&j->parts), NULL, &failure);
    return NULL;
}

/* nd_decision_fn: nothing is known of the order. */
static bool count_kept(void *context, const nd_decision *d) {
    ((job *)context)->decided += d->kept;
    return true;
}

static void test_two_jobs(void **state) {
    (void)state;
    static batch b[2];
    for (uint64_t seed = 100; seed < 110; seed++) {
        world *w = new_world(seed);
        way of = seed % 2 ? ON_DISK : IN_MEMORY;
        job jobs[2];
        pthread_t threads[2];
        nd_index_info info = {.struct_size = sizeof info};
        size_t kept = 0;
        open_all(w);
        for (int i = 0; i < 2; i++) {
            make_batch(w, &b[i], 40, false);
            make_job(&jobs[i], &b[i], of);
            jobs[i].parts.outputs.on_decision = count_kept;
        }
        for (int i = 0; i < 2; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, run_on_thread, &jobs[i]), 0);
        for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
        for (int i = 0; i < 2; i++) {
            assert_true(jobs[i].left == ND_OK || jobs[i].left == ND_ERR_BUSY);
            if (jobs[i].left == ND_OK) kept += jobs[i].decided;
        }
        assert_true(jobs[0].left == ND_OK || jobs[1].left == ND_OK);
        good(nd_index_describe(w->index[of], &info, &error));
        assert_int_equal(info.documents, kept);
        good(nd_index_check(w->index[of], &error));
        free_world(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few),       cmocka_unit_test(test_many),
        cmocka_unit_test(test_reader),    cmocka_unit_test(test_resumed),
        cmocka_unit_test(test_callbacks), cmocka_unit_test(test_failures),
        cmocka_unit_test(test_refusals),  cmocka_unit_test(test_two_jobs)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}
