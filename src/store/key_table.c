#include "store/key_table.h"

#include "base/limits.h"

#include <inttypes.h>

enum {
    ENTRY = 5,
    ENTRY_BITS = 8 * ENTRY,
    WORD = 4,
    FEW = 16,   /* entries of a bucket that is scanned; a larger one is searched by halves */
    CLOSE = 16, /* directory words per key up to which keys count as close together */
    ENTRY_BUFFER = ND_LIMIT(800, 3),
    WORD_BUFFER = ND_LIMIT(1024, 5),
    DIRECTORY_MEMORY = ND_LIMIT(8 << 20, 0)
};

#define ENTRY_MASK ((UINT64_C(1) << ENTRY_BITS) - 1)

/* B, and the sizes that follow from it. */
typedef struct shape {
    unsigned document_bits;
    uint64_t buckets;   /* 2^D */
    uint64_t directory; /* its offset, bytes */
    uint64_t size;
} shape;

/* False: there are too many. */
static bool shape_of(uint64_t documents, uint64_t entries, shape *out) {
    if (documents > UINT64_C(1) << 32 || entries > UINT32_MAX) return false;
    unsigned bits = documents > 4 ? 64 - (unsigned)__builtin_clzll(documents - 1) : 2;
    uint64_t buckets = UINT64_C(1) << (bits - 2),
             directory = (entries * ENTRY + WORD - 1) / WORD * WORD;
    *out = (shape){.document_bits = bits,
                   .buckets = buckets,
                   .directory = directory,
                   .size = directory + (buckets + 1) * WORD};
    return true;
}

/* ---- writing */

struct nd_key_table_writer {
    nd_allocator allocator;
    nd_sealed_writer *file;
    shape shape;
    uint64_t documents, entries;
    uint64_t put;       /* entries so far */
    uint64_t words;     /* directory words so far */
    nd_spool directory; /* these, except those in word_buffer */
    uint64_t key;       /* of the last entry */
    uint32_t document;
    unsigned entries_waiting, words_waiting;
    unsigned char entry_buffer[ENTRY_BUFFER * ENTRY + 8], word_buffer[WORD_BUFFER * WORD];
};

nd_status nd_key_table_writer_create(nd_sealed_writer *file, uint64_t documents, uint64_t entries,
                                     const nd_allocator *allocator, nd_key_table_writer **out,
                                     nd_error *error) {
    shape s;
    if (!shape_of(documents, entries, &s))
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "a key table has at most 2^32 documents and fewer entries, not %" PRIu64
                       " and %" PRIu64,
                       documents, entries);
    nd_key_table_writer *w = nd_allocate_zero(allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "a key table");
    w->allocator = *allocator;
    w->file = file;
    w->shape = s;
    w->documents = documents;
    w->entries = entries;
    nd_spool_init(&w->directory, allocator, nd_sealed_writer_disk(file), DIRECTORY_MEMORY,
                  "the directory of a key table");
    *out = w;
    return ND_OK;
}

void nd_key_table_writer_free(nd_key_table_writer *w) {
    if (!w) return;
    nd_spool_free(&w->directory);
    nd_allocator allocator = w->allocator;
    nd_release(&allocator, w);
}

static nd_status flush_words(nd_key_table_writer *w, nd_error *error) {
    ND_TRY(nd_spool_append(&w->directory, w->word_buffer, w->words_waiting * (size_t)WORD, error));
    w->words_waiting = 0;
    return ND_OK;
}

static nd_status flush_entries(nd_key_table_writer *w, nd_error *error) {
    ND_TRY(nd_sealed_write(w->file, w->entry_buffer, w->entries_waiting * (size_t)ENTRY, error));
    w->entries_waiting = 0;
    return ND_OK;
}

/* Sets the directory words up to word `last` to the number of entries so far. */
static nd_status put_words(nd_key_table_writer *w, uint64_t last, nd_error *error) {
    for (; w->words <= last; w->words++) {
        if (w->words_waiting == WORD_BUFFER) ND_TRY(flush_words(w, error));
        nd_store_le32(w->word_buffer + WORD * w->words_waiting++, (uint32_t)w->put);
    }
    return ND_OK;
}

static nd_status fail_entry(const nd_key_table_writer *w, uint64_t key, uint32_t document,
                            nd_error *error) {
    return nd_fail(error, ND_ERR_ARGUMENT,
                   "entry %" PRIu64 " of %" PRIu64 " of a key table, key %" PRIu64
                   " of document %" PRIu32 ", is out of order or range",
                   w->put, w->entries, key, document);
}

