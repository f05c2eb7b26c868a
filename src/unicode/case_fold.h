/* Normalises (NFC) and case-folds a text: the bytes that its tokens are cut from. Made for words
 * and short texts. */
#ifndef ND_UNICODE_CASE_FOLD_H
#define ND_UNICODE_CASE_FOLD_H

#include "unicode/normalize.h"

/* Zero-initialised except cluster.allocator; freed by nd_folded_clear. */
typedef struct nd_folded {
    char *bytes; /* UTF-8 */
    size_t length, capacity;
    nd_cluster cluster; /* scratch */
} nd_folded;

/* ND_ERR_INPUT: "invalid UTF-8 at byte N". */
nd_status nd_fold(nd_folded *out, const char *text, size_t length, nd_error *error);
void nd_folded_clear(nd_folded *folded);

#endif
