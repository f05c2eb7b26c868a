/* The careful path: decode, look up, fold, cut, in one pass over the text.
 *
 * Most text is in NFC already. So the loop takes each character as it is, and keeps a checkpoint
 * (where the output stood) at the beginning of each cluster: the last character that is a boundary,
 * and what follows it. Only when a character comes that could change under NFC (it never occurs in
 * NFC; it may compose with the starter before it; or its combining class is out of order) the
 * output goes back to the checkpoint, the cluster is normalised as a whole (normalize.h) and put
 * again. Each cluster is read at most twice, so that time stays linear.
 *
 *     the quick check, for a character that is no boundary; S is the last character of class 0
 * before it in its cluster: NFC_QC=No                                          -> normalise
 *       NFC_QC=Maybe, and S composes or decomposes         -> normalise  (a decomposing S: U+00E9
 * U+0327 becomes U+0229 U+0301) 0 < its class < the class before                   -> normalise A
 * Maybe after any other S can meet nothing that it composes with: Devanagari nukta after most
 * consonants, marks after Han, Thai.
 *
 * Output. Folded tokens lie one after the other in one buffer, their ends in another; they are
 * hashed some thousands of bytes at a time, when the stores have long left the processor's store
 * buffer. Tokens up to the checkpoint are settled and may be hashed; the buffers grow only when
 * what is not settled, one token or one cluster, fills more than half of them.
 *
 * Words of ASCII letters among others are taken up to seven letters at a time, in the bytes of a
 * machine word.
 *
 * Where tokens go to a callback, the places that they have in the text are kept, too, by loops that
 * are compiled a second time for that. A character's place are its own bytes; those of a cluster
 * that was normalised all have the whole cluster's.
 *
 * Words are cut by a machine of three states (between tokens, in a run, in an unspaced character
 * with its marks) over the four classes of unicode_data.h, as two bit tables, so that the common
 * path does not branch on the class. */
#include "unicode/scalar_tokenizer.h"

#include "base/limits.h"
#include "kernel/kernel.h"
#include "unicode/normalize.h"

#include <string.h>

#define FIRST_ROOM ND_LIMIT(4096, 64)
#define FIRST_ENDS (FIRST_ROOM / 2)

/* What one character may add: three folded code points of 4 bytes and a space; with the overshoot
 * of nd_hash_token_padded. */
#define SLACK 32
#define MAX_TOKENS 4

/* States: between tokens; in a run; in an unspaced character. ND_CHARS: nothing yet; after a
 * character; after a character and white space. */
enum { BETWEEN = 0, RUN = 1, UNSPACED = 3, CHARS_NONE = 0, CHARS_SOME = 1, CHARS_SPACE = 2 };

#define STEP(state, class) ((state)*4 + (class))

/* Bit STEP(s, c): a character of class c ends the token in state s. */
#define STEP_ENDS                                                                                  \
    (1u << STEP(RUN, ND_CHAR_NONE) | 1u << STEP(RUN, ND_CHAR_UNSPACED) |                           \
     1u << STEP(UNSPACED, ND_CHAR_NONE) | 1u << STEP(UNSPACED, ND_CHAR_WORD) |                     \
     1u << STEP(UNSPACED, ND_CHAR_UNSPACED))

/* Bits 2 STEP(s, c): the next state. A mark stays with what is before it; where there is nothing it
 * is no part of any token, so that emoji, whose sequences are held together by variation selectors
 * and joiners, have none. */
#define TO(state, class, next) ((uint32_t)(next) << 2 * STEP(state, class))
#define STEP_NEXT                                                                                  \
    (TO(BETWEEN, ND_CHAR_WORD, RUN) | TO(BETWEEN, ND_CHAR_UNSPACED, UNSPACED) |                    \
     TO(RUN, ND_CHAR_WORD, RUN) | TO(RUN, ND_CHAR_MARK, RUN) |                                     \
     TO(RUN, ND_CHAR_UNSPACED, UNSPACED) | TO(UNSPACED, ND_CHAR_WORD, RUN) |                       \
     TO(UNSPACED, ND_CHAR_MARK, UNSPACED) | TO(UNSPACED, ND_CHAR_UNSPACED, UNSPACED))

/* How far the output is. */
typedef struct cursor {
    size_t used;  /* bytes */
    size_t count; /* ended tokens: token i is bytes[ends[i - 1] .. ends[i]), the first from 0 */
    unsigned state;
} cursor;