/* Puts entries for which the buffer has room. */
static nd_status put_some(nd_key_table_writer *w, const uint64_t *keys, const uint32_t *documents,
                          size_t count, nd_error *error) {
    const shape s = w->shape;
    unsigned char *at = w->entry_buffer + ENTRY * w->entries_waiting;
    uint64_t last_key = w->key, last_document = w->document; /* from (0, 0) on */
    for (size_t i = 0; i < count; i++, at += ENTRY, w->put++) {
        uint64_t key = keys[i], document = documents[i];
        bool ascends = key > last_key || (key == last_key && document >= last_document);
        if (!ascends || key >> ND_BAND_BITS || document >= w->documents)
            return fail_entry(w, key, documents[i], error);
        uint64_t bucket = key >> (ENTRY_BITS - s.document_bits);
        if (w->words <= bucket) ND_TRY(put_words(w, bucket, error));
        nd_store_le64(at, (key << s.document_bits | document) & ENTRY_MASK);
        last_key = key;
        last_document = document;
    }
    w->key = last_key;
    w->document = (uint32_t)last_document;
    w->entries_waiting += (unsigned)count;
    return ND_OK;
}

nd_status nd_key_table_put(nd_key_table_writer *w, const uint64_t *keys, const uint32_t *documents,
                           size_t count, nd_error *error) {
    if (count > w->entries - w->put) return fail_entry(w, keys[0], documents[0], error);
    for (size_t done = 0, n; done < count; done += n) {
        if (w->entries_waiting == ENTRY_BUFFER) ND_TRY(flush_entries(w, error));
        size_t room = ENTRY_BUFFER - w->entries_waiting;
        n = count - done < room ? count - done : room;
        ND_TRY(put_some(w, keys + done, documents + done, n, error));
    }
    return ND_OK;
}

nd_status nd_key_table_finish(nd_key_table_writer *w, nd_error *error) {
    if (w->put != w->entries)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "a key table was given %" PRIu64 " entries, not %" PRIu64, w->put,
                       w->entries);
    ND_TRY(put_words(w, w->shape.buckets, error));
    ND_TRY(flush_words(w, error));
    ND_TRY(flush_entries(w, error));
    ND_TRY(nd_sealed_write(w->file, (const char[WORD]){0},
                           (size_t)(w->shape.directory - w->entries * ENTRY), error));
    return nd_sealed_write_spool(w->file, &w->directory, error);
}

/* ---- reading */

static nd_status damaged(const nd_key_table *table, const char *what, uint64_t offset,
                         nd_error *error) {
    return nd_fail(error, ND_ERR_CORRUPT, "%s: damaged: %s at byte %" PRIu64,
                   nd_sealed_path(table->file), what, table->section.offset + offset);
}

nd_status nd_key_table_open(const nd_sealed_file *file, uint32_t tag, uint64_t documents,
                            uint64_t entries, nd_key_table *out, nd_error *error) {
    shape s = {0};
    nd_section section = {0};
    ND_TRY(nd_sealed_section(file, tag, &section, error));
    if (!shape_of(documents, entries, &s) || section.size != s.size)
        return nd_fail(error, ND_ERR_CORRUPT,
                       "%s: damaged: %" PRIu64 " bytes from byte %" PRIu64
                       " on are no key table of %" PRIu64 " entries and %" PRIu64 " documents",
                       nd_sealed_path(file), section.size, section.offset, entries, documents);
    *out = (nd_key_table){.file = file,
                          .section = section,
                          .entries = entries,
                          .documents = documents,
                          .directory = s.directory,
                          .document_bits = s.document_bits};
    return ND_OK;
}

static inline uint64_t word_offset(const nd_key_table *table, uint64_t key) {
    return table->directory + (key >> (ENTRY_BITS - table->document_bits)) * WORD;
}

/* Reads 8 bytes: a view has 8 readable bytes behind it. */
static inline uint64_t load_entry(const unsigned char *p) { return nd_load_le64(p) & ENTRY_MASK; }

void nd_key_table_prefetch(const nd_key_table *table, uint64_t key) {
    nd_sealed_prefetch(table->file, &table->section, word_offset(table, key));
}

