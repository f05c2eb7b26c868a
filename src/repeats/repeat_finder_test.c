/* Repeats of texts, compared with all windows of all texts. */
#include "repeats/repeat_finder.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { TEXTS_MOST = 40, BYTES_MOST = 1 << 16 };

typedef struct collection {
    char *texts[TEXTS_MOST];
    size_t lengths[TEXTS_MOST];
    size_t count;
} collection;

/* The first occurrence of each window, and how often it occurs, by sorting all windows. */
typedef struct window {
    const char *bytes;
    size_t text, begin;
} window;

static size_t window_size;

static int by_bytes(const void *a, const void *b) {
    const window *x = a, *y = b;
    int order = memcmp(x->bytes, y->bytes, window_size);
    if (order != 0) return order;
    if (x->text != y->text) return x->text < y->text ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

typedef struct oracle {
    /* By text and byte: 1 + the number of the window that is its first equal one, by `windows`;
     * 0: it has no equal one. */
    uint32_t *first[TEXTS_MOST];
    window *windows;
    size_t count;
} oracle;

static void oracle_make(const collection *c, size_t least, oracle *o) {
    size_t most = 0;
    for (size_t t = 0; t < c->count; t++) most += c->lengths[t];
    o->windows = malloc((most + 1) * sizeof *o->windows);
    o->count = 0;
    for (size_t t = 0; t < c->count; t++) {
        o->first[t] = calloc(c->lengths[t] + 1, sizeof **o->first);
        for (size_t i = 0; i + least <= c->lengths[t]; i++)
            o->windows[o->count++] = (window){c->texts[t] + i, t, i};
    }
    window_size = least;
    qsort(o->windows, o->count, sizeof *o->windows, by_bytes);
    for (size_t begin = 0, end; begin < o->count; begin = end) {
        for (end = begin + 1;
             end < o->count && memcmp(o->windows[begin].bytes, o->windows[end].bytes, least) == 0;)
            end++;
        for (size_t i = begin; i < end && end - begin > 1; i++)
            o->first[o->windows[i].text][o->windows[i].begin] = (uint32_t)begin + 1;
    }
}

static void oracle_free(const collection *c, oracle *o) {
    for (size_t t = 0; t < c->count; t++) free(o->first[t]);
    free(o->windows);
}

typedef struct checker {
    const collection *texts;
    const oracle *truth;
    size_t least;
    nd_repeats_kept keep;
    uint64_t text, begin; /* of the repeat before */
    bool *found[TEXTS_MOST];
    size_t repeats;
} checker;

static nd_status check_repeat(void *context, const nd_repeat *r, nd_error *error) {
    (void)error;
    checker *c = context;
    assert_true(r->text > c->text || (r->text == c->text && r->begin >= c->begin));
    c->text = r->text;
    c->begin = r->begin;
    assert_true(r->text < c->texts->count && r->end <= c->texts->lengths[r->text]);
    assert_true(r->end - r->begin >= c->least);
    assert_memory_equal(c->texts->texts[r->text] + r->begin,
                        c->texts->texts[r->source_text] + r->source_begin, r->end - r->begin);
    for (uint64_t i = r->begin; i + c->least <= r->end; i++) {
        uint32_t first = c->truth->first[r->text][i];
        assert_true(first > 0);
        const window *w = &c->truth->windows[first - 1];
        c->found[r->text][i] = true;
        if (c->keep == ND_REPEATS_KEEP_NONE) continue;
        assert_int_equal(w->text, r->source_text);
        assert_int_equal(w->begin, r->source_begin + (i - r->begin));
    }
    c->repeats++;
    return ND_OK;
}

static size_t check_collection(const collection *c, size_t least, nd_repeats_kept keep,
                               uint32_t threads) {
    nd_error error;
    nd_run run;
    nd_repeat_finder *finder;
    oracle truth;
    checker check = {.texts = c, .truth = &truth, .least = least, .keep = keep};
    const nd_resources resources = {
        .struct_size = sizeof resources, .threads = threads, .memory = ND_MEMORY_LEAST};
    oracle_make(c, least, &truth);
    assert_int_equal(nd_run_begin(&resources, NULL, &run, &error), ND_OK);
    nd_anchor_finder anchors = {
        .allocator = run.allocator, .symbols = ND_SYMBOL_BYTES, .least = (uint32_t)least};
    assert_int_equal(
        nd_repeat_finder_create(&run, ND_SYMBOL_BYTES, (uint32_t)least, &finder, &error), ND_OK);
    for (size_t t = 0; t < c->count; t++) {
        assert_int_equal(nd_repeat_finder_begin_text(finder, &error), ND_OK);
        assert_int_equal(nd_repeat_finder_add_symbols(finder, c->texts[t], c->lengths[t], &error),
                         ND_OK);
        assert_int_equal(nd_anchors_find(&anchors, c->texts[t], c->lengths[t],
                                         nd_repeat_finder_add_anchors, finder, &error),
                         ND_OK);
        assert_int_equal(nd_repeat_finder_end_text(finder, &error), ND_OK);
        check.found[t] = calloc(c->lengths[t] + 1, sizeof(bool));
    }
    assert_int_equal(nd_repeat_finder_run(finder, keep, check_repeat, &check, &error), ND_OK);
    for (size_t t = 0; t < c->count; t++) {
        for (size_t i = 0; i + least <= c->lengths[t]; i++) {
            uint32_t first = truth.first[t][i];
            bool is_first = first > 0 && truth.windows[first - 1].text == t &&
                            truth.windows[first - 1].begin == i;
            assert_int_equal(check.found[t][i],
                             first > 0 && (keep == ND_REPEATS_KEEP_NONE || !is_first));
        }
        free(check.found[t]);
    }
    nd_anchor_finder_free(&anchors);
    nd_repeat_finder_free(finder);
    nd_run_end(&run);
    oracle_free(c, &truth);
    return check.repeats;
}

static size_t check_all(const collection *c, size_t least) {
    size_t repeats = 0;
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        repeats += check_collection(c, least, ND_REPEATS_KEEP_FIRST, threads);
        repeats += check_collection(c, least, ND_REPEATS_KEEP_NONE, threads);
    }
    return repeats;
}

