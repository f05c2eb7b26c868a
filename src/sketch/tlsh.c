/* TLSH (Oliver, Cheng, Chen, "TLSH: a locality sensitive hash", 2013): digests, their text, their
 * distance. doc/internals/formats.md, "TLSH", defines them. */
#include "sketch/tlsh.h"

#include "base/argument.h"
#include "base/status.h"

#include <string.h>

#define MOST_BUCKETS 256
#define WINDOW 5 /* bytes */

/* Pearson's permutation ("Fast hashing of variable-length text strings", 1990). */
static const uint8_t pearson[256] = {
    1,   87,  49,  12,  176, 178, 102, 166, 121, 193, 6,   84,  249, 230, 44,  163, 14,  197, 213,
    181, 161, 85,  218, 80,  64,  239, 24,  226, 236, 142, 38,  200, 110, 177, 104, 103, 141, 253,
    255, 50,  77,  101, 81,  18,  45,  96,  31,  222, 25,  107, 190, 70,  86,  237, 240, 34,  72,
    242, 20,  214, 244, 227, 149, 235, 97,  234, 57,  22,  60,  250, 82,  175, 208, 5,   127, 199,
    111, 62,  135, 248, 174, 169, 211, 58,  66,  154, 106, 195, 245, 171, 17,  187, 182, 179, 0,
    243, 132, 56,  148, 75,  128, 133, 158, 100, 130, 126, 91,  13,  153, 246, 216, 219, 119, 68,
    223, 78,  83,  88,  201, 99,  122, 11,  92,  32,  136, 114, 52,  10,  138, 30,  48,  183, 156,
    35,  61,  26,  143, 74,  251, 94,  129, 162, 63,  152, 170, 7,   115, 167, 241, 206, 3,   150,
    55,  59,  151, 220, 90,  53,  23,  131, 125, 173, 15,  238, 79,  95,  89,  16,  105, 137, 225,
    224, 217, 160, 37,  123, 118, 73,  2,   157, 46,  116, 9,   145, 134, 228, 207, 212, 202, 215,
    69,  229, 27,  188, 67,  124, 168, 252, 42,  4,   29,  108, 21,  247, 19,  205, 39,  203, 233,
    40,  186, 147, 198, 192, 155, 33,  164, 191, 98,  204, 165, 180, 117, 76,  140, 36,  210, 172,
    41,  54,  159, 8,   185, 232, 113, 196, 231, 47,  146, 120, 51,  65,  28,  144, 254, 221, 93,
    189, 194, 139, 112, 43,  71,  109, 184, 209,
};

/* The most bytes of each class of lengths: classes grow by factors of 1.5, 1.3 and 1.1. */
static const uint32_t class_most[] = {
    1,          2,          3,          5,          7,
    11,         17,         25,         38,         57,
    86,         129,        194,        291,        437,
    656,        854,        1110,       1443,       1876,
    2439,       3171,       3475,       3823,       4205,
    4626,       5088,       5597,       6157,       6772,
    7450,       8195,       9014,       9916,       10907,
    11998,      13198,      14518,      15970,      17567,
    19323,      21256,      23382,      25720,      28292,
    31121,      34233,      37656,      41422,      45564,
    50121,      55133,      60646,      66711,      73382,
    80721,      88793,      97672,      107439,     118183,
    130002,     143002,     157302,     173032,     190335,
    209369,     230306,     253337,     278670,     306538,
    337191,     370911,     408002,     448802,     493682,
    543050,     597356,     657091,     722800,     795081,
    874589,     962048,     1058252,    1164078,    1280486,
    1408534,    1549388,    1704327,    1874759,    2062236,
    2268459,    2495305,    2744836,    3019320,    3321252,
    3653374,    4018711,    4420582,    4862641,    5348905,
    5883796,    6472176,    7119394,    7831333,    8614467,
    9475909,    10423501,   11465851,   12612437,   13873681,
    15261050,   16787154,   18465870,   20312458,   22343706,
    24578077,   27035886,   29739474,   32713425,   35984770,
    39583245,   43541573,   47895730,   52685306,   57953837,
    63749221,   70124148,   77136564,   84850228,   93335252,
    102668779,  112935659,  124229227,  136652151,  150317384,
    165349128,  181884040,  200072456,  220079703,  242087671,
    266296456,  292926096,  322218735,  354440623,  389884688,
    428873168,  471760495,  518936559,  570830240,  627913311,
    690704607,  759775136,  835752671,  919327967,  1011260767,
    1112386880, 1223623232, 1345985727, 1480584256, 1628642751,
    1791507135, 1970657856, 2167723648, 2384496256, 2622945920,
    2885240448, 3173764736, 3491141248, 3840255616, UINT32_C(4224281216),
};
enum { CLASSES = sizeof class_most / sizeof *class_most };
_Static_assert(CLASSES == 170, "the last class has the number 169");

