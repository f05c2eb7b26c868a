/* The body of the ascii_words kernel, to be included once by the file of an instruction set after it has defined
 *
 *     static inline nd_word_block classify_block(const unsigned char *p, unsigned char *lower);
 *         reads 64 bytes, says which are word characters [0-9A-Za-z_] and which are not ASCII, and writes them lower-cased to lower[0..64) (any value
 *         for a byte that is not a word character);
 *     static inline uint16_t *put_edges(uint16_t *to, uint64_t edges, unsigned base);
 *         writes base + the position of each set bit, ascending, and returns the place after the last; may spoil 64 places from `to` on.
 *
 * A text goes through in chunks whose lower-cased copy and word edges stay in the L1 cache. With m the mask of word characters, m ^ (m << 1 | carry)
 * has a bit where a word begins and where one ends, by turns. The edges of a chunk are collected first and the tokens between them hashed after, two
 * loops without a branch that depends on the text, except on tokens longer than 16 bytes. A word that crosses a chunk's end begins the next chunk;
 * one that fills a whole chunk is measured and hashed from the text itself, so the cost is linear whatever the text. */
#ifndef ND_KERNEL_ASCII_WORDS_H
#define ND_KERNEL_ASCII_WORDS_H

#include "kernel/kernel_common.h"

/* Bytes; a multiple of 64 that fits 16-bit positions. */
#if ND_TINY_LIMITS
#define WORD_CHUNK 128
#else
#define WORD_CHUNK 4096
#endif

/* The low `n` of 16 bytes as two little-endian words. */
static const uint64_t token_mask[17][2] = {
#define ND_MASK(n) (UINT64_MAX >> (64 - 8 * (n)))
    {0, 0},
    {ND_MASK(1), 0},
    {ND_MASK(2), 0},
    {ND_MASK(3), 0},
    {ND_MASK(4), 0},
    {ND_MASK(5), 0},
    {ND_MASK(6), 0},
    {ND_MASK(7), 0},
    {ND_MASK(8), 0},
    {ND_MASK(8), ND_MASK(1)},
    {ND_MASK(8), ND_MASK(2)},
    {ND_MASK(8), ND_MASK(3)},
    {ND_MASK(8), ND_MASK(4)},
    {ND_MASK(8), ND_MASK(5)},
    {ND_MASK(8), ND_MASK(6)},
    {ND_MASK(8), ND_MASK(7)},
    {ND_MASK(8), ND_MASK(8)},
#undef ND_MASK
};

/* Reads up to 64 bytes: what is missing counts as blanks. */
static inline nd_word_block classify_part(const unsigned char *p, size_t bytes, unsigned char *lower) {
    if (bytes >= 64) return classify_block(p, lower);
    unsigned char padded[64];
    memset(padded, ' ', sizeof padded);
    memcpy(padded, p, bytes);
    return classify_block(padded, lower);
}

/* Lower-cases `bytes` of text and finds the word edges. Returns how many bytes are done: fewer than asked where a byte is not ASCII. An odd number of
 * edges: the last word is open. */
static inline size_t find_edges(const unsigned char *p, size_t bytes, unsigned char *lower, uint16_t *edges, size_t *edge_count) {
    uint16_t *to = edges;
    uint64_t carry = 0;
    size_t at = 0;
    for (; at < bytes; at += 64) {
        nd_word_block block = classify_part(p + at, bytes - at, lower + at);
        if (block.other) {
            unsigned valid = (unsigned)__builtin_ctzll(block.other);
            /* Edges up to the byte itself; the one that would end a word there is the stop, not an edge. */
            uint64_t below = (UINT64_C(1) << valid) - 1;
            to = put_edges(to, (block.word ^ (block.word << 1 | carry)) & below, (unsigned)at);
            *edge_count = (size_t)(to - edges);
            return at + valid;
        }
        to = put_edges(to, block.word ^ (block.word << 1 | carry), (unsigned)at);
        carry = block.word >> 63;
    }
    *edge_count = (size_t)(to - edges);
    /* The padding of a last block closes a word that touches the end: open it again, the caller knows what follows. */
    if (bytes % 64 && *edge_count && to[-1] == bytes) --*edge_count;
    return bytes;
}

static inline void hash_tokens(const nd_hash_key *key, const unsigned char *lower, const uint16_t *edges, size_t count, uint64_t *tokens) {
    for (size_t t = 0; t < count; t++) {
        const unsigned char *p = lower + edges[2 * t];
        size_t length = (size_t)edges[2 * t + 1] - edges[2 * t];
        if (__builtin_expect(length > 16, 0)) {
            tokens[t] = nd_hash_token_padded(key, p, length);
            continue;
        }
        tokens[t] = nd_hash_words(key, nd_load_le64(p) & token_mask[length][0], nd_load_le64(p + 8) & token_mask[length][1]);
    }
}

/* End of the run of word characters from `at` on. */
static inline size_t word_end(const unsigned char *p, size_t length, size_t at) {
    unsigned char lower[64];
    for (; at < length; at += 64) {
        uint64_t word = classify_part(p + at, length - at, lower).word;
        if (word != UINT64_MAX) return at + (unsigned)__builtin_ctzll(~word);
    }
    return length;
}

/* nd_hash_token of the lower-cased bytes. */
static inline uint64_t hash_long_token(const nd_hash_key *key, const unsigned char *p, size_t length) {
    uint64_t h = 0;
    while (length > 16) {
        h = nd_fold_multiply(nd_lower_word8(nd_load_le64(p)) ^ key->k2 ^ h, nd_lower_word8(nd_load_le64(p + 8)) ^ key->k3);
        p += 16;
        length -= 16;
    }
    uint64_t a = nd_lower_word8(nd_load_partial(p, length < 8 ? length : 8));
    uint64_t b = length > 8 ? nd_lower_word8(nd_load_partial(p + 8, length - 8)) : 0;
    return nd_hash_words(key, a ^ h, b);
}

static size_t ascii_words(const char *text, size_t length, const nd_hash_key *key, uint64_t *tokens, size_t room, size_t *consumed) {
    const unsigned char *p = (const unsigned char *)text;
    unsigned char lower[WORD_CHUNK + 64]; /* the last token's 16 bytes may reach past the chunk */
    uint16_t edges[WORD_CHUNK + 64];
    nd_hash_key own_key = *key; /* known not to alias `tokens` */
    size_t at = 0, written = 0;
    while (at < length && room - written >= 64) {
        size_t bytes = length - at < WORD_CHUNK ? length - at : WORD_CHUNK;
        if (bytes / 2 >= room - written) bytes = (room - written) / 32 * 64; /* every other byte may be a token */
        size_t edge_count, scanned = find_edges(p + at, bytes, lower, edges, &edge_count);
        bool stopped = scanned < bytes;
        if (edge_count % 2 && !stopped && at + scanned == length) edges[edge_count++] = (uint16_t)scanned;
        hash_tokens(&own_key, lower, edges, edge_count / 2, tokens + written);
        written += edge_count / 2;
        bool open = edge_count % 2;
        size_t begin = open ? edges[edge_count - 1] : scanned; /* of the open word */
        if (stopped) {
            /* The character before the stop may belong together with it, word or not ('<' and U+0338 are one symbol). */
            *consumed = at + begin - (!open && at + begin > 0);
            return written;
        }
        if (!open || begin > 0) {
            at += begin;
            continue;
        }
        size_t end = word_end(p, length, at + scanned);
        if (end < length && p[end] >= 0x80) break;
        tokens[written++] = hash_long_token(&own_key, p + at, end - at);
        at = end;
    }
    *consumed = at;
    return written;
}

#endif
