/* Manifests: their bytes, damage, crashes while they are written, and readers beside a writer. */
#include "store/manifest.h"

#include "base/workers.h"
#include "store/numbered_names.h"

#include "test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 8192, SECTOR = 512 };

static char directory[] = "manifest-test-XXXXXX";
static const char *const names[2] = {"i/manifest-0", "i/manifest-1"};

static int enter(void **state) {
    (void)state;
    return mkdtemp(directory) && chdir(directory) == 0 && mkdir("i", 0777) == 0 ? 0 : -1;
}

static int leave(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) unlink(names[i]);
    return rmdir("i") == 0 && chdir("..") == 0 && rmdir(directory) == 0 ? 0 : -1;
}

/* ---- files */

typedef struct content {
    unsigned char bytes[MOST];
    size_t size;
} content;

static void load(const char *path, content *c) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    c->size = fread(c->bytes, 1, sizeof c->bytes, f);
    assert_true(c->size < sizeof c->bytes);
    fclose(f);
}

static void store(const char *path, const content *c) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(c->bytes, 1, c->size, f), c->size);
    assert_int_equal(fclose(f), 0);
}

static void remove_both(void) {
    for (int i = 0; i < 2; i++) unlink(names[i]);
}

/* ---- states */

/* Makes a state, all of which depends on the generation alone. */
static void make(nd_manifest *m, uint64_t generation, size_t segments, size_t pending) {
    uint64_t seed = generation;
    nd_error error;
    nd_manifest_init(m, &nd_allocator_default);
    m->settings = (nd_index_settings){.analyzer = (uint32_t)random_below(&seed, 3),
                                      .ngram = (uint32_t)(1 + random_below(&seed, 64)),
                                      .sketch_size = (uint32_t)(200 + random_below(&seed, 825)),
                                      .bands = (uint32_t)(1 + random_below(&seed, 20)),
                                      .rows = (uint32_t)(1 + random_below(&seed, 10)),
                                      .exact = (uint32_t)random_below(&seed, 2),
                                      .seed = random_next(&seed),
                                      .threshold = (double)(1 + random_below(&seed, 1000)) / 1000.0,
                                      .recall = (double)(1 + random_below(&seed, 998)) / 1000.0};
    if (generation % 8 == 5) { /* of hashes */
        uint32_t identity = 1 + (uint32_t)random_below(&seed, 3);
        m->settings = (nd_index_settings){.sketch_size = ND_STORED_HASH,
                                          .bands = 1,
                                          .identity = identity,
                                          .analyzer = identity == 3 && random_below(&seed, 2),
                                          .seed = identity == 3 ? random_next(&seed) : 0};
    }
    if (generation % 4 == 0) { /* of fingerprints */
        uint32_t bits = UINT32_C(16) << random_below(&seed, 4);
        m->settings = (nd_index_settings){.kind = ND_KIND_FINGERPRINTS,
                                          .sketch_size = bits / 8,
                                          .bits = bits,
                                          .k = (uint32_t)random_below(&seed, bits / 4 + 1),
                                          .numbered = (uint32_t)random_below(&seed, 2),
                                          .memory = random_next(&seed)};
    }
    m->generation = generation;
    m->next_file = 1000 + random_next(&seed) / 2;
    m->log = random_below(&seed, m->next_file);
    m->removed = random_below(&seed, 2) ? 1 + random_below(&seed, m->next_file - 1) : 0;
    if (m->removed) m->removed_seal = (nd_seal){random_next(&seed), random_next(&seed)};
    for (size_t i = 0; i < segments; i++) {
        nd_manifest_segment segment = {.file = random_below(&seed, m->next_file),
                                       .documents = (uint32_t)(1 + random_below(&seed, 1 << 24))};
        segment.removed = (uint32_t)random_below(&seed, segment.documents + 1);
        segment.seal = (nd_seal){random_next(&seed), random_next(&seed)};
        assert_int_equal(nd_manifest_add_segment(m, &segment, &error), ND_OK);
    }
    unsigned char bytes[2000];
    for (size_t i = 0; i < pending; i++) bytes[i] = (unsigned char)random_next(&seed);
    assert_int_equal(nd_manifest_set_pending(m, bytes, pending, &error), ND_OK);
}

