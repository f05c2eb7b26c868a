/* An index of fingerprints: its handle, and the checks and rules for ids that its calls share. */
#ifndef ND_HAMMING_INDEX_HAMMING_INDEX_H
#define ND_HAMMING_INDEX_HAMMING_INDEX_H

#include "index/index_store.h"

struct nd_hamming_index {
    nd_index_store shared;
    nd_hamming_options options; /* the options with which it was made */
};

/* Makes the settings of a new index. ND_ERR_ARGUMENT: an option is out of range. */
nd_status nd_hamming_settings(const nd_hamming_options *options, nd_index_settings *out,
                              nd_error *error);

/* ND_ERR_ARGUMENT: the fingerprint has more bits than the index. */
nd_status nd_hamming_check_fits(const nd_hamming_index *index, nd_fingerprint fingerprint,
                                nd_error *error);

/* Reads the caller's options; NULL: the defaults. ND_ERR_ARGUMENT: k is above a quarter of the
 * bits, or a limit is needed and missing. */
nd_status nd_hamming_search_options_read(const nd_hamming_index *index,
                                         const nd_hamming_search_options *given,
                                         nd_hamming_search_options *out, nd_error *error);

/* ND_ERR_ARGUMENT: the ids of this index are numbers, so no document can be replaced. */
nd_status nd_hamming_check_replaces(const nd_hamming_index *index, nd_error *error);

/* If ids are numbers, they ascend in the order of adding. Finds the lowest number that the next
 * document may have; UINT32_MAX: there is none. */
nd_status nd_hamming_next_number(const nd_store *store, uint32_t *number, nd_error *error);

/* Checks the id of the next document; id NULL: none is given. If ids are numbers, *number becomes
 * the id: the given number, which must not be below *next, or *next itself. Then *next becomes
 * *number + 1. */
nd_status nd_hamming_assign_id(const char *path, const nd_index_settings *settings, const char *id,
                               size_t length, uint32_t *next, uint32_t *number, nd_error *error);

/* Fails because the index has a fingerprint with this id. */
nd_status nd_hamming_fail_id(const char *path, const char *id, size_t length, nd_error *error);

#endif
