/* The body of the lines kernel for vectors. The file of an instruction set includes this once,
 * after word_blocks.h, and after it has defined:
 *
 *   static inline uint64_t newlines_of(const unsigned char *p);
 *       The mask of the newlines among 64 bytes. */
#ifndef ND_KERNEL_LINE_BLOCKS_H
#define ND_KERNEL_LINE_BLOCKS_H

#include "kernel/word_blocks.h"

static size_t lines(const char *text, size_t length, nd_line *out, size_t room, size_t *read) {
    const unsigned char *p = (const unsigned char *)text;
    size_t count = 0, begin = 0;
    uint64_t carry = 0; /* the byte before the block is no sign */
    nd_line line = {.ascii = true};
    for (size_t at = 0; at < length; at += 64) {
        unsigned char padded[64], lower[64];
        const unsigned char *whole = whole_block(p + at, length - at, padded);
        nd_word_block block = classify_block(whole, lower);
        uint64_t others = block.other, within = block.word | others,
                 words = block.word & ~(within << 1 | carry);
        carry = within >> 63;
        for (uint64_t ends = newlines_of(whole); ends; ends &= ends - 1) {
            uint64_t through = ends ^ (ends - 1);
            line.end = at + (size_t)__builtin_ctzll(ends);
            line.words += nd_popcount(words & through);
            line.ascii = line.ascii && !(others & through);
            out[count++] = line;
            *read = begin = line.end + 1;
            if (count == room) return count;
            words &= ~through;
            others &= ~through;
            line = (nd_line){.ascii = true};
        }
        line.words += nd_popcount(words);
        line.ascii = line.ascii && !others;
    }
    line.end = *read = length;
    if (begin < length) out[count++] = line;
    return count;
}

#endif
