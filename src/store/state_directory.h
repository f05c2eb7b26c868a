/* The directory of an index, a stream or a set of lines: which of them it holds, whether one can be
 * made there, and which of its files are orphans.
 *
 * A file gets its name KIND-N (numbered_names.h) only once it is whole; until then ND_UNFINISHED
 * follows the name (io/file.h). So every file that a crash leaves behind is recognised, either by
 * the ending of its name, or, if it is whole, by its content. No other file is ever removed,
 * whatever its name is. */
#ifndef ND_STORE_STATE_DIRECTORY_H
#define ND_STORE_STATE_DIRECTORY_H

#include "base/status.h"
#include "io/file_disposal.h"
#include "store/numbered_names.h"

typedef enum nd_state_kind {
    ND_STATE_NONE = 0,
    ND_STATE_DOCUMENTS,
    ND_STATE_FINGERPRINTS,
    ND_STATE_STREAM,
    ND_STATE_LINES
} nd_state_kind;

/* Finds what a directory holds, by the first bytes of its manifest, or the last of its clusters
 * file or of the state of its lines. The other bytes may be damaged. */
nd_status nd_state_find_kind(const char *directory, const nd_allocator *allocator,
                             nd_state_kind *kind, nd_error *error);
/* "an index of documents" */
const char *nd_state_name(nd_state_kind kind);

typedef enum nd_state_owner { ND_OWNER_INDEX, ND_OWNER_STREAM, ND_OWNER_LINES } nd_state_owner;

/* Checks that an index, a stream or a set of lines can be made there. It can if the directory does
 * not exist, is empty, or holds only "lost+found" and what an interrupted making of the same owner
 * has left. ND_ERR_IO names what the directory holds, or the first other entry. The directory
 * "index" of a stream may hold an index: this function does not look whether that has documents. */
nd_status nd_state_check_free(const char *directory, nd_state_owner owner,
                              const nd_allocator *allocator, nd_error *error);

/* Raises *number to the highest number of the whole files of a kind. It goes by the names alone: a
 * damaged state is an error, not a reason to open an older one. A directory that does not exist has
 * no files. */
nd_status nd_state_find_newest(const char *directory, nd_state_file_kind kind, uint64_t *number,
                               nd_error *error);

/* Whether neither this file exists nor an unfinished one of the same name. */
nd_status nd_state_is_free(const char *directory, nd_state_file_kind kind, uint64_t number,
                           const nd_allocator *allocator, bool *is_free, nd_error *error);

/* Whether the owner uses a file: the open state names it, or it is being written. */
typedef bool nd_state_uses_fn(void *context, const nd_state_file *file);
/* Removes the owner's orphan files: those for which `uses` returns false. `uses` NULL: no file is
 * used. `disposal` NULL: their bytes are freed at once. */
nd_status nd_state_remove_orphans(const char *directory, nd_state_owner owner,
                                  nd_state_uses_fn *uses, void *context, nd_file_disposal *disposal,
                                  nd_error *error);

#endif
