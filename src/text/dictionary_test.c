/* Dictionaries: the cheapest cut compared with all cuts, and which files are read or rejected. */
#include "text/dictionary.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fixed_log.h"

static nd_status read_lines(const char *lines, size_t length, const nd_allocator *allocator,
                            nd_dictionary **out, char *path, nd_error *error) {
    strcpy(path, "/tmp/dictionary_testXXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, lines, length) == (ssize_t)length);
    close(file);
    nd_status status = nd_dictionary_read(path, allocator, out, error);
    unlink(path);
    return status;
}

/* ---- against all cuts */

enum { LETTERS = 4, MOST_LENGTH = 4, WORDS = 24, RUN = 10, ROUNDS = 400 };

static const char *const letters[LETTERS] = {"\u7532", "\u4e59", "\u4e19", "\u4e01"};

typedef struct oracle {
    unsigned words[WORDS][MOST_LENGTH];
    size_t lengths[WORDS], count;
    uint64_t frequencies[WORDS], all;
} oracle;

/* The cost of the tokens [0, count) as one word; UINT64_MAX: they are not a word. *known: the
 * dictionary has the word. */
static uint64_t cost_of(const oracle *o, const unsigned *run, size_t count, bool *known) {
    *known = false;
    for (size_t w = 0; w < o->count; w++) {
        if (o->lengths[w] != count || memcmp(o->words[w], run, count * sizeof *run) != 0 ||
            o->frequencies[w] == 0)
            continue;
        *known = true;
        return nd_fixed_log(o->all) - nd_fixed_log(o->frequencies[w]);
    }
    return count == 1 ? nd_fixed_log(o->all) : UINT64_MAX;
}

/* The least cost of all cuts. */
static uint64_t least_cost(const oracle *o, const unsigned *run, size_t count) {
    uint64_t least = count == 0 ? 0 : UINT64_MAX;
    for (size_t first = 1; first <= count && first <= MOST_LENGTH; first++) {
        bool known;
        uint64_t cost = cost_of(o, run, first, &known);
        if (cost == UINT64_MAX) continue;
        cost += least_cost(o, run + first, count - first);
        if (cost < least) least = cost;
    }
    return least;
}

/* Each word on the path is the longest that begins there on a path of least cost. */
static void check_run(const oracle *o, const nd_dictionary *dictionary, const unsigned *run) {
    const nd_hash_key key = nd_hash_key_of(ND_DICTIONARY_SEED);
    uint64_t tokens[RUN], costs[RUN + 1];
    uint16_t lengths[RUN];
    for (size_t i = 0; i < RUN; i++) tokens[i] = nd_hash_token(&key, letters[run[i]], 3);
    nd_dictionary_cut(dictionary, tokens, RUN, costs, lengths);
    for (size_t i = 0; i < RUN; i++) {
        uint64_t least = least_cost(o, run + i, RUN - i);
        size_t longest = 0;
        for (size_t length = 1; length <= MOST_LENGTH && i + length <= RUN; length++) {
            bool known;
            uint64_t cost = cost_of(o, run + i, length, &known);
            if (known && cost + least_cost(o, run + i + length, RUN - i - length) == least)
                longest = length;
        }
        assert_int_equal(costs[i], least);
        assert_int_equal(lengths[i], longest);
    }
}

static void random_dictionary(uint64_t *seed, oracle *o, char *lines) {
    *o = (oracle){.all = 0};
    *lines = 0;
    for (size_t w = 0; w < WORDS; w++) {
        size_t length = 1 + random_below(seed, MOST_LENGTH), same = 0;
        unsigned word[MOST_LENGTH];
        for (size_t i = 0; i < length; i++) word[i] = (unsigned)random_below(seed, LETTERS);
        uint64_t frequency = random_below(seed, 2) ? random_below(seed, 4)
                                                   : random_below(seed, 1000);
        for (size_t i = 0; i < length; i++) strcat(lines, letters[word[i]]);
        sprintf(lines + strlen(lines), " %u%s\n", (unsigned)frequency, w % 2 ? "\tn" : "");
        while (same < o->count && (o->lengths[same] != length ||
                                   memcmp(o->words[same], word, length * sizeof *word) != 0))
            same++;
        memcpy(o->words[same], word, length * sizeof *word);
        o->lengths[same] = length;
        o->frequencies[same] += frequency;
        o->count += same == o->count;
        o->all += frequency;
    }
}

static void test_least_cost_of_all_cuts(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int round = 0; round < ROUNDS; round++) {
        oracle o;
        char lines[WORDS * 40], path[40];
        unsigned run[RUN];
        nd_dictionary *dictionary = NULL;
        random_dictionary(&seed, &o, lines);
        assert_int_equal(read_lines(lines, strlen(lines), NULL, &dictionary, path, NULL), ND_OK);
        for (size_t i = 0; i < RUN; i++) run[i] = (unsigned)random_below(&seed, LETTERS);
        check_run(&o, dictionary, run);
        nd_dictionary_free(dictionary);
    }
}

/* ---- reading */

