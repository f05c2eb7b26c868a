/* icu_han_trie.h against a plain list of words. This file writes tries of random words in ICU's
 * format, with numbers of every length, and is ICU: it gives them as ICU's dictionary. */
#include "base/icu_library.h"
#include "test.h"
#include "unicode/icu_han_trie.h"

#include <stdlib.h>
#include <string.h>

enum { TRIES = 300, MOST_WORDS = 120, LONGEST = 40, UNITS = 1 << 14 };

static uint64_t seed = 5;

/* ---- words */

typedef struct word {
    uint16_t units[LONGEST];
    size_t length;
    uint32_t cost;
} word;

static word words[MOST_WORDS];
static size_t word_count;

static int compare_words(const void *a, const void *b) {
    const word *x = a, *y = b;
    for (size_t i = 0; i < x->length && i < y->length; i++)
        if (x->units[i] != y->units[i]) return x->units[i] < y->units[i] ? -1 : 1;
    return x->length < y->length ? -1 : x->length > y->length;
}

/* Words that begin with many different units; behind these, some units are always the same, and
 * others are one of a few. Costs have 1 to 32 bits, and are not ND_TRIE_NO_WORD. */
static void make_words(void) {
    size_t firsts = 1 + random_below(&seed, MOST_WORDS), same = random_below(&seed, LONGEST);
    word_count = 1 + random_below(&seed, MOST_WORDS);
    for (size_t i = 0; i < word_count; i++) {
        word *w = &words[i];
        w->length = 1 + random_below(&seed, LONGEST);
        w->units[0] = (uint16_t)(0xff80 - 500 * random_below(&seed, firsts));
        for (size_t k = 1; k < w->length; k++)
            w->units[k] = (uint16_t)(k < same ? k : random_below(&seed, 9));
        w->cost = (uint32_t)(random_next(&seed) >> (33 + random_below(&seed, 31)));
    }
    qsort(words, word_count, sizeof *words, compare_words);
    size_t kept = 1;
    for (size_t i = 1; i < word_count; i++)
        if (compare_words(&words[i], &words[kept - 1]) != 0) words[kept++] = words[i];
    word_count = kept;
}

/* ---- writing a trie */

static struct {
    uint32_t header[8];
    uint16_t units[UNITS];
} item;
static size_t used;

/* How a number is written: from `two` on its first unit says that there are two units, and `three`
 * that there are three. The first unit is multiplied and added to. */
typedef struct number_format {
    uint32_t two, three, factor, addend;
} number_format;

static const number_format inner_cost = {0x100, 0x1fe, 64, 64},
                           final_cost = {0x4000, 0x7fff, 1, 0x8000},
                           distance_in_list = {0x4000, 0x7fff, 1, 0},
                           distance_of_half = {0xfc00, 0xffff, 1, 0};

static void put(uint32_t unit) {
    assert_true(used < UNITS);
    item.units[used++] = (uint16_t)unit;
}

static size_t random_width(void) { return 1 + random_below(&seed, 3); }

static void put_number(const number_format *f, uint32_t value, size_t width, uint32_t addend) {
    if (width == 1 && value >= f->two) width = 2;
    if (width == 2 && value >> 16 >= f->three - f->two) width = 3;
    uint32_t first = width == 1 ? value : width == 2 ? f->two + (value >> 16) : f->three;
    put(first * f->factor + f->addend + addend);
    if (width == 3) put(value >> 16);
    if (width > 1) put(value);
}

/* Leaves room for a distance, and writes it when the end of the trie is what it leads to. */
typedef struct distance {
    const number_format *format;
    size_t at, width;
} distance;

static distance leave_distance(const number_format *format) {
    distance d = {format, used, random_width()};
    for (size_t i = 0; i < d.width; i++) put(0);
    return d;
}

static void put_distance(const distance *d) {
    size_t end = used;
    used = d->at;
    put_number(d->format, (uint32_t)(end - d->at - d->width), d->width, 0);
    assert_int_equal(used, d->at + d->width);
    used = end;
}

static void write_node(const word *w, size_t count, size_t depth);

/* The number of words that have the first one's unit at `depth`. */
static size_t same_unit(const word *w, size_t count, size_t depth) {
    size_t same = 1;
    while (same < count && w[same].units[depth] == w->units[depth]) same++;
    return same;
}

