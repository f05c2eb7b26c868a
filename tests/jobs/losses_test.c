/* Where documents are lost, against the decisions of the same job. */
#include "job_parts.h"
#include "small_corpus.h"

enum { GROUPS = 3 };

/* A document of the corpus as its decision tells. */
typedef struct decided {
    char id[24], kept_id[24];
    uint64_t kept; /* number of the document, or MOST + the number of one of the index */
    bool is_removed;
} decided;

typedef struct seen {
    decided documents[MOST];
    size_t count;
    unsigned calls;
    nd_losses losses; /* of these only numbers are read */
    struct {
        char id[24], example[24];
        uint64_t line, example_line, removed, exact_copies;
    } groups[GROUPS];
} seen;

static void copy_id(char out[24], const char *id, size_t length) {
    assert_true(length < 24);
    memcpy(out, id, length);
    out[length] = '\0';
}

static bool take_losses(void *context, const nd_losses *l) {
    seen *s = context;
    assert_int_equal(s->calls++, 0);
    assert_true(l->group_count <= GROUPS);
    s->losses = *l;
    for (size_t i = 0; i < l->group_count; i++) {
        const nd_loss_group *g = &l->groups[i];
        copy_id(s->groups[i].id, g->kept.id, g->kept.id_length);
        copy_id(s->groups[i].example, g->example.id, g->example.id_length);
        assert_string_equal(g->kept.source, "");
        s->groups[i].line = g->kept.line;
        s->groups[i].example_line = g->example.line;
        s->groups[i].removed = g->removed;
        s->groups[i].exact_copies = g->exact_copies;
    }
    return true;
}

/* The documents of an index are numbered as they are in it: their ids are i0, i1 ... */
static bool take_decision(void *context, const nd_decision *d) {
    seen *s = context;
    decided *to = &s->documents[s->count++];
    copy_id(to->id, d->id, d->id_length);
    copy_id(to->kept_id, d->evidence_id, d->evidence_id_length);
    to->is_removed = !d->kept;
    to->kept = d->indexed ? MOST + strtoull(to->kept_id + 1, NULL, 10) : d->evidence;
    return true;
}

/* ---- the groups by plain means */

static const corpus *ranked;
static nd_keep ranked_by;

/* Whether a comes before b in the order of priority; documents of the index come before all. */
static bool is_before(uint64_t a, uint64_t b) {
    if (a >= MOST || b >= MOST) return a >= MOST && (b < MOST || a < b);
    size_t x = strlen(ranked->text[a]), y = strlen(ranked->text[b]);
    return ranked_by == ND_KEEP_LONGEST && x != y ? x > y : a < b;
}

/* The largest group that is none of those before it; removed 0: there is none. */
static uint64_t find_largest(const seen *s, const uint64_t *before, size_t count, uint64_t *kept) {
    uint64_t most = 0;
    for (size_t d = 0; d < s->count; d++) {
        uint64_t candidate = s->documents[d].kept, removed = 0;
        bool is_used = !s->documents[d].is_removed;
        for (size_t i = 0; i < count; i++) is_used |= before[i] == candidate;
        if (is_used) continue;
        for (size_t e = 0; e < s->count; e++)
            removed += s->documents[e].is_removed && s->documents[e].kept == candidate;
        if (removed < most || (removed == most && !is_before(candidate, *kept))) continue;
        most = removed;
        *kept = candidate;
    }
    return most;
}

static void check_groups(const seen *s) {
    uint64_t used[GROUPS];
    for (size_t i = 0; i < GROUPS; i++) {
        uint64_t kept = 0, removed = find_largest(s, used, i, &kept);
        if (removed == 0) {
            assert_int_equal(s->losses.group_count, i);
            return;
        }
        size_t first = 0;
        while (!s->documents[first].is_removed || s->documents[first].kept != kept) first++;
        assert_int_equal(s->groups[i].removed, removed);
        assert_int_equal(s->groups[i].line, kept < MOST ? kept + 1 : 0);
        assert_string_equal(s->groups[i].id, s->documents[first].kept_id);
        assert_string_equal(s->groups[i].example, s->documents[first].id);
        assert_int_equal(s->groups[i].example_line, first + 1);
        used[i] = kept;
    }
    assert_int_equal(s->losses.group_count, GROUPS);
}

/* Kept documents and their removed ones, counted one by one. */
static void check_sizes(const seen *s) {
    uint64_t counts[ND_GROUP_STEPS] = {0};
    for (size_t d = 0; d < s->count; d++) {
        uint64_t removed = 0;
        bool first = s->documents[d].is_removed;
        for (size_t e = 0; e < s->count && first; e++) {
            bool same = s->documents[e].is_removed && s->documents[e].kept == s->documents[d].kept;
            first = !same || e >= d;
            removed += same;
        }
        if (first) counts[(size_t)log2((double)removed)]++;
    }
    for (size_t step = 0; step < ND_GROUP_STEPS; step++)
        assert_int_equal(s->losses.groups_by_removed[step], counts[step]);
}

static void check_losses(const corpus *c, const job_parts *o, const seen *s,
                         const nd_job_summary *summary) {
    uint64_t exact_copies = 0, removed = 0;
    assert_int_equal(s->calls, 1);
    assert_int_equal(s->losses.documents, c->count);
    assert_int_equal(s->losses.removed, summary->removed);
    for (size_t i = 0; i < s->losses.group_count; i++) {
        exact_copies += s->groups[i].exact_copies;
        removed += s->groups[i].removed;
    }
    /* If these groups are all there are, they have all exact copies. */
    if (removed == summary->removed) assert_int_equal(exact_copies, summary->exact_copies);
    ranked = c;
    ranked_by = o->survivors.keep;
    check_groups(s);
    check_sizes(s);
}

