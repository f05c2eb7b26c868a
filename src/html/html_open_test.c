/* Time is linear in the page: shapes that are quadratic in other parsers, at sizes that double. The
 * elements that the stack looks at are counted, not the time. */
#include "html/html_walk.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 1 << 15, SIZES = 4, MOST_PER_TAG = 66 };

/* A page: the first piece for a third of it, then the others likewise. */
static const char *const shapes[][3] = {
    {"<div>", "<div>", "<div>"},
    {"<div>", "</span>", "</b>"},
    {"<div>", "</li>", "</td>"},
    {"<b>", "<i>", "</b>"},
    {"<b><i>", "</b>", "</i>"},
    {"<b><p>", "<p>", "</b>"},
    {"<a>", "<a><p>", "</a>"},
    {"<font><p>", "<p>", "</font>"},
    {"<ul><li>", "<li>", "</ul>"},
    {"<table>x", "<tr>x", "<td>x"},
    {"<table><tr><td>", "<td>", "</table>"},
    {"<button>", "<p>", "</p>"},
    {"<x-y>", "</x-z>", "</x-y>"},
    {"<x-y><div>", "</x-y>", "</div>"},
    {"<svg><g>", "</x>", "</g>"},
    {"<svg><title>", "</svg>", "</title>"},
    {"<form><span></form>", "</div>", "<li>"},
    {"<h1>", "<h2>", "</h3>"},
    {"<template><form>", "</form>", "</template>"},
};

static uint64_t work_of(nd_html_walk *walk, const char *const *pieces, size_t size, size_t *tags) {
    char *html = malloc(size), *out = malloc(nd_html_text_most(size));
    size_t length = 0;
    *tags = 0;
    assert_true(html && out);
    for (size_t i = 0; i < 3; i++) {
        size_t piece = strlen(pieces[i]);
        for (; length + piece <= size * (i + 1) / 3; length += piece) {
            memcpy(html + length, pieces[i], piece);
            for (size_t at = 0; at < piece; at++) *tags += pieces[i][at] == '<';
        }
    }
    nd_html_walk_page(walk, html, length, out, NULL);
    free(html);
    free(out);
    return walk->stack.work;
}

static void test_linear(void **state) {
    (void)state;
    nd_html_walk *walk = calloc(1, sizeof *walk);
    assert_non_null(walk);
    nd_html_walk_init(walk);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        size_t tags;
        uint64_t first = work_of(walk, shapes[i], SMALLEST, &tags);
        for (size_t size = SMALLEST; size < (size_t)SMALLEST << SIZES; size *= 2) {
            uint64_t work = work_of(walk, shapes[i], size, &tags);
            assert_true(work <= (uint64_t)MOST_PER_TAG * tags);
            assert_true(work <= (first + 2 * ND_HTML_DEEPEST) * (size / SMALLEST) * 5 / 4);
        }
    }
    free(walk);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_linear)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
