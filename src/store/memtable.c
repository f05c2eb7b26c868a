#include "store/memtable.h"

#include "base/limits.h"
#include "sketch/band_key.h"
#include "similarity/packed_set.h"
#include "store/segment.h"

#include <string.h>

enum { KEY_BYTES = 5 };

/* ---- payloads */

nd_fingerprint nd_stored_fingerprint(const nd_stored_document *document, uint32_t bits) {
    unsigned char bytes[16] = {0};
    memcpy(bytes, document->sketch, bits / 8);
    return (nd_fingerprint){nd_load_le64(bytes), nd_load_le64(bytes + 8)};
}

size_t nd_stored_size(const nd_stored_document *document, uint32_t perms, uint32_t bands) {
    return 4 + document->id_length + perms + (size_t)KEY_BYTES * bands + document->set_size;
}

/* Copies nothing from NULL, too. */
static unsigned char *put(unsigned char *to, const void *bytes, size_t size) {
    if (size > 0) memcpy(to, bytes, size);
    return to + size;
}

void nd_stored_write(const nd_stored_document *document, uint32_t perms, uint32_t bands,
                     unsigned char *to) {
    nd_store_le32(to, (uint32_t)document->id_length);
    to = put(to + 4, document->id, document->id_length);
    to = put(to, document->sketch, perms);
    for (uint32_t b = 0; b < bands; b++, to += KEY_BYTES) {
        nd_store_le32(to, (uint32_t)document->keys[b]);
        to[4] = (unsigned char)(document->keys[b] >> 32);
    }
    put(to, document->set, document->set_size);
}

static uint64_t load_key(const unsigned char *p) { return nd_load_le32(p) | (uint64_t)p[4] << 32; }

/* Where the parts of a payload are, whose id is as long as it says and leaves room for sketch and
 * keys. The keys' place is returned. */
static const unsigned char *parts(const unsigned char *payload, size_t size, uint32_t perms,
                                  uint32_t bands, bool exact, nd_stored_document *out) {
    size_t id_length = nd_load_le32(payload),
           fixed = 4 + id_length + perms + (size_t)KEY_BYTES * bands;
    const unsigned char *sketch = payload + 4 + id_length;
    *out = (nd_stored_document){.id = (const char *)payload + 4,
                                .id_length = id_length,
                                .sketch = sketch,
                                .set = exact ? payload + fixed : NULL,
                                .set_size = size - fixed};
    return sketch + perms;
}

bool nd_stored_read(const unsigned char *payload, size_t size, uint32_t perms, uint32_t bands,
                    bool exact, uint64_t *keys, nd_stored_document *out) {
    size_t fixed = 4 + perms + (size_t)KEY_BYTES * bands, values;
    if (size < fixed || nd_load_le32(payload) > size - fixed) return false;
    nd_stored_document document;
    const unsigned char *key = parts(payload, size, perms, bands, exact, &document);
    for (uint32_t b = 0; b < bands; b++, key += KEY_BYTES) {
        keys[b] = load_key(key);
        if (keys[b] >> ND_BAND_BITS) return false;
    }
    document.keys = keys;
    if (exact ? !nd_packed_set_count(document.set, document.set_size, &values)
              : document.set_size > 0)
        return false;
    *out = document;
    return true;
}

/* ---- the table */

enum {
    CHUNK = ND_LIMIT(1 << 18, 1 << 11),
    FIRST_SLOTS = ND_LIMIT(64, 4),
};
enum {
    LARGE = CHUNK / 8
}; /* from here on a document has a chunk of its own, so that at most so much is left unused at the
      end of one */

/* A slot is a key above DOCUMENT_BITS of the first document that has it: the first to come among
 * those that are not removed. A key all of whose documents have been removed keeps its slot, for
 * others may lie behind it. */
enum { DOCUMENT_BITS = 64 - ND_BAND_BITS };
#define NO_DOCUMENT ((UINT32_C(1) << DOCUMENT_BITS) - 1)
#define EMPTY UINT64_MAX /* not a key without documents: that has VACATED */
#define VACATED (NO_DOCUMENT - 1)
_Static_assert(ND_MEMORY_TABLE_MOST == VACATED,
               "documents are numbered below the numbers that mean something else");

