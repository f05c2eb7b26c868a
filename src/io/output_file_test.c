/* output_file.h: an output replaces the old file as a whole, or leaves it unchanged. */
#include "io/output_file.h"

#include "base/hash.h"
#include "base/machine.h"
#include "base/workers.h"
#include "own_directory.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t entries(void) {
    DIR *d = opendir(".");
    size_t count = 0;
    while (readdir(d)) count++;
    closedir(d);
    return count - 2;
}

static void write_to(nd_output_file *file, const char *text) {
    nd_error error;
    assert_int_equal(nd_output_file_write(file, text, strlen(text), &error), ND_OK);
}

static void expect(const char *path, const char *text) {
    char got[100] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(got, 1, sizeof got - 1, f);
    fclose(f);
    got[n] = '\0';
    assert_string_equal(got, text);
}

static void publish(nd_output_file *file) {
    nd_error error;
    assert_int_equal(nd_output_file_name(file, &error), ND_OK);
    assert_int_equal(nd_output_file_sync_name(file, &error), ND_OK);
    nd_output_file_accept(file);
}

static void test_publish(void **state) {
    (void)state;
    nd_output_file *file;
    nd_error error;
    assert_int_equal(nd_output_file_open("a", NULL, &nd_allocator_default, &file, &error), ND_OK);
    write_to(file, "new");
    assert_int_not_equal(access("a", F_OK), 0);
    assert_int_equal(nd_output_file_finish(file, &error), ND_OK);
    assert_int_equal(nd_output_file_sync(file, &error), ND_OK);
    publish(file);
    assert_int_equal(nd_output_file_size(file), 3);
    nd_output_file_free(file);
    expect("a", "new");
    assert_int_equal(entries(), 1);
}

/* The old file stays until the new one gets its name and its access rights; a file that is given up
 * leaves no trace. */
static void test_give_up_and_replace(void **state) {
    (void)state;
    nd_output_file *file;
    nd_error error;
    struct stat s;
    assert_int_equal(chmod("a", 0600), 0);
    assert_int_equal(nd_output_file_open("a", NULL, &nd_allocator_default, &file, &error), ND_OK);
    write_to(file, "lost");
    nd_output_file_free(file);
    expect("a", "new");
    assert_int_equal(entries(), 1);
    assert_int_equal(nd_output_file_open("a", NULL, &nd_allocator_default, &file, &error), ND_OK);
    write_to(file, "newer");
    assert_int_equal(nd_output_file_finish(file, &error), ND_OK);
    publish(file);
    nd_output_file_free(file);
    expect("a", "newer");
    assert_int_equal(stat("a", &s), 0);
    assert_int_equal(s.st_mode & 0777, 0600);
    assert_int_equal(unlink("a"), 0);
}

/* A file that is named and not accepted is undone: the old file is back unchanged, or there is none
 * as before. */
static void test_take_back(void **state) {
    (void)state;
    nd_output_file *file;
    nd_error error;
    struct stat before, after;
    FILE *f = fopen("b", "w");
    assert_true(f && fputs("old", f) >= 0 && fclose(f) == 0 && stat("b", &before) == 0);
    for (int there = 1; there >= 0; there--) {
        assert_int_equal(nd_output_file_open("b", NULL, &nd_allocator_default, &file, &error),
                         ND_OK);
        write_to(file, "new");
        assert_int_equal(nd_output_file_finish(file, &error), ND_OK);
        assert_int_equal(nd_output_file_name(file, &error), ND_OK);
        expect("b", "new");
        nd_output_file_free(file);
        assert_int_equal(entries(), there);
        if (!there) break;
        expect("b", "old");
        assert_int_equal(stat("b", &after), 0);
        assert_true(before.st_ino == after.st_ino);
        assert_int_equal(unlink("b"), 0);
    }
}

/* If another run has written the same output in the meantime, taking back leaves its file alone. */
static void test_take_back_late(void **state) {
    (void)state;
    nd_output_file *first, *second;
    nd_error error;
    assert_int_equal(nd_output_file_open("c", NULL, &nd_allocator_default, &first, &error), ND_OK);
    write_to(first, "first");
    assert_int_equal(nd_output_file_finish(first, &error), ND_OK);
    assert_int_equal(nd_output_file_open("c", NULL, &nd_allocator_default, &second, &error), ND_OK);
    write_to(second, "second");
    assert_int_equal(nd_output_file_finish(second, &error), ND_OK);
    assert_int_equal(nd_output_file_name(first, &error), ND_OK);
    publish(second);
    nd_output_file_free(second);
    nd_output_file_free(first);
    expect("c", "second");
    assert_int_equal(entries(), 1);
    assert_int_equal(unlink("c"), 0);
}

