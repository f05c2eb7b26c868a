/* All numbers are little-endian. Each number is checked before it is used. */
#include "stream/clusters_file.h"

#include "stream/leader_clusters_inside.h"

#include <stdlib.h>

enum { TAG_HEAD = 1, TAG_CLUSTERS, TAG_SUMS, TAG_STRINGS, TAG_NAMES, TAG_COUNTS, TAG_RECENT };
enum { HEAD_SIZE = 32, CLUSTER_SIZE = 240, NAME_HEAD = 9, RECENT_SIZE = 48, PIECE = 1024 };
enum { VARINT_SIZE = 5 }; /* of 32 bits */

/* ---- saving */

/* Collects small writes. */
typedef struct output {
    nd_sealed_writer *file;
    size_t used;
    unsigned char bytes[4096];
} output;

static nd_status flush(output *o, nd_error *error) {
    size_t size = o->used;
    o->used = 0;
    return nd_sealed_write(o->file, o->bytes, size, error);
}

static nd_status write_bytes(output *o, const void *bytes, size_t size, nd_error *error) {
    if (o->used + size > sizeof o->bytes) ND_TRY(flush(o, error));
    if (size > sizeof o->bytes) return nd_sealed_write(o->file, bytes, size, error);
    if (size > 0) memcpy(o->bytes + o->used, bytes, size);
    o->used += size;
    return ND_OK;
}

static nd_status save_head(const nd_clusters *c, output *o, nd_error *error) {
    unsigned char p[HEAD_SIZE];
    nd_store_le64(p, c->documents);
    nd_store_double(p + 8, c->clock);
    nd_store_le64(p + 16, c->live);
    nd_store_le64(p + 24, nd_term_dictionary_count(c->words.names));
    ND_TRY(nd_sealed_begin(o->file, TAG_HEAD, error));
    return write_bytes(o, p, sizeof p, error);
}

/* In the order of founding. The order of growth is not written: it is the order of `grown`. */
static nd_status save_clusters(const nd_clusters *c, output *o, nd_error *error) {
    uint64_t strings = 0;
    ND_TRY(nd_sealed_begin(o->file, TAG_CLUSTERS, error));
    for (size_t i = 0; i < c->count; i++) {
        const nd_cluster *x = &c->list[i];
        unsigned char p[CLUSTER_SIZE];
        uint64_t words[] = {x->centre.low,   x->centre.high, x->central.low,
                            x->central.high, x->founded,     x->grown};
        if (x->size == 0) continue;
        for (size_t w = 0; w < 6; w++) nd_store_le64(p + w * 8, words[w]);
        nd_store_double(p + 48, x->founded_time);
        nd_store_double(p + 56, x->grown_time);
        nd_store_le64(p + 64, strings);
        strings += 4 + nd_load_le32(c->strings + x->id);
        nd_store_le64(p + 72, x->central_id == x->id
                                  ? strings - 4 - nd_load_le32(c->strings + x->id)
                                  : strings);
        if (x->central_id != x->id) strings += 4 + nd_load_le32(c->strings + x->central_id);
        nd_store_le64(p + 80, x->size);
        memset(p + 88, 0, sizeof p - 88);
        for (int t = 0; t < ND_SPACE_SAVING_SLOTS; t++) {
            nd_store_le64(p + 96 + t * 8, x->topics.features[t]);
            nd_store_le32(p + 96 + ND_SPACE_SAVING_SLOTS * 8 + t * 4, x->topics.counts[t]);
            p[96 + ND_SPACE_SAVING_SLOTS * 12 + t * 2] = (unsigned char)x->topics.errors[t];
            p[97 + ND_SPACE_SAVING_SLOTS * 12 + t * 2] = (unsigned char)(x->topics.errors[t] >> 8);
        }
        ND_TRY(write_bytes(o, p, sizeof p, error));
    }
    return ND_OK;
}

static nd_status save_sums(const nd_clusters *c, output *o, nd_error *error) {
    ND_TRY(nd_sealed_begin(o->file, TAG_SUMS, error));
    for (size_t i = 0; c->settings.follow && i < c->count; i++) {
        unsigned char p[2 * 128];
        for (uint32_t bit = 0; bit < c->settings.bits; bit++) {
            uint16_t sum = (uint16_t)c->sums[i * c->settings.bits + bit];
            p[2 * bit] = (unsigned char)sum;
            p[2 * bit + 1] = (unsigned char)(sum >> 8);
        }
        if (c->list[i].size > 0) ND_TRY(write_bytes(o, p, 2 * c->settings.bits, error));
    }
    return ND_OK;
}

