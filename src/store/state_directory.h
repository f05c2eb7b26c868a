/* The directory of an index or a stream: which of the two it holds, whether one can be made there,
 * and which of its files are waste.
 *
 * Files are numbered: KIND-N. One has that name only once it is whole; until then ND_UNFINISHED
 * stands behind it (io/file.h). So what a death has left is known by its name, or is whole and
 * known by what is in it. Nothing else is ever removed, whatever its name is. */
#ifndef ND_STORE_STATE_DIRECTORY_H
#define ND_STORE_STATE_DIRECTORY_H

#include "base/alloc.h"
#include "base/status.h"

/* Kinds of sealed files (storage/sealed_file.h). */
enum { ND_SEALED_SEGMENT = 1, ND_SEALED_REMOVED = 2, ND_SEALED_CLUSTERS = 0x7374726d /* "strm" */ };

typedef enum nd_state_kind {
    ND_STATE_NONE = 0,
    ND_STATE_DOCUMENTS,
    ND_STATE_FINGERPRINTS,
    ND_STATE_STREAM
} nd_state_kind;

/* What a directory holds, by the head of its manifest or the end of its clusters; more of it may be
 * damaged. */
nd_status nd_state_find(const char *directory, const nd_allocator *allocator, nd_state_kind *kind,
                        nd_error *error);
/* "an index of documents" */
const char *nd_state_name(nd_state_kind kind);

/* That an index, or with `stream` a stream, can be made there: the directory is not there, is
 * empty, or holds only what a making of the same kind has left that died, or "lost+found".
 * ND_ERR_IO names what it holds, or the first of the other entries. The directory "index" of a
 * stream may hold an index: whether that has documents is not looked at. */
nd_status nd_state_check_free(const char *directory, bool stream, const nd_allocator *allocator,
                              nd_error *error);

/* A numbered file, whole or unfinished. */
typedef enum nd_state_file_kind {
    ND_FILE_SEGMENT,
    ND_FILE_REMOVED,
    ND_FILE_CLUSTERS,
    ND_FILE_LOG,
    ND_FILE_KINDS
} nd_state_file_kind;
typedef struct nd_state_file {
    nd_state_file_kind kind;
    uint64_t number;
    bool unfinished;
} nd_state_file;

/* The file that has this name; false: it is no name of one. */
bool nd_state_file_of(const char *name, nd_state_file *out);
/* "DIRECTORY/KIND-N" as a new string of the allocator; NULL: no memory. */
char *nd_state_path(const nd_allocator *allocator, const char *directory, nd_state_file_kind kind,
                    uint64_t number);
/* Whether neither that file is there nor an unfinished one. */
nd_status nd_state_is_free(const char *directory, nd_state_file_kind kind, uint64_t number,
                           const nd_allocator *allocator, bool *is_free, nd_error *error);

/* Whether the state in memory uses a file, which is whole. */
typedef bool nd_state_uses_fn(void *context, const nd_state_file *file);
/* Removes the files of an index, or of a stream, that are unfinished, or that `uses` (NULL: no file
 * is used) does not want. */
nd_status nd_state_remove_waste(const char *directory, bool stream, nd_state_uses_fn *uses,
                                void *context, nd_error *error);

#endif
