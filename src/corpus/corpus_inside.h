/* The inside of a corpus, shared by its two halves: blocks (corpus.c) and records
 * (record_reader.c). */
#ifndef ND_CORPUS_CORPUS_INSIDE_H
#define ND_CORPUS_CORPUS_INSIDE_H

#include "corpus/corpus.h"
#include "corpus/directory_walk.h"
#include "io/stream_in.h"

#include <stdatomic.h>

struct nd_corpus {
    nd_allocator allocator;
    nd_corpus_options options;
    nd_source *sources;
    size_t source_count;
    nd_spool spool;
    bool total_known;
    bool may_have_window;
    uint64_t total_bytes;
    atomic_uint_fast64_t read_bytes; /* of the files, as they are */
    atomic_bool compressed;          /* one was */
    uint64_t links;                  /* left out */
    pthread_mutex_t gate;            /* held while a large record is in work */

    /* Reading, under the lock. */
    pthread_mutex_t lock;
    bool failed;
    uint64_t blocks;        /* cut so far */
    size_t current;         /* source */
    uint64_t before_source; /* sizes of the sources before it */
    bool at_end; /* nothing more comes from the source; the window may still hold lines */
    uint64_t line;
    nd_stream_in *stream;
    nd_tree_walk *walk;
    char *window; /* lines: bytes [begin, end) are read and not yet cut; window[0] is at
                     window_offset of the stream */
    size_t window_begin, window_end, window_capacity;
    uint64_t window_offset;
    bool discarding; /* inside a record over the limit */
};

#endif
