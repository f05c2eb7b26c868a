/* The Hamming kernels of every table against their plain definitions, on guarded pages. */
#include "kernel_tables.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 16, MOST_KEYS = 5000 };

static unsigned plain_distance(uint64_t a, uint64_t b) {
    unsigned distance = 0;
    for (unsigned i = 0; i < 64; i++) distance += (unsigned)((a ^ b) >> i & 1);
    return distance;
}

/* A number at some distance from x: all distances occur, small ones often. */
static uint64_t random_near(uint64_t x, unsigned width) {
    for (size_t flips = below(4) ? below(width + 1) / (1 + below(8)) : width; flips > 0; flips--)
        x ^= UINT64_C(1) << below(width);
    return x;
}

/* `count` keys of `words` words near the query, or all equal to it. */
static void random_keys(uint64_t *keys, size_t count, size_t words, const uint64_t *query,
                        unsigned width) {
    bool equal = below(10) == 0;
    for (size_t i = 0; i < count * words; i++)
        keys[i] = equal ? query[i % words] : random_near(query[i % words], width);
}

/* 0 to `width`, often at the ends, or far more. */
static unsigned random_most(unsigned width) {
    switch (below(8)) {
    case 0: return 0;
    case 1: return width;
    case 2: return width - 1;
    case 3: return below(2) ? width + 1 : UINT32_MAX;
    default: return (unsigned)below(width + 1);
    }
}

static const size_t large[] = {511, 512, 513, 1000, 4095, 4096, 4097, MOST_KEYS};
#define COUNTS (301 + sizeof large / sizeof *large)
static size_t edge_count(size_t i) { return i <= 300 ? i : large[i - 301]; }

static uint32_t expected[MOST_KEYS];

static guarded key_pages, hit_pages;

static void assert_hits(size_t found, size_t expected_found, const uint32_t *hits) {
    assert_int_equal(found, expected_found);
    assert_memory_equal(hits, expected, found * sizeof *hits);
}

/* ---- plain arrays */

static void test_near64(void **state) {
    (void)state;
    for (size_t round = 0; round < 8 * COUNTS; round++) {
        size_t count = edge_count(round % COUNTS), found = 0;
        uint64_t query = random64(), *keys = guarded_block(key_pages, count * 8, round % 3);
        uint32_t *hits = guarded_block(hit_pages, (count + ROOM) * 4, true);
        unsigned most = random_most(64);
        random_keys(keys, count, 1, &query, 64);
        for (size_t i = 0; i < count; i++)
            if (plain_distance(keys[i], query) <= most) expected[found++] = (uint32_t)i;
        for (size_t t = 0; t < table_count; t++)
            assert_hits(tables[t]->near64(keys, count, query, most, hits), found, hits);
    }
}

static void test_near128(void **state) {
    (void)state;
    for (size_t round = 0; round < 8 * COUNTS; round++) {
        size_t count = edge_count(round % COUNTS), found = 0;
        uint64_t query[2] = {random64(), random64()},
                 *keys = guarded_block(key_pages, count * 16, round % 3);
        uint32_t *hits = guarded_block(hit_pages, (count + ROOM) * 4, true);
        unsigned most = random_most(128);
        random_keys(keys, count, 2, query, 64);
        for (size_t i = 0; i < count; i++)
            if (plain_distance(keys[2 * i], query[0]) + plain_distance(keys[2 * i + 1], query[1]) <=
                most)
                expected[found++] = (uint32_t)i;
        for (size_t t = 0; t < table_count; t++)
            assert_hits(tables[t]->near128(keys, count, query[0], query[1], most, hits), found,
                        hits);
    }
}

