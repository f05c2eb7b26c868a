/* Sources and blocks. One reader at a time holds the lock and cuts the next block; what is slow
 * (parsing, reading the files of a tree) is left to the callers. */
#include "corpus/corpus.h"

#include "base/limits.h"
#include "corpus/corpus_inside.h"
#include "corpus/directory_walk.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A block ends at the first of these: enough work to be worth a lock, little enough for the cache.
 */
enum {
    BLOCK_BYTES = ND_LIMIT(1 << 20, 1000),
    BLOCK_RECORDS = ND_LIMIT(4096, 5),
    WINDOW = ND_LIMIT(1 << 21, 300),
};

/* ---- opening */

/* False where it cannot be read, too: reading it will say so. */
static bool is_zstd(const char *path) {
    unsigned char first[ND_MAGIC_SIZE];
    int fd = nd_open(path, O_RDONLY | O_NONBLOCK, 0);
    if (fd < 0) return false;
    ssize_t size = read(fd, first, sizeof first);
    close(fd);
    return size == (ssize_t)sizeof first &&
           nd_compression_of_bytes(first, sizeof first) == ND_COMPRESSION_ZSTD;
}

static nd_status look_at_input(nd_corpus *corpus, nd_source *source, nd_error *error) {
    struct stat s;
    source->kind = ND_SOURCE_LINES;
    source->in_spool = true;
    if (strcmp(source->name, "-") == 0) {
        corpus->total_known = false;
        corpus->may_have_window = true;
        return ND_OK;
    }
    if (stat(source->name, &s) != 0) {
        if (corpus->options.skip_errors) return ND_OK; /* reading it will say so */
        return nd_fail_os(error, errno, "%s", source->name);
    }
    if (S_ISDIR(s.st_mode)) source->kind = ND_SOURCE_TREE;
    if (!S_ISREG(s.st_mode)) {
        corpus->total_known = false;
        corpus->may_have_window = true;
        return ND_OK;
    }
    corpus->may_have_window = corpus->may_have_window || is_zstd(source->name);
    source->device = (uint64_t)s.st_dev;
    source->inode = (uint64_t)s.st_ino;
    source->size = (uint64_t)s.st_size;
    source->modified = (int64_t)s.st_mtim.tv_sec * 1000000000 + s.st_mtim.tv_nsec;
    corpus->total_bytes += source->size;
    return ND_OK;
}

/* The last part of a path, without the slashes behind it. */
static const char *last_part(const char *path, size_t *length) {
    size_t end = strlen(path), begin;
    while (end > 0 && path[end - 1] == '/') end--;
    for (begin = end; begin > 0 && path[begin - 1] != '/';) begin--;
    *length = end - begin;
    return path + begin;
}

static bool names_nothing(const nd_source *source) {
    return source->label_length == 0 ||
           (source->label_length <= 2 && memcmp(source->label, "..", source->label_length) == 0);
}

/* The trees of a job are told apart by the last parts of their names. */
static nd_status label_trees(nd_corpus *corpus, nd_error *error) {
    for (size_t i = 0; i < corpus->source_count; i++) {
        nd_source *source = &corpus->sources[i];
        source->label = last_part(source->name, &source->label_length);
        if (names_nothing(source))
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "%s: with several directories ids begin with the last part of each "
                           "name, and this one has none: give its full name",
                           source->name);
        for (size_t j = 0; j < i; j++) {
            const nd_source *other = &corpus->sources[j];
            if (source->label_length == other->label_length &&
                memcmp(source->label, other->label, other->label_length) == 0)
                return nd_fail(error, ND_ERR_ARGUMENT,
                               "%s and %s: with several directories ids begin with the last part "
                               "of each name, which must differ",
                               other->name, source->name);
        }
    }
    return ND_OK;
}

static nd_status look_at_inputs(nd_corpus *corpus, nd_error *error) {
    const nd_corpus_options *options = &corpus->options;
    if (options->records) {
        corpus->sources[0] = (nd_source){
            .name = "record", .kind = ND_SOURCE_CALLBACK, .in_spool = true};
        corpus->total_known = false;
        return ND_OK;
    }
    for (size_t i = 0; i < corpus->source_count; i++) {
        nd_source *source = &corpus->sources[i];
        source->name = options->inputs[i];
        ND_TRY(look_at_input(corpus, source, error));
        if (source->kind != corpus->sources[0].kind)
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "%s is a %s and %s is not: directories of documents and files of JSON "
                           "Lines do not mix in one run",
                           source->name, source->kind == ND_SOURCE_TREE ? "directory" : "file",
                           corpus->sources[0].name);
    }
    if (corpus->source_count > 1 && corpus->sources[0].kind == ND_SOURCE_TREE)
        return label_trees(corpus, error);
    return ND_OK;
}

