/* The words kernel of every table: against definitions that are written a second time, plainly, and
 * in turn with the scalar tokenizer against that one alone; on guarded pages. */
#include "kernel_tables.h"

#include "kernel/script_pages.h"
#include "unicode/normalize.h"
#include "unicode/scalar_tokenizer.h"

#include <stdlib.h>
#include <string.h>

static unsigned class_of(uint32_t c) {
    unsigned char one[4];
    size_t bytes = put_utf8(one, c);
    return nd_words_class(one, one + bytes);
}

/* Returns the bytes of the character at text[at] if the kernels accept it behind one with the class
 * *before, else 0. */
static size_t accepted(const char *text, size_t length, size_t at, unsigned *before, uint32_t *c) {
    const unsigned char *p = (const unsigned char *)text;
    *c = 0;
    size_t bytes = nd_utf8_decode(p + at, p + length, c);
    unsigned class = bytes ? nd_words_class(p + at, p + at + bytes) : ND_WORDS_REFUSED;
    if (class == ND_WORDS_REFUSED || nd_words_clash(*before, class)) return 0;
    *before = class;
    return bytes;
}

/* Makes the tokens of text[0, length), whose characters are all accepted: by the tables, one
 * character after the other. */
static size_t plain_words(const char *text, size_t length, const nd_hash_key *key,
                          uint64_t *tokens) {
    unsigned char *token = malloc(length + 4);
    unsigned open = ND_CHAR_NONE, before = 0; /* open: the class of the token's first character */
    size_t count = 0, used = 0;
    for (size_t i = 0; i < length;) {
        uint32_t c, to[3];
        i += accepted(text, length, i, &before, &c);
        unsigned entry = nd_unicode_entry(c), class = entry & ND_CHAR_CLASS;
        bool goes_on = class == ND_CHAR_MARK || (class == ND_CHAR_WORD && open == ND_CHAR_WORD);
        if (open && !goes_on) {
            tokens[count++] = nd_hash_token(key, token, used);
            used = 0;
            open = ND_CHAR_NONE;
        }
        if (!open && class != ND_CHAR_MARK) open = class;
        if (!open) continue;
        for (unsigned k = 0, n = nd_unicode_fold_to(c, entry, to); k < n; k++)
            used += put_utf8(token + used, to[k]);
    }
    if (open) tokens[count++] = nd_hash_token(key, token, used);
    free(token);
    return count;
}

/* Returns the offset up to which the scan must report final tokens: the end, or the beginning of
 * the token, or of the character that is no mark, before a character that is not accepted. */
static size_t plain_final(const char *text, size_t length) {
    size_t last = 0, i = 0;
    unsigned open = ND_CHAR_NONE, before = 0;
    for (size_t bytes; i < length; i += bytes) {
        uint32_t c;
        bytes = accepted(text, length, i, &before, &c);
        if (!bytes) return last;
        unsigned class = nd_unicode_entry(c) & ND_CHAR_CLASS;
        if (class == ND_CHAR_MARK || (class == ND_CHAR_WORD && open == ND_CHAR_WORD)) continue;
        last = i;
        open = class;
    }
    return length;
}

static uint64_t *expected_tokens, *got_tokens;
static size_t *got_ends;
static guarded letter_pages;
#define TOKEN_ROOM 200000

/* The tokens with their letters: the same, up to one that is long. */
static void check_letters(const nd_kernel *kernel, const char *text, size_t length,
                          const nd_hash_key *key, size_t count) {
    nd_token_letters letters = {
        .bytes = guarded_block(letter_pages, length + ND_LETTERS_BEHIND, true), .ends = got_ends};
    size_t consumed,
        got = kernel->words(text, length, key, got_tokens, TOKEN_ROOM, &letters, &consumed);
    assert_true(got <= count && (got == count || length > 64));
    assert_memory_equal(got_tokens, expected_tokens, got * 8);
    for (size_t t = 0, begin = 0; t < got; begin = letters.ends[t++])
        assert_true(nd_hash_token(key, letters.bytes + begin, letters.ends[t] - begin) ==
                    got_tokens[t]);
    assert_int_equal(letters.size, got > 0 ? letters.ends[got - 1] : 0);
}

