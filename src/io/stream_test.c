/* stream_in.h and stream_out.h together: round trips, the forms of gzip and Zstandard files, and
 * every damage of a small file. */
#include "base/limits.h"
#include "io/stream_in.h"
#include "io/stream_out.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test.h"

typedef unsigned char byte;

typedef struct blob {
    byte *bytes;
    size_t size;
} blob;

static blob blob_new(size_t size) {
    blob b = {malloc(size + 1), size};
    assert_non_null(b.bytes);
    return b;
}

static void blob_append(blob *to, const void *bytes, size_t size) {
    to->bytes = realloc(to->bytes, to->size + size + 1);
    assert_non_null(to->bytes);
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

static uint64_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return *state >> 33;
}

static blob random_bytes(size_t size, uint64_t seed) {
    blob b = blob_new(size);
    for (size_t i = 0; i < size; i++) b.bytes[i] = (byte)next_random(&seed);
    return b;
}

static blob text_bytes(size_t size, uint64_t seed) {
    static const char *const words[] = {"the ",  "river ",       "of ",  "documents ", "runs ",
                                        "near ", "duplicates\n", "and ", "away "};
    blob b = blob_new(size);
    for (size_t i = 0; i < size;) {
        const char *word = words[next_random(&seed) % 9];
        for (; *word && i < size; word++) b.bytes[i++] = (byte)*word;
    }
    return b;
}

