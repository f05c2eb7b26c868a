/* The directory of a stream: a saved state, the log of what has arrived behind it, and the members
 * of all clusters (doc/stream.md; doc/formats.md for the bytes).
 *
 *   clusters-N   sealed: settings and clusters, written as clusters-N.new and renamed when it is
 * durable log-N        the arrivals behind it (stream/stream_log.h), made before the state has its
 * name members      founding document and id of each document, up to a length that the state tells;
 * behind that the log is believed index        with MinHash: the index of the clusters' first
 * documents lock         of the one writer
 *
 * The highest N is the state. What a death has left is removed by the next writer
 * (store/state_directory.h). */
#ifndef ND_STREAM_STREAM_FILES_H
#define ND_STREAM_STREAM_FILES_H

#include "stream/leader_clusters.h"
#include "storage/process_lock.h"
#include "stream/stream_log.h"

/* Of the name of a language, with its NUL. */
enum { ND_STREAM_STEM_SIZE = 40 };

/* What a stream is made with. */
typedef struct nd_stream_settings {
    uint32_t sketch, mode, analyzer, ngram, perms, k, bits, weighting;
    uint64_t seed;
    double threshold, recall, expire;
    uint64_t table, dictionary,
        stop;     /* hashes of what they hold, so that others are found out; 0: there is none */
    uint32_t icu; /* that cuts segments: nd_word_breaks_version; 0 with other analyzers */
    char stem[ND_STREAM_STEM_SIZE]; /* "": words are as they are */
} nd_stream_settings;

typedef struct nd_stream_files {
    nd_allocator allocator;
    char *directory;
    bool write;
    bool making,
        made_directory; /* until it is kept: the stream, and the directory, did not exist before */
    nd_lock lock;       /* of a writer */
    uint64_t number, state_bytes;
    nd_stream_log *log; /* of a writer */
    int members;        /* its descriptor */
    uint64_t on_disk;   /* bytes of members there */
    uint64_t hash;      /* of all members */
    char *waiting;      /* those behind them, in memory */
    size_t waiting_size, waiting_capacity;
} nd_stream_files;

/* *missing: there is no stream. A writer then has the lock and can make one (ND_OK); for a reader
 * that is ND_ERR_IO. A directory that holds something else is ND_ERR_IO, too. The file has the
 * settings and is for nd_clusters_load; NULL on failure, and where there is no stream. */
nd_status nd_stream_files_open(const char *directory, bool write, const nd_allocator *allocator,
                               nd_stream_files *files, nd_stream_settings *settings,
                               nd_sealed_file **state, bool *missing, nd_error *error);
/* Gives the arrivals behind the state to fn, and, for a writer, goes on behind them. */
nd_status nd_stream_files_replay(nd_stream_files *files, nd_log_record_fn *fn, void *context,
                                 nd_error *error);
/* Makes a new state of the clusters and begins an empty log. */
nd_status nd_stream_files_save(nd_stream_files *files, const nd_stream_settings *settings,
                               const nd_clusters *clusters, nd_error *error);
/* A stream that was made and not kept is removed. */
void nd_stream_files_close(nd_stream_files *files);
/* It has been opened: what was made stays. */
void nd_stream_files_keep(nd_stream_files *files);
/* After opening or replaying has failed: whether there is another state by now. */
bool nd_stream_files_have_moved(nd_stream_files *files);

/* Whether the log has grown so long that a state should be saved: a part of what that costs. */
bool nd_stream_files_is_long(const nd_stream_files *files);
uint64_t nd_stream_files_bytes(const nd_stream_files *files);

/* A member of the cluster that document `founded` founded. */
nd_status nd_stream_files_add_member(nd_stream_files *files, uint64_t founded, const char *id,
                                     size_t length, nd_error *error);
/* All of them, in the order of arrival: bytes for nd_stream_next_member, to be released by the
 * caller. */
nd_status nd_stream_files_members(const nd_stream_files *files, char **bytes, size_t *size,
                                  nd_error *error);
/* at begins as 0. False: there are no more, or what is there is none. */
bool nd_stream_next_member(const char *bytes, size_t size, size_t *at, uint64_t *founded,
                           const char **id, size_t *length);

#endif