nd_status nd_corpus_open(const nd_corpus_options *options, const nd_allocator *allocator,
                         nd_scratch_disk *disk, nd_corpus **out, nd_error *error) {
    nd_corpus *corpus = nd_allocate_zero(allocator, 1, sizeof *corpus);
    if (!corpus) return nd_fail_memory(error, sizeof *corpus, "the inputs");
    corpus->allocator = *allocator;
    corpus->options = *options;
    corpus->total_known = true;
    pthread_mutex_init(&corpus->lock, NULL);
    pthread_mutex_init(&corpus->gate, NULL);
    nd_spool_init(&corpus->spool, allocator, disk, options->spool_memory, "the spooled input");
    corpus->source_count = options->records ? 1 : options->input_count;
    corpus->sources = nd_allocate_zero(allocator, corpus->source_count, sizeof *corpus->sources);
    nd_status status = corpus->sources
                           ? look_at_inputs(corpus, error)
                           : nd_fail_memory(error, corpus->source_count * sizeof *corpus->sources,
                                            "the inputs");
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
    nd_tree_walk_close(corpus->walk);
    nd_release(&allocator, corpus->window);
    nd_release(&allocator, corpus->sources);
    nd_spool_free(&corpus->spool);
    pthread_mutex_destroy(&corpus->lock);
    pthread_mutex_destroy(&corpus->gate);
    nd_release(&allocator, corpus);
}

size_t nd_corpus_sources(const nd_corpus *corpus) { return corpus->source_count; }
const nd_source *nd_corpus_source(const nd_corpus *corpus, size_t index) {
    return &corpus->sources[index];
}
bool nd_corpus_may_have_window(const nd_corpus *corpus) { return corpus->may_have_window; }
uint64_t nd_corpus_links(const nd_corpus *corpus) { return corpus->links; }

uint64_t nd_corpus_expected_bytes(const nd_corpus *corpus, uint64_t counted) {
    uint64_t read = atomic_load(&corpus->read_bytes);
    if (!corpus->total_known || read == 0) return 0;
    return atomic_load(&corpus->compressed)
               ? (uint64_t)((double)counted * ((double)corpus->total_bytes / (double)read))
               : corpus->total_bytes;
}

/* ---- blocks in general */

static void hold_gate(nd_corpus *corpus, nd_block *block) {
    if (!block->holds_gate) pthread_mutex_lock(&corpus->gate);
    block->holds_gate = true;
}

void nd_block_let_go(nd_corpus *corpus, nd_block *block) {
    if (block->capacity > 8 * (size_t)BLOCK_BYTES) { /* grown for one long record */
        nd_release(&corpus->allocator, block->bytes);
        block->bytes = NULL;
        block->capacity = 0;
    }
    if (block->holds_gate) pthread_mutex_unlock(&corpus->gate);
    block->holds_gate = false;
}

void nd_block_free(nd_corpus *corpus, nd_block *block) {
    const nd_allocator *allocator = &corpus->allocator;
    nd_block_let_go(corpus, block);
    nd_release(allocator, block->bytes);
    nd_release(allocator, block->records);
    nd_release(allocator, block->broken);
    *block = (nd_block){0};
}

static nd_status add_record(nd_corpus *corpus, nd_block *block, nd_raw_record record,
                            nd_error *error) {
    if (!nd_reserve(&corpus->allocator, &block->records, &block->record_capacity, block->count + 1))
        return nd_fail_memory(error, sizeof record, "a block of records");
    block->records[block->count++] = record;
    return ND_OK;
}

/* Appends bytes to the block, keeping the padding behind them. */
static nd_status add_bytes(nd_corpus *corpus, nd_block *block, const void *bytes, size_t size,
                           nd_error *error) {
    if (!nd_reserve(&corpus->allocator, &block->bytes, &block->capacity,
                    block->size + size + ND_JSON_PADDING))
        return nd_fail_memory(error, size, "a block of records");
    if (size > 0) memcpy(block->bytes + block->size, bytes, size);
    block->size += size;
    memset(block->bytes + block->size, 0, ND_JSON_PADDING);
    return ND_OK;
}

