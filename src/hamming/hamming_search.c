#include "hamming/hamming_search.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "kernel/kernel.h"

enum {
    SAMPLE_BITS = 6,  /* of the buckets between two samples */
    CHUNK = 16,       /* probes that go through the rounds together; one query has several chunks */
    DENSE_CHUNK = 64, /* the most probes of a dense run, which has no more than one chunk */
    ROUNDS = 4,
    LINE = 64,       /* bytes of a cache line */
    LINES = 16,      /* lines prefetched per probe; further ones the processor prefetches itself */
    NOTED = 1024,    /* queries between two checks whether all pages are verified */
    LAST_PAGES = 64, /* pages that such a check verifies itself at most */
    LANES = 8,       /* queries that are compared with a key at once, in a scan of all keys */
    ROOM = ND_LIMIT(16384, 24),     /* keys, or pairs, that are compared at once */
    BATCH = ND_LIMIT(4096, 8),      /* queries that are compared with each block of unpacked keys */
    LEAST_BATCH = ND_LIMIT(256, 5), /* with fewer queries unpacking all keys does not pay */
    WIDE_MOST = ND_LIMIT(2048, 8),  /* a wide probe with more keys is split into its narrow ones */
    SPARSE = ND_LIMIT(16, 1) /* the probes of a dense run may cover one of so many of its keys */
};

/* One half of a dense run, searched in its own table (dense_buckets.h). */
typedef struct nested {
    const nd_dense_runs *runs;
    nd_dense_run run;
    unsigned half;
    int first_errors; /* of the first half: its table reports pairs with no more errors there */
} nested;

/* The probes of one query in one table: `count` of a chunk's probes, from `first` on. */
typedef struct slice {
    size_t query;   /* index in the request */
    uint32_t table; /* of the design */
    uint32_t first, count;
    uint64_t head;         /* of the query's key */
    uint64_t keys;         /* covered by the probes */
    const nd_ef_table *in; /* the probed table */
    const nd_probe_plan *plan;
    unsigned depth, shift; /* of the probes: the plan's, or those of its wide probes */
    bool verified;         /* all pages of `in` have been compared with their hashes */
    const nested *nested;  /* NULL: `in` is the design's table itself */
} slice;

typedef struct chunk {
    slice slices[CHUNK];
    size_t slice_count, count;
    /* Of each probe: the highest `depth` bits of its keys; keys before its sample; its entries;
     * bits behind the prefix in which its keys may differ from the query. */
    uint32_t prefixes[DENSE_CHUNK], befores[DENSE_CHUNK], begins[DENSE_CHUNK], ends[DENSE_CHUNK];
    uint8_t most[DENSE_CHUNK];
} chunk;

/* The pattern of errors that comes next in the enumeration of a query's probes. */
typedef struct pattern_cursor {
    size_t query;
    uint32_t table;
    int errors; /* of the pattern */
    uint64_t pattern;
    uint64_t head; /* of the query's key in the table, if known */
    bool known;
} pattern_cursor;

struct nd_hamming_search_context {
    nd_allocator allocator;
    const nd_kernel *kernel;
    /* The request, and what follows from it. */
    const nd_hamming_tables *tables;
    const nd_probe_plan *plans;
    const nd_fingerprint *queries;
    size_t query_count;
    uint32_t k;
    int errors[ND_HAMMING_MOST_TABLES];
    nd_hamming_hit_fn *fn;
    void *context;
    uint64_t verified, dense_verified; /* the words of tables->verified */
    uint64_t asked;                    /* queries so far, of all requests */
    size_t ended;                      /* the query that the callback has ended; SIZE_MAX: none */
    /* The buckets of the last hit, because there are often many hits in one bucket. */
    const nd_ef_table *hit_table; /* NULL: hit_bucket is not known */
    nd_ef_bucket hit_bucket;      /* of its entry, in hit_table, from this entry on */
    nd_ef_bucket first_bucket;    /* of its fingerprint, in the first table; end 0: none */
    pattern_cursor cursor;
    chunk chunks[ROUNDS];
    chunk nested; /* for a dense run, which goes through the rounds by itself */
    uint64_t hits[ROOM + 16];
    /* For a scan of all keys: one word per key up to 64 bits, else two, the low one first. */
    uint64_t keys[2 * (ROOM / LANES)], batch[2 * BATCH];
    bool done[BATCH]; /* queries that the callback has ended */
};

