/* Clusters lie in a list in the order of founding. They are found by the centre index, or without
 * fingerprints by a hash table of ids. A linked list in the order of growth gives those that expire
 * first. Forgotten clusters stay in the list until they are the majority; then it is packed. */
#include "stream/leader_clusters.h"

#include "base/limits.h"
#include "base/machine.h"
#include "base/printable.h"
#include "stream/leader_clusters_inside.h"

#include <math.h>

/* With no more forgotten clusters, or bytes of unused ids, packing is not worth its time. */
enum { LEAST_UNUSED = ND_LIMIT(4096, 4) };

/* ---- creating */

nd_status nd_clusters_create(const nd_cluster_settings *settings, const nd_allocator *allocator,
                             nd_clusters **out, nd_error *error) {
    nd_clusters *c = nd_allocate_zero(allocator, 1, sizeof *c);
    if (!c) return nd_fail_memory(error, sizeof *c, "clusters");
    c->allocator = *allocator;
    c->settings = *settings;
    c->clock = NAN;
    c->oldest = c->youngest = ND_NO_CLUSTER;
    nd_status status = nd_topic_words_init(&c->words, settings->seed, allocator, error);
    if (status == ND_OK && settings->bits)
        status = nd_centre_index_create(settings->bits, settings->k, allocator, &c->centres, error);
    if (status != ND_OK) {
        nd_clusters_free(c);
        return status;
    }
    *out = c;
    return ND_OK;
}

void nd_clusters_free(nd_clusters *c) {
    if (!c) return;
    nd_allocator allocator = c->allocator;
    for (size_t i = 0; i < ND_RECENT; i++) nd_release(&allocator, c->recent[i].ids);
    nd_centre_index_free(c->centres);
    nd_topic_words_free(&c->words);
    nd_release(&allocator, c->list);
    nd_release(&allocator, c->sums);
    nd_release(&allocator, c->by_id);
    nd_release(&allocator, c->strings);
    nd_release(&allocator, c);
}

void nd_clusters_on_expired(nd_clusters *c, nd_cluster_expired_fn *fn, void *context) {
    c->expired = fn;
    c->expired_context = context;
}

uint64_t nd_clusters_documents(const nd_clusters *c) { return c->documents; }
uint64_t nd_clusters_count(const nd_clusters *c) { return c->live; }
uint64_t nd_clusters_memory(const nd_clusters *c) {
    size_t sums = c->settings.follow ? c->settings.bits * sizeof *c->sums : 0;
    return c->count * (sizeof *c->list + sums) + c->string_size + c->id_slots * sizeof *c->by_id;
}

uint64_t nd_clusters_centre_memory(const nd_clusters *c) {
    return c->centres ? nd_centre_index_memory(c->centres) : 0;
}

double nd_clusters_clock(const nd_clusters *c) { return c->clock; }

/* ---- ids */

nd_status nd_clusters_add_string(nd_clusters *c, const char *bytes, size_t length, uint64_t *at,
                                 nd_error *error) {
    if (!nd_reserve(&c->allocator, &c->strings, &c->string_capacity, c->string_size + 4 + length))
        return nd_fail_memory(error, length, "ids");
    nd_store_le32(c->strings + c->string_size, (uint32_t)length);
    if (length > 0) memcpy(c->strings + c->string_size + 4, bytes, length);
    *at = c->string_size;
    c->string_size += 4 + length;
    return ND_OK;
}

static bool has_string(const nd_clusters *c, uint64_t at, const char *bytes, size_t length) {
    size_t held;
    const char *string = nd_cluster_string(c, at, &held);
    return held == length && memcmp(string, bytes, length) == 0;
}

/* A slot of by_id is the upper half of an id's hash, and below it the number of the cluster, or
 * ND_NO_CLUSTER. The hash tells most other ids apart without a look at their clusters, and where
 * the search for its id begins: so a larger table is filled without a look at ids, and in order. */
static uint32_t number_in(uint64_t slot) { return (uint32_t)slot; }
static size_t home_of(uint64_t hash, size_t slots) { return (size_t)((hash >> 32) * slots >> 32); }

static bool is_slot_of(const nd_clusters *c, uint64_t slot, uint64_t hash, const char *id,
                       size_t length) {
    return (slot ^ hash) >> 32 == 0 && has_string(c, c->list[number_in(slot)].id, id, length);
}

/* The slot of the cluster with that id, or the free slot where it would be. REQUIRES: there are
 * slots. */