static bool is_full(const nd_block *block) {
    return block->count >= BLOCK_RECORDS || block->size >= BLOCK_BYTES;
}

/* Something of a source cannot be read: the end of the job, or, when errors are skipped, a message
 * that ends the block. */
static nd_status break_block(const nd_corpus *corpus, nd_block *block, nd_status status,
                             const nd_error *failure, const char *rest, nd_error *error) {
    if (!corpus->options.skip_errors || (status != ND_ERR_INPUT && status != ND_ERR_IO)) {
        if (error) *error = *failure;
        return status;
    }
    block->broken = nd_string_join(&corpus->allocator, failure->message, rest, "");
    return block->broken ? ND_OK : nd_fail_memory(error, sizeof failure->message, "a message");
}

/* A source that cannot be read any further: where errors are skipped, the next source follows. */
static nd_status source_failed(nd_corpus *corpus, nd_block *block, nd_status status,
                               const nd_error *failure, nd_error *error) {
    ND_TRY(
        break_block(corpus, block, status, failure, "; the rest of this input is left out", error));
    corpus->at_end = true;
    return ND_OK;
}

/* ---- lines */

static nd_status begin_lines(nd_corpus *corpus, nd_source *source, nd_error *error) {
    corpus->window_begin = corpus->window_end = 0;
    corpus->window_offset = 0;
    corpus->line = 0;
    corpus->discarding = false;
    const nd_stream_in_options options = {&corpus->allocator, corpus->options.progress,
                                          corpus->options.memory};
    ND_TRY(nd_stream_in_open(source->name, &options, &corpus->stream, error));
    bool plain = nd_stream_in_compression(corpus->stream) == ND_COMPRESSION_NONE;
    source->in_spool = !(plain && source->inode != 0);
    if (!plain) atomic_store(&corpus->compressed, true);
    return ND_OK;
}

/* Moves what is left of the window to its front, makes room, and reads on. */
static nd_status refill(nd_corpus *corpus, nd_block *block, nd_error *error) {
    size_t left = corpus->window_end - corpus->window_begin;
    if (left > 0 && corpus->window_begin > 0)
        memmove(corpus->window, corpus->window + corpus->window_begin, left);
    corpus->window_offset += corpus->window_begin;
    corpus->window_begin = 0;
    corpus->window_end = left;
    size_t want = left < WINDOW / 2 ? WINDOW : left + left / 2;
    if (left > ND_LARGE_RECORD) hold_gate(corpus, block);
    if (corpus->window_capacity > 4 * (size_t)WINDOW &&
        want <= WINDOW) { /* grown for one long record: give it back */
        void *smaller = nd_reallocate(&corpus->allocator, corpus->window, WINDOW, 1);
        if (smaller) {
            corpus->window = smaller;
            corpus->window_capacity = WINDOW;
        }
    }
    if (!nd_reserve(&corpus->allocator, &corpus->window, &corpus->window_capacity, want))
        return nd_fail_memory(error, want, "the input's buffer");
    size_t got = 0;
    nd_status status = corpus->options.live
                           ? nd_stream_in_read_some(corpus->stream, corpus->window + left,
                                                    want - left, &got, error)
                           : nd_stream_in_read(corpus->stream, corpus->window + left, want - left,
                                               &got, error);
    bool beginning = corpus->window_offset == 0 && left == 0;
    corpus->window_end += got;
    atomic_store(&corpus->read_bytes,
                 corpus->before_source + nd_stream_in_position(corpus->stream));
    if (status != ND_OK) return status;
    if (corpus->options.live ? got == 0 : got < want - left) corpus->at_end = true;
    if (beginning && got >= 3 && memcmp(corpus->window, "\xEF\xBB\xBF", 3) == 0)
        corpus->window_begin = 3;
    return ND_OK;
}

static bool is_blank(const char *line, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r') return false;
    return true;
}

/* The next line [*begin, *end) within the window, without its newline; false: the window has none
 * (or, at the end, nothing). */