nd_status nd_hamming_search_context_create(const nd_allocator *allocator,
                                           nd_hamming_search_context **out, nd_error *error) {
    nd_hamming_search_context *p = nd_allocate_zero(allocator, 1, sizeof *p);
    if (!p) return nd_fail_memory(error, sizeof *p, "Hamming search");
    p->allocator = *allocator;
    p->kernel = nd_kernel_get();
    *out = p;
    return ND_OK;
}

void nd_hamming_search_context_free(nd_hamming_search_context *p) {
    if (!p) return;
    nd_allocator allocator = p->allocator;
    nd_release(&allocator, p);
}

/* ---- probes */

/* The next larger number with as many 1 bits; x is not 0. */
static inline uint64_t next_pattern(uint64_t x) {
    uint64_t lowest = x & (0 - x), carried = x + lowest;
    return carried | (x ^ carried) >> 2 >> __builtin_ctzll(x);
}

/* Moves to the next pattern of at most `errors` errors in `bits` bits. False: it was the last. */
static inline bool step(int errors, unsigned bits, pattern_cursor *w) {
    if (w->errors > 0) w->pattern = next_pattern(w->pattern);
    if (w->errors > 0 && !(w->pattern >> bits)) return true;
    if (w->errors == errors || (unsigned)w->errors == bits) return false;
    w->errors++;
    w->pattern = (UINT64_C(1) << w->errors) - 1;
    return true;
}

static inline uint32_t prefix_of(uint64_t head, unsigned depth) {
    return depth ? (uint32_t)(head >> (64 - depth)) : 0;
}

/* The sample before a probe's first bucket; and the first sample that is not before its end. */
static inline uint64_t sample_of(unsigned shift, uint64_t prefix) {
    return prefix << shift >> SAMPLE_BITS;
}

static inline uint64_t sample_behind(unsigned shift, uint64_t prefix) {
    return (((prefix + 1) << shift) + (1 << SAMPLE_BITS) - 1) >> SAMPLE_BITS;
}

static inline const unsigned char *bytes_of(const nd_ef_table *t, const nd_section *section) {
    return nd_sealed_unverified(t->file, section);
}

/* First round: adds the next probes to the slice and prefetches their samples. Patterns are of the
 * highest `bits` bits. A slice has probes of one depth: if the plan has wide probes, patterns with
 * fewer errors than it allows are wide, and those with all errors go to another slice. `most`: bits
 * in which a key may differ from the query. False: there are no more patterns. */
static inline bool add_probes(chunk *c, slice *s, pattern_cursor *w, unsigned bits, int most) {
    const unsigned char *samples = bytes_of(s->in, &s->in->samples);
    const nd_probe_plan *plan = s->plan;
    const int errors = plan->errors;
    const bool wide = plan->wide > 0 && w->errors < errors;
    const unsigned behind = wide ? 0 : plan->wide, further = wide ? plan->wide : 0,
                   depth = plan->depth - further, shift = plan->shift + further;
    const size_t room = s->nested ? DENSE_CHUNK : CHUNK;
    const uint32_t prefix = prefix_of(s->head, depth);
    uint32_t *const prefixes = c->prefixes;
    uint8_t *const mosts = c->most;
    size_t count = c->count;
    pattern_cursor at = *w; /* a copy, because a store to `mosts` might change *w */
    bool more = true;
    s->depth = depth;
    s->shift = shift;
    s->first = (uint32_t)count;
    for (; more && count < room && !(wide && at.errors == errors); more = step(errors, bits, &at)) {
        const uint32_t here = prefix ^ (uint32_t)at.pattern << behind;
        __builtin_prefetch(samples + sample_of(shift, here) * 4);
        prefixes[count] = here;
        mosts[count++] = (uint8_t)(most - at.errors);
    }
    s->count = (uint32_t)count - s->first;
    c->count = count;
    *w = at;
    return more;
}

/* Begins a slice for the cursor's query in its table. */
static bool fill_slice(nd_hamming_search_context *p, chunk *c) {
    pattern_cursor *w = &p->cursor;
    slice *s = &c->slices[c->slice_count++];
    if (!w->known) w->head = nd_key_of(&p->tables->orders[w->table], p->queries[w->query]).head;
    w->known = true;
    *s = (slice){.query = w->query,
                 .table = w->table,
                 .head = w->head,
                 .in = &p->tables->tables[w->table],
                 .plan = &p->plans[w->table],
                 .verified = p->verified >> w->table & 1};
    return add_probes(c, s, w, s->plan->depth - s->plan->wide, (int)p->k);
}