static void check_words(const char *text, size_t length) {
    nd_hash_key key = nd_hash_key_of(7);
    size_t final_bytes = plain_final(text, length),
           count = plain_words(text, final_bytes, &key, expected_tokens);
    for (size_t t = 0; t < table_count; t++) {
        size_t consumed = SIZE_MAX,
               got = tables[t]->words(text, length, &key, got_tokens, TOKEN_ROOM, NULL, &consumed);
        assert_int_equal(consumed, final_bytes);
        assert_int_equal(got, count);
        assert_memory_equal(got_tokens, expected_tokens, count * 8);
        check_letters(tables[t], text, length, &key, count);
    }
}

/* Words of up to `longest` characters with blanks between, and some other ASCII bytes. */
static void random_text(char *text, size_t length, size_t longest) {
    static const char word_bytes[] =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
    for (size_t i = 0; i < length;) {
        for (size_t n = 1 + below(longest); n > 0 && i < length; n--)
            text[i++] = word_bytes[below(sizeof word_bytes - 1)];
        for (size_t n = below(4); n > 0 && i < length; n--)
            text[i++] = below(3) ? ' ' : (char)below(128);
    }
}

static uint32_t random_latin(void) {
    static const uint32_t odd[] = {0xaa, 0xb5, 0xba, 0xd7, 0xf7,   0xdf,   0xdf,   0xc0,
                                   0xde, 0xff, 0xa0, 0x80, 0x2010, 0x2027, 0x202f, 0x203e};
    switch (below(4)) {
    case 0: return odd[below(sizeof odd / sizeof *odd)];
    case 1: return (uint32_t)(below(2) ? 0x2010 + below(0x18) : 0x202f + below(0x10));
    default: return (uint32_t)(0x80 + below(0x80));
    }
}

/* Returns a Han character, sometimes a sign that may be between Han characters; of both also the
 * first and last of each row. */
static uint32_t random_han(void) {
    static const uint32_t odd[] = {0x4e00, 0x4e3f, 0x4fff, 0x5000, 0x8fff, 0x9000, 0x9fff, 0x3000,
                                   0x3004, 0x3008, 0x3020, 0xff01, 0xff0f, 0xff1a, 0xff20, 0xff3b,
                                   0xff3e, 0xff40, 0xff5b, 0xff5f, 0xff60, 0xff65};
    switch (below(6)) {
    case 0: return odd[below(sizeof odd / sizeof *odd)];
    case 1: return (uint32_t)(below(2) ? 0x3008 + below(0x19) : 0xff01 + below(15));
    default: return (uint32_t)(0x4e00 + below(0x5200));
    }
}

/* Returns a character of a script, mostly the one of the call before. */
static uint32_t random_script(void) {
    /* Greek, Cyrillic, Armenian, Hebrew, Arabic, Devanagari, Bengali, Tamil, Sinhala, Thai, Lao,
     * Tibetan, Myanmar, Georgian, Khmer, Latin with marks, signs, kana, Hangul, Tifinagh, capitals
     * of Georgian, emoji; and any. */
    static const uint32_t ranges[][2] = {
        {0x370, 0x400},   {0x400, 0x530},     {0x530, 0x590},   {0x590, 0x600},   {0x600, 0x700},
        {0x900, 0x980},   {0x980, 0xa00},     {0xb80, 0xc00},   {0xd80, 0xe00},   {0xe00, 0xe80},
        {0xe80, 0xf00},   {0xf00, 0x1000},    {0x1000, 0x10a0}, {0x10a0, 0x1100}, {0x1780, 0x1800},
        {0x1e00, 0x1f00}, {0x2000, 0x2200},   {0x3040, 0x3100}, {0xac00, 0xd7b0}, {0x2d30, 0x2d80},
        {0x1c90, 0x1cc0}, {0x1f000, 0x20000}, {0x80, 0xd800},   {0xe000, 0x10000}};
    static size_t at;
    if (below(20) == 0) at = below(sizeof ranges / sizeof *ranges);
    return (uint32_t)(ranges[at][0] + below(ranges[at][1] - ranges[at][0]));
}

