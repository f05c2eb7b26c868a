/* The temporary files of a job: their directory, the bytes in them, and the job's progress. All
 * spools and sorters of a job share one. They poll the progress, because writing and reading
 * temporary files is the longest work of a job without a report of its own. Thread-safe. */
#ifndef ND_IO_TEMP_SPACE_H
#define ND_IO_TEMP_SPACE_H

#include "base/job_progress.h"

typedef struct nd_temp_space {
    const char *directory;
    nd_progress *progress;          /* NULL: none */
    atomic_uint_fast64_t now, most; /* bytes in the files: now, and at the most */
} nd_temp_space;

static inline void nd_temp_space_add(nd_temp_space *disk, uint64_t bytes) {
    uint64_t now = atomic_fetch_add(&disk->now, bytes) + bytes;
    uint64_t most = atomic_load(&disk->most);
    while (now > most && !atomic_compare_exchange_weak(&disk->most, &most, now)) continue;
}

static inline void nd_temp_space_subtract(nd_temp_space *disk, uint64_t bytes) {
    atomic_fetch_sub(&disk->now, bytes);
}

#endif