static void fill(nd_hamming_search_context *p, chunk *c) {
    pattern_cursor *w = &p->cursor;
    c->slice_count = c->count = 0;
    while (c->count < CHUNK && w->query < p->query_count) {
        bool passed = w->table == p->tables->windows.count || w->query == p->ended;
        if (passed) *w = (pattern_cursor){.query = w->query + 1};
        else if (p->plans[w->table].errors < 0 || !fill_slice(p, c))
            *w = (pattern_cursor){.query = w->query, .table = w->table + 1};
    }
}

/* ---- the rounds: finding the entries of probes, and comparing their keys
 *
 * Bytes of the file are trusted only if their pages have been compared with their hashes. Once all
 * pages of a table have been, that is noted in tables->verified, and searches skip the check. */

/* Verifies the pages of bytes [begin, end) of a section. */
static inline nd_status verify(const nd_ef_table *t, const nd_section *section, uint64_t begin,
                               uint64_t end, nd_error *error) {
    return nd_sealed_verify(t->file, section, begin, end, error);
}

/* Whether all pages of a section are verified. Verifies up to *room pages itself: the last ones,
 * because queries hardly ever read them. A damaged page is reported to the query that reads it. */
static bool section_verified(const nd_sealed_file *file, const nd_section *section, size_t *room) {
    for (uint64_t at = 0; at < section->size; at += ND_SEALED_PAGE) {
        const unsigned char *p;
        nd_error error;
        if (nd_sealed_is_verified(file, section, at, at + 1)) continue;
        if (*room == 0 || nd_sealed_view_slowly(file, section, at, 1, &p, &error) != ND_OK)
            return false;
        --*room;
    }
    return true;
}

static bool table_verified(const nd_ef_table *t, size_t *room) {
    return section_verified(t->file, &t->samples, room) &&
           section_verified(t->file, &t->directory, room) &&
           section_verified(t->file, &t->heads, room);
}

/* Notes the tables whose pages are all verified. Verifies up to `room` pages itself. */
static void note_verified(const nd_hamming_tables *tables, size_t room) {
    uint64_t verified = atomic_load_explicit(&tables->verified[0], memory_order_relaxed);
    uint64_t dense_verified = atomic_load_explicit(&tables->verified[1], memory_order_relaxed);
    for (uint32_t i = 0; i < tables->windows.count; i++) {
        const nd_dense_runs *dense = &tables->dense[i];
        const uint64_t bit = UINT64_C(1) << i;
        if (!(verified & bit) && table_verified(&tables->tables[i], &room))
            atomic_fetch_or_explicit(&tables->verified[0], bit, memory_order_relaxed);
        if (dense->count > 0 && !(dense_verified & bit) &&
            table_verified(&dense->tables[0], &room) && table_verified(&dense->tables[1], &room))
            atomic_fetch_or_explicit(&tables->verified[1], bit, memory_order_relaxed);
    }
}

static nd_status fail_directory(const nd_ef_table *t, nd_error *error) {
    return nd_fail(error, ND_ERR_CORRUPT, "%s: damaged: the directory of a table of fingerprints",
                   nd_sealed_path(t->file));
}

static nd_status verify_samples(const nd_ef_table *t, const chunk *c, const slice *s,
                                nd_error *error) {
    for (size_t i = s->first; i < s->first + s->count; i++) {
        uint64_t sample = sample_of(s->shift, c->prefixes[i]),
                 behind = sample_behind(s->shift, c->prefixes[i]);
        ND_TRY(verify(t, &t->samples, sample * 4, sample * 4 + 4, error));
        if (s->shift >= SAMPLE_BITS)
            ND_TRY(verify(t, &t->samples, behind * 4, behind * 4 + 4, error));
    }
    return ND_OK;
}

/* Second round: prefetches words of the directory. A probe of many buckets begins and ends at a
 * sample, which says its entries. */
static nd_status prefetch_directory(nd_hamming_search_context *p, chunk *c, slice *s,
                                    nd_error *error) {
    (void)p;
    const nd_ef_table *t = s->in;
    const unsigned shift = s->shift;
    const unsigned char *samples = bytes_of(t, &t->samples),
                        *directory = bytes_of(t, &t->directory);
    for (size_t i = s->first; shift < SAMPLE_BITS && i < s->first + s->count; i++) {
        uint64_t sample = sample_of(shift, c->prefixes[i]);
        c->befores[i] = nd_load_le32(samples + sample * 4);
        const unsigned char *words = directory + (c->befores[i] + (sample << SAMPLE_BITS)) / 64 * 8;
        __builtin_prefetch(words);
        __builtin_prefetch(words + 31); /* a kernel looks at so many */
    }
    for (size_t i = s->first; shift >= SAMPLE_BITS && i < s->first + s->count; i++) {
        c->begins[i] = nd_load_le32(samples + sample_of(shift, c->prefixes[i]) * 4);
        c->ends[i] = nd_load_le32(samples + sample_behind(shift, c->prefixes[i]) * 4);
    }
    return s->verified ? ND_OK : verify_samples(t, c, s, error);
}

