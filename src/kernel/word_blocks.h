/* The body of the words kernel. The file of an instruction set includes this once, after it has
 * defined:
 *
 *   static inline nd_word_block classify_block(const unsigned char *p, unsigned char *lower);
 *       Reads 64 bytes, and returns the masks of the word characters [0-9A-Za-z_] and of the bytes
 *       that are not ASCII. Writes the word characters, in lower case, to the same positions in
 *       lower[0..64), and any value to the others.
 *
 *   static inline nd_latin_block classify_latin(const unsigned char *p, unsigned char *lower);
 *       For a block that is not all ASCII, after classify_block. Reads the 64 bytes again, and
 *       returns the classes of the bytes from 0x80 on. Writes these bytes to the same positions in
 *       lower[]: unchanged, except that bit 5 is set after a byte 0xC3, which folds U+00C0-U+00DE.
 *
 *   static inline nd_wide_block classify_wide(const unsigned char *p, nd_latin_block latin);
 *       For a block that is not all Latin, after classify_latin. Reads the 64 bytes again, and
 *       returns its characters of three bytes.
 *
 *   static inline uint16_t *put_edges(uint16_t *to, uint64_t edges, unsigned base);
 *       Writes base + the position of each set bit, ascending, and returns the end. May overwrite
 *       64 entries from `to` on.
 *
 *   static inline uint16_t *put_alternately(uint16_t *to, uint64_t first, uint64_t second,
 *                                        unsigned base);
 *       The same with two masks: the first position of `first`, the first of `second`, the second
 *       of `first`, and so on. `first` has as many bits as `second`, or one more; at most 32.
 *
 * A text is processed in chunks whose folded copy and token edges stay in the L1 cache. With m the
 * mask of word characters, m ^ (m << 1 | carry) has alternately a bit at the begin of a word and
 * at its end. With Han a token may begin at the end of another, so begins and ends are two masks
 * there. The edges of a chunk are collected first, and then the tokens between them are
 * hashed: two loops without a branch that depends on the text, except on tokens longer than 16
 * bytes. A word that crosses the end of a chunk begins the next chunk. A word that fills a whole
 * chunk is folded and hashed separately, so the cost is linear for every text.
 *
 * One loop is for Latin text. Another is for text with Han; a chunk enters it at its first
 * character that is not Latin.
 *
 * Folding keeps the length in bytes of every accepted character (nd_words_accept), so positions in
 * the text are positions in the copy. A block begins at the beginning of a character. A character
 * that does not end in the block is left to the next block. */
#ifndef ND_KERNEL_WORD_BLOCKS_H
#define ND_KERNEL_WORD_BLOCKS_H

#include "base/limits.h"
#include "kernel/kernel_common.h"

/* Bytes; a multiple of 64 that fits 16-bit positions. */
#define WORD_CHUNK ND_LIMIT(4096, 128)

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

/* Finishes a block that is not all ASCII: classifies the accepted characters, so that `other` keeps
 * only bytes that are no part of one, or of an incomplete one. */
static inline nd_word_block accept_latin(nd_word_block block, nd_latin_block latin,
                                         unsigned char *lower) {
    uint64_t second_c2 = latin.c2 << 1 & latin.continuation,
             second_c3 = latin.c3 << 1 & latin.continuation;
    uint64_t two = second_c2 | second_c3,
             three = (latin.e2 << 1 & latin.byte_80) << 1 & latin.continuation & latin.general;
    uint64_t word_c2 = second_c2 & latin.word_c2, letters = word_c2 | (second_c3 & ~latin.sign_c3);
    block.word |= letters | letters >> 1;
    block.other &= ~(two | two >> 1 | three | three >> 1 | three >> 2);
    for (uint64_t folding = word_c2 | (second_c3 & latin.byte_9f); folding;
         folding &= folding - 1) {
        unsigned char *at = lower + __builtin_ctzll(folding) - 1;
        /* U+00DF is "ss", U+00B5 is U+03BC; U+00AA and U+00BA stay. */
        if (at[0] == 0xc3) memcpy(at, "ss", 2);
        if (at[0] == 0xc2 && at[1] == 0xb5) memcpy(at, "\xce\xbc", 2);
    }
    return block;
}

/* The same for characters of three bytes. Han characters are not set in `word`. */
static inline nd_word_block accept_wide(nd_word_block block, nd_wide_block wide) {
    uint64_t lead = wide.han | wide.sign;
    block.other &= ~(lead | lead << 1 | lead << 2);
    return block;
}

/* Returns the next 64 bytes of a text. At its end they are filled up with blanks. */
static inline const unsigned char *whole_block(const unsigned char *p, size_t bytes,
                                               unsigned char padded[64]) {
    if (bytes >= 64) return p;
    memset(padded, ' ', 64);
    return memcpy(padded, p, bytes);
}