static void make_any(nd_manifest *m, uint64_t generation) {
    uint64_t seed = generation + 1000000;
    size_t segments = random_below(&seed, 4) ? random_below(&seed, 100) : 0;
    make(m, generation, segments, random_below(&seed, 2) ? random_below(&seed, 2000) : 0);
}

static bool same_seal(nd_seal a, nd_seal b) { return a.size == b.size && a.hash == b.hash; }

static bool same(const nd_manifest *a, const nd_manifest *b) {
    const nd_index_settings *s = &a->settings, *t = &b->settings;
    if (s->kind != t->kind || s->analyzer != t->analyzer || s->ngram != t->ngram ||
        s->sketch_size != t->sketch_size || s->bands != t->bands || s->rows != t->rows ||
        s->exact != t->exact || s->seed != t->seed || s->threshold != t->threshold ||
        s->recall != t->recall)
        return false;
    if (s->identity != t->identity || s->bits != t->bits || s->k != t->k ||
        s->numbered != t->numbered || s->memory != t->memory)
        return false;
    if (a->generation != b->generation || a->next_file != b->next_file || a->log != b->log ||
        a->removed != b->removed || !same_seal(a->removed_seal, b->removed_seal) ||
        a->segment_count != b->segment_count || a->pending_size != b->pending_size)
        return false;
    for (size_t i = 0; i < a->segment_count; i++) {
        const nd_manifest_segment *x = &a->segments[i], *y = &b->segments[i];
        if (x->file != y->file || x->documents != y->documents || x->removed != y->removed ||
            !same_seal(x->seal, y->seal))
            return false;
    }
    return a->pending_size == 0 || memcmp(a->pending, b->pending, a->pending_size) == 0;
}

static void expect(const nd_manifest *wanted, bool wanted_repair) {
    nd_manifest got;
    nd_error error = {0};
    bool repair = !wanted_repair;
    if (nd_manifest_read("i", &nd_allocator_default, &got, &repair, &error) != ND_OK)
        fail_msg("%s", error.message);
    assert_true(same(&got, wanted));
    assert_int_equal(repair, wanted_repair);
    nd_manifest_free(&got);
}

static void expect_failure(nd_status status, const char *message) {
    nd_manifest got;
    nd_error error = {0};
    bool repair;
    assert_int_equal(nd_manifest_read("i", &nd_allocator_default, &got, &repair, &error), status);
    assert_int_equal(error.status, status);
    if (!strstr(error.message, message))
        fail_msg("\"%s\" does not say \"%s\"", error.message, message);
}

static void write_state(const nd_manifest *m) {
    nd_error error = {0};
    if (nd_manifest_write("i", m, &error) != ND_OK) fail_msg("%s", error.message);
}

/* Encodes a state by writing its files. */
static void bytes_of(const nd_manifest *m, content *c) {
    content other;
    write_state(m);
    load(names[0], c);
    load(names[1], &other);
    assert_int_equal(c->size, other.size);
    assert_memory_equal(c->bytes, other.bytes, c->size);
}

/* ---- tests */

static void test_round_trip(void **state) {
    (void)state;
    for (uint64_t generation = 1; generation <= 25; generation++) {
        nd_manifest m, copy;
        nd_error error;
        make_any(&m, generation);
        write_state(&m);
        expect(&m, false);
        write_state(&m);
        expect(&m, false);
        assert_int_equal(nd_manifest_copy(&m, &copy, &error), ND_OK);
        nd_manifest_free(&m);
        expect(&copy, false);
        nd_manifest_free(&copy);
    }
}