/* Verifies the words of the directory that were read for a slice, and the heads that will be. */
static nd_status verify_keys(const nd_ef_table *t, unsigned shift, const chunk *c, const slice *s,
                             nd_error *error) {
    for (size_t i = s->first; i < s->first + s->count; i++) {
        uint64_t first = (uint64_t)c->prefixes[i] << shift,
                 last = first + (UINT64_C(1) << shift) - 1;
        if (shift < SAMPLE_BITS)
            ND_TRY(verify(t, &t->directory, ((first & ~UINT64_C(63)) + c->befores[i]) / 8,
                          (last + c->ends[i]) / 8 + 1, error));
        ND_TRY(verify(t, &t->heads, (uint64_t)c->begins[i] * t->width / 8,
                      ((uint64_t)c->ends[i] * t->width + 7) / 8, error));
    }
    return ND_OK;
}

/* Finds the entries of a probe whose sample covers thousands of keys: the kernel would count their
 * bits one word after the other, the dense runs let it skip them. */
static nd_status find_behind_dense_runs(const nd_dense_runs *runs, const slice *s, chunk *c,
                                        size_t probe, nd_error *error) {
    uint64_t first = (uint64_t)c->prefixes[probe] << s->shift,
             last = first + (UINT64_C(1) << s->shift) - 1;
    uint64_t before = c->befores[probe], begin = before, end;
    if (first % (1 << SAMPLE_BITS) > 0)
        ND_TRY(nd_dense_bucket_end(runs, s->in, first - 1, before, &begin, error));
    ND_TRY(nd_dense_bucket_end(runs, s->in, last, before, &end, error));
    c->begins[probe] = (uint32_t)begin;
    c->ends[probe] = (uint32_t)end;
    return ND_OK;
}

static void find_buckets(const nd_hamming_search_context *p, const slice *s, chunk *c, size_t first,
                         size_t count) {
    const nd_ef_table *t = s->in;
    p->kernel->find_buckets(bytes_of(t, &t->directory), t->directory.size / 8, c->befores + first,
                            c->prefixes + first, s->shift, count, c->begins + first,
                            c->ends + first);
}

/* Finds the entries of a slice's probes; of those near dense runs one by one. */
static nd_status find_entries(const nd_hamming_search_context *p, const slice *s, chunk *c,
                              nd_error *error) {
    const nd_dense_runs *runs = &p->tables->dense[s->table];
    const unsigned char *samples = bytes_of(s->in, &s->in->samples);
    size_t first = s->first, end = s->first + s->count;
    for (size_t i = first; !s->nested && runs->count > 0 && i < end; i++) {
        uint64_t sample = sample_of(s->shift, c->prefixes[i]);
        if (!s->verified) ND_TRY(verify(s->in, &s->in->samples, sample * 4, sample * 4 + 8, error));
        if (nd_load_le32(samples + sample * 4 + 4) - c->befores[i] < ND_DENSE_LEAST) continue;
        if (i > first) find_buckets(p, s, c, first, i - first);
        ND_TRY(find_behind_dense_runs(runs, s, c, i, error));
        first = i + 1;
    }
    if (first < end) find_buckets(p, s, c, first, end - first);
    return ND_OK;
}

/* Third round: finds the entries and prefetches their keys. */
static nd_status prefetch_keys(nd_hamming_search_context *p, chunk *c, slice *s, nd_error *error) {
    const nd_ef_table *t = s->in;
    const unsigned char *heads = bytes_of(t, &t->heads);
    const unsigned shift = s->shift, width = t->width;
    uint64_t keys = 0;
    bool sane = true;
    if (shift < SAMPLE_BITS) ND_TRY(find_entries(p, s, c, error));
    for (size_t i = s->first; i < s->first + s->count; i++) {
        uint64_t begin = c->begins[i], end = c->ends[i], first = begin * width / 8,
                 last = end * width / 8;
        sane &= begin <= end && end <= t->keys;
        keys += end - begin;
        __builtin_prefetch(heads + first);
        for (uint64_t line = first + LINE; line < last && line < first + LINES * LINE; line += LINE)
            __builtin_prefetch(heads + line);
        __builtin_prefetch(heads + last);
    }
    s->keys = keys;
    if (!sane) return fail_directory(t, error);
    return s->verified ? ND_OK : verify_keys(t, shift, c, s, error);
}