/* A file in memory with these bytes, positioned at its beginning. */
static int file_of(const void *bytes, size_t size) {
    int fd = memfd_create("stream_test", 0);
    assert_true(fd > 0);
    if (size > 0) assert_int_equal(write(fd, bytes, size), size);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static blob contents_of(int fd) {
    off_t size = lseek(fd, 0, SEEK_END);
    assert_true(size >= 0);
    blob b = blob_new((size_t)size);
    assert_int_equal(pread(fd, b.bytes, b.size, 0), b.size);
    return b;
}

/* Whether this build can write (and read) the compression. */
static bool available(nd_compression compression) {
    nd_stream_out *out;
    nd_error error;
    nd_status status = nd_stream_out_open_fd(1, "x", compression, NULL, &out, &error);
    if (status == ND_OK) nd_stream_out_free(out);
    else assert_int_equal(status, ND_ERR_UNSUPPORTED);
    return status == ND_OK;
}

/* Writes data in pieces of `piece` bytes. */
static blob packed(const blob *data, nd_compression compression, size_t piece) {
    int fd = file_of(NULL, 0);
    nd_stream_out *out;
    assert_int_equal(nd_stream_out_open_fd(fd, "x", compression, NULL, &out, NULL), ND_OK);
    for (size_t at = 0; at < data->size; at += piece)
        assert_int_equal(nd_stream_out_write(out, data->bytes + at,
                                             data->size - at < piece ? data->size - at : piece,
                                             NULL),
                         ND_OK);
    assert_int_equal(nd_stream_out_finish(out, NULL), ND_OK);
    blob b = contents_of(fd);
    assert_int_equal(nd_stream_out_position(out), b.size);
    nd_stream_out_free(out);
    close(fd);
    return b;
}

/* Reads everything, `piece` bytes at a time; each read except the last must be full. Takes over the
 * descriptor. */
static nd_status unpack_fd(int fd, uint32_t threads, size_t piece, blob *data, nd_error *error) {
    const nd_stream_in_options options = {.threads = threads};
    nd_stream_in *in;
    *data = blob_new(0);
    nd_status status = nd_stream_in_open_fd(fd, "some file", &options, &in, error);
    if (status != ND_OK) return status;
    size_t got = piece, room = 0;
    while (status == ND_OK && got == piece) {
        if (room < data->size + piece)
            data->bytes = realloc(data->bytes, room = 2 * (data->size + piece));
        status = nd_stream_in_read(in, data->bytes + data->size, piece, &got, error);
        assert_true(got <= piece);
        data->size += got;
    }
    byte unused[4];
    nd_status again = nd_stream_in_read(in, unused, sizeof unused, &got, NULL);
    assert_int_equal(again, status); /* the end is final, and so is a failure */
    assert_int_equal(got, 0);
    nd_stream_in_close(in);
    return status;
}

/* Reads the bytes on one thread, and with another one that decodes: the result is the same. */
static nd_status unpack(const void *bytes, size_t size, size_t piece, blob *data, nd_error *error) {
    blob other;
    nd_error other_error = {.status = ND_OK};
    nd_status status = unpack_fd(file_of(bytes, size), 1, piece, data, error);
    assert_int_equal(unpack_fd(file_of(bytes, size), 2, piece, &other, &other_error), status);
    assert_int_equal(other.size, data->size);
    if (other.size > 0) assert_memory_equal(other.bytes, data->bytes, other.size);
    if (status != ND_OK) assert_string_equal(other_error.message, error->message);
    free(other.bytes);
    return status;
}

static void assert_same(const blob *a, const blob *b) {
    assert_int_equal(a->size, b->size);
    if (a->size > 0) assert_memory_equal(a->bytes, b->bytes, a->size);
}

static const nd_compression compressions[] = {ND_COMPRESSION_NONE, ND_COMPRESSION_GZIP,
                                              ND_COMPRESSION_ZSTD};

/* ---------------------------------------------------------------- whole streams */

static void round_trips(void **state) {
    (void)state;
    static const size_t sizes[] = {
        0,     1,     2,     3,     4,      5,      100,    32767,  32768,
        32769, 65535, 65536, 65537, 262143, 262144, 262145, 524300, ND_LIMIT(5000000, 1000000)};
    for (size_t c = 0; c < 3; c++) {
        if (!available(compressions[c])) continue;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (int kind = 0; kind < 2; kind++) {
                blob data = kind ? text_bytes(sizes[i], i) : random_bytes(sizes[i], i + 100), back;
                blob file = packed(&data, compressions[c], i % 3 ? 1000 + i : 1 << 19);
                nd_error error;
                assert_int_equal(
                    unpack(file.bytes, file.size, i % 2 ? 4096 + i : 1 << 20, &back, &error),
                    ND_OK);
                assert_same(&back, &data);
                free(data.bytes);
                free(back.bytes);
                free(file.bytes);
            }
    }
}

/* Dividing the data among calls does not change the file, and gzip's header holds no time. */
static void output_is_a_function_of_the_data(void **state) {
    (void)state;
    blob data = text_bytes(700000, 3);
    for (size_t c = 0; c < 3; c++) {
        if (!available(compressions[c])) continue;
        blob one = packed(&data, compressions[c], data.size),
             two = packed(&data, compressions[c], 977);
        assert_same(&one, &two);
        if (compressions[c] == ND_COMPRESSION_GZIP)
            assert_memory_equal(one.bytes, "\x1f\x8b\x08\x00\x00\x00\x00\x00", 8);
        free(one.bytes);
        free(two.bytes);
    }
    free(data.bytes);
}

/* Reads of every size meet members and frames of many sizes. */
static void many_members(void **state) {
    (void)state;
    for (size_t c = 1; c < 3; c++) {
        if (!available(compressions[c])) continue;
        blob data = blob_new(0), file = blob_new(0);
        for (size_t i = 0; i < 300; i++) {
            blob part = i % 2 ? text_bytes(i * i % 3000, i) : random_bytes(i % 40, i),
                 member = packed(&part, compressions[c], 1000);
            if (i % 7 == 0) { /* an empty member or frame before it */
                blob nothing = {NULL, 0}, empty = packed(&nothing, compressions[c], 1);
                blob_append(&file, empty.bytes, empty.size);
                free(empty.bytes);
            }
            blob_append(&data, part.bytes, part.size);
            blob_append(&file, member.bytes, member.size);
            free(part.bytes);
            free(member.bytes);
        }
        static const size_t pieces[] = {1, 2, 3, 7, 64, 1000, 4096, 65536, 1 << 24};
        for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
            blob back;
            nd_error error;
            assert_int_equal(unpack(file.bytes, file.size, pieces[i], &back, &error), ND_OK);
            assert_same(&back, &data);
            free(back.bytes);
        }
        free(data.bytes);
        free(file.bytes);
    }
}

typedef struct dripping {
    int fd;
    const blob *file;
} dripping;

static void *drip(void *context) {
    const dripping *d = context;
    for (size_t i = 0; i < d->file->size; i++)
        if (write(d->fd, d->file->bytes + i, 1) != 1) abort();
    close(d->fd);
    return NULL;
}

