#include "store/key_table.h"

#include "base/limits.h"

#include <inttypes.h>
#include <string.h>

enum {
    ENTRY = ND_KEY_ENTRY,
    LINE = ND_KEY_LINE,
    FEW = 16,                /* entries of a bucket that is scanned; more are searched by halves */
    PART = ND_LIMIT(512, 3), /* keys that go through a step of a lookup together */
    AHEAD = 32,              /* keys whose lines are on their way from memory */
    ENTRY_BUFFER = ND_LIMIT(800, 3),
    LINE_BUFFER = ND_LIMIT(64, 2),
    DIRECTORY_MEMORY = ND_LIMIT(8 << 20, 0)
};

#define ENTRY_MASK ((UINT64_C(1) << ND_KEY_ENTRY_BITS) - 1)

/* ---- writing */

struct nd_key_table_writer {
    nd_allocator allocator;
    nd_sealed_writer *file;
    nd_key_shape shape;
    uint64_t documents, entries;
    uint64_t put;       /* entries so far */
    uint64_t lines;     /* of the directory so far; the next one is that of the last entry */
    nd_spool directory; /* these, except those in line_buffer */
    uint64_t begin;     /* of the next line */
    unsigned char bytes[ND_KEY_LINE_BYTES]; /* of its first entries */
    uint32_t counts[ND_KEY_LINE_PREFIXES];  /* entries of each of its prefixes */
    uint64_t key;                           /* of the last entry */
    uint32_t document;
    unsigned entries_waiting, lines_waiting;
    unsigned char entry_buffer[ENTRY_BUFFER * ENTRY + 8], line_buffer[LINE_BUFFER * LINE];
};

