/* What may be on a disk after the machine has died, given all that changed a directory before
 * (system.h). Of each sector of 512 bytes one of the contents that it has had since it was last
 * durable, of each file's size likewise; of the names in the directory a beginning of what happened
 * to them since they were last durable.
 *
 * After a failed sync the system takes a file's sectors for written, as Linux does: another sync
 * makes only those durable that have been written to again. */
#ifndef ND_TESTS_DISK_H
#define ND_TESTS_DISK_H

#include "durability/system.h"

typedef struct disk disk;

disk *disk_create(void);
void disk_free(disk *d);
void disk_apply(disk *d, const system_event *event);

typedef enum disk_choice {
    DISK_NEWEST, /* all that was done */
    DISK_OLDEST, /* what is durable alone */
    DISK_NAMES,  /* all names, and of the files what is durable */
    DISK_ANY,    /* at random */
    DISK_CHOICES
} disk_choice;

/* Makes the directory `to`, in place of what is there, as a crash now may leave it; or does not,
 * where it may be gone. */
void disk_crash(const disk *d, disk_choice choice, uint64_t *seed, const char *to);

#endif
