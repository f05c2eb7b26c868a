/* Merges neighbouring segments of a store into a new one: a file that no state names yet.
 * compaction.h chooses the segments, and installs the file.
 *
 * Small segments are copied together. Of large ones the tables alone are merged, into a linked
 * segment over the rows where they are (O'Neil et al., "The log-structured merge-tree", 1996; rows
 * apart from keys as in Lu et al., "WiscKey", 2016). */
#ifndef ND_STORE_SEGMENT_MERGE_H
#define ND_STORE_SEGMENT_MERGE_H

#include "store/key_merge.h"
#include "store/store.h"

#include <stdatomic.h>

/* Whether a merge links these segments: they have many documents, most of them not removed, and few
 * parts. */
bool nd_segment_range_links(const nd_store *store, nd_segment_range range);

typedef struct nd_segment_merge {
    nd_allocator allocator;
    nd_index_settings settings;
    nd_temp_space *disk;
    nd_segment_range range;
    nd_segment **segments;      /* of the range; the store's */
    char *path;                 /* of the new file */
    nd_manifest_segment merged; /* complete after the run */
    bool linked;                /* removed documents keep their numbers in the new segment */
    /* For each segment: its first number in the new one; if documents of it are removed, a bit for
     * each of these, and, if segments are copied, the new number of each of the others. */
    uint32_t *begins;
    uint8_t **removed;
    uint32_t **moved;
    uint32_t live;
    nd_key_input *inputs; /* tables of the segments, which are merged now */
    atomic_bool stopped;  /* set by another thread: the run ends with ND_ERR_CANCELLED */
} nd_segment_merge;

/* Numbers the documents of the new segment, and chooses its file. REQUIRES: if it is not linked, no
 * document of a segment has been removed since the last state. If all documents are removed,
 * there is no file: merge->merged.documents is 0. *merge is valid for nd_segment_merge_free in any
 * case. */
nd_status nd_segment_merge_init(nd_store *store, nd_segment_range range, bool linked,
                                nd_segment_merge *merge, nd_error *error);
/* nd_async_task_fn; `context` is the merge. Writes the file. May run beside threads that read the
 * store, publish segments and remove documents: it leaves out the documents that the state removed
 * when the merge was made. REQUIRES: the merge has documents. */
nd_status nd_segment_merge_run(void *context, nd_error *error);
void nd_segment_merge_free(nd_segment_merge *merge);

#endif
