#include "store/manifest.h"

#include "base/hash.h"
#include "io/file.h"
#include "store/numbered_names.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define MAGIC "ndstate\n"
enum {
    HEADER_SIZE = 16, /* magic, version, hash of these two: the same in every version */
    UNICODE_SIZE = 16,
    FIXED_SIZE = 152,      /* up to the segments, in version 5 */
    FINGERPRINT_SIZE = 24, /* additional in version 2 */
    IDENTITY_SIZE = 8,     /* additional in version 3 */
    SEGMENT_SIZE = 32,
    HASH_SIZE = 8,
    MOST_SIZE = 1 << 24,
    MOST_ATTEMPTS = 16,
    MOST_SEGMENTS = 1024 /* compaction keeps it at about fifty */
};

/* ---- the structure */

bool nd_index_settings_equal(const nd_index_settings *a, const nd_index_settings *b) {
    return a->kind == b->kind && a->sketch_size == b->sketch_size && a->bands == b->bands &&
           a->exact == b->exact && a->numbered == b->numbered && a->analyzer == b->analyzer &&
           a->ngram == b->ngram && a->rows == b->rows && a->seed == b->seed &&
           memcmp(&a->threshold, &b->threshold, sizeof a->threshold) == 0 &&
           memcmp(&a->recall, &b->recall, sizeof a->recall) == 0 && a->identity == b->identity &&
           a->bits == b->bits && a->k == b->k && a->memory == b->memory;
}

void nd_manifest_init(nd_manifest *manifest, const nd_allocator *allocator) {
    *manifest = (nd_manifest){.allocator = *allocator};
}

void nd_manifest_free(nd_manifest *manifest) {
    nd_allocator allocator = manifest->allocator;
    nd_release(&allocator, manifest->segments);
    nd_release(&allocator, manifest->pending);
    nd_manifest_init(manifest, &allocator);
}

nd_status nd_manifest_set_pending(nd_manifest *manifest, const void *bytes, size_t size,
                                  nd_error *error) {
    unsigned char *pending = NULL;
    if (size > 0) {
        pending = nd_allocate(&manifest->allocator, size, 1);
        if (!pending) return nd_fail_memory(error, size, "the state of an index");
        memcpy(pending, bytes, size);
    }
    nd_release(&manifest->allocator, manifest->pending);
    manifest->pending = pending;
    manifest->pending_size = size;
    return ND_OK;
}

static nd_status reserve_segments(nd_manifest *manifest, size_t count, nd_error *error) {
    if (nd_reserve(&manifest->allocator, &manifest->segments, &manifest->segment_capacity, count))
        return ND_OK;
    return nd_fail_memory(error, count * sizeof *manifest->segments, "the state of an index");
}

nd_status nd_manifest_add_segment(nd_manifest *manifest, const nd_manifest_segment *segment,
                                  nd_error *error) {
    ND_TRY(reserve_segments(manifest, manifest->segment_count + 1, error));
    manifest->segments[manifest->segment_count++] = *segment;
    return ND_OK;
}

nd_status nd_manifest_copy(const nd_manifest *from, nd_manifest *to, nd_error *error) {
    nd_manifest copy = *from;
    copy.segments = NULL;
    copy.segment_capacity = 0;
    copy.pending = NULL;
    ND_TRY(reserve_segments(&copy, from->segment_count, error));
    for (size_t i = 0; i < from->segment_count; i++) copy.segments[i] = from->segments[i];
    nd_status status = nd_manifest_set_pending(&copy, from->pending, from->pending_size, error);
    if (status != ND_OK) {
        nd_manifest_free(&copy);
        return status;
    }
    *to = copy;
    return ND_OK;
}

/* Why a state cannot be; NULL: it can. */
static const char *fingerprint_fault(const nd_index_settings *s) {
    if (s->bits != 16 && s->bits != 32 && s->bits != 64 && s->bits != 128)
        return "its fingerprints are not of 16, 32, 64 or 128 bits";
    if (s->k > s->bits / 4) return "its k is more than a quarter of the bits";
    if (s->sketch_size != s->bits / 8)
        return "its sketches do not have the size of its fingerprints";
    if (s->numbered > 1) return "its ids are neither numbers nor strings";
    bool documents = s->analyzer || s->ngram || s->bands || s->rows || s->exact || s->seed ||
                     s->threshold != 0.0 || s->recall != 0.0;
    return documents ? "it has settings of documents and of fingerprints" : NULL;
}

