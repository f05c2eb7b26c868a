/* Opens the inputs: finds out the kind of each, and checks that they fit together. */
#include "corpus/corpus.h"

#include "corpus/corpus_inside.h"
#include "corpus/recognise.h"
#include "io/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the kind of an input */

/* Reads the first bytes of a file. Returns how many; 0 also if it cannot be read: the block reader
 * will report that. */
static size_t read_first(const nd_corpus *corpus, const char *name, bool *zstd, char *first) {
    const nd_stream_in_options options = {.allocator = &corpus->allocator,
                                          .memory = corpus->options.memory};
    nd_stream_in *stream = NULL;
    size_t size = 0;
    if (nd_stream_in_open(name, &options, &stream, NULL) != ND_OK) return 0;
    *zstd = nd_stream_in_compression(stream) == ND_COMPRESSION_ZSTD;
    nd_status status = nd_stream_in_read(stream, first, ND_RECOGNISE_BYTES, &size, NULL);
    nd_stream_in_close(stream);
    return status == ND_OK ? size : 0;
}

/* Finds out the compression of a file and, unless the caller knows it, its format. */
static nd_status recognise(nd_corpus *corpus, nd_source *source, char *first, nd_error *error) {
    bool zstd = false;
    size_t size = read_first(corpus, source->name, &zstd, first);
    corpus->may_have_window = corpus->may_have_window || zstd;
    if (source->format != ND_FORMAT_AUTO) return ND_OK;
    source->format = nd_recognise(source->name, first, size);
    const char *unread = nd_unread_kind(first, size);
    return unread ? nd_fail(error, ND_ERR_INPUT, "%s: %s files are not read", source->name, unread)
                  : ND_OK;
}

static nd_status add_source(nd_corpus *corpus, nd_source source, nd_error *error) {
    if (!nd_reserve(&corpus->allocator, &corpus->sources, &corpus->source_capacity,
                    corpus->source_count + 1))
        return nd_fail_memory(error, sizeof source, "the inputs");
    corpus->sources[corpus->source_count++] = source;
    return ND_OK;
}

static nd_status add_file(nd_corpus *corpus, nd_source source, const struct stat *s, char *first,
                          nd_error *error) {
    source.kind = ND_SOURCE_RECORDS;
    source.format = corpus->options.format;
    source.in_spool = true;
    if (s && S_ISREG(s->st_mode)) {
        ND_TRY(recognise(corpus, &source, first, error));
        source.device = (uint64_t)s->st_dev;
        source.inode = (uint64_t)s->st_ino;
        source.size = (uint64_t)s->st_size;
        source.modified = (int64_t)s->st_mtim.tv_sec * 1000000000 + s->st_mtim.tv_nsec;
        corpus->total_bytes += source.size;
    } else {
        corpus->total_known = false;
        corpus->may_have_window = true;
    }
    return add_source(corpus, source, error);
}

/* ---- directories */

nd_status nd_corpus_open_walk(const nd_corpus *corpus, const char *name, nd_directory_walk **out,
                              nd_error *error) {
    const nd_directory_walk_options options = {.follow_links = corpus->options.follow_links,
                                               .progress = corpus->options.progress};
    return nd_directory_walk_open(name, &options, &corpus->allocator, out, error);
}

/* The last part of a path begins with '_': such as _SUCCESS, which jobs leave beside their files.
 */
static bool is_mark(const char *path) {
    const char *slash = strrchr(path, '/');
    return (slash ? slash + 1 : path)[0] == '_';
}

/* DIRECTORY/PATH. The caller frees it. */
static nd_status join_path(const nd_corpus *corpus, const char *directory, const char *path,
                           char **out, nd_error *error) {
    size_t length = strlen(directory);
    bool slash = length > 0 && directory[length - 1] == '/';
    *out = nd_string_join(&corpus->allocator, directory, slash ? "" : "/", path);
    return *out ? ND_OK : nd_fail_memory(error, length + strlen(path), "a path");
}

/* Finds the next file that may have records. *path NULL: there is none. */
static nd_status next_shard(nd_directory_walk *walk, const char **path, nd_error *error) {
    uint64_t size;
    do ND_TRY(nd_directory_walk_next(walk, path, &size, error));
    while (*path && is_mark(*path));
    return ND_OK;
}