static void test_near32(void **state) {
    (void)state;
    for (size_t round = 0; round < 8 * COUNTS; round++) {
        size_t count = edge_count(round % COUNTS), found = 0;
        uint32_t query = (uint32_t)random64(),
                 *keys = guarded_block(key_pages, count * 4, round % 3);
        uint32_t *hits = guarded_block(hit_pages, (count + ROOM) * 4, true);
        unsigned most = random_most(32);
        for (size_t i = 0; i < count; i++) keys[i] = (uint32_t)random_near(query, 32);
        for (size_t i = 0; i < count; i++)
            if (plain_distance(keys[i], query) <= most) expected[found++] = (uint32_t)i;
        for (size_t t = 0; t < table_count; t++)
            assert_hits(tables[t]->near32(keys, count, query, most, hits), found, hits);
    }
}

/* One hit at each position of a group and of its neighbours, at the limit and just beyond it. */
static void test_single_hits(void **state) {
    (void)state;
    uint64_t keys[2 * 200], pair[2 * 200], hits64[200 * 8 + ROOM], queries[16];
    uint32_t keys32[200], hits[200 + ROOM];
    for (size_t slot = 0; slot < 200; slot++)
        for (unsigned distance = 2; distance <= 3; distance++) {
            for (size_t i = 0; i < 400; i++) keys[i] = pair[i] = UINT64_C(0xf0f0f0f0f0f0f0f0);
            for (size_t i = 0; i < 200; i++) keys32[i] = 0xf0f0f0f0;
            size_t query = below(8);
            for (size_t q = 0; q < 16; q++)
                queries[q] = q / 2 == query ? 0 : UINT64_MAX << 20 >> 40;
            uint64_t key = UINT64_C(1) << 63 | UINT64_C(1) << 32 | (distance == 3);
            keys[slot] = pair[2 * slot] = key, pair[2 * slot + 1] = 0;
            keys32[slot] = (uint32_t)key | 1u << 31 | 1u << 15;
            for (size_t t = 0; t < table_count; t++) {
                const nd_kernel *table = tables[t];
                assert_int_equal(table->near64(keys, 200, 0, 2, hits), distance == 2);
                if (distance == 2) assert_int_equal(hits[0], slot);
                assert_int_equal(table->near128(pair, 200, 0, 0, 2, hits), distance == 2);
                if (distance == 2) assert_int_equal(hits[0], slot);
                assert_int_equal(table->near32(keys32, 200, 0, 2, hits), distance == 2);
                if (distance == 2) assert_int_equal(hits[0], slot);
                assert_int_equal(table->near128_pairs(queries, 8, pair, 200, 2, hits64),
                                 distance == 2);
                if (distance == 2) assert_int_equal(hits64[0], (uint64_t)query << 32 | slot);
                for (size_t q = 0; q < 8; q++) queries[q] = q == query ? 0 : UINT64_MAX << 20 >> 40;
                assert_int_equal(table->near64_pairs(queries, 8, keys, 200, 2, hits64),
                                 distance == 2);
                if (distance == 2) assert_int_equal(hits64[0], (uint64_t)query << 32 | slot);
                for (size_t q = 0; q < 16; q++)
                    queries[q] = q / 2 == query ? 0 : UINT64_MAX << 20 >> 40;
            }
        }
}

/* ---- packed keys */

/* Writes a key bit by bit. */
static void put_key(unsigned char *packed, uint64_t i, unsigned width, uint64_t key) {
    for (unsigned k = 0; k < width; k++) {
        uint64_t bit = i * width + k;
        packed[bit / 8] = (unsigned char)((packed[bit / 8] & ~(1u << bit % 8)) |
                                          (unsigned)(key >> k & 1) << bit % 8);
    }
}