/* A pipe that delivers one byte at a time; also non-blocking, so that some reads come too early. */
static void byte_by_byte(void **state) {
    (void)state;
    for (size_t c = 0; c < 6; c++) {
        nd_compression compression = compressions[c % 3];
        if (!available(compression)) continue;
        blob data = text_bytes(20000, 5), back, file = packed(&data, compression, 5000),
             twice = packed(&data, compression, 5000);
        blob_append(&file, twice.bytes, twice.size);
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        if (c >= 3) assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
        dripping d = {ends[1], &file};
        pthread_t writer;
        assert_int_equal(pthread_create(&writer, NULL, drip, &d), 0);
        nd_error error;
        assert_int_equal(unpack_fd(ends[0], 2, 3000, &back, &error), ND_OK);
        pthread_join(writer, NULL);
        assert_int_equal(back.size, 2 * data.size);
        assert_memory_equal(back.bytes, data.bytes, data.size);
        assert_memory_equal(back.bytes + data.size, data.bytes, data.size);
        free(data.bytes);
        free(back.bytes);
        free(file.bytes);
        free(twice.bytes);
    }
}

/* ---------------------------------------------------------------- small files */

/* CRC-32 (IEEE 802.3), a bit at a time. */
static uint32_t crc32_of(const byte *bytes, size_t size) {
    uint32_t crc = ~UINT32_C(0);
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return ~crc;
}

/* A member whose header has every field of RFC 1952. */
static blob adorned_member(const blob *data) {
    blob plain = packed(data, ND_COMPRESSION_GZIP, 1 << 20), member = blob_new(0);
    static const byte header[] = "\x1f\x8b\x08\x1f\x11\x22\x33\x44\x02\x03\x05\x00"
                                 "extra"
                                 "a name\0a comment";
    blob_append(&member, header, sizeof header);
    uint32_t crc = crc32_of(member.bytes, member.size);
    byte check[2] = {(byte)crc, (byte)(crc >> 8)};
    blob_append(&member, check, 2);
    blob_append(&member, plain.bytes + 10, plain.size - 10);
    free(plain.bytes);
    return member;
}

typedef struct small_file {
    blob file, data;
    size_t ends[8]; /* offsets where a cut leaves a complete stream, and the size of its data */
    size_t data_ends[8];
    size_t end_count;
} small_file;

static void add_member(small_file *small, blob member, blob data) {
    blob_append(&small->file, member.bytes, member.size);
    blob_append(&small->data, data.bytes, data.size);
    small->ends[small->end_count] = small->file.size;
    small->data_ends[small->end_count++] = small->data.size;
    free(member.bytes);
    free(data.bytes);
}

static small_file small_of(nd_compression compression) {
    small_file small = {.file = blob_new(0), .data = blob_new(0)};
    if (compression == ND_COMPRESSION_ZSTD) {
        blob skippable = blob_new(0);
        blob_append(&skippable,
                    "\x5a\x2a\x4d\x18\x03\x00\x00\x00"
                    "abc",
                    11);
        add_member(&small, skippable, blob_new(0));
    }
    blob text = text_bytes(400, 1), noise = random_bytes(30, 2), nothing = blob_new(0),
         more = text_bytes(90, 3);
    add_member(&small, packed(&text, compression, 100), text);
    add_member(&small,
               compression == ND_COMPRESSION_GZIP ? adorned_member(&noise)
                                                  : packed(&noise, compression, 100),
               noise);
    add_member(&small, packed(&nothing, compression, 100), nothing);
    add_member(&small, packed(&more, compression, 100), more);
    return small;
}

static void small_free(small_file *small) {
    free(small->file.bytes);
    free(small->data.bytes);
}