bool nd_tlsh_is_variant(unsigned variant) { return variant <= ND_TLSH_256_3; }

static unsigned checksum_bytes(unsigned variant) {
    return variant == ND_TLSH_128_3 || variant == ND_TLSH_256_3 ? 3 : 1;
}

size_t nd_tlsh_body_bytes(unsigned variant) { return variant >= ND_TLSH_256_1 ? 64 : 32; }

/* ---- making */

static uint8_t hash_triple(uint8_t salt, uint8_t a, uint8_t b, uint8_t c) {
    return pearson[pearson[pearson[pearson[salt] ^ a] ^ b] ^ c];
}

/* Each byte of a checksum of 3 is salted with the byte before. */
static void update_checksum(uint8_t *checksum, unsigned bytes, uint8_t last, uint8_t before) {
    for (unsigned k = 0; k < bytes; k++)
        checksum[k] = hash_triple(k ? checksum[k - 1] : 0, last, before, checksum[k]);
}

/* The last byte of a window, with each two of the four before, makes six triples. */
static void count_triples(const uint8_t *bytes, size_t length, unsigned sums, uint8_t *checksum,
                          uint64_t *counts) {
    for (size_t i = WINDOW - 1; i < length; i++) {
        uint8_t a = bytes[i], b = bytes[i - 1], c = bytes[i - 2], d = bytes[i - 3],
                e = bytes[i - 4];
        update_checksum(checksum, sums, a, b);
        counts[hash_triple(2, a, b, c)]++;
        counts[hash_triple(3, a, b, d)]++;
        counts[hash_triple(5, a, c, d)]++;
        counts[hash_triple(7, a, c, e)]++;
        counts[hash_triple(11, a, b, e)]++;
        counts[hash_triple(13, a, d, e)]++;
    }
}

typedef struct quartiles {
    uint64_t first, second, third;
} quartiles;

static void sort_counts(uint64_t *counts, size_t count) {
    for (size_t i = 1; i < count; i++) {
        uint64_t x = counts[i];
        size_t j = i;
        for (; j > 0 && counts[j - 1] > x; j--) counts[j] = counts[j - 1];
        counts[j] = x;
    }
}

/* False: too many buckets are empty. */
static bool find_quartiles(const uint64_t *counts, size_t buckets, quartiles *q) {
    uint64_t sorted[MOST_BUCKETS];
    memcpy(sorted, counts, buckets * sizeof *counts);
    sort_counts(sorted, buckets);
    *q = (quartiles){sorted[buckets / 4 - 1], sorted[buckets / 2 - 1],
                     sorted[buckets - buckets / 4 - 1]};
    return sorted[buckets / 2 - 1] > 0;
}

static uint8_t class_of(size_t length) {
    size_t low = 0, high = CLASSES - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (class_most[middle] < length) low = middle + 1;
        else high = middle;
    }
    return (uint8_t)low;
}

static uint8_t quarter_of(uint64_t count, const quartiles *q) {
    return (uint8_t)((count > q->first) + (count > q->second) + (count > q->third));
}

bool nd_tlsh_make(nd_tlsh_variant variant, const char *bytes, size_t length, nd_tlsh *out) {
    uint64_t counts[MOST_BUCKETS] = {0};
    quartiles q;
    nd_tlsh made = {.variant = (uint8_t)variant};
    if (!nd_tlsh_is_variant((unsigned)variant) || length < ND_TLSH_LEAST_BYTES ||
        length > ND_TLSH_MOST_BYTES)
        return false;
    size_t buckets = 4 * nd_tlsh_body_bytes(made.variant);
    count_triples((const uint8_t *)bytes, length, checksum_bytes(made.variant), made.checksum,
                  counts);
    if (!find_quartiles(counts, buckets, &q)) return false;
    made.length_class = class_of(length);
    made.ratio1 = (uint8_t)(q.first * 100 / q.third % 16);
    made.ratio2 = (uint8_t)(q.second * 100 / q.third % 16);
    for (size_t i = 0; i < buckets; i++)
        made.body[i / 4] |= (uint8_t)(quarter_of(counts[i], &q) << 2 * (i % 4));
    *out = made;
    return true;
}

/* ---- text */

static char *put_digit(char *to, unsigned value) {
    *to = "0123456789ABCDEF"[value];
    return to + 1;
}

/* The low digit first, as the reference writes the bytes of the header. */
static char *put_swapped(char *to, unsigned byte) {
    return put_digit(put_digit(to, byte % 16), byte / 16);
}

