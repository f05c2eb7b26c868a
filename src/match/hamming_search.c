#include "match/hamming_search.h"

#include "base/alloc.h"
#include "kernel/kernel.h"

enum {
    SAMPLE_BITS = 6, /* of the buckets between two samples */
    CHUNK = 64,      /* places that go through the rounds together */
#ifdef ND_TINY_LIMITS
    ROOM = 24
#else
    ROOM = 4096 /* keys that are compared at once */
#endif
};

/* Places of one table, in a chunk's arrays from `first` on. */
typedef struct slice {
    uint32_t table;
    size_t first, count;
} slice;

typedef struct chunk {
    slice slices[CHUNK];
    size_t slice_count, count;
    uint32_t prefixes[CHUNK], begins[CHUNK], ends[CHUNK]; /* the highest bits at the table's depth; entries */
    uint8_t most[CHUNK];                                  /* bits in which what is behind may differ from the query */
} chunk;

/* Where the enumeration of places stands: the pattern of errors to come, in its table. */
typedef struct walker {
    uint32_t table;
    uint64_t pattern;
} walker;

struct nd_hamming_prober {
    nd_allocator allocator;
    const nd_kernel *kernel;
    /* Of the query. */
    const nd_hamming_tables *tables;
    const nd_hamming_way *ways;
    nd_fingerprint query;
    uint32_t k;
    int errors[ND_HAMMING_MOST_TABLES];
    nd_key keys[ND_HAMMING_MOST_TABLES];
    chunk chunks[2];
    uint64_t hits[ROOM + 16];
};