static void every_truncation(void **state) {
    (void)state;
    for (size_t c = 1; c < 3; c++) {
        if (!available(compressions[c])) continue;
        small_file small = small_of(compressions[c]);
        size_t magic = compressions[c] == ND_COMPRESSION_GZIP ? 2 : 4;
        for (size_t cut = magic; cut <= small.file.size; cut++)
            for (size_t piece = 1; piece < 2000; piece *= 9) {
                blob back;
                nd_error error = {0};
                nd_status status = unpack(small.file.bytes, cut, piece, &back, &error);
                size_t whole = SIZE_MAX;
                for (size_t i = 0; i < small.end_count; i++)
                    if (small.ends[i] == cut) whole = small.data_ends[i];
                if (whole != SIZE_MAX) {
                    assert_int_equal(status, ND_OK);
                    assert_int_equal(back.size, whole);
                } else {
                    assert_int_equal(status, ND_ERR_INPUT);
                    char expected[100];
                    snprintf(expected, sizeof expected,
                             "some file: truncated %s stream at compressed byte %zu",
                             compressions[c] == ND_COMPRESSION_GZIP ? "gzip" : "Zstandard", cut);
                    assert_string_equal(error.message, expected);
                }
                assert_true(back.size <= small.data.size);
                assert_memory_equal(back.bytes, small.data.bytes, back.size);
                free(back.bytes);
            }
        small_free(&small);
    }
}

/* Damage gives an error, or, in fields that do not concern the data, the right data; never wrong
 * data. */
static void every_flipped_byte(void **state) {
    (void)state;
    for (size_t c = 1; c < 3; c++) {
        if (!available(compressions[c])) continue;
        small_file small = small_of(compressions[c]);
        size_t magic = compressions[c] == ND_COMPRESSION_GZIP ? 2 : 4, errors = 0, trials = 0;
        for (size_t at = magic; at < small.file.size; at++)
            for (unsigned flip = 1; flip < 256; flip += flip < 129 ? flip : 127) {
                blob back;
                nd_error error = {0};
                small.file.bytes[at] ^= (byte)flip;
                nd_status status = unpack(small.file.bytes, small.file.size, 64, &back, &error);
                small.file.bytes[at] ^= (byte)flip;
                trials++;
                if (status == ND_OK) {
                    assert_same(&back, &small.data);
                } else {
                    assert_true(status == ND_ERR_INPUT || status == ND_ERR_MEMORY);
                    assert_true(strncmp(error.message, "some file: ", 11) == 0 ||
                                status == ND_ERR_MEMORY);
                    errors++;
                }
                free(back.bytes);
            }
        assert_true(errors > trials / 2);
        small_free(&small);
    }
}

static nd_status unpack_joined(const small_file *small, const char *tail, size_t tail_size,
                               nd_error *error) {
    blob joined = blob_new(0), back;
    blob_append(&joined, small->file.bytes, small->file.size);
    blob_append(&joined, tail, tail_size);
    nd_status status = unpack(joined.bytes, joined.size, 50, &back, error);
    assert_same(&back, &small->data); /* whatever follows it */
    free(joined.bytes);
    free(back.bytes);
    return status;
}

static void what_follows_gzip(void **state) {
    (void)state;
    if (!available(ND_COMPRESSION_GZIP)) skip();
    small_file small = small_of(ND_COMPRESSION_GZIP);
    static const char zeros[5000];
    nd_error error;
    char expected[160];
    assert_int_equal(unpack_joined(&small, zeros, 1, &error), ND_OK);
    assert_int_equal(unpack_joined(&small, zeros, sizeof zeros, &error), ND_OK);
    assert_int_equal(unpack_joined(&small, "\0\0x", 3, &error), ND_ERR_INPUT);
    snprintf(expected, sizeof expected,
             "some file: damaged gzip stream at compressed byte %zu: neither zeros nor another "
             "member behind the last one",
             small.file.size + 2);
    assert_string_equal(error.message, expected);
    assert_int_equal(unpack_joined(&small, "garbage", 7, &error), ND_ERR_INPUT);
    assert_int_equal(unpack_joined(&small, "\x1f", 1, &error), ND_ERR_INPUT);
    assert_int_equal(unpack_joined(&small, "\x1f\x8c", 2, &error), ND_ERR_INPUT);
    assert_int_equal(unpack_joined(&small, "\x1f\x8b\x07", 3, &error), ND_ERR_INPUT);
    assert_non_null(strstr(error.message, "unknown compression method"));
    small_free(&small);
}

