/* The directory of a stream: a saved state, the log of the arrivals since, and the members of all
 * clusters (doc/internals/stream.md; doc/internals/formats.md for the bytes).
 *
 *   clusters-N  sealed: settings and clusters. Written as clusters-N.new, and renamed when durable.
 *   log-N       the arrivals since (stream/stream_log.h). Made before clusters-N has its name.
 *   members     founding document and id of each document, up to a length that the state holds;
 *               behind that length only the log counts.
 *   index       with MinHash: the index of the clusters' first documents.
 *   lock        of the one writer.
 *
 * The highest N is the state. The next writer removes orphan files, which a crash has left
 * (store/state_directory.h). */
#ifndef ND_STREAM_STREAM_FILES_H
#define ND_STREAM_STREAM_FILES_H

#include "io/file_disposal.h"
#include "storage/process_lock.h"
#include "storage/sealed_file.h"
#include "stream/leader_clusters.h"
#include "stream/stream_log.h"
#include "stream/stream_settings.h"

typedef struct nd_stream_files {
    nd_allocator allocator;
    char *directory;
    nd_index_mode mode;
    bool creating;          /* the stream is new, until nd_stream_files_keep */
    bool created_directory; /* so is its directory */
    nd_process_lock lock;   /* of a writer */
    uint64_t number;        /* N; 0: there is no state */
    uint64_t state_bytes;
    nd_stream_log *log;         /* of a writer */
    nd_file_disposal *disposal; /* of a writer's orphan files; NULL: there is none */
    int members;                /* descriptor; -1: not open */
    uint64_t on_disk;           /* bytes of members there */
    uint64_t hash;              /* of all members */
    char *waiting;              /* members that are not on disk yet */
    size_t waiting_size, waiting_capacity;
} nd_stream_files;

/* The state that a stream is opened with. */
typedef struct nd_stream_state {
    bool missing;                /* there is no stream */
    nd_sealed_file *file;        /* for nd_clusters_load; the caller closes it. NULL: missing, or
                                    opening has failed */
    nd_stream_settings settings; /* where the file was read; else zeros */
} nd_stream_state;

/* Opens the files of a stream. Where there is none a writer has the lock, and can create one
 * (nd_stream_files_save); for a reader that is ND_ERR_IO. So is, for both, a directory that holds
 * something else. Call nd_stream_files_close after a failure, too. */
nd_status nd_stream_files_open(nd_stream_files *files, const char *directory, nd_index_mode mode,
                               const nd_allocator *allocator, nd_stream_state *out,
                               nd_error *error);
/* Gives the arrivals in the log to fn. A writer's log then goes on behind them. */
nd_status nd_stream_files_replay(nd_stream_files *files, nd_wal_record_fn *fn, void *context,
                                 nd_error *error);
/* Saves the clusters as the next state, and begins an empty log. */
nd_status nd_stream_files_save(nd_stream_files *files, const nd_stream_settings *settings,
                               const nd_clusters *clusters, nd_error *error);
/* Removes a stream that was created and not kept. */
void nd_stream_files_close(nd_stream_files *files);
/* The stream is open: nd_stream_files_close leaves it. */
void nd_stream_files_keep(nd_stream_files *files);
/* After opening or replaying has failed: whether a writer has saved another state meanwhile. */
bool nd_stream_files_are_outdated(nd_stream_files *files);

/* Whether a state should be saved: the log is longer than the last state and 64 MiB together, so
 * saving costs no more than the log has. */
bool nd_stream_files_should_save(const nd_stream_files *files);
uint64_t nd_stream_files_bytes(const nd_stream_files *files);

/* Adds a member of the cluster that document number `founded` has founded. */
nd_status nd_stream_files_add_member(nd_stream_files *files, uint64_t founded, const char *id,
                                     size_t length, nd_error *error);
/* All members in the order of arrival, as bytes for nd_stream_next_member, which the caller
 * releases. */
nd_status nd_stream_files_members(const nd_stream_files *files, char **bytes, size_t *size,
                                  nd_error *error);
/* Call with *at 0 first. False: there are no more, or the bytes there are no member. */
bool nd_stream_next_member(const char *bytes, size_t size, size_t *at, uint64_t *founded,
                           const char **id, size_t *length);

#endif
