/* Counts compared with plain counting, and weights with the logarithm computed each time. */
#include "terms/count_min.h"

#include "base/workers.h"
#include "test.h"
#include "terms/weight_table.h"

#include <stdlib.h>

static nd_count_min *make(void) {
    nd_count_min *counts = NULL;
    assert_int_equal(nd_count_min_create(NULL, &counts, NULL), ND_OK);
    return counts;
}

/* Documents of distinct features below `range`. */
typedef struct material {
    uint64_t *features;
    size_t *starts;
    size_t documents;
    uint64_t *truth; /* by number */
} material;

static uint64_t feature(uint64_t number) { return nd_mix64(number + 12345); }

static material make_material(size_t documents, size_t length, uint64_t range) {
    material m = {malloc(documents * length * 8), malloc((documents + 1) * sizeof(size_t)),
                  documents, calloc(range, 8)};
    uint64_t seed = 9, *last = calloc(range, 8);
    size_t used = 0;
    for (size_t d = 0; d < documents; d++) {
        m.starts[d] = used;
        for (size_t i = 0; i < length; i++) {
            uint64_t number = random_below(&seed, 1 + random_below(&seed, range));
            if (last[number] == d + 1) continue;
            last[number] = d + 1;
            m.truth[number]++;
            m.features[used++] = feature(number);
        }
    }
    m.starts[documents] = used;
    free(last);
    return m;
}

static void free_material(material *m) {
    free(m->features);
    free(m->starts);
    free(m->truth);
}

static void add_all(nd_count_min *counts, const material *m) {
    for (size_t d = 0; d < m->documents; d++)
        nd_count_min_add_document(counts, m->features + m->starts[d],
                                  m->starts[d + 1] - m->starts[d]);
    nd_count_min_prepare_weights(counts);
}

/* So few features that hardly one of them shares both its counters with others; with these
 * documents none does. */
static void test_few(void **state) {
    (void)state;
    enum { RANGE = 20 };
    material m = make_material(3000, 12, RANGE);
    nd_count_min *counts = make();
    add_all(counts, &m);
    assert_int_equal(nd_count_min_documents(counts), 3000);
    for (uint64_t i = 0; i < RANGE; i++)
        assert_int_equal(nd_count_min_of(counts, feature(i)), m.truth[i]);
    assert_int_equal(nd_count_min_of(counts, feature(RANGE)), 0);
    nd_count_min_free(counts);
    free_material(&m);
}

static void test_many(void **state) {
    (void)state;
    uint64_t range = UINT64_C(1) << (ND_COUNT_MIN_ROW_BITS < 19 ? ND_COUNT_MIN_ROW_BITS + 1 : 20),
             above = 0;
    material m = make_material(4000, 400, range);
    nd_count_min *counts = make();
    add_all(counts, &m);
    double added = (double)m.starts[m.documents],
           bound = 2.7182818 * added / (1 << ND_COUNT_MIN_ROW_BITS);
    for (uint64_t i = 0; i < range; i++) {
        uint64_t count = nd_count_min_of(counts, feature(i));
        assert_true(count >= m.truth[i]);
        assert_true(count <= m.documents);
        above += (double)(count - m.truth[i]) > bound;
    }
    assert_true((double)above <= .1353 * (double)range);
    nd_count_min_free(counts);
    free_material(&m);
}

typedef struct shared {
    nd_count_min *counts;
    const material *m;
    uint32_t workers;
} shared;

static nd_status add_part(void *context, uint32_t index, nd_error *error) {
    (void)error;
    const shared *s = context;
    for (size_t d = index; d < s->m->documents; d += s->workers)
        nd_count_min_add_document(s->counts, s->m->features + s->m->starts[d],
                                  s->m->starts[d + 1] - s->m->starts[d]);
    return ND_OK;
}

static void test_threads(void **state) {
    (void)state;
    enum { RANGE = 3000 };
    material m = make_material(5000, 60, RANGE);
    nd_count_min *one = make(), *several = make();
    add_all(one, &m);
    shared s = {several, &m, 5};
    assert_int_equal(nd_run_workers(&nd_allocator_default, s.workers, add_part, &s, NULL), ND_OK);
    nd_count_min_prepare_weights(several);
    assert_int_equal(nd_count_min_documents(several), m.documents);
    for (uint64_t i = 0; i < RANGE; i++)
        assert_int_equal(nd_count_min_of(one, feature(i)), nd_count_min_of(several, feature(i)));
    nd_count_min_free(one);
    nd_count_min_free(several);
    free_material(&m);
}

