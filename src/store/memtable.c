#include "store/memtable.h"

#include "base/hash.h"
#include "base/limits.h"
#include "base/machine.h"
#include "sketch/band_key.h"
#include "store/stored_id.h"

#include <string.h>

enum {
    CHUNK = ND_LIMIT(1 << 18, 1 << 11), /* bytes */
    FIRST_SLOTS = ND_LIMIT(64, 4),
};
/* A document of LARGE bytes or more has a chunk of its own, so that less than LARGE bytes are left
 * unused at the end of a chunk. */
enum { LARGE = CHUNK / 8 };

/* A slot is a key, shifted up by DOCUMENT_BITS, and below it the first document with that key which
 * is not removed. A key whose documents have all been removed keeps its slot, because other keys
 * may have been placed behind it. */
enum { DOCUMENT_BITS = 64 - ND_BAND_BITS };
#define NO_DOCUMENT ((UINT32_C(1) << DOCUMENT_BITS) - 1)
#define EMPTY UINT64_MAX /* no key; a key without documents has VACATED */
#define VACATED (NO_DOCUMENT - 1)
_Static_assert(ND_MEMTABLE_MOST == VACATED,
               "documents have numbers below the two that mean something else");

typedef struct band {
    uint64_t *slots;
    uint32_t capacity, used; /* used: not EMPTY */
} band;

/* A document's neighbours in the ring of its key, which is in the order of adding. */
typedef struct neighbours {
    uint32_t before, behind;
} neighbours;

/* Precedes each payload in memory; PADDING zeros follow the payload. */
typedef struct entry {
    uint32_t size; /* of the payload */
    uint32_t removed;
    neighbours rings[]; /* one per band, then the one of the id's hash */
} entry;
enum { PADDING = 8 };

struct nd_memtable {
    nd_allocator allocator;
    nd_row_layout layout;
    uint32_t rings; /* bands, and one for the ids */
    band *bands;    /* `rings` of them */
    entry **entries;
    uint64_t *fingerprints;
    size_t entry_capacity, fingerprint_capacity;
    uint32_t count, removed;
    unsigned char **chunks; /* of CHUNK bytes; the first chunk_used ones have documents */
    size_t chunk_used, chunk_count, chunk_capacity;
    unsigned char *free; /* the rest of the chunk that is being filled */
    size_t free_size;
    unsigned char **large; /* documents with a chunk of their own */
    size_t large_count, large_capacity;
    size_t bytes; /* in use */
};

/* Words per fingerprint. 0: there are none. */
static unsigned words_of(const nd_memtable *t) {
    return t->layout.bands > 0 ? 0 : t->layout.sketch_size > 8 ? 2 : 1;
}

static uint32_t id_band(const nd_memtable *t) { return t->rings - 1; }
static uint64_t id_key(const char *id, size_t length) {
    return nd_band_number(nd_id_hash(id, length));
}
static const unsigned char *payload_of(const nd_memtable *t, const entry *e) {
    return (const unsigned char *)(e->rings + t->rings);
}

/* The slot at which the search for a key begins. The key is mixed, since similar keys would have
 * neighbouring slots otherwise. */
static inline uint32_t home(const band *b, uint64_t key) {
    return (uint32_t)((nd_mix64(key) >> 32) * b->capacity >> 32);
}

/* The key's slot, or the empty slot into which it would go. */
static inline uint64_t *slot_of(const band *b, uint64_t key) {
    uint32_t s = home(b, key);
    while (b->slots[s] != EMPTY && b->slots[s] >> DOCUMENT_BITS != key)
        s = s + 1 == b->capacity ? 0 : s + 1;
    return &b->slots[s];
}

static size_t slot_bytes(const band *b) { return (size_t)b->capacity * sizeof *b->slots; }

/* Moves the keys that have documents into a table of `capacity` slots, and drops the others. Only
 * one band is moved at a time, so there is never a second copy of all slots. */
