/* The body of the utf8_valid_prefix kernel of the vector sets, to be included once after the file
 * has defined
 *
 *     static inline bool utf8_block_bad(const unsigned char *p);
 *         whether one of p[0..64) ends or breaks a sequence in a way that UTF-8 forbids; reads
 * p[-3..64).
 *
 * The method is of Keiser and Lemire, "Validating UTF-8 In Less Than One Instruction Per Byte",
 * 2021: each kind of error within two neighbouring bytes has a bit (utf8_tables.h), and shows when
 * three tables, asked with the first byte's high and low half and the second byte's high half, all
 * have it. Whether a byte must be the third or fourth of a sequence is a comparison with the bytes
 * two and three before. The bytes before a block are loaded, not carried, so a block is judged
 * without state; an error's exact place is left to the generic code. */
#ifndef ND_KERNEL_UTF8_BLOCKS_H
#define ND_KERNEL_UTF8_BLOCKS_H

#include "kernel/kernel_common.h"

/* A block of fewer than 64 bytes, with the three before it where there are any. The zeros after it
 * show a sequence cut short. */
static inline bool utf8_part_bad(const unsigned char *p, size_t at, size_t bytes) {
    unsigned char padded[3 + 64] = {0};
    size_t before = at < 3 ? 0 : 3;
    if (before + bytes) memcpy(padded + 3 - before, p + at - before, before + bytes);
    return utf8_block_bad(padded + 3);
}

static size_t utf8_valid_prefix(const char *text, size_t length) {
    const unsigned char *p = (const unsigned char *)text;
    size_t at = 0;
    if (length >= 64) {
        if (utf8_part_bad(p, 0, 64)) return nd_utf8_valid_from(p, length, 0);
        at = 64;
    }
    for (; length - at >= 64; at += 64)
        if (utf8_block_bad(p + at)) return nd_utf8_valid_from(p, length, nd_utf8_back_up(p, at));
    return utf8_part_bad(p, at, length - at) ? nd_utf8_valid_from(p, length, nd_utf8_back_up(p, at))
                                             : length;
}

#endif