typedef struct band {
    uint64_t *slots;
    uint32_t capacity, used; /* used: not EMPTY */
} band;

/* A document's neighbours among those with its key, in a ring in the order in which they came. */
typedef struct neighbours {
    uint32_t before, behind;
} neighbours;

/* Before each payload in memory; it is followed by PADDING zeros. */
typedef struct entry {
    uint32_t size; /* of the payload */
    uint32_t removed;
    neighbours rings[]; /* one a band, one of the id's hash */
} entry;
enum { PADDING = 8 };

struct nd_memory_table {
    nd_allocator allocator;
    uint32_t perms, rings; /* rings: bands and ids */
    bool exact;
    band *bands; /* `rings` of them */
    entry **entries;
    uint64_t *fingerprints;
    size_t entry_capacity, fingerprint_capacity;
    uint32_t count, removed;
    unsigned char **chunks;
    size_t chunk_count, chunk_capacity;
    unsigned char *free; /* the rest of the chunk that is being filled */
    size_t free_size;
    size_t bytes;
};

/* Of a fingerprint; 0: there are none. */
static unsigned words_of(const nd_memory_table *t) {
    return t->rings > 1 ? 0 : t->perms > 8 ? 2 : 1;
}

static uint32_t id_band(const nd_memory_table *t) { return t->rings - 1; }
static uint64_t id_key(const char *id, size_t length) {
    return nd_band_number(nd_id_hash(id, length));
}
static const unsigned char *payload_of(const nd_memory_table *t, const entry *e) {
    return (const unsigned char *)(e->rings + t->rings);
}

/* Where the search for a key begins. Its own bits are no place: that of similar keys would be the
 * same. */
static inline uint32_t home(const band *b, uint64_t key) {
    return (uint32_t)((nd_mix64(key) >> 32) * b->capacity >> 32);
}

/* The key's slot, or the empty one that would be it. */
static inline uint64_t *slot_of(const band *b, uint64_t key) {
    uint32_t s = home(b, key);
    while (b->slots[s] != EMPTY && b->slots[s] >> DOCUMENT_BITS != key)
        s = s + 1 == b->capacity ? 0 : s + 1;
    return &b->slots[s];
}

/* Room for one key more. At most four fifths of the slots are used; a larger table takes over the
 * keys that have documents. */
static bool reserve_slot(nd_memory_table *t, band *b) {
    if ((uint64_t)(b->used + 1) * 5 <= (uint64_t)b->capacity * 4) return true;
    band larger = {0};
    for (uint32_t s = 0; s < b->capacity; s++)
        larger.used += b->slots[s] != EMPTY && (b->slots[s] & NO_DOCUMENT) != VACATED;
    larger.capacity = larger.used + larger.used / 8 * 7 + FIRST_SLOTS;
    larger.slots = nd_allocate(&t->allocator, larger.capacity, sizeof *larger.slots);
    if (!larger.slots) return false;
    memset(larger.slots, 0xff, larger.capacity * sizeof *larger.slots);
    for (uint32_t s = 0; s < b->capacity; s++)
        if (b->slots[s] != EMPTY && (b->slots[s] & NO_DOCUMENT) != VACATED)
            *slot_of(&larger, b->slots[s] >> DOCUMENT_BITS) = b->slots[s];
    nd_release(&t->allocator, b->slots);
    t->bytes += (larger.capacity - (size_t)b->capacity) * sizeof *larger.slots;
    *b = larger;
    return true;
}

nd_status nd_memory_table_create(uint32_t perms, uint32_t bands, bool exact,
                                 const nd_allocator *allocator, nd_memory_table **out,
                                 nd_error *error) {
    nd_memory_table *t = nd_allocate_zero(allocator, 1, sizeof *t);
    if (!t) return nd_fail_memory(error, sizeof *t, "the documents of a log");
    *t = (nd_memory_table){
        .allocator = *allocator, .perms = perms, .rings = bands + 1, .exact = exact};
    t->bands = nd_allocate_zero(allocator, t->rings, sizeof *t->bands);
    bool have = t->bands != NULL;
    for (uint32_t b = 0; have && b < t->rings; b++) have = reserve_slot(t, &t->bands[b]);
    if (!have) {
        nd_memory_table_free(t);
        return nd_fail_memory(
            error, (bands + 1) * (sizeof *t->bands + FIRST_SLOTS * sizeof *t->bands->slots),
            "the documents of a log");
    }
    *out = t;
    return ND_OK;
}

