#include "corpus/block_faults.h"

#include "corpus/corpus_inside.h"
#include "io/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

nd_status nd_block_break(const nd_corpus *corpus, nd_block *block, nd_status status,
                         const nd_error *failure, const char *rest, nd_error *error) {
    if (!corpus->options.skip_errors || (status != ND_ERR_INPUT && status != ND_ERR_IO)) {
        if (error) *error = *failure;
        return status;
    }
    block->broken = nd_string_join(&corpus->allocator, failure->message, rest, "");
    return block->broken ? ND_OK : nd_fail_memory(error, sizeof failure->message, "a message");
}

nd_status nd_block_end_broken_source(nd_corpus *corpus, nd_block *block, nd_status status,
                                     const nd_error *failure, nd_error *error) {
    ND_TRY(nd_block_break(corpus, block, status, failure, "; the rest of this input is left out",
                          error));
    corpus->at_end = true;
    return ND_OK;
}

nd_status nd_block_fail_unnamed(const nd_source *source, nd_error *error) {
    struct stat s;
    bool named = strcmp(source->name, "-") != 0;
    if (named && stat(source->name, &s) != 0) return nd_fail_os(error, errno, "%s", source->name);
    return nd_fail(error, ND_ERR_INPUT,
                   "%s: Parquet is not read from standard input or a pipe, because its end is read "
                   "first: write it to a file, and name the file",
                   nd_source_title(source));
}
