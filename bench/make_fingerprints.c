/* make_fingerprints: writes a file of 64-bit fingerprints and a file of queries, raw little-endian,
 * for Hamming search. The same seed gives the same bytes.
 *
 *   uniform     Fingerprints are random, but a tenth are copies of earlier ones with 0 to 8 flipped
 *               bits. Queries are, in turn, a stored fingerprint with 0 to k + 1 flipped bits, and
 * a random one. No stored fingerprint is used twice, as long as there are enough. identical   A
 * twentieth equal the centre, a twentieth differ from it in one or two bits, the rest is random.
 * Queries are, in turn, the centre with 0 to 2 flipped bits, and random. shared      A tenth have
 * the same upper 32 bits and random lower bits, the rest is random. Queries have these upper bits
 * and random lower bits. So a tenth of all fingerprints are in one bucket, but hardly any is a hit:
 * of 100,000 fingerprints in the bucket, .13 are within k = 3 (but 350 within k = 8). shared-low
 * The same with shared lower 32 bits.
 *
 * Shares are exact, and the order is random. Fingerprints are written as soon as they are made, so
 * memory is the size of the two samples. */
#define PROGRAM_NAME "make_fingerprints"
#include "material.h"
#include "program.h"

#include <endian.h>
#include <string.h>

enum { EARLIER = 1 << 16, COPY_FLIPS = 8, NEAR_FLIPS = 2 };

typedef enum mixture { KIND_UNIFORM, KIND_IDENTICAL, KIND_SHARED, KIND_SHARED_LOW } mixture;

static const char *const kind_names[] = {"uniform", "identical", "shared", "shared-low"};

typedef struct settings {
    uint64_t count, queries, seed;
    uint32_t k;
    mixture kind;
    const char *out, *queries_out;
} settings;

/* A sample of `room` values of all that were offered; each has the same chance (Vitter's algorithm
 * R). */
typedef struct sample {
    uint64_t *values;
    uint64_t room, offered;
} sample;

typedef struct generator {
    uint64_t random, centre;
    sample earlier; /* copies are made of these */
    sample stored;  /* queries are made of these */
} generator;

static sample sample_of(uint64_t room) {
    sample s = {sized(NULL, room, sizeof *s.values), room, 0};
    return s;
}

static uint64_t held(const sample *s) { return s->offered < s->room ? s->offered : s->room; }

static void offer(sample *s, uint64_t value, uint64_t *random) {
    uint64_t at = s->offered < s->room ? s->offered : random_below(random, s->offered + 1);
    if (at < s->room) s->values[at] = value;
    s->offered++;
}

/* The Fisher-Yates shuffle. The positions in a sample depend on the order of the stored
 * fingerprints; the order of the queries must not. */
static void shuffle(sample *s, uint64_t *random) {
    for (uint64_t i = held(s); i > 1; i--) {
        uint64_t other = random_below(random, i), value = s->values[i - 1];
        s->values[i - 1] = s->values[other];
        s->values[other] = value;
    }
}

/* Flips `flips` different bits of the value. */
static uint64_t flipped(uint64_t value, uint32_t flips, uint64_t *random) {
    uint64_t mask = 0;
    while (flips > 0) {
        uint64_t bit = UINT64_C(1) << random_below(random, 64);
        flips -= !(mask & bit);
        mask |= bit;
    }
    return value ^ mask;
}

/* Joins the centre's half and a random other half. */
static uint64_t sharing(generator *g, mixture kind) {
    uint64_t same = kind == KIND_SHARED ? ~UINT64_C(0) << 32 : UINT32_MAX;
    return (g->centre & same) | (random_next(&g->random) & ~same);
}

/* Returns a fingerprint that is not plainly random; `which` counts these from 0. */
static uint64_t special(generator *g, mixture kind, uint64_t which) {
    switch (kind) {
    case KIND_UNIFORM: {
        uint64_t of = g->earlier.values[random_below(&g->random, held(&g->earlier))];
        return flipped(of, random_below(&g->random, COPY_FLIPS + 1), &g->random);
    }
    case KIND_IDENTICAL:
        return which % 2 ? flipped(g->centre, 1 + random_below(&g->random, NEAR_FLIPS), &g->random)
                         : g->centre;
    case KIND_SHARED:
    case KIND_SHARED_LOW: break;
    }
    return sharing(g, kind);
}