/* The fingerprint of a key of the slice's table. */
static nd_fingerprint fingerprint_of(const nd_hamming_search_context *p, const slice *s,
                                     nd_key key) {
    const nested *n = s->nested;
    return n ? nd_dense_fingerprint(n->runs, n->half, &n->run, key)
             : nd_key_fingerprint(&p->tables->orders[s->table], key);
}

/* Whether this table reports a pair that differs in the bits `unlike`, and if it belongs to a dense
 * run, whether this half's table does. */
static bool is_first(const nd_hamming_search_context *p, const slice *s, nd_fingerprint unlike) {
    const nested *n = s->nested;
    if (!nd_hamming_is_first(&p->tables->windows, p->errors, s->table, unlike)) return false;
    return !n || (n->half == 0) ==
                     ((int)nd_fingerprint_weight(nd_fingerprint_and(unlike, n->runs->half)) <=
                      n->first_errors);
}

/* The key of an entry of a probe. */
static nd_status key_of_entry(nd_hamming_search_context *p, const slice *s, uint32_t prefix,
                              uint64_t entry, nd_key *key, nd_error *error) {
    const nd_ef_table *t = s->in;
    nd_ef_bucket *b = &p->hit_bucket;
    if (s->shift == 0) return nd_ef_table_key_of_bucket(t, prefix, entry, key, error);
    if (p->hit_table != t || entry < b->begin || entry >= b->end) {
        p->hit_table = NULL;
        ND_TRY(nd_ef_table_bucket_of(t, sample_of(s->shift, prefix),
                                     sample_behind(s->shift, prefix), entry, b, error));
        p->hit_table = t;
    }
    return nd_ef_table_key_of_bucket(t, b->number, entry, key, error);
}

/* Finds the entry of a fingerprint in the first table, which must have it. */
static nd_status find_first(nd_hamming_search_context *p, nd_fingerprint fingerprint,
                            uint64_t *entry, nd_error *error) {
    const nd_ef_table *t = &p->tables->tables[0];
    const nd_key key = nd_key_of(&p->tables->orders[0], fingerprint);
    nd_ef_bucket *b = &p->first_bucket;
    uint64_t number = nd_ef_table_bucket_number(t, key);
    if (b->end == 0 || b->number != number) {
        b->end = 0;
        ND_TRY(nd_ef_table_bucket(t, number, b, error));
    }
    ND_TRY(nd_ef_table_find_in(t, b, key, entry, error));
    return *entry == UINT64_MAX ? fail_directory(t, error) : ND_OK;
}

/* Resolves an entry whose head is near the query's: compares the whole key, and reports the hit. */
static nd_status resolve(nd_hamming_search_context *p, const slice *s, uint32_t prefix,
                         uint64_t entry, nd_error *error) {
    nd_key key;
    bool more = true;
    ND_TRY(key_of_entry(p, s, prefix, entry, &key, error));
    nd_hamming_hit hit = {.tables = p->tables,
                          .query = s->query,
                          .fingerprint = fingerprint_of(p, s, key),
                          .entry = entry};
    nd_fingerprint unlike = nd_fingerprint_xor(hit.fingerprint, p->queries[s->query]);
    hit.distance = nd_fingerprint_weight(unlike);
    if (hit.distance > p->k || !is_first(p, s, unlike)) return ND_OK;
    if (s->table > 0 || s->nested) ND_TRY(find_first(p, hit.fingerprint, &hit.entry, error));
    ND_TRY(p->fn(p->context, &hit, &more, error));
    if (!more) p->ended = s->query;
    return ND_OK;
}

/* Finds the entries of ranges [begins[i], ends[i]), at most ROOM together, whose heads are near the
 * query's, for probes `first` + i. Returns their number; p->hits has them. */
static inline size_t find_near(nd_hamming_search_context *p, const chunk *c, const slice *s,
                               size_t first, size_t count, const uint32_t *begins,
                               const uint32_t *ends) {
    const nd_ef_table *t = s->in;
    uint64_t query = s->head << t->bucket_bits >> (64 - t->width);
    return p->kernel->near_ranges(bytes_of(t, &t->heads), t->width, query, begins, ends,
                                  c->most + first, count, p->hits);
}

