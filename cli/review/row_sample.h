/* A sample of the rows of a table: those with the least hashes of their numbers. Rows come in the
 * order of the input, so the first ones would be no sample. */
#ifndef CLI_ROW_SAMPLE_H
#define CLI_ROW_SAMPLE_H

#include <stdint.h>

/* A bijective mixer (David Stafford's variant 13, 2011): two rows never have the same hash. */
static inline uint64_t row_hash(uint64_t row) {
    row ^= row >> 30;
    row *= UINT64_C(0xbf58476d1ce4e5b9);
    row ^= row >> 27;
    row *= UINT64_C(0x94d049bb133111eb);
    return row ^ (row >> 31);
}

#endif