static void free_texts(collection *c) {
    for (size_t t = 0; t < c->count; t++) free(c->texts[t]);
    c->count = 0;
}

static char *add_text(collection *c, size_t length) {
    char *text = malloc(length + 1);
    c->texts[c->count] = text;
    c->lengths[c->count++] = length;
    return text;
}

/* Random bytes of few letters, and copies of stretches of earlier texts. */
static void add_random(collection *c, uint64_t *seed, unsigned letters, size_t most) {
    size_t length = random_below(seed, most);
    char *text = add_text(c, length);
    for (size_t i = 0; i < length;) {
        size_t from = random_below(seed, c->count), run = random_below(seed, 200);
        if (from + 1 < c->count && random_below(seed, 3) > 0 && c->lengths[from] > 0) {
            size_t begin = random_below(seed, c->lengths[from]);
            for (; run > 0 && i < length && begin < c->lengths[from]; run--)
                text[i++] = c->texts[from][begin++];
        } else {
            for (; run > 0 && i < length; run--)
                text[i++] = (char)('a' + random_below(seed, letters));
        }
        if (run > 0 && i < length) text[i++] = '|';
    }
}

static void test_random(void **state) {
    (void)state;
    static const size_t leasts[] = {16, 17, 33, 100, 151};
    uint64_t seed = 1;
    size_t repeats = 0;
    for (int round = 0; round < 30; round++) {
        collection c = {.count = 0};
        unsigned letters = 1 + (unsigned)random_below(&seed, 4);
        size_t texts = 1 + random_below(&seed, TEXTS_MOST);
        for (size_t t = 0; t < texts; t++) add_random(&c, &seed, letters, 600);
        repeats += check_all(&c, leasts[round % 5]);
        free_texts(&c);
    }
    assert_true(repeats > 1000);
}

static void test_periodic(void **state) {
    (void)state;
    for (size_t period = 1; period <= 7; period++) {
        collection c = {.count = 0};
        for (size_t t = 0; t < 3; t++) {
            char *text = add_text(&c, 2000 + t);
            for (size_t i = 0; i < c.lengths[t]; i++) text[i] = (char)('a' + (i + t) % period);
        }
        assert_true(check_all(&c, 100) > 0);
        free_texts(&c);
    }
}

/* Fibonacci words: every stretch occurs again soon, but no period holds. */
static void test_fibonacci(void **state) {
    (void)state;
    collection c = {.count = 0};
    char *text = add_text(&c, 4181), *other = add_text(&c, 2584);
    size_t a = 1, b = 1;
    text[0] = 'a';
    text[1] = 'b';
    for (size_t length = 2; length < 4181;) { /* word n = word n - 1, word n - 2 */
        a = b;
        b = length;
        size_t more = a < 4181 - length ? a : 4181 - length;
        memmove(text + length, text, more);
        length += more;
    }
    memcpy(other, text + 1000, 2584);
    assert_true(check_all(&c, 100) > 0);
    assert_true(check_all(&c, 16) > 0);
    free_texts(&c);
}

static void test_none(void **state) {
    (void)state;
    collection c = {.count = 0};
    assert_int_equal(check_all(&c, 100), 0);
    memset(add_text(&c, 99), 'a', 99);
    memset(add_text(&c, 99), 'a', 99);
    add_text(&c, 0);
    assert_int_equal(check_all(&c, 100), 0);
    assert_true(check_all(&c, 99) == 6);
    free_texts(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random), cmocka_unit_test(test_periodic),
        cmocka_unit_test(test_fibonacci), cmocka_unit_test(test_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