/* The format, encoded a second time here. The golden hashes come from a third program. */
static void put(content *c, uint64_t x, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) c->bytes[c->size++] = (unsigned char)(x >> (8 * i));
}

static uint64_t word_at(const unsigned char *p) {
    uint64_t x = 0;
    for (int i = 7; i >= 0; i--) x = x << 8 | p[i];
    return x;
}

static uint64_t plain_hash(const unsigned char *bytes, size_t words) {
    uint64_t h = ND_HASH_C0;
    for (size_t i = 0; i < words; i++) h = nd_mix64((h ^ word_at(bytes + 8 * i)) + ND_HASH_C1);
    return h;
}

/* Gives changed bytes the right hashes of header and file again. */
static void rehash(content *c) {
    unsigned char header[16] = {0};
    memcpy(header, c->bytes, 12);
    size_t size = c->size;
    c->size = 12;
    put(c, plain_hash(header, 2), 4);
    c->size = size - 8;
    put(c, plain_hash(c->bytes, c->size / 8), 8);
}

static void test_format(void **state) {
    (void)state;
    nd_manifest m;
    nd_error error;
    nd_manifest_init(&m, &nd_allocator_default);
    m.settings = (nd_index_settings){.analyzer = ND_CHARS,
                                     .ngram = 5,
                                     .sketch_size = 128,
                                     .bands = 25,
                                     .rows = 5,
                                     .exact = 1,
                                     .seed = 0x0123456789abcdef,
                                     .threshold = 0.8,
                                     .recall = 0.999};
    m.generation = 7;
    m.next_file = 12;
    m.log = 11;
    m.removed = 9;
    m.removed_seal = (nd_seal){8192, 0xfedcba9876543210};
    nd_manifest_segment segment = {
        .file = 10, .documents = 1000, .removed = 3, .seal = {65536, 0x1122334455667788}};
    assert_int_equal(nd_manifest_add_segment(&m, &segment, &error), ND_OK);
    assert_int_equal(nd_manifest_set_pending(&m, "pending", 7, &error), ND_OK);
    content wanted = {.bytes = "ndstate\n", .size = 8}, got;
    put(&wanted, 5, 4);
    put(&wanted, 0, 4);
    put(&wanted, 200, 8);
    memcpy(wanted.bytes + wanted.size, "15.0.0\0\0\0\0\0\0\0\0\0", 16);
    wanted.size += 16;
    const uint64_t words32[] = {1, 5, 128, 25, 5, 1};
    for (int i = 0; i < 6; i++) put(&wanted, words32[i], 4);
    const uint64_t words64[] = {0x0123456789abcdef,
                                0x3fe999999999999a,
                                0x3feff7ced916872b,
                                7,
                                12,
                                11,
                                9,
                                8192,
                                0xfedcba9876543210,
                                1,
                                7,
                                10};
    for (int i = 0; i < 12; i++) put(&wanted, words64[i], 8);
    put(&wanted, 1000, 4);
    put(&wanted, 3, 4);
    put(&wanted, 65536, 8);
    put(&wanted, 0x1122334455667788, 8);
    memcpy(wanted.bytes + wanted.size, "pending", 8);
    wanted.size += 16;
    rehash(&wanted);
    bytes_of(&m, &got);
    assert_int_equal(got.size, wanted.size);
    assert_memory_equal(got.bytes, wanted.bytes, got.size);
    assert_true(word_at(got.bytes + 8) == UINT64_C(0x02739f5600000005));
    assert_true(word_at(got.bytes + 192) == UINT64_C(0xf0fd8ae841d75abb));
    nd_manifest_free(&m);
}