static void test_what_is_read(void **state) {
    (void)state;
    static const char *const good[] = {
        "\ufeff\u98de\u789f\r\n\r\n# a comment\n \t\n  \u98de\u789f \t 3\t n \n",
        "51\u533a 3 ns\nB\u8d85\n",
        "C++ 3 nz\nAT&T 3\nhello 1\n\u98de 0\n\u789f\n",
        "\u98de\u789f 4294967295 n",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        nd_dictionary *dictionary = NULL;
        nd_error error;
        char path[40];
        if (read_lines(good[i], strlen(good[i]), NULL, &dictionary, path, &error) != ND_OK)
            fail_msg("%s", error.message);
        nd_dictionary_free(dictionary);
    }
    nd_dictionary_free(NULL);
}

static void test_invalid_files(void **state) {
    (void)state;
#define TEN "\u98de\u98de\u98de\u98de\u98de\u98de\u98de\u98de\u98de\u98de"
    static const struct {
        const char *lines, *message;
    } bad[] = {
        {"\u98de\u789f 3\n\u66fe x\n", ":2: a frequency from 0 to 4294967295 expected, not 'x'"},
        {"\u66fe -1", ":1: a frequency from 0 to 4294967295 expected, not '-1'"},
        {"\u66fe 4294967296", ":1: a frequency from 0 to 4294967295 expected, not '4294967296'"},
        {"\u66fe 1.5", ":1: a frequency from 0 to 4294967295 expected, not '1.5'"},
        {"\u66fe 1 n v w",
         ":1: a word, its frequency and its tag, and nothing else, expected, not 'v w'"},
        {"#\n\n\u98de-\u789f 3",
         ":3: a word of nothing but letters and digits expected, not '\u98de-\u789f'"},
        {"C++\u98de 3", ":1: a word of nothing but letters and digits expected, not 'C++\u98de'"},
        {TEN TEN TEN TEN TEN TEN "\u98de\u98de\u98de\u98de\u98de 3",
         ":1: a word of at most 64 characters expected, not '" TEN "\u98de\u98de\u98de'"},
        {"\u98de\xff 3", ":1: invalid UTF-8 at byte 3"},
        {"# nothing\nhello 3\n", ": no word of a script written without spaces"},
        {"\u98de 0\n", ": no word of a script written without spaces"},
        {"", ": no word of a script written without spaces"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        nd_dictionary *dictionary = NULL;
        nd_error error;
        char path[40], expected[400];
        assert_int_equal(
            read_lines(bad[i].lines, strlen(bad[i].lines), NULL, &dictionary, path, &error),
            ND_ERR_INPUT);
        snprintf(expected, sizeof expected, "%s%s", path, bad[i].message);
        assert_string_equal(error.message, expected);
        assert_null(dictionary);
    }
    nd_dictionary *dictionary;
    assert_int_equal(nd_dictionary_read("/nonexistent/dictionary", NULL, &dictionary, NULL),
                     ND_ERR_IO);
    assert_int_equal(nd_dictionary_read(NULL, NULL, &dictionary, NULL), ND_ERR_ARGUMENT);
}

static void test_memory_runs_out(void **state) {
    (void)state;
    static char lines[20000];
    for (int i = 0; i < 700; i++) sprintf(lines + strlen(lines), "%d\u533a%d 3\n", i, i);
    for (long left = 0;; left++) {
        failing_allocator failing = {left, 0};
        nd_allocator allocator = failing_allocator_make(&failing);
        nd_dictionary *dictionary = NULL;
        char path[40];
        nd_status status = read_lines(lines, strlen(lines), &allocator, &dictionary, path, NULL);
        nd_dictionary_free(dictionary);
        assert_int_equal(failing.live, 0);
        if (status == ND_OK) break;
        assert_int_equal(status, ND_ERR_MEMORY);
    }
}

/* The hash depends on words and frequencies, and not on order, comments or case. */
static void test_hash(void **state) {
    (void)state;
    static const char *const lists[] = {
        "\u98de\u789f 3\n\u66fe 2\n",
        "# x\n\u66fe 2 v\n\n\u98de\u789f\t1\n\u98de\u789f\t2\nhello 5\n",
        "\u98de\u789f 3\n\u66fe 3\n", "\u98de\u789f 3\n\u66fe 2\n\u5916\u661f 1\n",
        "\u98de\u789f 3\n"};
    uint64_t hashes[5];
    for (size_t i = 0; i < 5; i++) {
        char path[64];
        nd_dictionary *dictionary = NULL;
        assert_int_equal(read_lines(lists[i], strlen(lists[i]), NULL, &dictionary, path, NULL),
                         ND_OK);
        hashes[i] = nd_dictionary_hash(dictionary);
        assert_true(hashes[i] != 0);
        nd_dictionary_free(dictionary);
    }
    assert_true(hashes[0] == hashes[1]);
    for (size_t i = 2; i < 5; i++)
        for (size_t j = 1; j < i; j++) assert_true(hashes[i] != hashes[j]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_cost_of_all_cuts), cmocka_unit_test(test_what_is_read),
        cmocka_unit_test(test_invalid_files), cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_hash)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
