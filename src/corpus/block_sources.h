/* The ways to read a block, one for each kind of source (block_reader.c chooses). Records that
 * cannot be read again from their file are appended to the spool on the way.
 *
 * REQUIRES: the lock of the corpus; block->source is the current source. At the end of the source
 * they set corpus->at_end. */
#ifndef ND_CORPUS_BLOCK_SOURCES_H
#define ND_CORPUS_BLOCK_SOURCES_H

#include "corpus/block.h"
#include "corpus/corpus.h"

/* Files of records other than Parquet (block_files.c). */
nd_status nd_block_read_file(nd_corpus *corpus, nd_block *block, nd_error *error);
/* Whether another document of the file is in memory already. An archive's next record may be none.
 */
bool nd_block_file_has_document(const nd_corpus *corpus);

/* Paths of a directory or a list, records of a callback, rows of Parquet (block_rows.c). */
nd_status nd_block_read_paths(nd_corpus *corpus, nd_block *block, nd_error *error);
nd_status nd_block_read_callback(nd_corpus *corpus, nd_block *block, nd_error *error);
nd_status nd_block_read_parquet(nd_corpus *corpus, nd_block *block, nd_error *error);

#endif
