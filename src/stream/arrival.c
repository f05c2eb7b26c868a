#include "stream/arrival.h"

#include "base/bits.h"

enum { HEAD = 48 };

/* A record, in little-endian numbers:
 *
 *   kind (32 bits) | length of id (32) | length of leader (32) | zero (32) |
 *   time (binary64) | similarity (binary64) | fingerprint (128) | id | leader | words */

size_t nd_arrival_size(const nd_arrival *a) {
    return HEAD + a->id_length + a->leader_length + a->word_bytes;
}

void nd_arrival_store(const nd_arrival *a, unsigned char *to) {
    nd_store_le32(to, (uint32_t)a->kind);
    nd_store_le32(to + 4, (uint32_t)a->id_length);
    nd_store_le32(to + 8, (uint32_t)a->leader_length);
    nd_store_le32(to + 12, 0);
    nd_store_double(to + 16, a->time);
    nd_store_double(to + 24, a->similarity);
    nd_store_le64(to + 32, a->fingerprint.low);
    nd_store_le64(to + 40, a->fingerprint.high);
    to += HEAD;
    if (a->id_length) memcpy(to, a->id, a->id_length);
    to += a->id_length;
    if (a->leader_length) memcpy(to, a->leader, a->leader_length);
    to += a->leader_length;
    if (a->word_bytes) memcpy(to, a->words, a->word_bytes);
}

bool nd_arrival_load(const unsigned char *from, size_t size, nd_arrival *out) {
    if (size < HEAD) return false;
    uint32_t kind = nd_load_le32(from), id = nd_load_le32(from + 4),
             leader = nd_load_le32(from + 8);
    if (kind > ND_ARRIVAL_JOINS || id > size - HEAD || leader > size - HEAD - id) return false;
    const unsigned char *rest = from + HEAD;
    *out = (nd_arrival){.kind = (nd_arrival_kind)kind,
                        .id = (const char *)rest,
                        .id_length = id,
                        .time = nd_load_double(from + 16),
                        .fingerprint = {nd_load_le64(from + 32), nd_load_le64(from + 40)},
                        .leader = (const char *)rest + id,
                        .leader_length = leader,
                        .similarity = nd_load_double(from + 24),
                        .words = rest + id + leader,
                        .word_bytes = size - HEAD - id - leader};
    nd_arrival_word word;
    size_t at = 0;
    while (nd_arrival_next_word(out, &at, &word)) continue;
    return at == out->word_bytes;
}