static const char *hash_fault(const nd_index_settings *s) {
    if (s->identity > 1 + ND_EQUAL_TOKENS) return "it does not say which texts are identical";
    if (s->sketch_size != ND_STORED_HASH || s->bands != 1)
        return "its documents do not have a hash of 16 bytes and one key";
    bool words = s->identity == 1 + ND_EQUAL_TOKENS ? s->analyzer > ND_CHARS
                                                    : s->analyzer || s->seed;
    if (words) return "its analyzer is not known";
    bool sketches = s->ngram || s->rows || s->exact || s->threshold != 0.0 || s->recall != 0.0;
    return sketches ? "it has settings of sketches and of hashes" : NULL;
}

static const char *settings_fault(const nd_index_settings *s) {
    if (s->kind == ND_KIND_FINGERPRINTS) return fingerprint_fault(s);
    if (s->identity) return hash_fault(s);
    if (s->analyzer > ND_SEGMENT) return "its analyzer is not known";
    if (s->ngram < 1 || s->ngram > 64) return "its shingles are not of 1 to 64 tokens";
    if (s->sketch_size < 1 || s->sketch_size > 1024)
        return "it does not have 1 to 1024 permutations";
    if (s->bands < 1 || s->rows < 1 || (uint64_t)s->bands * s->rows > s->sketch_size)
        return "its bands and rows do not fit the permutations";
    if (s->exact > 1) return "it says neither that it has sets nor that it has none";
    if (!(s->threshold > 0.0 && s->threshold <= 1.0))
        return "its threshold is not above 0 and at most 1";
    return s->recall > 0.0 && s->recall < 1.0 ? NULL : "its recall is not above 0 and below 1";
}

static bool is_named_before(const nd_manifest *m, size_t segment) {
    for (size_t i = 0; i < segment; i++)
        if (m->segments[i].file == m->segments[segment].file) return true;
    return false;
}

static const char *state_fault(const nd_manifest *m) {
    const char *fault = settings_fault(&m->settings);
    if (fault) return fault;
    if (m->next_file > UINT64_MAX / 2)
        return "it has given more numbers to files than there can be";
    if (m->segment_count > MOST_SEGMENTS) return "it names more than 1024 segments";
    if (m->log >= m->next_file || m->removed >= m->next_file)
        return "it names a file of a number that was not given yet";
    if (m->removed == 0 && (m->removed_seal.size != 0 || m->removed_seal.hash != 0))
        return "it has the seal of a file that it does not name";
    uint64_t documents = 0;
    for (size_t i = 0; i < m->segment_count; i++) {
        const nd_manifest_segment *segment = &m->segments[i];
        if (segment->file >= m->next_file)
            return "it names a segment of a number that was not given yet";
        if (segment->documents == 0 || segment->removed > segment->documents)
            return "a segment has no documents, or fewer than were removed";
        if (is_named_before(m, i)) return "it names a segment twice";
        documents += segment->documents;
    }
    return documents <= UINT32_MAX ? NULL : "it has more than 2^32 - 1 documents";
}

/* ---- its bytes */

/* Stores or loads the fields, so that their order is written down once. */
typedef struct cursor {
    unsigned char *at;
    bool store;
} cursor;

static void word32(cursor *c, uint32_t *x) {
    if (c->store) nd_store_le32(c->at, *x);
    else *x = nd_load_le32(c->at);
    c->at += 4;
}

static void word64(cursor *c, uint64_t *x) {
    if (c->store) nd_store_le64(c->at, *x);
    else *x = nd_load_le64(c->at);
    c->at += 8;
}

static void real(cursor *c, double *x) {
    uint64_t bits;
    memcpy(&bits, x, sizeof bits);
    word64(c, &bits);
    memcpy(x, &bits, sizeof bits);
}

static void seal(cursor *c, nd_seal *x) {
    word64(c, &x->size);
    word64(c, &x->hash);
}

static void fixed_fields(cursor *c, uint32_t version, nd_manifest *m, uint64_t *segment_count,
                         uint64_t *pending_size) {
    nd_index_settings *s = &m->settings;
    word32(c, &s->analyzer);
    word32(c, &s->ngram);
    word32(c, &s->sketch_size);
    word32(c, &s->bands);
    word32(c, &s->rows);
    word32(c, &s->exact);
    word64(c, &s->seed);
    real(c, &s->threshold);
    real(c, &s->recall);
    s->kind = version == 2 ? ND_KIND_FINGERPRINTS : ND_KIND_DOCUMENTS;
    if (version == 3) {
        word32(c, &s->identity);
        c->at += 4;
    }
    if (version == 2) {
        word32(c, &s->bits);
        word32(c, &s->k);
        word32(c, &s->numbered);
        c->at += 4;
        word64(c, &s->memory);
    }
    word64(c, &m->generation);
    word64(c, &m->next_file);
    word64(c, &m->log);
    word64(c, &m->removed);
    seal(c, &m->removed_seal);
    word64(c, segment_count);
    word64(c, pending_size);
}