/* The same as random_text, but one of `rarity` characters is not ASCII. Of these, `share` in 8 are
 * of other scripts than Latin. All are accepted. */
static void accepted_text(char *text, size_t length, size_t longest, size_t rarity, size_t share) {
    random_text(text, length, longest);
    unsigned before = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char one[4];
        unsigned last = before;
        before = 0;
        if (below(rarity)) continue;
        bool latin = below(8) >= share;
        uint32_t c = latin ? random_latin() : below(3) ? random_script() : random_han();
        unsigned class = class_of(c);
        if (class == ND_WORDS_REFUSED || nd_words_clash(last, class)) continue;
        if (longest > 100 && (class & 1) + (class >> 1 & 1) != 1) continue;
        size_t bytes = put_utf8(one, c);
        if (bytes > length - i) continue;
        memcpy(text + i, one, bytes);
        i += bytes - 1;
        before = class;
    }
}

static void latin_text(char *text, size_t length, size_t longest, size_t rarity) {
    accepted_text(text, length, longest, rarity, 0);
}

static void test_words_lengths(void **state) {
    (void)state;
    static const size_t longest[] = {1, 9, 20, 70, 5000};
    guarded pages = guarded_make(12345);
    for (size_t e = 0; e < EDGE_LENGTHS; e++)
        for (size_t k = 0; k < 5; k++) {
            char *text = guarded_block(pages, edge_length(e), (e + k) % 2);
            random_text(text, edge_length(e), longest[k]);
            check_words(text, edge_length(e));
            latin_text(text, edge_length(e), longest[k], 1 + below(40));
            check_words(text, edge_length(e));
            accepted_text(text, edge_length(e), longest[k], 1 + below(k % 2 ? 3 : 40),
                          1 + below(8));
            check_words(text, edge_length(e));
        }
    guarded_free(pages);
}

static void test_words_every_byte(void **state) {
    (void)state;
    char text[3 * 128];
    for (unsigned c = 0; c < 128; c++)
        text[3 * c] = 'x', text[3 * c + 1] = (char)c, text[3 * c + 2] = ' ';
    for (size_t shift = 0; shift < 64; shift++) check_words(text + shift, sizeof text - shift);
    for (unsigned c = 128; c < 256; c++) {
        text[77] = (char)c; /* not a character */
        check_words(text, sizeof text);
    }
}

static void test_words_not_ascii(void **state) {
    (void)state;
    guarded pages = guarded_make(200);
    for (size_t round = 0; round < 40; round++)
        for (size_t at = 0; at < 200; at++) {
            char *text = guarded_block(pages, 200, at % 2);
            accepted_text(text, 200, round < 20 ? 8 : 150, round % 4 ? 3 : 200, round % 9);
            text[at] = (char)(128 + below(128));
            if (below(2)) text[at + below(200 - at)] = (char)(128 + below(128));
            check_words(text, 200);
        }
    guarded_free(pages);
}

/* Whether the kernels accept a character, by the tables of unicode_data.h. */
static bool may_accept(uint32_t c) {
    unsigned entry = nd_unicode_entry(c);
    unsigned char from[4], to[12];
    uint32_t folded[3];
    if (c < 0x80) return true;
    if ((c >= 0x10000 && (c < 0x1f000 || c >= 0x20000)) || (c >= 0x300 && c < 0x370)) return false;
    if (entry & ND_CHAR_NO) return false;
    if (entry & ND_CHAR_NOT_BOUNDARY && (entry & ND_CHAR_CLASS) != ND_CHAR_MARK) return false;
    size_t bytes = put_utf8(from, c), used = 0, folds = nd_unicode_fold_to(c, entry, folded);
    for (size_t k = 0; k < folds; k++) used += put_utf8(to + used, folded[k]);
    return used == bytes && (bytes < 3 || memcmp(from, to, bytes - 2) == 0);
}

