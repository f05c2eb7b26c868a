/* Outputs that belong together get their names together: all of them, or none.
 *
 * Every file has been finished. First all are made durable. Then each gets its name, in the order
 * given, and what stood there before stays under another name. Then the directories are synced. A
 * failure on the way gives every name back. After success the caller accepts the outputs one by
 * one, or frees them unaccepted: then all is as it was before. */
#ifndef ND_IO_PUBLICATION_H
#define ND_IO_PUBLICATION_H

#include "io/output_file.h"
#include "io/output_tree.h"

typedef struct nd_publication {
    nd_output_file *const
        *files; /* NULL among them: not wanted. The last one is the last to get its name */
    size_t count;
    nd_output_tree *tree; /* NULL: none; named after the files */
} nd_publication;

nd_status nd_publish(const nd_publication *outputs, nd_error *error);
/* What stood in their place before is gone. */
void nd_publication_accept(const nd_publication *outputs);

#endif