/* Bytes [begin, end) of the text. */
typedef struct place {
    size_t begin, end;
} place;

typedef struct scan {
    nd_token_sink *sink;
    const unsigned char *text;
    size_t length;
    unsigned char *bytes;
    size_t *ends;
    size_t room, ends_room; /* a character may be put while used <= room and count <= ends_room */
    cursor at;              /* what the loop keeps in registers, stored before calls */
    cursor settled;         /* the checkpoint */
    nd_cluster cluster;
    unsigned char first_bytes[FIRST_ROOM + SLACK];
    size_t first_ends[FIRST_ENDS + MAX_TOKENS];
    place *places,
        *first_places; /* of the ended tokens, and of the one at hand; NULL: not wanted */
} scan;

/* `places`: room for those of FIRST_ENDS + MAX_TOKENS tokens, or NULL. */
static void scan_begin(scan *s, nd_token_sink *sink, const char *text, size_t length,
                       place *places) {
    s->sink = sink;
    s->text = (const unsigned char *)text;
    s->length = length;
    s->bytes = s->first_bytes;
    s->ends = s->first_ends;
    s->places = s->first_places = places;
    s->room = FIRST_ROOM;
    s->ends_room = FIRST_ENDS;
    s->at = s->settled = (cursor){0, 0, 0};
    s->cluster = (nd_cluster){.allocator = sink->allocator};
}

static void scan_end(scan *s) {
    if (s->bytes != s->first_bytes) nd_release(&s->sink->allocator, s->bytes);
    if (s->ends != s->first_ends) nd_release(&s->sink->allocator, s->ends);
    if (s->places != s->first_places) nd_release(&s->sink->allocator, s->places);
    nd_cluster_clear(&s->cluster);
}

/* Doubles an array of `capacity` bytes that may still be the one inside the structure. */
static void *grown(const nd_allocator *allocator, void *array, const void *first, size_t capacity) {
    if (array != first) return nd_reallocate(allocator, array, capacity, 2);
    void *larger = nd_allocate(allocator, capacity, 2);
    if (larger) memcpy(larger, array, capacity);
    return larger;
}

static nd_status make_room(scan *s, nd_error *error) {
    const nd_allocator *allocator = &s->sink->allocator;
    if (s->at.used > s->room / 2) {
        size_t capacity = s->room + SLACK;
        void *larger = grown(allocator, s->bytes, s->first_bytes, capacity);
        if (!larger) return nd_fail_memory(error, 2 * capacity, "a long token");
        s->bytes = larger;
        s->room = 2 * capacity - SLACK;
    }
    if (s->at.count > s->ends_room / 2) {
        size_t capacity = s->ends_room + MAX_TOKENS;
        void *larger = grown(allocator, s->ends, s->first_ends, capacity * sizeof *s->ends);
        if (!larger)
            return nd_fail_memory(error, 2 * capacity * sizeof *s->ends,
                                  "a long sequence of combining marks");
        s->ends = larger;
        if (s->places) {
            larger = grown(allocator, s->places, s->first_places, capacity * sizeof *s->places);
            if (!larger)
                return nd_fail_memory(error, 2 * capacity * sizeof *s->places,
                                      "a long sequence of combining marks");
            s->places = larger;
        }
        s->ends_room = 2 * capacity - MAX_TOKENS;
    }
    return ND_OK;
}

/* Hands the settled tokens to the sink. */
static nd_status deliver(scan *s, nd_error *error) {
    nd_token_sink *sink = s->sink;
    size_t count = s->settled.count, start = 0;
    if (count == 0) return ND_OK;
    if (sink->fn) {
        for (size_t i = 0; i < count; start = s->ends[i], i++) {
            nd_token token = {(const char *)s->bytes + start, s->ends[i] - start,
                              s->places[i].begin, s->places[i].end};
            if (!sink->fn(sink->fn_context, &token))
                return nd_fail(error, ND_ERR_CANCELLED, "the token callback asked to stop");
        }
        return ND_OK;
    }
    if (!nd_reserve(&sink->allocator, &sink->hashes, &sink->capacity, sink->count + count))
        return nd_fail_memory(error, (sink->count + count) * sizeof *sink->hashes, "token hashes");
    uint64_t *hashes = sink->hashes + sink->count;
    for (size_t i = 0; i < count; start = s->ends[i], i++)
        hashes[i] = nd_hash_token_padded(&sink->key, s->bytes + start, s->ends[i] - start);
    sink->count += count;
    return ND_OK;
}