/* ---- jobs */

static void run(corpus *c, job_parts *o) {
    static seen s;
    nd_error error;
    nd_job_summary summary = {.struct_size = sizeof summary};
    s = (seen){.calls = 0};
    c->next = 0;
    o->input.records = give;
    o->input.records_context = c;
    o->outputs.on_decision = take_decision;
    o->outputs.on_losses = take_losses;
    o->outputs.context = &s;
    if (nd_dedup(dedup_of(o), &summary, &error) != ND_OK) fail_msg("%s", error.message);
    assert_int_equal(s.count, c->count);
    check_losses(c, o, &s, &summary);
}

static void test_groups(void **state) {
    (void)state;
    for (uint64_t round = 0; round < 40; round++) {
        uint64_t seed = round * 77 + 5;
        corpus c = {0};
        job_parts o;
        job_parts_init(&o);
        o.similarity.threshold = round % 3 ? 0.5 : 0.8;
        o.survivors.keep = round % 2 ? ND_KEEP_LONGEST : ND_KEEP_FIRST;
        o.survivors.group = round % 5 ? ND_GROUP_GREEDY : ND_GROUP_COMPONENT;
        o.resources.threads = 1 + (uint32_t)(round % 3);
        make_corpus(&c, seed, round % 8 ? random_below(&seed, MOST) : round / 8);
        run(&c, &o);
        free_corpus(&c);
    }
}

/* Replaces half of the texts by texts of another corpus. */
static void mix(corpus *c, const corpus *other, uint64_t *seed) {
    for (size_t d = 0; d < c->count; d += 2) {
        free(c->text[d]);
        c->text[d] = strdup(other->text[random_below(seed, other->count)]);
    }
}

static void name_documents(corpus *c, char letter) {
    for (size_t d = 0; d < c->count; d++) snprintf(c->id[d], sizeof c->id[d], "%c%zu", letter, d);
}

/* Two batches against an index in memory: documents of the first one have removed some of the
 * second one. */
static void test_index(void **state) {
    (void)state;
    for (uint64_t round = 0; round < 10; round++) {
        corpus first = {0}, second = {0};
        uint64_t seed = round;
        nd_index_options options;
        job_parts o;
        job_parts_init(&o);
        nd_index_options_init(&options, sizeof options);
        assert_int_equal(nd_index_create_in_memory(&options, NULL, &o.index.index, NULL), ND_OK);
        make_corpus(&first, seed + 100, MOST / 2);
        make_corpus(&second, seed + 200, MOST / 2);
        mix(&second, &first, &seed);
        name_documents(&first, 'i');
        name_documents(&second, 'j');
        run(&first, &o);
        o.survivors.keep = round % 2 ? ND_KEEP_LONGEST : ND_KEEP_FIRST;
        run(&second, &o);
        nd_index_close(o.index.index);
        free_corpus(&first);
        free_corpus(&second);
    }
}

/* A share that is reached is allowed. Above it nothing is decided for the caller, at any order and
 * any number of threads. */
static void test_limit(void **state) {
    (void)state;
    for (uint32_t round = 0; round < 12; round++) {
        corpus c = {0};
        static seen s;
        nd_error error;
        job_parts o;
        nd_job_summary summary = {.struct_size = sizeof summary};
        job_parts_init(&o);
        make_corpus(&c, round + 40, 100 + round);
        o.survivors.keep = round % 2 ? ND_KEEP_LONGEST : ND_KEEP_FIRST;
        o.survivors.group = round % 4 < 2 ? ND_GROUP_GREEDY : ND_GROUP_COMPONENT;
        o.resources.threads = 1 + round % 3;
        run(&c, &o);
        o.outputs.on_losses = NULL;
        s = (seen){.calls = 0};
        o.outputs.context = &s;
        c.next = 0;
        assert_int_equal(nd_dedup(dedup_of(&o), &summary, &error), ND_OK);
        double share = (double)summary.removed / (double)summary.documents;
        for (int above = 0; above < 2; above++) {
            s = (seen){.calls = 0};
            c.next = 0;
            o.survivors.max_removed = above ? nextafter(share, 0) : share;
            nd_status status = nd_dedup(dedup_of(&o), NULL, &error);
            assert_int_equal(status, above ? ND_ERR_INPUT : ND_OK);
            assert_int_equal(s.count, above ? 0 : c.count);
            if (above) assert_non_null(strstr(error.message, "max_removed"));
            if (above) assert_non_null(strstr(error.message, " (record "));
        }
        free_corpus(&c);
    }
}

static bool stop(void *context, const nd_losses *losses) {
    (void)context;
    (void)losses;
    return false;
}

static void test_cancel(void **state) {
    (void)state;
    corpus c = {0};
    nd_error error;
    job_parts o;
    job_parts_init(&o);
    make_corpus(&c, 3, 50);
    o.input.records = give;
    o.input.records_context = &c;
    o.outputs.on_losses = stop;
    assert_int_equal(nd_dedup(dedup_of(&o), NULL, &error), ND_ERR_CANCELLED);
    free_corpus(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_groups), cmocka_unit_test(test_index),
                                       cmocka_unit_test(test_limit), cmocka_unit_test(test_cancel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
