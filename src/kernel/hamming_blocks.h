/* The bodies of the near kernels. The file of a vector instruction set includes this once, after it
 * has defined:
 *
 *   static inline bool near64_any(const uint64_t *keys, uint64_t query, unsigned most);
 *   static inline bool near128_any(const uint64_t *keys, uint64_t low, uint64_t high,
 *                                  unsigned most);
 *   static inline bool near32_any(const uint32_t *keys, uint32_t query, unsigned most);
 *       Whether one of NEAR64_GROUP, NEAR128_GROUP, NEAR32_GROUP keys is within `most` of the
 *       query.
 *
 *   static inline uint32_t near32_within(const uint32_t *keys, uint32_t query, unsigned most);
 *       A mask of PROBE_GROUP keys: the keys within `most` of the query.
 *
 *   static inline bool near64_pairs_any(const uint64_t *queries, size_t count,
 *                                       const uint64_t *keys, unsigned most);
 *   static inline bool near128_pairs_any(const uint64_t *queries, size_t count,
 *                                        const uint64_t *keys, unsigned most);
 *       Whether one of PAIR64_GROUP, PAIR128_GROUP keys is within `most` of one of the 1 to
 *       PAIR_QUERIES queries.
 *
 *   typedef struct packed_lanes { ... } packed_lanes;
 *   static inline packed_lanes spread_query(unsigned width, uint64_t query);
 *   static inline unsigned packed_within(const unsigned char *p, const packed_lanes *lanes,
 *                                        unsigned most);
 *       A mask of the eight packed keys from p on: the keys within `most` of the query. Reads 64
 *       bytes. Lane l has the bytes from bit l * width on. The keys are not shifted in their
 *       lanes; instead spread_query shifts the query and the mask of the key's bits, once.
 *
 * Hits are rare, so a group that has one is searched again by the scalar code. */
#ifndef ND_KERNEL_HAMMING_BLOCKS_H
#define ND_KERNEL_HAMMING_BLOCKS_H

#include "kernel/hamming_scalar.h"

static size_t near64(const uint64_t *keys, size_t count, uint64_t query, unsigned most,
                     uint32_t *hits) {
    size_t found = 0, i = 0;
    for (; count - i >= NEAR64_GROUP; i += NEAR64_GROUP)
        if (__builtin_expect(near64_any(keys + i, query, most), 0))
            found = near64_range(keys, i, i + NEAR64_GROUP, query, most, hits, found);
    return near64_range(keys, i, count, query, most, hits, found);
}

static size_t near128(const uint64_t *keys, size_t count, uint64_t low, uint64_t high,
                      unsigned most, uint32_t *hits) {
    size_t found = 0, i = 0;
    for (; count - i >= NEAR128_GROUP; i += NEAR128_GROUP)
        if (__builtin_expect(near128_any(keys + 2 * i, low, high, most), 0))
            found = near128_range(keys, i, i + NEAR128_GROUP, low, high, most, hits, found);
    return near128_range(keys, i, count, low, high, most, hits, found);
}

static size_t near32(const uint32_t *keys, size_t count, uint32_t query, unsigned most,
                     uint32_t *hits) {
    size_t found = 0, i = 0;
    for (; count - i >= NEAR32_GROUP; i += NEAR32_GROUP)
        if (__builtin_expect(near32_any(keys + i, query, most), 0))
            found = near32_range(keys, i, i + NEAR32_GROUP, query, most, hits, found);
    return near32_range(keys, i, count, query, most, hits, found);
}

/* `block`: a copy of the queries [first, last). It does not alias `hits`, so it can stay in
 * registers. */
__attribute__((always_inline)) static inline size_t
near64_pairs_block(const uint64_t *queries, size_t first, size_t last, const uint64_t *block,
                   const uint64_t *keys, size_t count, unsigned most, uint64_t *hits,
                   size_t found) {
    size_t i = 0;
    for (; count - i >= PAIR64_GROUP; i += PAIR64_GROUP)
        if (__builtin_expect(near64_pairs_any(block, last - first, keys + i, most), 0))
            found = near64_pairs_range(queries, first, last, keys, i, i + PAIR64_GROUP, most, hits,
                                       found);
    return near64_pairs_range(queries, first, last, keys, i, count, most, hits, found);
}

static size_t near64_pairs(const uint64_t *queries, size_t query_count, const uint64_t *keys,
                           size_t count, unsigned most, uint64_t *hits) {
    uint64_t block[PAIR_QUERIES];
    size_t found = 0, first = 0;
    for (; query_count - first >= PAIR_QUERIES; first += PAIR_QUERIES) {
        memcpy(block, queries + first, sizeof block);
        found = near64_pairs_block(queries, first, first + PAIR_QUERIES, block, keys, count, most,
                                   hits, found);
    }
    if (first == query_count) return found;
    memcpy(block, queries + first, (query_count - first) * sizeof *block);
    return near64_pairs_block(queries, first, query_count, block, keys, count, most, hits, found);
}

