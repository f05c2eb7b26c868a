/* The states that a disk may have after the machine has died, given all changes to a directory
 * before (system.h). Each sector of 512 bytes has one of its contents since it was last durable;
 * each file has one of its sizes likewise. Of the changes to names since the last durable state, a
 * prefix has happened.
 *
 * After a failed sync the system takes a file's sectors for written, as Linux does: another sync
 * only makes the sectors durable that have been written again. */
#ifndef ND_TESTS_DISK_H
#define ND_TESTS_DISK_H

#include "durability/system.h"

typedef struct disk disk;

disk *disk_create(void);
void disk_free(disk *d);
void disk_apply(disk *d, const system_event *event);

typedef enum disk_choice {
    DISK_NEWEST, /* all changes */
    DISK_OLDEST, /* only durable state */
    DISK_NAMES,  /* all names; durable contents of the files */
    DISK_ANY,    /* chosen at random */
    DISK_CHOICES
} disk_choice;

/* Replaces the directory `to` by a state that a crash may leave now. Makes no directory if it may
 * not exist in that state. */
void disk_crash(const disk *d, disk_choice choice, uint64_t *seed, const char *to);

#endif