static void segment_fields(cursor *c, nd_manifest_segment *segment) {
    word64(c, &segment->file);
    word32(c, &segment->documents);
    word32(c, &segment->removed);
    seal(c, &segment->seal);
}

/* Hashes words of 8 bytes. For a given word the step is a bijection of the hash so far, and for a
 * given hash so far one of the word. So bytes that differ in exactly one word have different
 * hashes. */
static uint64_t hash_of(const unsigned char *bytes, size_t size) {
    uint64_t hash = ND_HASH_C0;
    for (size_t i = 0; i < size; i += 8)
        hash = nd_mix64((hash ^ nd_load_le64(bytes + i)) + ND_HASH_C1);
    return hash;
}

static uint32_t header_hash(uint32_t version) {
    unsigned char bytes[HEADER_SIZE] = MAGIC;
    nd_store_le32(bytes + 8, version);
    return (uint32_t)hash_of(bytes, sizeof bytes);
}

/* Both counts are bounded, so the sum does not overflow. */
static size_t size_of(uint32_t version, size_t segment_count, size_t pending_size) {
    size_t further = version == 3 ? IDENTITY_SIZE : version == 2 ? FINGERPRINT_SIZE : 0;
    return FIXED_SIZE + further + segment_count * SEGMENT_SIZE + (pending_size + 7) / 8 * 8 +
           HASH_SIZE;
}

static nd_status encode(const nd_manifest *manifest, const char *directory, unsigned char **out,
                        size_t *out_size, nd_error *error) {
    const char *fault = state_fault(manifest);
    if (manifest->segment_count > MOST_SIZE / SEGMENT_SIZE || manifest->pending_size > MOST_SIZE)
        fault = "it is too large";
    uint32_t version = nd_settings_format(&manifest->settings);
    size_t size = fault ? 0 : size_of(version, manifest->segment_count, manifest->pending_size);
    if (size > MOST_SIZE) fault = "it is too large";
    if (fault)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: not written: a state that no index can have: %s", directory, fault);
    unsigned char *bytes = nd_allocate_zero(&manifest->allocator, size, 1);
    if (!bytes) return nd_fail_memory(error, size, "the state of an index");
    nd_manifest fields = *manifest;
    uint64_t segment_count = manifest->segment_count, pending_size = manifest->pending_size,
             whole_size = size;
    memcpy(bytes, MAGIC, 8);
    nd_store_le32(bytes + 8, version);
    nd_store_le32(bytes + 12, header_hash(version));
    cursor c = {bytes + HEADER_SIZE, true};
    word64(&c, &whole_size);
    memcpy(c.at, ND_UNICODE_VERSION, sizeof ND_UNICODE_VERSION);
    c.at += UNICODE_SIZE;
    fixed_fields(&c, version, &fields, &segment_count, &pending_size);
    for (size_t i = 0; i < manifest->segment_count; i++) segment_fields(&c, &fields.segments[i]);
    if (manifest->pending_size > 0) memcpy(c.at, manifest->pending, manifest->pending_size);
    nd_store_le64(bytes + size - HASH_SIZE, hash_of(bytes, size - HASH_SIZE));
    *out = bytes;
    *out_size = size;
    return ND_OK;
}

/* ---- reading */