nd_status nd_key_table_locate(const nd_key_table *table, uint64_t key, nd_key_range *bucket,
                              nd_error *error) {
    const unsigned char *p;
    uint64_t offset = word_offset(table, key);
    ND_TRY(nd_sealed_view(table->file, &table->section, offset, 2 * WORD, &p, error));
    *bucket = (nd_key_range){nd_load_le32(p), nd_load_le32(p + WORD)};
    if (bucket->begin > bucket->end || bucket->end > table->entries)
        return damaged(table, "directory of keys", offset, error);
    nd_sealed_prefetch(table->file, &table->section, bucket->begin * ENTRY);
    nd_sealed_prefetch(table->file, &table->section, bucket->end * ENTRY);
    return ND_OK;
}

/* Finds the first entry of a bucket that is not below `wanted`, or the end of the bucket. */
static nd_status search(const nd_key_table *table, uint64_t wanted, nd_key_range bucket,
                        uint64_t *out, nd_error *error) {
    while (bucket.begin < bucket.end) {
        const unsigned char *p;
        uint64_t middle = bucket.begin + (bucket.end - bucket.begin) / 2;
        ND_TRY(nd_sealed_view(table->file, &table->section, middle * ENTRY, ENTRY, &p, error));
        if (load_entry(p) < wanted) bucket.begin = middle + 1;
        else bucket.end = middle;
    }
    *out = bucket.begin;
    return ND_OK;
}

/* Scans a bucket of few entries, which begin at p, for those from `wanted` on and below wanted +
 * step. */
static inline nd_key_range find_among(const unsigned char *p, nd_key_range bucket, uint64_t wanted,
                                      uint64_t step) {
    uint64_t before = 0, same = 0;
    for (uint64_t i = 0; i < bucket.end - bucket.begin; i++) {
        uint64_t entry = load_entry(p + i * ENTRY);
        before += entry < wanted;
        same += entry - wanted < step;
    }
    return (nd_key_range){bucket.begin + before, bucket.begin + before + same};
}

nd_status nd_key_table_find(const nd_key_table *table, uint64_t key, nd_key_range bucket,
                            nd_key_range *out, nd_error *error) {
    uint64_t wanted = key << table->document_bits & ENTRY_MASK,
             step = UINT64_C(1) << table->document_bits, count = bucket.end - bucket.begin;
    if (count > FEW) {
        ND_TRY(search(table, wanted, bucket, &out->begin, error));
        return search(table, wanted + step, (nd_key_range){out->begin, bucket.end}, &out->end,
                      error);
    }
    const unsigned char *p;
    ND_TRY(nd_sealed_view(table->file, &table->section, bucket.begin * ENTRY, count * ENTRY, &p,
                          error));
    *out = find_among(p, bucket, wanted, step);
    return ND_OK;
}

static nd_status find_close(const nd_key_table *table, const uint64_t *keys, size_t count,
                            nd_key_range *out, nd_error *error) {
    unsigned shift = ENTRY_BITS - table->document_bits;
    uint64_t first = keys[0] >> shift, words = (keys[count - 1] >> shift) - first + 2,
             step = UINT64_C(1) << table->document_bits;
    const unsigned char *directory, *entries = NULL;
    ND_TRY(nd_sealed_view(table->file, &table->section, word_offset(table, keys[0]), words * WORD,
                          &directory, error));
    nd_key_range all = {nd_load_le32(directory), nd_load_le32(directory + (words - 1) * WORD)};
    if (all.begin > all.end || all.end > table->entries)
        return damaged(table, "directory of keys", word_offset(table, keys[0]), error);
    if (all.begin < all.end)
        ND_TRY(nd_sealed_view(table->file, &table->section, all.begin * ENTRY,
                              (all.end - all.begin) * ENTRY, &entries, error));
    for (size_t i = 0; i < count; i++) {
        const unsigned char *word = directory + ((keys[i] >> shift) - first) * WORD;
        nd_key_range bucket = {nd_load_le32(word), nd_load_le32(word + WORD)};
        if (bucket.begin < all.begin || bucket.begin > bucket.end || bucket.end > all.end)
            return damaged(table, "directory of keys", word_offset(table, keys[i]), error);
        if (bucket.begin == bucket.end) out[i] = bucket;
        else if (bucket.end - bucket.begin > FEW)
            ND_TRY(nd_key_table_find(table, keys[i], bucket, &out[i], error));
        else
            out[i] = find_among(entries + (bucket.begin - all.begin) * ENTRY, bucket,
                                keys[i] << table->document_bits & ENTRY_MASK, step);
    }
    return ND_OK;
}