static void what_follows_zstd(void **state) {
    (void)state;
    if (!available(ND_COMPRESSION_ZSTD)) skip();
    small_file small = small_of(ND_COMPRESSION_ZSTD);
    nd_error error;
    assert_int_equal(unpack_joined(&small, "garbage", 7, &error), ND_ERR_INPUT);
    assert_non_null(strstr(error.message, "some file: damaged Zstandard stream"));
    assert_int_equal(unpack_joined(&small, "\0\0\0\0\0\0", 6, &error), ND_ERR_INPUT);
    assert_int_equal(unpack_joined(&small, "\x50\x2a\x4d\x18\0\0\0\0", 8, &error), ND_OK);
    small_free(&small);
}

static void damaged_checksum_and_length(void **state) {
    (void)state;
    if (!available(ND_COMPRESSION_GZIP)) skip();
    blob data = text_bytes(300000, 9), file = packed(&data, ND_COMPRESSION_GZIP, 300000), back;
    nd_error error;
    file.bytes[file.size - 5] ^= 4;
    assert_int_equal(unpack(file.bytes, file.size, 1 << 20, &back, &error), ND_ERR_INPUT);
    assert_non_null(strstr(error.message, "the checksum does not match"));
    assert_same(&back, &data);
    free(back.bytes);
    file.bytes[file.size - 5] ^= 4;
    file.bytes[file.size - 1] ^= 4;
    assert_int_equal(unpack(file.bytes, file.size, 1 << 20, &back, &error), ND_ERR_INPUT);
    assert_non_null(strstr(error.message, "the length does not match"));
    free(back.bytes);
    free(file.bytes);
    free(data.bytes);
}

/* ---------------------------------------------------------------- the edges of opening */

static void first_bytes(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        nd_compression compression;
    } files[] = {{"", 0, ND_COMPRESSION_NONE},
                 {"\x1f", 1, ND_COMPRESSION_NONE},
                 {"{}", 2, ND_COMPRESSION_NONE},
                 {"\x1f\x8b", 2, ND_COMPRESSION_GZIP},
                 {"\x28\xb5\x2f", 3, ND_COMPRESSION_NONE},
                 {"\x28\xb5\x2f\xfd", 4, ND_COMPRESSION_ZSTD},
                 {"\x5f\x2a\x4d\x18", 4, ND_COMPRESSION_ZSTD},
                 {"\x4f\x2a\x4d\x18", 4, ND_COMPRESSION_NONE}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (!available(files[i].compression)) continue;
        nd_stream_in *in;
        assert_int_equal(
            nd_stream_in_open_fd(file_of(files[i].bytes, files[i].size), "f", NULL, &in, NULL),
            ND_OK);
        assert_int_equal(nd_stream_in_compression(in), files[i].compression);
        assert_int_equal(nd_stream_in_position(in), files[i].size);
        char buffer[10];
        size_t got;
        nd_status status = nd_stream_in_read(in, buffer, sizeof buffer, &got, NULL);
        if (files[i].compression == ND_COMPRESSION_NONE) {
            assert_int_equal(status, ND_OK);
            assert_int_equal(got, files[i].size);
            assert_memory_equal(buffer, files[i].bytes, got);
        } else {
            assert_int_equal(status, ND_ERR_INPUT);
        }
        nd_stream_in_close(in);
    }
}

static void cannot_be_opened(void **state) {
    (void)state;
    nd_stream_in *in = NULL;
    nd_error error;
    assert_int_equal(nd_stream_in_open("/nonexistent/file", NULL, &in, &error), ND_ERR_IO);
    assert_string_equal(error.message, "/nonexistent/file: No such file or directory");
    assert_int_equal(nd_stream_in_open("/", NULL, &in, &error), ND_ERR_IO);
    assert_string_equal(error.message, "/: cannot read: Is a directory");
    assert_null(in);
}