void nd_memory_table_free(nd_memory_table *t) {
    if (!t) return;
    nd_allocator allocator = t->allocator;
    for (uint32_t b = 0; t->bands && b < t->rings; b++) nd_release(&allocator, t->bands[b].slots);
    for (size_t c = 0; c < t->chunk_count; c++) nd_release(&allocator, t->chunks[c]);
    nd_release(&allocator, t->bands);
    nd_release(&allocator, t->chunks);
    nd_release(&allocator, t->entries);
    nd_release(&allocator, t->fingerprints);
    nd_release(&allocator, t);
}

/* Memory that never moves, a multiple of 8 bytes. */
static void *take(nd_memory_table *t, size_t size) {
    size_t chunk = size < LARGE ? CHUNK : size;
    if (size > t->free_size || chunk != CHUNK) {
        if (!nd_reserve(&t->allocator, &t->chunks, &t->chunk_capacity, t->chunk_count + 1))
            return NULL;
        unsigned char *fresh = nd_allocate(&t->allocator, chunk, 1);
        if (!fresh) return NULL;
        t->chunks[t->chunk_count++] = fresh;
        t->bytes += chunk;
        if (chunk != CHUNK) return fresh;
        t->free = fresh;
        t->free_size = CHUNK;
    }
    void *taken = t->free;
    t->free += size;
    t->free_size -= size;
    return taken;
}

/* Into the ring of its key, as the last. */
static void enter(nd_memory_table *t, uint32_t b, uint64_t key, uint32_t document) {
    uint64_t *slot = slot_of(&t->bands[b], key);
    neighbours *own = &t->entries[document]->rings[b];
    uint32_t first = (uint32_t)(*slot & NO_DOCUMENT);
    *own = (neighbours){document, document};
    if (first >= VACATED) {
        t->bands[b].used += *slot == EMPTY;
        *slot = key << DOCUMENT_BITS | document;
        return;
    }
    neighbours *front = &t->entries[first]->rings[b];
    *own = (neighbours){front->before, first};
    t->entries[front->before]->rings[b].behind = document;
    front->before = document;
}

static void put_fingerprint(nd_memory_table *t, const nd_stored_document *document) {
    unsigned words = words_of(t);
    if (words == 0) return;
    nd_fingerprint f = nd_stored_fingerprint(document, t->perms * 8);
    t->fingerprints[(size_t)t->count * words] = f.low;
    if (words > 1) t->fingerprints[(size_t)t->count * 2 + 1] = f.high;
}

nd_status nd_memory_table_add(nd_memory_table *t, const nd_stored_document *document,
                              nd_error *error) {
    size_t size = nd_stored_size(document, t->perms, id_band(t)),
           head = sizeof(entry) + t->rings * sizeof(neighbours);
    if (t->count == ND_MEMORY_TABLE_MOST)
        return nd_fail(error, ND_ERR_ARGUMENT, "the log of an index holds at most %u documents",
                       t->count);
    if (size > UINT32_MAX)
        return nd_fail(error, ND_ERR_ARGUMENT, "a document of %zu bytes is too large for an index",
                       size);
    uint64_t hash = id_key(document->id, document->id_length);
    for (uint32_t b = 0; b < t->rings; b++) {
        if (!reserve_slot(t, &t->bands[b]))
            return nd_fail_memory(error, size, "the documents of a log");
        nd_memory_table_prefetch(t, b, b < id_band(t) ? document->keys[b] : hash);
    }
    size_t before = t->entry_capacity;
    if (!nd_reserve(&t->allocator, &t->entries, &t->entry_capacity, (size_t)t->count + 1) ||
        !nd_reserve(&t->allocator, &t->fingerprints, &t->fingerprint_capacity,
                    ((size_t)t->count + 1) * words_of(t)))
        return nd_fail_memory(error, size, "the documents of a log");
    t->bytes += (t->entry_capacity - before) * sizeof *t->entries;
    entry *e = take(t, (head + size + PADDING + 7) / 8 * 8);
    if (!e) return nd_fail_memory(error, size, "the documents of a log");
    e->size = (uint32_t)size;
    e->removed = 0;
    unsigned char *payload = (unsigned char *)e + head;
    nd_stored_write(document, t->perms, id_band(t), payload);
    memset(payload + size, 0, PADDING);
    t->entries[t->count] = e;
    put_fingerprint(t, document);
    for (uint32_t b = 0; b < t->rings; b++)
        enter(t, b, b < id_band(t) ? document->keys[b] : hash, t->count);
    t->count++;
    return ND_OK;
}

