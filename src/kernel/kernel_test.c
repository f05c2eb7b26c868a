/* Every kernel table against definitions that are written a second time, plainly, on buffers that
 * begin and end at pages that cannot be touched. */
#include "kernel_tables.h"

#include "base/cpu.h"
#include "neardup.h"
#include "unicode/normalize.h"

#include <ctype.h>
#include <stdlib.h>

/* ---- MinHash and counting */

static void plain_minhash(const uint64_t *hashes, size_t count, uint64_t key, const uint32_t *a,
                          size_t functions, uint32_t *values) {
    static const uint64_t orders[4] = {0, UINT32_MAX, UINT64_C(1) << 31, UINT32_MAX >> 1};
    for (size_t i = 0; i < 4 * functions; i++)
        for (size_t j = 0; j < count; j++) {
            uint64_t m = nd_mix64(hashes[j] ^ key),
                     v = (a[i % functions] * (m & UINT32_MAX) + (m >> 32)) & UINT32_MAX;
            v ^= orders[i / functions];
            if (v < values[i]) values[i] = (uint32_t)v;
        }
}

static void test_minhash(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 2, 7, 8, 9, 15, 255, 256, 257, 300, 511, 513, 1000};
    enum { FUNCTIONS = 272 };
    guarded hash_pages = guarded_make(1000 * 8), a_pages = guarded_make(4096),
            value_pages = guarded_make(8192);
    for (size_t functions = 16; functions <= FUNCTIONS; functions += 16)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            size_t count = counts[c], size = functions * 4;
            bool at_end = c % 2;
            uint64_t *hashes = guarded_block(hash_pages, count * 8, at_end), key = random64();
            uint32_t *a = guarded_block(a_pages, size, at_end),
                     *values = guarded_block(value_pages, 4 * size, at_end);
            uint32_t before[4 * FUNCTIONS], expected[4 * FUNCTIONS];
            for (size_t j = 0; j < count; j++) hashes[j] = random64();
            for (size_t i = 0; i < functions; i++) a[i] = (uint32_t)random64();
            for (size_t i = 0; i < 4 * functions; i++)
                before[i] = below(4) ? UINT32_MAX : (uint32_t)random64() >> 8;
            memcpy(expected, before, 4 * size);
            plain_minhash(hashes, count, key, a, functions, expected);
            for (size_t t = 0; t < table_count; t++) {
                memcpy(values, before, 4 * size);
                tables[t]->minhash(hashes, count, key, a, functions, values);
                assert_memory_equal(values, expected, 4 * size);
            }
        }
    guarded_free(hash_pages);
    guarded_free(a_pages);
    guarded_free(value_pages);
}

static void test_count_equal(void **state) {
    (void)state;
    guarded a_pages = guarded_make(12345 * 4), b_pages = guarded_make(12345 * 4);
    for (size_t e = 0; e < EDGE_LENGTHS; e++) {
        size_t length = edge_length(e), equal = 0, equal32 = 0;
        bool at_end = e % 2;
        uint8_t *a = guarded_block(a_pages, length, at_end),
                *b = guarded_block(b_pages, length, at_end);
        unsigned alike = (unsigned)below(5); /* 0: all equal */
        for (size_t i = 0; i < length; i++)
            a[i] = (uint8_t)random64(), b[i] = below(4) < alike ? (uint8_t)random64() : a[i];
        for (size_t i = 0; i < length; i++) equal += a[i] == b[i];
        for (size_t t = 0; t < table_count; t++)
            assert_int_equal(tables[t]->count_equal(a, b, length), equal);

        uint32_t *a32 = guarded_block(a_pages, length * 4, at_end),
                 *b32 = guarded_block(b_pages, length * 4, at_end);
        for (size_t i = 0; i < length; i++)
            a32[i] = (uint32_t)random64(), b32[i] = below(3) ? a32[i] : a32[i] ^ 1u << below(32);
        for (size_t i = 0; i < length; i++) equal32 += a32[i] == b32[i];
        for (size_t t = 0; t < table_count; t++)
            assert_int_equal(tables[t]->count_equal32(a32, b32, length), equal32);
    }
    guarded_free(a_pages);
    guarded_free(b_pages);
}