static inline nd_status resolve_all(nd_hamming_search_context *p, const chunk *c, const slice *s,
                                    size_t first, size_t found, nd_error *error) {
    for (size_t i = 0; i < found && p->ended != s->query; i++)
        ND_TRY(resolve(p, s, c->prefixes[first + (size_t)(p->hits[i] >> 32)], (uint32_t)p->hits[i],
                       error));
    return ND_OK;
}

/* Fourth round: compares the keys of probes [first, first + count), at most ROOM together. */
static nd_status compare(nd_hamming_search_context *p, const chunk *c, const slice *s, size_t first,
                         size_t count, nd_error *error) {
    size_t found = find_near(p, c, s, first, count, c->begins + first, c->ends + first);
    return resolve_all(p, c, s, first, found, error);
}

/* Compares entries [begin, end) of a probe, any number. */
static nd_status compare_long(nd_hamming_search_context *p, const chunk *c, const slice *s,
                              size_t probe, uint32_t begin, uint32_t end, nd_error *error) {
    while (begin < end && p->ended != s->query) {
        uint32_t stop = end - begin > ROOM ? begin + ROOM : end;
        size_t found = find_near(p, c, s, probe, 1, &begin, &stop);
        ND_TRY(resolve_all(p, c, s, probe, found, error));
        begin = stop;
    }
    return ND_OK;
}

static nd_status compare_probes(nd_hamming_search_context *p, chunk *c, slice *s, nd_error *error);

static nd_status each_slice(nd_hamming_search_context *p, chunk *c,
                            nd_status (*round)(nd_hamming_search_context *p, chunk *c, slice *s,
                                               nd_error *error),
                            nd_error *error) {
    for (size_t s = 0; s < c->slice_count; s++)
        if (c->slices[s].query != p->ended) ND_TRY(round(p, c, &c->slices[s], error));
    return ND_OK;
}

/* Searches a dense run by the tables of its halves. *done false: the caller must compare all its
 * keys instead. There are too many probes, or they cover so many of the run's keys that these
 * tables hardly tell them apart. */
static nd_status search_dense_run(nd_hamming_search_context *p, const slice *outer,
                                  const nested n[2], uint64_t number, uint32_t k, bool *done,
                                  nd_error *error) {
    const nd_dense_runs *runs = n->runs;
    chunk *c = &p->nested;
    uint64_t keys = 0;
    *done = false;
    c->slice_count = c->count = 0;
    for (unsigned half = 0; half < 2; half++) {
        const nd_probe_plan *plan = &runs->plans[k].halves[half];
        pattern_cursor w = {0};
        if (plan->errors < 0) continue;
        slice *s = &c->slices[c->slice_count++];
        *s = (slice){.query = outer->query,
                     .table = outer->table,
                     .head = nd_dense_key(runs, half, number, p->queries[outer->query]).head,
                     .in = &runs->tables[half],
                     .plan = plan,
                     .verified = p->dense_verified >> outer->table & 1,
                     .nested = &n[half]};
        if (add_probes(c, s, &w, plan->depth - runs->run_bits, (int)k)) return ND_OK;
    }
    ND_TRY(each_slice(p, c, prefetch_directory, error));
    ND_TRY(each_slice(p, c, prefetch_keys, error));
    for (size_t i = 0; i < c->slice_count; i++) keys += c->slices[i].keys;
    *done = keys * SPARSE <= n->run.end - n->run.first;
    return *done ? each_slice(p, c, compare_probes, error) : ND_OK;
}

/* A probe with many keys. Dense runs among them are searched for the errors that their windows
 * leave of k, unless comparing their keys is faster. All other keys are compared. */
static nd_status search_dense_runs(nd_hamming_search_context *p, const chunk *c, const slice *s,
                                   size_t probe, nd_error *error) {
    const nd_dense_runs *runs = &p->tables->dense[s->table];
    const uint64_t window = s->head & ~UINT64_C(0) << (64 - runs->width);
    uint64_t at = c->begins[probe], end = c->ends[probe], number;
    ND_TRY(nd_dense_find(runs, at, &number, error));
    for (; number < runs->count && p->ended != s->query; number++) {
        nd_dense_run run;
        bool done = true;
        ND_TRY(nd_dense_run_at(runs, number, &run, error));
        if (run.first >= end) break;
        if (run.first < at || run.end > end) return fail_directory(s->in, error);
        int distance = (int)nd_popcount(window ^ run.window);
        if (distance <= s->plan->errors) { /* else another table reports all hits of the run */
            const nd_dense_plan *plan = &runs->plans[p->k - (uint32_t)distance];
            const nested halves[2] = {{runs, run, 0, plan->halves[0].errors},
                                      {runs, run, 1, plan->halves[0].errors}};
            if (run.end - run.first < plan->least) continue;
            ND_TRY(search_dense_run(p, s, halves, number, p->k - (uint32_t)distance, &done, error));
        }
        if (!done) continue;
        ND_TRY(compare_long(p, c, s, probe, (uint32_t)at, (uint32_t)run.first, error));
        at = run.end;
    }
    return compare_long(p, c, s, probe, (uint32_t)at, (uint32_t)end, error);
}

