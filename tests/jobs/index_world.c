#include "index_world.h"

#include "small_corpus.h"

#include <math.h>

nd_error index_error;

void good(nd_status status) {
    if (status != ND_OK) fail_msg("%s", index_error.message);
}

/* ---- documents */

const char *const directories[] = {[BY_PATH] = "by-path", [ON_DISK] = "on-disk"};

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
    good(nd_analyze(w->tokens, text, strlen(text), &shingles, &index_error));
    nd_minhash_sign(w->minhash, shingles.hashes, shingles.count, d->signature);
    d->set = malloc(shingles.count * sizeof *d->set);
    memcpy(d->set, shingles.hashes, shingles.count * sizeof *d->set);
    d->size = nd_set_make(d->set, shingles.count);
    memcpy(d->text_hash, shingles.text_hash, sizeof d->text_hash);
    return d;
}

nd_record record_of(const document *d) {
    return (nd_record){.text = d->text,
                       .length = strlen(d->text),
                       .id = d->id,
                       .id_length = strlen(d->id),
                       .value = d->value,
                       .is_protected = d->is_protected};
}

/* ---- the definition */

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

bool is_replaced(const batch *b, const document *d) {
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

void make_batch(world *w, batch *b, size_t count, bool replace) {
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

void accept_batch(world *w, const batch *b) {
    memcpy(w->live, b->live, b->live_count * sizeof *b->live);
    w->live_count = b->live_count;
}

/* ---- jobs */

/* nd_record_fn */
int give_document(void *context, nd_record *out) {
    job *j = context;
    if (j->given == j->of->count) return 0;
    *out = record_of(j->of->documents[j->given++]);
    return 1;
}

bool is_id(const char *id, const char *given, size_t length) {
    return strlen(id) == length && memcmp(id, given, length) == 0;
}

bool is_as_wanted(const batch *b, const nd_decision *d) {
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
bool check_decision(void *context, const nd_decision *d) {
    job *j = context;
    assert_int_equal(d->document, j->decided++);
    assert_true(is_as_wanted(j->of, d));
    return true;
}

void make_job(job *j, const batch *b, way of) {
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

void run_job(const batch *b, way of) {
    job j;
    nd_job_summary summary = {.struct_size = sizeof summary};
    make_job(&j, b, of);
    good(nd_dedup(dedup_of(&j.parts), &summary, &index_error));
    assert_int_equal(j.decided, b->count);
    assert_int_equal(summary.documents, b->count);
    size_t kept = 0;
    for (size_t i = 0; i < b->count; i++) kept += b->wanted[i].kept;
    assert_int_equal(summary.kept, kept);
    assert_int_equal(summary.removed, b->count - kept);
    assert_int_equal(summary.bounded_documents, 0);
}

/* ---- the index beside its jobs */

nd_index *borrow(world *w, way of) {
    if (of == BY_PATH)
        good(nd_index_open(directories[of], ND_INDEX_WRITE, NULL, &w->index[of], &index_error));
    return w->index[of];
}

void give_back(world *w, way of) {
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

bool finds(const world *w, nd_index_searcher *searcher, const document *query,
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

void check_index(world *w, nd_index *index) {
    nd_index_searcher *searcher;
    nd_index_info info = {.struct_size = sizeof info};
    good(nd_index_describe(index, &info, &index_error));
    assert_int_equal(info.documents, w->live_count);
    good(nd_index_check(index, &index_error));
    good(nd_index_searcher_create(index, &searcher, &index_error));
    for (int i = 0; i < QUERIES && w->count > 0; i++) {
        const document *query = &w->documents[random_below(&w->seed, w->count)];
        assert_true(finds(w, searcher, query, w->live, w->live_count));
        assert_int_equal(nd_index_searcher_left_out(searcher), 0);
    }
    nd_index_searcher_free(searcher);
}

void change_and_restore(nd_index *index) {
    static const char text[] = "seventeen quinces behind the mill of which nobody else has spoken";
    const nd_record quince = {.text = text, .length = strlen(text), .id = "quince", .id_length = 6};
    nd_index_searcher *searcher;
    bool done;
    good(nd_index_searcher_create(index, &searcher, &index_error));
    good(nd_index_add(index, searcher, &quince, &done, NULL, &index_error));
    assert_true(done);
    good(nd_index_remove(index, "quince", 6, &done, &index_error));
    assert_true(done);
    nd_index_searcher_free(searcher);
}

/* ---- a world */

world *new_world(uint64_t seed) {
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
    good(nd_plan_choose(w->made.threshold, w->made.recall, PERMS, &w->plan, &index_error));
    good(nd_analyzer_create(&w->analyzer, NULL, &w->tokens, &index_error));
    good(nd_minhash_create(PERMS, w->analyzer.seed, NULL, &w->minhash, &index_error));
    return w;
}

void open_all(world *w) {
    good(nd_index_create(directories[BY_PATH], &w->made, &index_error));
    good(nd_index_create(directories[ON_DISK], &w->made, &index_error));
    good(nd_index_open(directories[ON_DISK], ND_INDEX_WRITE, &w->allocator, &w->index[ON_DISK],
                       &index_error));
    good(nd_index_create_in_memory(&w->made, &w->allocator, &w->index[IN_MEMORY], &index_error));
}

void free_world(world *w) {
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

void add_all(world *w, size_t count, bool replace) {
    static batch b;
    make_batch(w, &b, count, replace);
    for (way of = 0; of < WAYS; of++) run_job(&b, of);
    accept_batch(w, &b);
}

void check_all(world *w) {
    for (way of = 0; of < WAYS; of++) {
        check_index(w, borrow(w, of));
        give_back(w, of);
    }
}

void remove_one(world *w) {
    if (w->live_count == 0) return;
    size_t place = (size_t)random_below(&w->seed, w->live_count);
    const char *id = w->live[place]->id;
    for (way of = 0; of < WAYS; of++) {
        bool found;
        good(nd_index_remove(borrow(w, of), id, strlen(id), &found, &index_error));
        assert_true(found);
        give_back(w, of);
    }
    w->live_count--;
    memmove(w->live + place, w->live + place + 1, (w->live_count - place) * sizeof *w->live);
}

void replace_one(world *w) {
    static batch b;
    make_batch(w, &b, 1, true);
    const nd_record given = record_of(b.documents[0]);
    for (way of = 0; of < WAYS; of++) {
        nd_index_searcher *searcher;
        nd_index *index = borrow(w, of);
        const nd_match *evidence;
        bool added;
        good(nd_index_searcher_create(index, &searcher, &index_error));
        good(nd_index_replace(index, searcher, &given, &added, &evidence, &index_error));
        assert_int_equal(added, b.wanted[0].kept);
        if (!added)
            assert_true(
                is_id(w->live[b.wanted[0].evidence]->id, evidence->id, evidence->id_length));
        nd_index_searcher_free(searcher);
        give_back(w, of);
    }
    accept_batch(w, &b);
}

void compact_all(world *w) {
    for (way of = 0; of < WAYS; of++) {
        good(nd_index_compact(borrow(w, of), &index_error));
        give_back(w, of);
    }
}

void fill(world *w) {
    open_all(w);
    for (int i = 0; i < 4; i++) {
        add_all(w, 16, true);
        if (random_below(&w->seed, 2)) compact_all(w);
    }
    while (w->live_count < 12) add_all(w, 12, false);
    for (int i = 0; i < 3; i++) replace_one(w);
}
