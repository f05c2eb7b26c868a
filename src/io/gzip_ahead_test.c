/* gzip_ahead.h: one thread and several read the same bytes of a gzip file, and report the same
 * damage, as nd_gzip_in does: files of many members, with what looks like a member inside of one,
 * cut off, damaged, padded. Also members as stream_out.h ends them. */
#include "base/limits.h"
#include "io/gzip_ahead.h"

#include "io/gzip_in.h"
#include "io/stream_in.h"
#include "io/stream_out.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 6 << 20, FILES = 6 };

static unsigned char packed[MOST], other[MOST], is[MOST], wanted[MOST];

static int file_of(const unsigned char *bytes, size_t size) {
    int fd = memfd_create("gzip_ahead_test", 0);
    assert_true(fd > 0);
    assert_int_equal(write(fd, bytes, size), size);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

/* Reads all of a file by nd_gzip_in; returns the number of bytes. */
static size_t read_in_order(const unsigned char *bytes, size_t size, unsigned char *out,
                            nd_error *error) {
    nd_byte_source source = {.fd = file_of(bytes, size), .name = "some file"};
    const nd_allocator *allocator = &nd_allocator_default;
    nd_gzip_in *in = NULL;
    size_t got = 0;
    *error = (nd_error){.status = ND_OK};
    assert_int_equal(nd_byte_source_buffer(&source, "", 0, allocator, NULL), ND_OK);
    assert_int_equal(nd_gzip_in_open(&source, allocator, &in, NULL), ND_OK);
    (void)nd_gzip_in_read(in, out, MOST, &got, error);
    nd_gzip_in_close(in);
    nd_byte_source_close(&source, allocator);
    close(source.fd);
    return got;
}

/* Reads all of a file; returns the number of bytes. */
static size_t read_all(const unsigned char *bytes, size_t size, uint32_t threads,
                       unsigned char *out, nd_error *error) {
    const nd_stream_in_options options = {.threads = threads};
    nd_stream_in *in = NULL;
    size_t got = 0, length = 0;
    int fd = file_of(bytes, size);
    *error = (nd_error){.status = ND_OK};
    if (nd_stream_in_open_fd(fd, "some file", &options, &in, error) != ND_OK) return 0;
    do {
        assert_true(length < MOST);
        size_t want = MOST - length < 70000 ? MOST - length : 70000;
        nd_status status = nd_stream_in_read(in, out + length, want, &got, error);
        length += got;
        if (status != ND_OK) break;
    } while (got > 0);
    nd_stream_in_close(in);
    return length;
}

static void expect_same(const unsigned char *bytes, size_t size) {
    nd_error error, first;
    size_t length = read_in_order(bytes, size, wanted, &first);
    for (uint32_t threads = 1; threads < 12; threads += 3) {
        assert_int_equal(read_all(bytes, size, threads, is, &error), length);
        assert_memory_equal(is, wanted, length);
        assert_int_equal(error.status, first.status);
        if (first.status != ND_OK) assert_string_equal(error.message, first.message);
    }
}

/* Writes members of up to `most` bytes each. Some have random bytes, which are stored as they are,
 * and then what looks like a member. Returns the size. */
static size_t make_file(size_t members, size_t most, uint64_t seed, unsigned char *out) {
    static unsigned char record[MOST];
    nd_stream_out *stream;
    int fd = memfd_create("gzip_ahead_test", 0);
    assert_int_equal(nd_stream_out_open_fd(fd, "x", ND_COMPRESSION_GZIP, NULL, &stream, NULL),
                     ND_OK);
    for (size_t m = 0; m < members; m++) {
        size_t size = random_below(&seed, most);
        bool stored = random_below(&seed, 4) == 0;
        for (size_t i = 0; i < size; i++)
            record[i] = stored ? (unsigned char)random_next(&seed)
                               : (unsigned char)"the text"[i % 8 * (m % 2)];
        if (stored && size > 20) memcpy(record + size / 2, "\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
        assert_int_equal(nd_stream_out_write(stream, record, size, NULL), ND_OK);
        assert_int_equal(nd_stream_out_end_member(stream, NULL), ND_OK);
        assert_int_equal(nd_stream_out_end_member(stream, NULL), ND_OK);
    }
    assert_int_equal(nd_stream_out_finish(stream, NULL), ND_OK);
    nd_stream_out_free(stream);
    off_t size = lseek(fd, 0, SEEK_END);
    assert_true(size > 0 && size < MOST);
    assert_int_equal(pread(fd, out, (size_t)size, 0), size);
    close(fd);
    return (size_t)size;
}

static const struct {
    size_t members, most;
} files[FILES] = {{1, 100},    {3, 100}, {400, 400}, {60, 40000}, {4, ND_LIMIT(900000, 200000)},
                  {200, 20000}};

static void test_good_files(void **state) {
    (void)state;
    nd_error error;
    for (size_t f = 0; f < FILES; f++) {
        size_t size = make_file(files[f].members, files[f].most, f, packed);
        expect_same(packed, size);
        read_all(packed, size, 4, is, &error);
        assert_int_equal(error.status, ND_OK);
    }
}

static void test_ends(void **state) {
    (void)state;
    size_t size = make_file(200, 20000, 5, packed), length;
    nd_error error;
    memcpy(other, packed, size);
    memset(other + size, 0, 1000);
    length = read_all(packed, size, 1, is, &error);
    expect_same(other, size + 1000);
    assert_int_equal(read_all(other, size + 1000, 3, is, &error), length);
    assert_int_equal(error.status, ND_OK);
    memcpy(other + size, "tail", 4);
    expect_same(other, size + 4);
    /* Zeros are no padding in front of a member. */
    for (size_t zeros = 0; zeros < 3; zeros++) {
        memset(other + size, 0, zeros);
        memcpy(other + size + zeros, packed, size);
        expect_same(other, size + zeros + size);
        read_all(other, size + zeros + size, 3, is, &error);
        assert_int_equal(error.status, zeros == 0 ? ND_OK : ND_ERR_INPUT);
    }
    /* A single member behind many, and many behind it. */
    size_t long_size = make_file(1, ND_LIMIT(3000000, 300000), 3, other);
    memcpy(other + long_size, packed, size);
    expect_same(other, long_size + size);
    memmove(other + size, other, long_size);
    memcpy(other, packed, size);
    expect_same(other, size + long_size);
}

static void test_damage(void **state) {
    (void)state;
    uint64_t seed = 7;
    size_t size = make_file(200, 20000, 5, packed);
    for (unsigned round = 0; round < test_rounds(60); round++) {
        size_t at = random_below(&seed, size);
        expect_same(packed, at + 1);
        memcpy(other, packed, size);
        other[at] ^= (unsigned char)(1 + random_below(&seed, 255));
        expect_same(other, size);
    }
}

static void test_closing_early(void **state) {
    (void)state;
    size_t size = make_file(200, 20000, 5, packed), got;
    const nd_stream_in_options options = {.threads = 4};
    nd_stream_in *in = NULL;
    for (size_t read = 0; read < 3; read++) {
        int fd = file_of(packed, size);
        assert_int_equal(nd_stream_in_open_fd(fd, "some file", &options, &in, NULL), ND_OK);
        if (read > 0) assert_int_equal(nd_stream_in_read(in, is, read * 1000, &got, NULL), ND_OK);
        nd_stream_in_close(in);
    }
}

static void test_memory(void **state) {
    (void)state;
    size_t size = make_file(400, 400, 2, packed), got = 0;
    for (long left = 0;; left++) {
        failing_allocator counts = {.left = left};
        const nd_allocator allocator = failing_allocator_make(&counts);
        const nd_stream_in_options options = {.allocator = &allocator, .threads = 3};
        nd_stream_in *in = NULL;
        nd_error error = {.status = ND_OK};
        int fd = file_of(packed, size);
        nd_status status = nd_stream_in_open_fd(fd, "some file", &options, &in, &error);
        if (status == ND_OK) {
            status = nd_stream_in_read(in, is, MOST, &got, &error);
            nd_stream_in_close(in);
        }
        assert_int_equal(counts.live, 0);
        if (status == ND_OK) break;
        assert_int_equal(status, ND_ERR_MEMORY);
    }
    nd_error error;
    assert_int_equal(read_in_order(packed, size, wanted, &error), got);
    assert_memory_equal(is, wanted, got);
}

/* A build that cannot write gzip, or read it, has nothing to test. */
static int has_gzip(void **state) {
    (void)state;
    nd_stream_out *out;
    nd_status status = nd_stream_out_open_fd(1, "x", ND_COMPRESSION_GZIP, NULL, &out, NULL);
    if (status == ND_OK) nd_stream_out_free(out);
    if (status != ND_OK) exit(0);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_files), cmocka_unit_test(test_ends),
        cmocka_unit_test(test_damage),     cmocka_unit_test(test_closing_early),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, has_gzip, NULL);
}
