/* The scalar tokenizer decodes, looks up, folds and cuts in one pass over the text.
 *
 * NORMALISATION. Most text is in NFC already. So the loop emits each character as it is, and keeps
 * a checkpoint of the output at the beginning of each cluster: a character that is a boundary, and
 * the characters behind it that are not. If a character could change under NFC, the output goes
 * back to the checkpoint, and the cluster is normalised as a whole (normalize.h) and emitted again.
 * Each cluster is read at most twice, so time stays linear.
 *
 * The quick check decides that for a character that is not a boundary. S is the last character of
 * combining class 0 before it in its cluster.
 *
 *     NFC_QC=No                                    -> normalise
 *     NFC_QC=Maybe, and S composes or decomposes   -> normalise
 *     0 < its class < the class before it          -> normalise
 *
 * (S decomposes: U+00E9 U+0327 becomes U+0229 U+0301.) After any other S a Maybe has nothing to
 * compose with: Devanagari nukta after most consonants, marks after Han, Thai.
 *
 * OUTPUT. One buffer holds the folded tokens, another their ends. Tokens are hashed some thousands
 * of bytes at a time, when their stores have left the processor's store buffer. Tokens up to the
 * checkpoint are final and may be hashed. The buffers grow only if the rest, one token or one
 * cluster, fills more than half of them.
 *
 * ASCII words among other text are read up to seven letters at a time, as the bytes of a machine
 * word.
 *
 * OFFSETS. Tokens for a callback also have their span in the text; the loops are compiled a second
 * time for that. The span of a character is its own bytes; every character of a normalised cluster
 * has the span of the cluster.
 *
 * CUTTING. A machine of three states (between tokens, in a run, in an unspaced character with its
 * marks) over the four classes of unicode_data.h cuts words. It is two bit tables, so the common
 * path does not branch on the class. */
#include "unicode/scalar_tokenizer.h"

#include "base/limits.h"
#include "kernel/script_pages.h"
#include "unicode/normalize.h"

#include <string.h>

#define FIRST_ROOM ND_LIMIT(4096, 64)
#define FIRST_ENDS (FIRST_ROOM / 2)

/* The most bytes and tokens that one character adds: three folded code points of 4 bytes and a
 * space, with the overshoot of nd_hash_token_padded. */
#define SLACK 32
#define MAX_TOKENS 4

/* States for words: between tokens; in a run; in an unspaced character. For ND_CHARS: no character
 * yet; after a character; after a character and white space. */
enum { BETWEEN = 0, RUN = 1, UNSPACED = 3, CHARS_NONE = 0, CHARS_SOME = 1, CHARS_SPACE = 2 };

#define STEP(state, class) ((state)*4 + (class))

/* Bit STEP(s, c): a character of class c ends the token in state s. */
#define STEP_ENDS                                                                                  \
    (1u << STEP(RUN, ND_CHAR_NONE) | 1u << STEP(RUN, ND_CHAR_UNSPACED) |                           \
     1u << STEP(UNSPACED, ND_CHAR_NONE) | 1u << STEP(UNSPACED, ND_CHAR_WORD) |                     \
     1u << STEP(UNSPACED, ND_CHAR_UNSPACED))

/* Bits from 2 * STEP(s, c) on: the next state. A mark belongs to the token before it. Without such
 * a token it is in none: so emoji, whose sequences contain variation selectors and joiners, give no
 * tokens. */
#define TO(state, class, next) ((uint32_t)(next) << 2 * STEP(state, class))
#define STEP_NEXT                                                                                  \
    (TO(BETWEEN, ND_CHAR_WORD, RUN) | TO(BETWEEN, ND_CHAR_UNSPACED, UNSPACED) |                    \
     TO(RUN, ND_CHAR_WORD, RUN) | TO(RUN, ND_CHAR_MARK, RUN) |                                     \
     TO(RUN, ND_CHAR_UNSPACED, UNSPACED) | TO(UNSPACED, ND_CHAR_WORD, RUN) |                       \
     TO(UNSPACED, ND_CHAR_MARK, UNSPACED) | TO(UNSPACED, ND_CHAR_UNSPACED, UNSPACED))