static uint64_t *id_slot(const nd_clusters *c, uint64_t hash, const char *id, size_t length) {
    size_t mask = c->id_slots - 1, i = home_of(hash, c->id_slots);
    while (number_in(c->by_id[i]) != ND_NO_CLUSTER && !is_slot_of(c, c->by_id[i], hash, id, length))
        i = (i + 1) & mask;
    return &c->by_id[i];
}

/* The number of the cluster with that id. ND_NO_CLUSTER: there is none. */
static uint32_t number_of_id(const nd_clusters *c, const char *id, size_t length) {
    if (c->id_slots == 0) return ND_NO_CLUSTER;
    return number_in(*id_slot(c, nd_cluster_id_hash(id, length), id, length));
}

static void enter_id(nd_clusters *c, uint32_t number) {
    size_t length;
    const char *id = nd_cluster_string(c, c->list[number].id, &length);
    uint64_t hash = nd_cluster_id_hash(id, length);
    *id_slot(c, hash, id, length) = (hash & ~(uint64_t)UINT32_MAX) | number;
}

void nd_clusters_prefetch(const nd_clusters *c, const char *id, size_t length) {
    if (c->id_slots > 0)
        __builtin_prefetch(&c->by_id[home_of(nd_cluster_id_hash(id, length), c->id_slots)]);
}

bool nd_clusters_has(const nd_clusters *c, const char *id, size_t length) {
    uint32_t number = number_of_id(c, id, length);
    return number != ND_NO_CLUSTER && c->list[number].size > 0;
}

/* Copies the slots of a table into a larger, empty one. */
static void move_slots(const uint64_t *from, size_t count, uint64_t *to, size_t slots) {
    for (size_t s = 0; s < count; s++) {
        if (number_in(from[s]) == ND_NO_CLUSTER) continue;
        size_t i = home_of(from[s], slots);
        while (number_in(to[i]) != ND_NO_CLUSTER) i = (i + 1) & (slots - 1);
        to[i] = from[s];
    }
}

/* Makes room for one more cluster: at most three quarters of the slots are taken. Forgotten
 * clusters keep their slots until the list is packed. */
static nd_status reserve_id(nd_clusters *c, nd_error *error) {
    if (c->count + 1 <= c->id_slots / 4 * 3) return ND_OK;
    size_t slots = c->id_slots ? 2 * c->id_slots : 64;
    uint64_t *larger = nd_allocate_large(&c->allocator, slots, sizeof *larger);
    if (!larger) return nd_fail_memory(error, slots * sizeof *larger, "ids");
    memset(larger, 0xff, slots * sizeof *larger);
    move_slots(c->by_id, c->id_slots, larger, slots);
    nd_release(&c->allocator, c->by_id);
    c->by_id = larger;
    c->id_slots = slots;
    return ND_OK;
}

/* ---- the order of growth */

static void leave_growth_order(nd_clusters *c, uint32_t number) {
    const nd_cluster *x = &c->list[number];
    if (x->before != ND_NO_CLUSTER) c->list[x->before].behind = x->behind;
    else c->oldest = x->behind;
    if (x->behind != ND_NO_CLUSTER) c->list[x->behind].before = x->before;
    else c->youngest = x->before;
}

void nd_clusters_set_youngest(nd_clusters *c, uint32_t number) {
    nd_cluster *x = &c->list[number];
    x->before = c->youngest;
    x->behind = ND_NO_CLUSTER;
    if (c->youngest != ND_NO_CLUSTER) c->list[c->youngest].behind = number;
    else c->oldest = number;
    c->youngest = number;
}

/* ---- forgetting */

static nd_status forget(nd_clusters *c, uint32_t number, nd_error *error) {
    nd_cluster *x = &c->list[number];
    size_t length;
    const char *id = nd_cluster_string(c, x->id, &length);
    if (c->expired) ND_TRY(c->expired(c->expired_context, id, length, error));
    leave_growth_order(c, number);
    if (c->centres) nd_centre_index_remove(c->centres, number, x->centre);
    x->size = 0;
    c->live--;
    return ND_OK;
}

nd_status nd_clusters_make_findable(nd_clusters *c, uint32_t number, nd_error *error) {
    if (c->centres) return nd_centre_index_add(c->centres, number, c->list[number].centre, error);
    ND_TRY(reserve_id(c, error));
    enter_id(c, number);
    return ND_OK;
}

