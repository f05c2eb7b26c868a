/* Sealed files: round trips, every kind of damage, files made by hand, failed writes. */
#include "storage/sealed_file.h"

#include "base/workers.h"
#include "own_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = ND_SEALED_PAGE, KIND = 0x6b696e64, TRAILER = 56 };

static size_t entries_of(const char *path) {
    DIR *d = opendir(path);
    size_t count = 0;
    while (readdir(d)) count++;
    closedir(d);
    return count - 2;
}

static size_t entries(void) { return entries_of("."); }

static size_t open_files(void) { return entries_of("/proc/self/fd"); }

/* The sections that a file was made of. */
typedef struct content {
    size_t count;
    uint32_t tags[ND_SEALED_SECTIONS];
    size_t sizes[ND_SEALED_SECTIONS];
    unsigned char *bytes[ND_SEALED_SECTIONS];
} content;

static void add_section(content *c, uint32_t tag, size_t size, uint64_t *seed) {
    c->tags[c->count] = tag;
    c->sizes[c->count] = size;
    c->bytes[c->count] = malloc(size + 1);
    for (size_t i = 0; i < size; i++)
        c->bytes[c->count][i] = (unsigned char)(random_next(seed) |
                                                1); /* not zero, unlike padding */
    c->count++;
}

static void release(content *c) {
    for (size_t s = 0; s < c->count; s++) free(c->bytes[s]);
    free(c);
}

/* Writes the first section as a spool, and the others in random pieces. */
static nd_status write_section(nd_sealed_writer *writer, const content *c, size_t s,
                               const nd_allocator *allocator, uint64_t *seed, nd_error *error) {
    nd_status status = nd_sealed_begin(writer, c->tags[s], error);
    if (s == 0 && status == ND_OK) {
        nd_spool spool;
        nd_spool_init(&spool, allocator, nd_sealed_writer_disk(writer), 0, "test");
        status = nd_spool_append(&spool, c->bytes[s], c->sizes[s], error);
        if (status == ND_OK) status = nd_sealed_write_spool(writer, &spool, error);
        nd_spool_free(&spool);
        return status;
    }
    for (size_t at = 0; at < c->sizes[s] && status == ND_OK;) {
        size_t n = random_below(seed, random_below(seed, 2) ? 20 : 5 * PAGE);
        if (n > c->sizes[s] - at) n = c->sizes[s] - at;
        status = nd_sealed_write(writer, c->bytes[s] + at, n, error);
        at += n;
    }
    return status;
}

static nd_status write_content(const char *path, const content *c, const nd_allocator *allocator,
                               nd_seal *seal, uint64_t seed, nd_error *error) {
    nd_sealed_writer *writer;
    nd_status status = nd_sealed_writer_create(path, KIND, allocator, &writer, error);
    if (status != ND_OK) return status;
    if (random_below(&seed, 2)) nd_sealed_keep_cached(writer);
    for (size_t s = 0; s < c->count && status == ND_OK; s++)
        status = write_section(writer, c, s, allocator, &seed, error);
    if (status == ND_OK) status = nd_sealed_finish(writer, seal, error);
    nd_sealed_writer_free(writer);
    return status;
}

/* Every section is read completely, and either gives the right bytes or an error. */
static bool reads_right(const nd_sealed_file *file, const content *c) {
    bool right = true;
    for (size_t s = 0; s < c->count; s++) {
        nd_section section;
        const unsigned char *view;
        nd_error error = {0};
        nd_status status = nd_sealed_section(file, c->tags[s], &section, &error);
        if (status == ND_OK && section.size == c->sizes[s])
            status = nd_sealed_view(file, &section, 0, section.size, &view, &error);
        if (status == ND_OK) assert_memory_equal(view, c->bytes[s], c->sizes[s]);
        else assert_int_equal(status, ND_ERR_CORRUPT);
        right &= status == ND_OK;
    }
    return right;
}