/* A wide probe with many keys: probes its patterns one after the other. */
static nd_status probe_narrowly(nd_hamming_search_context *p, chunk *c, const slice *s,
                                size_t probe, nd_error *error) {
    const nd_probe_plan *plan = s->plan;
    const uint32_t low = prefix_of(s->head, plan->depth) & ((UINT32_C(1) << plan->wide) - 1),
                   prefix = c->prefixes[probe] << plan->wide | low;
    const int before = (int)(p->k - c->most[probe]); /* errors of the wide probe's pattern */
    pattern_cursor w = {0};
    slice narrow = *s;
    narrow.first = (uint32_t)probe;
    narrow.count = 1;
    narrow.depth = plan->depth;
    narrow.shift = plan->shift;
    for (bool more = true; more && p->ended != s->query;
         more = step(plan->errors - before, plan->wide, &w)) {
        c->prefixes[probe] = prefix ^ (uint32_t)w.pattern;
        c->most[probe] = (uint8_t)((int)p->k - before - w.errors);
        ND_TRY(prefetch_directory(p, c, &narrow, error));
        ND_TRY(prefetch_keys(p, c, &narrow, error));
        ND_TRY(compare_probes(p, c, &narrow, error));
    }
    return ND_OK;
}

/* Last part of the fourth round: compares the keys of a slice, many probes at once. Probes with too
 * many keys are handled by themselves. */
static nd_status compare_probes(nd_hamming_search_context *p, chunk *c, slice *s, nd_error *error) {
    bool dense = !s->nested && p->tables->dense[s->table].count > 0,
         wide = s->shift > s->plan->shift;
    const uint32_t room = wide ? WIDE_MOST : dense ? ND_DENSE_LEAST : ROOM;
    size_t first = s->first, end = s->first + s->count;
    uint32_t keys = 0;
    for (size_t i = first; s->keys > room && i < end && p->ended != s->query; i++) {
        uint32_t here = c->ends[i] - c->begins[i];
        if (keys + here > room) {
            ND_TRY(compare(p, c, s, first, i - first, error));
            first = i;
            keys = 0;
        }
        keys += here;
        if (here <= room) continue;
        if (wide) ND_TRY(probe_narrowly(p, c, s, i, error));
        else if (dense) ND_TRY(search_dense_runs(p, c, s, i, error));
        else ND_TRY(compare_long(p, c, s, i, c->begins[i], c->ends[i], error));
        first = i + 1;
        keys = 0;
    }
    return p->ended == s->query ? ND_OK : compare(p, c, s, first, end - first, error);
}

/* Four chunks are on their way, each in another round: what one prefetches arrives while the others
 * are worked on. */
static nd_status search_probes(nd_hamming_search_context *p, nd_error *error) {
    for (unsigned r = 0; r < ROUNDS; r++) p->chunks[r].slice_count = 0;
    for (unsigned turn = 0, idle = 0; idle < ROUNDS; turn++) {
        chunk *newest = &p->chunks[turn % ROUNDS];
        fill(p, newest);
        idle = newest->count > 0 ? 0 : idle + 1;
        ND_TRY(each_slice(p, &p->chunks[(turn - 1) % ROUNDS], prefetch_directory, error));
        ND_TRY(each_slice(p, &p->chunks[(turn - 2) % ROUNDS], prefetch_keys, error));
        ND_TRY(each_slice(p, &p->chunks[(turn - 3) % ROUNDS], compare_probes, error));
    }
    return ND_OK;
}

/* ---- scanning: many queries are compared with all keys */

static void store_key(nd_key key, unsigned words, uint64_t *to) {
    to[0] = words > 1 ? key.tail : key.head;
    if (words > 1) to[1] = key.head;
}

