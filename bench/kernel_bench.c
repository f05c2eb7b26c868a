/* kernel_bench TEXT-FILE: measures the speed of every kernel table that this machine has, on real
 * text, on one thread.
 *
 * Prints the machine, the floor (reading the same bytes from memory) and the best of several passes
 * of each kernel, with its share of the floor if the unit is bytes. "pieces": the text is processed
 * in documents of 5,000 bytes, whose tokens stay in the L1 and L2 caches, as in a job. Words,
 * shingles and MinHash need this measure, because they write as much as they read.
 *
 * Build with -DND_BUILD_BENCH=ON. Links the library's objects, because the public interface does
 * not show the kernels. */
#include "kernel/kernel.h"
#include "text/shingle.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>

#define DOCUMENT 5000
#define NGRAM 5
#define FUNCTIONS 32 /* of 128 MinHash values */
#define PASSES 7
#define REPEATS 20000
#define SET 640                        /* shingles of one document of 5,000 bytes */
#define FEW_KEYS 16384                 /* 128 KiB: in the L2 cache */
#define MANY_KEYS (UINT32_C(16) << 20) /* 128 MiB: in memory */
#define QUERIES 64

typedef struct bench {
    const char *text;
    size_t length;
    uint64_t *tokens, *out; /* tokens of one document; `tokens` also has the whole text's when one
                               kernel is measured alone */
    size_t token_count;
    uint64_t powers[64];
    uint32_t a[FUNCTIONS], values[ND_MINHASH_ORDERS * FUNCTIONS];
    nd_hash_key key;
    uint64_t *keys; /* MANY_KEYS random words */
    uint32_t *hits;
    uint64_t *pairs;
    int32_t weights[SET];
    int64_t sums[128];
    uint64_t sink; /* receives results, so that the compiler drops no loop */
} bench;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef void step(bench *b, const nd_kernel *kernel);

static double best(bench *b, const nd_kernel *kernel, step *run) {
    double least = 1e9;
    for (int pass = 0; pass < PASSES; pass++) {
        double start = seconds();
        run(b, kernel);
        double took = seconds() - start;
        if (took < least) least = took;
    }
    return least;
}

/* Sums 64-bit words in eight chains: as fast as plain C reads memory. */
static void read_floor(bench *b, const nd_kernel *kernel) {
    (void)kernel;
    uint64_t sums[8] = {0};
    for (size_t i = 0; i + 64 <= b->length; i += 64)
        for (size_t k = 0; k < 8; k++) {
            uint64_t x;
            memcpy(&x, b->text + i + 8 * k, 8);
            sums[k] += x;
        }
    for (size_t k = 0; k < 8; k++) b->sink += sums[k];
}

static void utf8(bench *b, const nd_kernel *kernel) {
    b->sink += kernel->utf8_valid_prefix(b->text, b->length);
}

static void ascii(bench *b, const nd_kernel *kernel) {
    b->sink += kernel->ascii_prefix(b->text, b->length);
}

/* Makes the tokens of each document, then does the step `after`. Characters that the kernel does
 * not handle are skipped: only the kernel's own path is measured. */
static inline void documents(bench *b, const nd_kernel *kernel, int after) {
    size_t total = 0;
    for (size_t at = 0; at < b->length; at += DOCUMENT) {
        size_t end = at + DOCUMENT < b->length ? at + DOCUMENT : b->length, from = at, count = 0;
        while (from < end) {
            size_t consumed;
            count += kernel->words(b->text + from, end - from, &b->key, b->tokens + count,
                                   DOCUMENT + 64 - count, NULL, &consumed);
            from += consumed;
            while (from < end && (unsigned char)b->text[from] < 0x80) from++;
            while (from < end && (unsigned char)b->text[from] >= 0x80) from++;
        }
        total += count;
        nd_chains text = nd_chains_begin();
        if (after >= 1 && count >= NGRAM)
            kernel->shingles(b->tokens, count, NGRAM, b->powers, b->tokens,
                             after >= 2 ? &text : NULL);
        b->sink += text.a0 ^ text.b1;
        if (after >= 3 && count >= NGRAM)
            kernel->minhash(b->tokens, count - NGRAM + 1, 99, b->a, FUNCTIONS, b->values);
        b->sink += b->tokens[0];
    }
    b->token_count = total;
}