static void check_ranges(const nd_sealed_file *file, const content *c, uint64_t seed) {
    for (int round = 0; round < 300 && c->count > 0; round++) {
        size_t s = random_below(&seed, c->count), offset = random_below(&seed, c->sizes[s] + 1);
        size_t size = random_below(&seed, random_below(&seed, 2) ? c->sizes[s] - offset + 1
                                                                 : (c->sizes[s] - offset) % 30 + 1);
        nd_section section;
        const unsigned char *view;
        nd_error error = {0};
        assert_int_equal(nd_sealed_section(file, c->tags[s], &section, &error), ND_OK);
        assert_int_equal(section.size, c->sizes[s]);
        nd_sealed_prefetch(file, &section, offset);
        assert_int_equal(nd_sealed_view(file, &section, offset, size, &view, &error), ND_OK);
        assert_memory_equal(view, c->bytes[s] + offset, size);
        static volatile unsigned char behind;
        for (int i = 0; i < 8; i++) behind = view[size + (size_t)i];
        (void)behind;
        const uint64_t wrong[][2] = {{0, section.size + 1},   {offset, section.size - offset + 1},
                                     {section.size + 1, 0},   {UINT64_MAX, 1},
                                     {1, UINT64_MAX},         {offset, UINT64_MAX - offset},
                                     {UINT64_MAX, UINT64_MAX}};
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            assert_int_equal(
                nd_sealed_view(file, &section, wrong[i][0], wrong[i][1], &view, &error),
                ND_ERR_CORRUPT);
            assert_ptr_equal(strstr(error.message, "a: damaged: "), error.message);
            nd_sealed_prefetch(file, &section, wrong[i][0]);
        }
    }
}

static void round_trip(content *c, uint64_t seed) {
    nd_seal seal, other;
    nd_sealed_file *file;
    nd_section section;
    nd_error error = {0};
    assert_int_equal(write_content("a", c, &nd_allocator_default, &seal, seed, &error), ND_OK);
    assert_int_equal(nd_sealed_open("a", KIND, &seal, &nd_allocator_default, &file, &error), ND_OK);
    assert_string_equal(nd_sealed_path(file), "a");
    check_ranges(file, c, seed);
    assert_true(reads_right(file, c));
    assert_int_equal(nd_sealed_check(file, &error), ND_OK);
    assert_int_equal(nd_sealed_section(file, 12345678, &section, &error), ND_ERR_CORRUPT);
    assert_string_equal(error.message, "a: there is no section 12345678");
    nd_sealed_close(file);

    /* The same file, however its bytes are divided among calls. */
    assert_int_equal(write_content("b", c, &nd_allocator_default, &other, seed + 1, &error), ND_OK);
    assert_true(seal.size == other.size && seal.hash == other.hash);
    assert_int_equal(entries(), 2);
    assert_int_equal(unlink("a"), 0);
    assert_int_equal(unlink("b"), 0);
    release(c);
}

static void test_round_trip(void **state) {
    (void)state;
    uint64_t seed = 1;
    const size_t edges[] = {0, 1, 15, 16, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE, 7 * PAGE + 3};
    round_trip(calloc(1, sizeof(content)), 1);
    for (size_t e = 0; e < sizeof edges / sizeof *edges; e++) {
        content *c = calloc(1, sizeof *c);
        add_section(c, 7, edges[e], &seed);
        round_trip(c, e);
    }
    for (uint64_t round = 0; round < 30; round++) {
        content *c = calloc(1, sizeof *c);
        size_t count = random_below(&seed, 12);
        for (uint32_t s = 0; s < count; s++) {
            size_t size = random_below(&seed, 2)
                              ? edges[random_below(&seed, sizeof edges / sizeof *edges)]
                              : random_below(&seed, 40 * PAGE);
            add_section(c, (s * 0x9e3779b1u) ^ 5, size, &seed);
        }
        round_trip(c, round);
    }
}