nd_status nd_hamming_prober_create(const nd_allocator *allocator, nd_hamming_prober **out, nd_error *error) {
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

/* Moves to the next pattern of the table, or on to the first of the next table. */
static void step(const nd_hamming_prober *p, walker *w) {
    const nd_hamming_way *way = &p->ways[w->table];
    int errors = __builtin_popcountll(w->pattern);
    if (errors > 0) w->pattern = next_pattern(w->pattern);
    if (errors > 0 && !(w->pattern >> way->depth)) return;
    if (errors < way->errors && (unsigned)errors < way->depth) w->pattern = (UINT64_C(2) << errors) - 1;
    else *w = (walker){w->table + 1, 0};
}

static inline uint32_t prefix_of(uint64_t head, unsigned depth) { return depth ? (uint32_t)(head >> (64 - depth)) : 0; }

/* Of a place, the sample from which on it begins; of one that is not by bucket, that where it ends. */
static inline uint64_t sample_of(const nd_fingerprint_table *t, const nd_hamming_way *way, uint64_t prefix) {
    return way->by_bucket ? prefix >> SAMPLE_BITS : prefix << (t->bucket_bits - way->depth) >> SAMPLE_BITS;
}

static inline uint64_t sample_behind(const nd_fingerprint_table *t, const nd_hamming_way *way, uint64_t prefix) {
    return (((prefix + 1) << (t->bucket_bits - way->depth)) + (1 << SAMPLE_BITS) - 1) >> SAMPLE_BITS;
}

/* First round: the next places; their samples are asked for. */
static void fill(const nd_hamming_prober *p, walker *w, chunk *c) {
    c->slice_count = c->count = 0;
    while (c->count < CHUNK && w->table < p->tables->windows.count) {
        uint32_t t = w->table;
        const nd_hamming_way *way = &p->ways[t];
        const nd_fingerprint_table *table = &p->tables->tables[t];
        uint32_t prefix = prefix_of(p->keys[t].head, way->depth);
        size_t first = c->count;
        while (c->count < CHUNK && w->table == t && way->errors >= 0) {
            c->prefixes[c->count] = prefix ^ (uint32_t)w->pattern;
            c->most[c->count] = (uint8_t)(p->k - (uint32_t)__builtin_popcountll(w->pattern));
            nd_sealed_prefetch(table->file, &table->samples, sample_of(table, way, c->prefixes[c->count]) * 4);
            c->count++;
            step(p, w);
        }
        if (way->errors < 0) *w = (walker){t + 1, 0};
        if (c->count > first) c->slices[c->slice_count++] = (slice){t, first, c->count - first};
    }
}

/* ---- looking */

/* What was read is only believed when its pages have been compared with their hashes. */
static inline bool compared(const nd_sealed_file *file, uint64_t byte) {
    uint64_t page = byte / ND_SEALED_PAGE;
    return atomic_load_explicit(&file->compared[page / 64], memory_order_relaxed) >> page % 64 & 1;
}

static inline nd_status see(const nd_fingerprint_table *t, const nd_section *section, uint64_t offset, uint64_t size, nd_error *error) {
    const unsigned char *p;
    uint64_t begin = section->offset + offset;
    bool seen = offset <= section->size && size <= section->size - offset && size <= ND_SEALED_PAGE && compared(t->file, begin) &&
                compared(t->file, begin + size - 1);
    return seen ? ND_OK : nd_sealed_view_slowly(t->file, section, offset, size, &p, error);
}

static inline const unsigned char *bytes_of(const nd_fingerprint_table *t, const nd_section *section) { return t->file->bytes + section->offset; }

static nd_status refuse(const nd_fingerprint_table *t, nd_error *error) {
    return nd_fail(error, ND_ERR_CORRUPT, "%s: damaged: the directory of a table of fingerprints leads nowhere", nd_sealed_path(t->file));
}

/* Second round: words of the directory are asked for, or, where samples tell, the entries. */
static nd_status ask_directory(const nd_hamming_prober *p, chunk *c, const slice *s, nd_error *error) {
    const nd_fingerprint_table *t = &p->tables->tables[s->table];
    const nd_hamming_way *way = &p->ways[s->table];
    const unsigned char *samples = bytes_of(t, &t->samples);
    for (size_t i = s->first; i < s->first + s->count; i++) {
        uint64_t sample = sample_of(t, way, c->prefixes[i]);
        ND_TRY(see(t, &t->samples, sample * 4, 4, error));
        uint32_t before = nd_load_le32(samples + sample * 4);
        if (way->by_bucket) {
            uint64_t place = before + (sample << SAMPLE_BITS) + 2 * (c->prefixes[i] & 63);
            nd_sealed_prefetch(t->file, &t->directory, place / 8);
            continue;
        }
        uint64_t next = sample_behind(t, way, c->prefixes[i]);
        ND_TRY(see(t, &t->samples, next * 4, 4, error));
        c->begins[i] = before;
        c->ends[i] = nd_load_le32(samples + next * 4);
    }
    return ND_OK;
}

/* Third round: which entries; the keys are asked for. */
static nd_status ask_keys(const nd_hamming_prober *p, chunk *c, const slice *s, nd_error *error) {
    const nd_fingerprint_table *t = &p->tables->tables[s->table];
    bool by_bucket = p->ways[s->table].by_bucket;
    if (by_bucket)
        p->kernel->find_buckets(bytes_of(t, &t->directory), t->directory.size / 8, bytes_of(t, &t->samples), c->prefixes + s->first, s->count,
                                c->begins + s->first, c->ends + s->first);
    for (size_t i = s->first; i < s->first + s->count; i++) {
        if (c->begins[i] > c->ends[i] || c->ends[i] > t->keys) return refuse(t, error);
        if (by_bucket) {
            uint64_t from = sample_of(t, &p->ways[s->table], c->prefixes[i]) << SAMPLE_BITS;
            from = (nd_load_le32(bytes_of(t, &t->samples) + (from >> SAMPLE_BITS) * 4) + from) / 8;
            ND_TRY(see(t, &t->directory, from, ((uint64_t)c->ends[i] + c->prefixes[i]) / 8 - from + 1, error));
        }
        nd_sealed_prefetch(t->file, &t->heads, (uint64_t)c->begins[i] * t->width / 8);
        nd_sealed_prefetch(t->file, &t->heads, (uint64_t)c->ends[i] * t->width / 8);
    }
    return ND_OK;
}

/* An entry whose head is near: the whole key is compared, and whether this is the table to tell of it. */
static nd_status settle(nd_hamming_prober *p, uint32_t table, uint32_t prefix, uint64_t entry, nd_hamming_hit_fn *fn, void *context, bool *more,
                        nd_error *error) {
    const nd_hamming_tables *tables = p->tables;
    const nd_fingerprint_table *t = &tables->tables[table];
    const nd_hamming_way *way = &p->ways[table];
    nd_key key;
    if (way->by_bucket) ND_TRY(nd_fingerprint_table_key_of_bucket(t, prefix, entry, &key, error));
    else ND_TRY(nd_fingerprint_table_key_between(t, sample_of(t, way, prefix), sample_behind(t, way, prefix), entry, &key, error));
    nd_hamming_hit hit = {.tables = tables, .fingerprint = nd_key_fingerprint(&tables->orders[table], key), .entry = entry};
    nd_fingerprint unlike = nd_fingerprint_xor(hit.fingerprint, p->query);
    hit.distance = nd_fingerprint_weight(unlike);
    if (hit.distance > p->k || !nd_hamming_is_first(&tables->windows, p->errors, table, unlike)) return ND_OK;
    if (table > 0) {
        ND_TRY(nd_fingerprint_table_find(&tables->tables[0], nd_key_of(&tables->orders[0], hit.fingerprint), &hit.entry, error));
        if (hit.entry == UINT64_MAX) return refuse(&tables->tables[0], error);
    }
    return fn(context, &hit, more, error);
}

/* Fourth round, of places [first, first + count) with at most ROOM keys together: those whose heads are near. */
static nd_status compare(nd_hamming_prober *p, uint32_t table, const chunk *c, size_t first, size_t count, const uint32_t *begins,
                         const uint32_t *ends, nd_hamming_hit_fn *fn, void *context, bool *more, nd_error *error) {
    const nd_fingerprint_table *t = &p->tables->tables[table];
    uint64_t query = p->keys[table].head << t->bucket_bits >> (64 - t->width);
    size_t found = p->kernel->near_ranges(bytes_of(t, &t->heads), t->width, query, begins, ends, c->most + first, count, p->hits);
    for (size_t i = 0; i < found && *more; i++)
        ND_TRY(settle(p, table, c->prefixes[first + (size_t)(p->hits[i] >> 32)], (uint32_t)p->hits[i], fn, context, more, error));
    return ND_OK;
}

static nd_status compare_long(nd_hamming_prober *p, uint32_t table, const chunk *c, size_t place, nd_hamming_hit_fn *fn, void *context, bool *more,
                              nd_error *error) {
    for (uint32_t begin = c->begins[place]; begin < c->ends[place] && *more;) {
        uint32_t end = c->ends[place] - begin > ROOM ? begin + ROOM : c->ends[place];
        ND_TRY(compare(p, table, c, place, 1, &begin, &end, fn, context, more, error));
        begin = end;
    }
    return ND_OK;
}

static nd_status look(nd_hamming_prober *p, const chunk *c, const slice *s, nd_hamming_hit_fn *fn, void *context, bool *more, nd_error *error) {
    const nd_fingerprint_table *t = &p->tables->tables[s->table];
    size_t first = s->first, end = s->first + s->count;
    uint32_t keys = 0;
    for (size_t i = first; i < end && *more; i++) {
        uint32_t here = c->ends[i] - c->begins[i];
        if (here > 0)
            ND_TRY(see(t, &t->heads, (uint64_t)c->begins[i] * t->width / 8,
                       ((uint64_t)c->ends[i] * t->width + 7) / 8 - (uint64_t)c->begins[i] * t->width / 8, error));
        if (keys + here > ROOM) {
            ND_TRY(compare(p, s->table, c, first, i - first, c->begins + first, c->ends + first, fn, context, more, error));
            first = i;
            keys = 0;
        }
        keys += here;
        if (here <= ROOM || !*more) continue;
        ND_TRY(compare_long(p, s->table, c, i, fn, context, more, error));
        first = i + 1;
        keys = 0;
    }
    if (first < end && *more) ND_TRY(compare(p, s->table, c, first, end - first, c->begins + first, c->ends + first, fn, context, more, error));
    return ND_OK;
}

static nd_status look_at_chunk(nd_hamming_prober *p, chunk *c, nd_hamming_hit_fn *fn, void *context, bool *more, nd_error *error) {
    for (size_t s = 0; s < c->slice_count; s++) ND_TRY(ask_directory(p, c, &c->slices[s], error));
    for (size_t s = 0; s < c->slice_count; s++) ND_TRY(ask_keys(p, c, &c->slices[s], error));
    for (size_t s = 0; s < c->slice_count && *more; s++) ND_TRY(look(p, c, &c->slices[s], fn, context, more, error));
    return ND_OK;
}

nd_status nd_hamming_search(const nd_hamming_tables *tables, nd_hamming_prober *p, nd_fingerprint query, uint32_t k, nd_hamming_hit_fn *fn,
                            void *context, bool *more, nd_error *error) {
    p->tables = tables;
    p->ways = nd_hamming_ways(tables, k);
    p->query = query;
    p->k = k;
    for (uint32_t t = 0; t < tables->windows.count; t++) {
        p->errors[t] = p->ways[t].errors;
        p->keys[t] = nd_key_of(&tables->orders[t], query);
    }
    walker w = {0, 0};
    chunk *now = &p->chunks[0], *next = &p->chunks[1];
    fill(p, &w, now);
    while (now->count > 0 && *more) {
        fill(p, &w, next);
        ND_TRY(look_at_chunk(p, now, fn, context, more, error));
        chunk *done = now;
        now = next;
        next = done;
    }
    return ND_OK;
}