/* ---- values in windows */

enum { VALUES = 300 };

/* Values of `bits` bits: with few of them, buckets have more values than a window. Returns how many
 * are distinct. */
static size_t make_values(uint64_t *values, unsigned bits, unsigned shift, uint32_t *windows) {
    size_t size = 0;
    for (size_t i = 0; i < ND_WINDOW_VALUES; i++) values[i] = UINT64_MAX;
    uint64_t *own = values + ND_WINDOW_VALUES;
    for (uint64_t step = (UINT64_C(1) << bits) / VALUES, next = below((unsigned)step);
         next >> bits == 0; next += 1 + random64() % (2 * step))
        if (size < VALUES && next > 0) own[size++] = next;
    memset(windows, 0, sizeof *windows << (40 - shift));
    for (size_t i = 0; i < size; i++) windows[own[i] >> shift] = (uint32_t)i + 1;
    return size;
}

static bool is_value(const uint64_t *values, size_t size, uint64_t value) {
    bool found = false;
    for (size_t i = 0; i < size; i++) found |= values[ND_WINDOW_VALUES + i] == value;
    return found;
}

static void test_mark_values(void **state) {
    (void)state;
    static uint64_t values[ND_WINDOW_VALUES + VALUES], shingles[2 * VALUES], met[2 * VALUES],
        others[2 * VALUES + 1], expected[2 * VALUES];
    static uint32_t windows[512];
    static uint8_t marks[VALUES + 1];
    for (int round = 0; round < 200; round++) {
        unsigned bits = 12 + (unsigned)below(29), shift = 31;
        size_t size = make_values(values, bits, shift, windows), alone = 0, both = 0;
        for (size_t i = 0; i < 2 * VALUES; i++) {
            uint64_t own = below(20) == 0         ? 0
                           : size > 0 && below(3) ? values[ND_WINDOW_VALUES + random64() % size]
                                                  : random64() >> (64 - bits),
                     value = own ? own : 1;
            shingles[i] = own | random64() << 40;
            met[i] = value;
            if (!is_value(values, size, value)) expected[alone++] = value;
            else {
                bool again = false;
                for (size_t j = 0; j < i; j++) again |= met[j] == value;
                both += !again;
            }
        }
        const nd_value_windows set = {values, windows, shift, (UINT64_C(1) << 40) - 1};
        for (size_t t = 0; t < table_count; t++) {
            size_t marked = 0;
            memset(marks, 0, sizeof marks);
            assert_int_equal(tables[t]->mark_values(&set, shingles, 2 * VALUES, marks, others),
                             alone);
            assert_memory_equal(others, expected, alone * sizeof *others);
            for (size_t i = 0; i <= size; i++) marked += nd_popcount(marks[i]);
            assert_int_equal(marked, both);
        }
    }
}

/* ---- shingles */