/* Drops the strings that no cluster uses. */
static nd_status pack_strings(nd_clusters *c, nd_error *error) {
    unsigned char *old = c->strings;
    c->strings = NULL;
    c->string_size = c->string_capacity = c->string_unused = 0;
    nd_status status = ND_OK;
    for (size_t i = 0; i < c->count && status == ND_OK; i++) {
        nd_cluster *x = &c->list[i];
        uint64_t id = x->id, central = x->central_id;
        status = nd_clusters_add_string(c, (const char *)old + id + 4, nd_load_le32(old + id),
                                        &x->id, error);
        x->central_id = x->id;
        if (central != id && status == ND_OK)
            status = nd_clusters_add_string(c, (const char *)old + central + 4,
                                            nd_load_le32(old + central), &x->central_id, error);
    }
    nd_release(&c->allocator, old);
    return status;
}

/* Drops the forgotten clusters. The others keep their order, and get lower numbers. */
static nd_status pack(nd_clusters *c, nd_error *error) {
    uint32_t bits = c->settings.bits, to = 0;
    uint32_t *numbers = nd_allocate(&c->allocator, c->count + 1, sizeof *numbers);
    if (!numbers) return nd_fail_memory(error, c->count * sizeof *numbers, "clusters");
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->list[i].size == 0) continue;
        if (c->sums && to < i)
            memcpy(c->sums + (size_t)to * bits, c->sums + (size_t)i * bits, bits * sizeof *c->sums);
        c->list[to] = c->list[i];
        numbers[i] = to++;
    }
    for (uint32_t i = 0; i < to; i++) {
        nd_cluster *x = &c->list[i];
        if (x->before != ND_NO_CLUSTER) x->before = numbers[x->before];
        if (x->behind != ND_NO_CLUSTER) x->behind = numbers[x->behind];
    }
    if (c->live > 0) c->oldest = numbers[c->oldest], c->youngest = numbers[c->youngest];
    c->count = to;
    nd_release(&c->allocator, numbers);
    ND_TRY(pack_strings(c, error));
    if (c->centres) {
        nd_centre_index_free(c->centres);
        c->centres = NULL;
        ND_TRY(nd_centre_index_create(bits, c->settings.k, &c->allocator, &c->centres, error));
    } else if (c->by_id) {
        memset(c->by_id, 0xff, c->id_slots * sizeof *c->by_id);
    }
    for (uint32_t i = 0; i < to; i++) ND_TRY(nd_clusters_make_findable(c, i, error));
    return ND_OK;
}

nd_status nd_clusters_advance(nd_clusters *c, double time, nd_error *error) {
    if (!isnan(time) && !(time <= c->clock)) c->clock = time;
    while (c->settings.expire > 0 && c->oldest != ND_NO_CLUSTER &&
           c->list[c->oldest].grown_time < c->clock - c->settings.expire)
        ND_TRY(forget(c, c->oldest, error));
    size_t forgotten = c->count - c->live;
    if (forgotten > LEAST_UNUSED && forgotten > c->live) return pack(c, error);
    return c->string_unused > LEAST_UNUSED && 2 * c->string_unused > c->string_size
               ? pack_strings(c, error)
               : ND_OK;
}

/* ---- topics */

typedef struct cluster_walk {
    const nd_clusters *clusters;
    size_t at;
} cluster_walk;

/* nd_next_counters_fn */
static const nd_space_saving *next_topics(void *context) {
    cluster_walk *walk = context;
    const nd_clusters *c = walk->clusters;
    while (walk->at < c->count && c->list[walk->at].size == 0) walk->at++;
    return walk->at < c->count ? &c->list[walk->at++].topics : NULL;
}

static nd_status add_topics(nd_clusters *c, uint32_t number, const nd_topic_offer *offers,
                            size_t count, nd_error *error) {
    cluster_walk walk = {.clusters = c};
    if (nd_topic_words_are_full(&c->words))
        ND_TRY(nd_topic_words_drop_unused(&c->words, next_topics, &walk, error));
    return nd_topic_words_add(&c->words, offers, count, &c->list[number].topics, error);
}

/* ---- centres */

static inline bool bit_of(nd_fingerprint f, uint32_t bit) {
    return (bit < 64 ? f.low >> bit : f.high >> (bit - 64)) & 1;
}

/* Adds a fingerprint to the sums of a moving centroid. When a sum reaches its limit all are halved:
 * older documents then count less. Returns the new centre. */
