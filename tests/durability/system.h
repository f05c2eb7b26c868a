/* What the library asks of the system, in the hands of a test: calls that fail or are cut short,
 * counts, and a log of all that changes a directory. The linker puts it in between (--wrap,
 * tests/CMakeLists.txt). A sync is not passed on unless that is asked for, and nobody sleeps: no
 * test here switches the machine off, or waits. Any number of threads. */
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

/* In place of an errno. SYSTEM_SHORT: half of the bytes are read or written. SYSTEM_FULL: of the
 * first call that takes room half is done, and what takes room fails with ENOSPC from then on.
 * SYSTEM_DEAD: of the nth call that changes something half is done, and nothing is changed from
 * then on, as if the process had been killed. */
enum { SYSTEM_SHORT = -1, SYSTEM_FULL = -2, SYSTEM_DEAD = -3 };
#define SYSTEM_ALWAYS 1000000000L

/* From the nth call of these kinds on (from 0), `times` of them fail. Counts begin anew. */
void system_fail(unsigned calls, long nth, long times, int failure);
void system_heal(void);
/* Whether a call has failed, and of which kind the first was (0: none). */
unsigned system_failed(void);
/* Calls of these kinds since system_fail or system_heal. */
long system_count(unsigned calls);
/* What is not given back. */
long system_open_files(void);
long system_maps(void);
void system_sync_truly(bool truly);

/* ---- recording */

typedef enum system_event_kind {
    EVENT_DIRECTORY, /* the directory is made, or, with a number and a name as a file has them, one
                        in it */
    EVENT_CREATE,    /* a file gets its name */
    EVENT_WRITE,     /* `size` bytes at `offset` */
    EVENT_RESIZE,    /* to `size` */
    EVENT_SYNC,      /* the file's bytes are durable */
    EVENT_SYNC_FAILED, /* they may be or not, and the system takes them for written */
    EVENT_SYNC_NAMES, /* the names in the directory are durable, or in the one of that name in it */
    EVENT_SYNC_PARENT, /* the directory itself is */
    EVENT_REMOVE,
    EVENT_RENAME, /* to `to` */
    EVENT_NOTE    /* by the test: offset, size */
} system_event_kind;

typedef struct system_event {
    system_event_kind kind;
    unsigned file; /* number, new for each that is made */
    char name[32], to[32];
    uint64_t offset, size;
    unsigned char *bytes;
} system_event;

typedef struct system_recording {
    char directory[64];
    system_event *events;
    size_t count, capacity;
    size_t begin; /* the events before it make what was there when the recording began, durable */
    unsigned files;
} system_recording;

/* Of a directory whose path has no slash, of the files in it, and of directories in it with theirs
 * ("index/lock"). One at a time. */
void system_record(const char *directory, system_recording *out);
void system_note(uint64_t offset, uint64_t size);
void system_record_end(void);
void system_recording_free(system_recording *recording);

#endif
