/* Reads the records of a corpus in blocks, in the order of input.
 *
 * One thread at a time reads the next block, under a lock inside the corpus. Reading a block only
 * cuts it into records. Slow work, such as parsing JSON or reading the files of a directory, is
 * left to the threads that asked for blocks. */
#ifndef ND_CORPUS_BLOCK_READER_H
#define ND_CORPUS_BLOCK_READER_H

#include "corpus/block.h"
#include "corpus/corpus.h"

/* Reads the next block. Any number of threads may call it at the same time. After a failure the
 * block still has its number in the order, and later calls return the end. */
nd_status nd_corpus_next_block(nd_corpus *corpus, nd_block *block, nd_error *error);

#endif