/* The tables of the pages say of each character what the tables of unicode_data.h say. */
static void test_words_set(void **state) {
    (void)state;
    unsigned highest[8] = {0}, lowest[8] = {0, 255, 255, 255, 255, 255, 255, 255};
    for (uint32_t c = 0; c < 0x110000; c++) {
        if (c >= 0xd800 && c < 0xe000) continue;
        unsigned entry = nd_unicode_entry(c), class = class_of(c), order = class >> 5,
                 ccc = nd_unicode_record_of(entry)->ccc;
        assert_int_equal(class != ND_WORDS_REFUSED, may_accept(c));
        if (c < 0x80) assert_int_equal(class, 0);
        if (c < 0x80 || class == ND_WORDS_REFUSED) continue;
        assert_int_equal(class & ND_WORDS_CLASS, entry & ND_CHAR_CLASS);
        assert_int_equal((class & ND_WORDS_AFTER) != 0, (entry & ND_CHAR_NOT_BOUNDARY) != 0);
        if (class & ND_WORDS_AFTER)
            assert_int_equal((class & ND_WORDS_MAYBE) != 0, (entry & ND_CHAR_MAYBE) != 0);
        assert_int_equal(order == 0, ccc == 0);
        if (highest[order] < ccc) highest[order] = ccc;
        if (lowest[order] > ccc) lowest[order] = ccc;
    }
    for (size_t order = 1; order < 8; order++) assert_true(highest[order - 1] < lowest[order]);
}

/* Whether two characters change under NFC. */
static bool changes(uint32_t first, uint32_t second) {
    unsigned char text[8];
    nd_cluster cluster = {.allocator = nd_allocator_default};
    nd_error error;
    size_t length = put_utf8(text, first), end;
    length += put_utf8(text + length, second);
    assert_int_equal(nd_cluster_normalize(&cluster, text, length, 0, &end, &error), ND_OK);
    bool same = cluster.count == 2 && cluster.chars[0] == first && cluster.chars[1] == second;
    nd_cluster_clear(&cluster);
    return !same;
}

/* A mark that changes under NFC behind an accepted character clashes with it, and none does so
 * behind ASCII or Latin-1. */
static void test_words_clashes(void **state) {
    (void)state;
    size_t seen = 0;
    for (uint32_t mark = 0x80; mark < 0x10000; mark++) {
        unsigned class = class_of(mark);
        if (class == ND_WORDS_REFUSED || !(class & ND_WORDS_AFTER)) continue;
        /* Marks that cannot compose are tried behind every 61st character. */
        uint32_t step = class & ND_WORDS_MAYBE ? 1 : 61;
        for (uint32_t c = 0x20; c < 0x10000; c += c < 0x100 ? 1 : step) {
            unsigned before = class_of(c);
            if (before == ND_WORDS_REFUSED || !changes(c, mark)) continue;
            seen++;
            assert_true(c >= 0x100 && nd_words_clash(before, class));
        }
    }
    assert_true(seen > 100);
}

/* Each accepted character is tried inside a word and alone. */
static void test_words_characters(void **state) {
    (void)state;
    for (uint32_t c = 0; c < 0x20000; c++) {
        unsigned char one[4];
        char text[100];
        unsigned class = class_of(c);
        if ((c >= 0xd800 && c < 0xe000) || class == ND_WORDS_REFUSED) continue;
        size_t bytes = put_utf8(one, c);
        bool often = c < 0x3000 || c % 16 == 0;
        for (size_t at = often ? 50 : 50 + c % 20; at < (often ? 70 : 51 + c % 20); at++) {
            memset(text, 'x', sizeof text);
            text[at - 1] = at % 2 ? ' ' : 'X';
            memcpy(text + at, one, bytes);
            text[at + bytes] = at % 3 ? ' ' : 'Y';
            check_words(text, sizeof text);
            check_words(text, at + bytes);
            check_words(text + at, bytes);
        }
    }
}

/* Every character is tried inside a word at varying offsets. The kernels stop at those that are
 * refused. */
static void test_words_every_character(void **state) {
    (void)state;
    char text[140];
    for (uint32_t c = 0; c < 0x110000; c++) {
        if (c >= 0xd800 && c < 0xe000) continue;
        memset(text, 'x', sizeof text);
        put_utf8((unsigned char *)text + 32 + c % 96, c);
        text[32 + (c / 96) % 96] = ' ';
        check_words(text, sizeof text);
    }
}