static void words(bench *b, const nd_kernel *kernel) { documents(b, kernel, 0); }
static void words_shingles(bench *b, const nd_kernel *kernel) { documents(b, kernel, 1); }
static void words_shingles_hash(bench *b, const nd_kernel *kernel) { documents(b, kernel, 2); }
static void words_to_signature(bench *b, const nd_kernel *kernel) { documents(b, kernel, 3); }

static void minhash(bench *b, const nd_kernel *kernel) {
    for (int i = 0; i < REPEATS / 4; i++)
        kernel->minhash(b->tokens, SET, (uint64_t)i, b->a, FUNCTIONS, b->values);
    b->sink += b->values[0];
}

static void shingles5(bench *b, const nd_kernel *kernel) {
    for (int i = 0; i < REPEATS; i++) kernel->shingles(b->tokens, SET, 5, b->powers, b->out, NULL);
    b->sink += b->out[0];
}

static void shingles64(bench *b, const nd_kernel *kernel) {
    for (int i = 0; i < REPEATS; i++) kernel->shingles(b->tokens, SET, 64, b->powers, b->out, NULL);
    b->sink += b->out[0];
}

static void shingles5_hash(bench *b, const nd_kernel *kernel) {
    nd_chains text = nd_chains_begin();
    for (int i = 0; i < REPEATS; i++) kernel->shingles(b->tokens, SET, 5, b->powers, b->out, &text);
    b->sink += b->out[0] ^ text.a0;
}

/* A filter over sketches: compares one sketch of 128 bytes with many. */
static void equal_bytes(bench *b, const nd_kernel *kernel) {
    const uint8_t *rows = (const uint8_t *)b->text;
    for (size_t i = 0; i + 128 <= b->length; i += 128)
        b->sink += kernel->count_equal(rows, rows + i, 128);
}

static void equal_values(bench *b, const nd_kernel *kernel) {
    const uint32_t *rows = (const uint32_t *)(const void *)b->text;
    for (size_t i = 0; i + 512 <= b->length; i += 512)
        b->sink += kernel->count_equal32(rows, rows + i / 4, 128);
}

/* SimHash of the shingles of one document; the sums are not reset between documents. */
static inline void simhash(bench *b, const nd_kernel *kernel, const int32_t *weights,
                           unsigned bits) {
    for (int i = 0; i < REPEATS / 4; i++) kernel->simhash(b->keys, weights, SET, bits, b->sums);
    b->sink += (uint64_t)b->sums[0];
}

static void simhash64(bench *b, const nd_kernel *kernel) { simhash(b, kernel, NULL, 64); }
static void simhash128(bench *b, const nd_kernel *kernel) { simhash(b, kernel, NULL, 128); }
static void simhash64_weighed(bench *b, const nd_kernel *kernel) {
    simhash(b, kernel, b->weights, 64);
}
static void simhash128_weighed(bench *b, const nd_kernel *kernel) {
    simhash(b, kernel, b->weights, 128);
}

/* A query that is near none of the random keys, so that the search is measured, not the hits. */
static uint64_t query_of(uint64_t i) { return nd_mix64(i + (UINT64_C(1) << 40)); }

static void near64_cache(bench *b, const nd_kernel *kernel) {
    for (uint64_t i = 0; i < 100; i++)
        b->sink += kernel->near64(b->keys, FEW_KEYS, query_of(i), 3, b->hits);
}

static void near128_cache(bench *b, const nd_kernel *kernel) {
    for (uint64_t i = 0; i < 100; i++)
        b->sink += kernel->near128(b->keys, FEW_KEYS / 2, query_of(i), i, 3, b->hits);
}

static void near32_cache(bench *b, const nd_kernel *kernel) {
    const uint32_t *keys = (const uint32_t *)(const void *)b->keys;
    for (uint64_t i = 0; i < 100; i++)
        b->sink += kernel->near32(keys, FEW_KEYS * 2, (uint32_t)query_of(i), 0, b->hits);
}

static void near64_memory(bench *b, const nd_kernel *kernel) {
    b->sink += kernel->near64(b->keys, MANY_KEYS, query_of(0), 3, b->hits);
}

