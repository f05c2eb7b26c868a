#include "hamming/table_scan.h"

#include <inttypes.h>
#include <string.h>

static nd_status damaged(const nd_ef_table *t, uint64_t bucket, nd_error *error) {
    return nd_fail(error, ND_ERR_CORRUPT,
                   "%s: damaged: the directory of a table of fingerprints at bucket %" PRIu64,
                   nd_sealed_path(t->file), bucket);
}

nd_status nd_table_scan_begin(const nd_ef_table *t, uint64_t first, uint64_t end,
                              nd_table_scan *out, nd_error *error) {
    nd_table_scan s = {.table = t, .first_bucket = first, .end_bucket = end};
    nd_ef_bucket head, behind = {.begin = t->keys};
    ND_TRY(nd_ef_table_bucket(t, first, &head, error));
    if (end >> t->bucket_bits == 0) ND_TRY(nd_ef_table_bucket(t, end, &behind, error));
    s.entry = head.begin;
    s.end = behind.begin;
    if (s.entry > s.end || s.end > t->keys) return damaged(t, first, error);
    *out = s;
    if (s.entry == s.end) return ND_OK;
    s.first_word = (s.entry + first) / 64;
    s.last_word = (s.end - 1 + end - 1) / 64; /* the last key's bit is in it or before it */
    s.first_byte = s.entry * t->width / 8;
    ND_TRY(nd_sealed_view(t->file, &t->directory, s.first_word * 8,
                          (s.last_word + 1 - s.first_word) * 8, &s.directory, error));
    ND_TRY(nd_sealed_view(t->file, &t->heads, s.first_byte,
                          (s.end * t->width + 7) / 8 - s.first_byte, &s.heads, error));
    s.word = s.first_word;
    *out = s;
    return ND_OK;
}

/* Puts the buckets [first, end) of the scan above the heads of their keys. */
static void add_buckets(const nd_table_scan *s, const uint16_t *starts, size_t first, size_t end,
                        uint32_t *keys) {
    for (size_t b = first; b < end; b++)
        for (size_t i = starts[b]; i < starts[b + 1]; i++)
            keys[i] |= (uint32_t)(s->first_bucket + b) << s->table->width;
}

nd_status nd_table_scan_next(nd_table_scan *s, size_t room, uint32_t *keys, uint16_t *starts,
                             size_t *count, nd_error *error) {
    const nd_ef_table *t = s->table;
    const size_t buckets = (size_t)(s->end_bucket - s->first_bucket), first = s->ended;
    *count = 0;
    s->unpacked = s->entry;
    if (s->entry == s->end) return ND_OK;
    nd_packed_keys packed = {
        .directory = s->directory + (s->word - s->first_word) * 8,
        .heads = s->heads,
        .words = s->last_word + 1 - s->word,
        .first_mask = ~UINT64_C(0)
                      << (s->word == s->first_word ? (s->entry + s->first_bucket) % 64 : 0),
        .last_mask = ~UINT64_C(0) >> (63 - (s->end - 1 + s->end_bucket - 1) % 64),
        .bit = s->entry * t->width - s->first_byte * 8,
        .heads_there = (size_t)(s->end - s->entry),
        .width = t->width,
        .key_room = room,
        .bucket_room = buckets - s->ended};
    memset(starts, 0, (s->ended + 1) * sizeof *starts);
    nd_unpacked found = nd_kernel_get()->unpack(&packed, keys, starts + s->ended + 1);
    /* The last bucket's 1 bit is in a word behind the last key's, or is masked there. */
    bool sane = found.buckets < packed.bucket_room && found.keys <= s->end - s->entry;
    if (!sane || (found.words == packed.words && found.keys < s->end - s->entry))
        return damaged(t, s->first_bucket, error);
    s->ended += found.buckets;
    for (size_t b = s->ended; b < buckets; b++) starts[b + 1] = (uint16_t)found.keys;
    if (t->width < 32) add_buckets(s, starts, first, buckets, keys);
    s->entry += found.keys;
    s->word += found.words;
    *count = found.keys;
    return ND_OK;
}

size_t nd_table_scan_bucket(const nd_table_scan *s, const uint16_t *starts, size_t key) {
    size_t bucket = 0;
    for (size_t n = (size_t)(s->end_bucket - s->first_bucket); n > 1;) {
        size_t half = n / 2;
        bucket += starts[bucket + half] <= key ? half : 0;
        n -= half;
    }
    return bucket;
}

nd_status nd_table_scan_keys(const nd_table_scan *s, const uint16_t *starts, size_t bucket,
                             size_t first, size_t count, uint64_t *keys, nd_error *error) {
    for (size_t i = first; i < first + count; i++) {
        nd_key key;
        while (starts[bucket + 1] <= i) bucket++;
        ND_TRY(nd_ef_table_key_of_bucket(s->table, s->first_bucket + bucket, s->unpacked + i, &key,
                                         error));
        *keys++ = key.head;
        if (s->table->bits > 64) *keys++ = key.tail;
    }
    return ND_OK;
}