/* Delivers the settled tokens and moves the rest to the front, or makes the buffers larger. */
static nd_status drain(scan *s, nd_error *error) {
    size_t count = s->settled.count;
    ND_TRY(deliver(s, error));
    if (count > 0) {
        size_t shift = s->ends[count - 1];
        memmove(s->bytes, s->bytes + shift, s->at.used - shift);
        for (size_t i = count; i < s->at.count; i++) s->ends[i - count] = s->ends[i] - shift;
        if (s->places)
            memmove(s->places, s->places + count, (s->at.count - count + 1) * sizeof *s->places);
        s->at.used -= shift;
        s->at.count -= count;
        s->settled.used -= shift;
        s->settled.count = 0;
    }
    return make_room(s, error);
}

/* Notes the place of what the token at hand, or the white space before it, goes on with; `first`:
 * begins with. */
static inline void note_place(place *places, size_t token, bool first, place where) {
    if (first) places[token].begin = where.begin;
    places[token].end = where.end;
}

/* Puts one folded code point: its class and properties, its UTF-8 and the length of that; and,
 * where `places` is not NULL, where it comes from. */
static inline __attribute__((always_inline)) void put(cursor *c, unsigned char *bytes, size_t *ends,
                                                      place *places, const bool chars,
                                                      unsigned entry, uint32_t utf8, unsigned width,
                                                      place where) {
    if (chars) {
        if (entry & ND_CHAR_SPACE_OR_PUNCT) {
            if (c->state == CHARS_NONE) return;
            if (places) note_place(places, c->count, c->state == CHARS_SOME, where);
            c->state = CHARS_SPACE;
            return;
        }
        if (c->state == CHARS_SPACE) {
            bytes[c->used++] = ' ';
            ends[c->count++] = c->used;
        }
        if (places) places[c->count] = where;
        nd_store_le32(bytes + c->used, utf8);
        c->used += width;
        ends[c->count++] = c->used;
        c->state = CHARS_SOME;
        return;
    }
    unsigned class = entry & ND_CHAR_CLASS, step = STEP(c->state, class);
    ends[c->count] = c->used;
    c->count += STEP_ENDS >> step & 1;
    c->state = STEP_NEXT >> 2 * step & 3;
    if (places && c->state != BETWEEN)
        note_place(places, c->count, c->used == (c->count > 0 ? ends[c->count - 1] : 0), where);
    nd_store_le32(bytes + c->used, utf8);
    c->used += c->state != BETWEEN ? width : 0;
}

/* Puts a code point, folded to as many as there are. */
static inline __attribute__((always_inline)) void
put_folded(scan *s, place *places, bool chars, uint32_t cp, unsigned entry, place where) {
    uint32_t to[3];
    unsigned count = nd_unicode_fold_to(cp, entry, to), width;
    for (unsigned i = 0; i < count; i++) {
        uint32_t utf8 = nd_utf8_pack(to[i], &width);
        put(&s->at, s->bytes, s->ends, places, chars, nd_unicode_entry(to[i]), utf8, width, where);
    }
}

/* The same out of line: characters that become several are rare. */
static void put_several(scan *s, bool chars, uint32_t cp, unsigned entry, place where) {
    put_folded(s, s->places, chars, cp, entry, where);
}

/* The same from the loop's own cursor, for a character that folds: to one code point in line. */
static inline __attribute__((always_inline)) void put_folding(scan *s, cursor *at, place *places,
                                                              const bool chars, uint32_t cp,
                                                              unsigned entry, place where) {
    int32_t delta = nd_unicode_record_of(entry)->fold;
    if (delta == 0) {
        s->at = *at;
        put_several(s, chars, cp, entry, where);
        *at = s->at;
        return;
    }
    unsigned width;
    uint32_t utf8 = nd_utf8_pack((uint32_t)((int32_t)cp + delta), &width);
    put(at, s->bytes, s->ends, places, chars, entry, utf8, width, where);
}

/* Goes back to the checkpoint and puts the cluster that begins at `from` in its normalised form.
 * The output after it is settled. */
