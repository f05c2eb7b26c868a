/* The body of the utf8_valid_prefix kernel for vectors. The file of an instruction set includes
 * this once, after it has defined:
 *
 *   static inline bool utf8_block_bad(const unsigned char *p);
 *       Whether one of p[0..64) ends or breaks a sequence in a way that UTF-8 forbids. Reads
 *       p[-3..64).
 *
 * The method is from Keiser and Lemire, "Validating UTF-8 In Less Than One Instruction Per
 * Byte", 2021. Each kind of error within two adjacent bytes has a bit (utf8_tables.h). Three tables
 * are indexed with the high half and the low half of the first byte, and with the high half of the
 * second; an error exists if all three have its bit. The bytes two and three before a byte decide
 * whether it must be the third or fourth of a sequence. The bytes before a block are loaded, not
 * carried over, so a block is checked without state. The generic code finds the exact offset of an
 * error. */
#ifndef ND_KERNEL_UTF8_BLOCKS_H
#define ND_KERNEL_UTF8_BLOCKS_H

#include "kernel/kernel_common.h"

/* Checks a block of fewer than 64 bytes, with the three bytes before it if there are any. The zeros
 * behind it reveal a sequence that is cut off. */
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