static void test_shingles(void **state) {
    (void)state;
    static const size_t many[] = {4096, 4100};
    guarded pages = guarded_make(4200 * 8), out_pages = guarded_make(4200 * 8);
    uint64_t powers[64] = {1}, *expected = malloc(4200 * 8), *original = malloc(4200 * 8);
    for (size_t k = 1; k < 64; k++) powers[k] = powers[k - 1] * ND_HASH_POLY;
    for (size_t n = 1; n <= 64; n++)
        for (size_t extra = 0; extra < 31; extra++) {
            size_t count = n + (extra < 29 ? extra : many[extra - 29]), shingles = count - n + 1;
            bool at_end = extra % 2;
            uint64_t *tokens = guarded_block(pages, count * 8, at_end),
                     *out = guarded_block(out_pages, shingles * 8, at_end);
            for (size_t i = 0; i < count; i++) original[i] = random64();
            for (size_t i = 0; i < shingles; i++) {
                uint64_t sum = 0;
                for (size_t k = 0; k < n; k++) sum += original[i + k] * powers[n - 1 - k];
                expected[i] = nd_mix64(sum);
            }
            nd_chains absorbed = nd_chains_begin();
            for (size_t i = 0; i + 4 <= count; i += 4) nd_chains_absorb(&absorbed, original + i);
            for (size_t t = 0; t < table_count; t++) {
                nd_chains text = nd_chains_begin();
                memcpy(tokens, original, count * 8);
                tables[t]->shingles(tokens, count, n, powers, out, NULL);
                assert_memory_equal(out, expected, shingles * 8);
                assert_memory_equal(tokens, original, count * 8);
                tables[t]->shingles(tokens, count, n, powers, tokens, &text);
                assert_memory_equal(tokens, expected, shingles * 8);
                assert_memory_equal(&text, &absorbed, sizeof text);
            }
        }
    free(expected);
    free(original);
    guarded_free(pages);
    guarded_free(out_pages);
}

/* ---- UTF-8 */

static bool continuation(const unsigned char *p, size_t i, size_t length) {
    return i < length && p[i] >= 0x80 && p[i] <= 0xbf;
}

