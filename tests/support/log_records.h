/* The records of a write-ahead log that a test has appended, with which those that are read from
 * it are compared. The log is the file "log" of the test's own directory. */
#ifndef ND_TESTS_LOG_RECORDS_H
#define ND_TESTS_LOG_RECORDS_H

#include "storage/write_ahead_log.h"

#include "test.h"

enum { LOG_NUMBER = 77, LOG_SECTOR = 512, LOG_HEAD = 512, LOG_MOST_RECORDS = 4000 };

typedef struct log_record {
    uint16_t type;
    bool last; /* of its group */
    size_t size;
    unsigned char *payload;
} log_record;

/* All appended records, and their groups. */
extern log_record log_records[LOG_MOST_RECORDS];
extern size_t log_record_count, log_group_count;

/* Forgets the records behind the first `groups` groups. */
void log_forget_from(size_t groups);

/* Makes the log, and forgets all records. */
nd_wal *log_create(void);
/* Makes a log of some groups, all of them durable. */
void log_make(uint64_t seed, size_t groups);

/* Appends a record with random bytes; or random records that are a group. */
void log_append_record(nd_wal *log, uint16_t type, size_t size, bool last, uint64_t *seed);
void log_append_group(nd_wal *log, uint64_t *seed);
size_t log_random_size(uint64_t *seed);
nd_status log_commit(nd_wal *log, bool sync, nd_error *error);

/* Receives the records of a log (nd_wal_read), and compares them with the appended ones. `context`:
 * how many were read. */
typedef struct log_given {
    size_t records, groups;
} log_given;
nd_status log_compare_record(void *context, uint16_t type, const unsigned char *payload,
                             size_t size, nd_error *error);

/* Reads a log. The records must equal the appended ones, in whole groups. */
typedef struct log_outcome {
    nd_status status;
    size_t groups;
    nd_wal_tail tail;
    nd_error error;
} log_outcome;
log_outcome log_read(const char *path);
/* The same of a log that is not damaged, with a number of groups in these bounds. */
log_outcome log_expect_groups(const char *path, size_t least, size_t most);
/* Opens the log behind the records that were read. */
nd_wal *log_reopen(const log_outcome *read);

void log_put_file(const char *path, const unsigned char *bytes, size_t size);
/* Returns the size, at most `room`. */
size_t log_get_file(const char *path, unsigned char *bytes, size_t room);

#endif
