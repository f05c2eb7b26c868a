/* Parts of the input that cannot be read: the failure, or a message of the block and the next part.
 */
#ifndef ND_CORPUS_BLOCK_FAULTS_H
#define ND_CORPUS_BLOCK_FAULTS_H

#include "corpus/block.h"
#include "corpus/corpus.h"

/* Handles a part of a source that cannot be read: returns the failure, or, if errors are skipped,
 * ends the block with a message. `rest` is appended to the message. */
nd_status nd_block_break(const nd_corpus *corpus, nd_block *block, nd_status status,
                         const nd_error *failure, const char *rest, nd_error *error);

/* Handles a source that cannot be read any further: if errors are skipped, the next source
 * follows. */
nd_status nd_block_end_broken_source(nd_corpus *corpus, nd_block *block, nd_status status,
                                     const nd_error *failure, nd_error *error);

/* Fails: Parquet from a source that is not a regular file. Standard input is none, even if it comes
 * from one: DuckDB opens files by their names. */
nd_status nd_block_fail_unnamed(const nd_source *source, nd_error *error);

#endif
