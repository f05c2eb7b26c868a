/* Damage to any file of a stream is reported with the file's name, or changes nothing that can be
 * observed. Bytes are changed; files are cut off, extended, emptied, removed, and replaced by
 * another file. (The index that a stream may contain: index_damage_test.) */
#include "durability/documents.h"
#include "durability/image.h"
#include "durability/stream_model.h"
#include "storage/sealed_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HELD = 80 };

static size_t damages, reported;
static image files;

static void must_name(nd_status status, const nd_error *error, const image_file *f) {
    must_report(status, error);
    if (!strstr(error->message, f->name)) broken("not named: %s", error->message);
    reported++;
}

static void look(nd_index_mode mode, const image_file *damaged) {
    nd_error error;
    nd_stream *s;
    unsigned count;
    nd_status status = nd_stream_open("x", mode, NULL, NULL, &s, &error);
    if (status == ND_OK) {
        status = stream_observe(s, &count, &error);
        if (status == ND_OK && count != HELD) broken("%u documents, not %d", count, HELD);
        nd_stream_close(s);
    }
    if (status != ND_OK) must_name(status, &error, damaged);
}

/* Replaces the bytes of the file or, with NULL, removes it; for a reader, and sometimes for a
 * writer. */
static void replace(const image_file *f, const unsigned char *bytes, size_t size, bool write) {
    char path[60];
    image_file other = *f;
    other.bytes = (unsigned char *)(uintptr_t)bytes;
    other.size = size;
    snprintf(path, sizeof path, "x/%.39s", f->name);
    if (bytes) image_store_file(&other, "x");
    else unlink(path);
    damages++;
    look(ND_INDEX_READ, f);
    if (write) look(ND_INDEX_WRITE, f);
    if (write) image_store(&files, "x");
    else image_store_file(f, "x");
}

static void damage_bytes(const image_file *f, uint64_t *seed) {
    static const unsigned char masks[] = {0x01, 0x40, 0xff, 0x80};
    /* Most of a state are counters of words. */
    uint64_t each = (f->size / 200 + 1) * stream_sparse();
    for (size_t at = 0; at < f->size; at++) {
        bool edge = at < 150 || f->size - at < 150;
        if (random_below(seed, edge ? stream_sparse() : each) != 0) continue;
        test_at("%s: %s, byte %zu of %zu", stream_name(), f->name, at, f->size);
        unsigned char was = f->bytes[at];
        f->bytes[at] ^= masks[random_below(seed, 4)];
        unsigned char *bytes = malloc(f->size);
        assert_non_null(bytes);
        memcpy(bytes, f->bytes, f->size);
        f->bytes[at] = was;
        replace(f, bytes, f->size, random_below(seed, 16) == 0);
        free(bytes);
    }
}

static void damage_length(const image_file *f, uint64_t *seed) {
    unsigned char *longer = calloc(f->size + 5000, 1);
    assert_non_null(longer);
    memcpy(longer, f->bytes, f->size);
    for (size_t size = 0; size < f->size;
         size += 1 + random_below(seed, (f->size / 20 + 1) * stream_sparse())) {
        test_at("%s: %s, cut off at byte %zu of %zu", stream_name(), f->name, size, f->size);
        replace(f, longer, size, random_below(seed, 8) == 0);
    }
    for (size_t more = 1; more < 5000; more = more * 5 / 2 + 1) {
        test_at("%s: %s, longer by %zu", stream_name(), f->name, more);
        replace(f, longer, f->size + more, random_below(seed, 2));
        longer[f->size + more - 1] = 7;
    }
    free(longer);
    for (int write = 0; write < 2; write++) {
        test_at("%s: %s, gone", stream_name(), f->name);
        bool only = strncmp(f->name, "clusters-", 9) ==
                    0; /* without it the stream does not exist */
        if (!only) replace(f, NULL, 0, write);
    }
    for (size_t other = 0; other < files.count; other++) {
        test_at("%s: %s, with the bytes of %s", stream_name(), f->name, files.files[other].name);
        if (&files.files[other] != f)
            replace(f, files.files[other].bytes, files.files[other].size, false);
    }
}

static void make_stream(stream_kind kind) {
    nd_error error;
    uint64_t seed = kind + 1;
    unsigned answered;
    nd_stream *s;
    stream_use(kind, seed);
    nd_stream_options o = stream_options();
    must(nd_stream_open("x", ND_INDEX_WRITE, &o, NULL, &s, &error), &error);
    must(stream_feed(s, 0, HELD, &seed, &answered, &error), &error);
    nd_stream_close(s);
    image_load(&files, "x");
}

static void end_stream(void) {
    image_free(&files);
    remove_directory("x");
    stream_end();
}

static void test_damage(void **state) {
    (void)state;
    for (stream_kind kind = STREAM_FOLLOWS; kind < STREAM_KINDS; kind++) {
        uint64_t seed = kind + 1;
        make_stream(kind);
        for (size_t f = 0; f < files.count; f++) {
            if (strchr(files.files[f].name, '/')) continue;
            damage_bytes(&files.files[f], &seed);
            damage_length(&files.files[f], &seed);
        }
        end_stream();
    }
}

/* ---- a state with right hashes and impossible values */

enum { KIND = 0x7374726d, SECTIONS = 8 };

/* Writes the state anew with some bytes of a section changed; at the end of the section it adds
 * bytes or removes some. */
