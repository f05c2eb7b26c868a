/* Scripts are told by ranges of code points, most of them whole blocks. That is coarser than the
 * property Script, but a text has most letters in the blocks of its script. */
#include "unicode/dominant_script.h"

#include "unicode/unicode_data.h"

#include <stdbool.h>

/* A sample has so many pieces of so many bytes. */
enum { PIECES = 4, PIECE_BYTES = 32 };

typedef struct script_range {
    uint32_t first, last;
    nd_script script;
} script_range;

static const script_range ranges[] = {
    {0x00aa, 0x00aa, ND_SCRIPT_LATIN},      {0x00ba, 0x00ba, ND_SCRIPT_LATIN},
    {0x00c0, 0x02af, ND_SCRIPT_LATIN},      {0x0370, 0x03ff, ND_SCRIPT_GREEK},
    {0x0400, 0x052f, ND_SCRIPT_CYRILLIC},   {0x0531, 0x058f, ND_SCRIPT_ARMENIAN},
    {0x0591, 0x05f4, ND_SCRIPT_HEBREW},     {0x0600, 0x06ff, ND_SCRIPT_ARABIC},
    {0x0750, 0x077f, ND_SCRIPT_ARABIC},     {0x0870, 0x08ff, ND_SCRIPT_ARABIC},
    {0x0900, 0x097f, ND_SCRIPT_DEVANAGARI}, {0x0980, 0x09ff, ND_SCRIPT_BENGALI},
    {0x0a00, 0x0a7f, ND_SCRIPT_GURMUKHI},   {0x0a80, 0x0aff, ND_SCRIPT_GUJARATI},
    {0x0b00, 0x0b7f, ND_SCRIPT_ORIYA},      {0x0b80, 0x0bff, ND_SCRIPT_TAMIL},
    {0x0c00, 0x0c7f, ND_SCRIPT_TELUGU},     {0x0c80, 0x0cff, ND_SCRIPT_KANNADA},
    {0x0d00, 0x0d7f, ND_SCRIPT_MALAYALAM},  {0x0d80, 0x0dff, ND_SCRIPT_SINHALA},
    {0x0e00, 0x0e7f, ND_SCRIPT_THAI},       {0x0e80, 0x0eff, ND_SCRIPT_LAO},
    {0x0f00, 0x0fff, ND_SCRIPT_TIBETAN},    {0x1000, 0x109f, ND_SCRIPT_MYANMAR},
    {0x10a0, 0x10ff, ND_SCRIPT_GEORGIAN},   {0x1100, 0x11ff, ND_SCRIPT_HANGUL},
    {0x1200, 0x139f, ND_SCRIPT_ETHIOPIC},   {0x1780, 0x17ff, ND_SCRIPT_KHMER},
    {0x1c80, 0x1c8f, ND_SCRIPT_CYRILLIC},   {0x1c90, 0x1cbf, ND_SCRIPT_GEORGIAN},
    {0x1e00, 0x1eff, ND_SCRIPT_LATIN},      {0x1f00, 0x1fff, ND_SCRIPT_GREEK},
    {0x2c60, 0x2c7f, ND_SCRIPT_LATIN},      {0x2d00, 0x2d2f, ND_SCRIPT_GEORGIAN},
    {0x2d80, 0x2ddf, ND_SCRIPT_ETHIOPIC},   {0x2de0, 0x2dff, ND_SCRIPT_CYRILLIC},
    {0x2e80, 0x2fdf, ND_SCRIPT_HAN},        {0x3005, 0x3007, ND_SCRIPT_HAN},
    {0x3041, 0x30ff, ND_SCRIPT_KANA},       {0x3130, 0x318f, ND_SCRIPT_HANGUL},
    {0x31f0, 0x31ff, ND_SCRIPT_KANA},       {0x3400, 0x4dbf, ND_SCRIPT_HAN},
    {0x4e00, 0x9fff, ND_SCRIPT_HAN},        {0xa640, 0xa69f, ND_SCRIPT_CYRILLIC},
    {0xa720, 0xa7ff, ND_SCRIPT_LATIN},      {0xa8e0, 0xa8ff, ND_SCRIPT_DEVANAGARI},
    {0xa960, 0xa97f, ND_SCRIPT_HANGUL},     {0xab30, 0xab6f, ND_SCRIPT_LATIN},
    {0xac00, 0xd7ff, ND_SCRIPT_HANGUL},     {0xf900, 0xfaff, ND_SCRIPT_HAN},
    {0xfb1d, 0xfb4f, ND_SCRIPT_HEBREW},     {0xfb50, 0xfdff, ND_SCRIPT_ARABIC},
    {0xfe70, 0xfefc, ND_SCRIPT_ARABIC},     {0xff21, 0xff5a, ND_SCRIPT_LATIN},
    {0xff66, 0xff9f, ND_SCRIPT_KANA},       {0x20000, 0x3ffff, ND_SCRIPT_HAN},
};
enum { RANGES = sizeof ranges / sizeof *ranges };