/* Checks that these are all the bytes of a file of a known version and of our Unicode. */
static nd_status check_frame(const unsigned char *bytes, size_t size, const char *path,
                             nd_error *error) {
    if (size < HEADER_SIZE)
        return nd_fail(error, ND_ERR_CORRUPT, "%s: cut off: it has %zu bytes", path, size);
    uint32_t version = nd_load_le32(bytes + 8);
    if (memcmp(bytes, MAGIC, 8) != 0 || nd_load_le32(bytes + 12) != header_hash(version) ||
        version == 0)
        return nd_fail(error, ND_ERR_CORRUPT,
                       "%s: damaged: it does not begin as the state of an index", path);
    if (version > ND_INDEX_FORMAT)
        return nd_fail(
            error, ND_ERR_ARGUMENT,
            "%s: in version %u of the format, of a newer neardup: this one reads version %u", path,
            version, ND_INDEX_FORMAT);
    if (version == 1 || version == 4)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: in version %u of the format, of an older neardup with other MinHash "
                       "values: the index, or the stream that it is part of, must be made again",
                       path, version);
    uint64_t whole_size = size < size_of(version, 0, 0) ? 0 : nd_load_le64(bytes + HEADER_SIZE);
    if (whole_size != size || size % 8 != 0)
        return nd_fail(error, ND_ERR_CORRUPT,
                       "%s: cut off, or not all of one state: it has %zu bytes", path, size);
    if (nd_load_le64(bytes + size - HASH_SIZE) != hash_of(bytes, size - HASH_SIZE))
        return nd_fail(error, ND_ERR_CORRUPT, "%s: damaged: the hash of its %zu bytes is wrong",
                       path, size);
    const char *unicode = (const char *)bytes + HEADER_SIZE + 8;
    if (unicode[UNICODE_SIZE - 1] != '\0' || strspn(unicode, "0123456789.") != strlen(unicode))
        return nd_fail(error, ND_ERR_CORRUPT, "%s: damaged: it names no version of Unicode", path);
    if (strcmp(unicode, ND_UNICODE_VERSION) != 0)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: made with Unicode %s: this neardup has the tables of Unicode %s", path,
                       unicode, ND_UNICODE_VERSION);
    return ND_OK;
}

/* Fills an empty state, which the caller frees, on failure too. */
static nd_status decode(unsigned char *bytes, size_t size, const char *path, nd_manifest *m,
                        nd_error *error) {
    ND_TRY(check_frame(bytes, size, path, error));
    uint64_t segment_count, pending_size;
    uint32_t version = nd_load_le32(bytes + 8);
    cursor c = {bytes + HEADER_SIZE + 8 + UNICODE_SIZE, false};
    fixed_fields(&c, version, m, &segment_count, &pending_size);
    if (segment_count > size / SEGMENT_SIZE || pending_size > size ||
        size_of(version, (size_t)segment_count, (size_t)pending_size) != size)
        return nd_fail(error, ND_ERR_CORRUPT,
                       "%s: damaged: the sizes of its parts do not add up to its own", path);
    ND_TRY(reserve_segments(m, (size_t)segment_count, error));
    for (; m->segment_count < segment_count; m->segment_count++)
        segment_fields(&c, &m->segments[m->segment_count]);
    ND_TRY(nd_manifest_set_pending(m, c.at, (size_t)pending_size, error));
    const char *fault = nd_settings_format(&m->settings) == version
                            ? state_fault(m)
                            : "it does not say which texts are identical";
    return fault ? nd_fail(error, ND_ERR_CORRUPT, "%s: damaged: %s", path, fault) : ND_OK;
}

static nd_status read_whole(int fd, const char *path, const nd_allocator *allocator,
                            unsigned char **bytes, size_t *size, nd_error *error) {
    uint64_t length, length_after;
    ND_TRY(nd_file_size(fd, &length, path, error));
    if (length > MOST_SIZE)
        return nd_fail(error, ND_ERR_CORRUPT,
                       "%s: too large for the state of an index: it has %llu bytes", path,
                       (unsigned long long)length);
    *size = (size_t)length;
    *bytes = nd_allocate(allocator, *size, 1);
    if (!*bytes) return nd_fail_memory(error, *size, "the state of an index");
    nd_status status = nd_file_read_at(fd, *bytes, *size, 0, path, error);
    if (status != ND_ERR_IO) return status;
    /* If a writer has cut the file meanwhile, the disk is fine, and the file is read again. */
    if (nd_file_size(fd, &length_after, path, NULL) != ND_OK || length_after >= length)
        return status;
    return nd_fail(error, ND_ERR_CORRUPT, "%s: changed while it was read", path);
}

/* One of the two files, as it was read. */
typedef struct slot {
    nd_status status; /* ND_OK: whole */
    bool missing;
    nd_manifest state;
    uint64_t hash;
    nd_error error;
} slot;

