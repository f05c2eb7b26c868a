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
 *   static inline nd_script_leads find_leads(const unsigned char *p);
 *       For a block that is not all ASCII. Reads the 64 bytes again, and returns the masks of the
 *       leading and continuation bytes.
 *
 *   typedef struct nd_recent_pages nd_recent_pages;
 *   static inline void forget_pages(nd_recent_pages *recent);
 *       Memory of classify_script from block to block.
 *
 *   static inline nd_script_classes64 classify_script(const unsigned char *p,
 *                                                     nd_script_leads leads,
 *                                                     nd_recent_pages *recent,
 *                                                     unsigned char *lower,
 *                                                     unsigned char *classes);
 *       Looks up the characters that begin at `leads`, all of which are whole (script_pages.h).
 *       Writes each, folded, to the same position in lower[], and its class to classes[0..64) at
 *       the position of its last byte; 0 for ASCII, and for a class without ND_WORDS_FORWARD and
 *       ND_WORDS_AFTER any value without them.
 *
 *   static inline nd_stop_classes64 stop_classes(const unsigned char *classes);
 *       Reads the classes again if one of them has the bit ND_WORDS_AFTER.
 *
 *   static inline uint16_t *put_edges(uint16_t *to, uint64_t edges, unsigned base);
 *       Writes base + the position of each set bit, ascending, and returns the end. May overwrite
 *       64 entries from `to` on, and 8 from the end on.
 *
 *   static inline uint16_t *put_alternately(uint16_t *to, uint64_t first, uint64_t second,
 *                                        unsigned base);
 *       The same with two masks: the first position of `first`, the first of `second`, the second
 *       of `first`, and so on. `first` has as many bits as `second`, or one more; at most 32.
 *
 *   static inline uint16_t *put_threes(uint16_t *to, uint64_t first, unsigned base);
 *       The same with the first bytes of characters of three bytes: base + the position of each,
 *       and 3 more.
 *
 *   and hash_group (token_hashes.h).
 *
 * A text is processed in chunks whose folded copy and token edges stay in the L1 cache. With m the
 * mask of word characters, m ^ (m << 1 | carry) has alternately a bit at the beginning of a word
 * and at its end. In scripts without spaces a token may begin at the end of another, so begins and
 * ends are two masks there. The edges of a chunk are collected first, and then the tokens between
 * them are hashed: two loops without a branch that depends on the text, except on tokens that are
 * longer than most. A word that crosses the end of a chunk begins the next chunk. A word that fills
 * a whole chunk is folded and hashed separately, so the cost is linear for every text.
 *
 * One loop is for Latin text. Another is for text of all scripts; a chunk enters it at its first
 * character that is not Latin.
 *
 * Folding keeps the length in bytes of every accepted character (script_pages.h), so positions in
 * the text are positions in the copy. A block begins at the beginning of a character. A character
 * that does not end in the block is left to the next block. An accepted character that is a token
 * by itself, in scripts without spaces, has three bytes. */
#ifndef ND_KERNEL_WORD_BLOCKS_H
#define ND_KERNEL_WORD_BLOCKS_H

#include "base/limits.h"
#include "kernel/kernel_common.h"
#include "kernel/token_hashes.h"

/* Bytes; a multiple of 64 that fits 16-bit positions. */
#define WORD_CHUNK ND_LIMIT(4096, 128)

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

/* The tokens of a block of any text, as masks of bytes. A mark belongs to the token before it, or
 * to none. */
typedef struct nd_any_block {
    uint64_t word, mark;                    /* all bytes of these characters */
    uint64_t unspaced_first, unspaced_last; /* first and last bytes of these */
    uint64_t other; /* the first bytes of characters that stop the scan, and stray bytes */
    unsigned valid; /* bytes up to the end of the last whole character */
} nd_any_block;

/* Returns the end of the last character that ends in a block. It is found from the last bytes
 * alone, so that the next block need not wait for the result of this one. */
static inline unsigned whole_characters(const unsigned char *p) {
    return p[63] >= 0xc0 ? 63 : p[62] >= 0xe0 ? 62 : p[61] >= 0xf0 ? 61 : 64;
}

/* Keeps only the leading bytes of well-formed sequences, and returns the first bytes of others.
 * (A page has no sequences that are too long, and no surrogates.) */
