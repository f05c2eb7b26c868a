/* Names of the numbered files of an index, a stream or a set of lines: KIND-N, in the directory of
 * its owner. */
#ifndef ND_STORE_NUMBERED_NAMES_H
#define ND_STORE_NUMBERED_NAMES_H

#include "base/alloc.h"

/* Kinds of sealed files (storage/sealed_file.h). */
enum {
    ND_SEALED_SEGMENT = 1,
    ND_SEALED_TOMBSTONES = 2,
    ND_SEALED_LINES = 3,
    ND_SEALED_LINE_RUN = 4,
    ND_SEALED_CLUSTERS = 0x7374726d /* "strm" */
};

typedef enum nd_state_file_kind {
    ND_FILE_SEGMENT,
    ND_FILE_TOMBSTONES, /* tombstones */
    ND_FILE_CLUSTERS,
    ND_FILE_LOG,
    ND_FILE_LINES,    /* the state of a set of lines */
    ND_FILE_LINE_RUN, /* a part of their hashes */
    ND_FILE_KINDS
} nd_state_file_kind;

/* A numbered file. While it is unfinished, its name ends in ND_UNFINISHED (io/file.h). */
typedef struct nd_state_file {
    nd_state_file_kind kind;
    uint64_t number;
    bool unfinished;
} nd_state_file;

/* Parses a name. False: no numbered file has this name. */
bool nd_state_parse_name(const char *name, nd_state_file *out);

/* "DIRECTORY/KIND-NUMBER" as a new string of the allocator. NULL: no memory. */
char *nd_state_file_path(const nd_allocator *allocator, const char *directory,
                         nd_state_file_kind kind, uint64_t number);
/* The same with any name in place of a kind's: "DIRECTORY/NAME-NUMBER". */
char *nd_numbered_path(const nd_allocator *allocator, const char *directory, const char *name,
                       uint64_t number);

#endif
