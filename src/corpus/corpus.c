#include "corpus/corpus.h"

#include "corpus/corpus_inside.h"
#include "corpus/text_decoder.h"
#include "io/file.h"

#include <string.h>

/* Finds out what the encoding means for files of records. */
static nd_status read_encoding(nd_corpus *corpus, nd_error *error) {
    nd_text_decoder *decoder = NULL;
    ND_TRY(nd_text_decoder_create(corpus->options.encoding, &corpus->allocator, &decoder, error));
    corpus->converts = nd_text_decoder_converts(decoder, &corpus->keeps_ascii);
    nd_text_decoder_free(decoder);
    const char *encoding = corpus->options.encoding;
    corpus->guesses = encoding && strcmp(encoding, "auto") == 0;
    return ND_OK;
}

nd_status nd_corpus_open(const nd_corpus_options *options, const nd_allocator *allocator,
                         nd_temp_space *disk, nd_corpus **out, nd_error *error) {
    nd_corpus *corpus = nd_allocate_zero(allocator, 1, sizeof *corpus);
    if (!corpus) return nd_fail_memory(error, sizeof *corpus, "the inputs");
    corpus->allocator = *allocator;
    corpus->options = *options;
    corpus->total_known = true;
    pthread_mutex_init(&corpus->lock, NULL);
    pthread_mutex_init(&corpus->gate, NULL);
    nd_line_claims_init(&corpus->claims);
    pthread_mutex_init(&corpus->payload_gate, NULL);
    nd_spool_init(&corpus->spool, allocator, disk, options->spool_memory, "the spooled input");
    nd_status status = nd_globs_read(options->globs, options->glob_count, allocator, &corpus->globs,
                                     error);
    if (status == ND_OK) status = read_encoding(corpus, error);
    if (status == ND_OK) status = nd_corpus_list_sources(corpus, error);
    if (status != ND_OK) {
        nd_corpus_close(corpus);
        return status;
    }
    *out = corpus;
    return ND_OK;
}

void nd_corpus_close(nd_corpus *corpus) {
    if (!corpus) return;
    nd_allocator allocator = corpus->allocator;
    nd_stream_in_close(corpus->stream);
    nd_directory_walk_close(corpus->walk);
    nd_parquet_in_close(corpus->parquet);
    nd_duckdb_close(corpus->duckdb);
    nd_release(&allocator, corpus->window);
    for (size_t i = 0; corpus->sources && i < corpus->source_count; i++) {
        nd_csv_columns_free(&corpus->sources[i].columns, &allocator);
        nd_release(&allocator, corpus->sources[i].header);
        nd_release(&allocator, corpus->sources[i].owned_name);
        nd_release(&allocator, corpus->sources[i].fault);
        nd_release(&allocator, corpus->sources[i].files);
        nd_globs_free(corpus->sources[i].pattern);
    }
    nd_globs_free(corpus->globs);
    nd_release(&allocator, corpus->listed);
    nd_release(&allocator, corpus->written);
    nd_release(&allocator, corpus->sources);
    nd_spool_free(&corpus->spool);
    pthread_mutex_destroy(&corpus->lock);
    pthread_mutex_destroy(&corpus->gate);
    nd_line_claims_free(&corpus->claims);
    pthread_mutex_destroy(&corpus->payload_gate);
    nd_release(&allocator, corpus);
}

char *nd_source_path(const nd_source *source, const char *path, const nd_allocator *allocator) {
    return source->files ? nd_string_join(allocator, path, "", "")
                         : nd_string_join(allocator, source->name, "/", path);
}

bool nd_source_is(const nd_source *source, const struct stat *s) {
    return (uint64_t)s->st_dev == source->device && (uint64_t)s->st_ino == source->inode &&
           (uint64_t)s->st_size == source->size &&
           (int64_t)s->st_mtim.tv_sec * 1000000000 + s->st_mtim.tv_nsec == source->modified;
}

nd_status nd_corpus_duckdb(nd_corpus *corpus, nd_duckdb_session **out, nd_error *error) {
    const nd_duckdb_options options = {.library = corpus->options.duckdb,
                                       .memory = corpus->options.memory / 2,
                                       .progress = corpus->options.progress};
    if (!corpus->duckdb)
        ND_TRY(nd_duckdb_open(&options, &corpus->allocator, &corpus->duckdb, error));
    *out = corpus->duckdb;
    return ND_OK;
}

const char *nd_corpus_list(const nd_corpus *corpus) { return corpus->options.files_from; }

size_t nd_corpus_sources(const nd_corpus *corpus) { return corpus->source_count; }
const nd_source *nd_corpus_source(const nd_corpus *corpus, size_t index) {
    return &corpus->sources[index];
}
bool nd_corpus_may_have_window(const nd_corpus *corpus) { return corpus->may_have_window; }
bool nd_corpus_converts(const nd_corpus *corpus) {
    bool converts = corpus->converts;
    for (size_t s = 0; s < corpus->source_count; s++)
        converts = converts || corpus->sources[s].encoding[0];
    return converts;
}
uint64_t nd_corpus_links(const nd_corpus *corpus) { return corpus->links; }
uint64_t nd_corpus_left_out(const nd_corpus *corpus, nd_warc_kind kind) {
    return corpus->left_out[kind];
}
uint64_t nd_corpus_other_digests(const nd_corpus *corpus) {
    return atomic_load(&corpus->other_digests);
}

uint64_t nd_corpus_expected_bytes(const nd_corpus *corpus, uint64_t counted) {
    uint64_t read = atomic_load(&corpus->read_bytes);
    if (!corpus->total_known || read == 0) return 0;
    return atomic_load(&corpus->compressed)
               ? (uint64_t)((double)counted * ((double)corpus->total_bytes / (double)read))
               : corpus->total_bytes;
}