static nd_status save_strings(const nd_clusters *c, output *o, nd_error *error) {
    ND_TRY(nd_sealed_begin(o->file, TAG_STRINGS, error));
    for (size_t i = 0; i < c->count; i++) {
        const nd_cluster *x = &c->list[i];
        if (x->size == 0) continue;
        ND_TRY(write_bytes(o, c->strings + x->id, 4 + nd_load_le32(c->strings + x->id), error));
        if (x->central_id != x->id)
            ND_TRY(write_bytes(o, c->strings + x->central_id,
                               4 + nd_load_le32(c->strings + x->central_id), error));
    }
    return ND_OK;
}

static nd_status save_names(const nd_clusters *c, output *o, nd_error *error) {
    uint64_t feature;
    const char *term;
    size_t length;
    ND_TRY(nd_sealed_begin(o->file, TAG_NAMES, error));
    for (size_t at = 0; nd_term_dictionary_next(c->words.names, &at, &feature, &term, &length);) {
        unsigned char p[NAME_HEAD];
        nd_store_le64(p, feature);
        p[8] = (unsigned char)length;
        ND_TRY(write_bytes(o, p, sizeof p, error));
        ND_TRY(write_bytes(o, term, length, error));
    }
    return ND_OK;
}

/* LEB128. Returns the end. */
static unsigned char *put_varint(unsigned char *p, uint32_t value) {
    for (; value > 127; value >>= 7) *p++ = (unsigned char)(value | 128);
    *p++ = (unsigned char)value;
    return p;
}

/* Each count that is not 0, behind the number of zeros before it: most counts of a young stream are
 * 0, and most others are small. */
static nd_status save_counts(const nd_clusters *c, output *o, nd_error *error) {
    uint32_t zeros = 0;
    ND_TRY(nd_sealed_begin(o->file, TAG_COUNTS, error));
    for (size_t at = 0; at < nd_count_min_size(); at += PIECE) {
        uint32_t counts[PIECE];
        unsigned char p[PIECE * 2 * VARINT_SIZE], *end = p;
        nd_count_min_read(c->words.counts, at, PIECE, counts);
        for (size_t i = 0; i < PIECE; i++) {
            if (counts[i] == 0) {
                zeros++;
                continue;
            }
            end = put_varint(put_varint(end, zeros), counts[i]);
            zeros = 0;
        }
        ND_TRY(write_bytes(o, p, (size_t)(end - p), error));
    }
    return ND_OK;
}

/* The oldest first. */
static nd_status save_recent(const nd_clusters *c, output *o, nd_error *error) {
    uint64_t known = c->documents < ND_RECENT ? c->documents : ND_RECENT;
    ND_TRY(nd_sealed_begin(o->file, TAG_RECENT, error));
    for (uint64_t a = c->documents - known + 1; a <= c->documents; a++) {
        const nd_recent *r = &c->recent[a % ND_RECENT];
        unsigned char p[RECENT_SIZE] = {0};
        nd_store_le64(p, r->id_length);
        nd_store_le64(p + 8, r->placement.cluster_length);
        nd_store_le64(p + 16, r->placement.founded);
        nd_store_double(p + 24, r->placement.similarity);
        nd_store_le32(p + 32, r->placement.distance);
        p[36] = r->placement.is_new;
        ND_TRY(write_bytes(o, p, sizeof p, error));
        ND_TRY(write_bytes(o, r->ids, r->id_length + r->placement.cluster_length, error));
    }
    return ND_OK;
}

nd_status nd_clusters_save(const nd_clusters *c, nd_sealed_writer *file, nd_error *error) {
    static nd_status (*const parts[])(const nd_clusters *, output *, nd_error *) = {
        save_head, save_clusters, save_sums, save_strings, save_names, save_counts, save_recent};
    output o = {.file = file};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        ND_TRY(parts[i](c, &o, error));
        ND_TRY(flush(&o, error));
    }
    return ND_OK;
}

/* ---- loading */

static nd_status damaged(const nd_sealed_file *file, const char *what, nd_error *error) {
    return nd_fail(error, ND_ERR_CORRUPT, "%s: damaged: %s", nd_sealed_path(file), what);
}

/* A section, read from front to back. */
typedef struct input {
    const nd_sealed_file *file;
    nd_section section;
    uint64_t at;
} input;

static nd_status begin_section(const nd_sealed_file *file, uint32_t tag, input *i,
                               nd_error *error) {
    *i = (input){.file = file};
    return nd_sealed_section(file, tag, &i->section, error);
}

static nd_status read_bytes(input *i, uint64_t size, const unsigned char **p, nd_error *error) {
    if (size > i->section.size - i->at)
        return damaged(i->file, "a section of clusters ends early", error);
    ND_TRY(nd_sealed_view(i->file, &i->section, i->at, size, p, error));
    i->at += size;
    return ND_OK;
}