static inline uint64_t drop_ill_formed(nd_script_leads *leads) {
    uint64_t all = leads->two | leads->three | leads->four, from_three = leads->three | leads->four;
    uint64_t expected = all << 1 | from_three << 2 | leads->four << 3,
             wrong = expected ^ leads->continuation;
    if (__builtin_expect(wrong == 0, 1)) return 0;
    uint64_t bad = (all & wrong >> 1) | (from_three & wrong >> 2) | (leads->four & wrong >> 3);
    leads->two &= ~bad;
    leads->three &= ~bad;
    leads->four &= ~bad;
    return bad | (leads->continuation & ~expected);
}

/* Returns the first bytes of the marks that clash with the character before them. `before`: the
 * class of the character before the block. */
static __attribute__((noinline)) uint64_t clashing(const unsigned char *p, uint64_t marks,
                                                   const unsigned char *classes, unsigned before) {
    uint64_t found = 0;
    for (; marks; marks &= marks - 1) {
        unsigned at = (unsigned)__builtin_ctzll(marks);
        unsigned class = classes[at + nd_script_length(p[at]) - 1];
        if (nd_words_clash(at ? classes[at - 1] : before, class)) found |= marks & -marks;
    }
    return found;
}

/* From block to block: the class of the last whole character, and pages. */
typedef struct nd_any_state {
    unsigned before;
    nd_recent_pages recent;
} nd_any_state;

/* The last bytes of characters of two, three and four bytes. */
typedef struct nd_last_bytes {
    uint64_t two, three, four;
} nd_last_bytes;

static inline uint64_t first_bytes(nd_last_bytes all, uint64_t last) {
    return (last & all.two) >> 1 | (last & all.three) >> 2 | (last & all.four) >> 3;
}

static inline uint64_t whole_bytes(nd_last_bytes all, uint64_t last) {
    return last | last >> 1 | (last & (all.three | all.four)) >> 2 | (last & all.four) >> 3;
}

/* Returns the first bytes of the characters that are refused, or that clash with the one before.
 * `after`: the last bytes of those that may be. */
static inline uint64_t refused_bytes(const unsigned char *p, nd_last_bytes all, uint64_t after,
                                     const unsigned char *classes, unsigned before) {
    nd_stop_classes64 stops = stop_classes(classes);
    uint64_t behind = (stops.forward | after) << 1 |
                      ((before & (ND_WORDS_FORWARD | ND_WORDS_AFTER)) != 0),
             marks = first_bytes(all, after & ~stops.refused) & behind,
             refused = first_bytes(all, stops.refused);
    return __builtin_expect(marks != 0, 0) ? refused | clashing(p, marks, classes, before)
                                           : refused;
}

static inline void start_text(nd_any_state *state, unsigned before) {
    state->before = before;
    forget_pages(&state->recent);
}

/* Reads 64 bytes of any text. */
static inline __attribute__((always_inline)) nd_any_block
read_any_block(const unsigned char *p, unsigned char *lower, nd_any_state *state) {
    nd_word_block ascii = classify_block(p, lower);
    nd_any_block block = {.word = ascii.word, .valid = 64};
    if (ascii.other == 0) {
        state->before = 0;
        return block;
    }
    unsigned char classes[64];
    nd_script_leads leads = find_leads(p);
    block.valid = whole_characters(p);
    block.other = drop_ill_formed(&leads);
    uint64_t inside = UINT64_MAX >> (64 - block.valid);
    leads.two &= inside;
    leads.three &= inside;
    leads.four &= inside;
    nd_last_bytes all = {leads.two << 1, leads.three << 2, leads.four << 3};
    nd_script_classes64 found = classify_script(p, leads, &state->recent, lower, classes);
    if (found.after) block.other |= refused_bytes(p, all, found.after, classes, state->before);
    uint64_t mark = found.high & ~found.low;
    block.word |= whole_bytes(all, found.low & ~found.high);
    if (mark) block.mark = whole_bytes(all, mark);
    block.unspaced_last = found.low & found.high;
    block.unspaced_first = (block.unspaced_last & all.three) >> 2;
    state->before = classes[block.valid - 1];
    return block;
}

/* Whether the character at bit `valid`, the first bit of `other`, is left to the next block,
 * because its two or three bytes may not end in this one. */
static inline bool may_straddle(unsigned valid) { return valid >= 62; }

