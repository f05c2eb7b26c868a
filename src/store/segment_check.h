/* The check of a whole segment. */
#ifndef ND_STORE_SEGMENT_CHECK_H
#define ND_STORE_SEGMENT_CHECK_H

#include "store/segment.h"

/* Checks every page, row, set and table. O(size). */
nd_status nd_segment_check(const nd_segment *segment, nd_error *error);

#endif
