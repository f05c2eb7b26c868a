#include "dedup/repeat_filter.h"

#include "base/hash.h"
#include "base/limits.h"
#include "base/machine.h"

#include <pthread.h>
#include <stdatomic.h>

/* A near-duplicate mostly shares several bands: of 4 among 25 bands of 5 rows a pair at .8 has one
 * in common with a probability of .8, a pair at .9 with .97. */
enum { PROBED_KEYS = 4 };

/* Words for a document before the filter grows, at first, and for each word of a filter that grows.
 * Copied bits are as many in each word as before, so a filter should grow few times: of 5 hashes
 * with 3 bits each, 21 are in a word of 64 after two times, and a key is taken for another one with
 * a probability of 2 %. */
enum { WORDS_PER_DOCUMENT = 2, LEAST_WORDS = ND_LIMIT(1 << 13, 16), GROWTH = 16 };

/* Threads set bits without a lock. If two set bits of a word at the same time, bits may be lost,
 * and so a guess. */
typedef _Atomic uint64_t word;

/* A filter of one size. The smaller ones stay until the end: a thread may still read them. */
typedef struct table {
    struct table *smaller;
    size_t words; /* a power of two */
    word bits[];
} table;

struct nd_repeat_filter {
    nd_allocator allocator;
    size_t limit; /* words */
    _Atomic(table *) table;
    _Atomic uint64_t documents; /* since the filter was empty */
    pthread_mutex_t growing;    /* held while a thread makes it larger, or empties it */
};

static table *make_table(const nd_repeat_filter *f, size_t words, table *smaller) {
    table *t = nd_allocate_large(&f->allocator, 1, sizeof *t + words * sizeof *t->bits);
    if (!t) return NULL;
    t->smaller = smaller;
    t->words = words;
    for (size_t i = 0; i < words; i++)
        atomic_init(&t->bits[i],
                    smaller ? atomic_load_explicit(&smaller->bits[i & (smaller->words - 1)],
                                                   memory_order_relaxed)
                            : 0);
    return t;
}

nd_status nd_repeat_filter_create(const nd_allocator *allocator, size_t memory,
                                  nd_repeat_filter **out, nd_error *error) {
    nd_repeat_filter *f = *out = nd_allocate_zero(allocator, 1, sizeof *f);
    if (!f) return nd_fail_memory(error, sizeof *f, "a filter of documents");
    f->allocator = *allocator;
    f->limit = LEAST_WORDS;
    while (f->limit <= memory / 4 / sizeof(word)) f->limit *= 2; /* with the smaller ones */
    table *t = make_table(f, LEAST_WORDS, NULL);
    atomic_init(&f->documents, 0);
    pthread_mutex_init(&f->growing, NULL);
    atomic_init(&f->table, t);
    return t ? ND_OK : nd_fail_memory(error, LEAST_WORDS * sizeof(word), "a filter of documents");
}

void nd_repeat_filter_free(nd_repeat_filter *f) {
    if (!f) return;
    const nd_allocator allocator = f->allocator;
    for (table *t = f->table; t;) {
        table *smaller = t->smaller;
        nd_release(&allocator, t);
        t = smaller;
    }
    pthread_mutex_destroy(&f->growing);
    nd_release(&allocator, f);
}

static uint64_t get(const word *w) { return atomic_load_explicit(w, memory_order_relaxed); }
static void set(word *w, uint64_t bits) { atomic_store_explicit(w, bits, memory_order_relaxed); }

static void make_empty(nd_repeat_filter *f, table *t) {
    for (size_t i = 0; i < t->words; i++) set(&t->bits[i], 0);
    atomic_store(&f->documents, 0);
}

/* Adds the bits that a smaller filter got while it was copied. */
static void add_bits(table *t, const table *smaller) {
    for (size_t i = 0; i < t->words; i++) {
        uint64_t held = get(&t->bits[i]),
                 all = held | get(&smaller->bits[i & (smaller->words - 1)]);
        if (all != held) set(&t->bits[i], all);
    }
}

/* Makes the full table larger. At its limit, or without memory for a larger one, it is emptied. */
static void grow(nd_repeat_filter *f, table *t) {
    size_t words = t->words < f->limit / GROWTH ? t->words * GROWTH : f->limit;
    table *larger = words > t->words ? make_table(f, words, t) : NULL;
    if (!larger) {
        make_empty(f, t);
        return;
    }
    atomic_store_explicit(&f->table, larger, memory_order_release);
    add_bits(larger, t);
}

/* The thread that finds the table nearly full makes it larger, while others go on. If these fill it
 * meanwhile, they wait: the bits of a table that is too full are copied to each larger one. */
static void count_document(nd_repeat_filter *f, table *t) {
    uint64_t count = atomic_fetch_add_explicit(&f->documents, 1, memory_order_relaxed) + 1,
             full = t->words / WORDS_PER_DOCUMENT,
             nearly = t->words < f->limit ? full - full / 8 : full;
    if (count < nearly) return;
    if (count >= full) pthread_mutex_lock(&f->growing);
    else if (pthread_mutex_trylock(&f->growing) != 0) return;
    bool is_full = atomic_load(&f->table) == t && atomic_load(&f->documents) >= nearly;
    if (is_full) grow(f, t);
    pthread_mutex_unlock(&f->growing);
}

/* ---- hashes */

static uint64_t hash_of_key(const uint64_t *keys, size_t i) {
    return nd_mix64(keys[i] + i * ND_HASH_C1);
}

static size_t probed(size_t count) { return count < PROBED_KEYS ? count : PROBED_KEYS; }

static word *word_of(table *t, uint64_t hash) { return &t->bits[hash >> 18 & (t->words - 1)]; }

/* Sets the three bits of a hash. Returns whether all were set before. */
static bool add_hash(table *t, uint64_t hash) {
    uint64_t mine = UINT64_C(1) << (hash & 63) | UINT64_C(1) << (hash >> 6 & 63) |
                    UINT64_C(1) << (hash >> 12 & 63);
    word *w = word_of(t, hash);
    uint64_t held = get(w);
    set(w, held | mine);
    return (held & mine) == mine;
}

void nd_repeat_filter_prefetch(nd_repeat_filter *f, const uint64_t *keys, size_t count,
                               uint64_t text_hash) {
    table *t = atomic_load_explicit(&f->table, memory_order_acquire);
    __builtin_prefetch(word_of(t, nd_mix64(text_hash)), 1);
    for (size_t i = 0; i < probed(count); i++)
        __builtin_prefetch(word_of(t, hash_of_key(keys, i)), 1);
}

bool nd_repeat_filter_add(nd_repeat_filter *f, const uint64_t *keys, size_t count,
                          uint64_t text_hash) {
    table *t = atomic_load_explicit(&f->table, memory_order_acquire);
    bool copy = add_hash(t, nd_mix64(text_hash)), repeat = false;
    for (size_t i = 0; i < probed(count); i++) repeat |= add_hash(t, hash_of_key(keys, i));
    count_document(f, t);
    return repeat && !copy;
}