static bool move_slots(nd_memtable *t, band *b, uint32_t capacity) {
    band other = {.capacity = capacity};
    other.slots = nd_allocate_large(&t->allocator, capacity, sizeof *other.slots);
    if (!other.slots) return false;
    memset(other.slots, 0xff, slot_bytes(&other));
    for (uint32_t s = 0; b->used > 0 && s < b->capacity; s++) {
        if (b->slots[s] == EMPTY || (b->slots[s] & NO_DOCUMENT) == VACATED) continue;
        *slot_of(&other, b->slots[s] >> DOCUMENT_BITS) = b->slots[s];
        other.used++;
    }
    nd_release(&t->allocator, b->slots);
    t->bytes += slot_bytes(&other) - slot_bytes(b);
    *b = other;
    return true;
}

/* Makes room for one key more. At most four fifths of the slots are used. */
static bool reserve_slot(nd_memtable *t, band *b) {
    uint32_t used = 0;
    if ((uint64_t)(b->used + 1) * 5 <= (uint64_t)b->capacity * 4) return true;
    for (uint32_t s = 0; s < b->capacity; s++)
        used += b->slots[s] != EMPTY && (b->slots[s] & NO_DOCUMENT) != VACATED;
    return move_slots(t, b, used + used / 8 * 7 + FIRST_SLOTS);
}

nd_status nd_memtable_create(const nd_row_layout *layout, uint32_t expected,
                             const nd_allocator *allocator, nd_memtable **out, nd_error *error) {
    uint32_t slots = expected + expected / 4 + FIRST_SLOTS;
    nd_memtable *t = nd_allocate_zero(allocator, 1, sizeof *t);
    if (!t) return nd_fail_memory(error, sizeof *t, "the documents of a log");
    *t = (nd_memtable){.allocator = *allocator, .layout = *layout, .rings = layout->bands + 1};
    t->bands = nd_allocate_zero(allocator, t->rings, sizeof *t->bands);
    bool have = t->bands != NULL;
    for (uint32_t b = 0; have && b < t->rings; b++) have = move_slots(t, &t->bands[b], slots);
    if (!have) {
        nd_memtable_free(t);
        return nd_fail_memory(
            error, (layout->bands + 1) * (sizeof *t->bands + slots * sizeof *t->bands->slots),
            "the documents of a log");
    }
    *out = t;
    return ND_OK;
}

static void release_large(nd_memtable *t) {
    for (size_t i = 0; i < t->large_count; i++) nd_release(&t->allocator, t->large[i]);
    t->large_count = 0;
}

/* Empties a band. If it has far more slots than the table's documents need, it gets fewer; without
 * memory for these it keeps them. */
static void clear_band(nd_memtable *t, band *b) {
    uint32_t wanted = t->count + t->count / 2 + FIRST_SLOTS;
    b->used = 0;
    if (t->count > 0 && b->capacity / 2 >= wanted && move_slots(t, b, wanted)) return;
    memset(b->slots, 0xff, slot_bytes(b));
}

void nd_memtable_clear(nd_memtable *t) {
    release_large(t);
    t->bytes = t->entry_capacity * sizeof *t->entries;
    for (uint32_t b = 0; b < t->rings; b++) t->bytes += slot_bytes(&t->bands[b]);
    for (uint32_t b = 0; b < t->rings; b++) clear_band(t, &t->bands[b]);
    t->count = t->removed = 0;
    t->chunk_used = t->free_size = 0;
}

void nd_memtable_free(nd_memtable *t) {
    if (!t) return;
    nd_allocator allocator = t->allocator;
    release_large(t);
    for (size_t c = 0; c < t->chunk_count; c++) nd_release(&allocator, t->chunks[c]);
    for (uint32_t b = 0; t->bands && b < t->rings; b++) nd_release(&allocator, t->bands[b].slots);
    nd_release(&allocator, t->bands);
    nd_release(&allocator, t->large);
    nd_release(&allocator, t->chunks);
    nd_release(&allocator, t->entries);
    nd_release(&allocator, t->fingerprints);
    nd_release(&allocator, t);
}