/* The most sections, whose table takes several pages; and so many pages that there are several
 * levels of hashes, which go to disk in the tiny build. */
static void test_large(void **state) {
    (void)state;
    uint64_t seed = 2;
    content *c = calloc(1, sizeof *c);
    for (uint32_t s = 0; s < ND_SEALED_SECTIONS; s++)
        add_section(c, s, random_below(&seed, 20), &seed);
    round_trip(c, 1);
    c = calloc(1, sizeof *c);
    add_section(c, 1, 3, &seed);
    add_section(c, 2, (PAGE < 4096 ? 70000 : 1100) * (size_t)PAGE + 5, &seed);
    round_trip(c, 2);
}

static content *small_content(void) {
    uint64_t seed = 3;
    content *c = calloc(1, sizeof *c);
    add_section(c, 1, 10, &seed);
    add_section(c, 2, PAGE + (PAGE < 4096 ? 18 * PAGE : 1), &seed);
    add_section(c, 3, 0, &seed);
    for (uint32_t s = 4; s < (PAGE < 4096 ? 10 : 5); s++) add_section(c, s, 3, &seed);
    return c;
}

static unsigned char *load(const char *path, size_t *size) {
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    *size = (size_t)s.st_size;
    unsigned char *bytes = malloc(*size + PAGE);
    FILE *f = fopen(path, "r");
    assert_int_equal(fread(bytes, 1, *size, f), *size);
    fclose(f);
    return bytes;
}

