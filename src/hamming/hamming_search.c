#include "hamming/hamming_search.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "kernel/kernel.h"

enum {
    SAMPLE_BITS = 6, /* of the buckets between two samples */
    CHUNK = 64,      /* places that go through the rounds together */
    ROUNDS = 4,
    LINE = 64,    /* bytes */
    LINES = 16,   /* that are asked for of a place: from there on the processor sees by itself what
                     comes */
    NOTED = 1024, /* after so many queries it is seen whether all pages have been compared, */
    LAST_PAGES = 64, /* but for so many, which are compared then */
    LANES = 8, /* queries that are held against a key at once, where everything is looked at */
    ROOM = ND_LIMIT(16384, 24), /* keys, or pairs, that are compared at once */
    BATCH = ND_LIMIT(4096, 8), /* queries that are held against all keys, once these are unpacked */
    LEAST_BATCH = ND_LIMIT(256, 5), /* from so many on it pays to unpack them */
    WIDE_MOST = ND_LIMIT(
        2048, 8), /* keys of a wide place that are looked at, and not its patterns one by one */
    SPARSE = ND_LIMIT(16, 1) /* of a heavy run one key of so many may be behind the places */
};

/* A heavy run that is searched, in the table of one of its halves. */
typedef struct nested {
    const nd_dense_runs *runs;
    nd_dense_run run;
    unsigned half;
    int first_errors; /* of the first half: what has no more there is told by its table */
} nested;

/* Places of one query in one table, in a chunk's arrays from `first` on. */
typedef struct slice {
    size_t query;   /* its number */
    uint32_t table; /* of the design */
    uint32_t first, count;
    uint64_t head;                  /* of the query's key */
    uint64_t keys;                  /* behind the places */
    const nd_fingerprint_table *in; /* where the places are */
    const nd_probe_plan *way;
    unsigned depth, shift; /* of its places: the way's, or those of the way's wide ones */
    bool whole;            /* all pages of `in` have been compared */
    const nested *nested;  /* NULL: `in` is the design's table itself */
} slice;

typedef struct chunk {
    slice slices[CHUNK];
    size_t slice_count, count;
    uint32_t prefixes[CHUNK], befores[CHUNK], begins[CHUNK],
        ends[CHUNK];     /* the highest bits at the table's depth; the sample before; entries */
    uint8_t most[CHUNK]; /* bits in which what is behind may differ from the query */
} chunk;

/* Where the enumeration of places stands: the pattern of errors to come, in its table. */
typedef struct walker {
    size_t query;
    uint32_t table;
    int errors; /* of the pattern */
    uint64_t pattern;
} walker;

struct nd_hamming_prober {
    nd_allocator allocator;
    const nd_kernel *kernel;
    /* Of the queries. */
    const nd_hamming_tables *tables;
    const nd_probe_plan *ways;
    const nd_fingerprint *queries;
    size_t query_count;
    uint32_t k;
    int errors[ND_HAMMING_MOST_TABLES];
    nd_hamming_hit_fn *fn;
    void *context;
    uint64_t whole, heavy_whole; /* a bit a table: all its pages have been compared, and of its
                                    heavy runs' tables */
    uint64_t asked;              /* queries so far */
    size_t ended;                /* the query of which no more hits are wanted */
    /* Where hits were last, which are often many in one bucket: that of an entry of a table, from
     * there on, and that of a fingerprint in the first table. */
    const nd_fingerprint_table *hit_table; /* NULL: none */
    nd_ef_bucket hit_bucket, first_bucket; /* first_bucket.end 0: none */
    walker walker;
    chunk chunks[ROUNDS],
        nested; /* the last one of a heavy run, which goes through the rounds alone */
    uint64_t hits[ROOM + 16];
    /* Where everything is looked at: one word a key up to 64 bits, else two, the low one first. */
    uint64_t keys[2 * (ROOM / LANES)], batch[2 * BATCH];
    bool done[BATCH]; /* queries of which no more hits are wanted */
};

nd_status nd_hamming_prober_create(const nd_allocator *allocator, nd_hamming_prober **out,
                                   nd_error *error) {
    nd_hamming_prober *p = nd_allocate_zero(allocator, 1, sizeof *p);
    if (!p) return nd_fail_memory(error, sizeof *p, "Hamming search");
    p->allocator = *allocator;
    p->kernel = nd_kernel_get();
    *out = p;
    return ND_OK;
}