static nd_status put_normalized(scan *s, bool chars, size_t from, size_t *end, nd_error *error) {
    s->at = s->settled;
    ND_TRY(nd_cluster_normalize(&s->cluster, s->text, s->length, from, end, error));
    for (size_t i = 0; i < s->cluster.count; i++) {
        if (s->at.used > s->room || s->at.count > s->ends_room) {
            s->settled = s->at;
            ND_TRY(drain(s, error));
        }
        uint32_t cp = s->cluster.chars[i];
        if (s->places)
            put_folded(s, s->places, chars, cp, nd_unicode_entry(cp), (place){from, *end});
        else put_folded(s, NULL, chars, cp, nd_unicode_entry(cp), (place){0, 0});
    }
    s->settled = s->at;
    return ND_OK;
}

/* Whether `entry`, a character that is no boundary, may change under NFC, or change what is before
 * it in its cluster. */
static inline bool may_change(unsigned entry, unsigned starter, unsigned ccc, unsigned last_ccc) {
    return (entry & ND_CHAR_NO) || ((entry & ND_CHAR_MAYBE) && (starter & ND_CHAR_FORWARD)) ||
           (ccc != 0 && ccc < last_ccc);
}

#define BYTES(x) (UINT64_C(0x0101010101010101) * (x))

/* Whether the character with the leading byte p[0] >= 0xC0 is one that the words kernels take, in
 * valid UTF-8. */
static inline bool kernel_takes(const unsigned char *p, const unsigned char *end) {
    if (p[0] < 0xe2 || p[0] > 0xef) return p[0] == 0xc2 || p[0] == 0xc3;
    return end - p >= 3 &&
           nd_words_take((p[0] & 0x0fu) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu));
}

/* The next place, at or after p, where the question whether ND_SCAN_KERNEL_RUN bytes of what the
 * kernel takes follow is worth asking; p itself if they do. Looks from the end of the run, so that
 * text of another script is passed over in steps of its length. */
static inline __attribute__((always_inline)) const unsigned char *
kernel_run_place(const unsigned char *p, const unsigned char *end) {
    if (end - p < ND_SCAN_KERNEL_RUN) return end;
    for (int i = ND_SCAN_KERNEL_RUN - 8; i >= 0; i -= 8) {
        uint64_t word = nd_load_le64(p + i);
        for (uint64_t leads = word & word << 1 & BYTES(0x80); leads;) {
            int last = (63 - __builtin_clzll(leads)) / 8;
            if (!kernel_takes(p + i + last, end)) return p + i + last + 1;
            leads ^= UINT64_C(0x80) << 8 * last;
        }
    }
    return p;
}

/* Decodes like nd_utf8_decode, the common lengths in line, with the UTF-8 as a word and the entry.
 */
static inline unsigned next_char(const unsigned char *p, const unsigned char *end, uint32_t *cp,
                                 uint32_t *utf8, unsigned *entry) {
    uint32_t c = p[0];
    if (c < 0x80) {
        *cp = *utf8 = c;
        *entry = nd_unicode_stage2[c];
        return 1;
    }
    if (c < 0xe0 && end - p >= 2) {
        uint32_t c1 = p[1];
        *cp = (c & 0x1f) << 6 | (c1 & 0x3f);
        *utf8 = c | c1 << 8;
        *entry = nd_unicode_entry_bmp(*cp);
        return c >= 0xc2 && (c1 & 0xc0) == 0x80 ? 2 : 0;
    }
    if (c < 0xf0 && end - p >= 3) {
        uint32_t c1 = p[1], c2 = p[2];
        *cp = (c & 0x0f) << 12 | (c1 & 0x3f) << 6 | (c2 & 0x3f);
        *utf8 = c | c1 << 8 | c2 << 16;
        *entry = nd_unicode_entry_bmp(*cp);
        bool valid = ((c1 & 0xc0) == 0x80) & ((c2 & 0xc0) == 0x80) & (*cp >= 0x800) &
                     (*cp - 0xd800 >= 0x800);
        return valid ? 3 : 0;
    }
    unsigned width = nd_utf8_decode(p, end, cp);
    if (width == 0) return 0;
    *utf8 = nd_utf8_pack(*cp, &width);
    *entry = nd_unicode_entry(*cp);
    return width;
}

/* Bit 7 of each byte of b (all below 0x80) that is in [low, high]. */
static inline uint64_t bytes_within(uint64_t b, unsigned low, unsigned high) {
    return (b + BYTES(0x80 - low)) & ~(b + BYTES(0x7f - high)) & BYTES(0x80);
}

/* Of the ASCII bytes in `word` (first byte lowest) puts the letters, digits and low lines at its
 * beginning, at most seven, folded; and, when `cut`, the byte after them that ends the token, if
 * there is one among the first seven. The eighth may be followed by a mark, so it is left. Returns
 * how many bytes. `places` as for put, `from` is the first byte's. */