static void pairs64(bench *b, const nd_kernel *kernel) {
    uint64_t queries[QUERIES];
    for (uint64_t i = 0; i < QUERIES; i++) queries[i] = query_of(i);
    for (int i = 0; i < 10; i++)
        b->sink += kernel->near64_pairs(queries, QUERIES, b->keys, FEW_KEYS, 3, b->pairs);
}

static void pairs128(bench *b, const nd_kernel *kernel) {
    uint64_t queries[2 * QUERIES];
    for (uint64_t i = 0; i < 2 * QUERIES; i++) queries[i] = query_of(i);
    for (int i = 0; i < 10; i++)
        b->sink += kernel->near128_pairs(queries, QUERIES, b->keys, FEW_KEYS / 2, 3, b->pairs);
}

/* Runs of 40-bit keys at random offsets in 128 KiB. */
#define RUNS 10000
static inline void packed(bench *b, const nd_kernel *kernel, size_t count) {
    uint64_t query = query_of(0) >> 24, seed = 1;
    for (int i = 0; i < RUNS; i++) {
        b->sink += kernel->near_packed((const unsigned char *)b->keys, seed >> 50, count, 40, query,
                                       3, b->hits);
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    }
}

static void packed8(bench *b, const nd_kernel *kernel) { packed(b, kernel, 8); }
static void packed64(bench *b, const nd_kernel *kernel) { packed(b, kernel, 64); }
static void packed1000(bench *b, const nd_kernel *kernel) { packed(b, kernel, 1000); }

static void print_bytes(bench *b, const nd_kernel *kernel, const char *what, step *run,
                        double floor_time) {
    double took = best(b, kernel, run);
    printf("  %-44s %8.2f GB/s  %5.2f of the floor\n", what, (double)b->length / took * 1e-9,
           floor_time / took);
}

static void print_items(bench *b, const nd_kernel *kernel, const char *what, step *run,
                        double items) {
    printf("  %-44s %8.1f M/s\n", what, items / best(b, kernel, run) * 1e-6);
}

static void print_calls(bench *b, const nd_kernel *kernel, const char *what, step *run,
                        double calls) {
    printf("  %-44s %8.1f ns a call\n", what, best(b, kernel, run) / calls * 1e9);
}

static void fingerprints(bench *b, const nd_kernel *kernel) {
    print_items(b, kernel, "SimHash of 64 bits: shingles", simhash64, (double)(REPEATS / 4) * SET);
    print_items(b, kernel, "SimHash of 128 bits: shingles", simhash128,
                (double)(REPEATS / 4) * SET);
    print_items(b, kernel, "SimHash of 64 bits: weighed features", simhash64_weighed,
                (double)(REPEATS / 4) * SET);
    print_items(b, kernel, "SimHash of 128 bits: weighed features", simhash128_weighed,
                (double)(REPEATS / 4) * SET);
    print_items(b, kernel, "near keys, 32 bits, 128 KiB: keys", near32_cache, 100.0 * FEW_KEYS * 2);
    print_items(b, kernel, "near keys, 64 bits, 128 KiB: keys", near64_cache, 100.0 * FEW_KEYS);
    print_items(b, kernel, "near keys, 128 bits, 128 KiB: keys", near128_cache,
                100.0 * FEW_KEYS / 2);
    print_items(b, kernel, "near keys, 64 bits, 128 MiB: keys", near64_memory, MANY_KEYS);
    print_items(b, kernel, "near pairs, 64 bits: comparisons", pairs64, 10.0 * QUERIES * FEW_KEYS);
    print_items(b, kernel, "near pairs, 128 bits: comparisons", pairs128,
                10.0 * QUERIES * FEW_KEYS / 2);
    print_calls(b, kernel, "near packed keys, 8 of 40 bits", packed8, RUNS);
    print_calls(b, kernel, "near packed keys, 64 of 40 bits", packed64, RUNS);
    print_calls(b, kernel, "near packed keys, 1,000 of 40 bits", packed1000, RUNS);
}

static void machine_name(char *name, size_t size) {
    struct utsname system;
    snprintf(name, size, "%s", uname(&system) == 0 ? system.machine : "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[500];
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
            snprintf(name, size, "%.*s", (int)strcspn(strchr(line, ':') + 2, "\n"),
                     strchr(line, ':') + 2);
            break;
        }
    if (file) fclose(file);
}