static nd_status end_section(const input *i, nd_error *error) {
    return i->at == i->section.size ? ND_OK
                                    : damaged(i->file, "a section of clusters is too long", error);
}

/* Whether a string lies at this offset. */
static bool is_string(const nd_clusters *c, uint64_t at) {
    return c->string_size >= 4 && at <= c->string_size - 4 &&
           nd_load_le32(c->strings + at) <= c->string_size - at - 4;
}

static nd_status load_strings(nd_clusters *c, const nd_sealed_file *file, nd_error *error) {
    input i;
    const unsigned char *p;
    ND_TRY(begin_section(file, TAG_STRINGS, &i, error));
    if (i.section.size == 0) return ND_OK;
    if (!nd_reserve(&c->allocator, &c->strings, &c->string_capacity, i.section.size))
        return nd_fail_memory(error, i.section.size, "ids");
    ND_TRY(read_bytes(&i, i.section.size, &p, error));
    memcpy(c->strings, p, i.section.size);
    c->string_size = i.section.size;
    return ND_OK;
}

static nd_status load_cluster(nd_clusters *c, const nd_sealed_file *file, const unsigned char *p,
                              nd_error *error) {
    ND_TRY(nd_clusters_reserve(c, error));
    nd_cluster *x = &c->list[c->count];
    *x = (nd_cluster){.centre = {nd_load_le64(p), nd_load_le64(p + 8)},
                      .central = {nd_load_le64(p + 16), nd_load_le64(p + 24)},
                      .founded = nd_load_le64(p + 32),
                      .grown = nd_load_le64(p + 40),
                      .founded_time = nd_load_double(p + 48),
                      .grown_time = nd_load_double(p + 56),
                      .id = nd_load_le64(p + 64),
                      .central_id = nd_load_le64(p + 72),
                      .size = (uint32_t)nd_load_le64(p + 80)};
    for (int t = 0; t < ND_SPACE_SAVING_SLOTS; t++) {
        x->topics.features[t] = nd_load_le64(p + 96 + t * 8);
        x->topics.counts[t] = nd_load_le32(p + 96 + ND_SPACE_SAVING_SLOTS * 8 + t * 4);
        x->topics.errors[t] = (uint16_t)(p[96 + ND_SPACE_SAVING_SLOTS * 12 + t * 2] |
                                         p[97 + ND_SPACE_SAVING_SLOTS * 12 + t * 2] << 8);
        if (x->topics.errors[t] > x->topics.counts[t])
            return damaged(file, "topics of a cluster", error);
    }
    uint64_t before = c->count > 0 ? c->list[c->count - 1].founded : 0;
    bool fits = x->size > 0 && x->founded > before && x->founded <= x->grown &&
                x->grown <= c->documents && is_string(c, x->id) && is_string(c, x->central_id);
    nd_fingerprint all = {c->settings.bits >= 64 ? ~UINT64_C(0)
                                                 : (UINT64_C(1) << c->settings.bits) - 1,
                          c->settings.bits > 64 ? ~UINT64_C(0) : 0};
    fits = fits && !(x->centre.low & ~all.low) && !(x->centre.high & ~all.high);
    if (!fits) return damaged(file, "a cluster", error);
    c->live++;
    return nd_clusters_make_findable(c, (uint32_t)c->count++, error);
}

typedef struct growth {
    uint64_t grown;
    uint32_t number;
} growth;

static int by_growth(const void *a, const void *b) {
    uint64_t x = ((const growth *)a)->grown, y = ((const growth *)b)->grown;
    return (x > y) - (x < y);
}

static nd_status order_by_growth(nd_clusters *c, nd_error *error) {
    growth *order = nd_allocate(&c->allocator, c->count + 1, sizeof *order);
    if (!order) return nd_fail_memory(error, c->count * sizeof *order, "clusters");
    for (uint32_t i = 0; i < c->count; i++) order[i] = (growth){c->list[i].grown, i};
    qsort(order, c->count, sizeof *order, by_growth);
    for (size_t i = 0; i < c->count; i++) nd_clusters_set_youngest(c, order[i].number);
    nd_release(&c->allocator, order);
    return ND_OK;
}

static nd_status load_sums(nd_clusters *c, const nd_sealed_file *file, nd_error *error) {
    input i;
    const unsigned char *p;
    ND_TRY(begin_section(file, TAG_SUMS, &i, error));
    for (size_t s = 0; c->settings.follow && s < c->count * c->settings.bits;
         s += c->settings.bits) {
        ND_TRY(read_bytes(&i, 2 * c->settings.bits, &p, error));
        for (uint32_t bit = 0; bit < c->settings.bits; bit++)
            c->sums[s + bit] = (int16_t)(uint16_t)(p[2 * bit] | p[2 * bit + 1] << 8);
    }
    return end_section(&i, error);
}