void nd_memory_table_remove(nd_memory_table *t, uint32_t document) {
    entry *e = t->entries[document];
    if (e->removed) return;
    e->removed = 1;
    t->removed++;
    nd_stored_document d;
    const unsigned char *keys = parts(payload_of(t, e), e->size, t->perms, id_band(t), t->exact,
                                      &d);
    for (uint32_t b = 0; b < t->rings; b++) {
        neighbours own = e->rings[b];
        uint64_t *slot = slot_of(&t->bands[b], b < id_band(t)
                                                   ? load_key(keys + (size_t)KEY_BYTES * b)
                                                   : id_key(d.id, d.id_length));
        t->entries[own.before]->rings[b].behind = own.behind;
        t->entries[own.behind]->rings[b].before = own.before;
        if ((*slot & NO_DOCUMENT) == document)
            *slot = (*slot & ~(uint64_t)NO_DOCUMENT) |
                    (own.behind == document ? VACATED : own.behind);
    }
}

bool nd_memory_table_is_removed(const nd_memory_table *t, uint32_t document) {
    return t->entries[document]->removed != 0;
}
uint32_t nd_memory_table_count(const nd_memory_table *t) { return t->count; }
uint32_t nd_memory_table_live(const nd_memory_table *t) { return t->count - t->removed; }
size_t nd_memory_table_bytes(const nd_memory_table *t) {
    return sizeof *t + t->rings * sizeof *t->bands + t->bytes +
           t->fingerprint_capacity * sizeof *t->fingerprints;
}

void nd_memory_table_document(const nd_memory_table *t, uint32_t document,
                              nd_stored_document *out) {
    const entry *e = t->entries[document];
    parts(payload_of(t, e), e->size, t->perms, id_band(t), t->exact, out);
}

uint64_t nd_memory_table_key(const nd_memory_table *t, uint32_t document, uint32_t b) {
    const unsigned char *payload = payload_of(t, t->entries[document]);
    return load_key(payload + 4 + nd_load_le32(payload) + t->perms + (size_t)KEY_BYTES * b);
}

const uint64_t *nd_memory_table_fingerprints(const nd_memory_table *t) { return t->fingerprints; }

uint32_t nd_memory_table_find(const nd_memory_table *t, uint32_t b, uint64_t key) {
    uint32_t first = (uint32_t)(*slot_of(&t->bands[b], key) & NO_DOCUMENT);
    return first < VACATED ? first : UINT32_MAX;
}

/* Documents in a ring ascend, but for the step from the last to the first. */
uint32_t nd_memory_table_next(const nd_memory_table *t, uint32_t b, uint32_t document) {
    uint32_t behind = t->entries[document]->rings[b].behind;
    return behind > document ? behind : UINT32_MAX;
}

void nd_memory_table_prefetch(const nd_memory_table *t, uint32_t b, uint64_t key) {
    __builtin_prefetch(&t->bands[b].slots[home(&t->bands[b], key)]);
}

uint32_t nd_memory_table_find_id(const nd_memory_table *t, const char *id, size_t length) {
    uint32_t first = nd_memory_table_find(t, id_band(t), id_key(id, length));
    if (first == UINT32_MAX) return UINT32_MAX;
    for (uint32_t d = first;;) {
        d = t->entries[d]->rings[id_band(t)].before;
        nd_stored_document document;
        nd_memory_table_document(t, d, &document);
        if (document.id_length == length && (length == 0 || memcmp(document.id, id, length) == 0))
            return d;
        if (d == first) return UINT32_MAX;
    }
}