static void check_packed(unsigned width, uint64_t first, size_t count) {
    static uint64_t keys[MOST_KEYS];
    uint64_t query = random64() >> (64 - width);
    size_t bits = (first + count) * width, bytes = (bits + 7) / 8, found = 0;
    unsigned most = random_most(width);
    unsigned char *packed = guarded_block(key_pages, bytes + 64, true);
    uint32_t *hits = guarded_block(hit_pages, (count + ROOM) * 4, true);
    random_keys(keys, count, 1, &query, width);
    for (size_t i = 0; i < bytes + 64; i++) packed[i] = (unsigned char)random64();
    for (size_t i = 0; i < count; i++) put_key(packed, first + i, width, keys[i]);
    for (size_t i = 0; i < count; i++)
        if (plain_distance(keys[i], query) <= most) expected[found++] = (uint32_t)i;
    for (size_t t = 0; t < table_count; t++)
        assert_hits(tables[t]->near_packed(packed, first, count, width, query, most, hits), found,
                    hits);
}

static void test_packed(void **state) {
    (void)state;
    for (unsigned width = 1; width <= 57; width++) {
        for (size_t count = 0; count <= 80; count++)
            check_packed(width, below(2) ? below(9) : below(200), count);
        for (size_t round = 0; round < 30; round++) check_packed(width, below(200), below(301));
        check_packed(width, below(100), 1000 + below(100));
    }
}

/* A string whose first keys are far away: their offset in bits does not fit in 32 bits. */
static void test_packed_far(void **state) {
    (void)state;
    const uint64_t first = (UINT64_C(1) << 32) + 5;
    unsigned char around[1000] = {0};
    uint32_t hits[20 + ROOM];
    for (unsigned width = 8; width <= 56; width += 8) {
        for (uint64_t i = 0; i < 20; i++) put_key(around, i, width, i);
        /* The address of key 0 is never read. */
        const unsigned char *packed = (const unsigned char *)((uintptr_t)around -
                                                              (uintptr_t)(first * (width / 8)) +
                                                              5 * (width / 8));
        for (size_t t = 0; t < table_count; t++) {
            assert_int_equal(tables[t]->near_packed(packed, first - 3, 10, width, 4, 0, hits), 1);
            assert_int_equal(hits[0], 2);
        }
    }
}

/* ---- tables */

/* Ranges of a string that begins at a cache line. The last range ends 64 bytes before the end of
 * the readable memory. */
static void check_ranges(unsigned width, size_t range_count, size_t longest) {
    static uint64_t keys[MOST_KEYS], wanted[MOST_KEYS];
    uint32_t begins[100], ends[100];
    uint8_t most[100];
    uint64_t query = random64() >> (64 - width);
    size_t count = 0, found = 0;
    for (size_t i = 0; i < range_count; i++) {
        begins[i] = (uint32_t)(count += below(3) ? 0 : below(20));
        ends[i] = (uint32_t)(count += below(4) ? below(longest + 1) : below(3));
        most[i] = (uint8_t)below(width + 2);
    }
    size_t bytes = (count * width + 7) / 8;
    unsigned char *packed = guarded_block(key_pages, (bytes + 64 + 63) / 64 * 64, true);
    uint64_t *hits = guarded_block(hit_pages, (count + 1) * 8, true);
    random_keys(keys, count, 1, &query, width);
    for (size_t i = 0; i < count; i++) put_key(packed, i, width, keys[i]);
    for (size_t r = 0; r < range_count; r++)
        for (uint64_t i = begins[r]; i < ends[r]; i++)
            if (plain_distance(keys[i], query) <= most[r]) wanted[found++] = (uint64_t)r << 32 | i;
    for (size_t t = 0; t < table_count; t++) {
        assert_int_equal(
            tables[t]->near_ranges(packed, width, query, begins, ends, most, range_count, hits),
            found);
        assert_memory_equal(hits, wanted, found * 8);
    }
}

static void test_ranges(void **state) {
    (void)state;
    for (unsigned width = 1; width <= 57; width++)
        for (size_t round = 0; round < 100; round++)
            check_ranges(width, below(50), round % 2 ? 3 : 60);
}

/* A directory of 2^bits buckets; some are full, most are nearly empty. `lie`: one sample points
 * outside the directory. */