static void test_one_damaged(void **state) {
    (void)state;
    nd_manifest m;
    make(&m, 5, 2, 30);
    content good, bad;
    bytes_of(&m, &good);
    for (int which = 0; which < 2; which++) {
        for (size_t at = 0; at < good.size; at++)
            for (unsigned x = 1; x < 256; x += at < 16 ? 1 : 127) {
                bad = good;
                bad.bytes[at] ^= (unsigned char)x;
                store(names[which], &bad);
                expect(&m, true);
            }
        for (size_t size = 0; size < good.size + 20; size++) {
            bad = good;
            memset(bad.bytes + good.size, 0, 20);
            bad.size = size;
            store(names[which], &bad);
            expect(&m, size != good.size);
        }
        memset(bad.bytes, 0, good.size);
        store(names[which], &bad);
        expect(&m, true);
        unlink(names[which]);
        expect(&m, true);
        assert_int_equal(mkdir(names[which], 0777), 0);
        expect(&m, true);
        assert_int_equal(rmdir(names[which]), 0);
        write_state(&m);
        expect(&m, false);
    }
    nd_manifest_free(&m);
}

static void test_both_damaged(void **state) {
    (void)state;
    nd_manifest m;
    make(&m, 6, 3, 0);
    content good, bad;
    bytes_of(&m, &good);
    for (size_t at = 0; at < good.size; at += 7) {
        bad = good;
        bad.bytes[at] ^= 0x10;
        store(names[0], &bad);
        bad.size = at;
        store(names[1], &bad);
        expect_failure(ND_ERR_CORRUPT, "i/manifest-0: ");
        unlink(names[0]);
        expect_failure(ND_ERR_CORRUPT, "i/manifest-1: cut off");
    }
    bad.size = 0;
    store(names[0], &bad);
    expect_failure(ND_ERR_CORRUPT, "i/manifest-0: cut off: it has 0 bytes");
    assert_int_equal(truncate(names[0], (1 << 24) + 1), 0);
    expect_failure(ND_ERR_CORRUPT,
                   "i/manifest-0: too large for the state of an index: it has 16777217 bytes");
    remove_both();
    nd_manifest_free(&m);
}

/* Makes a file that a crash may leave while it is being changed: each sector has its old bytes or
 * its new ones, and the file has any size. */
static void tear(const content *old, const content *new, unsigned sectors_of_new, size_t size,
                 content *out) {
    memset(out, 0, sizeof *out);
    for (size_t at = 0; at < size; at++) {
        const content *from = sectors_of_new >> (at / SECTOR) & 1 ? new : old;
        if (at < from->size) out->bytes[at] = from->bytes[at];
    }
    out->size = size;
}

static bool is_whole(const content *a, const content *b) {
    return a->size == b->size && memcmp(a->bytes, b->bytes, b->size) == 0;
}

/* Tears the first file while the second has the old state; then the second while the first has the
 * new one. */
static void check_torn(const content *torn, const content *old, const content *new,
                       const nd_manifest *m_old, const nd_manifest *m_new) {
    store(names[0], torn);
    if (old->size > 0) store(names[1], old);
    else unlink(names[1]);
    if (is_whole(torn, new)) expect(m_new, true);
    else if (old->size > 0) expect(m_old, !is_whole(torn, old));
    else
        expect_failure(
            ND_ERR_CORRUPT,
            "i/manifest-0: "); /* damage, too: a file gets its name only once it is whole */
    store(names[0], new);
    store(names[1], torn);
    expect(m_new, !is_whole(torn, new));
}

static void check_crashes(const content *old, const content *new, const nd_manifest *m_old,
                          const nd_manifest *m_new) {
    content torn;
    size_t most = old->size > new->size ? old->size : new->size,
           sectors = (most + SECTOR - 1) / SECTOR;
    assert_true(sectors <= 7);
    for (unsigned mask = 0; mask < 1u << sectors; mask++)
        for (size_t size = 0; size < most; size += SECTOR) {
            tear(old, new, mask, size, &torn);
            check_torn(&torn, old, new, m_old, m_new);
            if (size > 0) continue;
            tear(old, new, mask, old->size, &torn);
            check_torn(&torn, old, new, m_old, m_new);
            tear(old, new, mask, new->size, &torn);
            check_torn(&torn, old, new, m_old, m_new);
        }
    for (size_t written = 0; written <= new->size; written += 1 + written / 40) {
        torn = *old;
        memcpy(torn.bytes, new->bytes, written);
        if (torn.size < written) torn.size = written;
        check_torn(&torn, old, new, m_old, m_new);
        torn.size = new->size;
        check_torn(&torn, old, new, m_old, m_new);
    }
}

