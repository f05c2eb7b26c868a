/* The table of what was cut out of texts (doc/internals/formats.md, "Tables"). */
#ifndef ND_REPEATS_CUT_TABLE_H
#define ND_REPEATS_CUT_TABLE_H

#include "job/tsv_writer.h"

#include "neardup.h"

/* `path` NULL: the table stays closed. */
nd_status nd_cut_table_open(nd_table *table, const char *path, nd_progress *progress,
                            const nd_allocator *allocator, nd_error *error);
nd_status nd_cut_table_add(nd_table *table, const nd_repeated_stretch *cut, nd_error *error);

#endif
