/* The input is the bytes of a manifest. Its first byte says which of the two mirrors has the bytes
 * that follow; the other mirror is unchanged or missing. */
#include "store/manifest.c" /* for its static functions: hashes and encoding */

#include "small_index.h"
#include "target.h"

#include <stdio.h>
#include <stdlib.h>

typedef enum mirrors {
    MIRRORS_BOTH,
    MIRRORS_FIRST,
    MIRRORS_SECOND,
    MIRRORS_FIRST_ALONE,
    MIRRORS_SECOND_ALONE,
    MIRRORS_COUNT
} mirrors;

enum { SEGMENTS = 136 }; /* offset of the byte with the number of segments */

static const small_file *mirror(int i) {
    return small_index_file(i == 0 ? "manifest-0" : "manifest-1");
}

/* ---- mutations */

/* Corrects the hashes and the size. */
static size_t seal_again(uint8_t *bytes, size_t size) {
    if (size < FIXED_SIZE + HASH_SIZE) return size;
    size -= size % 8;
    nd_store_le32(bytes + 12, header_hash(nd_load_le32(bytes + 8)));
    nd_store_le64(bytes + HEADER_SIZE, size);
    nd_store_le64(bytes + size - HASH_SIZE, hash_of(bytes, size - HASH_SIZE));
    return size;
}

static void change_segments(nd_manifest *m, uint64_t *random) {
    size_t count = m->segment_count, i = random_below(random, count),
           j = random_below(random, count);
    nd_manifest_segment one = m->segments[i];
    switch (random_below(random, 4)) {
    case 0: /* a segment again */
        if (nd_manifest_add_segment(m, &one, NULL) != ND_OK) target_fail("no memory");
        break;
    case 1: m->segments[i] = m->segments[--m->segment_count]; break;
    case 2:
        m->segments[i] = m->segments[j];
        m->segments[j] = one;
        break;
    default: /* other numbers of documents */
        m->segments[i].documents += (uint32_t)random_below(random, 5) - 2;
        m->segments[i].removed += (uint32_t)random_below(random, 3) - 1;
    }
}

/* An unfinished ingest job, with numbers of documents that exist or not. */
static void change_pending(nd_manifest *m, uint64_t *random) {
    unsigned char batch[16] = {1};
    batch[8] = (unsigned char)random_below(random, 16);
    batch[12] = (unsigned char)random_below(random, 16);
    if (nd_manifest_set_pending(m, batch, random_below(random, sizeof batch + 1), NULL) != ND_OK)
        target_fail("no memory");
}

static void change_state(nd_manifest *m, uint64_t *random) {
    uint64_t kind = random_below(random, 8);
    if (kind < 4 && m->segment_count > 0) {
        change_segments(m, random);
    } else if (kind == 4) {
        m->removed = 0;
        m->removed_seal = (nd_seal){0};
    } else if (kind == 5) {
        m->settings.exact ^= 1;
    } else if (kind == 6) {
        m->generation = UINT64_MAX - random_below(random, 4);
    } else {
        change_pending(m, random);
    }
}

/* Decodes a state, changes it and encodes it again. False: the bytes cannot be decoded, or the
 * state cannot be encoded. */
static bool mutate_state(uint8_t *bytes, size_t *size, size_t most, uint64_t *random) {
    nd_manifest m;
    unsigned char *changed = NULL;
    size_t changed_size = 0;
    nd_manifest_init(&m, &nd_allocator_default);
    nd_status status = decode(bytes, *size, "", &m, NULL);
    if (status == ND_OK) {
        for (uint64_t changes = random_below(random, 3) + 1; changes > 0; changes--)
            change_state(&m, random);
        status = encode(&m, "", &changed, &changed_size, NULL);
    }
    bool done = status == ND_OK && changed_size <= most;
    if (done) {
        memcpy(bytes, changed, changed_size);
        *size = changed_size;
    }
    free(changed);
    nd_manifest_free(&m);
    return done;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed) {
    uint64_t random = seed;
    if (size < 2) return LLVMFuzzerMutate(bytes, size, most);
    if (random_below(&random, 8) == 0) bytes[0] = (uint8_t)random_below(&random, MIRRORS_COUNT);
    size--;
    if (random_below(&random, 3) > 0 || !mutate_state(bytes + 1, &size, most - 1, &random)) {
        size = mutate_bytes(bytes + 1, size, most - 1, &random);
        if (random_below(&random, 16) > 0) size = seal_again(bytes + 1, size);
    }
    return size + 1;
}

/* ---- the target */

static void write_seed(const char *directory, const char *name, mirrors m,
                       const unsigned char *bytes, size_t size) {
    unsigned char *input = malloc(size + 1);
    if (!input) target_fail("no memory");
    input[0] = (unsigned char)m;
    memcpy(input + 1, bytes, size);
    target_write_seed(directory, name, input, size + 1);
    free(input);
}

/* The first segment is named twice. The bytes are changed, because no encoder would write such a
 * state. */
static void write_seed_twice(const char *directory, const small_file *file) {
    unsigned char bytes[1024];
    size_t size = file->size + SEGMENT_SIZE, behind = FIXED_SIZE + SEGMENT_SIZE;
    uint64_t segments = nd_load_le64(file->bytes + SEGMENTS) + 1;
    if (size > sizeof bytes || segments == 1)
        target_fail("%s: not a manifest to begin with", file->name);
    memcpy(bytes, file->bytes, behind);
    memcpy(bytes + behind, file->bytes + FIXED_SIZE, file->size - FIXED_SIZE);
    nd_store_le64(bytes + SEGMENTS, segments);
    write_seed(directory, "twice", MIRRORS_BOTH, bytes, seal_again(bytes, size));
}

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    small_index_make();
    const char *seeds = target_seeds(*count, *arguments);
    if (!seeds) return 0;
    for (int m = 0; m < MIRRORS_COUNT; m++) {
        char name[20];
        snprintf(name, sizeof name, "whole-%d", m);
        write_seed(seeds, name, (mirrors)m, mirror(0)->bytes, mirror(0)->size);
    }
    write_seed_twice(seeds, mirror(0));
    exit(0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size == 0) return 0;
    mirrors m = (mirrors)(bytes[0] % MIRRORS_COUNT);
    int changed = m == MIRRORS_SECOND || m == MIRRORS_SECOND_ALONE;
    bool alone = m == MIRRORS_FIRST_ALONE || m == MIRRORS_SECOND_ALONE;
    if (alone) small_index_lay(mirror(!changed), NULL, 0);
    else small_index_lay(NULL, NULL, 0);
    target_directory_put(mirror(changed)->name, bytes + 1, size - 1);
    if (m == MIRRORS_BOTH) target_directory_put(mirror(1)->name, bytes + 1, size - 1);
    small_index_use();
    return 0;
}
