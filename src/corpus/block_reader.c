/* Chooses how the next block is read: by the kind of its source. */
#include "corpus/block_reader.h"

#include "corpus/block_faults.h"
#include "corpus/block_sources.h"
#include "corpus/corpus_inside.h"

static nd_status read_source(nd_corpus *corpus, nd_block *block, nd_error *error) {
    const nd_source *source = &corpus->sources[block->source];
    switch (source->kind) {
    case ND_SOURCE_RECORDS:
        return source->format == ND_FORMAT_PARQUET ? nd_block_read_parquet(corpus, block, error)
                                                   : nd_block_read_file(corpus, block, error);
    case ND_SOURCE_TREE: return nd_block_read_paths(corpus, block, error);
    case ND_SOURCE_CALLBACK: return nd_block_read_callback(corpus, block, error);
    }
    return ND_OK;
}

/* Whether a live input has another document at once. A callback is asked for it in any case. */
static bool has_more(const nd_corpus *corpus, const nd_block *block) {
    const nd_source *source = &corpus->sources[block->source];
    if (!corpus->options.live || !nd_block_is_full(block)) return false;
    return source->kind != ND_SOURCE_RECORDS || source->format == ND_FORMAT_PARQUET ||
           nd_block_file_has_document(corpus);
}

static void end_source(nd_corpus *corpus) {
    if (corpus->walk) corpus->links += nd_directory_walk_links(corpus->walk);
    nd_stream_in_close(corpus->stream);
    nd_directory_walk_close(corpus->walk);
    nd_parquet_in_close(corpus->parquet);
    corpus->stream = NULL;
    corpus->walk = NULL;
    corpus->parquet = NULL;
    corpus->before_source += corpus->sources[corpus->current].size;
    corpus->current++;
    corpus->at_end = false;
    corpus->line = 0;
}

static nd_status next_block(nd_corpus *corpus, nd_block *block, nd_error *error) {
    while (corpus->current < corpus->source_count) {
        block->source = corpus->current;
        block->size = 0; /* blank lines may have filled it without a record */
        ND_TRY(read_source(corpus, block, error));
        block->more = has_more(corpus, block);
        bool used_up = corpus->at_end && corpus->window_begin == corpus->window_end;
        if (used_up) end_source(corpus);
        /* A source with only blank lines gives an empty block, so that its bytes are counted. */
        if (block->count > 0 || block->claim.size > 0 || block->broken ||
            (used_up && block->input_bytes > 0)) {
            block->number = corpus->blocks++;
            return ND_OK;
        }
    }
    block->end = true;
    return ND_OK;
}

/* Reads the lines that the block has claimed. */
static nd_status read_claimed(nd_corpus *corpus, nd_block *block, nd_error *error) {
    nd_error failure;
    nd_status status = nd_line_claims_read(&corpus->claims, &corpus->allocator,
                                           corpus->options.max_record, block, &failure);
    if (status != ND_OK)
        status = nd_block_break(corpus, block, status, &failure,
                                "; the rest of this input is left out", error);
    if (status == ND_OK) return ND_OK;
    pthread_mutex_lock(&corpus->lock);
    corpus->failed = true;
    pthread_mutex_unlock(&corpus->lock);
    return status;
}

nd_status nd_corpus_next_block(nd_corpus *corpus, nd_block *block, nd_error *error) {
    nd_release(&corpus->allocator, block->broken);
    nd_block_release(block, &corpus->allocator);
    *block = (nd_block){.bytes = block->bytes,
                        .capacity = block->capacity,
                        .records = block->records,
                        .record_capacity = block->record_capacity,
                        .most = corpus->options.live ? ND_LIVE_RECORDS : ND_BLOCK_RECORDS};
    pthread_mutex_lock(&corpus->lock);
    nd_status status = ND_OK;
    if (corpus->failed) block->end = true;
    else status = next_block(corpus, block, error);
    if (status != ND_OK) {
        corpus->failed = true;
        block->number = corpus->blocks;
    }
    pthread_mutex_unlock(&corpus->lock);
    return status == ND_OK && block->claim.size > 0 ? read_claimed(corpus, block, error) : status;
}