static void check_buckets(unsigned bits, uint64_t fullest, bool lie) {
    static uint32_t firsts[(1 << 12) + 1], befores[4096], prefixes[4096], begins[4096], ends[4096];
    size_t buckets = (size_t)1 << bits, bit = 0, positions = 200;
    unsigned shift = (unsigned)below(bits < 6 ? bits + 1 : 7);
    for (size_t b = 0; b < buckets; b++)
        firsts[b + 1] = firsts[b] + (uint32_t)(below(9) ? below(4) : below(fullest + 1));
    size_t words = (firsts[buckets] + buckets + 63) / 64;
    unsigned char *directory = guarded_block(key_pages, words * 8, true);
    memset(directory, 0, words * 8);
    for (size_t b = 0; b < buckets; b++, bit++) {
        bit += firsts[b + 1] - firsts[b];
        directory[bit / 8] |= (unsigned char)(1u << bit % 8);
    }
    for (size_t i = 0; i < positions; i++) {
        prefixes[i] = (uint32_t)below(buckets >> shift);
        befores[i] = lie && i == 7 ? (uint32_t)(words * 64 - below(2))
                                   : firsts[(prefixes[i] << shift) & ~UINT32_C(63)];
    }
    for (size_t t = 0; t < table_count; t++) {
        tables[t]->find_buckets(directory, words, befores, prefixes, shift, positions, begins,
                                ends);
        for (size_t i = 0; i < positions; i++) {
            if (lie && i == 7) {
                assert_true(begins[i] > ends[i] || ends[i] <= words * 64);
                continue;
            }
            assert_int_equal(begins[i], firsts[prefixes[i] << shift]);
            assert_int_equal(ends[i], firsts[(prefixes[i] + 1) << shift]);
        }
    }
}

static void test_buckets(void **state) {
    (void)state;
    for (size_t round = 0; round < 600; round++)
        check_buckets((unsigned)below(12), round % 3 ? 3 : round % 2 ? 40 : 1, round % 5 == 0);
}

/* Keys of some words of a random directory, as many at a time as there is room for. The lowest 32
 * bits of all heads are unpacked, and for each 1 bit of the directory the number of keys before
 * it. Of a wrong directory, which has more keys than there are heads, only these are read. */