/* Whether a file in a directory has records: its name says so, and its content does not say
 * otherwise. A .json file may be anything, such as the settings of a program: it must have JSON
 * Lines or an array. */
static bool is_shard(const nd_corpus *corpus, const char *name, char *first) {
    bool zstd;
    nd_input_format named = nd_format_of_name(name);
    if (named == ND_FORMAT_TEXT) return false;
    size_t size = read_first(corpus, name, &zstd, first);
    if (named == ND_FORMAT_CSV || named == ND_FORMAT_TSV) return size > 0;
    nd_input_format found = nd_format_of_content(first, size);
    return found == ND_FORMAT_JSON_LINES ||
           (found == ND_FORMAT_JSON && (named == ND_FORMAT_JSON_LINES || first[0] == '['));
}

/* Whether the files of a directory have records: its first one decides. */
static nd_status has_shards(const nd_corpus *corpus, const char *name, char *first, bool *shards,
                            nd_error *error) {
    nd_directory_walk *walk = NULL;
    const char *path = NULL;
    if (corpus->options.format != ND_FORMAT_AUTO) {
        *shards = corpus->options.format != ND_FORMAT_TEXT;
        return ND_OK;
    }
    nd_status status = nd_corpus_open_walk(corpus, name, &walk, error);
    if (status == ND_OK) status = next_shard(walk, &path, error);
    char *file = NULL;
    if (status == ND_OK && path) status = join_path(corpus, name, path, &file, error);
    *shards = file && is_shard(corpus, file, first);
    nd_release(&corpus->allocator, file);
    nd_directory_walk_close(walk);
    return status;
}

static nd_status add_shard(nd_corpus *corpus, const char *directory, const char *path, char *first,
                           nd_error *error) {
    struct stat s;
    char *name = NULL;
    ND_TRY(join_path(corpus, directory, path, &name, error));
    const nd_source source = {.name = name, .owned_name = name};
    nd_status status = stat(name, &s) == 0 ? add_file(corpus, source, &s, first, error)
                                           : nd_fail_os(error, errno, "%s", name);
    if (status != ND_OK) nd_release(&corpus->allocator, name);
    return status == ND_OK
               ? nd_corpus_check_kind(corpus, &corpus->sources[corpus->source_count - 1], error)
               : status;
}

static nd_status add_shards(nd_corpus *corpus, const char *directory, char *first,
                            nd_error *error) {
    nd_directory_walk *walk = NULL;
    const char *path = NULL;
    nd_status status = nd_corpus_open_walk(corpus, directory, &walk, error);
    if (status == ND_OK) status = next_shard(walk, &path, error);
    while (status == ND_OK && path) {
        status = add_shard(corpus, directory, path, first, error);
        if (status == ND_OK) status = next_shard(walk, &path, error);
    }
    if (walk) corpus->links += nd_directory_walk_links(walk);
    nd_directory_walk_close(walk);
    return status;
}

static nd_status add_directory(nd_corpus *corpus, const char *name, char *first, nd_error *error) {
    bool shards = false;
    nd_error failure;
    nd_status status = has_shards(corpus, name, first, &shards, &failure);
    /* The block reader reports a directory that cannot be read. */
    if (status != ND_OK && status != ND_ERR_IO && status != ND_ERR_INPUT)
        return nd_fail(error, status, "%s", failure.message);
    size_t before = corpus->source_count;
    if (shards) ND_TRY(add_shards(corpus, name, first, error));
    if (corpus->source_count > before) return ND_OK;
    corpus->total_known = false;
    corpus->may_have_window = true;
    return add_source(corpus, (nd_source){.name = name, .kind = ND_SOURCE_TREE, .in_spool = true},
                      error);
}