typedef struct nd_word_edges {
    size_t scanned;  /* bytes */
    size_t count;    /* odd: the last token is open */
    bool stopped;    /* stopped by the character at `scanned`; after find_edges: by a character in
                        the block there */
    unsigned before; /* class of the character before `scanned`; 0 behind Latin text */
} nd_word_edges;

/* The token that is open at the end of a block: none, a word, or an unspaced character. At most one
 * is 1. */
typedef struct nd_open_token {
    uint64_t word, unspaced;
} nd_open_token;

/* The bytes of the runs of marks of which one begins at a bit of `begins`. */
static inline uint64_t runs_from(uint64_t marks, uint64_t begins) {
    return ((marks + (begins & marks)) ^ marks) & marks;
}

/* Writes the edges in the bytes `inside` of a block. A token that touches their end stays open. */
static inline uint16_t *put_tokens(uint16_t *to, const nd_any_block *block, uint64_t inside,
                                   nd_open_token *open, unsigned base) {
    uint64_t carry = open->word | open->unspaced, word = block->word, marks = 0,
             last = inside ^ inside >> 1;
    if ((word | block->mark) == 0) { /* as in most blocks of Chinese */
        *to = (uint16_t)base;        /* the end of the token that is open, if there is one */
        *open = (nd_open_token){0, (block->unspaced_last & last) != 0};
        return put_threes(to + carry, block->unspaced_first & inside, base) - open->unspaced;
    }
    if (block->mark) {
        word |= runs_from(block->mark, block->word << 1 | open->word);
        marks = runs_from(block->mark, block->unspaced_last << 1 | open->unspaced);
    }
    uint64_t before = word << 1 | open->word, unspaced = block->unspaced_last | marks,
             behind = (unspaced << 1 | open->unspaced) & ~marks;
    uint64_t begin = (block->unspaced_first | (word & ~before)) & inside,
             end = (behind | (before & ~word)) & inside;
    open->word = (word & last) != 0;
    open->unspaced = (unspaced & last) != 0;
    /* Without a token that begins at the end of another, the edges are those of one mask. */
    if ((begin & end) == 0) return put_edges(to, begin | end, base);
    return put_alternately(to, carry ? end : begin, carry ? begin : end, base);
}

/* Continues at the block in which find_edges met a character that is not Latin, up to the end of
 * the chunk, or to a character that is not accepted. Not inlined, because it would take registers
 * from the loop for Latin text. */
static __attribute__((noinline)) void find_script_edges(const unsigned char *p, size_t bytes,
                                                        bool last, unsigned char *lower,
                                                        uint16_t *edges, nd_word_edges *found) {
    uint16_t *to = edges + found->count;
    nd_open_token open = {found->count % 2, 0};
    nd_any_state state;
    size_t at = found->scanned;
    found->stopped = false;
    start_text(&state, found->before);
    while (at < bytes && (last || bytes - at >= 64)) {
        unsigned char padded[64];
        const unsigned char *whole = whole_block(p + at, bytes - at, padded);
        nd_any_block block = read_any_block(whole, lower + at, &state);
        unsigned valid = block.valid;
        uint64_t inside = UINT64_MAX >> (64 - valid);
        if (__builtin_expect((block.other & inside) != 0, 0)) {
            found->stopped = true;
            valid = (unsigned)__builtin_ctzll(block.other);
            if (valid == 0) break;
            inside = UINT64_MAX >> (64 - valid);
        }
        to = put_tokens(to, &block, inside, &open, (unsigned)at);
        at += valid;
        if (found->stopped) break;
    }
    found->scanned = at < bytes ? at : bytes;
    found->count = (size_t)(to - edges);
    found->before = state.before;
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
            if (!may_straddle(valid)) return (nd_word_edges){at, (size_t)(to - edges), true, 0};
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
    return (nd_word_edges){at < bytes ? at : bytes, (size_t)(to - edges), false, 0};
}