static void store(const char *path, const unsigned char *bytes, size_t size) {
    FILE *f = fopen(path, "w");
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

/* A damaged file is not opened, or the check finds the damage; it never gives wrong bytes. */
static void expect_found(const char *path, const content *c, const nd_seal *seal) {
    nd_sealed_file *file;
    nd_error error = {0};
    nd_status status = nd_sealed_open(path, KIND, seal, &nd_allocator_default, &file, &error);
    if (status == ND_OK) {
        reads_right(file, c);
        status = nd_sealed_check(file, &error);
        nd_sealed_close(file);
    }
    assert_int_equal(status, ND_ERR_CORRUPT);
    assert_ptr_equal(strstr(error.message, path), error.message);
}

/* One changed byte is found; also if it changes after the file was opened and mapped. */
static void test_every_byte(void **state) {
    (void)state;
    content *c = small_content();
    nd_seal seal;
    nd_error error = {0};
    size_t size;
    uint64_t seed = 4;
    assert_int_equal(write_content("a", c, &nd_allocator_default, &seal, 1, &error), ND_OK);
    unsigned char *bytes = load("a", &size);
    int fd = open("a", O_RDWR);
    for (size_t i = 0; i < size; i++) {
        nd_sealed_file *file;
        uint64_t change = random_below(&seed, 2) ? UINT64_C(1) << random_below(&seed, 8)
                                                 : 1 + random_below(&seed, 255);
        unsigned char changed = (unsigned char)(bytes[i] ^ change);
        assert_int_equal(nd_sealed_open("a", KIND, NULL, &nd_allocator_default, &file, &error),
                         ND_OK);
        assert_int_equal(pwrite(fd, &changed, 1, (off_t)i), 1);
        expect_found("a", c, NULL);
        reads_right(file, c);
        assert_int_equal(nd_sealed_check(file, &error), ND_ERR_CORRUPT);
        if (i < size - (PAGE < 4096 ? 2 : 1) * PAGE) {
            char message[100];
            snprintf(message, sizeof message,
                     "a: damaged: the page at byte %zu does not fit its hash", i / PAGE * PAGE);
            assert_string_equal(error.message, message);
        }
        nd_sealed_close(file);
        assert_int_equal(pwrite(fd, &bytes[i], 1, (off_t)i), 1);
    }
    close(fd);
    assert_int_equal(unlink("a"), 0);
    free(bytes);
    release(c);
}

static void test_every_length(void **state) {
    (void)state;
    content *c = small_content();
    nd_seal seal;
    nd_error error = {0};
    size_t size;
    assert_int_equal(write_content("a", c, &nd_allocator_default, &seal, 1, &error), ND_OK);
    unsigned char *bytes = load("a", &size);
    for (size_t length = size; length-- > 0;) {
        assert_int_equal(truncate("a", (off_t)length), 0);
        expect_found("a", c, length % 2 ? &seal : NULL);
    }
    for (size_t more = 1; more <= PAGE; more += PAGE - 1) {
        store("a", bytes, size + more);
        expect_found("a", c, NULL);
        memcpy(bytes + size, bytes + size - PAGE, PAGE); /* the last page again */
        store("a", bytes, size + more);
        expect_found("a", c, NULL);
    }
    /* Two swapped pages. */
    unsigned char page[PAGE];
    memcpy(page, bytes + PAGE, PAGE);
    memmove(bytes + PAGE, bytes + 2 * PAGE, PAGE);
    memcpy(bytes + 2 * PAGE, page, PAGE);
    store("a", bytes, size);
    expect_found("a", c, &seal);
    assert_int_equal(unlink("a"), 0);
    free(bytes);
    release(c);
}

/* Corrects the hashes of the table. */
static void seal_again(unsigned char *bytes, size_t size) {
    size_t pages = (nd_load_le32(bytes + size - TRAILER + 24) * (size_t)16 + TRAILER + PAGE - 1) /
                   PAGE,
           all = size / PAGE;
    uint64_t hash = 0;
    for (size_t p = pages < all ? all - pages : all; p + 1 < all; p++)
        hash += nd_sealed_page_hash(bytes + p * PAGE, PAGE, p);
    nd_store_le64(bytes + size - TRAILER + 8, hash);
    nd_store_le64(bytes + size - 16, nd_sealed_page_hash(bytes + size - PAGE, PAGE - 16, all - 1));
}

static void expect_rejected(const unsigned char *bytes, size_t size, const char *message) {
    nd_sealed_file *file;
    nd_error error = {0};
    store("a", bytes, size);
    assert_int_equal(nd_sealed_open("a", KIND, NULL, &nd_allocator_default, &file, &error),
                     ND_ERR_CORRUPT);
    assert_string_equal(error.message, message);
}

static void test_another_file(void **state) {
    (void)state;
    content *c = small_content();
    nd_seal seal, wrong;
    nd_sealed_file *file;
    nd_error error = {0};
    char message[200];
    size_t size;
    assert_int_equal(write_content("a", c, &nd_allocator_default, &seal, 1, &error), ND_OK);
    wrong = (nd_seal){seal.size, seal.hash ^ 1};
    assert_int_equal(nd_sealed_open("a", KIND, &wrong, &nd_allocator_default, &file, &error),
                     ND_ERR_CORRUPT);
    assert_ptr_equal(strstr(error.message, "a: another file is expected here"), error.message);
    wrong = (nd_seal){seal.size + PAGE, seal.hash};
    assert_int_equal(nd_sealed_open("a", KIND, &wrong, &nd_allocator_default, &file, &error),
                     ND_ERR_CORRUPT);
    assert_ptr_equal(strstr(error.message, "a: cut off, or another file"), error.message);
    assert_int_equal(nd_sealed_open("a", KIND + 1, NULL, &nd_allocator_default, &file, &error),
                     ND_ERR_CORRUPT);
    assert_string_equal(error.message, "a: another kind of file: 6b696e64, not 6b696e65");
    unsigned char *bytes = load("a", &size);
    nd_store_le32(bytes + size - TRAILER + 36, 2);
    seal_again(bytes, size);
    expect_rejected(bytes, size, "a: of version 2, and this library reads version 1");
    nd_store_le32(bytes + size - TRAILER + 36, 1);
    nd_store_le32(bytes + size - TRAILER + 32, 512);
    seal_again(bytes, size);
    snprintf(message, sizeof message, "a: pages of 512 bytes, not %d", PAGE);
    expect_rejected(bytes, size, message);
    snprintf(message, sizeof message,
             "a: cut off, or no file of an index: 0 bytes are not pages of %d", PAGE);
    expect_rejected(bytes, 0, message);
    assert_int_equal(nd_sealed_open("none", KIND, NULL, &nd_allocator_default, &file, &error),
                     ND_ERR_IO);
    assert_string_equal(error.message, "none: cannot open: No such file or directory");
    assert_int_equal(nd_sealed_open(".", KIND, NULL, &nd_allocator_default, &file, &error),
                     ND_ERR_CORRUPT);
    assert_string_equal(error.message, ".: not a regular file");
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(nd_sealed_open("pipe", KIND, NULL, &nd_allocator_default, &file, &error),
                     ND_ERR_CORRUPT);
    assert_int_equal(unlink("pipe"), 0);
    assert_int_equal(unlink("a"), 0);
    free(bytes);
    release(c);
}

/* Tables and trailers with any numbers and correct hashes: no byte outside the file is read. */
static void test_hand_made(void **state) {
    (void)state;
    size_t files = open_files();
    content *c = small_content();
    nd_seal seal;
    nd_error error = {0};
    size_t size;
    uint64_t seed = 5;
    assert_int_equal(write_content("a", c, &nd_allocator_default, &seal, 1, &error), ND_OK);
    unsigned char *bytes = load("a", &size), *made = malloc(size + PAGE);
    const uint64_t values[] = {0,
                               1,
                               PAGE - 1,
                               PAGE,
                               2 * PAGE,
                               1100,
                               1101,
                               INT64_MAX,
                               UINT64_MAX - PAGE,
                               UINT64_MAX,
                               size,
                               size - PAGE,
                               UINT64_MAX / PAGE};
    int opened = 0;
    for (int round = 0; round < 4000; round++) {
        memcpy(made, bytes, size);
        size_t table = size - (PAGE < 4096 ? 2 : 1) * PAGE, fields = 1 + (size_t)round % 3;
        while (fields-- > 0) {
            uint64_t value = random_below(&seed, 2)
                                 ? values[random_below(&seed, sizeof values / sizeof *values)]
                                 : random_below(&seed, 4 * PAGE);
            if (random_below(&seed, 3) == 0)
                nd_store_le32(made + size - TRAILER + 24, (uint32_t)value);
            else
                nd_store_le64(made + (random_below(&seed, 3)
                                          ? table + 8 * random_below(&seed, 24)
                                          : size - TRAILER + 8 * random_below(&seed, 3)),
                              value);
        }
        seal_again(made, size);
        store("a", made, size);
        nd_sealed_file *file;
        nd_status status = nd_sealed_open("a", KIND, NULL, &nd_allocator_default, &file, &error);
        if (status != ND_OK) {
            assert_int_equal(status, ND_ERR_CORRUPT);
            continue;
        }
        opened++;
        for (uint32_t tag = 0; tag < 10; tag++) {
            nd_section section;
            const unsigned char *view;
            if (nd_sealed_section(file, tag, &section, &error) != ND_OK) continue;
            assert_true(section.offset <= size - PAGE &&
                        section.size <= size - PAGE - section.offset);
            (void)nd_sealed_view(file, &section, 0, section.size, &view, &error);
        }
        (void)nd_sealed_check(file, &error);
        nd_sealed_close(file);
    }
    assert_true(opened > 10);
    assert_int_equal(open_files(), files);
    assert_int_equal(unlink("a"), 0);
    free(made);
    free(bytes);
    release(c);
}

/* A byte behind a section is not zero, and all hashes are correct. */
static void test_padding(void **state) {
    (void)state;
    uint64_t seed = 6;
    content *c = calloc(1, sizeof *c);
    nd_seal seal;
    nd_sealed_file *file;
    nd_error error = {0};
    size_t size;
    add_section(c, 1, 10, &seed);
    assert_int_equal(write_content("a", c, &nd_allocator_default, &seal, 1, &error), ND_OK);
    unsigned char *bytes = load("a", &size);
    assert_int_equal(size, 2 * PAGE);
    bytes[PAGE - 1] = 1;
    nd_store_le64(bytes + size - TRAILER, nd_sealed_page_hash(bytes, PAGE, 0));
    seal_again(bytes, size);
    store("a", bytes, size);
    assert_int_equal(nd_sealed_open("a", KIND, NULL, &nd_allocator_default, &file, &error), ND_OK);
    assert_true(reads_right(file, c));
    assert_int_equal(nd_sealed_check(file, &error), ND_ERR_CORRUPT);
    char message[100];
    snprintf(message, sizeof message, "a: damaged: not zero at byte %d", PAGE - 1);
    assert_string_equal(error.message, message);
    nd_sealed_close(file);
    assert_int_equal(unlink("a"), 0);
    free(bytes);
    release(c);
}

/* Values of an independent implementation, in Python, of the definition in
 * doc/internals/formats.md. */
static void test_hash(void **state) {
    (void)state;
    static const struct {
        size_t size;
        uint64_t page, hash;
    } golden[] = {{16, 0, 0x20eceb4ca1227b8e},
                  {16, 1, 0x5e22af09c2e664de},
                  {16, UINT64_C(1) << 40, 0x6d235d8b3ac9fa8c},
                  {112, 1, 0xac62716a84f48d55},
                  {128, 0, 0xbdd7e7bca2d84044},
                  {4080, 0, 0x552f9e2afd5ca7d1},
                  {4096, 0, 0x2318d419cdb5d1d4},
                  {4096, 1, 0x5f9f910ac8012163},
                  {4096, UINT64_C(1) << 40, 0x73d37abb8ea78ea0}};
    unsigned char bytes[4096];
    for (unsigned i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * i * 7 + i);
    for (size_t g = 0; g < sizeof golden / sizeof *golden; g++)
        assert_int_equal(nd_sealed_page_hash(bytes, golden[g].size, golden[g].page),
                         golden[g].hash);
    memset(bytes, 0, sizeof bytes);
    assert_int_equal(nd_sealed_page_hash(bytes, sizeof bytes, 5), 0x325055070542722b);
}

static void test_misuse(void **state) {
    (void)state;
    nd_sealed_writer *writer, *second;
    nd_seal seal;
    nd_error error = {0};
    assert_int_equal(
        nd_sealed_writer_create("none/a", KIND, &nd_allocator_default, &writer, &error), ND_ERR_IO);
    for (int way = 0; way < 3; way++) {
        assert_int_equal(nd_sealed_writer_create("a", KIND, &nd_allocator_default, &writer, &error),
                         ND_OK);
        assert_int_equal(nd_sealed_writer_create("a", KIND, &nd_allocator_default, &second, &error),
                         ND_ERR_IO);
        assert_int_equal(entries(), 1);
        nd_status status = ND_OK;
        if (way == 0) status = nd_sealed_write(writer, "x", 1, &error);
        for (uint32_t s = 0; way == 1 && s <= ND_SEALED_SECTIONS && status == ND_OK; s++)
            status = nd_sealed_begin(writer, s, &error);
        for (uint32_t s = 0; way == 2 && s < 3 && status == ND_OK; s++)
            status = nd_sealed_begin(writer, s % 2, &error);
        assert_int_equal(status, ND_ERR_ARGUMENT);
        assert_int_equal(nd_sealed_begin(writer, 5000, &error), ND_ERR_IO);
        assert_int_equal(nd_sealed_finish(writer, &seal, &error), ND_ERR_IO);
        assert_string_equal(error.message, "a: it could not be written before");
        nd_sealed_writer_free(writer);
        assert_int_equal(entries(), 0);
    }
    nd_sealed_writer_free(NULL);
    nd_sealed_close(NULL);
}

/* Whatever byte a disk gets full at, no file is left. */
static void test_full_disk(void **state) {
    (void)state;
    size_t files = open_files();
    content *c = small_content();
    nd_seal seal;
    nd_error error = {0};
    struct rlimit unlimited, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(write_content("a", c, &nd_allocator_default, &seal, 1, &error), ND_OK);
    assert_int_equal(unlink("a"), 0);
    for (size_t bytes = 0; bytes <= seal.size; bytes += PAGE / 2) {
        limit = (struct rlimit){bytes, unlimited.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        nd_status status = write_content("a", c, &nd_allocator_default, &seal, 1, &error);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
        assert_int_equal(status, bytes < seal.size ? ND_ERR_IO : ND_OK);
        assert_int_equal(entries(), bytes < seal.size ? 0 : 1);
    }
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(open_files(), files);
    assert_int_equal(unlink("a"), 0);
    release(c);
}

static void test_no_memory(void **state) {
    (void)state;
    size_t files = open_files();
    content *c = small_content();
    nd_seal seal;
    nd_error error = {0};
    nd_status status = ND_ERR_MEMORY;
    for (long n = 0; status == ND_ERR_MEMORY; n++) {
        failing_allocator failing = {.left = n};
        nd_allocator allocator = failing_allocator_make(&failing);
        status = write_content("a", c, &allocator, &seal, 1, &error);
        assert_int_equal(failing.live, 0);
        assert_int_equal(entries(), status == ND_OK);
    }
    assert_int_equal(status, ND_OK);
    status = ND_ERR_MEMORY;
    for (long n = 0; status == ND_ERR_MEMORY; n++) {
        failing_allocator failing = {.left = n};
        nd_allocator allocator = failing_allocator_make(&failing);
        nd_sealed_file *file = NULL;
        status = nd_sealed_open("a", KIND, &seal, &allocator, &file, &error);
        if (status == ND_OK) {
            status = nd_sealed_check(file, &error);
            nd_sealed_close(file);
        }
        assert_int_equal(failing.live, 0);
    }
    assert_int_equal(status, ND_OK);
    assert_int_equal(open_files(), files);
    assert_int_equal(unlink("a"), 0);
    release(c);
}

typedef struct shared {
    const nd_sealed_file *file;
    const content *content;
} shared;

static nd_status read_all(void *context, uint32_t index, nd_error *error) {
    (void)index;
    (void)error;
    const shared *s = context;
    return reads_right(s->file, s->content) ? ND_OK : ND_ERR_CORRUPT;
}

static void test_threads(void **state) {
    (void)state;
    content *c = small_content();
    nd_seal seal;
    nd_error error = {0};
    assert_int_equal(write_content("a", c, &nd_allocator_default, &seal, 1, &error), ND_OK);
    for (int round = 0; round < 20; round++) {
        nd_sealed_file *file;
        assert_int_equal(nd_sealed_open("a", KIND, &seal, &nd_allocator_default, &file, &error),
                         ND_OK);
        assert_int_equal(
            nd_run_workers(&nd_allocator_default, 4, read_all, &(shared){file, c}, &error), ND_OK);
        nd_sealed_close(file);
    }
    assert_int_equal(unlink("a"), 0);
    release(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hash),         cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_large),        cmocka_unit_test(test_every_byte),
        cmocka_unit_test(test_every_length), cmocka_unit_test(test_another_file),
        cmocka_unit_test(test_hand_made),    cmocka_unit_test(test_padding),
        cmocka_unit_test(test_misuse),       cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_no_memory),    cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}
