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
    s.first_entry = s.entry;
    s.first_word = (s.entry + first) / 64;
    s.last_word = (s.end - 1 + end - 1) / 64; /* the last key's bit is in it or before it */
    s.first_byte = s.entry * t->width / 8;
    ND_TRY(nd_sealed_view(t->file, &t->directory, s.first_word * 8,
                          (s.last_word + 1 - s.first_word) * 8, &s.directory, error));
    ND_TRY(nd_sealed_view(t->file, &t->heads, s.first_byte,
                          (s.end * t->width + 7) / 8 - s.first_byte, &s.heads, error));
    if (t->bits > 64)
        ND_TRY(nd_sealed_view(t->file, &t->tails, s.entry * 8, (s.end - s.entry) * 8, &s.tails,
                              error));
    s.word = s.first_word;
    *out = s;
    return ND_OK;
}

nd_status nd_table_scan_next(nd_table_scan *s, size_t room, uint64_t *keys, uint16_t *starts,
                             size_t *count, nd_error *error) {
    const nd_ef_table *t = s->table;
    const size_t buckets = (size_t)(s->end_bucket - s->first_bucket);
    *count = 0;
    if (s->entry == s->end) return ND_OK;
    nd_packed_keys packed = {
        .directory = s->directory + (s->word - s->first_word) * 8,
        .heads = s->heads,
        .words = s->last_word + 1 - s->word,
        .first_mask = ~UINT64_C(0)
                      << (s->word == s->first_word ? (s->entry + s->first_bucket) % 64 : 0),
        .last_mask = ~UINT64_C(0) >> (63 - (s->end - 1 + s->end_bucket - 1) % 64),
        .bucket = s->word * 64 - s->entry,
        .bit = s->entry * t->width - s->first_byte * 8,
        .width = t->width,
        .shift = t->bits > 64 ? 0 : 64 - t->bucket_bits - t->width,
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
    for (size_t i = found.keys; t->bits > 64 && i-- > 0;) {
        uint64_t head = keys[i];
        keys[2 * i + 1] = nd_load_le64(s->tails + (s->entry + i - s->first_entry) * 8);
        keys[2 * i] = head;
    }
    s->entry += found.keys;
    s->word += found.words;
    *count = found.keys;
    return ND_OK;
}
