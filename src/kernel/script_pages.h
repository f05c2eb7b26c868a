/* The characters that the words kernels accept, with all that they need to know of each. The tables
 * are generated (scripts/make-unicode-tables) from the same data as unicode_data.h.
 *
 * A page is the 64 characters whose UTF-8 differs in the last byte alone. The kernels accept a
 * character of the basic plane, or an emoji (U+1F000-1FFFF), if
 *  - it stays as it is under NFC, and changes no ASCII or Latin-1 character before it;
 *  - it begins a cluster, or is a mark;
 *  - folding keeps its length in bytes, and all bytes but the last two.
 * ASCII is in no page: it is always accepted.
 *
 * An accepted mark may change other characters than these under NFC (ND_WORDS_AFTER). The kernels
 * stop at such a mark if it clashes with the character before it (nd_words_clash). */
#ifndef ND_KERNEL_SCRIPT_PAGES_H
#define ND_KERNEL_SCRIPT_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The class of a character: its class in unicode_data.h (none, word, mark, unspaced), and these
 * bits. */
enum {
    ND_WORDS_CLASS = 0x03,
    ND_WORDS_NONE = 0,
    ND_WORDS_WORD = 1,
    ND_WORDS_MARK = 2,
    ND_WORDS_UNSPACED = 3,
    ND_WORDS_FORWARD = 0x08, /* without AFTER: an accepted character may compose with it */
    ND_WORDS_MAYBE = 0x08,   /* with AFTER: it may compose with the character before it */
    ND_WORDS_AFTER = 0x10,   /* a mark that composes, or has a combining class */
    ND_WORDS_ORDER = 0xe0,   /* grows with the combining class; 0: the class is 0 */
    ND_WORDS_REFUSED = 0xff
};

/* A page: the numbers of its tables; 1 + the class, if all its characters are of one class without
 * more bits, otherwise 0; the bytes of a character; and the first and the last page around it with
 * the same tables, each by its leading byte and the byte behind that one. (Of four bytes: by its
 * third byte.) So the Han characters from U+4E00 on are looked up together, and Hangul. */
typedef struct nd_script_page {
    uint8_t classes, folds, only_class, length;
    uint8_t lead_first, lead_last, second_first, second_last;
} nd_script_page;

/* 32 pages of two bytes, by the leading byte; 1,024 of three bytes, by the leading byte and the
 * one behind it; 64 of four bytes that begin with F0 9F, by the third byte; and one of all others.
 */
#define ND_SCRIPT_PAGES 1121
extern const nd_script_page nd_script_pages[ND_SCRIPT_PAGES];

/* Tables by the low six bits of a character's last byte. Classes: 64 bytes each, all refused in
 * table 0. Folds: 128 bytes, the bytes that fold the last byte but one by exclusive or, and then
 * those for the last byte. */
extern const uint8_t nd_script_classes[];
extern const uint8_t nd_script_folds[];

/* Returns the bytes of a character that begins with a byte from 0xC0 on. */
static inline unsigned nd_script_length(unsigned lead) {
    return 2u + (lead >= 0xe0) + (lead >= 0xf0);
}

/* Returns the page of a character of which all bytes can be read. */
static inline const nd_script_page *nd_script_page_of(const unsigned char *p) {
    size_t page;
    if (p[0] < 0xe0) page = p[0] & 31u;
    else if (p[0] < 0xf0) page = 32 + ((p[0] & 15u) << 6 | (p[1] & 63u));
    else if (p[0] == 0xf0 && p[1] == 0x9f) page = 32 + 1024 + (p[2] & 63u);
    else page = ND_SCRIPT_PAGES - 1;
    return &nd_script_pages[page];
}

/* Returns the class of the character at p, in valid UTF-8; ND_WORDS_REFUSED if it does not end
 * before `end`. */
static inline unsigned nd_words_class(const unsigned char *p, const unsigned char *end) {
    if (p[0] < 0x80) return 0;
    unsigned length = nd_script_length(p[0]);
    if (end - p < (ptrdiff_t)length) return ND_WORDS_REFUSED;
    return nd_script_classes[64 * nd_script_page_of(p)->classes + (p[length - 1] & 63)];
}

/* Whether a character with the class `class` may change under NFC behind one with the class
 * `before`; both are accepted. */
static inline bool nd_words_clash(unsigned before, unsigned class) {
    if (!(class & ND_WORDS_AFTER)) return false;
    if (class & ND_WORDS_MAYBE && before & (ND_WORDS_FORWARD | ND_WORDS_AFTER)) return true;
    return before & ND_WORDS_AFTER && class & ND_WORDS_ORDER &&
           (before & ND_WORDS_ORDER) >= (class & ND_WORDS_ORDER);
}

#endif