static uint64_t query(generator *g, const settings *s, uint64_t number) {
    if (s->kind == KIND_SHARED || s->kind == KIND_SHARED_LOW) return sharing(g, s->kind);
    if (number % 2) return random_next(&g->random);
    if (s->kind == KIND_IDENTICAL)
        return flipped(g->centre, random_below(&g->random, NEAR_FLIPS + 1), &g->random);
    return flipped(g->stored.values[number / 2 % held(&g->stored)],
                   random_below(&g->random, s->k + 2), &g->random);
}

static FILE *create(const char *path) {
    FILE *file = fopen(path, "wb");
    if (!file) stop("cannot write the file");
    return file;
}

static void put(FILE *file, uint64_t value) {
    uint64_t bytes = htole64(value);
    if (fwrite(&bytes, sizeof bytes, 1, file) != 1) stop("cannot write the file");
}

static void end(FILE *file) {
    if (fclose(file) != 0) stop("cannot write the file");
}

static void write_fingerprints(generator *g, const settings *s) {
    FILE *file = create(s->out);
    uint64_t specials = s->count / 10, done = 0;
    for (uint64_t i = 0; i < s->count; i++) {
        /* Special fingerprints are drawn with the chance (specials left) / (fingerprints left), so
         * exactly a tenth are special, at random positions. The first cannot be: nothing is before
         * it. */
        bool is_special = (i > 0 || s->kind != KIND_UNIFORM) &&
                          random_below(&g->random, s->count - i) < specials - done;
        uint64_t value = is_special ? special(g, s->kind, done++) : random_next(&g->random);
        put(file, value);
        if (s->kind != KIND_UNIFORM) continue;
        offer(&g->earlier, value, &g->random);
        offer(&g->stored, value, &g->random);
    }
    end(file);
}

static void write_queries(generator *g, const settings *s) {
    FILE *file = create(s->queries_out);
    shuffle(&g->stored, &g->random);
    for (uint64_t i = 0; i < s->queries; i++) put(file, query(g, s, i));
    end(file);
}

static uint64_t number(const char *text, uint64_t least, uint64_t most) {
    char *rest;
    unsigned long long value = strtoull(text, &rest, 10);
    if (*text < '0' || *text > '9' || *rest || value < least || value > most) {
        fprintf(stderr, PROGRAM_NAME ": '%s' is not a number from %llu to %llu\n", text,
                (unsigned long long)least, (unsigned long long)most);
        exit(1);
    }
    return value;
}

static mixture kind_of(const char *name) {
    for (size_t i = 0; i < sizeof kind_names / sizeof *kind_names; i++)
        if (strcmp(name, kind_names[i]) == 0) return (mixture)i;
    stop("--kind is uniform, identical, shared or shared-low");
    return KIND_UNIFORM;
}

/* False if the arguments are not as in the usage. */
static bool parse(int count, char **arguments, settings *s) {
    for (int i = 1; i + 1 < count; i += 2) {
        const char *a = arguments[i], *value = arguments[i + 1];
        if (strcmp(a, "--count") == 0) s->count = number(value, 1, UINT32_MAX);
        else if (strcmp(a, "--queries") == 0) s->queries = number(value, 1, UINT32_MAX);
        else if (strcmp(a, "--seed") == 0) s->seed = number(value, 0, UINT64_MAX);
        else if (strcmp(a, "--k") == 0) s->k = (uint32_t)number(value, 0, 63);
        else if (strcmp(a, "--kind") == 0) s->kind = kind_of(value);
        else if (strcmp(a, "--out") == 0) s->out = value;
        else if (strcmp(a, "--queries-out") == 0) s->queries_out = value;
        else return false;
    }
    return count % 2 == 1 && s->count && s->queries && s->out && s->queries_out;
}

int main(int count, char **arguments) {
    settings s = {.seed = 1, .k = 3};
    if (!parse(count, arguments, &s))
        stop("usage: make_fingerprints --count N --queries Q [--kind "
             "uniform|identical|shared|shared-low] [--k K] [--seed S] --out FILE --queries-out "
             "FILE");
    generator g = {
        .random = s.seed, .earlier = sample_of(EARLIER), .stored = sample_of((s.queries + 1) / 2)};
    g.centre = random_next(&g.random);
    write_fingerprints(&g, &s);
    write_queries(&g, &s);
    free(g.earlier.values);
    free(g.stored.values);
    return 0;
}