static void write_state(const nd_sealed_file *from, const char *path, uint32_t changed, uint64_t at,
                        const unsigned char *bytes, uint64_t count) {
    nd_error error;
    nd_sealed_writer *file;
    nd_seal seal;
    unlink(path);
    must(nd_sealed_writer_create(path, KIND, &nd_allocator_default, &file, &error), &error);
    for (uint32_t tag = 1; tag <= SECTIONS; tag++) {
        nd_section section;
        const unsigned char *p;
        must(nd_sealed_section(from, tag, &section, &error), &error);
        must(nd_sealed_view(from, &section, 0, section.size, &p, &error), &error);
        must(nd_sealed_begin(file, tag, &error), &error);
        uint64_t begin = tag == changed ? at : section.size,
                 end = begin + count < section.size ? begin + count : section.size;
        must(nd_sealed_write(file, p, begin, &error), &error);
        if (tag == changed) must(nd_sealed_write(file, bytes, count, &error), &error);
        if (tag == changed)
            must(nd_sealed_write(file, p + end, section.size - end, &error), &error);
    }
    must(nd_sealed_finish(file, &seal, &error), &error);
    nd_sealed_writer_free(file);
}

/* The result may be an error, or a stream that can be observed and accepts more documents. */
static void use(nd_index_mode mode) {
    static seen shown;
    nd_error error;
    nd_stream *s;
    unsigned answered;
    uint64_t seed = 1;
    nd_status status = nd_stream_open("x", mode, NULL, NULL, &s, &error);
    if (status == ND_OK) {
        status = stream_look(s, &shown, &error);
        if (status == ND_OK && mode == ND_INDEX_WRITE)
            status = stream_feed(s, HELD, ARRIVALS, &seed, &answered, &error);
        nd_stream_close(s);
    }
    if (status == ND_OK) return;
    must_report(status, &error);
    reported++;
}

static void test_impossible(void **state) {
    (void)state;
    static const unsigned char all[8] = {255, 255, 255, 255, 255, 255, 255, 255},
                               high[8] = {0, 0, 0, 128, 0, 0, 0, 128}, low[8] = {1}, none[8] = {0};
    static const unsigned char *const words[] = {all, high, low, none};
    for (stream_kind kind = STREAM_FOLLOWS; kind < STREAM_KINDS; kind++) {
        nd_error error;
        nd_sealed_file *whole;
        char path[60];
        uint64_t seed = kind + 1;
        make_stream(kind);
        const image_file *f = &files.files[0];
        while (strncmp(f->name, "clusters-", 9) != 0) f++;
        snprintf(path, sizeof path, "x/%.39s", f->name);
        must(nd_sealed_open(path, KIND, NULL, &nd_allocator_default, &whole, &error), &error);
        for (unsigned round = 0; round < 600 / stream_sparse(); round++) {
            static const uint32_t often[] = {1, 2, 2, 2, 3, 4, 5, 6, 7, 8};
            uint32_t tag = often[random_below(&seed, 10)];
            nd_section section;
            must(nd_sealed_section(whole, tag, &section, &error), &error);
            uint64_t at = random_below(&seed, section.size + 1) / 4 * 4,
                     count = random_below(&seed, 8) + 1;
            test_at("%s: section %u, %d bytes at %d", stream_name(), tag, (int)count, (int)at);
            damages++;
            write_state(whole, path, tag, at, words[random_below(&seed, 4)], count > 4 ? 8 : count);
            use(ND_INDEX_READ);
            if (random_below(&seed, 4) == 0) {
                use(ND_INDEX_WRITE);
                image_store(&files, "x");
            }
        }
        nd_sealed_close(whole);
        end_stream();
    }
}

/* ---- a state that another version of the program wrote */

static void must_be_rejected(nd_status status, const nd_error *error, const char *name,
                             const char *words) {
    assert_int_equal(status, ND_ERR_ARGUMENT);
    if (!strstr(error->message, name) || !strstr(error->message, words))
        broken("%s", error->message);
}

static void test_other_versions(void **state) {
    (void)state;
    static const struct {
        unsigned char version[4];
        const char *words;
    } cases[] = {{{1}, "in version 1 of the format, of an older neardup"},
                 {{3}, "in version 3 of the format, of a newer neardup"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *words = cases[i].words;
        nd_error error;
        nd_sealed_file *whole;
        nd_stream *s;
        nd_stream_options *options;
        char path[60];
        make_stream(STREAM_FOLLOWS);
        const image_file *f = &files.files[0];
        while (strncmp(f->name, "clusters-", 9) != 0) f++;
        snprintf(path, sizeof path, "x/%.39s", f->name);
        must(nd_sealed_open(path, KIND, NULL, &nd_allocator_default, &whole, &error), &error);
        write_state(whole, path, SECTIONS, 0, cases[i].version, sizeof cases[i].version);
        nd_sealed_close(whole);
        must_be_rejected(nd_stream_open("x", ND_INDEX_READ, NULL, NULL, &s, &error), &error,
                         f->name, words);
        must_be_rejected(nd_stream_open("x", ND_INDEX_WRITE, NULL, NULL, &s, &error), &error,
                         f->name, words);
        must_be_rejected(nd_stream_read_options("x", NULL, &options, &error), &error, f->name,
                         words);
        image_store(&files, "x");
        look(ND_INDEX_WRITE, f);
        end_stream();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_damage),
                                       cmocka_unit_test(test_impossible),
                                       cmocka_unit_test(test_other_versions)};
    int failed = cmocka_run_group_tests(tests, image_enter, leave_own_directory);
    print_message("%zu damages, reported %zu times\n", damages, reported);
    return failed;
}
