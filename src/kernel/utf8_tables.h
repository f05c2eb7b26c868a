/* The tables of utf8_blocks.h: the errors that two adjacent bytes may be, by the high half of the
 * first byte, its low half, and the high half of the second byte. There is an error if all three
 * tables have its bit. */
#ifndef ND_KERNEL_UTF8_TABLES_H
#define ND_KERNEL_UTF8_TABLES_H

enum {
    UTF8_SHORT = 1,       /* lead, then not a continuation */
    UTF8_LONG = 2,        /* ASCII, then a continuation */
    UTF8_OVERLONG_3 = 4,  /* E0 80..9F */
    UTF8_LARGE = 8,       /* F4 90..BF, F5..FF 90..BF: above U+10FFFF */
    UTF8_SURROGATE = 16,  /* ED A0..BF */
    UTF8_OVERLONG_2 = 32, /* C0, C1 */
    UTF8_OVERLONG_4 = 64, /* F0 80..8F */
    UTF8_LARGE_1000 = 64, /* F5..FF 80..8F; shares the bit, because the second bytes are the same
                             and the first bytes are others */
    UTF8_CONTINUES =
        128, /* two continuations: an error unless the second is a third or fourth byte */
    UTF8_ANY_LOW = UTF8_SHORT | UTF8_LONG |
                   UTF8_CONTINUES /* the low half of the first byte does not matter */
};

#define UTF8_F (UTF8_ANY_LOW | UTF8_LARGE | UTF8_LARGE_1000)
#define UTF8_8 (UTF8_LONG | UTF8_OVERLONG_2 | UTF8_CONTINUES)

static const unsigned char utf8_first_high[16] = {
    UTF8_LONG,
    UTF8_LONG,
    UTF8_LONG,
    UTF8_LONG,
    UTF8_LONG,
    UTF8_LONG,
    UTF8_LONG,
    UTF8_LONG,
    UTF8_CONTINUES,
    UTF8_CONTINUES,
    UTF8_CONTINUES,
    UTF8_CONTINUES,
    UTF8_SHORT | UTF8_OVERLONG_2,
    UTF8_SHORT,
    UTF8_SHORT | UTF8_OVERLONG_3 | UTF8_SURROGATE,
    UTF8_SHORT | UTF8_LARGE | UTF8_LARGE_1000 | UTF8_OVERLONG_4,
};
static const unsigned char utf8_first_low[16] = {
    UTF8_ANY_LOW | UTF8_OVERLONG_2 | UTF8_OVERLONG_3 | UTF8_OVERLONG_4,
    UTF8_ANY_LOW | UTF8_OVERLONG_2,
    UTF8_ANY_LOW,
    UTF8_ANY_LOW,
    UTF8_ANY_LOW | UTF8_LARGE,
    UTF8_F,
    UTF8_F,
    UTF8_F,
    UTF8_F,
    UTF8_F,
    UTF8_F,
    UTF8_F,
    UTF8_F,
    UTF8_F | UTF8_SURROGATE,
    UTF8_F,
    UTF8_F,
};
static const unsigned char utf8_second_high[16] = {
    UTF8_SHORT,
    UTF8_SHORT,
    UTF8_SHORT,
    UTF8_SHORT,
    UTF8_SHORT,
    UTF8_SHORT,
    UTF8_SHORT,
    UTF8_SHORT,
    UTF8_8 | UTF8_OVERLONG_3 | UTF8_OVERLONG_4 | UTF8_LARGE_1000,
    UTF8_8 | UTF8_OVERLONG_3 | UTF8_LARGE,
    UTF8_8 | UTF8_SURROGATE | UTF8_LARGE,
    UTF8_8 | UTF8_SURROGATE | UTF8_LARGE,
    UTF8_SHORT,
    UTF8_SHORT,
    UTF8_SHORT,
    UTF8_SHORT,
};

#endif