/* Inputs that stop the kernels: characters, then bytes that are not UTF-8. */
static const char *const stop_characters[] = {
    "\u0301",       "\u0338",       "\u0130",       "\u1e9e",      "\u0958",
    "\u10a0",       "\u1161",       "\u212a",       "\u2000",      "\uf900",
    "\ufa20",       "\ufb01",       "\U00020000",   "\U000e0100",  "\u09c7\u09be",
    "\u304b\u3099", "\u0627\u0654", "\u0e49\u0e38", "\u0928\u093c"};
static const char *const stop_bytes[] = {"\x80",
                                         "\x97",
                                         "\xbf",
                                         "\xc0\xaf",
                                         "\xc1",
                                         "\xc2",
                                         "\xc3",
                                         "\xc3\xc3\xa9",
                                         "\xc3x",
                                         "\xe2",
                                         "\xe2\x80",
                                         "\xe2\x80x",
                                         "\xe2x\x94",
                                         "\xe2\xe2\x80\x94",
                                         "\xe4",
                                         "\xe6\xbc",
                                         "\xe6x\xa2",
                                         "\xe6\xbcx",
                                         "\xe6\xe6\xbc\xa2",
                                         "\xe4\xb8\xe4\xb8\x80",
                                         "\xe4\xe4\xb8\x80",
                                         "\xe3\x80",
                                         "\xe3\x80x",
                                         "\xef\xbc",
                                         "\xef\xbd\xc2\xa0",
                                         "\xe5\xbf\xc3",
                                         "\xf0",
                                         "\xf0\x9f",
                                         "\xf0\x9f\x98",
                                         "\xf0\x9fx\x80",
                                         "\xf0\x9e\x98\x80",
                                         "\xf1\x9f\x98\x80",
                                         "\xe0\x9f\xbf",
                                         "\xed\xa0\x80",
                                         "\xd1",
                                         "\xd1\xd1\x8f",
                                         "\xff"};
#define CHARACTERS (sizeof stop_characters / sizeof *stop_characters)
#define STOPPERS (CHARACTERS + sizeof stop_bytes / sizeof *stop_bytes)

static const char *stopper_of(size_t i) {
    return i < CHARACTERS ? stop_characters[i] : stop_bytes[i - CHARACTERS];
}

/* Each is tried at every offset of a text: behind a character, across the seams between blocks and
 * chunks, and cut short by the end. */
static void test_words_stoppers(void **state) {
    (void)state;
    guarded pages = guarded_make(200 + 64);
    for (size_t round = 0; round < 6; round++)
        for (size_t stopper = 0; stopper < STOPPERS; stopper++)
            for (size_t at = 0; at < 200; at++) {
                char *text = guarded_block(pages, 200 + below(64), at % 2);
                accepted_text(text, 200, round % 3 == 2 ? 150 : 8, 1 + below(30),
                              round < 3 ? 0 : below(9));
                size_t bytes = strlen(stopper_of(stopper));
                memcpy(text + at, stopper_of(stopper), bytes < 200 - at ? bytes : 200 - at);
                check_words(text, 200);
                if (round % 2) check_words(text, at + 1);
            }
    guarded_free(pages);
}

/* The kernels take it for granted that an accepted character of a script without spaces has three
 * bytes. */
static void test_words_unspaced(void **state) {
    (void)state;
    size_t found = 0;
    for (uint32_t c = 0x80; c < 0x20000; c++) {
        unsigned char one[4];
        unsigned class = c >> 11 == 0x1b ? ND_WORDS_REFUSED : class_of(c); /* no surrogate */
        if (class == ND_WORDS_REFUSED || (class & ND_WORDS_CLASS) != ND_WORDS_UNSPACED) continue;
        assert_int_equal(put_utf8(one, c), 3);
        found++;
    }
    assert_true(found > 27000); /* Han alone has 27,500 in the basic plane */
}

/* Han at every offset relative to the seams between blocks and chunks, in several kinds of text.
 * Behind it the text ends or goes on, or a character belongs to it or stops the kernels. */