static void test_crashes(void **state) {
    (void)state;
    const size_t sizes[][4] = {
        {60, 100, 60, 100}, {60, 700, 30, 10}, {0, 0, 60, 900}, {1, 0, 2, 0}, {17, 5, 16, 40}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        nd_manifest m_old, m_new;
        content old, new;
        make(&m_old, 2 * i + 1, sizes[i][0], sizes[i][1]);
        make(&m_new, 2 * i + 2, sizes[i][2], sizes[i][3]);
        bytes_of(&m_old, &old);
        bytes_of(&m_new, &new);
        memset(old.bytes + old.size, 0, MOST - old.size);
        check_crashes(&old, &new, &m_old, &m_new);
        store(names[0], &old);
        store(names[1], &new);
        expect(&m_new, true);
        memset(&old, 0, sizeof old);
        check_crashes(&old, &new, &m_old, &m_new);
        nd_manifest_free(&m_old);
        nd_manifest_free(&m_new);
    }
}

static void test_versions(void **state) {
    (void)state;
    nd_manifest m;
    make(&m, 9, 4, 10);
    content good, other;
    for (int which = 0; which < 2; which++) {
        bytes_of(&m, &good);
        other = good;
        other.bytes[8] = 6;
        rehash(&other);
        memset(other.bytes + 16, 0xaa,
               other.size - 16); /* a newer format may have anything behind its header */
        store(names[which], &other);
        char wanted[200];
        snprintf(wanted, sizeof wanted,
                 "%s: in version 6 of the format, of a newer neardup: this one reads version 5",
                 names[which]);
        expect_failure(ND_ERR_ARGUMENT, wanted);
        other.size = 16;
        store(names[which], &other);
        expect_failure(ND_ERR_ARGUMENT, wanted);
        other.bytes[8] = 7; /* damage: the hash does not fit any more */
        store(names[which], &other);
        expect(&m, true);
        static const unsigned char older[] = {1, 4};
        for (size_t i = 0; i < sizeof older; i++) {
            other = good;
            other.bytes[8] = older[i];
            rehash(&other);
            store(names[which], &other);
            snprintf(wanted, sizeof wanted, "%s: in version %u of the format, of an older neardup",
                     names[which], older[i]);
            expect_failure(ND_ERR_ARGUMENT, wanted);
        }
        other = good;
        memcpy(other.bytes + 24, "16.0.0", 6);
        rehash(&other);
        store(names[which], &other);
        snprintf(wanted, sizeof wanted,
                 "%s: made with Unicode 16.0.0: this neardup has the tables of Unicode 15.0.0",
                 names[which]);
        expect_failure(ND_ERR_ARGUMENT, wanted);
        memset(other.bytes + 24, '7', 16);
        rehash(&other);
        store(names[which], &other);
        expect(&m, true);
        memcpy(other.bytes + 24, "\033[31m\0\0\0\0\0\0\0\0\0\0", 16);
        rehash(&other);
        store(names[which], &other);
        expect(&m, true);
        other = good;
        other.bytes[8] = 0;
        rehash(&other);
        store(names[which], &other);
        unlink(names[!which]);
        expect_failure(ND_ERR_CORRUPT, "damaged");
    }
    remove_both();
    nd_manifest_free(&m);
}

/* A value that cannot be: a word of the message, its offset in the file, and its size in bytes. */
typedef struct bad_value {
    const char *fault;
    size_t at, bytes;
    uint64_t value;
} bad_value;