static inline unsigned put_ascii_word(cursor *c, unsigned char *bytes, size_t *ends, place *places,
                                      uint64_t word, bool cut, size_t from) {
    uint64_t low_line = ~((word ^ BYTES('_')) + BYTES(0x7f));
    uint64_t good = bytes_within(word | BYTES(0x20), 'a', 'z') | bytes_within(word, '0', '9') |
                    low_line;
    unsigned length = (unsigned)__builtin_ctzll((~good & BYTES(0x80)) | UINT64_C(0x80) << 56) / 8;
    ends[c->count] = c->used;
    c->count += (length > 0) & (c->state == UNSPACED);
    c->state = length > 0 ? RUN : c->state;
    if (places && length > 0)
        note_place(places, c->count, c->used == (c->count > 0 ? ends[c->count - 1] : 0),
                   (place){from, from + length});
    nd_store_le64(bytes + c->used, word | bytes_within(word, 'A', 'Z') >> 2);
    c->used += length;
    if (!cut || length == 7) return length;
    ends[c->count] = c->used;
    c->count += c->state != BETWEEN;
    c->state = BETWEEN;
    return length + 1;
}

/* The loop, compiled for words and for characters, with places and without. What it keeps in locals
 * goes to s->at before each call and comes back after it. */
static inline __attribute__((always_inline)) nd_status scan_loop(scan *s, const bool chars,
                                                                 const bool placing, size_t from,
                                                                 bool may_stop, size_t *stopped,
                                                                 nd_error *error) {
    const unsigned char *text = s->text, *p = text + from, *end = text + s->length, *cluster = p;
    const unsigned char *ask = may_stop ? text
                                        : end; /* from here on it is worth asking whether to stop */
    bool stops = false;                        /* a character came that stops the kernel */
    cursor at = s->at;
    unsigned starter = 0, last_ccc = 0, entry;
    for (unsigned width; p < end; p += width) {
        uint32_t cp, utf8;
        if (__builtin_expect(at.used > s->room || at.count > s->ends_room, 0)) {
            s->at = at;
            ND_TRY(drain(s, error));
            at = s->at;
        }
        place *places = placing ? s->places : NULL;
        width = next_char(p, end, &cp, &utf8, &entry);
        if (__builtin_expect(width == 0, 0)) return nd_fail_utf8(error, (size_t)(p - text));
        if (p >= ask) {
            if (!stops) {
                stops = !nd_words_take(cp);
            } else if (at.state != RUN || (entry & ND_CHAR_CLASS) != ND_CHAR_WORD) {
                ask = kernel_run_place(p, end);
                if (ask == p) break;
            }
        }
        if (!chars && width == 1 && end - p >= 8) {
            uint64_t word = nd_load_le64(p);
            if (!(word & BYTES(0x80))) {
                /* Not past a place where the scan may have to stop. */
                width = put_ascii_word(&at, s->bytes, s->ends, places, word, !stops || ask - p >= 8,
                                       (size_t)(p - text));
                s->settled = at; /* what follows is ASCII, so a boundary */
                if (width > 0) continue;
                width = 1;
            }
        }
        if (entry & ND_CHAR_NOT_BOUNDARY) {
            unsigned ccc = nd_unicode_record_of(entry)->ccc;
            if (may_change(entry, starter, ccc, last_ccc)) {
                size_t next;
                ND_TRY(put_normalized(s, chars, (size_t)(cluster - text), &next, error));
                at = s->at;
                cluster = p = text + next;
                width = 0;
                continue;
            }
            if (ccc == 0) starter = entry;
            last_ccc = ccc;
        } else {
            s->settled = at;
            cluster = p;
            starter = entry;
            last_ccc = 0;
        }
        place where = placing ? (place){(size_t)(p - text), (size_t)(p - text) + width}
                              : (place){0, 0};
        if (entry & ND_CHAR_FOLDS) {
            put_folding(s, &at, places, chars, cp, entry, where);
            continue;
        }
        put(&at, s->bytes, s->ends, places, chars, entry, utf8, width, where);
    }
    if (!chars) put(&at, s->bytes, s->ends, NULL, chars, ND_CHAR_NONE, 0, 0, (place){0, 0});
    s->at = s->settled = at;
    *stopped = (size_t)(p - text);
    return deliver(s, error);
}

