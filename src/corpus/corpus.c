/* Opens the inputs: finds out the kind of each, and checks that they fit together. */
#include "corpus/corpus.h"

#include "corpus/corpus_inside.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the kind of an input */

/* False also if the file cannot be read: the block reader will report that. */
static bool is_zstd(const char *path) {
    unsigned char first[ND_MAGIC_SIZE];
    int fd = nd_open(path, O_RDONLY | O_NONBLOCK, 0);
    if (fd < 0) return false;
    ssize_t size = read(fd, first, sizeof first);
    close(fd);
    return size == (ssize_t)sizeof first &&
           nd_compression_of_bytes(first, sizeof first) == ND_COMPRESSION_ZSTD;
}

static nd_status inspect_input(nd_corpus *corpus, nd_source *source, nd_error *error) {
    struct stat s;
    source->kind = ND_SOURCE_LINES;
    source->in_spool = true;
    if (strcmp(source->name, "-") == 0) {
        corpus->total_known = false;
        corpus->may_have_window = true;
        return ND_OK;
    }
    if (stat(source->name, &s) != 0) {
        if (corpus->options.skip_errors) return ND_OK; /* the block reader will report it */
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

/* Returns the last part of a path, without slashes behind it. */
static const char *last_part(const char *path, size_t *length) {
    size_t end = strlen(path), begin;
    while (end > 0 && path[end - 1] == '/') end--;
    for (begin = end; begin > 0 && path[begin - 1] != '/';) begin--;
    *length = end - begin;
    return path + begin;
}

/* True for "/", "." and "..": their last part is not a name. */
static bool has_no_name(const nd_source *source) {
    return source->label_length == 0 ||
           (source->label_length <= 2 && memcmp(source->label, "..", source->label_length) == 0);
}

/* Sets the labels of several directories: the last parts of their names, which must differ. */
static nd_status label_directories(nd_corpus *corpus, nd_error *error) {
    for (size_t i = 0; i < corpus->source_count; i++) {
        nd_source *source = &corpus->sources[i];
        source->label = last_part(source->name, &source->label_length);
        if (has_no_name(source))
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

static nd_status inspect_inputs(nd_corpus *corpus, nd_error *error) {
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
        ND_TRY(inspect_input(corpus, source, error));
        if (source->kind != corpus->sources[0].kind)
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "%s is a %s and %s is not: directories of documents and files of JSON "
                           "Lines do not mix in one run",
                           source->name, source->kind == ND_SOURCE_TREE ? "directory" : "file",
                           corpus->sources[0].name);
    }
    if (corpus->source_count > 1 && corpus->sources[0].kind == ND_SOURCE_TREE)
        return label_directories(corpus, error);
    return ND_OK;
}

/* ---- the corpus */

nd_status nd_corpus_open(const nd_corpus_options *options, const nd_allocator *allocator,
                         nd_temp_space *disk, nd_corpus **out, nd_error *error) {
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
                           ? inspect_inputs(corpus, error)
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
    nd_directory_walk_close(corpus->walk);
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