static void expect_bad(const content *good, const bad_value *bad) {
    content other = *good;
    size_t size = other.size;
    other.size = bad->at;
    put(&other, bad->value, bad->bytes);
    other.size = size;
    rehash(&other);
    for (int which = 0; which < 2; which++) store(names[which], &other);
    expect_failure(ND_ERR_CORRUPT, bad->fault);
    expect_failure(ND_ERR_CORRUPT, "i/manifest-0: damaged: ");
}

static void test_values(void **state) {
    (void)state;
    const bad_value bad[] = {
        {"analyzer", 40, 4, 3},
        {"1 to 64 tokens", 44, 4, 0},
        {"1 to 64 tokens", 44, 4, 65},
        {"1 to 1024 permutations", 48, 4, 0},
        {"1 to 1024 permutations", 48, 4, 1025},
        {"do not fit", 52, 4, 0},
        {"do not fit", 56, 4, 0},
        {"do not fit", 52, 4, UINT32_MAX},
        {"do not fit", 56, 4, 1025},
        {"sets", 60, 4, 2},
        {"threshold", 72, 8, 0},
        {"threshold", 72, 8, 0x3ff0000000000001}, /* 1 + 2^-52 */
        {"threshold", 72, 8, 0x7ff8000000000000}, /* not a number */
        {"threshold", 72, 8, 0xbff0000000000000}, /* -1 */
        {"recall", 80, 8, 0},
        {"recall", 80, 8, 0x3ff0000000000000}, /* 1 */
        {"number", 96, 8, 0},
        {"number", 104, 8, UINT64_MAX},
        {"number", 112, 8, UINT64_MAX},
        {"seal", 112, 8, 0},
        {"parts", 136, 8, 1},
        {"parts", 136, 8, 3},
        {"parts", 136, 8, UINT64_MAX},
        {"parts", 136, 8, (UINT64_C(1) << 59) + 2}, /* times 32 it is right, modulo 2^64 */
        {"parts", 144, 8, 1},
        {"parts", 144, 8, UINT64_MAX}, /* rounded up to words it is right, modulo 2^64 */
        {"number", 152, 8, UINT64_MAX},
        {"no documents", 160, 4, 0},
        {"fewer than were removed", 164, 4, UINT32_MAX},
        {"2^32 - 1 documents", 160, 4, UINT32_MAX}};
    nd_manifest m;
    content good;
    make(&m, 1, 2, 0);
    m.removed = 1;
    m.removed_seal.size = 4096;
    bytes_of(&m, &good);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) expect_bad(&good, &bad[i]);
    nd_manifest_free(&m);
}

static void test_values_of_fingerprints(void **state) {
    (void)state;
    const bad_value bad[] = {{"of documents and of fingerprints", 40, 4, 1},
                             {"of documents and of fingerprints", 80, 8, 1},
                             {"size of its fingerprints", 48, 4, 3},
                             {"16, 32, 64 or 128", 88, 4, 48},
                             {"a quarter", 92, 4, 33},
                             {"neither numbers nor strings", 96, 4, 2}};
    nd_manifest m;
    content good;
    make(&m, 4, 2, 0);
    bytes_of(&m, &good);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) expect_bad(&good, &bad[i]);
    nd_manifest_free(&m);
}

static void test_values_of_hashes(void **state) {
    (void)state;
    const bad_value bad[] = {{"analyzer", 40, 4, 2},
                             {"sketches and of hashes", 44, 4, 5},
                             {"16 bytes and one key", 48, 4, 32},
                             {"16 bytes and one key", 52, 4, 2},
                             {"sketches and of hashes", 56, 4, 1},
                             {"sketches and of hashes", 60, 4, 1},
                             {"sketches and of hashes", 72, 8, 0x3ff0000000000000},
                             {"sketches and of hashes", 80, 8, 0x3fe0000000000000},
                             {"which texts are identical", 88, 4, 0},
                             {"which texts are identical", 88, 4, 4},
                             {"analyzer", 88, 4, 1}};
    nd_manifest m;
    content good;
    make(&m, 5, 2, 0);
    m.settings.identity = 1 + ND_EQUAL_TOKENS;
    m.settings.seed = 1;
    bytes_of(&m, &good);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) expect_bad(&good, &bad[i]);
    nd_manifest_free(&m);
}