static nd_status add_input(nd_corpus *corpus, const char *name, char *first, nd_error *error) {
    struct stat s;
    if (strcmp(name, "-") == 0)
        return add_file(corpus, (nd_source){.name = name}, NULL, first, error);
    bool found = stat(name, &s) == 0;
    /* If errors are skipped, the block reader will report it. */
    if (!found && !corpus->options.skip_errors) return nd_fail_os(error, errno, "%s", name);
    if (found && S_ISDIR(s.st_mode)) return add_directory(corpus, name, first, error);
    return add_file(corpus, (nd_source){.name = name}, found ? &s : NULL, first, error);
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
    size_t directories = 0;
    for (size_t i = 0; i < corpus->source_count; i++)
        directories += corpus->sources[i].kind == ND_SOURCE_TREE;
    for (size_t i = 0; i < corpus->source_count && directories > 1; i++) {
        nd_source *source = &corpus->sources[i];
        if (source->kind != ND_SOURCE_TREE) continue;
        source->label = last_part(source->name, &source->label_length);
        if (has_no_name(source))
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "%s: with several directories ids begin with the last part of each "
                           "name, and this one has none: give its full name",
                           source->name);
        for (size_t j = 0; j < i; j++) {
            const nd_source *other = &corpus->sources[j];
            if (other->kind == ND_SOURCE_TREE && source->label_length == other->label_length &&
                memcmp(source->label, other->label, other->label_length) == 0)
                return nd_fail(error, ND_ERR_ARGUMENT,
                               "%s and %s: with several directories ids begin with the last part "
                               "of each name, which must differ",
                               other->name, source->name);
        }
    }
    return ND_OK;
}

/* "a directory", "CSV" */
static const char *kind_name(const nd_source *source) {
    if (source->kind == ND_SOURCE_TREE) return "a directory of texts";
    switch (source->format) {
    case ND_FORMAT_JSON: return "JSON";
    case ND_FORMAT_CSV: return "CSV";
    case ND_FORMAT_TSV: return "TSV";
    case ND_FORMAT_TEXT: return "a text";
    default: return "JSON Lines";
    }
}

nd_status nd_corpus_check_kind(const nd_corpus *corpus, const nd_source *source, nd_error *error) {
    for (const nd_source *other = corpus->sources; other < source; other++) {
        bool known = other->kind == ND_SOURCE_TREE || other->format != ND_FORMAT_AUTO;
        bool texts = nd_source_has_texts(source);
        if (!known) continue;
        if (texts ? nd_source_has_texts(other) : source->format == other->format) return ND_OK;
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s is %s and %s is %s: one run reads one kind of input (--format says "
                       "otherwise)",
                       nd_source_title(source), kind_name(source), nd_source_title(other),
                       kind_name(other));
    }
    return ND_OK;
}

static nd_status add_inputs(nd_corpus *corpus, char *first, nd_error *error) {
    for (size_t i = 0; i < corpus->options.input_count; i++) {
        ND_TRY(add_input(corpus, corpus->options.inputs[i], first, error));
        const nd_source *source = &corpus->sources[corpus->source_count - 1];
        bool known = source->kind == ND_SOURCE_TREE || source->format != ND_FORMAT_AUTO;
        if (known) ND_TRY(nd_corpus_check_kind(corpus, source, error));
    }
    return ND_OK;
}

static nd_status inspect_inputs(nd_corpus *corpus, nd_error *error) {
    const nd_corpus_options *options = &corpus->options;
    if (options->records) {
        corpus->total_known = false;
        return add_source(
            corpus, (nd_source){.name = "record", .kind = ND_SOURCE_CALLBACK, .in_spool = true},
            error);
    }
    char *first = nd_allocate(&corpus->allocator, ND_RECOGNISE_BYTES, 1);
    nd_status status = first ? add_inputs(corpus, first, error)
                             : nd_fail_memory(error, ND_RECOGNISE_BYTES, "the inputs");
    nd_release(&corpus->allocator, first);
    ND_TRY(status);
    return label_directories(corpus, error);
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
    nd_status status = inspect_inputs(corpus, error);
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
    for (size_t i = 0; corpus->sources && i < corpus->source_count; i++) {
        nd_csv_columns_free(&corpus->sources[i].columns, &allocator);
        nd_release(&allocator, corpus->sources[i].header);
        nd_release(&allocator, corpus->sources[i].owned_name);
    }
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
