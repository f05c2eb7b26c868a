#include "text/number_scan.h"

#include "unicode/normalize.h"
#include "unicode/unicode_data.h"

/* A character of a number: a digit or a separator, in ASCII; 0: any other character. */
typedef struct symbol {
    char ascii;
    unsigned width; /* bytes in the text */
} symbol;

static bool is_digit(symbol s) { return s.ascii >= '0' && s.ascii <= '9'; }

static char ascii_of(uint32_t cp) {
    switch (cp) {
    case '.':
    case ',':
    case ':':
    case '/':
    case '-': return (char)cp;
    case 0xff0e: /* full-width full stop; Arabic decimal separator */
    case 0x066b: return '.';
    case 0xff0c: /* full-width comma; Arabic thousands separator */
    case 0x066c: return ',';
    case 0xff1a: return ':';
    case 0xff0f: return '/';
    case 0xff0d: return '-';
    default: break;
    }
    unsigned low = 0, high = ND_UNICODE_ZERO_COUNT; /* the last zero at or before cp */
    while (high - low > 1) {
        unsigned middle = (low + high) / 2;
        if (nd_unicode_digit_zeros[middle] <= cp) low = middle;
        else high = middle;
    }
    uint32_t value = cp - nd_unicode_digit_zeros[low];
    return value < 10 ? (char)('0' + value) : 0;
}

static symbol symbol_at(const unsigned char *p, const unsigned char *end) {
    uint32_t cp = *p;
    unsigned width = cp < 0x80 ? 1 : nd_utf8_decode(p, end, &cp);
    return (symbol){ascii_of(cp), width};
}

void nd_number_scan_begin(nd_number_scan *s, const char *text, size_t length) {
    s->at = (const unsigned char *)text;
    s->end = s->at + length;
}

static bool has_digit(const nd_number_scan *s, const unsigned char *at) {
    return at < s->end && is_digit(symbol_at(at, s->end));
}

/* Passes the bytes that begin no digit: most of a text is ASCII without digits. */
static void skip_to_digit(nd_number_scan *s) {
    while (s->at < s->end) {
        if (*s->at < 0x80) {
            if (*s->at >= '0' && *s->at <= '9') return;
            s->at++;
            continue;
        }
        symbol next = symbol_at(s->at, s->end);
        if (is_digit(next)) return;
        s->at += next.width;
    }
}

nd_status nd_number_scan_next(nd_number_scan *s, bool *found, nd_error *error) {
    s->length = 0;
    skip_to_digit(s);
    while (s->at < s->end) {
        symbol next = symbol_at(s->at, s->end);
        bool separates = next.ascii && !is_digit(next) && has_digit(s, s->at + next.width);
        if (!is_digit(next) && !separates) break;
        if (!nd_reserve(&s->allocator, &s->number, &s->capacity, s->length + 1))
            return nd_fail_memory(error, s->length + 1, "a number");
        s->number[s->length++] = next.ascii;
        s->at += next.width;
    }
    *found = s->length > 0;
    return ND_OK;
}

void nd_number_scan_free(nd_number_scan *s) { nd_release(&s->allocator, s->number); }