static void test_alone(void **state) {
    (void)state;
    enum { RANGE = 3000 };
    material m = make_material(500, 60, RANGE);
    nd_count_min *plain = make(), *alone = make();
    add_all(plain, &m);
    for (size_t d = 0; d < m.documents; d++) {
        const uint64_t *features = m.features + m.starts[d];
        size_t count = m.starts[d + 1] - m.starts[d];
        uint32_t frequencies[ND_COUNT_MIN_BLOCK];
        double expected[ND_COUNT_MIN_BLOCK];
        nd_count_min_add_document(alone, NULL, 0);
        if (d % 3) nd_count_min_prepare_weights(alone);
        nd_count_min_add_and_count(alone, features, count, frequencies);
        nd_count_min_weigh(alone, features, count, expected);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(frequencies[i], nd_count_min_of(alone, features[i]));
            assert_true(nd_count_min_units(alone, frequencies[i]) == expected[i] * ND_WEIGHT_UNITS);
        }
    }
    for (size_t i = 0; i < nd_count_min_size(); i++) {
        uint32_t expected, got;
        nd_count_min_read(plain, i, 1, &expected);
        nd_count_min_read(alone, i, 1, &got);
        assert_int_equal(got, expected);
    }
    nd_count_min_free(plain);
    nd_count_min_free(alone);
    free_material(&m);
}

static void test_alone_stops_at_the_most(void **state) {
    (void)state;
    nd_count_min *counts = make();
    const uint32_t nearly = UINT32_MAX - 1;
    const uint64_t full = feature(1);
    for (size_t i = 0; i < nd_count_min_size(); i++) nd_count_min_write(counts, i, 1, &nearly);
    nd_count_min_set_documents(counts, UINT64_C(1) << 40);
    uint32_t frequency;
    for (int i = 0; i < 3; i++) nd_count_min_add_and_count(counts, &full, 1, &frequency);
    assert_true(frequency == UINT32_MAX);
    assert_true(nd_count_min_of(counts, full) == UINT32_MAX);
    nd_count_min_free(counts);
}

/* Feature i is in the first 1.1^i documents, so there are counts of every size. */
static void test_weights(void **state) {
    (void)state;
    enum { FEATURES = 147 };
    uint64_t features[FEATURES];
    double ends[FEATURES], weights[FEATURES], end = 1;
    for (size_t i = FEATURES; i-- > 0; end *= 1.1) {
        features[i] = feature(i);
        ends[i] = end;
    }
    nd_count_min *counts = make();
    size_t left = FEATURES;
    for (double d = 0; left > 0; d++) {
        while (left > 0 && ends[left - 1] < d) left--;
        nd_count_min_add_document(counts, features, left);
    }
    nd_count_min_prepare_weights(counts);
    uint64_t documents = nd_count_min_documents(counts);
    assert_true(documents > 1000000);
    nd_count_min_weigh(counts, features, FEATURES, weights);
    for (size_t i = 0; i < FEATURES; i++) {
        uint32_t units = nd_idf_units(documents, nd_count_min_of(counts, features[i]));
        assert_true(weights[i] == (double)units / ND_WEIGHT_UNITS);
    }
    nd_count_min_free(counts);
}

/* Every number of documents up to some thousands, and larger ones: where interpolation begins, and
 * where counts reach their maximum. */
static void test_weights_of_each_count(void **state) {
    (void)state;
    nd_count_min *counts = make();
    uint64_t always = feature(1), half = feature(2), features[2] = {always, half};
    for (uint64_t d = 1; d <= 20000; d++) {
        double weights[2];
        nd_count_min_add_document(counts, features, 1 + d % 2);
        if (d > 6000 && d % 97) continue;
        if (d > 100 && d < 3500 && d % 97) continue;
        nd_count_min_prepare_weights(counts);
        nd_count_min_weigh(counts, features, 2, weights);
        assert_true(weights[0] == 0);
        assert_true(weights[1] ==
                    (double)nd_idf_units(d, nd_count_min_of(counts, half)) / ND_WEIGHT_UNITS);
    }
    nd_count_min_free(counts);
}

static void test_memory_runs_out(void **state) {
    (void)state;
    for (long left = 0; left < 3; left++) {
        failing_allocator failing = {left, 0};
        nd_allocator allocator = failing_allocator_make(&failing);
        nd_count_min *counts = NULL;
        assert_int_equal(nd_count_min_create(&allocator, &counts, NULL),
                         left < 2 ? ND_ERR_MEMORY : ND_OK);
        nd_count_min_free(counts);
        assert_int_equal(failing.live, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_alone_stops_at_the_most),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_weights_of_each_count),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