/* The end of the output. */
typedef struct cursor {
    size_t used;  /* bytes */
    size_t count; /* ended tokens: token i is bytes[ends[i - 1] .. ends[i]), the first from 0 */
    unsigned state;
} cursor;

/* Bytes [begin, end) of the text. */
typedef struct span {
    size_t begin, end;
} span;

typedef struct scan {
    nd_token_sink *sink;
    const unsigned char *text;
    size_t length;
    unsigned char *bytes;
    size_t *ends;
    size_t room, ends_room; /* a character fits while used <= room and count <= ends_room */
    cursor at;              /* the loop keeps it in registers, and stores it before calls */
    cursor final;           /* the checkpoint */
    nd_cluster cluster;
    unsigned char first_bytes[FIRST_ROOM + SLACK];
    size_t first_ends[FIRST_ENDS + MAX_TOKENS];
    span *spans, *first_spans; /* of the ended tokens and of the current one; NULL: not wanted */
} scan;

/* `spans`: room for FIRST_ENDS + MAX_TOKENS of them, or NULL. */
static void scan_begin(scan *s, nd_token_sink *sink, const char *text, size_t length, span *spans) {
    s->sink = sink;
    s->text = (const unsigned char *)text;
    s->length = length;
    s->bytes = s->first_bytes;
    s->ends = s->first_ends;
    s->spans = s->first_spans = spans;
    s->room = FIRST_ROOM;
    s->ends_room = FIRST_ENDS;
    s->at = s->final = (cursor){0, 0, 0};
    s->cluster = (nd_cluster){.allocator = sink->allocator};
}

static void scan_end(scan *s) {
    if (s->bytes != s->first_bytes) nd_release(&s->sink->allocator, s->bytes);
    if (s->ends != s->first_ends) nd_release(&s->sink->allocator, s->ends);
    if (s->spans != s->first_spans) nd_release(&s->sink->allocator, s->spans);
    nd_cluster_clear(&s->cluster);
}

/* Doubles an array of `capacity` bytes, which may still be the first one, inside the structure. */
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
        if (s->spans) {
            larger = grown(allocator, s->spans, s->first_spans, capacity * sizeof *s->spans);
            if (!larger)
                return nd_fail_memory(error, 2 * capacity * sizeof *s->spans,
                                      "a long sequence of combining marks");
            s->spans = larger;
        }
        s->ends_room = 2 * capacity - MAX_TOKENS;
    }
    return ND_OK;
}