size_t nd_tlsh_format(const nd_tlsh *digest, char text[ND_TLSH_TEXT_ROOM]) {
    char *to = text;
    *to++ = 'T';
    *to++ = '1';
    for (unsigned k = 0; k < checksum_bytes(digest->variant); k++)
        to = put_swapped(to, digest->checksum[k]);
    to = put_swapped(to, digest->length_class);
    to = put_digit(put_digit(to, digest->ratio1 % 16u), digest->ratio2 % 16u);
    for (size_t i = nd_tlsh_body_bytes(digest->variant); i-- > 0;)
        to = put_digit(put_digit(to, digest->body[i] / 16u), digest->body[i] % 16u);
    *to = '\0';
    return (size_t)(to - text);
}

/* 16: `c` is not a digit. */
static unsigned digit_value(char c) {
    if (c >= '0' && c <= '9') return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f') return (unsigned)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') return (unsigned)(c - 'A') + 10;
    return 16;
}

static size_t digits_of(unsigned variant) {
    return 2 * (checksum_bytes(variant) + 2 + nd_tlsh_body_bytes(variant));
}

/* The values of the digits are known to be below 16. */
static nd_tlsh read_digits(unsigned variant, const char *text) {
    nd_tlsh read = {.variant = (uint8_t)variant};
    for (unsigned k = 0; k < checksum_bytes(variant); k++, text += 2)
        read.checksum[k] = (uint8_t)(digit_value(text[0]) | digit_value(text[1]) << 4);
    read.length_class = (uint8_t)(digit_value(text[0]) | digit_value(text[1]) << 4);
    read.ratio1 = (uint8_t)digit_value(text[2]);
    read.ratio2 = (uint8_t)digit_value(text[3]);
    text += 4;
    for (size_t i = nd_tlsh_body_bytes(variant); i-- > 0; text += 2)
        read.body[i] = (uint8_t)(digit_value(text[0]) << 4 | digit_value(text[1]));
    return read;
}

nd_status nd_tlsh_parse(const char *text, size_t length, nd_tlsh *out, nd_error *error) {
    ND_TRY(nd_need(text, "text", error));
    ND_TRY(nd_need(out, "out", error));
    size_t prefix = length >= 2 && memcmp(text, "T1", 2) == 0 ? 2 : 0;
    unsigned variant = ND_TLSH_128_1;
    while (nd_tlsh_is_variant(variant) && digits_of(variant) != length - prefix) variant++;
    if (!nd_tlsh_is_variant(variant))
        return nd_fail(error, ND_ERR_INPUT,
                       "a TLSH digest has 70, 74, 134 or 138 hexadecimal digits, not %zu",
                       length - prefix);
    for (size_t i = prefix; i < length; i++)
        if (digit_value(text[i]) > 15)
            return nd_fail(error, ND_ERR_INPUT,
                           "byte %zu of a TLSH digest is 0x%02x: a hexadecimal digit was expected",
                           i, (unsigned char)text[i]);
    *out = read_digits(variant, text + prefix);
    return ND_OK;
}

/* ---- distance */

/* The difference of two numbers on a circle. */
static unsigned circle_difference(unsigned a, unsigned b, unsigned circle) {
    unsigned d = a > b ? a - b : b - a;
    return d < circle - d ? d : circle - d;
}

uint32_t nd_tlsh_length_distance(unsigned a, unsigned b) {
    unsigned d = circle_difference(a, b, 256);
    return d <= 1 ? d : 12 * d;
}

uint32_t nd_tlsh_ratio_distance(unsigned a, unsigned b) {
    unsigned d = circle_difference(a, b, 16);
    return d <= 1 ? d : 12 * (d - 1);
}

static uint32_t body_distance(const uint8_t *a, const uint8_t *b, size_t bytes) {
    static const uint8_t cost[4] = {0, 1, 2, 6};
    uint32_t sum = 0;
    for (size_t i = 0; i < 4 * bytes; i++) {
        int x = a[i / 4] >> 2 * (i % 4) & 3, y = b[i / 4] >> 2 * (i % 4) & 3;
        sum += cost[x > y ? x - y : y - x];
    }
    return sum;
}

uint32_t nd_tlsh_distance(const nd_tlsh *a, const nd_tlsh *b, bool with_length) {
    if (a->variant != b->variant) return UINT32_MAX;
    return (with_length ? nd_tlsh_length_distance(a->length_class, b->length_class) : 0) +
           nd_tlsh_ratio_distance(a->ratio1, b->ratio1) +
           nd_tlsh_ratio_distance(a->ratio2, b->ratio2) +
           (memcmp(a->checksum, b->checksum, sizeof a->checksum) != 0) +
           body_distance(a->body, b->body, nd_tlsh_body_bytes(a->variant));
}