/* A state that would not be read is not written. */
static void test_rejected(void **state) {
    (void)state;
    nd_manifest m, wrong;
    nd_error error;
    make(&m, 3, 2, 20);
    write_state(&m);
    for (int i = 0; i < 4; i++) {
        wrong = m;
        if (i == 0) wrong.settings.bands = 0;
        if (i == 1) wrong.next_file = wrong.log;
        if (i == 2) wrong.pending_size = 1 << 24;
        if (i == 3) wrong.segment_count = SIZE_MAX / 32;
        if (i == 3) wrong.settings.exact = 2; /* is reported before segments are checked */
        assert_int_equal(nd_manifest_write("i", &wrong, &error), ND_ERR_ARGUMENT);
        assert_non_null(
            strstr(error.message, "i: not written: a state that no index can have: it"));
        expect(&m, false);
    }
    nd_manifest_free(&m);
}

static void test_no_index(void **state) {
    (void)state;
    nd_manifest m;
    nd_error error;
    bool repair;
    remove_both();
    expect_failure(ND_ERR_IO, "i: no index there: it has neither manifest-0 nor manifest-1");
    assert_int_equal(nd_manifest_read("none", &nd_allocator_default, &m, &repair, &error),
                     ND_ERR_IO);
    assert_string_equal(error.message, "none: no index there: No such file or directory");
    content c = {.size = 3};
    store("i/file", &c);
    assert_int_equal(nd_manifest_read("i/file", &nd_allocator_default, &m, &repair, &error),
                     ND_ERR_IO);
    assert_string_equal(error.message, "i/file: no index there: it is not a directory");
    assert_int_equal(nd_manifest_read("i", &nd_allocator_default, &m, &repair, NULL), ND_ERR_IO);
    make(&m, 1, 0, 0);
    assert_int_equal(nd_manifest_write("i/file", &m, &error), ND_ERR_IO);
    assert_int_equal(nd_manifest_write("none", &m, &error), ND_ERR_IO);
    assert_non_null(strstr(error.message, "none/manifest-0: "));
    nd_manifest_free(&m);
    unlink("i/file");
}

