/* An index of fingerprints: checks and ids that its calls share. */
#ifndef ND_HAMMING_INDEX_HAMMING_INDEX_H
#define ND_HAMMING_INDEX_HAMMING_INDEX_H

#include "index/index.h"

/* The settings of a new index. ND_ERR_ARGUMENT: an option is out of range, or there is no path. */
nd_status nd_hamming_settings(const char *path, const nd_hamming_options *options,
                              nd_index_settings *out, nd_error *error);

/* ND_ERR_ARGUMENT: it is an index of documents. */
nd_status nd_hamming_check_index(const nd_index *index, nd_error *error);

/* ND_ERR_ARGUMENT: the fingerprint has more bits than the index. */
nd_status nd_hamming_check_fits(const nd_index *index, nd_fingerprint fingerprint, nd_error *error);

/* ND_ERR_ARGUMENT: k is above a quarter of the bits, or there is no limit where one is needed. */
nd_status nd_hamming_check_search(const nd_index *index, uint32_t k, nd_find_kind kind,
                                  uint64_t limit, nd_error *error);

/* Where ids are numbers, they ascend in the order of adding. The lowest number that the next
 * document may have; UINT32_MAX: there is none. */
nd_status nd_hamming_next_number(const nd_store *store, uint32_t *number, nd_error *error);

/* Checks the id of the next document; id NULL: none is given. Where ids are numbers, *number
 * becomes the id: the given one, which must not be below *next, or *next; then *next moves behind
 * it. */
nd_status nd_hamming_assign_id(const char *path, const nd_index_settings *settings, const char *id,
                               size_t length, uint32_t *next, uint32_t *number, nd_error *error);

/* Fails because the index has a fingerprint with this id. */
nd_status nd_hamming_fail_id(const char *path, const char *id, size_t length, nd_error *error);

#endif
