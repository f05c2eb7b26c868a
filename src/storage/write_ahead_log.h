/* The log of an index: records appended, made durable in groups, and read again after whatever
 * happened (doc/index.md, invariants 3, 4 and 5; doc/formats.md for the bytes).
 *
 *   512 bytes  magic "nd-log\r\n" | version (32 bits) | 0 (32) | number of the log (64) | zeros |
 * hash of the 504 bytes before (64) records    each at a multiple of 16: a header of 16 bytes,
 * then, unless it is empty, its payload zeros      at least 16 bytes, to the end of the file, a
 * multiple of ND_LOG_STEP
 *
 *   header     size of the payload (32 bits) | type (15), last of its group (1) | check of these
 * (16) | hash of these and the payload (56) | witness (8) payload    its bytes, but the last byte
 * of each sector of 512 is a witness; zeros to a multiple of 16, the last byte, at least one, a
 * witness too
 *
 * A witness is the byte 255. Records are written front to back, and disks write sectors whole: a
 * witness that is there says that what is before it in its sector was written. So a record that
 * does not fit its hashes is torn if one of its witnesses is zero, for then that sector was not
 * written, or not to its end; otherwise it is damaged. Check and hash do not cover witnesses, so
 * that a record which is whole but for them is still read, and damage to a witness alone cannot
 * pass for a tear. Zeros in place of a header end the log.
 *
 * An empty record of type 0, a mark, begins each group that was begun when all before was durable.
 * A mark behind a tear therefore says that the tear is damage. A record that reaches past the end
 * of the file is damage as well, for the file is extended, and that synced, before it is written
 * to. What is torn is dropped, with all behind it; damage is named with file and byte.
 *
 * Records appended before one nd_log_commit are a group; one without its last record is dropped. */
#ifndef ND_STORAGE_WRITE_AHEAD_LOG_H
#define ND_STORAGE_WRITE_AHEAD_LOG_H

#include "base/alloc.h"
#include "base/limits.h"
#include "base/status.h"

enum { ND_LOG_STEP = ND_LIMIT(1 << 20, 1024) }; /* the file grows by so many bytes, or multiples */

#define ND_LOG_MAX_RECORD (UINT32_C(1) << 30)

/* Receives a whole record at reading. The payload is the callee's for the call. */
typedef nd_status nd_log_record_fn(void *context, uint16_t type, const unsigned char *payload,
                                   size_t size, nd_error *error);

/* Reads the records of whole groups, in order, and says where the next one would begin. For readers
 * in other processes too: a log that is being appended to gives what was whole when it was looked
 * at; since reading and writing at once may mix bytes, damage is believed only when it has stood
 * for some milliseconds. *torn: there is something behind. Memory for the largest group. ND_ERR_IO:
 * cannot be read (not there); ND_ERR_CORRUPT: damaged, cut off, not a log, of another number; or
 * what `fn` returns. Records may have been given before a failure. */
nd_status nd_log_read(const char *path, uint64_t number, nd_log_record_fn *fn, void *context,
                      uint64_t *end, bool *torn, const nd_allocator *allocator, nd_error *error);

typedef struct nd_log nd_log;

/* Whether a file begins as the log of that number does. What cannot be read is none. */
bool nd_log_is(const char *path, uint64_t number);

/* A new log, durable with its name, which it has once its head is durable; until then ND_UNFINISHED
 * is behind it. An existing file is an error. */
nd_status nd_log_create(const char *path, uint64_t number, const nd_allocator *allocator,
                        nd_log **out, nd_error *error);

/* Goes on behind `end`, as nd_log_read told it, after what is torn, if anything, has been zeroed,
 * and everything made durable: what was read may have come from memory alone, and where an earlier
 * sync has failed another would not write it, so all of it since the last mark is written again. */
nd_status nd_log_open(const char *path, uint64_t number, uint64_t end, bool torn,
                      const nd_allocator *allocator, nd_log **out, nd_error *error);

/* Adds a record to the group that is being collected, in memory. 0 < type < 2^15. After a failure
 * the group is as it was. */
nd_status nd_log_append(nd_log *log, uint16_t type, const void *payload, size_t size,
                        nd_error *error);

/* Writes the group (nothing happens where there is none) and, when `sync`, makes everything so far
 * durable. After a failure every further call fails with it: the log is to be closed and recovered.
 */
nd_status nd_log_commit(nd_log *log, bool sync, nd_error *error);

/* Makes durable what has been committed, like nd_log_commit, but may run while another thread
 * appends and commits without `sync`. After a failure no commit succeeds. */
nd_status nd_log_sync(nd_log *log, nd_error *error);

/* Bytes of the file that are in use: how much recovery will have to read. */
uint64_t nd_log_size(const nd_log *log);

/* What was not committed is lost. NULL is accepted. */
void nd_log_close(nd_log *log);

#endif