/* Hands the final tokens to the sink. */
static nd_status deliver(scan *s, nd_error *error) {
    nd_token_sink *sink = s->sink;
    size_t count = s->final.count, start = 0;
    if (count == 0) return ND_OK;
    if (sink->fn) {
        for (size_t i = 0; i < count; start = s->ends[i], i++) {
            nd_token token = {(const char *)s->bytes + start, s->ends[i] - start, s->spans[i].begin,
                              s->spans[i].end};
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

/* Delivers the final tokens and moves the rest to the front, or enlarges the buffers. */
static nd_status drain(scan *s, nd_error *error) {
    size_t count = s->final.count;
    ND_TRY(deliver(s, error));
    if (count > 0) {
        size_t shift = s->ends[count - 1];
        memmove(s->bytes, s->bytes + shift, s->at.used - shift);
        for (size_t i = count; i < s->at.count; i++) s->ends[i - count] = s->ends[i] - shift;
        if (s->spans)
            memmove(s->spans, s->spans + count, (s->at.count - count + 1) * sizeof *s->spans);
        s->at.used -= shift;
        s->at.count -= count;
        s->final.used -= shift;
        s->final.count = 0;
    }
    return make_room(s, error);
}

/* Extends the span of the current token, or of the white space before it. `first`: begins it. */
static inline void extend_span(span *spans, size_t token, bool first, span where) {
    if (first) spans[token].begin = where.begin;
    spans[token].end = where.end;
}

/* Emits one folded code point. `spans` is NULL if they are not wanted. */
static inline __attribute__((always_inline)) void emit(cursor *c, unsigned char *bytes,
                                                       size_t *ends, span *spans, const bool chars,
                                                       unsigned entry, uint32_t utf8,
                                                       unsigned width, span where) {
    if (chars) {
        if (entry & ND_CHAR_SPACE_OR_PUNCT) {
            if (c->state == CHARS_NONE) return;
            if (spans) extend_span(spans, c->count, c->state == CHARS_SOME, where);
            c->state = CHARS_SPACE;
            return;
        }
        if (c->state == CHARS_SPACE) {
            bytes[c->used++] = ' ';
            ends[c->count++] = c->used;
        }
        if (spans) spans[c->count] = where;
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
    if (spans && c->state != BETWEEN)
        extend_span(spans, c->count, c->used == (c->count > 0 ? ends[c->count - 1] : 0), where);
    nd_store_le32(bytes + c->used, utf8);
    c->used += c->state != BETWEEN ? width : 0;
}

/* Emits all code points that a code point folds to. */
static inline __attribute__((always_inline)) void
emit_folded(scan *s, span *spans, bool chars, uint32_t cp, unsigned entry, span where) {
    uint32_t to[3];
    unsigned count = nd_unicode_fold_to(cp, entry, to), width;
    for (unsigned i = 0; i < count; i++) {
        uint32_t utf8 = nd_utf8_pack(to[i], &width);
        emit(&s->at, s->bytes, s->ends, spans, chars, nd_unicode_entry(to[i]), utf8, width, where);
    }
}

/* The same, not inlined: characters that fold to several are rare. */
static void emit_several(scan *s, bool chars, uint32_t cp, unsigned entry, span where) {
    emit_folded(s, s->spans, chars, cp, entry, where);
}

/* Emits a character that folds, from the loop's own cursor. Folding to one code point is inlined.
 */
static inline __attribute__((always_inline)) void emit_folding(scan *s, cursor *at, span *spans,
                                                               const bool chars, uint32_t cp,
                                                               unsigned entry, span where) {
    int32_t delta = nd_unicode_record_of(entry)->fold;
    if (delta == 0) {
        s->at = *at;
        emit_several(s, chars, cp, entry, where);
        *at = s->at;
        return;
    }
    unsigned width;
    uint32_t utf8 = nd_utf8_pack((uint32_t)((int32_t)cp + delta), &width);
    emit(at, s->bytes, s->ends, spans, chars, entry, utf8, width, where);
}

/* Goes back to the checkpoint and emits the cluster that begins at `from` in its normalised form.
 * The output is final after it. */
static nd_status emit_normalized(scan *s, bool chars, size_t from, size_t *end, nd_error *error) {
    s->at = s->final;
    ND_TRY(nd_cluster_normalize(&s->cluster, s->text, s->length, from, end, error));
    for (size_t i = 0; i < s->cluster.count; i++) {
        if (s->at.used > s->room || s->at.count > s->ends_room) {
            s->final = s->at;
            ND_TRY(drain(s, error));
        }
        uint32_t cp = s->cluster.chars[i];
        if (s->spans) emit_folded(s, s->spans, chars, cp, nd_unicode_entry(cp), (span){from, *end});
        else emit_folded(s, NULL, chars, cp, nd_unicode_entry(cp), (span){0, 0});
    }
    s->final = s->at;
    return ND_OK;
}

/* The quick check: whether a character that is not a boundary may change under NFC, or may change
 * characters before it in its cluster. */
static inline bool may_change(unsigned entry, unsigned starter, unsigned ccc, unsigned last_ccc) {
    return (entry & ND_CHAR_NO) || ((entry & ND_CHAR_MAYBE) && (starter & ND_CHAR_FORWARD)) ||
           (ccc != 0 && ccc < last_ccc);
}

#define BYTES(x) (UINT64_C(0x0101010101010101) * (x))

/* Whether the words kernels stop at the character at p. A character before it is not before
 * `begin`.
 */
static bool kernel_stops(const unsigned char *begin, const unsigned char *p,
                         const unsigned char *end) {
    unsigned class = nd_words_class(p, end);
    if (class == ND_WORDS_REFUSED) return true;
    if (!(class & ND_WORDS_AFTER) || p == begin) return false;
    const unsigned char *before = p - 1;
    while (before > begin && (before[0] & 0xc0) == 0x80) before--;
    return nd_words_clash(nd_words_class(before, p), class);
}

/* Looks for ND_SCAN_KERNEL_RUN bytes of characters at which the kernel does not stop. Returns p if
 * they begin there, otherwise the next position where they may begin. It looks backward from the
 * end of the run, so that text at which the kernel stops is skipped in steps of the run's length.
 */
static const unsigned char *next_kernel_run(const unsigned char *p, const unsigned char *end) {
    if (end - p < ND_SCAN_KERNEL_RUN) return end;
    const unsigned char *behind = end; /* the character behind the one that is looked at */
    unsigned class_behind = 0;
    for (int i = ND_SCAN_KERNEL_RUN - 8; i >= 0; i -= 8) {
        uint64_t word = nd_load_le64(p + i);
        for (uint64_t leads = word & word << 1 & BYTES(0x80); leads;) {
            int last = (63 - __builtin_clzll(leads)) / 8;
            const unsigned char *at = p + i + last;
            unsigned class = nd_words_class(at, end);
            if (class == ND_WORDS_REFUSED) return at + 1;
            if (class_behind & ND_WORDS_AFTER && at + nd_script_length(at[0]) == behind &&
                nd_words_clash(class, class_behind))
                return at + 1;
            behind = at;
            class_behind = class;
            leads ^= UINT64_C(0x80) << 8 * last;
        }
    }
    return p;
}

/* Decodes like nd_utf8_decode, with the common lengths inlined. Also gives the UTF-8 as a word, and
 * the entry. */
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

/* Emits, folded, the letters, digits and low lines at the beginning of eight ASCII bytes, at most
 * seven of them. If `cut`, also consumes the byte that ends the token, if it is among the first
 * seven. The eighth byte is left, because a mark may follow it. `word` has the first byte lowest;
 * `from` is its offset in the text. Returns the number of bytes consumed. */
static inline unsigned emit_ascii_word(cursor *c, unsigned char *bytes, size_t *ends, span *spans,
                                       uint64_t word, bool cut, size_t from) {
    uint64_t low_line = ~((word ^ BYTES('_')) + BYTES(0x7f));
    uint64_t good = bytes_within(word | BYTES(0x20), 'a', 'z') | bytes_within(word, '0', '9') |
                    low_line;
    unsigned length = (unsigned)__builtin_ctzll((~good & BYTES(0x80)) | UINT64_C(0x80) << 56) / 8;
    ends[c->count] = c->used;
    c->count += (length > 0) & (c->state == UNSPACED);
    c->state = length > 0 ? RUN : c->state;
    if (spans && length > 0)
        extend_span(spans, c->count, c->used == (c->count > 0 ? ends[c->count - 1] : 0),
                    (span){from, from + length});
    nd_store_le64(bytes + c->used, word | bytes_within(word, 'A', 'Z') >> 2);
    c->used += length;
    if (!cut || length == 7) return length;
    ends[c->count] = c->used;
    c->count += c->state != BETWEEN;
    c->state = BETWEEN;
    return length + 1;
}

/* The loop, compiled for words and for characters, with spans and without. It keeps the cursor in a
 * local, stores it to s->at before each call, and loads it again after the call. */
static inline __attribute__((always_inline)) nd_status scan_loop(scan *s, const bool chars,
                                                                 const bool with_spans, size_t from,
                                                                 bool may_stop, size_t *stopped,
                                                                 nd_error *error) {
    const unsigned char *text = s->text, *p = text + from, *end = text + s->length, *cluster = p;
    const unsigned char *ask = may_stop ? text : end; /* before it the scan cannot stop */
    bool stops = false; /* a character was found at which the kernel stops */
    cursor at = s->at;
    unsigned starter = 0, last_ccc = 0, entry;
    for (unsigned width; p < end; p += width) {
        uint32_t cp, utf8;
        if (__builtin_expect(at.used > s->room || at.count > s->ends_room, 0)) {
            s->at = at;
            ND_TRY(drain(s, error));
            at = s->at;
        }
        span *spans = with_spans ? s->spans : NULL;
        width = next_char(p, end, &cp, &utf8, &entry);
        if (__builtin_expect(width == 0, 0)) return nd_fail_utf8(error, (size_t)(p - text));
        if (p >= ask) {
            if (!stops) {
                stops = p[0] >= 0x80 && kernel_stops(text + from, p, end);
            } else if ((at.state != RUN || (entry & ND_CHAR_CLASS) != ND_CHAR_WORD) &&
                       !(entry & ND_CHAR_NOT_BOUNDARY) && (entry & ND_CHAR_CLASS) != ND_CHAR_MARK) {
                ask = next_kernel_run(p, end);
                if (ask == p) break;
            }
        }
        if (!chars && width == 1 && end - p >= 8) {
            uint64_t word = nd_load_le64(p);
            if (!(word & BYTES(0x80))) {
                /* Does not go past a position where the scan may have to stop. */
                width = emit_ascii_word(&at, s->bytes, s->ends, spans, word, !stops || ask - p >= 8,
                                        (size_t)(p - text));
                s->final = at; /* the next character is ASCII, so a boundary */
                if (width > 0) continue;
                width = 1;
            }
        }
        if (entry & ND_CHAR_NOT_BOUNDARY) {
            unsigned ccc = nd_unicode_record_of(entry)->ccc;
            if (may_change(entry, starter, ccc, last_ccc)) {
                size_t next;
                ND_TRY(emit_normalized(s, chars, (size_t)(cluster - text), &next, error));
                at = s->at;
                cluster = p = text + next;
                width = 0;
                continue;
            }
            if (ccc == 0) starter = entry;
            last_ccc = ccc;
        } else {
            s->final = at;
            cluster = p;
            starter = entry;
            last_ccc = 0;
        }
        span where = with_spans ? (span){(size_t)(p - text), (size_t)(p - text) + width}
                                : (span){0, 0};
        if (entry & ND_CHAR_FOLDS) {
            emit_folding(s, &at, spans, chars, cp, entry, where);
            continue;
        }
        emit(&at, s->bytes, s->ends, spans, chars, entry, utf8, width, where);
    }
    if (!chars) emit(&at, s->bytes, s->ends, NULL, chars, ND_CHAR_NONE, 0, 0, (span){0, 0});
    s->at = s->final = at;
    *stopped = (size_t)(p - text);
    return deliver(s, error);
}

/* Tokens with their spans, for a callback. Not inlined: the array of spans would be on the stack of
 * the functions below, too. */
__attribute__((noinline)) static nd_status words_with_spans(nd_token_sink *sink, const char *text,
                                                            size_t length, size_t from,
                                                            bool may_stop, size_t *stopped,
                                                            nd_error *error) {
    scan s;
    span spans[FIRST_ENDS + MAX_TOKENS];
    scan_begin(&s, sink, text, length, spans);
    nd_status status = scan_loop(&s, false, true, from, may_stop, stopped, error);
    scan_end(&s);
    return status;
}

__attribute__((noinline)) static nd_status chars_with_spans(nd_token_sink *sink, const char *text,
                                                            size_t length, nd_error *error) {
    scan s;
    span spans[FIRST_ENDS + MAX_TOKENS];
    size_t stopped;
    scan_begin(&s, sink, text, length, spans);
    nd_status status = scan_loop(&s, true, true, 0, false, &stopped, error);
    scan_end(&s);
    return status;
}

nd_status nd_scan_words(nd_token_sink *sink, const char *text, size_t length, size_t from,
                        bool may_stop, size_t *stopped, nd_error *error) {
    if (sink->fn) return words_with_spans(sink, text, length, from, may_stop, stopped, error);
    scan s;
    scan_begin(&s, sink, text, length, NULL);
    nd_status status = scan_loop(&s, false, false, from, may_stop, stopped, error);
    scan_end(&s);
    return status;
}

nd_status nd_scan_chars(nd_token_sink *sink, const char *text, size_t length, nd_error *error) {
    if (sink->fn) return chars_with_spans(sink, text, length, error);
    scan s;
    size_t stopped;
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

/* The 128-bit hash is a frozen format. The NFC in UTF-8, `length` bytes, is zero-padded to blocks
 * of 16 bytes. (a, b) are the two little-endian words of a block; h0 and h1 begin as 0:
 *
 *     h0 = fold(a ^ k0 ^ h0, b ^ k1)
 *     h1 = fold(b ^ k2 ^ h1, a ^ k3)
 *
 *     hash[0] = mix((h0 ^ k2) + length * C0)
 *     hash[1] = mix((h1 ^ k0) + length * C1)
 *
 * (fold is nd_fold_multiply, mix is nd_mix64, and k0 to k3 are the key.) */
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
