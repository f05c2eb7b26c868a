/* nd_sentences, which is public (neardup.h): the default sentence boundaries of UAX #29 (Unicode
 * 15.0.0), rules SB1 to SB998, as a state machine.
 *
 * Only rule SB8 looks ahead: the next letter, however far away, decides whether a full stop ends a
 * sentence ("etc. 3) (an"). The state then keeps the offset of the possible end and goes on, so the
 * text is read once. */
#include "base/argument.h"
#include "base/status.h"
#include "unicode/normalize.h"
#include "unicode/sentence_break_data.h"

/* What stands before the current character, without Extend and Format (SB5). */
typedef enum sentence_state {
    PLAIN,
    CASED,   /* a letter that has case */
    ENDED,   /* SATerm */
    CLOSED,  /* SATerm Close+ */
    SPACED,  /* SATerm Close* Sp+ */
    PENDING, /* the same after a full stop, and then characters that do not decide SB8 */
    AFTER_CR,
    AFTER_PARAGRAPH
} sentence_state;

typedef enum boundary { NO_BOUNDARY, BOUNDARY, BOUNDARY_AT_PENDING } boundary;

typedef struct sentence_scan {
    sentence_state state;
    bool full_stop;   /* the last SATerm is an ATerm */
    bool after_cased; /* it stands behind a letter that has case */
    size_t pending;   /* in PENDING: the offset where the sentence ends, if SB8 decides so */
} sentence_scan;

static bool is_separator(nd_sentence_class class) {
    return class == ND_SENTENCE_SEPARATOR || class == ND_SENTENCE_CR || class == ND_SENTENCE_LF;
}

static bool is_terminal(nd_sentence_class class) {
    return class == ND_SENTENCE_STOP || class == ND_SENTENCE_TERM;
}

/* The boundary after SATerm Close* Sp*, before a character of this class. */
static boundary boundary_after_end(const sentence_scan *s, nd_sentence_class class) {
    bool directly = s->state == ENDED && s->full_stop;
    if (directly && class == ND_SENTENCE_NUMERIC) return NO_BOUNDARY;                 /* SB6 */
    if (directly && s->after_cased && class == ND_SENTENCE_UPPER) return NO_BOUNDARY; /* SB7 */
    if (s->full_stop && class == ND_SENTENCE_LOWER) return NO_BOUNDARY;               /* SB8 */
    if (class == ND_SENTENCE_CONTINUE || is_terminal(class)) return NO_BOUNDARY;      /* SB8a */
    if (class == ND_SENTENCE_CLOSE && s->state != SPACED) return NO_BOUNDARY;         /* SB9 */
    if (class == ND_SENTENCE_SPACE || is_separator(class)) return NO_BOUNDARY; /* SB9, SB10 */
    if (s->full_stop && class != ND_SENTENCE_LETTER && class != ND_SENTENCE_UPPER)
        return BOUNDARY_AT_PENDING; /* SB8: not decided yet */
    return BOUNDARY;                /* SB11 */
}

/* Goes over the character at the offset `at`. BOUNDARY: a sentence ends before it;
 * BOUNDARY_AT_PENDING: one has ended at s->pending. */
static inline boundary scan_step(sentence_scan *s, nd_sentence_class class, size_t at) {
    boundary found = NO_BOUNDARY;
    sentence_state next = PLAIN;
    if (s->state == AFTER_PARAGRAPH || (s->state == AFTER_CR && class != ND_SENTENCE_LF)) {
        found = BOUNDARY; /* SB3, SB4 */
    } else if (class == ND_SENTENCE_EXTEND) {
        return NO_BOUNDARY; /* SB5 */
    } else if (s->state == PENDING) {
        bool decides = is_separator(class) || is_terminal(class) || class == ND_SENTENCE_LETTER ||
                       class == ND_SENTENCE_UPPER;
        if (decides) found = BOUNDARY_AT_PENDING;
        if (!decides && class != ND_SENTENCE_LOWER) next = PENDING;
    } else if (s->state == ENDED || s->state == CLOSED || s->state == SPACED) {
        found = boundary_after_end(s, class);
        if (found == BOUNDARY_AT_PENDING) {
            s->pending = at;
            s->state = PENDING;
            return NO_BOUNDARY;
        }
        if (found == NO_BOUNDARY && class == ND_SENTENCE_CLOSE) next = CLOSED;
        if (found == NO_BOUNDARY && class == ND_SENTENCE_SPACE) next = SPACED;
    }
    switch (class) {
    case ND_SENTENCE_LOWER:
    case ND_SENTENCE_UPPER: next = CASED; break;
    case ND_SENTENCE_STOP:
    case ND_SENTENCE_TERM:
        next = ENDED;
        s->full_stop = class == ND_SENTENCE_STOP;
        s->after_cased = s->state == CASED;
        break;
    case ND_SENTENCE_CR: next = AFTER_CR; break;
    case ND_SENTENCE_LF:
    case ND_SENTENCE_SEPARATOR: next = AFTER_PARAGRAPH; break;
    default: break;
    }
    s->state = next;
    return found;
}

/* Skips ASCII that ends neither a sentence nor a line; the state only has to remember the case of
 * its last character. That is most of most texts. Returns the offset behind it. */
static inline size_t skip_plain(sentence_scan *s, const unsigned char *bytes, size_t at,
                                size_t length) {
    const unsigned ends = 1u << ND_SENTENCE_STOP | 1u << ND_SENTENCE_TERM | 1u << ND_SENTENCE_CR |
                          1u << ND_SENTENCE_LF;
    nd_sentence_class class = ND_SENTENCE_OTHER, last = ND_SENTENCE_OTHER;
    size_t begin = at;
    for (; at < length && bytes[at] < 0x80; at++, last = class) {
        class = (nd_sentence_class)nd_sentence_stage2[bytes[at]];
        if (ends >> class & 1) break;
    }
    if (at > begin)
        s->state = last == ND_SENTENCE_LOWER || last == ND_SENTENCE_UPPER ? CASED : PLAIN;
    return at;
}

nd_status nd_sentences(const char *text, size_t length, nd_sentence_fn *fn, void *context,
                       nd_error *error) {
    ND_TRY(nd_need_array(text, length, "text", error));
    ND_TRY(nd_need(fn, "fn", error));
    const unsigned char *bytes = (const unsigned char *)text;
    sentence_scan scan = {.state = PLAIN};
    size_t begin = 0;
    unsigned width;
    for (size_t at = 0; at < length; at += width) {
        uint32_t cp;
        if (scan.state == PLAIN || scan.state == CASED) at = skip_plain(&scan, bytes, at, length);
        if (at == length) break;
        width = nd_utf8_decode(bytes + at, bytes + length, &cp);
        if (width == 0) return nd_fail_utf8(error, at);
        boundary found = scan_step(&scan, nd_sentence_class_of(cp), at);
        if (found == NO_BOUNDARY) continue;
        size_t end = found == BOUNDARY ? at : scan.pending;
        if (!fn(context, begin, end))
            return nd_fail(error, ND_ERR_CANCELLED, "the sentence callback asked to stop");
        begin = end;
    }
    size_t ends[2] = {scan.state == PENDING ? scan.pending : length, length};
    for (size_t i = 0; i < 2 && begin < length; begin = ends[i++])
        if (!fn(context, begin, ends[i]))
            return nd_fail(error, ND_ERR_CANCELLED, "the sentence callback asked to stop");
    return ND_OK;
}