/* Adds folded tokens to the letters. */
static __attribute__((noinline)) void copy_tokens(nd_token_letters *letters,
                                                  const unsigned char *lower, const uint16_t *edges,
                                                  size_t count, size_t *ends) {
    unsigned char *to = letters->bytes + letters->size;
    for (size_t t = 0; t < count; t++) {
        const unsigned char *p = lower + edges[2 * t];
        size_t length = (size_t)edges[2 * t + 1] - edges[2 * t];
        memcpy(to, p, 16);
        for (size_t at = 16; __builtin_expect(at < length, 0); at += 16)
            memcpy(to + at, p + at, 16);
        to += length;
        ends[t] = (size_t)(to - letters->bytes);
    }
    letters->size = (size_t)(to - letters->bytes);
}

/* nd_hash_token of the folded word that begins at p. Returns its length in the text; 0 if a
 * character that stops the scan touches it. */
static __attribute__((noinline)) size_t
hash_long_token(const nd_hash_key *key, const unsigned char *p, size_t length, uint64_t *hash) {
    unsigned char lower[16 + 64 + 16]; /* bytes that are not hashed yet, a block, and the bytes that
                                          memmove reads behind it */
    uint64_t h = 0;
    size_t at = 0, held = 0;
    nd_any_state state;
    bool unspaced = false, ended = false;
    start_text(&state, 0);
    while (!ended && at < length) {
        unsigned char padded[64];
        nd_any_block block = read_any_block(whole_block(p + at, length - at, padded), lower + held,
                                            &state);
        unspaced = at == 0 ? block.unspaced_first & 1 : unspaced;
        uint64_t own = block.mark | (unspaced ? 0 : block.word),
                 inside = UINT64_MAX >> (64 - block.valid);
        if (at == 0 && unspaced) own |= block.unspaced_last ^ (block.unspaced_last - 1);
        uint64_t others = (~own | block.other) & inside;
        unsigned taken = others ? (unsigned)__builtin_ctzll(others) : block.valid;
        if (others) {
            ended = !(block.other >> taken & 1);
            if (!ended) return 0;
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

/* Returns the beginning of the last character before p[at] that is no mark. REQUIRES: at > 0. */
static inline size_t base_before(const unsigned char *p, size_t at) {
    const unsigned char *end = p + at;
    do do
            at--;
        while (at > 0 && (p[at] & 0xc0) == 0x80);
    while (at > 0 && (nd_words_class(p + at, end) & ND_WORDS_CLASS) == ND_WORDS_MARK);
    return at;
}

static size_t words(const char *text, size_t length, const nd_hash_key *key, uint64_t *tokens,
                    size_t room, nd_token_letters *letters, size_t *consumed) {
    const unsigned char *p = (const unsigned char *)text;
    unsigned char lower[WORD_CHUNK + 64]; /* the last token's 16 bytes may reach past the chunk */
    uint16_t edges[WORD_CHUNK + 64];
    nd_hash_key own_key = *key; /* the compiler sees that it does not alias `tokens` */
    size_t at = 0, written = 0;
    unsigned before = 0;
    while (at < length && room - written >= 64) {
        size_t bytes = length - at < WORD_CHUNK ? length - at : WORD_CHUNK;
        if (bytes / 2 >= room - written)
            bytes = (room - written) / 32 * 64; /* every other byte may be a token */
        nd_word_edges found = find_edges(p + at, bytes, at + bytes == length, lower, edges);
        if (found.scanned == 0) found.before = before;
        if (found.stopped)
            find_script_edges(p + at, bytes, at + bytes == length, lower, edges, &found);
        if (found.count % 2 && !found.stopped && at + found.scanned == length)
            edges[found.count++] = (uint16_t)found.scanned;
        hash_tokens(&own_key, lower, edges, found.count / 2, found.scanned, tokens + written);
        if (letters) copy_tokens(letters, lower, edges, found.count / 2, letters->ends + written);
        written += found.count / 2;
        bool open = found.count % 2;
        before = open ? 0 : found.before; /* a token begins behind all that matters to it */
        size_t begin = open ? edges[found.count - 1] : found.scanned; /* of the open token */
        if (found.stopped) {
            /* The character before the stop may belong to the stopping character, whether it is a
             * word or not ('<' and U+0338 are one symbol). */
            *consumed = open || at + begin == 0 ? at + begin : base_before(p, at + begin);
            return written;
        }
        if (!open || begin > 0) {
            at += begin;
            continue;
        }
        if (letters) break;
        size_t word = hash_long_token(&own_key, p + at, length - at, tokens + written);
        if (word == 0) break;
        written++;
        at += word;
    }
    *consumed = at;
    return written;
}

#endif
