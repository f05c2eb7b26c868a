/* System calls under control of a test: calls fail or are cut short, are counted, and changes to a
 * directory are recorded. The linker replaces the calls (--wrap, tests/CMakeLists.txt). A sync is
 * not passed on unless a test asks for it, and no call sleeps, because no test here switches the
 * machine off or waits. Any number of threads may call. */
#ifndef ND_TESTS_SYSTEM_H
#define ND_TESTS_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of calls, as bits. */
enum {
    SYSTEM_OPEN = 1 << 0,
    SYSTEM_READ = 1 << 1,
    SYSTEM_WRITE = 1 << 2,
    SYSTEM_RESIZE = 1 << 3,
    SYSTEM_SYNC = 1 << 4,
    SYSTEM_REMOVE = 1 << 5,
    SYSTEM_RENAME = 1 << 6,
    SYSTEM_MAKE_DIRECTORY = 1 << 7,
    SYSTEM_LOCK = 1 << 8,
    SYSTEM_MAP = 1 << 9,
    SYSTEM_STAT = 1 << 10,
    SYSTEM_LIST = 1 << 11,
    SYSTEM_KINDS = 12,
    SYSTEM_ALL = (1 << SYSTEM_KINDS) - 1,
};

/* Values instead of an errno. SYSTEM_SHORT: half of the bytes are read or written. SYSTEM_FULL: the
 * first call that needs space does half of its work, and all further such calls fail with ENOSPC.
 * SYSTEM_DEAD: the nth call that changes something does half of its work, and nothing is changed
 * from then on, as if the process had been killed. */
enum { SYSTEM_SHORT = -1, SYSTEM_FULL = -2, SYSTEM_DEAD = -3 };
#define SYSTEM_ALWAYS 1000000000L

/* From the nth call of these kinds on (from 0), `times` calls fail. All counts begin anew. */
void system_fail(unsigned calls, long nth, long times, int failure);
void system_heal(void);
/* Returns the kind of the first call that has failed; 0: none has. */
unsigned system_failed(void);
/* Returns the calls of these kinds since system_fail or system_heal. */
long system_count(unsigned calls);
/* Returns the number of descriptors that are not closed. */
long system_open_files(void);
long system_maps(void);
void system_sync_truly(bool truly);

/* ---- recording */

typedef enum system_event_kind {
    EVENT_DIRECTORY,   /* the directory is made, or, with a number and a name as for a file, a
                          directory in it */
    EVENT_CREATE,      /* a file gets its name */
    EVENT_WRITE,       /* `size` bytes at `offset` */
    EVENT_RESIZE,      /* to `size` */
    EVENT_SYNC,        /* the file's bytes are durable */
    EVENT_SYNC_FAILED, /* the bytes may be durable or not, and the system takes them for written */
    EVENT_SYNC_NAMES,  /* the names in the directory are durable, or the names in the named
                          subdirectory */
    EVENT_SYNC_PARENT, /* the directory itself is durable */
    EVENT_REMOVE,
    EVENT_RENAME, /* it is renamed to `to` */
    EVENT_NOTE    /* a note of the test: offset, size */
} system_event_kind;

typedef struct system_event {
    system_event_kind kind;
    unsigned file; /* its number; each file that is made has a new one */
    char name[32], to[32];
    uint64_t offset, size;
    unsigned char *bytes;
} system_event;

typedef struct system_recording {
    char directory[64];
    system_event *events;
    size_t count, capacity;
    size_t begin; /* the events before `begin` make the content at the beginning of the recording,
                     durable */
    unsigned files;
} system_recording;

/* Records a directory whose path has no slash, its files, and its subdirectories with their files
 * ("index/lock"). Only one recording at a time. */
void system_record(const char *directory, system_recording *out);
void system_note(uint64_t offset, uint64_t size);
void system_record_end(void);
void system_recording_free(system_recording *recording);

#endif