static bool next_line(const nd_corpus *corpus, size_t from, size_t *end) {
    if (from == corpus->window_end) return false;
    const char *newline = memchr(corpus->window + from, '\n', corpus->window_end - from);
    if (newline) {
        *end = (size_t)(newline - corpus->window);
        return true;
    }
    *end = corpus->window_end;
    return corpus->at_end;
}

/* A record longer than the limit without an end in sight: its bytes are dropped as they come, it is
 * told of once. */
static nd_status discard(nd_corpus *corpus, nd_block *block, nd_error *error) {
    if (!corpus->discarding) {
        corpus->discarding = true;
        corpus->line++;
        nd_raw_record record = {.line = corpus->line, .too_long = true};
        ND_TRY(add_record(corpus, block, record, error));
    }
    block->input_bytes += corpus->window_end - corpus->window_begin;
    corpus->window_begin = corpus->window_end;
    return ND_OK;
}

/* Cuts lines out of the window into the block: one copy for all of them. */
static nd_status cut_lines(nd_corpus *corpus, nd_block *block, nd_error *error) {
    size_t begin = corpus->window_begin, from = begin, end;
    uint64_t max = corpus->options.max_record;
    size_t base = block->size;
    while (block->count < BLOCK_RECORDS && base + (from - begin) < BLOCK_BYTES &&
           next_line(corpus, from, &end)) {
        size_t length = end - from;
        if (corpus->discarding) {
            corpus->discarding = false;
        } else {
            corpus->line++;
            nd_raw_record record = {.start = base + (from - begin),
                                    .length = length,
                                    .place = corpus->window_offset + from,
                                    .line = corpus->line};
            record.too_long = length > max;
            record.size = length;
            if (!is_blank(corpus->window + from, length))
                ND_TRY(add_record(corpus, block, record, error));
        }
        from = end < corpus->window_end ? end + 1 : end;
    }
    ND_TRY(add_bytes(corpus, block, corpus->window + begin, from - begin, error));
    block->input_bytes += from - begin;
    corpus->window_begin = from;
    return ND_OK;
}

static nd_status read_lines(nd_corpus *corpus, nd_block *block, nd_error *error) {
    nd_source *source = &corpus->sources[block->source];
    nd_error failure;
    if (!corpus->stream) {
        nd_status status = begin_lines(corpus, source, &failure);
        if (status != ND_OK) return source_failed(corpus, block, status, &failure, error);
    }
    for (;;) {
        ND_TRY(cut_lines(corpus, block, error));
        if (block->count > 0 || is_full(block)) break;
        if (corpus->window_end - corpus->window_begin > corpus->options.max_record ||
            corpus->discarding)
            ND_TRY(discard(corpus, block, error));
        if (corpus->at_end && corpus->window_begin == corpus->window_end) break;
        nd_status status = refill(corpus, block, &failure);
        if (status != ND_OK) {
            /* The lines that came whole before the damage are still to be had. */
            if (status == ND_ERR_INPUT || status == ND_ERR_IO)
                ND_TRY(cut_lines(corpus, block, error));
            ND_TRY(source_failed(corpus, block, status, &failure, error));
            corpus->window_begin = corpus->window_end;
            break;
        }
    }
    if (!source->in_spool || corpus->options.once || block->size == 0) return ND_OK;
    uint64_t base = corpus->spool.size;
    for (size_t i = 0; i < block->count; i++)
        block->records[i].place = base + block->records[i].start;
    return nd_spool_append(&corpus->spool, block->bytes, block->size, error);
}

/* ---- trees */

static nd_status read_tree(nd_corpus *corpus, nd_block *block, nd_error *error) {
    nd_source *source = &corpus->sources[block->source];
    nd_error failure;
    if (!corpus->walk) {
        const nd_tree_walk_options options = {corpus->options.follow_links,
                                              corpus->options.progress};
        nd_status status = nd_tree_walk_open(source->name, &options, &corpus->allocator,
                                             &corpus->walk, &failure);
        if (status != ND_OK) return source_failed(corpus, block, status, &failure, error);
    }
    uint64_t text = 0;
    while (block->count < BLOCK_RECORDS && text < BLOCK_BYTES) {
        const char *path = NULL;
        uint64_t size = 0;
        nd_status status = nd_tree_walk_next(corpus->walk, &path, &size, &failure);
        if (status != ND_OK && nd_tree_walk_is_over(corpus->walk))
            return source_failed(corpus, block, status, &failure, error);
        if (status != ND_OK) return break_block(corpus, block, status, &failure, "", error);
        if (!path) {
            corpus->at_end = true;
            break;
        }
        size_t length = strlen(path);
        nd_raw_record record = {.start = block->size,
                                .length = length,
                                .place = corpus->spool.size,
                                .line = ++corpus->line,
                                .size = size};
        record.too_long = size > corpus->options.max_record;
        ND_TRY(add_record(corpus, block, record, error));
        ND_TRY(add_bytes(corpus, block, path, length + 1, error));
        if (!corpus->options.once) ND_TRY(nd_spool_append(&corpus->spool, path, length + 1, error));
        text += size;
    }
    return ND_OK;
}