void nd_hamming_prober_free(nd_hamming_prober *p) {
    if (!p) return;
    nd_allocator allocator = p->allocator;
    nd_release(&allocator, p);
}

/* ---- the places */

/* The next larger number with as many bits; x is not 0. */
static inline uint64_t next_pattern(uint64_t x) {
    uint64_t lowest = x & (0 - x), carried = x + lowest;
    return carried | (x ^ carried) >> 2 >> __builtin_ctzll(x);
}

/* Moves to the next pattern in so many bits. False: that was the last. */
static inline bool step(int errors, unsigned bits, walker *w) {
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

/* Of a place, the sample from which on it begins; and one that is not before its end. */
static inline uint64_t sample_of(unsigned shift, uint64_t prefix) {
    return prefix << shift >> SAMPLE_BITS;
}

static inline uint64_t sample_behind(unsigned shift, uint64_t prefix) {
    return (((prefix + 1) << shift) + (1 << SAMPLE_BITS) - 1) >> SAMPLE_BITS;
}

static inline const unsigned char *bytes_of(const nd_fingerprint_table *t,
                                            const nd_section *section) {
    return nd_sealed_unverified(t->file, section);
}

/* First round: the next places of a walker, whose patterns are of `bits` of the highest bits, in
 * the slice's table; their samples are asked for. Those with fewer errors than the way's are wide
 * where it has wide ones, and stand in another slice than the others. False: there are no more. */
static inline bool put_places(chunk *c, slice *s, walker *w, unsigned bits, int most) {
    const unsigned char *samples = bytes_of(s->in, &s->in->samples);
    const nd_probe_plan *way = s->way;
    const bool wide = way->wide > 0 && w->errors < way->errors;
    const unsigned behind = wide ? 0 : way->wide;
    s->depth = way->depth - (wide ? way->wide : 0);
    s->shift = way->shift + (wide ? way->wide : 0);
    const uint32_t prefix = prefix_of(s->head, s->depth);
    bool more = true;
    s->first = (uint32_t)c->count;
    for (; more && c->count < CHUNK && !(wide && w->errors == way->errors);
         more = step(way->errors, bits, w)) {
        c->prefixes[c->count] = prefix ^ (uint32_t)w->pattern << behind;
        c->most[c->count] = (uint8_t)(most - w->errors);
        __builtin_prefetch(samples + sample_of(s->shift, c->prefixes[c->count]) * 4);
        c->count++;
    }
    s->count = (uint32_t)c->count - s->first;
    return more;
}

/* Of the walker's query in its table. */
static bool fill_slice(nd_hamming_prober *p, chunk *c) {
    walker *w = &p->walker;
    slice *s = &c->slices[c->slice_count++];
    *s = (slice){.query = w->query,
                 .table = w->table,
                 .head = nd_key_of(&p->tables->orders[w->table], p->queries[w->query]).head,
                 .in = &p->tables->tables[w->table],
                 .way = &p->ways[w->table],
                 .whole = p->whole >> w->table & 1};
    return put_places(c, s, w, s->way->depth - s->way->wide, (int)p->k);
}

static void fill(nd_hamming_prober *p, chunk *c) {
    walker *w = &p->walker;
    c->slice_count = c->count = 0;
    while (c->count < CHUNK && w->query < p->query_count) {
        bool passed = w->table == p->tables->windows.count || w->query == p->ended;
        if (passed) *w = (walker){.query = w->query + 1};
        else if (p->ways[w->table].errors < 0 || !fill_slice(p, c))
            *w = (walker){w->query, w->table + 1, 0, 0};
    }
}

/* ---- looking */

/* What was read is only believed when its pages have been compared with their hashes. Once all of a
 * table have been, that is noted (`whole`), and nobody asks again. */
static inline nd_status see(const nd_fingerprint_table *t, const nd_section *section,
                            uint64_t begin, uint64_t end, nd_error *error) {
    return nd_sealed_verify(t->file, section, begin, end, error);
}

/* Compares up to *room pages more: the last ones of all, which hardly a query comes to. What is
 * wrong with one is told to who asks for it. */
static bool section_compared(const nd_sealed_file *file, const nd_section *section, size_t *room) {
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

static bool table_compared(const nd_fingerprint_table *t, size_t *room) {
    return section_compared(t->file, &t->samples, room) &&
           section_compared(t->file, &t->directory, room) &&
           section_compared(t->file, &t->heads, room);
}

static void note_whole(const nd_hamming_tables *tables, size_t room) {
    uint64_t whole = atomic_load_explicit(&tables->whole[0], memory_order_relaxed);
    uint64_t heavy_whole = atomic_load_explicit(&tables->whole[1], memory_order_relaxed);
    for (uint32_t i = 0; i < tables->windows.count; i++) {
        const nd_dense_runs *heavy = &tables->heavy[i];
        const uint64_t bit = UINT64_C(1) << i;
        if (!(whole & bit) && table_compared(&tables->tables[i], &room))
            atomic_fetch_or_explicit(&tables->whole[0], bit, memory_order_relaxed);
        if (heavy->count > 0 && !(heavy_whole & bit) && table_compared(&heavy->tables[0], &room) &&
            table_compared(&heavy->tables[1], &room))
            atomic_fetch_or_explicit(&tables->whole[1], bit, memory_order_relaxed);
    }
}

static nd_status refuse(const nd_fingerprint_table *t, nd_error *error) {
    return nd_fail(error, ND_ERR_CORRUPT,
                   "%s: damaged: the directory of a table of fingerprints leads nowhere",
                   nd_sealed_path(t->file));
}

static nd_status see_samples(const nd_fingerprint_table *t, const chunk *c, const slice *s,
                             nd_error *error) {
    for (size_t i = s->first; i < s->first + s->count; i++) {
        uint64_t sample = sample_of(s->shift, c->prefixes[i]),
                 behind = sample_behind(s->shift, c->prefixes[i]);
        ND_TRY(see(t, &t->samples, sample * 4, sample * 4 + 4, error));
        if (s->shift >= SAMPLE_BITS) ND_TRY(see(t, &t->samples, behind * 4, behind * 4 + 4, error));
    }
    return ND_OK;
}

/* Second round: words of the directory are asked for, or, where samples tell, the entries. */
static nd_status ask_directory(nd_hamming_prober *p, chunk *c, slice *s, nd_error *error) {
    (void)p;
    const nd_fingerprint_table *t = s->in;
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
    return s->whole ? ND_OK : see_samples(t, c, s, error);
}

/* What the slice's keys are looked for in. */
static nd_status see_keys(const nd_fingerprint_table *t, unsigned shift, const chunk *c,
                          const slice *s, nd_error *error) {
    for (size_t i = s->first; i < s->first + s->count; i++) {
        uint64_t first = (uint64_t)c->prefixes[i] << shift,
                 last = first + (UINT64_C(1) << shift) - 1;
        if (shift < SAMPLE_BITS)
            ND_TRY(see(t, &t->directory, ((first & ~UINT64_C(63)) + c->befores[i]) / 8,
                       (last + c->ends[i]) / 8 + 1, error));
        ND_TRY(see(t, &t->heads, (uint64_t)c->begins[i] * t->width / 8,
                   ((uint64_t)c->ends[i] * t->width + 7) / 8, error));
    }
    return ND_OK;
}

/* Where a place begins and ends in whose sample are thousands of keys, which the kernel would
 * count. */
static nd_status find_behind_runs(const nd_dense_runs *runs, const slice *s, chunk *c, size_t place,
                                  nd_error *error) {
    uint64_t first = (uint64_t)c->prefixes[place] << s->shift,
             last = first + (UINT64_C(1) << s->shift) - 1;
    uint64_t before = c->befores[place], begin = before, end;
    if (first % (1 << SAMPLE_BITS) > 0)
        ND_TRY(nd_dense_bucket_end(runs, s->in, first - 1, before, &begin, error));
    ND_TRY(nd_dense_bucket_end(runs, s->in, last, before, &end, error));
    c->begins[place] = (uint32_t)begin;
    c->ends[place] = (uint32_t)end;
    return ND_OK;
}

static void find_buckets(const nd_hamming_prober *p, const slice *s, chunk *c, size_t first,
                         size_t count) {
    const nd_fingerprint_table *t = s->in;
    p->kernel->find_buckets(bytes_of(t, &t->directory), t->directory.size / 8, c->befores + first,
                            c->prefixes + first, s->shift, count, c->begins + first,
                            c->ends + first);
}

/* The entries of a slice's places, those behind heavy runs one by one. */
static nd_status find_places(const nd_hamming_prober *p, const slice *s, chunk *c,
                             nd_error *error) {
    const nd_dense_runs *runs = &p->tables->heavy[s->table];
    const unsigned char *samples = bytes_of(s->in, &s->in->samples);
    size_t first = s->first, end = s->first + s->count;
    for (size_t i = first; !s->nested && runs->count > 0 && i < end; i++) {
        uint64_t sample = sample_of(s->shift, c->prefixes[i]);
        if (!s->whole) ND_TRY(see(s->in, &s->in->samples, sample * 4, sample * 4 + 8, error));
        if (nd_load_le32(samples + sample * 4 + 4) - c->befores[i] < ND_DENSE_LEAST) continue;
        if (i > first) find_buckets(p, s, c, first, i - first);
        ND_TRY(find_behind_runs(runs, s, c, i, error));
        first = i + 1;
    }
    if (first < end) find_buckets(p, s, c, first, end - first);
    return ND_OK;
}

/* Third round: which entries; the keys are asked for. */
static nd_status ask_keys(nd_hamming_prober *p, chunk *c, slice *s, nd_error *error) {
    const nd_fingerprint_table *t = s->in;
    const unsigned char *heads = bytes_of(t, &t->heads);
    const unsigned shift = s->shift, width = t->width;
    uint64_t keys = 0;
    bool sane = true;
    if (shift < SAMPLE_BITS) ND_TRY(find_places(p, s, c, error));
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
    if (!sane) return refuse(t, error);
    return s->whole ? ND_OK : see_keys(t, shift, c, s, error);
}

/* The fingerprint that stands there. */
static nd_fingerprint fingerprint_of(const nd_hamming_prober *p, const slice *s, nd_key key) {
    const nested *n = s->nested;
    return n ? nd_dense_fingerprint(n->runs, n->half, &n->run, key)
             : nd_key_fingerprint(&p->tables->orders[s->table], key);
}

/* Whether this is the table to tell of it, and of the tables of a run's halves the one. */
static bool is_first(const nd_hamming_prober *p, const slice *s, nd_fingerprint unlike) {
    const nested *n = s->nested;
    if (!nd_hamming_is_first(&p->tables->windows, p->errors, s->table, unlike)) return false;
    return !n || (n->half == 0) ==
                     ((int)nd_fingerprint_weight(nd_fingerprint_and(unlike, n->runs->half)) <=
                      n->first_errors);
}

/* The key of an entry behind a place. */
static nd_status key_behind(nd_hamming_prober *p, const slice *s, uint32_t prefix, uint64_t entry,
                            nd_key *key, nd_error *error) {
    const nd_fingerprint_table *t = s->in;
    nd_ef_bucket *b = &p->hit_bucket;
    if (s->shift == 0) return nd_fingerprint_table_key_of_bucket(t, prefix, entry, key, error);
    if (p->hit_table != t || entry < b->begin || entry >= b->end) {
        p->hit_table = NULL;
        ND_TRY(nd_fingerprint_table_bucket_of(t, sample_of(s->shift, prefix),
                                              sample_behind(s->shift, prefix), entry, b, error));
        p->hit_table = t;
    }
    return nd_fingerprint_table_key_of_bucket(t, b->number, entry, key, error);
}

/* The entry of a fingerprint in the first table, which has it. */
static nd_status find_first(nd_hamming_prober *p, nd_fingerprint fingerprint, uint64_t *entry,
                            nd_error *error) {
    const nd_fingerprint_table *t = &p->tables->tables[0];
    const nd_key key = nd_key_of(&p->tables->orders[0], fingerprint);
    nd_ef_bucket *b = &p->first_bucket;
    uint64_t number = nd_fingerprint_table_bucket_number(t, key);
    if (b->end == 0 || b->number != number) {
        b->end = 0;
        ND_TRY(nd_fingerprint_table_bucket(t, number, b, error));
    }
    ND_TRY(nd_fingerprint_table_find_in(t, b, key, entry, error));
    return *entry == UINT64_MAX ? refuse(t, error) : ND_OK;
}

/* An entry whose head is near: the whole key is compared. */
static nd_status settle(nd_hamming_prober *p, const slice *s, uint32_t prefix, uint64_t entry,
                        nd_error *error) {
    nd_key key;
    bool more = true;
    ND_TRY(key_behind(p, s, prefix, entry, &key, error));
    nd_hamming_hit hit = {p->tables, s->query, fingerprint_of(p, s, key), 0, entry};
    nd_fingerprint unlike = nd_fingerprint_xor(hit.fingerprint, p->queries[s->query]);
    hit.distance = nd_fingerprint_weight(unlike);
    if (hit.distance > p->k || !is_first(p, s, unlike)) return ND_OK;
    if (s->table > 0 || s->nested) ND_TRY(find_first(p, hit.fingerprint, &hit.entry, error));
    ND_TRY(p->fn(p->context, &hit, &more, error));
    if (!more) p->ended = s->query;
    return ND_OK;
}

/* Fourth round, of places [first, first + count) with at most ROOM keys together: those whose heads
 * are near. */
static nd_status compare(nd_hamming_prober *p, const chunk *c, const slice *s, size_t first,
                         size_t count, const uint32_t *begins, const uint32_t *ends,
                         nd_error *error) {
    const nd_fingerprint_table *t = s->in;
    uint64_t query = s->head << t->bucket_bits >> (64 - t->width);
    size_t found = p->kernel->near_ranges(bytes_of(t, &t->heads), t->width, query, begins, ends,
                                          c->most + first, count, p->hits);
    for (size_t i = 0; i < found && p->ended != s->query; i++)
        ND_TRY(settle(p, s, c->prefixes[first + (size_t)(p->hits[i] >> 32)], (uint32_t)p->hits[i],
                      error));
    return ND_OK;
}

/* Entries [begin, end) of a place, any number. */
static nd_status compare_long(nd_hamming_prober *p, const chunk *c, const slice *s, size_t place,
                              uint32_t begin, uint32_t end, nd_error *error) {
    while (begin < end && p->ended != s->query) {
        uint32_t stop = end - begin > ROOM ? begin + ROOM : end;
        ND_TRY(compare(p, c, s, place, 1, &begin, &stop, error));
        begin = stop;
    }
    return ND_OK;
}

static nd_status look(nd_hamming_prober *p, chunk *c, slice *s, nd_error *error);

static nd_status each_slice(nd_hamming_prober *p, chunk *c,
                            nd_status (*round)(nd_hamming_prober *p, chunk *c, slice *s,
                                               nd_error *error),
                            nd_error *error) {
    for (size_t s = 0; s < c->slice_count; s++)
        if (c->slices[s].query != p->ended) ND_TRY(round(p, c, &c->slices[s], error));
    return ND_OK;
}

/* A run by the tables of both halves. *done false: it is to be compared, for there are too many
 * places, or so many of its keys behind them that these tables tell little of them apart. */
static nd_status search_run(nd_hamming_prober *p, const slice *outer, const nested n[2],
                            uint64_t number, uint32_t k, bool *done, nd_error *error) {
    const nd_dense_runs *runs = n->runs;
    chunk *c = &p->nested;
    uint64_t keys = 0;
    *done = false;
    c->slice_count = c->count = 0;
    for (unsigned half = 0; half < 2; half++) {
        const nd_probe_plan *way = &runs->ways[k].halves[half];
        walker w = {0};
        if (way->errors < 0) continue;
        slice *s = &c->slices[c->slice_count++];
        *s = (slice){.query = outer->query,
                     .table = outer->table,
                     .head = nd_dense_key(runs, half, number, p->queries[outer->query]).head,
                     .in = &runs->tables[half],
                     .way = way,
                     .whole = p->heavy_whole >> outer->table & 1,
                     .nested = &n[half]};
        if (put_places(c, s, &w, way->depth - runs->run_bits, (int)k)) return ND_OK;
    }
    ND_TRY(each_slice(p, c, ask_directory, error));
    ND_TRY(each_slice(p, c, ask_keys, error));
    for (size_t i = 0; i < c->slice_count; i++) keys += c->slices[i].keys;
    *done = keys * SPARSE <= n->run.end - n->run.first;
    return *done ? each_slice(p, c, look, error) : ND_OK;
}

/* A place with many keys: heavy runs are searched, with what their windows leave of k, where that
 * is faster than to compare their keys; what lies between them is compared. */
static nd_status look_at_runs(nd_hamming_prober *p, const chunk *c, const slice *s, size_t place,
                              nd_error *error) {
    const nd_dense_runs *runs = &p->tables->heavy[s->table];
    const uint64_t window = s->head & ~UINT64_C(0) << (64 - runs->width);
    uint64_t at = c->begins[place], end = c->ends[place], number;
    ND_TRY(nd_dense_find(runs, at, &number, error));
    for (; number < runs->count && p->ended != s->query; number++) {
        nd_dense_run run;
        bool done = true;
        ND_TRY(nd_dense_run_at(runs, number, &run, error));
        if (run.first >= end) break;
        if (run.first < at || run.end > end) return refuse(s->in, error);
        int distance = (int)nd_ones(window ^ run.window);
        if (distance <= s->way->errors) { /* else whatever is there is told by another table */
            const nd_dense_plan *way = &runs->ways[p->k - (uint32_t)distance];
            const nested halves[2] = {{runs, run, 0, way->halves[0].errors},
                                      {runs, run, 1, way->halves[0].errors}};
            if (run.end - run.first < way->least) continue;
            ND_TRY(search_run(p, s, halves, number, p->k - (uint32_t)distance, &done, error));
        }
        if (!done) continue;
        ND_TRY(compare_long(p, c, s, place, (uint32_t)at, (uint32_t)run.first, error));
        at = run.end;
    }
    return compare_long(p, c, s, place, (uint32_t)at, (uint32_t)end, error);
}

/* A wide place in which many keys are crowded: the patterns for which it stands, one after the
 * other. */
static nd_status look_narrowly(nd_hamming_prober *p, chunk *c, const slice *s, size_t place,
                               nd_error *error) {
    const nd_probe_plan *way = s->way;
    const uint32_t low = prefix_of(s->head, way->depth) & ((UINT32_C(1) << way->wide) - 1),
                   prefix = c->prefixes[place] << way->wide | low;
    const int before = (int)(p->k - c->most[place]); /* errors */
    walker w = {0};
    slice narrow = *s;
    narrow.first = (uint32_t)place;
    narrow.count = 1;
    narrow.depth = way->depth;
    narrow.shift = way->shift;
    for (bool more = true; more && p->ended != s->query;
         more = step(way->errors - before, way->wide, &w)) {
        c->prefixes[place] = prefix ^ (uint32_t)w.pattern;
        c->most[place] = (uint8_t)((int)p->k - before - w.errors);
        ND_TRY(ask_directory(p, c, &narrow, error));
        ND_TRY(ask_keys(p, c, &narrow, error));
        ND_TRY(look(p, c, &narrow, error));
    }
    return ND_OK;
}

/* Places that are too long to be compared with others, by themselves. */
static nd_status look(nd_hamming_prober *p, chunk *c, slice *s, nd_error *error) {
    bool heavy = !s->nested && p->tables->heavy[s->table].count > 0,
         wide = s->shift > s->way->shift;
    const uint32_t room = wide ? WIDE_MOST : heavy ? ND_DENSE_LEAST : ROOM;
    size_t first = s->first, end = s->first + s->count;
    uint32_t keys = 0;
    for (size_t i = first; s->keys > room && i < end && p->ended != s->query; i++) {
        uint32_t here = c->ends[i] - c->begins[i];
        if (keys + here > room) {
            ND_TRY(compare(p, c, s, first, i - first, c->begins + first, c->ends + first, error));
            first = i;
            keys = 0;
        }
        keys += here;
        if (here <= room) continue;
        if (wide) ND_TRY(look_narrowly(p, c, s, i, error));
        else if (heavy) ND_TRY(look_at_runs(p, c, s, i, error));
        else ND_TRY(compare_long(p, c, s, i, c->begins[i], c->ends[i], error));
        first = i + 1;
        keys = 0;
    }
    return p->ended == s->query
               ? ND_OK
               : compare(p, c, s, first, end - first, c->begins + first, c->ends + first, error);
}

/* Four chunks are on their way, each in another round: what one asks for comes while the others are
 * worked on. */
static nd_status search_places(nd_hamming_prober *p, nd_error *error) {
    for (unsigned r = 0; r < ROUNDS; r++) p->chunks[r].slice_count = 0;
    for (unsigned turn = 0, idle = 0; idle < ROUNDS; turn++) {
        chunk *newest = &p->chunks[turn % ROUNDS];
        fill(p, newest);
        idle = newest->count > 0 ? 0 : idle + 1;
        ND_TRY(each_slice(p, &p->chunks[(turn - 1) % ROUNDS], ask_directory, error));
        ND_TRY(each_slice(p, &p->chunks[(turn - 2) % ROUNDS], ask_keys, error));
        ND_TRY(each_slice(p, &p->chunks[(turn - 3) % ROUNDS], look, error));
    }
    return ND_OK;
}

/* ---- scanning */

static void put_key(nd_key key, unsigned words, uint64_t *to) {
    to[0] = words > 1 ? key.tail : key.head;
    if (words > 1) to[1] = key.head;
}

/* The next keys, unpacked; returns their number. */
static nd_status unpack(nd_hamming_prober *p, nd_ef_cursor *cursor, unsigned words, size_t *count,
                        nd_error *error) {
    bool more = true;
    for (*count = 0; *count < ROOM / LANES; ++*count) {
        ND_TRY(nd_ef_cursor_next(cursor, &more, error));
        if (!more) return ND_OK;
        put_key(cursor->key, words, p->keys + *count * words);
    }
    return ND_OK;
}

/* What lanes of queries, from `first` of the batch on, have found among unpacked keys, which begin
 * with entry `entry`. */
static nd_status give_pairs(nd_hamming_prober *p, size_t batch, size_t first, size_t found,
                            uint64_t entry, unsigned words, nd_error *error) {
    const nd_bit_order *order = &p->tables->orders[0];
    for (size_t i = 0; i < found; i++) {
        size_t query = first + (size_t)(p->hits[i] >> 32), at = (uint32_t)p->hits[i];
        const uint64_t *key = p->keys + at * words;
        bool more = true;
        if (p->done[query]) continue;
        nd_hamming_hit hit = {
            p->tables, batch + query,
            nd_key_fingerprint(order, (nd_key){key[words - 1], words > 1 ? key[0] : 0}), 0,
            entry + at};
        hit.distance = nd_fingerprint_weight(
            nd_fingerprint_xor(hit.fingerprint, p->queries[batch + query]));
        ND_TRY(p->fn(p->context, &hit, &more, error));
        p->done[query] = !more;
    }
    return ND_OK;
}

/* Queries [batch, batch + count) against all keys, a block of which stays in the cache while they
 * pass. */
static nd_status scan_batch(nd_hamming_prober *p, size_t batch, size_t count, nd_error *error) {
    unsigned words = p->tables->design.bits > 64 ? 2 : 1;
    nd_ef_cursor cursor = nd_ef_cursor_begin(&p->tables->tables[0]);
    for (size_t q = 0; q < count; q++) {
        put_key(nd_key_of(&p->tables->orders[0], p->queries[batch + q]), words,
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
            ND_TRY(give_pairs(p, batch, q, found, entry, words, error));
        }
    }
}

static nd_status scan(nd_hamming_prober *p, size_t count, nd_error *error) {
    p->ended = SIZE_MAX;
    for (size_t batch = 0; batch < count; batch += BATCH)
        ND_TRY(scan_batch(p, batch, count - batch < BATCH ? count - batch : BATCH, error));
    if (count == 1 && p->done[0]) p->ended = 0;
    return ND_OK;
}

nd_status nd_hamming_search_all(const nd_hamming_tables *tables, nd_hamming_prober *p,
                                const nd_fingerprint *queries, size_t count, uint32_t k,
                                nd_hamming_hit_fn *fn, void *context, nd_error *error) {
    p->tables = tables;
    p->queries = queries;
    p->k = k;
    p->fn = fn;
    p->context = context;
    if (k > tables->design.k || (tables->design.kind == ND_HAMMING_SCAN && count >= LEAST_BATCH))
        return scan(p, count, error);
    p->ways = nd_hamming_probe_plans(tables, k);
    p->query_count = count;
    for (uint32_t t = 0; t < tables->windows.count; t++) p->errors[t] = p->ways[t].errors;
    p->ended = SIZE_MAX;
    p->hit_table = NULL;
    p->first_bucket.end = 0;
    p->walker = (walker){0};
    if (p->asked / NOTED != (p->asked + count) / NOTED || p->asked == 0)
        note_whole(tables, p->asked > 0 ? LAST_PAGES : 0);
    p->asked += count;
    p->whole = atomic_load_explicit(&tables->whole[0], memory_order_relaxed);
    p->heavy_whole = atomic_load_explicit(&tables->whole[1], memory_order_relaxed);
    return search_places(p, error);
}

nd_status nd_hamming_search(const nd_hamming_tables *tables, nd_hamming_prober *p,
                            nd_fingerprint query, uint32_t k, nd_hamming_hit_fn *fn, void *context,
                            bool *more, nd_error *error) {
    ND_TRY(nd_hamming_search_all(tables, p, &query, 1, k, fn, context, error));
    *more = *more && p->ended != 0;
    return ND_OK;
}
