/* The log of an index: records appended, made durable in groups, and read again after whatever happened (doc/index.md, invariants 3, 4 and 5; doc/formats.md for the bytes).
 *
 *   first 512 bytes: magic, version, number of the log, hash of all that
 *   then records, each at a multiple of 16:  size of the payload (32 bits) | type (15) and last of its group (1) | hash of these (16) | hash of these and the payload, keyed with number and offset (64)
 *                                            payload, padded with zeros to a multiple of 16, which the hash covers too
 *   then zeros, at least 16 bytes, to the end of the file, a multiple of ND_LOG_STEP
 *
 * A header that is neither zeros nor whole is damage: it never straddles a sector of 512 bytes. A payload that does not fit its hash is torn if one of the sectors that it touches was
 * never written, that is, if all bytes of that sector from the record's beginning on are zeros; else it is damage. Zeros in place of a header end the log; bytes that are not zero behind them are torn.
 * A record that reaches past the end of the file is damage, for the file is extended, and that synced, before. Damage is named with file and byte; what is torn is dropped.
 * Records appended before one nd_log_commit are a group; recovery drops one without its last record. */
#ifndef ND_STORE_LOG_H
#define ND_STORE_LOG_H

#include "base/alloc.h"
#include "base/status.h"

#ifdef ND_TINY_LIMITS
enum { ND_LOG_STEP = 1024 }; /* the file grows by so many bytes, or multiples */
#else
enum { ND_LOG_STEP = 1 << 20 };
#endif

#define ND_LOG_MAX_RECORD (UINT32_C(1) << 30)

/* Receives a whole record at reading. The payload is the callee's for the call. */
typedef nd_status nd_log_record_fn(void *context, uint16_t type, const unsigned char *payload, size_t size, nd_error *error);

/* Reads the records of whole groups, in order, and says where the next one would begin. For readers in other processes too: a log that is being appended to gives what was
 * whole when it was looked at. *torn: there is something behind. ND_ERR_IO: cannot be read (not there); ND_ERR_CORRUPT: damaged, cut off, not a log, of another number. */
nd_status nd_log_read(const char *path, uint64_t number, nd_log_record_fn *fn, void *context, uint64_t *end, bool *torn, const nd_allocator *allocator, nd_error *error);

typedef struct nd_log nd_log;

/* A new log, durable with its name. An existing file is an error. */
nd_status nd_log_create(const char *path, uint64_t number, const nd_allocator *allocator, nd_log **out, nd_error *error);

/* Goes on behind `end`, as nd_log_read told it, after what is torn, if anything, has been zeroed and synced. */
nd_status nd_log_open(const char *path, uint64_t number, uint64_t end, bool torn, const nd_allocator *allocator, nd_log **out, nd_error *error);

/* Adds a record to the group that is being collected, in memory. type < 2^15. */
nd_status nd_log_append(nd_log *log, uint16_t type, const void *payload, size_t size, nd_error *error);

/* Writes the group (nothing happens where there is none) and, when `sync`, makes everything so far durable. After a failure every further call fails with it: the log is
 * to be closed and recovered. */
nd_status nd_log_commit(nd_log *log, bool sync, nd_error *error);

/* Bytes of the file that are in use: how much recovery will have to read. */
uint64_t nd_log_size(const nd_log *log);

/* What was not committed is lost. NULL is accepted. */
void nd_log_close(nd_log *log);

#endif
