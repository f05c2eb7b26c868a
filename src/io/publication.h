/* Publishes outputs that belong together: all of them get their names, or none does.
 *
 * First all outputs are made durable. Then each gets its name, in the given order, and the files
 * that they replace stay under other names. Then the directories are synced. If a step fails, every
 * name is taken back. After success the caller either accepts the outputs, or frees them
 * unaccepted, which restores the old files. */
#ifndef ND_IO_PUBLICATION_H
#define ND_IO_PUBLICATION_H

#include "io/output_file.h"
#include "io/output_tree.h"

typedef struct nd_publication {
    /* NULL entries are skipped. The last file is the last to get its name. */
    nd_output_file *const *files;
    size_t count;
    nd_output_tree *tree; /* NULL: none; named after the files */
} nd_publication;

/* REQUIRES: every file is finished. */
nd_status nd_publish(const nd_publication *outputs, nd_error *error);
/* Keeps the new outputs, and removes the old ones. */
void nd_publication_accept(const nd_publication *outputs);

#endif
