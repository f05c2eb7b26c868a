/* The inside of a corpus, shared by corpus.c, source_list.c, block_*.c and record_reader.c. */
#ifndef ND_CORPUS_CORPUS_INSIDE_H
#define ND_CORPUS_CORPUS_INSIDE_H

#include "corpus/corpus.h"
#include "corpus/directory_walk.h"
#include "corpus/recognise.h"
#include "corpus/line_claims.h"
#include "io/stream_in.h"
#include "parquet/parquet_in.h"
#include "warc/warc_cut.h"

#include <pthread.h>
#include <stdatomic.h>

/* A file that is going to be replaced (written_files.h). */
typedef struct nd_written_file {
    uint64_t device, inode;
} nd_written_file;

struct nd_corpus {
    nd_allocator allocator;
    nd_corpus_options options;
    nd_source *sources;
    size_t source_count, source_capacity;
    nd_globs *globs;
    bool converts, keeps_ascii; /* of the option `encoding`: nd_text_decoder_converts */
    bool guesses;               /* the encodings of tables, and of texts */
    char *listed;               /* the file of names, with NULs between: sources point into it */
    nd_spool spool;
    nd_written_file *written;
    size_t written_count, written_capacity;
    bool total_known;     /* all inputs are regular files */
    bool may_have_window; /* nd_corpus_may_have_window */
    uint64_t total_bytes; /* sizes of the files */
    pthread_mutex_t gate; /* held while a large record is in work */
    /* Held while a payload is in work that is large, and whose record is not. Whoever holds it
     * never waits for the gate. */
    pthread_mutex_t payload_gate;
    atomic_uint_fast64_t other_digests; /* nd_corpus_other_digests */

    /* The block reader's progress. Only the block reader writes it; any thread reads it. */
    atomic_uint_fast64_t read_bytes; /* bytes read of the files, before decompression */
    atomic_bool compressed;          /* one of the files read so far is compressed */

    /* The block reader's state. The lock guards all of it, and the growth of the spool. */
    pthread_mutex_t lock;
    bool failed;
    uint64_t blocks;        /* blocks read so far */
    size_t current;         /* the source that is read now */
    uint64_t before_source; /* sum of the sizes of the sources before it */
    bool at_end;    /* nothing more comes from the source; the window may still hold records */
    uint64_t line;  /* the latest line, or record, of the source */
    uint64_t links; /* symbolic links left out */
    uint64_t left_out[ND_WARC_KINDS];
    nd_stream_in *stream;      /* reads a file */
    nd_format_search search;   /* while its format is not known */
    nd_record_cutter cutter;   /* cuts it into records */
    nd_warc_cutter archive;    /* cuts WARC */
    nd_line_claims claims;     /* of its lines, behind the window */
    nd_directory_walk *walk;   /* walks through a directory */
    nd_duckdb_session *duckdb; /* reads Parquet; NULL: none was read yet */
    nd_parquet_in *parquet;    /* the file that it reads now */
    /* The bytes [window_begin, window_end) of the window are read and not yet in a block.
     * window[0] is at window_offset of the stream. */
    char *window;
    size_t window_begin, window_end, window_capacity;
    uint64_t window_offset;
    size_t header_start; /* of a header in the block; SIZE_MAX: it has none */
    bool discarding;     /* inside a record over the limit, whose remaining bytes are dropped */
};

/* Makes the list of sources: finds out the kind of each input, and checks that they fit together.
 */
nd_status nd_corpus_list_sources(nd_corpus *corpus, nd_error *error);

/* Checks that a file fits to the inputs before it: one run has either records of one format, or
 * texts. */
nd_status nd_corpus_check_kind(const nd_corpus *corpus, const nd_source *source, nd_error *error);

/* Opens a walk through a directory, as the options of the corpus want it. `pattern` NULL: none. */
nd_status nd_corpus_open_walk(const nd_corpus *corpus, const char *name, const nd_globs *pattern,
                              nd_directory_walk **out, nd_error *error);

#endif
