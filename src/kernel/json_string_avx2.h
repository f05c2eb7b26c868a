/* The json_string kernel of AVX2. The file of that instruction set includes this once, after it has
 * defined load, store and mask_equal. */
#include "kernel/kernel_common.h"

/* The bytes of v that are a quote, a backslash or below 0x20, as bits. */
static inline uint32_t special_bytes(__m256i v) {
    __m256i quotes = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('"')),
            backslashes = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\')),
            controls = _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(0x1f)), v);
    return (uint32_t)_mm256_movemask_epi8(
        _mm256_or_si256(_mm256_or_si256(quotes, backslashes), controls));
}

/* The values of hexadecimal digits. *good: which bytes are digits. */
static inline __m256i hex_values(__m256i v, __m256i *good) {
    const __m256i most = _mm256_set1_epi8(5), nine = _mm256_set1_epi8(9);
    __m256i figure = _mm256_sub_epi8(v, _mm256_set1_epi8('0')),
            letter = _mm256_sub_epi8(_mm256_or_si256(v, _mm256_set1_epi8(0x20)),
                                     _mm256_set1_epi8('a'));
    __m256i figures = _mm256_cmpeq_epi8(_mm256_min_epu8(figure, nine), figure),
            letters = _mm256_cmpeq_epi8(_mm256_min_epu8(letter, most), letter);
    *good = _mm256_or_si256(figures, letters);
    return _mm256_add_epi8(_mm256_and_si256(v, _mm256_set1_epi8(0xf)),
                           _mm256_and_si256(letters, nine));
}

/* Writes at each place of 32 bytes the value of two digits from there on. Returns which bytes are
 * no digits. */
static inline __m256i digit_pairs(const unsigned char *p, unsigned char *pairs) {
    __m256i good, ignored, first = hex_values(load(p), &good),
                           second = hex_values(load(p + 1), &ignored);
    _mm256_storeu_si256((__m256i *)pairs, _mm256_or_si256(_mm256_slli_epi16(first, 4), second));
    return _mm256_xor_si256(good, _mm256_set1_epi8(-1));
}

static inline uint32_t unit_at(const unsigned char *pairs, unsigned escape) {
    return (uint32_t)pairs[escape + 2] << 8 | pairs[escape + 4];
}

/* Copies bytes, and bytes behind them, at least 16 and up to a multiple of 16. */
static inline void copy_bytes(const unsigned char *from, size_t size, char *to) {
    size_t i = 0;
    do _mm_storeu_si128((__m128i *)(to + i), _mm_loadu_si128((const __m128i *)(from + i)));
    while ((i += 16) < size);
}

/* UNIT_BLOCK: bytes that replace_units may read. UNITS_WHOLE: of its block, these are passed if
 * nothing stops it. UNITS_NEAR: so near behind an escape \uXXXX another one is likely. */
enum { UNIT_BLOCK = 64 + 16, UNITS_WHOLE = 59, UNITS_NEAR = 128 };

/* As json_string for a block of 64 bytes. Stops before an escape of two characters, too. */
static inline size_t replace_units(const unsigned char *p, char *out, size_t *written) {
    __m256i x = load(p), y = load(p + 32);
    unsigned char pairs[64];
    uint64_t no_digits = mask64(digit_pairs(p, pairs), digit_pairs(p + 32, pairs + 32));
    uint64_t backslashes = mask_equal(x, y, '\\'), whole = UINT64_MAX >> 5,
             special = special_bytes(x) | (uint64_t)special_bytes(y) << 32,
             escaped = nd_escaped_positions(backslashes);
    uint64_t units = backslashes & ~escaped & mask_equal(x, y, 'u') >> 1 & whole;
    units &= ~(no_digits >> 2 | no_digits >> 3 | no_digits >> 4 | no_digits >> 5);
    uint64_t stops = special & ~units;
    unsigned end = stops ? (unsigned)__builtin_ctzll(stops) : 64, from = 0;
    size_t to = 0;
    for (units &= _bzhi_u64(UINT64_MAX, end); units; units &= units - 1) {
        unsigned at = (unsigned)__builtin_ctzll(units);
        uint32_t unit = unit_at(pairs, at), next = ND_NO_UNIT;
        copy_bytes(p + from, at - from, out + to);
        to += at - from;
        from = at;
        if (nd_is_surrogate(unit) && units >> at >> 6 & 1) next = unit_at(pairs, at + 6);
        unsigned width = nd_put_units(unit, next, out + to);
        if (width == 0) break;
        if (width == 4) units &= units - 1;
        to += width;
        from += width == 4 ? 12 : 6;
    }
    if (!units) {
        copy_bytes(p + from, end - from, out + to);
        to += end - from;
        from = end;
    }
    *written = to;
    return from;
}

/* Bytes that replace_pairs may read. */
enum { PAIR_BLOCK = 64 + 64 };

/* As json_string for a block of 64 bytes, of which it replaces the escapes of two characters. Stops
 * before any other escape, and before one that the end of the block cuts. Behind an escape it
 * copies 64 bytes, which are more than are left of the block; what follows overwrites the rest. */
static inline size_t replace_pairs(const unsigned char *p, char *out, size_t *written) {
    __m256i x = load(p), y = load(p + 32);
    uint64_t special = special_bytes(x) | (uint64_t)special_bytes(y) << 32;
    unsigned end = 64, dropped = 0;
    store(out, x);
    store(out + 32, y);
    for (; special; dropped++) {
        unsigned at = (unsigned)__builtin_ctzll(special), second = p[at + 1];
        char escape = p[at] == '\\' && second < 0x80 ? nd_json_escapes[second] : 0;
        if (!escape || at == 63) {
            end = at;
            break;
        }
        char *to = out + (at - dropped);
        *to = escape;
        store(to + 1, load(p + at + 2));
        store(to + 33, load(p + at + 34));
        special &= ~(UINT64_C(3) << at); /* the second one may be special, too */
    }
    *written = end - dropped;
    return end;
}

static size_t json_string(const char *text, size_t length, char *out, size_t *written) {
    size_t at = 0, to = 0, rest, pairs_from = 0;
    while (length - at >= 33) { /* an escape may end behind the vector */
        while (at >= pairs_from && length - at >= PAIR_BLOCK) {
            size_t more, read = replace_pairs((const unsigned char *)text + at, out + to, &more);
            at += read;
            to += more;
            if (read < 63) break;
        }
        __m256i v = _mm256_loadu_si256((const __m256i *)(text + at));
        uint32_t special = special_bytes(v);
        _mm256_storeu_si256((__m256i *)(out + to), v);
        size_t plain = special ? (size_t)__builtin_ctz(special) : 32;
        at += plain;
        to += plain;
        if (!special) continue;
        if (text[at] == '\\' && text[at + 1] == 'u') {
            if (length - at < UNIT_BLOCK) break;
            size_t begin = at, more, read;
            do {
                read = replace_units((const unsigned char *)text + at, out + to, &more);
                at += read;
                to += more;
            } while (read >= UNITS_WHOLE && length - at >= UNIT_BLOCK);
            pairs_from = at + UNITS_NEAR;
            if (at > begin) continue;
        }
        unsigned char second = (unsigned char)text[at + 1];
        char escaped = text[at] == '\\' && second < 0x80 ? nd_json_escapes[second] : 0;
        if (!escaped) {
            *written = to;
            return at;
        }
        out[to++] = escaped;
        at += 2;
    }
    at += nd_json_string_by_words(text + at, length - at, out + to, &rest);
    *written = to + rest;
    return at;
}
