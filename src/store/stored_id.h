/* Ids of documents as a store keeps them: any bytes, or, in an index of numeric ids, the decimal
 * digits of a number below 2^32 - 1. */
#ifndef ND_STORE_STORED_ID_H
#define ND_STORE_STORED_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The hash of an id. Tables of ids have nd_band_number of it as their key. */
uint64_t nd_id_hash(const char *id, size_t length);

/* Room for a number in decimal digits. */
typedef struct nd_id_digits {
    char bytes[20];
} nd_id_digits;

/* Writes the digits and returns how many there are. */
size_t nd_id_of_number(uint64_t number, nd_id_digits *digits);
/* False: the id is not a number below 2^32 - 1 in its shortest form. */
bool nd_id_to_number(const char *id, size_t length, uint32_t *number);

#endif