static nd_fingerprint move_centroid(nd_clusters *c, uint32_t number, nd_fingerprint f) {
    int16_t *sums = c->sums + (size_t)number * c->settings.bits;
    nd_fingerprint centre = c->list[number].centre;
    bool full = false;
    for (uint32_t bit = 0; bit < c->settings.bits; bit++) {
        sums[bit] = (int16_t)(sums[bit] + (bit_of(f, bit) ? 1 : -1));
        full |= sums[bit] == INT16_MAX || sums[bit] == -INT16_MAX;
        bool differs = sums[bit] != 0 && bit_of(centre, bit) != (sums[bit] > 0);
        if (bit < 64) centre.low ^= (uint64_t)differs << bit;
        else centre.high ^= (uint64_t)differs << (bit - 64);
    }
    for (uint32_t bit = 0; full && bit < c->settings.bits; bit++)
        sums[bit] = (int16_t)(sums[bit] / 2);
    return centre;
}

/* ---- arrivals */

nd_status nd_clusters_reserve(nd_clusters *c, nd_error *error) {
    if (c->count == ND_NO_CLUSTER)
        return nd_fail(error, ND_ERR_ARGUMENT, "a stream has fewer than 2^32 clusters at a time");
    if (!nd_reserve(&c->allocator, &c->list, &c->capacity, c->count + 1))
        return nd_fail_memory(error, c->count * sizeof *c->list, "clusters");
    size_t sums = (c->count + 1) * c->settings.bits;
    if (c->settings.follow && !nd_reserve(&c->allocator, &c->sums, &c->sum_capacity, sums))
        return nd_fail_memory(error, sums * sizeof *c->sums, "clusters");
    return ND_OK;
}

static nd_status found_cluster(nd_clusters *c, const nd_arrival *a, uint32_t *number,
                               nd_error *error) {
    ND_TRY(nd_clusters_reserve(c, error));
    *number = (uint32_t)c->count;
    nd_cluster *x = &c->list[*number];
    *x = (nd_cluster){.centre = a->fingerprint,
                      .central = a->fingerprint,
                      .founded = c->documents,
                      .grown = c->documents,
                      .founded_time = c->clock,
                      .size = 1};
    x->grown_time = c->clock;
    ND_TRY(nd_clusters_add_string(c, a->id, a->id_length, &x->id, error));
    x->central_id = x->id;
    for (uint32_t bit = 0; c->settings.follow && bit < c->settings.bits; bit++)
        c->sums[(size_t)*number * c->settings.bits + bit] = bit_of(a->fingerprint, bit) ? 1 : -1;
    c->count++;
    c->live++;
    nd_clusters_set_youngest(c, *number);
    return nd_clusters_make_findable(c, *number, error);
}

static nd_status join_cluster(nd_clusters *c, const nd_arrival *a, uint32_t number,
                              nd_error *error) {
    nd_cluster *x = &c->list[number];
    x->size += x->size < UINT32_MAX;
    x->grown = c->documents;
    x->grown_time = c->clock;
    leave_growth_order(c, number);
    nd_clusters_set_youngest(c, number);
    if (!c->settings.follow) return ND_OK;
    nd_fingerprint centre = move_centroid(c, number, a->fingerprint);
    if (nd_distance(centre, x->centre) > 0)
        ND_TRY(nd_centre_index_move(c->centres, number, x->centre, centre, error));
    x->centre = centre;
    if (nd_distance(a->fingerprint, centre) >= nd_distance(x->central, centre)) return ND_OK;
    if (x->central_id != x->id) c->string_unused += 4 + nd_load_le32(c->strings + x->central_id);
    x->central = a->fingerprint;
    return nd_clusters_add_string(c, a->id, a->id_length, &x->central_id, error);
}

/* *number ND_NO_CLUSTER: the arrival founds a cluster. */
static nd_status find_cluster(nd_clusters *c, const nd_arrival *a, uint32_t *number,
                              uint32_t *distance, nd_error *error) {
    *number = ND_NO_CLUSTER;
    *distance = 0;
    if (c->centres) nd_centre_index_nearest(c->centres, a->fingerprint, number, distance);
    if (c->centres || a->kind == ND_ARRIVAL_FOUNDS) return ND_OK;
    if (!nd_clusters_has(c, a->leader, a->leader_length))
        return nd_fail(error, ND_ERR_ARGUMENT, "no cluster has the id %.*s",
                       nd_shown_length(a->leader, a->leader_length, ND_SHOWN_ID), a->leader);
    *number = number_of_id(c, a->leader, a->leader_length);
    return ND_OK;
}