__attribute__((always_inline)) static inline size_t
near128_pairs_block(const uint64_t *queries, size_t first, size_t last, const uint64_t *block,
                    const uint64_t *keys, size_t count, unsigned most, uint64_t *hits,
                    size_t found) {
    size_t i = 0;
    for (; count - i >= PAIR128_GROUP; i += PAIR128_GROUP)
        if (__builtin_expect(near128_pairs_any(block, last - first, keys + 2 * i, most), 0))
            found = near128_pairs_range(queries, first, last, keys, i, i + PAIR128_GROUP, most,
                                        hits, found);
    return near128_pairs_range(queries, first, last, keys, i, count, most, hits, found);
}

static size_t near128_pairs(const uint64_t *queries, size_t query_count, const uint64_t *keys,
                            size_t count, unsigned most, uint64_t *hits) {
    uint64_t block[2 * PAIR_QUERIES];
    size_t found = 0, first = 0;
    for (; query_count - first >= PAIR_QUERIES; first += PAIR_QUERIES) {
        memcpy(block, queries + 2 * first, sizeof block);
        found = near128_pairs_block(queries, first, first + PAIR_QUERIES, block, keys, count, most,
                                    hits, found);
    }
    if (first == query_count) return found;
    memcpy(block, queries + 2 * first, (query_count - first) * 2 * sizeof *block);
    return near128_pairs_block(queries, first, query_count, block, keys, count, most, hits, found);
}

_Static_assert(PROBE_GROUP <= ND_PROBES_BEHIND,
               "a group that begins at a probe's last key can be read");

/* Writes the hits of queries [first, last), group by group. */
static __attribute__((noinline)) size_t near32_groups(const nd_key_probes *probes,
                                                      const uint64_t *queries, size_t first,
                                                      size_t last, unsigned most, uint64_t *hits,
                                                      size_t found) {
    const nd_key_probe probe = nd_key_probe_of(probes);
    for (size_t q = first; q < last; q++) {
        const uint16_t *starts = probes->starts + nd_key_probe_first(probe, queries[q]);
        const uint32_t end = starts[probe.span], query = (uint32_t)(queries[q] >> probes->low);
        uint32_t i = starts[0];
        if (__builtin_expect(end - i > probes->crowded, 0)) {
            hits[found++] = (uint64_t)q << 32 | ND_CROWDED;
            continue;
        }
        do {
            uint32_t within = near32_within(probes->keys + i, query, most);
            if (end - i < PROBE_GROUP) within &= (1u << (end - i)) - 1;
            for (; __builtin_expect(within, 0); within &= within - 1)
                hits[found++] = (uint64_t)q << 32 | (i + (uint32_t)__builtin_ctz(within));
            i += PROBE_GROUP;
        } while (i < end);
    }
    return found;
}

/* Narrow probes mostly have no more keys than a group, of which none is near: one branch decides
 * that. */
static size_t near32_probes(const nd_key_probes *probes, const uint64_t *queries, size_t count,
                            unsigned most, uint64_t *hits) {
    const nd_key_probe probe = nd_key_probe_of(probes);
    const uint32_t *const keys = probes->keys;
    const uint16_t *const begins = probes->starts, *const ends = begins + probe.span;
    const uint64_t all = begins[UINT64_C(1) << probes->bits];
    const unsigned low = probes->low,
                   few = probes->crowded < PROBE_GROUP ? probes->crowded : PROBE_GROUP;
    size_t found = 0;
    if (all >> (probes->bits - probes->wide) > PROBE_GROUP / 2)
        return near32_groups(probes, queries, 0, count, most, hits, 0);
    for (size_t q = 0; q < count; q++) {
        const uint32_t first = nd_key_probe_first(probe, queries[q]), begin = begins[first],
                       here = ends[first] - begin,
                       within = near32_within(keys + begin, (uint32_t)(queries[q] >> low), most) &
                                ((1u << here % 32) - 1);
        if (__builtin_expect((within | (here > few)) != 0, 0))
            found = near32_groups(probes, queries, q, q + 1, most, hits, found);
    }
    return found;
}

/* A group of eight keys always begins at a byte. */
static size_t near_packed(const unsigned char *packed, uint64_t first, size_t count, unsigned width,
                          uint64_t query, unsigned most, uint32_t *hits) {
    if (count < PACKED_LEAST)
        return near_packed_plain(packed, first, count, width, query, most, hits);
    const packed_lanes lanes = spread_query(width, query);
    const unsigned char *p = packed + first / 8 * width;
    size_t lead = first % 8, end = lead + count, found = 0;
    for (size_t i = 0; i < end; i += 8, p += width) {
        unsigned within = packed_within(p, &lanes, most);
        if (i == 0) within = within >> lead << lead;
        if (end - i < 8) within &= (1u << (end - i)) - 1;
        for (; within; within &= within - 1)
            hits[found++] = (uint32_t)(i - lead) + (uint32_t)__builtin_ctz(within);
    }
    return found;
}

#endif