static nd_status find_apart(const nd_key_table *table, const uint64_t *keys, size_t count,
                            nd_key_range *out, nd_error *error) {
    for (size_t i = 0; i < count; i++) nd_key_table_prefetch(table, keys[i]);
    for (size_t i = 0; i < count; i++) ND_TRY(nd_key_table_locate(table, keys[i], &out[i], error));
    for (size_t i = 0; i < count; i++)
        ND_TRY(nd_key_table_find(table, keys[i], out[i], &out[i], error));
    return ND_OK;
}

nd_status nd_key_table_find_ascending(const nd_key_table *table, const uint64_t *keys, size_t count,
                                      nd_key_range *out, nd_error *error) {
    unsigned shift = ENTRY_BITS - table->document_bits;
    bool close = (keys[count - 1] >> shift) - (keys[0] >> shift) < CLOSE * count;
    return close ? find_close(table, keys, count, out, error)
                 : find_apart(table, keys, count, out, error);
}

nd_status nd_key_table_documents(const nd_key_table *table, uint64_t begin, size_t count,
                                 uint32_t *documents, nd_error *error) {
    const unsigned char *p;
    if (begin > table->entries || count > table->entries - begin)
        return damaged(table, "entries out of range", begin * ENTRY, error);
    ND_TRY(nd_sealed_view(table->file, &table->section, begin * ENTRY, count * (uint64_t)ENTRY, &p,
                          error));
    uint64_t mask = (UINT64_C(1) << table->document_bits) - 1;
    for (size_t i = 0; i < count; i++) {
        uint64_t document = nd_load_le64(p + i * ENTRY) & mask;
        if (document >= table->documents)
            return damaged(table, "document out of range", (begin + i) * ENTRY, error);
        documents[i] = (uint32_t)document;
    }
    return ND_OK;
}

void nd_key_cursor_begin(const nd_key_table *table, nd_key_cursor *out) {
    out->table = table;
    out->next = out->words = out->before = out->key = 0;
    out->document = out->at = out->count = 0;
}

/* Moves to the bucket of the next entry, or, behind the last entry, to the end of the directory. */
static nd_status next_bucket(nd_key_cursor *c, nd_error *error) {
    const nd_key_table *table = c->table;
    uint64_t words = (UINT64_C(1) << (table->document_bits - 2)) + 1;
    while (c->next == c->before && c->words < words) {
        const unsigned char *p;
        uint64_t offset = table->directory + c->words * WORD;
        ND_TRY(nd_sealed_view(table->file, &table->section, offset, WORD, &p, error));
        uint64_t word = nd_load_le32(p), most = c->words == 0 ? 0 : table->entries;
        if (word < c->before || word > most)
            return damaged(table, "directory of keys", offset, error);
        c->before = word;
        c->words++;
    }
    return c->next < c->before || c->next == table->entries
               ? ND_OK
               : damaged(table, "directory of keys", table->directory + (words - 1) * WORD, error);
}

nd_status nd_key_cursor_fill(nd_key_cursor *c, nd_error *error) {
    const nd_key_table *table = c->table;
    const unsigned char *p;
    uint64_t left = table->entries - c->next, low_bits = ENTRY_BITS - table->document_bits,
             mask = (UINT64_C(1) << table->document_bits) - 1;
    uint32_t count = left < ND_CURSOR_ENTRIES ? (uint32_t)left : ND_CURSOR_ENTRIES;
    c->at = c->count = 0;
    ND_TRY(next_bucket(c, error));
    if (count == 0) return ND_OK;
    ND_TRY(nd_sealed_view(table->file, &table->section, c->next * ENTRY, count * (uint64_t)ENTRY,
                          &p, error));
    uint64_t last_key = c->key, last_document = c->document; /* from (0, 0) on */
    for (uint32_t i = 0; i < count; i++, c->next++) {
        if (c->next == c->before) ND_TRY(next_bucket(c, error));
        uint64_t entry = load_entry(p + i * (size_t)ENTRY), document = entry & mask,
                 key = (c->words - 2) << low_bits | entry >> table->document_bits;
        if (key < last_key || (key == last_key && document < last_document))
            return damaged(table, "entries out of order", c->next * ENTRY, error);
        if (document >= table->documents)
            return damaged(table, "document out of range", c->next * ENTRY, error);
        c->keys[i] = last_key = key;
        c->documents[i] = (uint32_t)(last_document = document);
    }
    c->count = count;
    return ND_OK;
}
