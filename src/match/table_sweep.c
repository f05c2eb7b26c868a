#include "match/table_sweep.h"

#include <inttypes.h>

static nd_status damaged(const nd_fingerprint_table *t, uint64_t bucket, nd_error *error) {
    return nd_fail(error, ND_ERR_CORRUPT, "%s: damaged: the directory of a table of fingerprints at bucket %" PRIu64, nd_sealed_path(t->file),
                   bucket);
}

static inline uint64_t zeros_of(const nd_table_sweep *s, uint64_t word) { return ~nd_load_le64(s->directory + (word - s->first_word) * 8); }

nd_status nd_table_sweep_begin(const nd_fingerprint_table *t, uint64_t first, uint64_t end, nd_table_sweep *out, nd_error *error) {
    nd_table_sweep s = {.table = t, .first_bucket = first, .end_bucket = end};
    nd_bucket begins, behind = {.begin = t->keys};
    ND_TRY(nd_fingerprint_table_bucket(t, first, &begins, error));
    if (end >> t->bucket_bits == 0) ND_TRY(nd_fingerprint_table_bucket(t, end, &behind, error));
    s.entry = begins.begin;
    s.end = behind.begin;
    if (s.entry > s.end || s.end > t->keys) return damaged(t, first, error);
    *out = s;
    if (s.entry == s.end) return ND_OK;
    s.first_entry = s.entry;
    s.first_word = (s.entry + first) / 64;
    s.last_word = (s.end - 1 + end - 1) / 64; /* the last key's bit is not behind it */
    s.first_byte = s.entry * t->width / 8;
    ND_TRY(nd_sealed_view(t->file, &t->directory, s.first_word * 8, (s.last_word + 1 - s.first_word) * 8, &s.directory, error));
    ND_TRY(nd_sealed_view(t->file, &t->heads, s.first_byte, (s.end * t->width + 7) / 8 - s.first_byte, &s.heads, error));
    if (t->bits > 64) ND_TRY(nd_sealed_view(t->file, &t->tails, s.entry * 8, (s.end - s.entry) * 8, &s.tails, error));
    s.word = s.first_word;
    s.zeros = zeros_of(&s, s.word) & ~UINT64_C(0) << (s.entry + first) % 64;
    *out = s;
    return ND_OK;
}

/* Each 0 bit is a key, and the 1 bits before it are the buckets before its own: these ascend, so that it is enough to look at the first and the last. */
__attribute__((always_inline)) static inline nd_status next(nd_table_sweep *s, size_t room, unsigned words, unsigned align, uint64_t *keys,
                                                            size_t *count, nd_error *error) {
    const nd_fingerprint_table *t = s->table;
    const unsigned width = t->width;
    const uint64_t mask = (UINT64_C(1) << width) - 1, begin = s->entry, end = s->end - begin < room ? s->end : begin + room;
    uint64_t entry = begin, word = s->word, zeros = s->zeros, bit = entry * width - s->first_byte * 8, first = UINT64_MAX, bucket = 0;
    while (entry < end) {
        while (zeros == 0) {
            if (word == s->last_word) return damaged(t, s->first_bucket, error);
            zeros = zeros_of(s, ++word);
        }
        if (first == UINT64_MAX) first = word * 64 + (unsigned)__builtin_ctzll(zeros) - entry;
        for (uint64_t base = word * 64; zeros > 0 && entry < end; zeros &= zeros - 1, bit += width, entry++) {
            bucket = base + (unsigned)__builtin_ctzll(zeros) - entry;
            keys[(entry - begin) * words] = (bucket << width | (nd_load_le64(s->heads + bit / 8) >> bit % 8 & mask)) << align;
            if (words > 1) keys[(entry - begin) * words + 1] = nd_load_le64(s->tails + (entry - s->first_entry) * 8);
        }
    }
    if (entry > begin && (first < s->first_bucket || bucket >= s->end_bucket || first > bucket)) return damaged(t, s->first_bucket, error);
    s->entry = entry;
    s->word = word;
    s->zeros = zeros;
    *count = (size_t)(entry - begin);
    return ND_OK;
}

nd_status nd_table_sweep_next(nd_table_sweep *s, size_t room, uint64_t *keys, size_t *count, nd_error *error) {
    const unsigned align = 64 - s->table->bucket_bits - s->table->width;
    if (s->table->bits > 64) return next(s, room, 2, 0, keys, count, error);
    return align == 0 ? next(s, room, 1, 0, keys, count, error) : next(s, room, 1, align, keys, count, error);
}
