/* A write-ahead log: records are appended, made durable in groups, and read again after a crash
 * (doc/internals/index.md, invariants 3, 4 and 5; doc/internals/formats.md for the bytes).
 *
 * FORMAT. All numbers are little-endian.
 *
 *   file      512 bytes   head
 *             ...         records, each at a multiple of 16
 *             >= 16       zeros, up to the end of the file, a multiple of ND_WAL_STEP
 *
 *   head      8 bytes     magic "nd-log\r\n"
 *             4           version
 *             4           0
 *             8           number of the log
 *             480         0
 *             8           hash of the 504 bytes before it
 *
 *   record    16 bytes    header
 *             ...         payload, with witnesses; absent if its size is 0
 *
 *   header    32 bits     size of the payload
 *             15          type
 *             1           1: the last record of its group
 *             16          check of size, type and last
 *             56          hash of size, type, last and payload
 *             8           witness
 *
 *   payload   the bytes, interrupted by a witness as the last byte of each sector of 512;
 *             then zeros to a multiple of 16, at least one byte, the last of which is a witness
 *
 * A witness is the byte 255. A group is all records appended before one commit. A mark is an empty
 * record of type 0, which only stands at the beginning of a group. A header of zeros ends the log.
 *
 * INVARIANTS. The code cites the numbers.
 *
 * (1) The file is extended with zeros, and synced, before a record is written to the new part.
 *     So a record that reaches past the end of the file is damaged, not torn.
 * (2) A record is written front to back, and a disk writes a sector whole. So a witness that is
 *     set proves that the bytes of the record before it in its sector were written. A record
 *     that does not fit its hash is torn if one of its witnesses is zero; otherwise it is damaged.
 * (3) Check and hash do not cover witnesses. So a record that has lost only a witness is still
 *     read, and damage to a witness alone cannot make a good record a torn one.
 * (4) A group starts with a mark only if everything before it is on disk. So no mark ever follows
 *     an incomplete record, and a torn record before a mark is in fact damaged.
 * (5) A reader delivers whole groups only. A torn record, or a group without its last record, is
 *     dropped with everything behind it. Damage is an error that names file and byte.
 * (6) Recovery makes a torn record unreadable before it zeroes the rest. So at no moment can the
 *     remains of a torn record look damaged.
 * (7) Recovery writes everything behind the last mark again. The bytes that were read may exist
 *     in the system's memory alone, and after a failed sync another sync does not write them.
 * (8) After a failed write or sync no byte of the file is trusted, and every later commit fails.
 *
 * STATES of an open log.
 *
 *   DURABLE -> WRITTEN  [nd_wal_commit, nd_wal_seal]
 *   WRITTEN -> DURABLE  [nd_wal_commit_and_sync; nd_wal_commit if it extends the file; nd_wal_seal
 *                        if many bytes have been sealed since the last mark]
 *   any     -> FAILED   [a failed write or sync]; only closing and recovering the log helps
 *
 * A sealed group counts as written: its bytes and their place in the file do not change any more.
 * In the state DURABLE the next group gets a mark. nd_wal_sync also makes records durable, but does
 * not change the state, because it may run beside a commit.
 *
 * THREADS. One thread at a time appends, seals and commits. nd_wal_sync may run on any thread
 * beside that. Other processes may read the file while it is written. */
#ifndef ND_STORAGE_WRITE_AHEAD_LOG_H
#define ND_STORAGE_WRITE_AHEAD_LOG_H

#include "base/alloc.h"
#include "base/limits.h"
#include "base/status.h"

enum { ND_WAL_STEP = ND_LIMIT(1 << 20, 1024) }; /* the file grows by multiples of so many bytes */

#define ND_WAL_MAX_RECORD (UINT32_C(1) << 30) /* bytes of a payload */

/* Receives one record. The payload is valid during the call. */
typedef nd_status nd_wal_record_fn(void *context, uint16_t type, const unsigned char *payload,
                                   size_t size, nd_error *error);

/* The end of the last whole group, as a reader found it. */
typedef struct nd_wal_tail {
    uint64_t end; /* offset in the file: the next group begins there */
    bool torn;    /* there are bytes that are not zero behind it */
} nd_wal_tail;

/* Reads the records of all whole groups, in order, and sets *tail. Takes memory for the largest
 * group.
 *
 * Another process may append meanwhile: the reader then gets the groups that were complete when it
 * came to them. Reading and writing at once may mix old and new bytes, so damage is reported only
 * if it is still there after some milliseconds.
 *
 * ND_ERR_IO: the file is missing, or cannot be read. ND_ERR_CORRUPT: it is damaged, cut off, not a
 * log, or the log of another number. A failure of `fn` ends reading and is returned. Records may
 * have been delivered before a failure. */
nd_status nd_wal_read(const char *path, uint64_t number, nd_wal_record_fn *fn, void *context,
                      const nd_allocator *allocator, nd_wal_tail *tail, nd_error *error);

typedef struct nd_wal nd_wal;

/* Whether a file begins like the log of that number. False if it cannot be read. */
bool nd_wal_is(const char *path, uint64_t number);

/* Creates a log; its name is durable. Until its head is durable, the file's name ends with
 * ND_UNFINISHED. An existing file is an error. */
nd_status nd_wal_create(const char *path, uint64_t number, const nd_allocator *allocator,
                        nd_wal **out, nd_error *error);

/* Recovers a log and opens it for appending at tail->end, as nd_wal_read returned it. Torn bytes
 * are zeroed, and everything that was read is made durable (6, 7). */
nd_status nd_wal_open(const char *path, uint64_t number, nd_wal_tail tail,
                      const nd_allocator *allocator, nd_wal **out, nd_error *error);

/* Adds a record to the current group, in memory. 0 < type < 2^15. A failure leaves the group
 * unchanged. */
nd_status nd_wal_append(nd_wal *log, uint16_t type, const void *payload, size_t size,
                        nd_error *error);

/* Whether the current group has records. */
bool nd_wal_has_group(const nd_wal *log);

/* Writes the current group to the file, if there is one, and a sealed one before it. The records
 * survive the end of the process, but perhaps not a crash of the machine. After a failure every
 * later call returns it: close the log, and recover it. */
nd_status nd_wal_commit(nd_wal *log, nd_error *error);
/* The same, and makes all records durable. */
nd_status nd_wal_commit_and_sync(nd_wal *log, nd_error *error);

/* Ends the current group, if there is one, and leaves it to the next nd_wal_sync to write: so the
 * caller does not wait for the system. The end of the process before that loses it. */
nd_status nd_wal_seal(nd_wal *log, nd_error *error);

/* Makes all committed and sealed records durable, beside another thread that appends, seals or
 * commits. After a failure no commit succeeds. */
nd_status nd_wal_sync(nd_wal *log, nd_error *error);

/* Bytes in use, with those of the current group: recovery reads so many when it is committed. */
uint64_t nd_wal_size(const nd_wal *log);

/* Records that were not committed, or sealed and synced, are lost. NULL is accepted. */
void nd_wal_close(nd_wal *log);

#endif