static char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) return NULL;
    long size = ftell(file);
    char *text = size > 0 ? aligned_alloc(64, ((size_t)size + 63) / 64 * 64) : NULL;
    rewind(file);
    if (text && fread(text, 1, (size_t)size, file) != (size_t)size) text = NULL;
    fclose(file);
    *length = (size_t)size;
    return text;
}

int main(int argc, char **argv) {
    bench b = {.key = nd_hash_key_of(1)};
    if (argc == 2) b.text = read_file(argv[1], &b.length);
    if (!b.text) {
        fprintf(stderr, "usage: kernel_bench TEXT-FILE (not empty)\n");
        return 2;
    }
    b.tokens = calloc(DOCUMENT + 64, sizeof *b.tokens);
    b.out = calloc(DOCUMENT + 64, sizeof *b.out);
    b.keys = malloc(MANY_KEYS * sizeof *b.keys + 64);
    b.hits = malloc((MANY_KEYS + 16) * sizeof *b.hits);
    b.pairs = malloc(((size_t)FEW_KEYS * QUERIES + 16) * sizeof *b.pairs);
    if (!b.tokens || !b.out || !b.keys || !b.hits || !b.pairs) return 2;
    for (uint32_t i = 0; i < MANY_KEYS; i++) b.keys[i] = nd_mix64(i);
    for (uint32_t i = 0; i < SET; i++)
        b.weights[i] = (int32_t)(nd_mix64(i) >> 49); /* at most 8 shingles */
    nd_shingle_powers(b.powers, 64);
    for (uint32_t i = 0; i < FUNCTIONS; i++) b.a[i] = (uint32_t)nd_mix64(i) << 7 | i;

    char machine[200];
    machine_name(machine, sizeof machine);
    double floor_time = best(&b, NULL, read_floor);
    printf("machine: %s\ntext: %s, %zu bytes, documents of %d bytes, best of %d passes\n", machine,
           argv[1], b.length, DOCUMENT, PASSES);
    printf("floor: reading the text %.2f GB/s\n", (double)b.length / floor_time * 1e-9);
    const nd_kernel *tables[4];
    size_t count = nd_kernel_all(tables);
    for (size_t t = 0; t < count; t++) {
        printf("%s\n", tables[t]->name);
        print_bytes(&b, tables[t], "valid UTF-8", utf8, floor_time);
        size_t length = b.length;
        b.length = nd_kernel_generic.ascii_prefix(b.text, b.length);
        if (b.length)
            print_bytes(&b, tables[t], "ASCII prefix", ascii,
                        floor_time * (double)b.length / (double)length);
        b.length = length;
        print_bytes(&b, tables[t], "words", words, floor_time);
        print_bytes(&b, tables[t], "words + shingles (n = 5)", words_shingles, floor_time);
        print_bytes(&b, tables[t], "words + shingles + text hash", words_shingles_hash, floor_time);
        print_bytes(&b, tables[t], "words + shingles + text hash + MinHash 128", words_to_signature,
                    floor_time);
        print_items(&b, tables[t], "shingles, n = 5", shingles5, (double)REPEATS * (SET - 4));
        print_items(&b, tables[t], "shingles, n = 5, and text hash", shingles5_hash,
                    (double)REPEATS * (SET - 4));
        print_items(&b, tables[t], "shingles, n = 64", shingles64, (double)REPEATS * (SET - 63));
        print_items(&b, tables[t], "MinHash, 128 values: shingles", minhash,
                    (double)(REPEATS / 4) * SET);
        print_bytes(&b, tables[t], "sketches compared (128 bytes each)", equal_bytes, floor_time);
        print_bytes(&b, tables[t], "signatures compared (128 x 32 bits each)", equal_values,
                    floor_time);
        fingerprints(&b, tables[t]);
    }
    printf("tokens: %zu, %.2f bytes each; checksum %016llx\n", b.token_count,
           (double)b.length / (double)b.token_count, (unsigned long long)b.sink);
    free((char *)(uintptr_t)b.text);
    free(b.tokens);
    free(b.out);
    free(b.keys);
    free(b.hits);
    free(b.pairs);
    return 0;
}
