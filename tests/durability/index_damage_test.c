/* Damage to any file of an index is reported with the file's name, or changes no answer. Bytes are
 * changed; files are cut off, extended, emptied, removed, and replaced by another file. */
#include "durability/image.h"
#include "durability/system.h"
#include "durability/workload.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t damages, reported;
static image files;
static row held, any[TEXTS]; /* all versions of all documents */

/* Makes the index and the rows that searches of it should find. */
static void make_index(bool sketch_only) {
    remove_directory("x");
    workload_small(sketch_only, &held);
    image_load(&files, "x");
    for (unsigned k = 0; k < TEXTS; k++) {
        any[k].there = true;
        memset(any[k].version, (int)k + 1, DOCUMENTS);
    }
}

static void must_name(nd_status status, const nd_error *error, const image_file *f) {
    must_report(status, error);
    if (!strstr(error->message, f->name)) broken("not named: %s", error->message);
    reported++;
}

/* All answers are right, or the damaged file is named. */
static bool search(either_index *x, const image_file *damaged) {
    row found;
    nd_error error;
    nd_status status = row_observe(x, any, TEXTS, &found, &error);
    if (status != ND_OK) must_name(status, &error, damaged);
    else if (!row_equal(&found, &held))
        broken("%s are found, not %s", row_text(&found), row_text(&held));
    nd_status joined = row_join(x, &held, &error);
    if (joined != ND_OK) must_name(joined, &error, damaged);
    return status == ND_OK && joined == ND_OK;
}

/* False: the damage is reported. */
static bool open_and_search(nd_index_mode mode, const image_file *damaged) {
    nd_error error;
    either_index *x;
    nd_status status = either_open("x", mode, NULL, &x, &error);
    if (status != ND_OK) {
        must_name(status, &error, damaged);
        return false;
    }
    bool fine = search(x, damaged);
    status = either_check(x, &error);
    if (status != ND_OK) must_name(status, &error, damaged);
    if (status == ND_OK && !fine) broken("a check finds nothing");
    either_close(x);
    return status == ND_OK;
}

/* Checks a reader's view, then a writer's view and the files that the writer leaves. The check
 * reads every byte of a sealed file. */
static void look(const image_file *damaged, bool write) {
    bool sealed = strncmp(damaged->name, "segment-", 8) == 0 ||
                  strncmp(damaged->name, "removed-", 8) == 0;
    damages++;
    if (open_and_search(ND_INDEX_READ, damaged) && sealed) broken("not found");
    if (!write) return;
    bool fine = open_and_search(ND_INDEX_WRITE, damaged);
    if (open_and_search(ND_INDEX_READ, damaged) != fine)
        broken("a writer found the index %s and changed that", fine ? "fine" : "damaged");
}

/* ---- bytes */

static void path_of(char *path, size_t size, const image_file *f) {
    snprintf(path, size, "x/%.39s", f->name);
}

/* Changes some bytes in place. */
static void poke(const image_file *f, size_t offset, const unsigned char *bytes, size_t size) {
    char path[60];
    path_of(path, sizeof path, f);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, size, (off_t)offset), size);
    close(fd);
}

static void change_byte(const image_file *f, size_t offset, unsigned char mask, bool write) {
    unsigned char byte = f->bytes[offset] ^ mask;
    test_at("%s, byte %zu of %zu ^ %02x", f->name, offset, f->size, mask);
    poke(f, offset, &byte, 1);
    look(f, write);
    if (write) image_store(&files, "x");
    else poke(f, offset, f->bytes + offset, 1);
}

/* Selects every byte that is not zero and its neighbours; of the zeros, which may be many, some. */
static bool is_wanted(const image_file *f, size_t offset, uint64_t *seed) {
    size_t begin = offset < 16 ? 0 : offset - 16,
           end = f->size - offset < 16 ? f->size : offset + 16;
    for (size_t i = begin; i < end; i++)
        if (f->bytes[i]) return true;
    return random_below(seed, f->size) < 1000;
}