/* Reads 64 bytes of Latin text. */
static inline nd_word_block read_block(const unsigned char *p, unsigned char *lower) {
    nd_word_block block = classify_block(p, lower);
    return __builtin_expect(block.other != 0, 0)
               ? accept_latin(block, classify_latin(p, lower), lower)
               : block;
}

/* Reads 64 bytes of any text. */
static inline nd_word_block read_wide_block(const unsigned char *p, unsigned char *lower,
                                            uint64_t *han) {
    nd_word_block block = classify_block(p, lower);
    *han = 0;
    if (block.other == 0) return block;
    nd_latin_block latin = classify_latin(p, lower);
    nd_wide_block wide = classify_wide(p, latin);
    *han = wide.han;
    return accept_wide(accept_latin(block, latin, lower), wide);
}

/* Whether the character at bit `valid`, the first bit of `other`, is left to the next block,
 * because its two or three bytes may not end in this one. */
static inline bool may_straddle(unsigned valid) { return valid >= 62; }

typedef struct nd_word_edges {
    size_t scanned; /* bytes */
    size_t count;   /* odd: the last token is open */
    bool stopped;   /* stopped by the character at `scanned`; after find_edges: by a character in
                       the block there */
} nd_word_edges;

/* Writes the edges in the bytes `inside` of a block with Han. A word that touches their end stays
 * open; a Han character does not. With a carry, a word is open at the beginning. */
static inline uint16_t *put_tokens(uint16_t *to, nd_word_block block, uint64_t han, uint64_t inside,
                                   uint64_t carry, unsigned base) {
    uint64_t before = block.word << 1 | carry;
    han &= inside;
    uint64_t begin = han | (block.word & ~before & inside),
             end = han << 3 | (before & ~block.word & inside);
    to = put_alternately(to, carry ? end : begin, carry ? begin : end, base);
    *to = (uint16_t)(base + 64);
    return to + (han >> 61);
}

/* Returns the end of the last character that ends in a block. It is found from the last bytes
 * alone, so that the next block need not wait for the result of this one. */
static inline unsigned whole_characters(const unsigned char *p) {
    return p[63] >= 0xc0 ? 63 : p[62] >= 0xe0 ? 62 : 64;
}

/* Continues at the block in which find_edges met a character that is not Latin, up to the end of
 * the chunk, or to a character that is not accepted. Not inlined, because it would take registers
 * from the loop for Latin text. */
static __attribute__((noinline)) void find_wide_edges(const unsigned char *p, size_t bytes,
                                                      bool last, unsigned char *lower,
                                                      uint16_t *edges, nd_word_edges *found) {
    uint16_t *to = edges + found->count;
    uint64_t carry = found->count % 2;
    size_t at = found->scanned;
    found->stopped = false;
    while (at < bytes && (last || bytes - at >= 64)) {
        unsigned char padded[64];
        const unsigned char *whole = whole_block(p + at, bytes - at, padded);
        unsigned valid = whole_characters(whole);
        uint64_t han, inside = UINT64_MAX >> (64 - valid);
        nd_word_block block = read_wide_block(whole, lower + at, &han);
        if (__builtin_expect((block.other & inside) != 0, 0)) {
            found->stopped = true;
            valid = (unsigned)__builtin_ctzll(block.other);
            inside = (UINT64_C(1) << valid) - 1;
        }
        to = put_tokens(to, block, han, inside, carry, (unsigned)at);
        at += valid;
        if (found->stopped) break;
        carry = block.word >> (valid - 1) & 1;
    }
    found->scanned = at < bytes ? at : bytes;
    found->count = (size_t)(to - edges);
    /* A Han character at the end may combine with the character after it, so it stays open. */
    if (found->count > 0 && found->count % 2 == 0 && edges[found->count - 1] == found->scanned)
        found->count--;
}

/* Folds `bytes` of text, at least 64 except at the end of the text, and finds the token edges.
 * Scans fewer bytes if a character is not Latin, or if the text goes on and no whole block is left.
 */
static inline nd_word_edges find_edges(const unsigned char *p, size_t bytes, bool last,
                                       unsigned char *lower, uint16_t *edges) {
    uint16_t *to = edges;
    uint64_t carry = 0;
    size_t at = 0;
    while (at < bytes && (last || bytes - at >= 64)) {
        unsigned char padded[64];
        nd_word_block block = read_block(whole_block(p + at, bytes - at, padded), lower + at);
        uint64_t changes = block.word ^ (block.word << 1 | carry);
        if (__builtin_expect(block.other != 0, 0)) {
            unsigned valid = (unsigned)__builtin_ctzll(block.other);
            if (!may_straddle(valid)) return (nd_word_edges){at, (size_t)(to - edges), true};
            /* Writes the edges before this byte. An edge that ends a word at this byte belongs to
             * the next block. */
            to = put_edges(to, changes & ((UINT64_C(1) << valid) - 1), (unsigned)at);
            at += valid;
            carry = block.word >> (valid - 1) & 1;
            continue;
        }
        to = put_edges(to, changes, (unsigned)at);
        carry = block.word >> 63;
        at += 64;
    }
    /* The padding of the text's last block has ended a word that touches the end. */
    return (nd_word_edges){at < bytes ? at : bytes, (size_t)(to - edges), false};
}