/* Unpacks the next keys. */
static nd_status unpack(nd_hamming_search_context *p, nd_ef_cursor *cursor, unsigned words,
                        size_t *count, nd_error *error) {
    bool more = true;
    for (*count = 0; *count < ROOM / LANES; ++*count) {
        ND_TRY(nd_ef_cursor_next(cursor, &more, error));
        if (!more) return ND_OK;
        store_key(cursor->key, words, p->keys + *count * words);
    }
    return ND_OK;
}

/* Reports the `found` pairs of queries, numbered from batch + first on, and unpacked keys, of which
 * the first is entry `entry`. */
static nd_status report_pairs(nd_hamming_search_context *p, size_t batch, size_t first,
                              size_t found, uint64_t entry, unsigned words, nd_error *error) {
    const nd_bit_order *order = &p->tables->orders[0];
    for (size_t i = 0; i < found; i++) {
        size_t query = first + (size_t)(p->hits[i] >> 32), at = (uint32_t)p->hits[i];
        const uint64_t *key = p->keys + at * words;
        bool more = true;
        if (p->done[query]) continue;
        nd_hamming_hit hit = {.tables = p->tables,
                              .query = batch + query,
                              .fingerprint = nd_key_fingerprint(
                                  order, (nd_key){key[words - 1], words > 1 ? key[0] : 0}),
                              .entry = entry + at};
        hit.distance = nd_fingerprint_weight(
            nd_fingerprint_xor(hit.fingerprint, p->queries[batch + query]));
        ND_TRY(p->fn(p->context, &hit, &more, error));
        p->done[query] = !more;
    }
    return ND_OK;
}

/* Compares queries [batch, batch + count) with all keys. A block of keys stays in the cache while
 * all queries are compared with it. */
static nd_status scan_batch(nd_hamming_search_context *p, size_t batch, size_t count,
                            nd_error *error) {
    unsigned words = p->tables->design.bits > 64 ? 2 : 1;
    nd_ef_cursor cursor = nd_ef_cursor_begin(&p->tables->tables[0]);
    for (size_t q = 0; q < count; q++) {
        store_key(nd_key_of(&p->tables->orders[0], p->queries[batch + q]), words,
                  p->batch + q * words);
        p->done[q] = false;
    }
    for (size_t keys;;) {
        uint64_t entry = cursor.next;
        ND_TRY(unpack(p, &cursor, words, &keys, error));
        if (keys == 0) return ND_OK;
        for (size_t q = 0; q < count; q += LANES) {
            size_t lanes = count - q < LANES ? count - q : LANES;
            size_t found = words > 1 ? p->kernel->near128_pairs(p->batch + q * words, lanes,
                                                                p->keys, keys, p->k, p->hits)
                                     : p->kernel->near64_pairs(p->batch + q, lanes, p->keys, keys,
                                                               p->k, p->hits);
            ND_TRY(report_pairs(p, batch, q, found, entry, words, error));
        }
    }
}

static nd_status scan(nd_hamming_search_context *p, nd_error *error) {
    const size_t count = p->query_count;
    for (size_t batch = 0; batch < count; batch += BATCH)
        ND_TRY(scan_batch(p, batch, count - batch < BATCH ? count - batch : BATCH, error));
    return ND_OK;
}

nd_status nd_hamming_search_tables(nd_hamming_search_context *p, const nd_hamming_request *request,
                                   nd_error *error) {
    const nd_hamming_tables *tables = request->tables;
    const size_t count = request->count;
    const uint32_t k = request->k;
    p->tables = tables;
    p->queries = request->queries;
    p->query_count = count;
    p->k = k;
    p->fn = request->fn;
    p->context = request->context;
    if (k > tables->design.k || (tables->design.kind == ND_HAMMING_SCAN && count >= LEAST_BATCH))
        return scan(p, error);
    p->plans = nd_hamming_probe_plans(tables, k);
    for (uint32_t t = 0; t < tables->windows.count; t++) p->errors[t] = p->plans[t].errors;
    p->ended = SIZE_MAX;
    p->hit_table = NULL;
    p->first_bucket.end = 0;
    p->cursor = (pattern_cursor){0};
    if (p->asked / NOTED != (p->asked + count) / NOTED || p->asked == 0)
        note_verified(tables, p->asked > 0 ? LAST_PAGES : 0);
    p->asked += count;
    p->verified = atomic_load_explicit(&tables->verified[0], memory_order_relaxed);
    p->dense_verified = atomic_load_explicit(&tables->verified[1], memory_order_relaxed);
    return search_probes(p, error);
}