nd_status nd_key_table_writer_create(nd_sealed_writer *file, uint64_t documents, uint64_t entries,
                                     const nd_allocator *allocator, nd_key_table_writer **out,
                                     nd_error *error) {
    nd_key_shape s;
    if (!nd_key_shape_of(documents, entries, &s))
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

static nd_status flush_lines(nd_key_table_writer *w, nd_error *error) {
    ND_TRY(nd_spool_append(&w->directory, w->line_buffer, w->lines_waiting * (size_t)LINE, error));
    w->lines_waiting = 0;
    return ND_OK;
}

static nd_status flush_entries(nd_key_table_writer *w, nd_error *error) {
    ND_TRY(nd_sealed_write(w->file, w->entry_buffer, w->entries_waiting * (size_t)ENTRY, error));
    w->entries_waiting = 0;
    return ND_OK;
}

/* Ends the next line with the entries so far. */
static nd_status end_line(nd_key_table_writer *w, nd_error *error) {
    if (w->lines_waiting == LINE_BUFFER) ND_TRY(flush_lines(w, error));
    unsigned char *line = w->line_buffer + LINE * w->lines_waiting++;
    const nd_key_range all = {w->begin, w->put};
    uint64_t count = all.end - all.begin, end = all.begin;
    memset(line, nd_key_line_has_bytes(all) ? 255 : 0, ND_KEY_LINE_BYTES);
    if (nd_key_line_has_bytes(all)) memcpy(line, w->bytes, count);
    for (unsigned p = 0; p < w->shape.prefixes && !nd_key_line_has_bytes(all); p++)
        nd_store_le32(line + 4 * (size_t)p, (uint32_t)(end += w->counts[p]));
    nd_store_le32(line + ND_KEY_LINE_BYTES, (uint32_t)all.begin);
    nd_store_le32(line + ND_KEY_LINE_BYTES + 4, (uint32_t)all.end);
    memset(w->counts, 0, sizeof w->counts);
    w->begin = w->put;
    w->lines++;
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
    const nd_key_shape s = w->shape;
    unsigned char *at = w->entry_buffer + ENTRY * w->entries_waiting;
    uint64_t last_key = w->key, last_document = w->document; /* from (0, 0) on */
    for (size_t i = 0; i < count; i++, at += ENTRY, w->put++) {
        uint64_t key = keys[i], document = documents[i];
        bool ascends = key > last_key || (key == last_key && document >= last_document);
        if (!ascends || key >> ND_BAND_BITS || document >= w->documents)
            return fail_entry(w, key, documents[i], error);
        nd_key_place place = nd_key_place_of(&s, key);
        while (w->lines < place.line) ND_TRY(end_line(w, error));
        uint64_t before = w->put - w->begin;
        if (before < ND_KEY_LINE_BYTES) w->bytes[before] = (unsigned char)place.byte;
        w->counts[place.prefix]++;
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
    while (w->lines < w->shape.lines) ND_TRY(end_line(w, error));
    ND_TRY(flush_lines(w, error));
    ND_TRY(flush_entries(w, error));
    ND_TRY(nd_sealed_write(w->file, (const char[LINE]){0},
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
    nd_key_shape s = {0};
    nd_section section = {0};
    ND_TRY(nd_sealed_section(file, tag, &section, error));
    if (!nd_key_shape_of(documents, entries, &s) || section.size != s.size)
        return nd_fail(error, ND_ERR_CORRUPT,
                       "%s: damaged: %" PRIu64 " bytes from byte %" PRIu64
                       " on are no key table of %" PRIu64 " entries and %" PRIu64 " documents",
                       nd_sealed_path(file), section.size, section.offset, entries, documents);
    *out = (nd_key_table){
        .file = file, .section = section, .entries = entries, .documents = documents, .shape = s};
    return ND_OK;
}

static inline uint64_t line_offset(const nd_key_table *table, uint64_t line) {
    return table->shape.directory + line * LINE;
}

/* Reads 8 bytes: a view has 8 readable bytes behind it. */
static inline uint64_t load_entry(const unsigned char *p) { return nd_load_le64(p) & ENTRY_MASK; }

nd_status nd_key_table_locate(const nd_key_table *table, uint64_t key, nd_key_range *bucket,
                              nd_error *error) {
    const unsigned char *line;
    nd_key_place place = nd_key_place_of(&table->shape, key);
    uint64_t offset = line_offset(table, place.line);
    ND_TRY(nd_sealed_view(table->file, &table->section, offset, LINE, &line, error));
    if (!nd_key_line_find(line, place, bucket) || bucket->end > table->entries)
        return damaged(table, "directory of keys", offset, error);
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
    uint64_t wanted = key << table->shape.document_bits & ENTRY_MASK,
             step = UINT64_C(1) << table->shape.document_bits, count = bucket.end - bucket.begin;
    if (count == 0) {
        *out = bucket;
        return ND_OK;
    }
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
    const nd_key_shape *s = &table->shape;
    uint64_t first = nd_key_line_of(s, keys[0]), lines = nd_key_line_of(s, keys[count - 1]) - first,
             step = UINT64_C(1) << s->document_bits;
    const unsigned char *directory, *entries = NULL;
    ND_TRY(nd_sealed_view(table->file, &table->section, line_offset(table, first),
                          (lines + 1) * LINE, &directory, error));
    nd_key_range all = {nd_key_line_range(directory).begin,
                        nd_key_line_range(directory + lines * LINE).end};
    if (all.begin > all.end || all.end > table->entries)
        return damaged(table, "directory of keys", line_offset(table, first), error);
    if (all.begin < all.end)
        ND_TRY(nd_sealed_view(table->file, &table->section, all.begin * ENTRY,
                              (all.end - all.begin) * ENTRY, &entries, error));
    for (size_t i = 0; i < count; i++) {
        nd_key_place place = nd_key_place_of(s, keys[i]);
        nd_key_range bucket;
        if (!nd_key_line_find(directory + (place.line - first) * LINE, place, &bucket) ||
            bucket.begin < all.begin || bucket.end > all.end)
            return damaged(table, "directory of keys", line_offset(table, place.line), error);
        if (bucket.begin == bucket.end) out[i] = bucket;
        else if (bucket.end - bucket.begin > FEW)
            ND_TRY(nd_key_table_find(table, keys[i], bucket, &out[i], error));
        else
            out[i] = find_among(entries + (bucket.begin - all.begin) * ENTRY, bucket,
                                keys[i] << s->document_bits & ENTRY_MASK, step);
    }
    return ND_OK;
}

/* Lists the keys of [begin, end) that the table may have. Lines are prefetched for the keys `AHEAD`
 * places further, so that they have come when they are read. No branch depends on a line. */
static size_t list_likely(const nd_key_table *table, const uint64_t *keys, size_t begin, size_t end,
                          size_t count, uint32_t *likely) {
    size_t found = 0;
    for (size_t i = begin; i < end; i++) {
        nd_key_table_prefetch(table, keys[i + AHEAD < count ? i + AHEAD : count - 1]);
        likely[found] = (uint32_t)i;
        found += nd_key_table_may_have(table, keys[i]);
    }
    return found;
}

/* Looks up keys by the steps of the header, the later steps only for keys that the table may have.
 */
static nd_status find_apart(const nd_key_table *table, const uint64_t *keys, size_t count,
                            nd_key_range *out, nd_error *error) {
    uint32_t likely[PART];
    memset(out, 0, count * sizeof *out);
    for (size_t i = 0; i < AHEAD && i < count; i++) nd_key_table_prefetch(table, keys[i]);
    for (size_t begin = 0; begin < count; begin += PART) {
        const size_t end = count - begin < PART ? count : begin + PART,
                     found = list_likely(table, keys, begin, end, count, likely);
        for (size_t j = 0; j < found; j++)
            ND_TRY(nd_key_table_locate(table, keys[likely[j]], &out[likely[j]], error));
        for (size_t j = 0; j < found; j++) nd_key_table_prefetch_entries(table, out[likely[j]]);
        for (size_t j = 0; j < found; j++) {
            nd_key_range *range = &out[likely[j]];
            ND_TRY(nd_key_table_find(table, keys[likely[j]], *range, range, error));
        }
    }
    return ND_OK;
}

nd_status nd_key_table_find_ascending(const nd_key_table *table, const uint64_t *keys, size_t count,
                                      nd_key_range *out, nd_error *error) {
    uint64_t first = nd_key_line_of(&table->shape, keys[0]),
             last = nd_key_line_of(&table->shape, keys[count - 1]);
    bool close = last - first < count; /* the lines are at most as many as the keys */
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
    uint64_t mask = (UINT64_C(1) << table->shape.document_bits) - 1;
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
    out->next = out->lines = out->key = 0;
    out->line = NULL;
    out->range = (nd_key_range){0};
    out->prefix = 0;
    out->document = out->at = out->count = 0;
}

static nd_status damaged_line(const nd_key_cursor *c, nd_error *error) {
    return damaged(c->table, "directory of keys", line_offset(c->table, c->lines - 1), error);
}

/* Moves to the line of the next entry, or, behind the last entry, to the end of the directory. */
static nd_status next_line(nd_key_cursor *c, nd_error *error) {
    const nd_key_table *table = c->table;
    while (c->next == c->range.end && c->lines < table->shape.lines) {
        ND_TRY(nd_sealed_view(table->file, &table->section, line_offset(table, c->lines++), LINE,
                              &c->line, error));
        c->range = nd_key_line_range(c->line);
        c->prefix = 0;
        if (c->range.begin != c->next || c->range.end < c->next || c->range.end > table->entries)
            return damaged_line(c, error);
    }
    return c->next < c->range.end || c->next == table->entries ? ND_OK : damaged_line(c, error);
}

/* Reads `count` entries of a line into the arrays, from place `at` on. False: the line does not fit
 * them. No branch depends on an entry. */
static bool read_entries(nd_key_cursor *c, const unsigned char *entries, uint32_t at,
                         uint32_t count) {
    const nd_key_shape s = c->table->shape;
    const uint64_t mask = (UINT64_C(1) << s.document_bits) - 1, first = (c->lines - 1) * s.prefixes;
    const unsigned char *bytes = c->line + (c->next - c->range.begin);
    bool wrong = false;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t entry = load_entry(entries + i * (size_t)ENTRY), rest = entry >> s.document_bits;
        unsigned prefix = nd_key_prefix_of(&s, bytes[i]);
        wrong |= prefix >= s.prefixes || bytes[i] != nd_key_byte(&s, prefix, rest);
        c->keys[at + i] = (first + prefix) << s.rest_bits | rest;
        c->documents[at + i] = (uint32_t)(entry & mask);
    }
    return !wrong;
}

/* The same of a line that has the ends of its prefixes in place of bytes. */
static bool read_crowded(nd_key_cursor *c, const unsigned char *entries, uint32_t at,
                         uint32_t count) {
    const nd_key_shape s = c->table->shape;
    const uint64_t mask = (UINT64_C(1) << s.document_bits) - 1;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t entry = load_entry(entries + i * (size_t)ENTRY), next = c->next + i,
                 first = (c->lines - 1) * s.prefixes;
        while (c->prefix < s.prefixes && next >= nd_load_le32(c->line + 4 * (size_t)c->prefix))
            c->prefix++;
        if (c->prefix == s.prefixes) return false;
        c->keys[at + i] = (first + c->prefix) << s.rest_bits | entry >> s.document_bits;
        c->documents[at + i] = (uint32_t)(entry & mask);
    }
    return true;
}

/* Checks the entries of the arrays, which end before c->next, and that they follow the last ones.
 */
static nd_status check_entries(nd_key_cursor *c, uint32_t count, nd_error *error) {
    const nd_key_table *table = c->table;
    uint64_t key = c->key, document = c->document; /* from (0, 0) on */
    uint32_t wrong = count;                        /* the first one that is */
    for (uint32_t i = 0; i < count; i++) {
        bool descends = c->keys[i] < key || (c->keys[i] == key && c->documents[i] < document);
        bool outside = c->documents[i] >= table->documents;
        wrong = (descends | outside) && wrong == count ? i : wrong;
        key = c->keys[i];
        document = c->documents[i];
    }
    if (wrong < count) {
        bool outside = c->documents[wrong] >= table->documents;
        return damaged(table, outside ? "document out of range" : "entries out of order",
                       (c->next - count + wrong) * ENTRY, error);
    }
    if (key >> ND_BAND_BITS) return damaged_line(c, error);
    c->key = key;
    c->document = (uint32_t)document;
    return ND_OK;
}

nd_status nd_key_cursor_fill(nd_key_cursor *c, nd_error *error) {
    const nd_key_table *table = c->table;
    const unsigned char *p;
    uint64_t left = table->entries - c->next;
    uint32_t count = left < ND_CURSOR_ENTRIES ? (uint32_t)left : ND_CURSOR_ENTRIES;
    c->at = c->count = 0;
    ND_TRY(next_line(c, error));
    if (count == 0) return ND_OK;
    ND_TRY(nd_sealed_view(table->file, &table->section, c->next * ENTRY, count * (uint64_t)ENTRY,
                          &p, error));
    for (uint32_t i = 0, n; i < count; i += n) {
        if (c->next == c->range.end) ND_TRY(next_line(c, error));
        uint64_t of_line = c->range.end - c->next;
        n = count - i < of_line ? count - i : (uint32_t)of_line;
        bool fits = nd_key_line_has_bytes(c->range) ? read_entries(c, p + i * (size_t)ENTRY, i, n)
                                                    : read_crowded(c, p + i * (size_t)ENTRY, i, n);
        if (!fits) return damaged_line(c, error);
        c->next += n;
    }
    ND_TRY(check_entries(c, count, error));
    c->count = count;
    return ND_OK;
}