static void *allocate_large(nd_memtable *t, size_t size) {
    if (!nd_reserve(&t->allocator, &t->large, &t->large_capacity, t->large_count + 1)) return NULL;
    unsigned char *fresh = nd_allocate(&t->allocator, size, 1);
    if (!fresh) return NULL;
    t->bytes += size;
    return t->large[t->large_count++] = fresh;
}

static bool begin_chunk(nd_memtable *t) {
    if (t->chunk_used == t->chunk_count) {
        if (!nd_reserve(&t->allocator, &t->chunks, &t->chunk_capacity, t->chunk_count + 1))
            return false;
        unsigned char *fresh = nd_allocate(&t->allocator, CHUNK, 1);
        if (!fresh) return false;
        t->chunks[t->chunk_count++] = fresh;
    }
    t->free = t->chunks[t->chunk_used++];
    t->free_size = CHUNK;
    t->bytes += CHUNK;
    return true;
}

/* Allocates memory that never moves; `size` is a multiple of 8 bytes. */
static void *allocate(nd_memtable *t, size_t size) {
    if (size >= LARGE) return allocate_large(t, size);
    if (size > t->free_size && !begin_chunk(t)) return NULL;
    void *taken = t->free;
    t->free += size;
    t->free_size -= size;
    return taken;
}