/* A write that the system ends early leaves the last state, or none if there was none. */
static void test_broken_write(void **state) {
    (void)state;
    struct rlimit unlimited, limit;
    nd_manifest m, larger;
    nd_error error;
    make(&m, 1, 0, 0);
    make(&larger, 2, 50, 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
    limit = unlimited;
    limit.rlim_cur = 1000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(nd_manifest_write("i", &larger, &error), ND_ERR_IO);
    assert_string_equal(error.message, "i/manifest-0: cannot write: File too large");
    expect_failure(ND_ERR_IO, "i: no index there");
    write_state(&m);
    expect(&m, false);
    assert_int_equal(nd_manifest_write("i", &larger, &error), ND_ERR_IO);
    expect(&m, true);
    write_state(&m);
    expect(&m, false);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
    signal(SIGXFSZ, SIG_DFL);
    unlink(names[1]);
    assert_int_equal(mkdir(names[1], 0777), 0);
    assert_int_equal(nd_manifest_write("i", &larger, &error), ND_ERR_IO);
    assert_int_equal(rmdir(names[1]), 0);
    expect(&m, true);
    nd_manifest_free(&m);
    nd_manifest_free(&larger);
}

static void test_memory_out(void **state) {
    (void)state;
    nd_manifest m;
    make(&m, 4, 20, 100);
    write_state(&m);
    for (int what = 0; what < 4; what++) {
        nd_status status = ND_ERR_MEMORY;
        for (long left = 0; status != ND_OK; left++) {
            failing_allocator failing = {.left = left};
            nd_allocator allocator = failing_allocator_make(&failing);
            nd_manifest from = m, got;
            nd_error error;
            bool repair;
            from.allocator = allocator;
            nd_manifest_init(&got, &allocator);
            if (what == 0) status = nd_manifest_read("i", &allocator, &got, &repair, &error);
            if (what == 1) status = nd_manifest_write("i", &from, &error);
            if (what == 2) status = nd_manifest_copy(&from, &got, &error);
            if (what == 3) status = nd_manifest_add_segment(&got, m.segments, &error);
            assert_true(status == ND_OK || (status == ND_ERR_MEMORY && failing.live == 0));
            nd_manifest_free(&got);
            assert_int_equal(failing.live, 0);
            assert_true(left < 100);
        }
    }
    nd_manifest_free(&m);
}

/* ---- readers while a writer writes */

enum { STATES = 40 };
static atomic_bool done;
static atomic_uint reads;

static nd_status write_states(nd_error *error) {
    nd_status status = ND_OK;
    for (uint64_t generation = 2; status == ND_OK && generation <= STATES; generation++) {
        nd_manifest m;
        make_any(&m, generation);
        status = nd_manifest_write("i", &m, error);
        nd_manifest_free(&m);
    }
    atomic_store(&done, true);
    return status;
}

static nd_status read_states(nd_error *error) {
    for (bool last = false; !last;) {
        nd_manifest got, wanted;
        bool repair;
        last = atomic_load(&done);
        ND_TRY(nd_manifest_read("i", &nd_allocator_default, &got, &repair, error));
        make_any(&wanted, got.generation);
        bool fine = same(&got, &wanted) && (!last || got.generation == STATES);
        nd_manifest_free(&got);
        nd_manifest_free(&wanted);
        if (!fine) return nd_fail(error, ND_ERR_CORRUPT, "not one of the states");
        atomic_fetch_add(&reads, 1);
    }
    return ND_OK;
}

static nd_status write_or_read(void *context, uint32_t index, nd_error *error) {
    (void)context;
    return index == 0 ? write_states(error) : read_states(error);
}

static void test_readers(void **state) {
    (void)state;
    nd_manifest first;
    nd_error error = {0};
    make_any(&first, 1);
    write_state(&first);
    nd_manifest_free(&first);
    if (nd_run_workers(&nd_allocator_default, 3, write_or_read, NULL, &error) != ND_OK)
        fail_msg("%s", error.message);
    assert_true(atomic_load(&reads) > 0);
}

static void test_path(void **state) {
    (void)state;
    char *path = nd_numbered_path(&nd_allocator_default, "a/b", "segment", UINT64_MAX);
    assert_string_equal(path, "a/b/segment-18446744073709551615");
    nd_release(&nd_allocator_default, path);
    path = nd_numbered_path(&nd_allocator_default, ".", "log", 0);
    assert_string_equal(path, "./log-0");
    nd_release(&nd_allocator_default, path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip),
                                       cmocka_unit_test(test_format),
                                       cmocka_unit_test(test_one_damaged),
                                       cmocka_unit_test(test_both_damaged),
                                       cmocka_unit_test(test_crashes),
                                       cmocka_unit_test(test_versions),
                                       cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_values_of_fingerprints),
                                       cmocka_unit_test(test_values_of_hashes),
                                       cmocka_unit_test(test_rejected),
                                       cmocka_unit_test(test_no_index),
                                       cmocka_unit_test(test_broken_write),
                                       cmocka_unit_test(test_memory_out),
                                       cmocka_unit_test(test_readers),
                                       cmocka_unit_test(test_path)};
    return cmocka_run_group_tests(tests, enter, leave);
}