static bool is_letter(uint32_t cp) {
    unsigned class = nd_unicode_entry(cp) & ND_CHAR_CLASS;
    return class == ND_CHAR_WORD || class == ND_CHAR_UNSPACED;
}

/* The last range that begins at or before the code point; the first one, if none does. */
static const script_range *find_range(uint32_t cp) {
    size_t low = 0, high = RANGES;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (ranges[middle].first <= cp) low = middle;
        else high = middle;
    }
    return &ranges[low];
}

/* Decodes the character at `at`, and returns its length; 0: the text ends in it. */
static size_t decode(const unsigned char *at, size_t left, uint32_t *cp) {
    size_t size = *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
    if (size > left) return 0;
    *cp = *at & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) *cp = *cp << 6 | (at[i] & 0x3f);
    return size;
}

/* Whether a whole piece is ASCII; then *letters is the number of its letters. Without branches,
 * because nearly all documents of most corpora take this way. */
static bool count_ascii(const unsigned char *piece, unsigned *letters) {
    unsigned char high = 0, count = 0;
    for (size_t i = 0; i < PIECE_BYTES; i++) {
        high |= piece[i];
        count = (unsigned char)(count + ((unsigned char)((piece[i] | 0x20) - 'a') < 26));
    }
    *letters = count;
    return high < 0x80;
}

/* Counts the letters of text[begin, end). *near is the range of the last letter that was not ASCII:
 * most often the next one is in it, too. */
static void count_piece(const unsigned char *text, size_t length, size_t begin, size_t end,
                        const script_range **near, unsigned counts[ND_SCRIPTS]) {
    const script_range *r = *near;
    unsigned of_range = 0, latin = 0;
    while (begin < end) {
        unsigned char byte = text[begin];
        uint32_t cp;
        if (byte < 0xc0) { /* ASCII, or a piece begins inside a character */
            latin += (unsigned)((byte | 0x20) - 'a') < 26;
            begin++;
            continue;
        }
        size_t size = decode(text + begin, length - begin, &cp);
        if (size == 0) break;
        begin += size;
        if (cp < r->first || cp > r->last) {
            counts[r->script] += of_range;
            of_range = 0;
            r = find_range(cp);
        }
        if (cp <= r->last && cp >= r->first) of_range++;
        else counts[ND_SCRIPT_OTHER] += is_letter(cp);
    }
    counts[r->script] += of_range;
    counts[ND_SCRIPT_LATIN] += latin;
    *near = r;
}

nd_script nd_dominant_script(const char *text, size_t length) {
    const unsigned char *bytes = (const unsigned char *)text;
    const script_range *near = ranges;
    unsigned counts[ND_SCRIPTS] = {0}, letters;
    size_t step = length / PIECES;
    nd_script most = ND_SCRIPT_NONE;
    if (step < PIECE_BYTES) count_piece(bytes, length, 0, length, &near, counts);
    for (size_t i = 0; step >= PIECE_BYTES && i < PIECES; i++)
        if (count_ascii(bytes + i * step, &letters)) counts[ND_SCRIPT_LATIN] += letters;
        else count_piece(bytes, length, i * step, i * step + PIECE_BYTES, &near, counts);
    for (nd_script s = ND_SCRIPT_OTHER; s < ND_SCRIPTS; s++)
        if (counts[s] > counts[most]) most = s;
    return most;
}

const char *nd_script_name(nd_script script) {
    static const char *const names[ND_SCRIPTS] = {
        "none",    "other",      "Latin",     "Greek",    "Cyrillic", "Armenian", "Hebrew",
        "Arabic",  "Devanagari", "Bengali",   "Gurmukhi", "Gujarati", "Oriya",    "Tamil",
        "Telugu",  "Kannada",    "Malayalam", "Sinhala",  "Thai",     "Lao",      "Tibetan",
        "Myanmar", "Georgian",   "Hangul",    "Ethiopic", "Khmer",    "Kana",     "Han"};
    return names[script];
}