nd_status nd_clusters_remember(nd_clusters *c, uint64_t arrival, const char *id, size_t id_length,
                               const nd_placement *placement, nd_error *error) {
    nd_recent *r = &c->recent[arrival % ND_RECENT];
    size_t size = id_length + placement->cluster_length;
    if (!nd_reserve(&c->allocator, &r->ids, &r->capacity, size + 1))
        return nd_fail_memory(error, size, "ids");
    if (id_length > 0) memcpy(r->ids, id, id_length);
    if (placement->cluster_length > 0)
        memcpy(r->ids + id_length, placement->cluster, placement->cluster_length);
    uint64_t *hash = &c->recent_hashes[arrival % ND_RECENT];
    if (r->placement.cluster) c->recent_counts[*hash % ND_RECENT_COUNTS]--;
    *hash = nd_cluster_id_hash(id, id_length);
    c->recent_counts[*hash % ND_RECENT_COUNTS]++;
    r->id_length = id_length;
    r->placement = *placement;
    r->placement.cluster = r->ids + id_length;
    return ND_OK;
}

bool nd_clusters_find_recent(const nd_clusters *c, const char *id, size_t length,
                             nd_placement *out) {
    uint64_t hash = nd_cluster_id_hash(id, length);
    if (c->recent_counts[hash % ND_RECENT_COUNTS] == 0) return false;
    size_t known = c->documents < ND_RECENT ? (size_t)c->documents : ND_RECENT;
    for (size_t i = 0; i < known; i++) {
        size_t at = (c->documents - i) % ND_RECENT;
        const nd_recent *r = &c->recent[at];
        if (c->recent_hashes[at] != hash || r->id_length != length ||
            memcmp(r->ids, id, length) != 0)
            continue;
        *out = r->placement;
        out->again = true;
        return true;
    }
    return false;
}

nd_status nd_clusters_add(nd_clusters *c, const nd_arrival *a, nd_placement *out, nd_error *error) {
    nd_topic_offer offers[ND_TOPIC_OFFERS];
    uint32_t number, distance;
    ND_TRY(nd_clusters_advance(c, a->time, error));
    c->documents++;
    size_t offered = nd_topic_words_count(&c->words, a, offers);
    ND_TRY(find_cluster(c, a, &number, &distance, error));
    bool is_new = number == ND_NO_CLUSTER;
    ND_TRY(is_new ? found_cluster(c, a, &number, error) : join_cluster(c, a, number, error));
    ND_TRY(add_topics(c, number, offers, offered, error));
    const nd_cluster *x = &c->list[number];
    *out = (nd_placement){.founded = x->founded,
                          .is_new = is_new,
                          .distance = is_new ? 0 : distance,
                          .similarity = is_new ? 1 : a->similarity};
    out->cluster = nd_cluster_string(c, x->id, &out->cluster_length);
    return nd_clusters_remember(c, c->documents, a->id, a->id_length, out, error);
}

/* ---- views */

static void view(const nd_clusters *c, const nd_cluster *x, nd_cluster_view *out) {
    *out = (nd_cluster_view){.size = x->size,
                             .founded = x->founded,
                             .grown = x->grown,
                             .founded_time = x->founded_time,
                             .grown_time = x->grown_time,
                             .centre = x->centre,
                             .self = x};
    out->id = nd_cluster_string(c, x->id, &out->id_length);
    out->central = nd_cluster_string(c, x->central_id, &out->central_length);
}

bool nd_clusters_next(const nd_clusters *c, size_t *at, nd_cluster_view *out) {
    while (*at < c->count && c->list[*at].size == 0) ++*at;
    if (*at >= c->count) return false;
    view(c, &c->list[(*at)++], out);
    return true;
}

bool nd_clusters_find(const nd_clusters *c, uint64_t founded, nd_cluster_view *out) {
    size_t begin = 0, end = c->count;
    while (begin < end) {
        size_t middle = begin + (end - begin) / 2;
        if (c->list[middle].founded < founded) begin = middle + 1;
        else end = middle;
    }
    if (begin == c->count || c->list[begin].founded != founded || c->list[begin].size == 0)
        return false;
    view(c, &c->list[begin], out);
    return true;
}

size_t nd_clusters_topics(const nd_clusters *c, const nd_cluster_view *cluster, size_t most,
                          nd_stream_topic *out) {
    const nd_cluster *x = cluster->self;
    return nd_topic_words_heaviest(&c->words, &x->topics, c->documents, most, out);
}