/* For a callback. */
static nd_status scan_placing(nd_token_sink *sink, bool chars, const char *text, size_t length,
                              size_t from, bool may_stop, size_t *stopped, nd_error *error) {
    scan s;
    place places[FIRST_ENDS + MAX_TOKENS];
    scan_begin(&s, sink, text, length, places);
    nd_status status = chars ? scan_loop(&s, true, true, from, may_stop, stopped, error)
                             : scan_loop(&s, false, true, from, may_stop, stopped, error);
    scan_end(&s);
    return status;
}

nd_status nd_scan_words(nd_token_sink *sink, const char *text, size_t length, size_t from,
                        bool may_stop, size_t *stopped, nd_error *error) {
    if (sink->fn) return scan_placing(sink, false, text, length, from, may_stop, stopped, error);
    scan s;
    scan_begin(&s, sink, text, length, NULL);
    nd_status status = scan_loop(&s, false, false, from, may_stop, stopped, error);
    scan_end(&s);
    return status;
}

nd_status nd_scan_chars(nd_token_sink *sink, const char *text, size_t length, nd_error *error) {
    size_t stopped;
    if (sink->fn) return scan_placing(sink, true, text, length, 0, false, &stopped, error);
    scan s;
    scan_begin(&s, sink, text, length, NULL);
    nd_status status = scan_loop(&s, true, false, 0, false, &stopped, error);
    scan_end(&s);
    return status;
}

bool nd_is_unspaced(const char *token, size_t length) {
    uint32_t cp = 0;
    const unsigned char *p = (const unsigned char *)token;
    return p[0] >= 0xe0 && nd_utf8_decode(p, p + length, &cp) > 0 &&
           (nd_unicode_entry(cp) & ND_CHAR_CLASS) == ND_CHAR_UNSPACED;
}

/* ---------------------------------------------------------------- bare texts */

/* The 128-bit hash, a frozen format: the NFC in UTF-8, zero-padded to blocks of 16 bytes, (a, b)
 * the two little-endian words of a block, h0 = fold(a ^ k0 ^ h0, b ^ k1),   h1 = fold(b ^ k2 ^ h1,
 * a ^ k3),   both from 0, fold = nd_fold_multiply, hash = { mix64((h0 ^ k2) + length * C0),
 * mix64((h1 ^ k0) + length * C1) },   length in bytes of the NFC, mix64 = nd_mix64. */
typedef struct bare_hash {
    const nd_hash_key *key;
    uint64_t h0, h1, length;
    unsigned char block[16 + 4];
} bare_hash;

static void bare_block(bare_hash *h) {
    uint64_t a = nd_load_le64(h->block), b = nd_load_le64(h->block + 8);
    h->h0 = nd_fold_multiply(a ^ h->key->k0 ^ h->h0, b ^ h->key->k1);
    h->h1 = nd_fold_multiply(b ^ h->key->k2 ^ h->h1, a ^ h->key->k3);
}

static void bare_put(bare_hash *h, uint32_t cp) {
    unsigned width, used = h->length % 16;
    nd_store_le32(h->block + used, nd_utf8_pack(cp, &width));
    h->length += width;
    if (used + width < 16) return;
    bare_block(h);
    memcpy(h->block, h->block + 16, 4);
}

static void bare_end(bare_hash *h, uint64_t hash[2]) {
    unsigned used = h->length % 16;
    if (used > 0) {
        memset(h->block + used, 0, 16 - used);
        bare_block(h);
    }
    hash[0] = nd_mix64((h->h0 ^ h->key->k2) + h->length * ND_HASH_C0);
    hash[1] = nd_mix64((h->h1 ^ h->key->k0) + h->length * ND_HASH_C1);
}

nd_status nd_hash_bare_text(const nd_token_sink *sink, const char *text, size_t length,
                            uint64_t hash[2], nd_error *error) {
    bare_hash h = {.key = &sink->key};
    nd_cluster cluster = {.allocator = sink->allocator};
    nd_status status = ND_OK;
    for (size_t at = 0; at < length && status == ND_OK;) {
        status = nd_cluster_normalize(&cluster, (const unsigned char *)text, length, at, &at,
                                      error);
        for (size_t i = 0; status == ND_OK && i < cluster.count; i++)
            bare_put(&h, cluster.chars[i]);
    }
    nd_cluster_clear(&cluster);
    if (status == ND_OK) bare_end(&h, hash);
    return status;
}