static void test_words_han(void **state) {
    (void)state;
    static const char *const fills[] = {
        "x",      " ",       "x ",      "\u00c9",       "\u5b57",       "x\u5b57", "\u5b57 ",
        "\u3002", "\uff0cQ", "\u0436 ", "\u0416\u0437", "\u0e01\u0e31", "\u200d",  "\u0915\u093f"};
    static const char *const after[] = {"",       "x",      " ",          "\u00e9",   "\u5b57",
                                        "\u3002", "\u0301", "\ufe00",     "\u200d",   "\u3099",
                                        "\u302a", "\u304b", "\U00020000", "\xe5\xad", "\xe5"};
    static const size_t seams[] = {64, 128, 4096};
    guarded pages = guarded_make(4096 + 300);
    for (size_t seam = 0; seam < 3; seam++)
        for (size_t at = seams[seam] - 64; at < seams[seam] + 70; at++)
            for (size_t fill = 0; fill < sizeof fills / sizeof *fills; fill++)
                for (size_t next = 0; next < sizeof after / sizeof *after; next++) {
                    size_t width = strlen(fills[fill]), length = at + 3 + strlen(after[next]),
                           more = at % 3 ? 0 : 100;
                    char *text = guarded_block(pages, length + more, true);
                    memset(text, 'y', length + more);
                    for (size_t i = at % width; i < at; i++)
                        text[i] = fills[fill][(i - at % width) % width];
                    memcpy(text + at, "\u6f22", 3);
                    memcpy(text + at + 3, after[next], strlen(after[next]));
                    check_words(text, length + more);
                }
    guarded_free(pages);
}

/* Scans as an analyzer does: the kernel and the scalar tokenizer in turn. The tokens must be those
 * that the scalar tokenizer makes alone. */
static void check_alternating(const char *text, size_t length) {
    nd_token_sink scalar = {.allocator = nd_allocator_default, .key = nd_hash_key_of(7)};
    nd_error error;
    size_t stopped;
    nd_status status = nd_scan_words(&scalar, text, length, 0, false, &stopped, &error);
    for (size_t t = 0; t < table_count; t++) {
        nd_token_sink sink = {.allocator = nd_allocator_default, .key = scalar.key};
        nd_status ended = ND_OK;
        for (size_t at = 0; at < length && ended == ND_OK;) {
            size_t final_bytes;
            assert_true(nd_reserve(&sink.allocator, &sink.hashes, &sink.capacity,
                                   sink.count + 64 + below(300)));
            sink.count += tables[t]->words(text + at, length - at, &sink.key,
                                           sink.hashes + sink.count, sink.capacity - sink.count,
                                           NULL, &final_bytes);
            at += final_bytes;
            if (at == length || sink.capacity - sink.count < 64) continue;
            size_t before = at;
            ended = nd_scan_words(&sink, text, length, at, true, &at, &error);
            assert_true(ended != ND_OK || at > before);
        }
        assert_int_equal(ended, status);
        if (status == ND_OK) {
            assert_int_equal(sink.count, scalar.count);
            if (sink.count) assert_memory_equal(sink.hashes, scalar.hashes, sink.count * 8);
        }
        free(sink.hashes);
    }
    free(scalar.hashes);
}

static void test_words_turns(void **state) {
    (void)state;
    guarded pages = guarded_make(9000);
    for (size_t round = 0; round < 6000; round++) {
        size_t length = below(round % 20 ? 500 : 9000), longest = round % 7 ? 12 : 400,
               rare = 1 + below(8);
        char *text = guarded_block(pages, length, round % 2);
        accepted_text(text, length, longest, 1 + below(round % 3 ? 30 : 2),
                      round % 2 ? 0 : below(9));
        for (size_t n = below(4 * rare); n > 0 && length > 8; n--) {
            const char *stopper = stopper_of(below(below(30) ? CHARACTERS : STOPPERS));
            size_t at = below(length - 8);
            while (at < length && ((unsigned char)text[at] & 0xc0) == 0x80) at++;
            if (at + 8 > length) continue;
            memcpy(text + at, stopper, strlen(stopper));
            /* Skips the remaining bytes of a character. */
            for (at += strlen(stopper); at < length && ((unsigned char)text[at] & 0xc0) == 0x80;
                 at++)
                text[at] = 'z';
        }
        check_alternating(text, length);
    }
    guarded_free(pages);
}

/* One word that ends before, at and behind each of the seams. It is ASCII or not, and nothing, a
 * character or a stopping character follows it. */