/* Decodes each character: its value must need as many bytes as it has. */
static size_t plain_utf8(const unsigned char *p, size_t length) {
    size_t i = 0;
    while (i < length) {
        static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
        size_t bytes = p[i] < 0x80   ? 1
                       : p[i] < 0xc0 ? 0
                       : p[i] < 0xe0 ? 2
                       : p[i] < 0xf0 ? 3
                       : p[i] < 0xf8 ? 4
                                     : 0;
        if (!bytes) return i;
        uint32_t value = bytes == 1 ? p[i] : p[i] & (0x7fu >> bytes);
        for (size_t k = 1; k < bytes; k++) {
            if (!continuation(p, i + k, length)) return i;
            value = value << 6 | (p[i + k] & 0x3f);
        }
        if (value < least[bytes] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
            return i;
        i += bytes;
    }
    return length;
}

static void check_utf8(const unsigned char *p, size_t length) {
    size_t valid = plain_utf8(p, length), ascii = 0;
    while (ascii < length && p[ascii] < 0x80) ascii++;
    for (size_t t = 0; t < table_count; t++) {
        assert_int_equal(tables[t]->utf8_valid_prefix((const char *)p, length), valid);
        assert_int_equal(tables[t]->ascii_prefix((const char *)p, length), ascii);
    }
}

/* ---- strings of JSON */

/* Reads \\uXXXX. UINT32_MAX: there is none. */
static uint32_t plain_unit(const char *text, size_t length) {
    char digits[5] = {0}, *end;
    if (length < 6 || text[0] != '\\' || text[1] != 'u') return UINT32_MAX;
    memcpy(digits, text + 2, 4);
    unsigned long unit = strtoul(digits, &end, 16);
    bool hexadecimal = isxdigit((unsigned char)digits[0]) && end == digits + 4;
    return hexadecimal && (digits[1] | 0x20) != 'x' ? (uint32_t)unit : UINT32_MAX;
}

/* Reads the escapes \\uXXXX of a character and writes its UTF-8. Returns the bytes that are read.
 */
static size_t plain_units(const char *text, size_t length, char *out, size_t *written) {
    uint32_t character = plain_unit(text, length);
    if (character == UINT32_MAX) return 0;
    bool pair = character >= 0xd800 && character <= 0xdfff;
    if (pair) {
        uint32_t low = plain_unit(text + 6, length - 6);
        if (character >= 0xdc00 || low < 0xdc00 || low > 0xdfff) return 0;
        character = 0x10000 + (character - 0xd800) * 0x400 + low - 0xdc00;
    }
    unsigned width;
    uint32_t bytes = nd_utf8_pack(character, &width);
    for (unsigned i = 0; i < width; i++) out[(*written)++] = (char)(bytes >> 8 * i);
    return pair ? 12 : 6;
}

static size_t plain_string(const char *text, size_t length, char *out, size_t *written) {
    static const char second[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";
    size_t at = 0;
    for (*written = 0; at < length; at++) {
        if (text[at] == '"' || (unsigned char)text[at] < 0x20) break;
        char c = text[at];
        if (c == '\\') {
            size_t read = plain_units(text + at, length - at, out, written);
            const char *known = at + 1 < length && text[at + 1] ? strchr(second, text[at + 1])
                                                                : NULL;
            if (!read && !known) break;
            at += read ? read - 1 : 1;
            if (read) continue;
            c = meaning[known - second];
        }
        out[(*written)++] = c;
    }
    return at;
}

/* Writes \\uXXXX with some digits: often those of a Russian letter, seldom wrong ones. */
static void put_unit(char *to) {
    static const char digits[] = "0123456789abcdefABCDEF", wrong[] = "gG@:/`xu\\\" +-\xb1\x01";
    memcpy(to, "\\u04", 4);
    for (size_t i = below(4) ? 4 : 2; i < 6; i++) to[i] = digits[below(sizeof digits - 1)];
    if (below(8) == 0) to[2] = to[3] = '0';
    if (below(30) == 0) memcpy(to + 2, below(2) ? "d8" : "DF", 2);
    if (below(60) == 0) to[2 + below(4)] = wrong[below(sizeof wrong - 1)];
}

static void check_string(const guarded *out_pages, const char *p, size_t length, size_t *most) {
    char expected[400];
    size_t wanted, written, read = plain_string(p, length, expected, &wanted);
    for (size_t t = 0; t < table_count; t++) {
        char *out = guarded_block(*out_pages, length + ND_STRING_BEHIND, true);
        assert_int_equal(tables[t]->json_string(p, length, out, &written), read);
        assert_int_equal(written, wanted);
        assert_memory_equal(out, expected, wanted);
    }
    if (read > *most) *most = read;
}

static void test_json_string(void **state) {
    (void)state;
    static const char often[] = "\\\\\\\\\"nnu/b\x01\x80\xffz", seldom[] = "\\n\\\\nn\\t";
    guarded pages = guarded_make(400), out_pages = guarded_make(400 + ND_STRING_BEHIND);
    size_t most = 0;
    for (size_t round = 0; round < 100000; round++) {
        size_t length = below(round % 16 ? 140 : 400);
        char *p = guarded_block(pages, length, round / 2 % 2);
        for (size_t i = 0; i < length; i++) p[i] = (char)(' ' + 3 + below(40));
        for (size_t k = below(round % 3 ? 8 : 100); k > 0 && length > 1; k--) {
            size_t at = below(length - 1);
            if (round % 2 || below(4) == 0) p[at] = often[below(sizeof often - 1)];
            else memcpy(p + at, seldom + 2 * below(3), 2);
        }
        check_string(&out_pages, p, length, &most);
    }
    guarded_free(pages);
    guarded_free(out_pages);
    assert_true(most > 300);
}

/* Escapes of four digits, alone, in runs, and with other characters between them. */
static void test_json_units(void **state) {
    (void)state;
    guarded pages = guarded_make(400), out_pages = guarded_make(400 + ND_STRING_BEHIND);
    size_t most = 0;
    for (size_t round = 0; round < 100000; round++) {
        size_t length = below(round % 16 ? 140 : 400), between = 1 + below(20), at = 0;
        char *p = guarded_block(pages, length, round % 2);
        for (size_t i = 0; i < length; i++) p[i] = (char)(below(40) ? 'a' + below(26) : 0x80);
        for (; at + 12 <= length; at += 6 + (below(between) ? 0 : below(30))) {
            put_unit(p + at);
            if (below(10) > 0) continue;
            memcpy(p + at, below(2) ? "\\ud83d\\uDe00" : "\\uDBff\\udc01", 12);
            at += 6;
        }
        if (at < length) memcpy(p + at, "\\udaff\\udfff", length - at);
        check_string(&out_pages, p, length, &most);
    }
    guarded_free(pages);
    guarded_free(out_pages);
    assert_true(most > 300);
}

static size_t plain_pass(const char *text, size_t length, size_t *bytes) {
    size_t at = 0, wanted = *bytes;
    for (*bytes = 0; *bytes < wanted && at < length && text[at] != '"'; ++*bytes) {
        if (text[at] == '\\' && (at + 1 == length || text[at + 1] == 'u')) break;
        at += text[at] == '\\' ? 2 : 1;
    }
    return at;
}

static void test_json_pass(void **state) {
    (void)state;
    static const char often[] = "\\\\\\\\\\\\\"nu\x80z";
    guarded pages = guarded_make(400);
    for (size_t round = 0; round < 100000; round++) {
        size_t length = below(round % 16 ? 140 : 400);
        char *p = guarded_block(pages, length, round % 2);
        for (size_t i = 0; i < length; i++) p[i] = (char)('a' + below(20));
        for (size_t k = below(round % 3 ? 8 : 200); k > 0 && length > 1; k--)
            p[below(length)] = often[below(round % 2 ? sizeof often - 1 : 6)];
        size_t most = below(4) ? below(length + 2) : SIZE_MAX, wanted = most;
        size_t read = plain_pass(p, length, &wanted);
        for (size_t t = 0; t < table_count; t++) {
            size_t bytes = most;
            assert_int_equal(tables[t]->json_pass(p, length, &bytes), read);
            assert_int_equal(bytes, wanted);
        }
    }
    guarded_free(pages);
}

/* ---- lines */

/* The line that begins at *at, which becomes the beginning of the next one. */
static nd_line plain_line(const char *text, size_t length, size_t *at) {
    static const char word[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
    nd_line line = {.ascii = true};
    for (bool sign = true; *at < length && text[*at] != '\n'; ++*at) {
        bool ascii = (unsigned char)text[*at] < 0x80,
             in_word = text[*at] && strchr(word, text[*at]);
        line.words += in_word && sign;
        line.ascii = line.ascii && ascii;
        sign = ascii && !in_word;
    }
    line.end = *at;
    *at += *at < length;
    return line;
}

static void test_lines(void **state) {
    (void)state;
    static const char some[] = "\n\n\n a1_Z.\r\xc3\xa4@[`{/:\x00\x7f\xff";
    guarded pages = guarded_make(400);
    for (size_t round = 0; round < 100000; round++) {
        size_t length = 1 + below(round % 16 ? 140 : 400);
        char *p = guarded_block(pages, length, round % 2);
        for (size_t i = 0; i < length; i++)
            p[i] = below(4) ? (char)('a' + below(26)) : some[below(sizeof some - 1)];
        for (size_t i = 0; round % 5 == 0 && i < length; i++)
            if (p[i] == '\n') p[i] = ' ';
        nd_line expected[400], got[400];
        size_t room = below(3) ? 400 : 1 + below(4), count = 0, end = 0, read;
        while (end < length && count < room) expected[count++] = plain_line(p, length, &end);
        for (size_t t = 0; t < table_count; t++) {
            assert_int_equal(tables[t]->lines(p, length, got, room, &read), count);
            assert_int_equal(read, end);
            for (size_t i = 0; i < count; i++) {
                assert_int_equal(got[i].end, expected[i].end);
                assert_int_equal(got[i].words, expected[i].words);
                assert_int_equal(got[i].ascii, expected[i].ascii);
            }
        }
    }
    guarded_free(pages);
}

/* Valid text of exactly `length` bytes; `share` of 256 characters are not ASCII. */
static void random_utf8(unsigned char *p, size_t length, size_t share) {
    static const uint32_t ends[3] = {0x800, 0x10000, 0x110000};
    for (size_t i = 0; i < length;) {
        unsigned char one[4];
        uint32_t c = (uint32_t)below(0x80);
        if (below(256) < share) c = (uint32_t)below(ends[below(3)]);
        if (c >= 0xd800 && c < 0xe000) c -= 0x800;
        size_t bytes = put_utf8(one, c);
        if (bytes > length - i) continue;
        memcpy(p + i, one, bytes);
        i += bytes;
    }
}

static void test_utf8_random(void **state) {
    (void)state;
    static const size_t share[] = {0, 3, 100, 256};
    guarded pages = guarded_make(400);
    for (size_t round = 0; round < 60000; round++) {
        size_t length = below(round % 16 ? 140 : 400);
        unsigned char *p = guarded_block(pages, length, round % 2);
        random_utf8(p, length, share[below(4)]);
        size_t changes = below(3);
        for (size_t k = 0; k < changes && length; k++) {
            size_t at = below(length);
            if (below(2)) p[at] = (unsigned char)random64();
            else p[at] ^= (unsigned char)(1u << below(8));
        }
        check_utf8(p, length);
    }
    guarded_free(pages);
}

/* All pairs and the critical triples and quadruples of bytes, at offsets around a seam between
 * blocks. */
static void test_utf8_sequences(void **state) {
    (void)state;
    static const unsigned char odd[] = {0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
                                        0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee,
                                        0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf8, 0xff};
    unsigned char text[140];
    for (unsigned pair = 0; pair < 65536; pair++) {
        memset(text, 'a', sizeof text);
        size_t at = 60 + pair % 5;
        text[at] = (unsigned char)(pair >> 8), text[at + 1] = (unsigned char)pair;
        check_utf8(text, sizeof text);
    }
    for (size_t quad = 0; quad < 26 * 26 * 26 * 26; quad++) {
        memset(text, 'a', sizeof text);
        size_t at = 58 + quad % 9, rest = quad;
        for (size_t k = 0; k < 4; k++, rest /= 26) text[at + k] = odd[rest % 26];
        check_utf8(text, quad % 3 ? sizeof text : at + 4);
    }
}

static void test_utf8_every_character(void **state) {
    (void)state;
    unsigned char *text = malloc(0x110000 * 4);
    size_t length = 0;
    for (uint32_t c = 0; c < 0x110000; c++)
        if (c < 0xd800 || c > 0xdfff) length += put_utf8(text + length, c);
    check_utf8(text, length);
    free(text);
}

/* ---- selection */

static void test_disable_names(void **state) {
    (void)state;
    assert_int_equal(nd_cpu_sets_named(NULL), 0);
    assert_int_equal(nd_cpu_sets_named(""), 0);
    assert_int_equal(nd_cpu_sets_named("avx2"), ND_CPU_AVX2);
    assert_int_equal(nd_cpu_sets_named("avx512,neon"), ND_CPU_AVX512 | ND_CPU_NEON);
    assert_int_equal(nd_cpu_sets_named(",avx51,avx5122,sse9,avx2,"), ND_CPU_AVX2);
    assert_int_equal(nd_cpu_sets() & nd_cpu_sets_named(getenv("ND_DISABLE_CPU")), 0);
}

static void test_selection(void **state) {
    (void)state;
    assert_ptr_equal(tables[table_count - 1], &nd_kernel_generic);
    assert_ptr_equal(nd_kernel_get(), tables[0]);
    assert_string_equal(nd_instruction_set(), tables[0]->name);
    for (size_t t = 0; t < table_count; t++) print_message("table %s\n", tables[t]->name);
}

int main(void) {
    table_count = nd_kernel_all(tables);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_selection),
        cmocka_unit_test(test_disable_names),
        cmocka_unit_test(test_minhash),
        cmocka_unit_test(test_count_equal),
        cmocka_unit_test(test_mark_values),
        cmocka_unit_test(test_shingles),
        cmocka_unit_test(test_json_string),
        cmocka_unit_test(test_json_units),
        cmocka_unit_test(test_json_pass),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_utf8_random),
        cmocka_unit_test(test_utf8_sequences),
        cmocka_unit_test(test_utf8_every_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
