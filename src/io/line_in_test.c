/* line_in.h: lines with any ends, long lines, lines over the limit, no memory. */
#include "io/line_in.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static nd_stream_in *stream_of(const char *text, size_t size) {
    nd_stream_in *stream = NULL;
    char name[] = "/tmp/line_in_test-XXXXXX";
    int fd = mkstemp(name);
    assert_true(fd >= 0 && unlink(name) == 0);
    assert_int_equal(write(fd, text, size), size);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_int_equal(nd_stream_in_open_fd(fd, "a file", NULL, &stream, NULL), ND_OK);
    return stream;
}

/* All lines of a text, with a bar behind each. */
static void expect(const char *text, size_t size, const char *lines) {
    nd_stream_in *stream = stream_of(text, size);
    nd_line_in in;
    char got[1000] = "|";
    size_t used = 1, count = 0;
    nd_line_in_open(&in, stream, &nd_allocator_default);
    for (;;) {
        const char *line;
        size_t length;
        assert_int_equal(nd_line_in_next(&in, &line, &length, NULL), ND_OK);
        if (!line) break;
        assert_int_equal(in.number, ++count);
        assert_true(used + length + 2 < sizeof got);
        memcpy(got + used, line, length);
        used += length;
        got[used++] = '|';
    }
    got[used] = 0;
    assert_string_equal(got, lines);
    nd_line_in_close(&in);
    nd_stream_in_close(stream);
}

#define EXPECT(text, lines) expect(text, sizeof text - 1, lines)

static void test_lines(void **state) {
    (void)state;
    EXPECT("", "|");
    EXPECT("\n", "||");
    EXPECT("a", "|a|");
    EXPECT("a\n", "|a|");
    EXPECT("a\n\nb", "|a||b|");
    EXPECT("a\r\n\r\nb\r\n", "|a||b|");
    EXPECT("a\rb\r", "|a\rb\r|");
    EXPECT("\xef\xbb\xbf", "||");
    EXPECT("\xef\xbb\xbf\n\xef\xbb\xbf\n", "||\xef\xbb\xbf|");
    EXPECT("one line that is longer than the others\nand one\nthat one line is longer than\n",
           "|one line that is longer than the others|and one|that one line is longer than|");
}

static void test_long_lines(void **state) {
    (void)state;
    uint64_t seed = 1;
    size_t size = 1 << 20, used = 0;
    char *text = malloc(size);
    while (used < size) {
        size_t length = (size_t)random_below(&seed, random_below(&seed, 10) ? 100 : 200000);
        if (length > size - used - 1) length = size - used - 1;
        memset(text + used, 'a' + (int)random_below(&seed, 26), length);
        used += length;
        text[used++] = '\n';
    }
    nd_stream_in *stream = stream_of(text, size);
    nd_line_in in;
    nd_line_in_open(&in, stream, &nd_allocator_default);
    const char *line, *expected = text;
    size_t length;
    for (;;) {
        assert_int_equal(nd_line_in_next(&in, &line, &length, NULL), ND_OK);
        if (!line) break;
        assert_memory_equal(line, expected, length);
        assert_int_equal(expected[length], '\n');
        expected += length + 1;
    }
    assert_ptr_equal(expected, text + size);
    nd_line_in_close(&in);
    nd_stream_in_close(stream);
    free(text);
}

static void test_too_long(void **state) {
    (void)state;
    char *text = malloc(ND_LINE_MOST + 4);
    assert_non_null(text);
    for (int more = 0; more < 2; more++) {
        nd_error error;
        nd_line_in in;
        const char *line;
        size_t length;
        char expected[80];
        memset(text, 'x', ND_LINE_MOST + 4);
        text[0] = text[ND_LINE_MOST + more + 1] = '\n';
        nd_stream_in *stream = stream_of(text, ND_LINE_MOST + 2 + (size_t)more);
        nd_line_in_open(&in, stream, &nd_allocator_default);
        assert_int_equal(nd_line_in_next(&in, &line, &length, &error), ND_OK);
        assert_int_equal(nd_line_in_next(&in, &line, &length, &error), more ? ND_ERR_INPUT : ND_OK);
        snprintf(expected, sizeof expected, "a file:2: a line of more than %d bytes", ND_LINE_MOST);
        if (more) assert_string_equal(error.message, expected);
        else assert_int_equal(length, ND_LINE_MOST);
        nd_line_in_close(&in);
        nd_stream_in_close(stream);
    }
    free(text);
}

static void test_memory_runs_out(void **state) {
    (void)state;
    nd_stream_in *stream = stream_of("a\n", 2);
    failing_allocator failing = {0, 0};
    nd_allocator allocator = failing_allocator_make(&failing);
    nd_line_in in;
    const char *line;
    size_t length;
    nd_line_in_open(&in, stream, &allocator);
    assert_int_equal(nd_line_in_next(&in, &line, &length, NULL), ND_ERR_MEMORY);
    nd_line_in_close(&in);
    nd_stream_in_close(stream);
    assert_int_equal(failing.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines), cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_too_long), cmocka_unit_test(test_memory_runs_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
