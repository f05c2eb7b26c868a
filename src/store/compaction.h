/* Compaction: which segments are merged into larger ones, without removed documents, and when. A
 * merge that links its segments (segment_merge.h) takes long, so it may be written on a thread of
 * its own, beside other work. One merge at a time is.
 *
 * REQUIRES: exclusive access, except that readers who share a lock (nd_store_set_view_lock) go on.
 * Where documents may get other numbers, they flush first; a failure changes nothing. */
#ifndef ND_STORE_COMPACTION_H
#define ND_STORE_COMPACTION_H

#include "store/store.h"

/* For documents that are added one by one, when the memtable is full: flushes it, and merges
 * segments as long as there are too many of a level. A merge that links them is begun beside the
 * next additions, if none is; until its end others are done at once, of segments behind it. */
nd_status nd_store_compact_levels(nd_store *store, nd_error *error);
/* Merges everything into one segment. Gives up a merge that was begun. */
nd_status nd_store_compact_all(nd_store *store, nd_error *error);

/* Begins the next merge that links its segments, if one is due: on a thread of its own, or else at
 * once. Until its end the caller may publish segments and remove documents, but not compact.
 * REQUIRES: no merge is begun. */
nd_status nd_store_begin_merge(nd_store *store, bool beside, nd_error *error);
/* Whether so many documents have come since a merge was begun that it has probably ended: merging
 * ten documents takes less time than adding one. The clock is not asked, so the same documents make
 * the same files. */
bool nd_store_should_end_merge(const nd_store *store);
/* Waits for the merge that was begun, if any, and installs it. All documents keep their numbers. */
nd_status nd_store_end_merge(nd_store *store, nd_error *error);
/* The same, and then merges as long as segments are due that are copied. Merges that link are left
 * for nd_store_begin_merge. */
nd_status nd_store_end_merges(nd_store *store, nd_error *error);
/* Stops the merge that was begun, if any, and forgets it. */
void nd_store_give_up_merge(nd_store *store);

#endif