static inline void hash_tokens(const nd_hash_key *key, const unsigned char *lower,
                               const uint16_t *edges, size_t count, uint64_t *tokens) {
    for (size_t t = 0; t < count; t++) {
        const unsigned char *p = lower + edges[2 * t];
        size_t length = (size_t)edges[2 * t + 1] - edges[2 * t];
        if (__builtin_expect(length > 16, 0)) {
            tokens[t] = nd_hash_token_padded(key, p, length);
            continue;
        }
        tokens[t] = nd_hash_words(key, nd_load_le64(p) & token_mask[length][0],
                                  nd_load_le64(p + 8) & token_mask[length][1]);
    }
}

/* nd_hash_token of the folded word that begins at p. Returns its length in the text; 0 if a
 * character that stops the scan touches it. */
static __attribute__((noinline)) size_t
hash_long_token(const nd_hash_key *key, const unsigned char *p, size_t length, uint64_t *hash) {
    unsigned char lower[16 + 64 + 16]; /* bytes that are not hashed yet, a block, and the bytes that
                                          memmove reads behind it */
    uint64_t h = 0, han;
    size_t at = 0, held = 0;
    for (bool ended = false; !ended && at < length;) {
        unsigned char padded[64];
        nd_word_block block = read_wide_block(whole_block(p + at, length - at, padded),
                                              lower + held, &han);
        uint64_t others = ~block.word | block.other;
        unsigned taken = others ? (unsigned)__builtin_ctzll(others) : 64;
        if (taken < 64) {
            ended = !(block.other >> taken & 1);
            if (!ended && !may_straddle(taken)) return 0;
        }
        at += taken;
        held += taken;
        size_t done = 0;
        for (; held - done > 16; done += 16)
            h = nd_fold_multiply(nd_load_le64(lower + done) ^ key->k2 ^ h,
                                 nd_load_le64(lower + done + 8) ^ key->k3);
        held -= done;
        memmove(lower, lower + done, 16);
    }
    uint64_t a = nd_load_partial(lower, held < 8 ? held : 8),
             b = held > 8 ? nd_load_partial(lower + 8, held - 8) : 0;
    *hash = nd_hash_words(key, a ^ h, b);
    return at;
}

/* Returns the beginning of the character that ends before p[at]. REQUIRES: at > 0. */
static inline size_t character_before(const unsigned char *p, size_t at) {
    do at--;
    while (at > 0 && (p[at] & 0xc0) == 0x80);
    return at;
}

static size_t words(const char *text, size_t length, const nd_hash_key *key, uint64_t *tokens,
                    size_t room, size_t *consumed) {
    const unsigned char *p = (const unsigned char *)text;
    unsigned char lower[WORD_CHUNK + 64]; /* the last token's 16 bytes may reach past the chunk */
    uint16_t edges[WORD_CHUNK + 64];
    nd_hash_key own_key = *key; /* the compiler sees that it does not alias `tokens` */
    size_t at = 0, written = 0;
    while (at < length && room - written >= 64) {
        size_t bytes = length - at < WORD_CHUNK ? length - at : WORD_CHUNK;
        if (bytes / 2 >= room - written)
            bytes = (room - written) / 32 * 64; /* every other byte may be a token */
        nd_word_edges found = find_edges(p + at, bytes, at + bytes == length, lower, edges);
        if (found.stopped)
            find_wide_edges(p + at, bytes, at + bytes == length, lower, edges, &found);
        if (found.count % 2 && !found.stopped && at + found.scanned == length)
            edges[found.count++] = (uint16_t)found.scanned;
        hash_tokens(&own_key, lower, edges, found.count / 2, tokens + written);
        written += found.count / 2;
        bool open = found.count % 2;
        size_t begin = open ? edges[found.count - 1] : found.scanned; /* of the open token */
        if (found.stopped) {
            /* The character before the stop may belong to the stopping character, whether it is a
             * word or not ('<' and U+0338 are one symbol). */
            *consumed = open || at + begin == 0 ? at + begin : character_before(p, at + begin);
            return written;
        }
        if (!open || begin > 0) {
            at += begin;
            continue;
        }
        size_t word = hash_long_token(&own_key, p + at, length - at, tokens + written);
        if (word == 0) break;
        written++;
        at += word;
    }
    *consumed = at;
    return written;
}

#endif