/* Puts a document into the ring of its key, as the last one. */
static void link_document(nd_memtable *t, uint32_t b, uint64_t key, uint32_t document) {
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

static void add_fingerprint(nd_memtable *t, const nd_stored_document *document) {
    unsigned words = words_of(t);
    if (words == 0) return;
    nd_fingerprint f = nd_stored_fingerprint(document, t->layout.sketch_size * 8);
    t->fingerprints[(size_t)t->count * words] = f.low;
    if (words > 1) t->fingerprints[(size_t)t->count * 2 + 1] = f.high;
}

nd_status nd_memtable_add(nd_memtable *t, const nd_stored_document *document, nd_error *error) {
    size_t size = nd_row_size(document, &t->layout),
           head = sizeof(entry) + t->rings * sizeof(neighbours);
    if (t->count == ND_MEMTABLE_MOST)
        return nd_fail(error, ND_ERR_ARGUMENT, "the log of an index holds at most %u documents",
                       t->count);
    if (size > UINT32_MAX)
        return nd_fail(error, ND_ERR_ARGUMENT, "a document of %zu bytes is too large for an index",
                       size);
    uint64_t hash = id_key(document->id, document->id_length);
    for (uint32_t b = 0; b < t->rings; b++) {
        if (!reserve_slot(t, &t->bands[b]))
            return nd_fail_memory(error, size, "the documents of a log");
        nd_memtable_prefetch(t, b, b < id_band(t) ? document->keys[b] : hash);
    }
    size_t before = t->entry_capacity;
    if (!nd_reserve(&t->allocator, &t->entries, &t->entry_capacity, (size_t)t->count + 1) ||
        !nd_reserve(&t->allocator, &t->fingerprints, &t->fingerprint_capacity,
                    ((size_t)t->count + 1) * words_of(t)))
        return nd_fail_memory(error, size, "the documents of a log");
    t->bytes += (t->entry_capacity - before) * sizeof *t->entries;
    entry *e = allocate(t, (head + size + PADDING + 7) / 8 * 8);
    if (!e) return nd_fail_memory(error, size, "the documents of a log");
    e->size = (uint32_t)size;
    e->removed = 0;
    unsigned char *payload = (unsigned char *)e + head;
    nd_row_write(document, &t->layout, payload);
    memset(payload + size, 0, PADDING);
    t->entries[t->count] = e;
    add_fingerprint(t, document);
    for (uint32_t b = 0; b < t->rings; b++)
        link_document(t, b, b < id_band(t) ? document->keys[b] : hash, t->count);
    t->count++;
    return ND_OK;
}

void nd_memtable_remove(nd_memtable *t, uint32_t document) {
    entry *e = t->entries[document];
    if (e->removed) return;
    e->removed = 1;
    t->removed++;
    const unsigned char *payload = payload_of(t, e);
    nd_stored_document d;
    nd_row_parts(payload, e->size, &t->layout, &d);
    for (uint32_t b = 0; b < t->rings; b++) {
        neighbours own = e->rings[b];
        uint64_t key = b < id_band(t) ? nd_row_key(payload, &t->layout, b)
                                      : id_key(d.id, d.id_length);
        uint64_t *slot = slot_of(&t->bands[b], key);
        t->entries[own.before]->rings[b].behind = own.behind;
        t->entries[own.behind]->rings[b].before = own.before;
        if ((*slot & NO_DOCUMENT) == document)
            *slot = (*slot & ~(uint64_t)NO_DOCUMENT) |
                    (own.behind == document ? VACATED : own.behind);
    }
}

void nd_memtable_take_back(nd_memtable *t, uint32_t count) {
    for (; t->count > count; t->count--, t->removed--) nd_memtable_remove(t, t->count - 1);
}

bool nd_memtable_is_removed(const nd_memtable *t, uint32_t document) {
    return t->entries[document]->removed != 0;
}
uint32_t nd_memtable_count(const nd_memtable *t) { return t->count; }
uint32_t nd_memtable_live_count(const nd_memtable *t) { return t->count - t->removed; }
size_t nd_memtable_bytes(const nd_memtable *t) {
    return sizeof *t + t->rings * sizeof *t->bands + t->bytes +
           t->fingerprint_capacity * sizeof *t->fingerprints;
}

void nd_memtable_document(const nd_memtable *t, uint32_t document, nd_stored_document *out) {
    const entry *e = t->entries[document];
    nd_row_parts(payload_of(t, e), e->size, &t->layout, out);
}

const unsigned char *nd_memtable_row(const nd_memtable *t, uint32_t document, size_t *size) {
    *size = t->entries[document]->size;
    return payload_of(t, t->entries[document]);
}

uint64_t nd_memtable_key(const nd_memtable *t, uint32_t document, uint32_t b) {
    return nd_row_key(payload_of(t, t->entries[document]), &t->layout, b);
}

const uint64_t *nd_memtable_fingerprints(const nd_memtable *t) { return t->fingerprints; }

uint32_t nd_memtable_find(const nd_memtable *t, uint32_t b, uint64_t key) {
    uint32_t first = (uint32_t)(*slot_of(&t->bands[b], key) & NO_DOCUMENT);
    return first < VACATED ? first : UINT32_MAX;
}

/* Documents in a ring ascend, except for the step from the last to the first. */
uint32_t nd_memtable_next(const nd_memtable *t, uint32_t b, uint32_t document) {
    uint32_t behind = t->entries[document]->rings[b].behind;
    return behind > document ? behind : UINT32_MAX;
}

void nd_memtable_prefetch(const nd_memtable *t, uint32_t b, uint64_t key) {
    __builtin_prefetch(&t->bands[b].slots[home(&t->bands[b], key)]);
}

uint32_t nd_memtable_find_id(const nd_memtable *t, const char *id, size_t length) {
    uint32_t first = nd_memtable_find(t, id_band(t), id_key(id, length));
    if (first == UINT32_MAX) return UINT32_MAX;
    for (uint32_t d = first;;) {
        d = t->entries[d]->rings[id_band(t)].before;
        nd_stored_document document;
        nd_memtable_document(t, d, &document);
        if (document.id_length == length && (length == 0 || memcmp(document.id, id, length) == 0))
            return d;
        if (d == first) return UINT32_MAX;
    }
}