static nd_status load_names(nd_clusters *c, const nd_sealed_file *file, uint64_t count,
                            nd_error *error) {
    input i;
    const unsigned char *p, *term;
    ND_TRY(begin_section(file, TAG_NAMES, &i, error));
    for (uint64_t n = 0; n < count; n++) {
        ND_TRY(read_bytes(&i, NAME_HEAD, &p, error));
        uint64_t feature = nd_load_le64(p);
        size_t length = p[8];
        ND_TRY(read_bytes(&i, length, &term, error));
        if (feature == 0) return damaged(file, "a term", error);
        ND_TRY(nd_term_dictionary_add(c->words.names, feature, term, length, error));
    }
    if (2 * count > c->words.names_room) c->words.names_room = 2 * count;
    return end_section(&i, error);
}

/* Moves *p behind the number. False: it does not end before `end`, or has more than 32 bits. */
static bool get_varint(const unsigned char **p, const unsigned char *end, uint32_t *value) {
    uint64_t bits = 0;
    for (unsigned shift = 0; *p < end && shift < 7 * VARINT_SIZE; shift += 7) {
        unsigned char byte = *(*p)++;
        bits |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *value = (uint32_t)bits;
            return bits <= UINT32_MAX;
        }
    }
    return false;
}

static nd_status load_counts(nd_clusters *c, const nd_sealed_file *file, nd_error *error) {
    input i;
    const unsigned char *p;
    ND_TRY(begin_section(file, TAG_COUNTS, &i, error));
    ND_TRY(read_bytes(&i, i.section.size, &p, error));
    const unsigned char *end = p + i.section.size;
    for (size_t at = 0; p < end; at++) {
        uint32_t zeros, count;
        if (!get_varint(&p, end, &zeros) || !get_varint(&p, end, &count) || count == 0 ||
            zeros >= nd_count_min_size() - at)
            return damaged(file, "counts of terms", error);
        at += zeros;
        nd_count_min_write(c->words.counts, at, 1, &count);
    }
    nd_count_min_set_documents(c->words.counts, c->documents);
    return ND_OK;
}

static nd_status load_recent(nd_clusters *c, const nd_sealed_file *file, nd_error *error) {
    input i;
    const unsigned char *p, *ids;
    uint64_t known = c->documents < ND_RECENT ? c->documents : ND_RECENT;
    ND_TRY(begin_section(file, TAG_RECENT, &i, error));
    for (uint64_t a = c->documents - known + 1; a <= c->documents; a++) {
        ND_TRY(read_bytes(&i, RECENT_SIZE, &p, error));
        uint64_t id = nd_load_le64(p), cluster = nd_load_le64(p + 8);
        if (id > UINT32_MAX || cluster > UINT32_MAX)
            return damaged(file, "a recent document", error);
        nd_placement placement = {.cluster_length = cluster,
                                  .founded = nd_load_le64(p + 16),
                                  .similarity = nd_load_double(p + 24),
                                  .distance = nd_load_le32(p + 32),
                                  .is_new = p[36] != 0};
        ND_TRY(read_bytes(&i, id + cluster, &ids, error));
        placement.cluster = (const char *)ids + id;
        ND_TRY(nd_clusters_remember(c, a, (const char *)ids, id, &placement, error));
    }
    return end_section(&i, error);
}

nd_status nd_clusters_load(nd_clusters *c, const nd_sealed_file *file, nd_error *error) {
    input i;
    const unsigned char *p;
    ND_TRY(begin_section(file, TAG_HEAD, &i, error));
    ND_TRY(read_bytes(&i, HEAD_SIZE, &p, error));
    uint64_t clusters = nd_load_le64(p + 16), names = nd_load_le64(p + 24);
    c->documents = nd_load_le64(p);
    c->clock = nd_load_double(p + 8);
    ND_TRY(end_section(&i, error));
    ND_TRY(load_strings(c, file, error));
    ND_TRY(begin_section(file, TAG_CLUSTERS, &i, error));
    for (uint64_t n = 0; n < clusters; n++) {
        ND_TRY(read_bytes(&i, CLUSTER_SIZE, &p, error));
        ND_TRY(load_cluster(c, file, p, error));
    }
    ND_TRY(end_section(&i, error));
    ND_TRY(order_by_growth(c, error));
    ND_TRY(load_sums(c, file, error));
    ND_TRY(load_names(c, file, names, error));
    ND_TRY(load_counts(c, file, error));
    return load_recent(c, file, error);
}