static void check_unpack(unsigned width, size_t words) {
    static uint64_t heads[MOST_KEYS];
    static uint32_t wanted[MOST_KEYS];
    static uint16_t wanted_ends[MOST_KEYS];
    size_t room = 64 + below(200), keys = 0, buckets = 0, begin = below(64);
    unsigned char *directory = guarded_block(hit_pages, words * 8, true),
                  *packed = guarded_block(key_pages, MOST_KEYS * 8, true);
    uint32_t *out = malloc((room + ND_KEYS_BEHIND) * sizeof *out);
    nd_packed_keys whole = {
        .first_mask = UINT64_MAX << below(64), .last_mask = UINT64_MAX, .width = width};
    if (words > 1 || whole.first_mask == UINT64_MAX) whole.last_mask = UINT64_MAX >> below(64);
    for (size_t i = 0; i < words; i++)
        nd_store_le64(directory + i * 8, below(5) ? random64() : below(2) ? 0 : UINT64_MAX);
    for (size_t bit = 0; bit < words * 64; bit++) {
        uint64_t mask = (bit < 64 ? whole.first_mask : UINT64_MAX) &
                        (bit >= words * 64 - 64 ? whole.last_mask : UINT64_MAX);
        if (!(mask >> bit % 64 & 1)) continue;
        if (directory[bit / 8] >> bit % 8 & 1) {
            wanted_ends[buckets++] = (uint16_t)keys;
            continue;
        }
        heads[keys] = random64() >> (64 - width);
        wanted[keys] = (uint32_t)heads[keys];
        keys++;
    }
    size_t there = below(3) ? keys : below(keys + 1);
    unsigned char *from = packed + MOST_KEYS * 8 - 64 - ((begin + there * width + 7) / 8);
    for (size_t i = 0; i < there; i++)
        for (unsigned b = 0; b < width; b++) {
            size_t at = begin + i * width + b;
            from[at / 8] = (unsigned char)((from[at / 8] & ~(1u << at % 8)) |
                                           (unsigned)(heads[i] >> b & 1) << at % 8);
        }
    for (size_t t = 0; t < table_count; t++) {
        nd_unpacked all = {0};
        while (all.words < words) {
            nd_packed_keys part = whole;
            part.directory = directory + all.words * 8;
            part.heads = from;
            part.words = words - all.words;
            part.bit = begin + all.keys * width;
            part.heads_there = there > all.keys ? there - all.keys : 0;
            part.key_room = room;
            part.bucket_room = 1 + below(300);
            if (all.words > 0) part.first_mask = UINT64_MAX;
            uint16_t *ends = malloc((part.bucket_room + ND_ENDS_BEHIND) * sizeof *ends);
            nd_unpacked got = tables[t]->unpack(&part, out, ends);
            assert_true(got.words > 0 && all.words + got.words <= words && got.keys <= room &&
                        all.keys + got.keys <= keys);
            assert_true(all.words + got.words == words || got.keys + 64 > room ||
                        got.buckets >= part.bucket_room);
            assert_true(got.buckets < part.bucket_room + 64 &&
                        all.buckets + got.buckets <= buckets);
            size_t given = got.keys < part.heads_there ? got.keys : part.heads_there;
            assert_memory_equal(out, wanted + all.keys, given * sizeof *out);
            for (size_t b = 0; b < got.buckets; b++)
                assert_int_equal(all.keys + ends[b], wanted_ends[all.buckets + b]);
            free(ends);
            all = (nd_unpacked){all.words + got.words, all.keys + got.keys,
                                all.buckets + got.buckets};
        }
        assert_int_equal(all.keys, keys);
        assert_int_equal(all.buckets, buckets);
    }
    free(out);
}

static void test_unpack(void **state) {
    (void)state;
    for (unsigned width = 1; width <= 57; width++)
        for (size_t round = 0; round < 40; round++)
            check_unpack(width, 1 + below(round % 2 ? 3 : 40));
}

/* ---- pairs */

static uint64_t expected_pairs[500 * 500];

static void check_pairs(size_t query_count, size_t count, size_t words, bool at_end) {
    uint64_t middle[2] = {random64(), random64()},
             *keys = guarded_block(key_pages, count * words * 8, at_end);
    uint64_t *queries = malloc((query_count * words + 1) * 8),
             *hits = guarded_block(hit_pages, (query_count * count + ROOM) * 8, true);
    unsigned most = random_most((unsigned)(64 * words));
    if (below(2)) most /= 4;
    random_keys(queries, query_count, words, middle, 64);
    random_keys(keys, count, words, middle, 64);
    size_t found = 0;
    for (size_t block = 0; block < query_count; block += 8)
        for (size_t i = 0; i < count; i++)
            for (size_t q = block; q < block + 8 && q < query_count; q++) {
                unsigned distance = 0;
                for (size_t k = 0; k < words; k++)
                    distance += plain_distance(keys[words * i + k], queries[words * q + k]);
                if (distance <= most) expected_pairs[found++] = (uint64_t)q << 32 | i;
            }
    for (size_t t = 0; t < table_count; t++) {
        size_t got = words == 1
                         ? tables[t]->near64_pairs(queries, query_count, keys, count, most, hits)
                         : tables[t]->near128_pairs(queries, query_count, keys, count, most, hits);
        assert_int_equal(got, found);
        assert_memory_equal(hits, expected_pairs, found * 8);
    }
    free(queries);
}