/* ---- callbacks */

static nd_status read_callback(nd_corpus *corpus, nd_block *block, nd_error *error) {
    while (!is_full(block)) {
        nd_record given = {.priority = NAN};
        int answer = corpus->options.records(corpus->options.records_context, &given);
        if (answer < 0)
            return nd_fail(error, ND_ERR_CANCELLED, "cancelled by the source of the records");
        if (answer == 0) {
            corpus->at_end = true;
            break;
        }
        nd_raw_record record = {.start = block->size,
                                .length = given.length,
                                .place = corpus->spool.size,
                                .line = ++corpus->line,
                                .size = given.length,
                                .priority = given.priority,
                                .id_start = SIZE_MAX};
        record.too_long = given.length > corpus->options.max_record;
        if (record.too_long) record.length = 0;
        if (record.length > ND_LARGE_RECORD) hold_gate(corpus, block);
        ND_TRY(add_bytes(corpus, block, given.text, record.length, error));
        if (!corpus->options.once)
            ND_TRY(nd_spool_append(&corpus->spool, given.text, record.length, error));
        if (given.id) {
            record.id_start = block->size;
            record.id_length = given.id_length;
            ND_TRY(add_bytes(corpus, block, given.id, given.id_length, error));
        }
        ND_TRY(add_record(corpus, block, record, error));
        block->input_bytes += given.length;
    }
    return ND_OK;
}

/* ---- the next block */

static void end_source(nd_corpus *corpus) {
    if (corpus->walk) corpus->links += nd_tree_walk_links(corpus->walk);
    nd_stream_in_close(corpus->stream);
    nd_tree_walk_close(corpus->walk);
    corpus->stream = NULL;
    corpus->walk = NULL;
    corpus->before_source += corpus->sources[corpus->current].size;
    corpus->current++;
    corpus->at_end = false;
    corpus->line = 0;
}

static nd_status next_block(nd_corpus *corpus, nd_block *block, nd_error *error) {
    while (corpus->current < corpus->source_count) {
        block->source = corpus->current;
        block->size = 0; /* blank lines may have filled it without a record */
        switch (corpus->sources[corpus->current].kind) {
        case ND_SOURCE_LINES: ND_TRY(read_lines(corpus, block, error)); break;
        case ND_SOURCE_TREE: ND_TRY(read_tree(corpus, block, error)); break;
        case ND_SOURCE_CALLBACK: ND_TRY(read_callback(corpus, block, error)); break;
        }
        bool used_up = corpus->at_end && corpus->window_begin == corpus->window_end;
        if (used_up) end_source(corpus);
        /* What was read counts even where it was blank to its end. */
        if (block->count > 0 || block->broken || (used_up && block->input_bytes > 0)) {
            block->number = corpus->blocks++;
            return ND_OK;
        }
    }
    block->end = true;
    return ND_OK;
}

nd_status nd_corpus_next_block(nd_corpus *corpus, nd_block *block, nd_error *error) {
    nd_release(&corpus->allocator, block->broken);
    nd_block_let_go(corpus, block);
    *block = (nd_block){.bytes = block->bytes,
                        .capacity = block->capacity,
                        .records = block->records,
                        .record_capacity = block->record_capacity};
    pthread_mutex_lock(&corpus->lock);
    nd_status status = ND_OK;
    if (corpus->failed) block->end = true;
    else status = next_block(corpus, block, error);
    if (status != ND_OK) {
        corpus->failed = true;
        block->number = corpus->blocks;
    }
    pthread_mutex_unlock(&corpus->lock);
    return status;
}
