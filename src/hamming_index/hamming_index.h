/* What the calls of an index of fingerprints share. */
#ifndef ND_HAMMING_INDEX_HAMMING_INDEX_H
#define ND_HAMMING_INDEX_HAMMING_INDEX_H

#include "index/index.h"

/* Those of a new index. ND_ERR_ARGUMENT: options out of range, or no path. */
nd_status nd_hamming_settings(const char *path, const nd_hamming_options *options,
                              nd_index_settings *out, nd_error *error);

/* ND_ERR_ARGUMENT: it is of documents. */
nd_status nd_hamming_check_index(const nd_index *index, nd_error *error);

/* ND_ERR_ARGUMENT: a fingerprint with more bits than the index has. */
nd_status nd_hamming_check_fits(const nd_index *index, nd_fingerprint fingerprint, nd_error *error);

/* ND_ERR_ARGUMENT: k above a quarter of the bits, or no limit where one is needed. */
nd_status nd_hamming_check_search(const nd_index *index, uint32_t k, nd_find_kind kind,
                                  uint64_t limit, nd_error *error);

/* Where ids are numbers: the lowest that is higher than all that are there. UINT32_MAX: there is
 * none. */
nd_status nd_hamming_next_number(const nd_store *store, uint32_t *number, nd_error *error);

/* Whether this may be the id of the next document (NULL: none is given). Where ids are numbers,
 * *number is what it is, which is not below *next and is that where none is given; *next moves on
 * behind it. */
nd_status nd_hamming_assign_id(const char *path, const nd_index_settings *settings, const char *id,
                               size_t length, uint32_t *next, uint32_t *number, nd_error *error);

nd_status nd_hamming_fail_id(const char *path, const char *id, size_t length, nd_error *error);

#endif