static void change_bytes(unsigned each, uint64_t *seed) {
    static const unsigned char masks[] = {0x01, 0x40, 0xff, 0x80};
    for (size_t f = 0; f < files.count; f++)
        for (size_t offset = 0; offset < files.files[f].size; offset++)
            if (is_wanted(&files.files[f], offset, seed) && random_below(seed, each) == 0)
                change_byte(&files.files[f], offset, masks[random_below(seed, 4)],
                            random_below(seed, 8) == 0);
}

static void test_bytes(void **state) {
    (void)state;
    uint64_t seed = 1;
    unsigned slow = test_sparsity();
    make_index(false);
    change_bytes(slow, &seed);
    image_free(&files);
    if (content() != CONTENT_DOCUMENTS) return;
    make_index(true);
    change_bytes(4 * slow, &seed);
    image_free(&files);
}

/* ---- whole files */

/* Replaces the bytes of the file, or (size SIZE_MAX) removes it. */
static void replace(const image_file *f, const unsigned char *bytes, size_t size, bool write) {
    char path[60];
    path_of(path, sizeof path, f);
    image_file other = *f;
    other.bytes = (unsigned char *)(uintptr_t)bytes;
    other.size = size;
    if (size == SIZE_MAX) unlink(path);
    else image_store_file(&other, "x");
    look(f, write);
    if (write) image_store(&files, "x");
    else image_store_file(f, "x");
}

static void test_lengths(void **state) {
    (void)state;
    uint64_t seed = 2;
    unsigned slow = test_sparsity();
    make_index(false);
    for (size_t i = 0; i < files.count; i++) {
        const image_file *f = &files.files[i];
        size_t step = f->size / 1000 + 1;
        for (size_t size = 0; size < f->size; size += 1 + random_below(&seed, 2 * step * slow)) {
            test_at("%s, cut off at byte %zu of %zu", f->name, size, f->size);
            replace(f, f->bytes, size, random_below(&seed, 8) == 0);
        }
        unsigned char *longer = calloc(f->size + 5000, 1);
        assert_non_null(longer);
        memcpy(longer, f->bytes, f->size);
        for (size_t more = 1; more < 5000; more = more * 5 / 2 + 1) {
            test_at("%s, longer by %zu", f->name, more);
            replace(f, longer, f->size + more, random_below(&seed, 2));
            longer[f->size + more - 1] = 7;
        }
        free(longer);
        for (int write = 0; write < 2; write++) {
            test_at("%s, gone", f->name);
            replace(f, NULL, SIZE_MAX, write);
            test_at("%s, empty", f->name);
            replace(f, f->bytes, 0, write);
        }
    }
    image_free(&files);
}

/* Noise over a part of a file; another file, and an older file of the same index, instead of it. */
static void test_wrong_bytes(void **state) {
    (void)state;
    uint64_t seed = 3;
    make_index(false);
    for (size_t i = 0; i < files.count; i++) {
        const image_file *f = &files.files[i];
        unsigned char *bytes = malloc(f->size + 1);
        assert_non_null(bytes);
        for (unsigned round = 0; round < 100 / test_sparsity() && f->size > 0; round++) {
            memcpy(bytes, f->bytes, f->size);
            size_t begin = random_below(&seed, f->size < 8192 ? f->size : 8192),
                   size = random_below(&seed, 700) + 1;
            for (size_t b = begin; b < begin + size && b < f->size; b++)
                bytes[b] = (unsigned char)random_next(&seed);
            test_at("%s, noise from byte %zu on, %zu bytes", f->name, begin, size);
            replace(f, bytes, f->size, round % 4 == 0);
        }
        free(bytes);
        for (size_t other = 0; other < files.count; other++) {
            test_at("%s, with the bytes of %s", f->name, files.files[other].name);
            if (other != i) replace(f, files.files[other].bytes, files.files[other].size, false);
        }
    }
    image_free(&files);
}

static int end_tests(void **state) {
    remove_directory("x");
    return leave_own_directory(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bytes), cmocka_unit_test(test_lengths),
                                       cmocka_unit_test(test_wrong_bytes)};
    int failed = 0;
    for (content_kind kind = CONTENT_DOCUMENTS; kind < CONTENTS; kind++) {
        content_use(kind);
        failed += cmocka_run_group_tests_name(content_name(), tests, image_enter, end_tests);
    }
    print_message("%zu damages, reported %zu times\n", damages, reported);
    return failed;
}