/* The number of different units at `depth`. */
static size_t count_units(const word *w, size_t count, size_t depth) {
    size_t units = 0;
    for (size_t i = 0; i < count; i += same_unit(w + i, count - i, depth)) units++;
    return units;
}

static bool is_last_unit(const word *w, size_t count, size_t depth) {
    return count == 1 && w->length == depth + 1;
}

static void write_list(const word *w, size_t count, size_t depth) {
    distance distances[4];
    const word *lists[4];
    size_t counts[4], left = 0;
    size_t same = same_unit(w, count, depth);
    for (; same < count; w += same, count -= same, same = same_unit(w, count, depth)) {
        put(w->units[depth]);
        if (is_last_unit(w, same, depth)) {
            put_number(&final_cost, w->cost, random_width(), 0);
            continue;
        }
        lists[left] = w;
        counts[left] = same;
        distances[left++] = leave_distance(&distance_in_list);
    }
    put(w->units[depth]);
    write_node(w, count, depth + 1);
    for (size_t i = 0; i < left; i++) {
        put_distance(&distances[i]);
        write_node(lists[i], counts[i], depth + 1);
    }
}

static void write_branch(const word *w, size_t count, size_t depth) {
    size_t units = count_units(w, count, depth), smaller = 0;
    if (units <= 5) {
        write_list(w, count, depth);
        return;
    }
    for (size_t i = 0; i < units / 2; i++)
        smaller += same_unit(w + smaller, count - smaller, depth);
    put(w[smaller].units[depth]);
    distance d = leave_distance(&distance_of_half);
    write_branch(w + smaller, count - smaller, depth);
    put_distance(&d);
    write_branch(w, smaller, depth);
}

/* How many units from `depth` on all of the words have, at most 16. */
static size_t common_units(const word *w, size_t count, size_t depth) {
    const word *last = w + count - 1;
    size_t end = depth;
    while (end < w->length && end < depth + 16 && w->units[end] == last->units[end]) end++;
    return end - depth;
}

static void put_lead(const word *ending, uint32_t lead) {
    if (ending) put_number(&inner_cost, ending->cost, random_width(), lead);
    else put(lead);
}

/* Words that have the same units before `depth`. */
static void write_node(const word *w, size_t count, size_t depth) {
    const word *ending = w->length == depth ? w++ : NULL;
    if (ending && --count == 0) {
        put_number(&final_cost, ending->cost, random_width(), 0);
        return;
    }
    size_t units = count_units(w, count, depth);
    if (units > 1) {
        bool apart = units > 0x30 || random_below(&seed, 2);
        put_lead(ending, apart ? 0 : (uint32_t)units - 1);
        if (apart) put((uint32_t)units - 1);
        write_branch(w, count, depth);
        return;
    }
    size_t length = 1 + random_below(&seed, common_units(w, count, depth));
    put_lead(ending, 0x30 + (uint32_t)length - 1);
    for (size_t i = 0; i < length; i++) put(w->units[depth + i]);
    write_node(w, count, depth + length);
}

/* ---- an ICU that has this trie */

static UDataInfo info;
static UErrorCode answer;
static unsigned open_items;

static UDataMemory *give_item(const char *path, const char *type, const char *name,
                              UDataMemoryIsAcceptable *is_acceptable, void *context,
                              UErrorCode *code) {
    assert_string_equal(path, U_ICUDATA_ALIAS "-brkitr");
    assert_string_equal(type, "dict");
    assert_string_equal(name, "cjdict");
    *code = answer;
    if (answer == U_ZERO_ERROR && !is_acceptable(context, type, name, &info))
        *code = 3; /* U_INVALID_FORMAT_ERROR */
    open_items += *code == U_ZERO_ERROR;
    return *code == U_ZERO_ERROR ? (UDataMemory *)&item : NULL;
}

static const void *give_bytes(UDataMemory *data) { return data; }

static void take_back(UDataMemory *data) {
    assert_ptr_equal(data, &item);
    open_items--;
}