static void test_pairs(void **state) {
    (void)state;
    for (size_t words = 1; words <= 2; words++) {
        for (size_t query_count = 0; query_count <= 26; query_count++)
            for (size_t count = 0; count <= 40; count++)
                check_pairs(query_count, count, words, below(3));
        for (size_t round = 0; round < 100; round++)
            check_pairs(below(70), below(301), words, below(3));
        check_pairs(500, 500, words, true);
        check_pairs(1, 301, words, true);
    }
}

/* ---- probes */

/* 32 bits of each key in 2^bits buckets, some of them crowded; queries near the keys. */
static void check_probes(unsigned bits, size_t fullest) {
    static uint16_t starts[(1 << 8) + 1];
    static uint64_t wanted[200 * 65];
    size_t count = 0, query_count = below(200), found = 0;
    nd_key_probes p = {.above = (unsigned)below(5),
                       .bits = bits,
                       .low = (unsigned)below(49),
                       .wide = (unsigned)below(bits + 1),
                       .crowded = 8 + (uint32_t)below(57),
                       .starts = starts};
    uint64_t *queries = guarded_block(hit_pages, query_count * 8, true), middle = random64() >> 5;
    uint64_t *hits = malloc((query_count * p.crowded + 1) * 8);
    unsigned most = below(4) ? (unsigned)below(12) : random_most(32);
    p.pattern = (uint32_t)below(UINT64_C(1) << bits);
    for (size_t b = 0; b >> bits == 0; b++)
        starts[b + 1] = (uint16_t)(starts[b] + (below(9) ? below(4) : below(fullest + 1)));
    count = starts[(size_t)1 << bits];
    uint32_t *keys = guarded_block(key_pages, (count + ND_PROBES_BEHIND) * sizeof *keys, true);
    for (size_t i = 0; i < count + ND_PROBES_BEHIND; i++)
        keys[i] = (uint32_t)(random_near(middle, 59) >> p.low);
    for (size_t i = 0; i < query_count; i++) queries[i] = random_near(middle, 59);
    for (size_t q = 0; q < query_count; q++) {
        size_t bucket = 0;
        for (unsigned b = 0; b < bits; b++)
            bucket = bucket * 2 + (queries[q] >> (63 - p.above - b) & 1);
        size_t first = (bucket ^ p.pattern) & ~(((size_t)1 << p.wide) - 1), begin = starts[first],
               end = starts[first + ((size_t)1 << p.wide)];
        assert_int_equal(nd_key_probe_first(nd_key_probe_of(&p), queries[q]), first);
        if (end - begin > p.crowded) wanted[found++] = (uint64_t)q << 32 | ND_CROWDED;
        for (size_t i = begin; end - begin <= p.crowded && i < end; i++)
            if (plain_distance(keys[i], (uint32_t)(queries[q] >> p.low)) <= most)
                wanted[found++] = (uint64_t)q << 32 | i;
    }
    p.keys = keys;
    for (size_t t = 0; t < table_count; t++) {
        size_t got = tables[t]->near32_probes(&p, queries, query_count, most, hits);
        assert_int_equal(got, found);
        assert_memory_equal(hits, wanted, found * 8);
    }
    free(hits);
}

static void test_probes(void **state) {
    (void)state;
    for (size_t round = 0; round < 3000; round++)
        check_probes((unsigned)below(9), round % 3 ? 3 : round % 5 ? 40 : 100);
}

int main(void) {
    table_count = nd_kernel_all(tables);
    key_pages = guarded_make(MOST_KEYS * 16);
    hit_pages = guarded_make((500 * 500 + ROOM) * 8);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_near64), cmocka_unit_test(test_near128),
        cmocka_unit_test(test_near32), cmocka_unit_test(test_single_hits),
        cmocka_unit_test(test_packed), cmocka_unit_test(test_packed_far),
        cmocka_unit_test(test_ranges), cmocka_unit_test(test_buckets),
        cmocka_unit_test(test_unpack), cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_probes),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    guarded_free(key_pages);
    guarded_free(hit_pages);
    return failed;
}