static bool is_missing(const char *path) {
    struct stat s;
    return stat(path, &s) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

static nd_status read_slot(const char *path, const nd_allocator *allocator, slot *s) {
    int fd = -1;
    unsigned char *bytes = NULL;
    size_t size = 0;
    s->missing = is_missing(path);
    if (s->missing) return nd_fail(&s->error, ND_ERR_CORRUPT, "%s: not there", path);
    nd_status status = nd_file_open(path, ND_OPEN_READ, &fd, &s->error);
    if (status == ND_OK) status = read_whole(fd, path, allocator, &bytes, &size, &s->error);
    nd_file_close(fd);
    if (status == ND_OK) status = decode(bytes, size, path, &s->state, &s->error);
    if (status == ND_OK) s->hash = nd_load_le64(bytes + size - HASH_SIZE);
    nd_release(allocator, bytes);
    return status;
}

static nd_status fail_no_index(const char *directory, nd_error *error) {
    struct stat s;
    if (stat(directory, &s) != 0) return nd_fail_os(error, errno, "%s: no index there", directory);
    if (!S_ISDIR(s.st_mode))
        return nd_fail(error, ND_ERR_IO, "%s: no index there: it is not a directory", directory);
    return nd_fail(error, ND_ERR_IO, "%s: no index there: it has neither manifest-0 nor manifest-1",
                   directory);
}

/* Chooses the slot that decides what nd_manifest_read returns: the first that forbids an answer (no
 * memory; not of our format), else the newest whole one, else the first that exists. */
static const slot *choose(const slot *slots) {
    for (int i = 0; i < 2; i++)
        if (slots[i].status == ND_ERR_MEMORY || slots[i].status == ND_ERR_ARGUMENT)
            return &slots[i];
    bool whole_0 = slots[0].status == ND_OK, whole_1 = slots[1].status == ND_OK;
    if (whole_0 && whole_1) return &slots[slots[1].state.generation > slots[0].state.generation];
    if (whole_0 || whole_1) return &slots[whole_1];
    return &slots[slots[0].missing];
}

static void read_both(const char *directory, const nd_allocator *allocator, slot *slots) {
    for (unsigned i = 0; i < 2; i++) {
        slots[i].missing = false;
        nd_manifest_init(&slots[i].state, allocator);
        char *path = nd_numbered_path(allocator, directory, "manifest", i);
        slots[i].status = path ? read_slot(path, allocator, &slots[i])
                               : nd_fail_memory(&slots[i].error, strlen(directory), "a path");
        nd_release(allocator, path);
    }
}

static nd_status read_slots(const char *directory, const nd_allocator *allocator, nd_manifest *out,
                            bool *repair, nd_error *error) {
    slot slots[2];
    read_both(directory, allocator, slots);
    const slot *chosen = choose(slots);
    nd_status status = chosen->status;
    if (status == ND_OK) {
        *out = chosen->state;
        *repair = slots[0].status != ND_OK || slots[1].status != ND_OK ||
                  slots[0].hash != slots[1].hash;
        nd_manifest_init(&slots[chosen - slots].state, allocator);
    } else if (slots[0].missing && slots[1].missing) {
        status = fail_no_index(directory, error);
    } else if (error) {
        *error = chosen->error;
    }
    for (int i = 0; i < 2; i++) nd_manifest_free(&slots[i].state);
    return status;
}

/* A reader that the system delays between the two files may find both half written. It reads them
 * again then. */
nd_status nd_manifest_read(const char *directory, const nd_allocator *allocator, nd_manifest *out,
                           bool *repair, nd_error *error) {
    nd_status status = ND_ERR_CORRUPT;
    for (int attempt = 0; status == ND_ERR_CORRUPT && attempt < MOST_ATTEMPTS; attempt++)
        status = read_slots(directory, allocator, out, repair, error);
    return status;
}

nd_status nd_manifest_check(const char *directory, const nd_allocator *allocator, nd_error *error) {
    for (int attempt = 0;; attempt++) {
        slot slots[2];
        read_both(directory, allocator, slots);
        const slot *bad = slots[0].status != ND_OK ? &slots[0] : &slots[1];
        nd_status status = bad->status == ND_OK
                               ? ND_OK
                               : nd_fail(error, bad->status, "%s", bad->error.message);
        for (int i = 0; i < 2; i++) nd_manifest_free(&slots[i].state);
        if (status != ND_ERR_CORRUPT || attempt == MOST_ATTEMPTS) return status;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

uint32_t nd_manifest_version(const char *directory, const nd_allocator *allocator) {
    uint32_t version = 0;
    for (unsigned i = 0; i < 2 && version == 0; i++) {
        unsigned char header[HEADER_SIZE];
        int fd = -1;
        char *path = nd_numbered_path(allocator, directory, "manifest", i);
        bool there = path && nd_file_open(path, ND_OPEN_READ, &fd, NULL) == ND_OK &&
                     nd_file_read_at(fd, header, sizeof header, 0, path, NULL) == ND_OK;
        nd_file_close(fd);
        nd_release(allocator, path);
        if (!there || memcmp(header, MAGIC, 8) != 0) continue;
        uint32_t given = nd_load_le32(header + 8);
        if (nd_load_le32(header + 12) == header_hash(given)) version = given;
    }
    return version;
}

/* ---- writing */

static nd_status fill(int fd, const char *path, const unsigned char *bytes, size_t size,
                      nd_error *error) {
    ND_TRY(nd_file_write_at(fd, bytes, size, 0, path, error));
    ND_TRY(nd_file_resize(fd, size, path, error));
    return nd_file_sync(fd, path, error);
}

/* Makes a file, which gets its name once it is whole. An unfinished one, left by a crash, is
 * removed. */
static nd_status make_slot(const char *path, const unsigned char *bytes, size_t size,
                           const nd_allocator *allocator, nd_error *error) {
    int fd = -1;
    char *unfinished = nd_string_join(allocator, path, ND_UNFINISHED, "");
    if (!unfinished) return nd_fail_memory(error, strlen(path), "a path");
    nd_status status = nd_file_remove(unfinished, error);
    if (status == ND_OK) status = nd_file_create(unfinished, &fd, error);
    if (status == ND_OK) {
        status = fill(fd, path, bytes, size, error);
        if (status == ND_OK) status = nd_file_name_finally(unfinished, path, allocator, error);
        if (status != ND_OK) nd_file_remove(unfinished, NULL);
    }
    nd_file_close(fd);
    nd_release(allocator, unfinished);
    return status;
}

static nd_status write_slot(const char *path, const unsigned char *bytes, size_t size,
                            const nd_allocator *allocator, nd_error *error) {
    int fd = -1;
    if (is_missing(path)) return make_slot(path, bytes, size, allocator, error);
    ND_TRY(nd_file_open(path, ND_OPEN_READ_WRITE, &fd, error));
    nd_status status = fill(fd, path, bytes, size, error);
    /* What readers see of the file now may never reach the disk. Cut it, so that nobody takes it
     * for a state. */
    if (status != ND_OK) (void)nd_file_resize(fd, 0, path, NULL);
    nd_file_close(fd);
    return status;
}

/* Chooses the file to write first. A failed write leaves no state in its file. So if only the first
 * file is whole, the second is written first. Otherwise the first file is: a writer that was killed
 * before its sync may have left it in memory only, but it never reached the second file, which is
 * on disk. */
static nd_status choose_first(const char *directory, const nd_allocator *allocator, unsigned *first,
                              nd_error *error) {
    slot slots[2];
    nd_status status = ND_OK;
    read_both(directory, allocator, slots);
    *first = slots[0].status == ND_OK && slots[1].status != ND_OK;
    for (int i = 0; i < 2; i++) {
        if (slots[i].status == ND_ERR_MEMORY)
            status = nd_fail(error, ND_ERR_MEMORY, "%s", slots[i].error.message);
        nd_manifest_free(&slots[i].state);
    }
    return status;
}

nd_status nd_manifest_write(const char *directory, const nd_manifest *manifest, nd_error *error) {
    const nd_allocator *allocator = &manifest->allocator;
    unsigned char *bytes = NULL;
    size_t size = 0;
    ND_TRY(encode(manifest, directory, &bytes, &size, error));
    unsigned first;
    nd_status status = choose_first(directory, allocator, &first, error);
    for (unsigned i = 0; status == ND_OK && i < 2; i++) {
        char *path = nd_numbered_path(allocator, directory, "manifest", i ^ first);
        if (!path) status = nd_fail_memory(error, strlen(directory), "a path");
        /* A writer that crashed after it made the second file may have left the name of that file
         * in memory only. */
        if (status == ND_OK && i == 0) status = nd_sync_directory_of(path, allocator, error);
        if (status == ND_OK) status = write_slot(path, bytes, size, allocator, error);
        nd_release(allocator, path);
    }
    nd_release(allocator, bytes);
    return status;
}

/* Allocates nothing, since memory may have run out. */
void nd_manifest_remove(const char *directory) {
    static const char *const names[] = {"manifest-0", "manifest-0" ND_UNFINISHED, "manifest-1",
                                        "manifest-1" ND_UNFINISHED};
    char path[ND_PATH_SIZE];
    for (unsigned i = 0; i < 4; i++) {
        if (nd_path_join(path, directory, names[i])) nd_file_remove(path, NULL);
    }
}