const nd_icu *__wrap_nd_icu_library(void);
const nd_icu *__wrap_nd_icu_library(void) {
    static const nd_icu icu = {
        .udata_openChoice = give_item, .udata_getMemory = give_bytes, .udata_close = take_back};
    return &icu;
}

static void write_item(void) {
    info = (UDataInfo){.isBigEndian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
                       .dataFormat = "Dict",
                       .formatVersion = {1}};
    answer = U_ZERO_ERROR;
    memset(item.header, 0, sizeof item.header);
    item.header[0] = sizeof item.header;
    item.header[4] = 1;
    used = 0;
    write_node(words, word_count, 0);
}

/* ---- comparing */

typedef struct unit_list {
    size_t count;
    uint16_t units[MOST_WORDS];
} unit_list;

/* nd_trie_unit_fn */
static void take_unit(void *context, uint16_t unit) {
    unit_list *list = context;
    assert_true(list->count < MOST_WORDS);
    list->units[list->count++] = unit;
}

static bool has_unit(const unit_list *list, uint16_t unit) {
    for (size_t i = 0; i < list->count; i++)
        if (list->units[i] == unit) return true;
    return false;
}

static void expect_no_word(const nd_han_trie *t, uint32_t state, const unit_list *list,
                           uint16_t unit) {
    if (has_unit(list, unit)) return;
    nd_trie_step step = nd_han_trie_step(t, state, unit);
    assert_int_equal(step.state, 0);
    assert_int_equal(step.cost, ND_TRIE_NO_WORD);
}

/* The state of the units before `depth`, with which all of these longer words begin. */
static void compare_state(const nd_han_trie *t, uint32_t state, const word *w, size_t count,
                          size_t depth) {
    unit_list list = {0};
    assert_int_not_equal(state, 0);
    nd_han_trie_units(t, state, take_unit, &list);
    assert_int_equal(list.count, count_units(w, count, depth));
    for (size_t same; count > 0; w += same, count -= same) {
        uint16_t unit = w->units[depth];
        same = same_unit(w, count, depth);
        assert_true(has_unit(&list, unit));
        nd_trie_step step = nd_han_trie_step(t, state, unit);
        bool is_word = w->length == depth + 1;
        assert_int_equal(step.cost, is_word ? w->cost : ND_TRIE_NO_WORD);
        if (same > is_word) compare_state(t, step.state, w + is_word, same - is_word, depth + 1);
        else assert_int_equal(step.state, 0);
        expect_no_word(t, state, &list, (uint16_t)(unit + 1));
        expect_no_word(t, state, &list, (uint16_t)(unit - 1));
    }
}

static void test_random_words(void **state) {
    (void)state;
    const nd_allocator allocator = nd_allocator_or_default(NULL);
    for (int i = 0; i < TRIES; i++) {
        nd_han_trie *trie;
        make_words();
        write_item();
        assert_int_equal(nd_han_trie_open(&allocator, &trie, NULL), ND_OK);
        compare_state(trie, nd_han_trie_root(), words, word_count, 0);
        nd_han_trie_close(trie);
        assert_int_equal(open_items, 0);
    }
}

static void expect_no_trie(nd_status expected, const nd_allocator *allocator) {
    nd_han_trie *trie;
    assert_int_equal(nd_han_trie_open(allocator, &trie, NULL), expected);
    assert_null(trie);
    assert_int_equal(open_items, 0);
    write_item();
}

static void test_other_data(void **state) {
    (void)state;
    const nd_allocator allocator = nd_allocator_or_default(NULL);
    failing_allocator failing = {.left = 0};
    const nd_allocator none = failing_allocator_make(&failing);
    make_words();
    write_item();
    info.isBigEndian = !info.isBigEndian;
    expect_no_trie(ND_OK, &allocator);
    info.dataFormat[0] = 'd';
    expect_no_trie(ND_OK, &allocator);
    info.formatVersion[0] = 2;
    expect_no_trie(ND_OK, &allocator);
    item.header[4] = 0;
    expect_no_trie(ND_OK, &allocator);
    answer = U_MEMORY_ALLOCATION_ERROR;
    expect_no_trie(ND_ERR_MEMORY, &allocator);
    expect_no_trie(ND_ERR_MEMORY, &none);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_words),
                                       cmocka_unit_test(test_other_data)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
