/* The temporary files of a job: their directory, the bytes in them, and the job's progress. All
 * spools and sorters of a job share one. They poll the progress, because writing and reading
 * temporary files is the longest work of a job without a report of its own. Thread-safe. */
#ifndef ND_IO_TEMP_SPACE_H
#define ND_IO_TEMP_SPACE_H

#include "base/job_progress.h"

typedef struct nd_scratch_disk {
    const char *directory;
    nd_progress *progress;          /* NULL: none */
    atomic_uint_fast64_t now, most; /* bytes in the files: now, and at the most */
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
