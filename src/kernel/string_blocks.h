/* The body of the json_pass kernel for vectors. The file of an instruction set includes this once,
 * after word_blocks.h, and after it has defined:
 *
 *   static inline nd_string_block string_block(const unsigned char *p);
 *       The masks of the backslashes, the quotes and the letters u among 64 bytes. */
#ifndef ND_KERNEL_STRING_BLOCKS_H
#define ND_KERNEL_STRING_BLOCKS_H

#include "kernel/word_blocks.h"

/* The characters that a block is left to pass: their bytes, without the backslashes of escapes, and
 * how many bytes of the block they take. */
typedef struct nd_passed_block {
    uint64_t bytes;
    unsigned taken;
} nd_passed_block;

/* Passes the first `size` bytes of a block. An escape that their end cuts is left. */
static inline nd_passed_block pass_block(nd_string_block block, unsigned size) {
    uint64_t last = UINT64_C(1) << (size - 1), within = last | (last - 1);
    uint64_t escaped = block.backslashes ? nd_escaped_positions(block.backslashes) : 0,
             begins = block.backslashes & ~escaped;
    uint64_t stops = (block.quotes & ~escaped) | (begins & block.us >> 1) | (begins & last);
    uint64_t passed = (stops ? (stops & -stops) - 1 : UINT64_MAX) & within;
    return (nd_passed_block){passed & ~begins, nd_popcount(passed)};
}

static size_t json_pass(const char *text, size_t length, size_t *bytes) {
    const unsigned char *p = (const unsigned char *)text;
    size_t at = 0, left = *bytes;
    while (at < length && left > 0) {
        unsigned char padded[64];
        unsigned size = length - at < 64 ? (unsigned)(length - at) : 64;
        nd_passed_block passed = pass_block(string_block(whole_block(p + at, size, padded)), size);
        unsigned count = nd_popcount(passed.bytes);
        if (count > left) {
            at += nd_select_bit(passed.bytes, (unsigned)left - 1) + 1;
            left = 0;
            break;
        }
        at += passed.taken;
        left -= count;
        bool cut = size == 64 && passed.taken == 63 && p[at] == '\\';
        if (passed.taken < size && !cut) break;
    }
    *bytes -= left;
    return at;
}

#endif