static void names(void **state) {
    (void)state;
    assert_int_equal(nd_compression_of_name("a.gz"), ND_COMPRESSION_GZIP);
    assert_int_equal(nd_compression_of_name("a.jsonl.zst"), ND_COMPRESSION_ZSTD);
    assert_int_equal(nd_compression_of_name("A.GZ"), ND_COMPRESSION_GZIP);
    assert_int_equal(nd_compression_of_name("a.Zst"), ND_COMPRESSION_ZSTD);
    assert_int_equal(nd_compression_of_name("gz"), ND_COMPRESSION_NONE);
    assert_int_equal(nd_compression_of_name(""), ND_COMPRESSION_NONE);
    assert_int_equal(nd_compression_of_name("a.gz.txt"), ND_COMPRESSION_NONE);
    static const char *const promises[] = {"a.xz", "a.jsonl.bz2", "a.TGZ", "a.zstd",
                                           "a.7z", "b/a.lz4",     "a.zip"};
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
        nd_stream_out *out = NULL;
        nd_error error;
        assert_int_equal(
            nd_stream_out_open_fd(1, promises[i], ND_COMPRESSION_NONE, NULL, &out, &error),
            ND_ERR_ARGUMENT);
        assert_null(out);
        assert_non_null(strstr(error.message, "is not written: neardup writes .gz and .zst"));
    }
}

static void full_device(void **state) {
    (void)state;
    int fd = open("/dev/full", O_WRONLY);
    if (fd < 0) skip();
    blob data = random_bytes(1 << 20, 8);
    for (size_t c = 0; c < 3; c++) {
        if (!available(compressions[c])) continue;
        nd_stream_out *out;
        nd_error error = {0};
        assert_int_equal(nd_stream_out_open_fd(fd, "out.jsonl", compressions[c], NULL, &out, NULL),
                         ND_OK);
        assert_int_equal(nd_stream_out_write(out, data.bytes, 10, &error),
                         ND_OK); /* stays in the buffer */
        assert_int_equal(nd_stream_out_write(out, data.bytes, data.size, &error), ND_ERR_IO);
        assert_string_equal(error.message, "out.jsonl: cannot write: No space left on device");
        assert_int_equal(nd_stream_out_finish(out, &error), ND_ERR_IO);
        nd_stream_out_free(out);
        assert_int_equal(nd_stream_out_open_fd(fd, "out.jsonl", compressions[c], NULL, &out, NULL),
                         ND_OK);
        assert_int_equal(nd_stream_out_write(out, data.bytes, 10, NULL), ND_OK);
        assert_int_equal(nd_stream_out_finish(out, NULL), ND_ERR_IO);
        nd_stream_out_free(out);
    }
    free(data.bytes);
    close(fd);
}

/* ---------------------------------------------------------------- memory */

/* Each allocation of opening fails once: nothing leaks (under the sanitizer), and the descriptor is
 * closed. */
static void every_allocation(void **state) {
    (void)state;
    failing_allocator failing = {0};
    nd_allocator allocator = failing_allocator_make(&failing);
    for (size_t c = 0; c < 3; c++) {
        if (!available(compressions[c])) continue;
        blob data = text_bytes(100, 1), file = packed(&data, compressions[c], 100);
        nd_status status = ND_ERR_MEMORY;
        for (size_t allowed = 0; status != ND_OK; allowed++) {
            nd_stream_in *in = NULL;
            int fd = file_of(file.bytes, file.size);
            failing.left = (long)allowed;
            status = nd_stream_in_open_fd(fd, "f", &(nd_stream_in_options){.allocator = &allocator},
                                          &in, NULL);
            assert_true(status == ND_OK || status == ND_ERR_MEMORY);
            nd_stream_in_close(in);
            assert_int_equal(fcntl(fd, F_GETFD), -1);
            assert_true(allowed < 20);
        }
        status = ND_ERR_MEMORY;
        for (size_t allowed = 0; status != ND_OK; allowed++) {
            nd_stream_out *out = NULL;
            failing.left = (long)allowed;
            status = nd_stream_out_open_fd(1, "f", compressions[c], &allocator, &out, NULL);
            assert_true(status == ND_OK || status == ND_ERR_MEMORY);
            nd_stream_out_free(out);
        }
        free(data.bytes);
        free(file.bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),       cmocka_unit_test(output_is_a_function_of_the_data),
        cmocka_unit_test(many_members),      cmocka_unit_test(byte_by_byte),
        cmocka_unit_test(every_truncation),  cmocka_unit_test(every_flipped_byte),
        cmocka_unit_test(what_follows_gzip), cmocka_unit_test(what_follows_zstd),
        cmocka_unit_test(first_bytes),       cmocka_unit_test(damaged_checksum_and_length),
        cmocka_unit_test(cannot_be_opened),  cmocka_unit_test(names),
        cmocka_unit_test(full_device),       cmocka_unit_test(every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
