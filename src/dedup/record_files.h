/* The files that records are written to one by one: a single file, a file in a directory for each
 * file of the input, or numbered files of a limited size. One file is open at a time, because
 * records come in the order of input. Each has a header if the format has one. */
#ifndef ND_DEDUP_RECORD_FILES_H
#define ND_DEDUP_RECORD_FILES_H

#include "dedup/record_form.h"
#include "io/output_file.h"
#include "io/output_tree.h"

typedef struct nd_record_target {
    nd_output_file *file; /* NULL: the directory */
    nd_output_tree *tree;
    uint64_t part_size;    /* most bytes of a file of the directory; 0: one for each source */
    nd_input_format asked; /* as of nd_shard_name */
} nd_record_target;

typedef struct nd_record_files nd_record_files;

/* The target stays the caller's, and so does the form. ND_ERR_INPUT: as of nd_record_form_check. */
nd_status nd_record_files_create(nd_corpus *corpus, const nd_record_form *form,
                                 const nd_record_target *target, const nd_allocator *allocator,
                                 nd_record_files **out, nd_error *error);
void nd_record_files_free(nd_record_files *files);

/* Writes a record of a source. Sources come in order. */
nd_status nd_record_files_write(nd_record_files *files, size_t source, const char *bytes,
                                size_t size, nd_error *error);
/* Completes the files; a file without records has its header alone. */
nd_status nd_record_files_finish(nd_record_files *files, nd_error *error);
/* Bytes of the directory's files that are complete. */
uint64_t nd_record_files_size(const nd_record_files *files);

#endif
