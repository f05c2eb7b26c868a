/* The input is the bytes of a packed set. If it is accepted, it is a set, and packs to the same
 * bytes. */
#include "similarity/packed_set.h"
#include "target.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEHIND = 8 }; /* readable bytes behind a set */

static void *need(size_t size) {
    void *memory = malloc(size + 1);
    if (!memory) target_fail("no memory");
    return memory;
}

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* ---- mutations */

/* Packs any numbers as a set. */
static size_t pack_any(uint64_t *values, size_t count, uint8_t *bytes, size_t most) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) values[i] &= ND_SET_MASK;
    qsort(values, count, sizeof *values, ascending);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || values[kept - 1] != values[i]) values[kept++] = values[i];
    while (nd_packed_set_size(kept) > most) kept--;
    nd_packed_set_pack(values, kept, bytes);
    return nd_packed_set_size(kept);
}

/* Changes, removes or adds values of a set. False: the bytes are no set. */
static bool mutate_values(uint8_t *bytes, size_t *size, size_t most, uint64_t *random) {
    size_t count;
    if (most == 0 || !nd_packed_set_count(bytes, *size, &count)) return false;
    uint64_t *values = need((count + 4) * sizeof *values);
    uint8_t *copy = need(*size + BEHIND);
    memcpy(copy, bytes, *size);
    bool set = nd_packed_set_unpack(copy, *size, count, values);
    free(copy);
    if (set) {
        size_t changed = mutate_bytes((uint8_t *)values, count * sizeof *values,
                                      (count + 4) * sizeof *values, random);
        *size = pack_any(values, changed / sizeof *values, bytes, most);
    }
    free(values);
    return set;
}

/* Returns the size that fits the count in the first bytes. */
static size_t fit(uint8_t *bytes, size_t size, size_t most) {
    size_t stored_count = 0, wanted = 0;
    for (size_t i = 0; i < size && i < 5; i++) {
        stored_count |= (size_t)(bytes[i] & 127) << (7 * i);
        if (bytes[i] < 128) break;
    }
    if (stored_count <= ND_SET_MOST) wanted = nd_packed_set_size(stored_count);
    if (wanted == 0 || wanted > most) return size;
    if (wanted > size) memset(bytes + size, 0, wanted - size);
    return wanted;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed) {
    uint64_t random = seed;
    if (random_below(&random, 4) == 0 && mutate_values(bytes, &size, most, &random)) return size;
    size = mutate_bytes(bytes, size, most, &random);
    return random_below(&random, 4) == 0 ? size : fit(bytes, size, most);
}

/* ---- the target */

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    static const size_t sizes[] = {0, 1, 2, 5, 16, 130};
    const char *seeds = target_seeds(*count, *arguments);
    if (!seeds) return 0;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        char name[30];
        uint64_t values[130], random = s;
        uint8_t bytes[2000];
        for (size_t i = 0; i < sizes[s]; i++) values[i] = random_below(&random, UINT64_MAX);
        snprintf(name, sizeof name, "whole-%zu", sizes[s]);
        target_write_seed(seeds, name, bytes, pack_any(values, sizes[s], bytes, sizeof bytes));
    }
    exit(0);
}

static void check_set(const uint64_t *values, size_t count, const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < count; i++)
        if (values[i] > ND_SET_MASK || (i > 0 && values[i] <= values[i - 1]))
            target_fail("value %zu of %zu is none of a set", i, count);
    if (nd_packed_set_size(count) != size) target_fail("%zu values in %zu bytes", count, size);
    uint8_t *again = need(size);
    nd_packed_set_pack(values, count, again);
    if (memcmp(again, bytes, size) != 0) target_fail("%zu values pack to other bytes", count);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    size_t count;
    uint8_t *packed = need(
        size + BEHIND -
        1); /* and not one byte more, so that AddressSanitizer reports reads behind it */
    memcpy(packed, bytes, size);
    memset(packed + size, 0xb7, BEHIND);
    if (nd_packed_set_count(packed, size, &count)) {
        uint64_t *values = malloc(count * sizeof *values);
        if (!values && count > 0) target_fail("no memory");
        if (nd_packed_set_unpack(packed, size, count, values))
            check_set(values, count, bytes, size);
        if (nd_packed_set_unpack(packed, size, count + 1, values))
            target_fail("%zu values are accepted as one more", count);
        free(values);
    }
    free(packed);
    return 0;
}