static void test_words_long(void **state) {
    (void)state;
    static const size_t ends[] = {4033, 4095, 4096, 4097, 4159, 4160, 4161, 8192, 70000};
    static const char *const letters[] = {"Q",      "\xc3\x84",     "r\xc3\x9f", "\xc2\xb5Zyxwvut",
                                          "\u042f", "\u0915\u093f", "\u200d"};
    static const char *const after[] = {"",       ".",      "\u2014", "\u00d7", "\u0301",
                                        "\u6f22", "\u3002", "\u0436", "\u094d"};
    const size_t step = 70 / test_rounds(70);
    char *text = malloc(80000);
    for (size_t i = 0; i < 9; i++)
        for (size_t start = 0; start < 70; start += step + below(9))
            for (size_t letter = 0; letter < sizeof letters / sizeof *letters; letter++)
                for (size_t tail = 0; tail < sizeof after / sizeof *after; tail++) {
                    size_t width = strlen(letters[letter]), length = start;
                    memset(text, ' ', start);
                    /* The last of the letters are marks behind an unspaced character. */
                    if (letter + 1 == sizeof letters / sizeof *letters) {
                        memcpy(text + length, "\u6f22", 3);
                        length += 3;
                    }
                    for (; length + width <= ends[i]; length += width)
                        memcpy(text + length, letters[letter], width);
                    memcpy(text + length, after[tail], strlen(after[tail]));
                    length += strlen(after[tail]);
                    check_words(text, length);
                    memset(text + length, 'Q', 100);
                    check_words(text, length + 100);
                }
    free(text);
}

/* A scan with little room for tokens continues where it stopped. */
static void test_words_room(void **state) {
    (void)state;
    nd_hash_key key = nd_hash_key_of(9);
    guarded pages = guarded_make(400 * 8);
    char *text = malloc(20000);
    for (size_t round = 0; round < 60; round++) {
        size_t length = 10000 + below(2500) * 4, room = 64 + below(300);
        accepted_text(text, length,
                      round % 3 == 0   ? 1
                      : round % 3 == 1 ? 12
                                       : 1000,
                      round % 2 ? length : 1 + below(30), round % 4 ? 0 : 8);
        for (size_t i = 0; round % 10 == 0 && i < length; i += 4)
            memcpy(text + i, "x\u6f22", 4); /* the most tokens that are possible */
        size_t count = plain_words(text, length, &key, expected_tokens);
        for (size_t t = 0; t < table_count; t++) {
            uint64_t *tokens = guarded_block(pages, room * 8, true);
            size_t at = 0, done = 0;
            while (at < length) {
                size_t consumed, got = tables[t]->words(text + at, length - at, &key, tokens, room,
                                                        NULL, &consumed);
                assert_true(consumed > 0 && got <= room);
                memcpy(got_tokens + done, tokens, got * 8);
                done += got;
                at += consumed;
            }
            assert_int_equal(at, length);
            assert_int_equal(done, count);
            assert_memory_equal(got_tokens, expected_tokens, count * 8);
        }
    }
    free(text);
    guarded_free(pages);
}

int main(void) {
    table_count = nd_kernel_all(tables);
    expected_tokens = malloc(TOKEN_ROOM * 8);
    got_tokens = malloc(TOKEN_ROOM * 8);
    got_ends = malloc(TOKEN_ROOM * sizeof *got_ends);
    letter_pages = guarded_make(TOKEN_ROOM);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_lengths),
        cmocka_unit_test(test_words_every_byte),
        cmocka_unit_test(test_words_not_ascii),
        cmocka_unit_test(test_words_set),
        cmocka_unit_test(test_words_clashes),
        cmocka_unit_test(test_words_characters),
        cmocka_unit_test(test_words_every_character),
        cmocka_unit_test(test_words_stoppers),
        cmocka_unit_test(test_words_unspaced),
        cmocka_unit_test(test_words_han),
        cmocka_unit_test(test_words_turns),
        cmocka_unit_test(test_words_long),
        cmocka_unit_test(test_words_room),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(expected_tokens);
    free(got_tokens);
    free(got_ends);
    guarded_free(letter_pages);
    return failed;
}
