/* What a job puts on disk for a while: where, how much lies there now and lay there at most, and
 * whom to ask whether to go on. Shared by all spools and sorters of a job, whose work is the
 * longest that a job does without a word. */
#ifndef ND_IO_TEMP_SPACE_H
#define ND_IO_TEMP_SPACE_H

#include "base/job_progress.h"

typedef struct nd_scratch_disk {
    const char *directory;
    nd_progress *progress;          /* NULL: nobody is asked */
    atomic_uint_fast64_t now, most; /* bytes */
} nd_scratch_disk;

static inline void nd_scratch_disk_add(nd_scratch_disk *disk, uint64_t bytes) {
    uint64_t now = atomic_fetch_add(&disk->now, bytes) + bytes;
    uint64_t most = atomic_load(&disk->most);
    while (now > most && !atomic_compare_exchange_weak(&disk->most, &most, now)) continue;
}

static inline void nd_scratch_disk_remove(nd_scratch_disk *disk, uint64_t bytes) {
    atomic_fetch_sub(&disk->now, bytes);
}

#endif