enum { PIECE = ND_DIRECT_ALIGNMENT, PIECES = 9, THREADS = 3 };

typedef struct pieces {
    nd_output_file *file;
    char *bytes; /* of the whole file, aligned */
    size_t size;
} pieces;

/* Each thread writes its pieces from the last one to the first. */
static nd_status write_pieces(void *context, uint32_t thread, nd_error *error) {
    const pieces *p = context;
    for (size_t i = PIECES; i-- > 0;) {
        if (i % THREADS != thread) continue;
        size_t begin = i * PIECE, left = p->size - begin;
        ND_TRY(nd_output_file_write_at(p->file, p->bytes + begin, left < PIECE ? left : PIECE,
                                       begin, error));
    }
    return ND_OK;
}

/* Pieces come at their offsets, in any order, from any thread; the last one is not aligned, so it
 * goes through the page cache. */
static void test_pieces_at_offsets(void **state) {
    (void)state;
    nd_error error;
    pieces p = {.size = PIECES * PIECE - 5};
    void *memory = nd_output_pieces_allocate(&nd_allocator_default, PIECES * PIECE, &p.bytes);
    char *got = malloc(PIECES * PIECE);
    assert_true(memory && got);
    for (size_t i = 0; i < p.size; i++) p.bytes[i] = (char)nd_mix64(i);
    assert_int_equal(nd_output_file_open("d", NULL, &nd_allocator_default, &p.file, &error), ND_OK);
    assert_true(nd_output_file_is_seekable(p.file));
    assert_int_equal(nd_run_workers(&nd_allocator_default, THREADS, write_pieces, &p, &error),
                     ND_OK);
    assert_int_equal(nd_output_file_finish(p.file, &error), ND_OK);
    assert_int_equal(nd_output_file_size(p.file), p.size);
    publish(p.file);
    nd_output_file_free(p.file);
    FILE *f = fopen("d", "r");
    assert_non_null(f);
    assert_int_equal(fread(got, 1, PIECES * PIECE, f), p.size);
    assert_memory_equal(got, p.bytes, p.size);
    fclose(f);
    nd_release(&nd_allocator_default, memory);
    free(got);
    assert_int_equal(unlink("d"), 0);
}

static void *allocate_none(void *context, size_t size) {
    (void)context, (void)size;
    return NULL;
}

/* Memory of pieces is aligned, from the first byte to the last; large memory to a large page. */
static void test_memory_of_pieces(void **state) {
    (void)state;
    static const size_t sizes[] = {1, ND_DIRECT_ALIGNMENT, ND_LARGE_PAGE - 1, ND_LARGE_PAGE,
                                   3 * (size_t)ND_LARGE_PAGE};
    char *bytes;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t alignment = i < 3 ? ND_DIRECT_ALIGNMENT : ND_LARGE_PAGE;
        void *memory = nd_output_pieces_allocate(&nd_allocator_default, sizes[i], &bytes);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)bytes % alignment, 0);
        memset(bytes, 1, sizes[i]);
        nd_release(&nd_allocator_default, memory);
    }
    nd_allocator none = nd_allocator_default;
    none.allocate = allocate_none;
    assert_null(nd_output_pieces_allocate(&none, 1, &bytes));
}

/* Neither a compressed file nor one that is written in place has offsets for pieces. */
static void test_not_seekable(void **state) {
    (void)state;
    static const char *const names[] = {"e.gz", "e.zst", "/dev/null"};
    for (size_t i = 0; i < 3; i++) {
        nd_output_file *file;
        nd_error error;
        nd_status status = nd_output_file_open(names[i], NULL, &nd_allocator_default, &file,
                                               &error);
        if (i < 2 && status == ND_ERR_UNSUPPORTED)
            continue; /* by a build without the compression */
        assert_int_equal(status, ND_OK);
        assert_false(nd_output_file_is_seekable(file));
        nd_output_file_free(file);
    }
    assert_int_equal(entries(), 0);
}

static void test_no_directory(void **state) {
    (void)state;
    nd_output_file *file = NULL;
    nd_error error = {0};
    assert_int_equal(nd_output_file_open("none/a", NULL, &nd_allocator_default, &file, &error),
                     ND_ERR_IO);
    assert_string_equal(error.message, "none/a: cannot write there: No such file or directory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_publish),           cmocka_unit_test(test_give_up_and_replace),
        cmocka_unit_test(test_take_back),         cmocka_unit_test(test_take_back_late),
        cmocka_unit_test(test_pieces_at_offsets), cmocka_unit_test(test_memory_of_pieces),
        cmocka_unit_test(test_not_seekable),      cmocka_unit_test(test_no_directory)};
    return cmocka_run_group_tests(tests, enter_own_directory, leave_own_directory);
}
