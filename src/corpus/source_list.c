/* The sources of a corpus: one for each file of records, and one for each directory of texts. A
 * glob that names no file stands for the files that it matches. */
#include "corpus/corpus_inside.h"
#include "corpus/recognise.h"
#include "corpus/table_encoding.h"
#include "io/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the kind of an input */

/* The first bytes of a file: ND_RECOGNISE_BYTES, or as many as tell its format. */
typedef struct first_bytes {
    char *bytes;
    size_t capacity;
} first_bytes;

/* Reads the first bytes of a stream. Returns how many; those before a damage are read. */
static size_t take_first(const nd_corpus *corpus, nd_stream_in *stream, first_bytes *first) {
    nd_format_search search = {0};
    size_t size = 0, got = 0;
    for (size_t want = ND_RECOGNISE_BYTES;; want = 2 * size) {
        if (!nd_reserve(&corpus->allocator, &first->bytes, &first->capacity, want)) break;
        nd_status status = nd_stream_in_read(stream, first->bytes + size, want - size, &got, NULL);
        size += got;
        if (status != ND_OK || size < want || size > corpus->options.max_record ||
            !nd_format_goes_on(&search, first->bytes, size))
            break;
    }
    return size;
}

/* Reads the first bytes of a file. Returns how many; 0 also if it cannot be read: the block reader
 * will report that. */
static size_t read_first(const nd_corpus *corpus, const char *name, bool *window,
                         first_bytes *first) {
    const nd_stream_in_options options = {.allocator = &corpus->allocator,
                                          .memory = corpus->options.memory};
    nd_stream_in *stream = NULL;
    if (nd_stream_in_open(name, &options, &stream, NULL) != ND_OK) return 0;
    nd_compression compression = nd_stream_in_compression(stream);
    *window = compression == ND_COMPRESSION_ZSTD || compression == ND_COMPRESSION_XZ;
    size_t size = take_first(corpus, stream, first);
    nd_stream_in_close(stream);
    return size;
}

/* Finds out the compression of a file, its format, unless the caller knows it, and the encoding of
 * a table. */
static nd_status recognise(nd_corpus *corpus, nd_source *source, first_bytes *first,
                           nd_error *error) {
    bool window = false;
    size_t size = read_first(corpus, source->name, &window, first);
    corpus->may_have_window = corpus->may_have_window || window;
    bool known = source->format != ND_FORMAT_AUTO;
    if (!known) source->format = nd_recognise(source->name, first->bytes, size);
    const char *unread = known ? NULL : nd_unread_kind(first->bytes, size);
    if (unread)
        return nd_fail(error, ND_ERR_INPUT, "%s: %s files are not read", source->name, unread);
    return corpus->guesses
               ? nd_table_guess_encoding(source, first->bytes, size, &corpus->allocator, error)
               : ND_OK;
}

static nd_status add_source(nd_corpus *corpus, nd_source source, nd_error *error) {
    if (!nd_reserve(&corpus->allocator, &corpus->sources, &corpus->source_capacity,
                    corpus->source_count + 1))
        return nd_fail_memory(error, sizeof source, "the inputs");
    corpus->sources[corpus->source_count++] = source;
    return ND_OK;
}

/* Adds a text to the list of files that the latest source is, or begins a list. */
static nd_status add_text(nd_corpus *corpus, const char *name, nd_error *error) {
    nd_source *last = corpus->source_count > 0 ? &corpus->sources[corpus->source_count - 1] : NULL;
    if (!last || !last->files) {
        const nd_source list = {.name = name, .kind = ND_SOURCE_TREE, .place = ND_IN_SPOOL};
        ND_TRY(add_source(corpus, list, error));
        last = &corpus->sources[corpus->source_count - 1];
        corpus->total_known = false;
        corpus->may_have_window = true;
    }
    if (!nd_reserve(&corpus->allocator, &last->files, &last->file_capacity, last->file_count + 1))
        return nd_fail_memory(error, sizeof name, "the inputs");
    last->files[last->file_count++] = name;
    return ND_OK;
}

static nd_status add_file(nd_corpus *corpus, nd_source source, const struct stat *s,
                          first_bytes *first, nd_error *error) {
    source.kind = ND_SOURCE_RECORDS;
    source.format = corpus->options.format;
    source.place = ND_IN_SPOOL;
    if (s && S_ISREG(s->st_mode)) {
        ND_TRY(recognise(corpus, &source, first, error));
        corpus->may_have_window = corpus->may_have_window || source.format == ND_FORMAT_PARQUET;
        if (!source.owned_name && source.format == ND_FORMAT_TEXT)
            return add_text(corpus, source.name, error);
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

nd_status nd_corpus_open_walk(const nd_corpus *corpus, const char *name, const nd_globs *pattern,
                              nd_directory_walk **out, nd_error *error) {
    const nd_directory_walk_options options = {.follow_links = corpus->options.follow_links,
                                               .hidden = corpus->options.hidden,
                                               .pattern = pattern,
                                               .globs = corpus->globs,
                                               .progress = corpus->options.progress};
    return nd_directory_walk_open(name, &options, &corpus->allocator, out, error);
}

/* A part of the path begins with '_': such as _SUCCESS, which jobs leave beside their files, and
 * _temporary, where they write. */
static bool is_mark(const char *path) { return path[0] == '_' || strstr(path, "/_") != NULL; }

/* DIRECTORY/PATH, or PATH in ".", unless that could be taken for a flag. The caller frees it. */
static nd_status join_path(const nd_corpus *corpus, const char *directory, const char *path,
                           char **out, nd_error *error) {
    size_t length = strlen(directory);
    bool slash = length > 0 && directory[length - 1] == '/';
    bool here = strcmp(directory, ".") == 0 && path[0] != '-';
    *out = nd_string_join(&corpus->allocator, here ? "" : directory, here || slash ? "" : "/",
                          path);
    return *out ? ND_OK : nd_fail_memory(error, length + strlen(path), "a path");
}

/* Whether a file in a directory has records: its name says so, and its content does not say
 * otherwise. A .json file may be anything, such as the settings of a program: it must have JSON
 * Lines or an array. */
static bool is_shard(const nd_corpus *corpus, const char *name, first_bytes *first) {
    bool window;
    nd_input_format named = nd_format_of_name(name);
    if (named == ND_FORMAT_TEXT) return false;
    size_t size = read_first(corpus, name, &window, first);
    if (named == ND_FORMAT_CSV || named == ND_FORMAT_TSV || named == ND_FORMAT_PARQUET)
        return size > 0;
    nd_input_format found = nd_format_of_content(first->bytes, size);
    return found == ND_FORMAT_JSON_LINES || found == ND_FORMAT_WARC ||
           (found == ND_FORMAT_JSON && (named == ND_FORMAT_JSON_LINES ||
                                        first->bytes[nd_skip_blank(first->bytes, size)] == '['));
}

/* A directory of a corpus while its files are listed. */
typedef struct directory {
    nd_corpus *corpus;
    const char *name;
    const char *glob;        /* it is the base of this input; NULL: it was named itself */
    const nd_globs *pattern; /* of the glob */
    first_bytes *first;      /* memory for the first bytes of a file */
} directory;

/* Finds the next file that may have records: no mark, unless a glob names it. *path NULL: there is
 * none. */
static nd_status next_shard(const directory *d, nd_directory_walk *walk, const char **path,
                            nd_error *error) {
    uint64_t size;
    do ND_TRY(nd_directory_walk_next(walk, path, &size, error));
    while (*path && is_mark(*path) && !nd_globs_name(d->pattern, '_', *path, false) &&
           !nd_globs_name(d->corpus->globs, '_', *path, false));
    return ND_OK;
}

/* Whether a file of a directory tells what the others have: it is not blank, or its name says that
 * it has no records. Jobs leave empty parts. */
static bool tells(const nd_corpus *corpus, const char *name, first_bytes *first) {
    bool window;
    if (nd_format_of_name(name) == ND_FORMAT_TEXT) return true;
    size_t size = read_first(corpus, name, &window, first);
    return nd_skip_blank(first->bytes, size) < size;
}

/* Finds out whether the files of a directory have records: the first one that tells decides. If all
 * are blank, their names do. *empty: it has no files. */
static nd_status has_shards(const directory *d, bool *shards, bool *empty, nd_error *error) {
    const nd_corpus *corpus = d->corpus;
    nd_directory_walk *walk = NULL;
    const char *path = NULL;
    bool known = corpus->options.format != ND_FORMAT_AUTO;
    nd_status status = nd_corpus_open_walk(corpus, d->name, d->pattern, &walk, error);
    *shards = known && corpus->options.format != ND_FORMAT_TEXT;
    *empty = true;
    for (bool told = false; status == ND_OK && !told;) {
        char *file = NULL;
        status = next_shard(d, walk, &path, error);
        if (status != ND_OK || !path) break;
        *empty = false;
        if (known) break;
        status = join_path(corpus, d->name, path, &file, error);
        told = file && tells(corpus, file, d->first);
        *shards = file && (told ? is_shard(corpus, file, d->first) : true);
        nd_release(&corpus->allocator, file);
    }
    nd_directory_walk_close(walk);
    return status;
}

static nd_status add_shard(const directory *d, const char *path, nd_error *error) {
    nd_corpus *corpus = d->corpus;
    struct stat s;
    char *name = NULL;
    ND_TRY(join_path(corpus, d->name, path, &name, error));
    const nd_source source = {
        .name = name, .owned_name = name, .directory_length = strlen(name) - strlen(path)};
    nd_status status = stat(name, &s) == 0 ? add_file(corpus, source, &s, d->first, error)
                                           : nd_fail_os(error, errno, "%s", name);
    if (status != ND_OK) {
        nd_release(&corpus->allocator, name);
        return status;
    }
    return nd_corpus_check_kind(corpus, &corpus->sources[corpus->source_count - 1], error);
}

/* Handles a file or directory that cannot be listed: a source without records tells it when it is
 * read, if errors are skipped. */
static nd_status add_fault(const directory *d, nd_status status, const nd_error *failure,
                           nd_error *error) {
    nd_corpus *corpus = d->corpus;
    if (!corpus->options.skip_errors || (status != ND_ERR_IO && status != ND_ERR_INPUT))
        return nd_fail(error, status, "%s", failure->message);
    const nd_allocator *a = &corpus->allocator;
    nd_source source = {.kind = ND_SOURCE_RECORDS,
                        .owned_name = nd_string_join(a, d->name, "", ""),
                        .fault = nd_string_join(a, failure->message, "", "")};
    source.name = source.owned_name;
    status = source.name && source.fault ? add_source(corpus, source, error)
                                         : nd_fail_memory(error, sizeof *failure, "a message");
    if (status == ND_OK) return ND_OK;
    nd_release(a, source.owned_name);
    nd_release(a, source.fault);
    return status;
}

static nd_status add_shards(const directory *d, nd_error *error) {
    nd_directory_walk *walk = NULL;
    ND_TRY(nd_corpus_open_walk(d->corpus, d->name, d->pattern, &walk, error));
    nd_status status = ND_OK;
    while (status == ND_OK && !nd_directory_walk_is_over(walk)) {
        const char *path = NULL;
        nd_error failure;
        status = next_shard(d, walk, &path, &failure);
        if (status == ND_OK && !path) break;
        if (status == ND_OK) status = add_shard(d, path, &failure);
        if (status != ND_OK) status = add_fault(d, status, &failure, error);
    }
    d->corpus->links += nd_directory_walk_links(walk);
    nd_directory_walk_close(walk);
    return status;
}

static nd_status add_directory(const directory *d, nd_source source, nd_error *error) {
    nd_corpus *corpus = d->corpus;
    bool shards = false, empty = false;
    nd_error failure;
    nd_status status = has_shards(d, &shards, &empty, &failure);
    /* The block reader reports a directory that cannot be read. */
    if (status != ND_OK && status != ND_ERR_IO && status != ND_ERR_INPUT)
        return nd_fail(error, status, "%s", failure.message);
    if (d->glob && empty) return nd_fail(error, ND_ERR_INPUT, "%s: no file matches", d->glob);
    size_t before = corpus->source_count;
    if (shards) ND_TRY(add_shards(d, error));
    if (corpus->source_count > before) return ND_OK;
    corpus->total_known = false;
    corpus->may_have_window = true;
    source.kind = ND_SOURCE_TREE;
    source.place = ND_IN_SPOOL;
    return add_source(corpus, source, error);
}

/* ---- globs */

/* Splits a glob into the directory before its first part with a pattern, and the rest, which begins
 * with '/': "a/b*" into "a" and "/b*". The caller frees both. */
static nd_status split_glob(const nd_allocator *a, const char *glob, char **base, char **pattern,
                            nd_error *error) {
    const char *rest = strpbrk(glob, "*?[{");
    while (rest > glob && rest[-1] != '/') rest--;
    size_t length = rest > glob + 1 ? (size_t)(rest - glob) - 1 : (size_t)(rest - glob);
    *base = nd_string_join(a, length > 0 ? glob : ".", "", "");
    *pattern = nd_string_join(a, "/", rest, "");
    if (!*base || !*pattern) return nd_fail_memory(error, strlen(glob), "a path");
    if (length > 0) (*base)[length] = '\0';
    return ND_OK;
}

/* Adds the files that a glob matches. The ids of texts are then as if they had been named. */
static nd_status add_matches(nd_corpus *corpus, const char *glob, first_bytes *first,
                             nd_error *error) {
    const nd_allocator *a = &corpus->allocator;
    char *base = NULL, *pattern = NULL;
    nd_globs *globs = NULL;
    nd_status status = split_glob(a, glob, &base, &pattern, error);
    if (status == ND_OK)
        status = nd_globs_read((const char *const[]){pattern}, 1, a, &globs, error);
    if (status == ND_ERR_ARGUMENT) status = nd_fail_os(error, ENOENT, "%s", glob);
    const directory d = {corpus, base, glob, globs, first};
    size_t before = corpus->source_count;
    if (status == ND_OK) {
        nd_source source = {.name = base, .owned_name = base, .pattern = globs, .label = base};
        if (strcmp(base, ".") != 0) source.label_length = strlen(base);
        status = add_directory(&d, source, error);
    }
    bool taken = corpus->source_count > before && corpus->sources[before].pattern == globs;
    if (!taken || status != ND_OK) {
        nd_globs_free(globs);
        nd_release(a, base);
    }
    nd_release(a, pattern);
    return status;
}

/* ---- inputs */

static nd_status add_input(nd_corpus *corpus, const char *name, first_bytes *first,
                           nd_error *error) {
    struct stat s;
    if (strcmp(name, "-") == 0)
        return add_file(corpus, (nd_source){.name = name}, NULL, first, error);
    bool found = stat(name, &s) == 0;
    if (!found && errno == ENOENT && nd_is_glob(name))
        return add_matches(corpus, name, first, error);
    /* If errors are skipped, the block reader will report it. */
    if (!found && !corpus->options.skip_errors) return nd_fail_os(error, errno, "%s", name);
    if (!found || !S_ISDIR(s.st_mode))
        return add_file(corpus, (nd_source){.name = name}, found ? &s : NULL, first, error);
    const directory d = {corpus, name, NULL, NULL, first};
    return add_directory(&d, (nd_source){.name = name}, error);
}

/* ---- labels of directories */

/* Returns the last part of a path, without slashes behind it. */
static const char *last_part(const char *path, size_t *length) {
    size_t end = strlen(path), begin;
    while (end > 0 && path[end - 1] == '/') end--;
    for (begin = end; begin > 0 && path[begin - 1] != '/';) begin--;
    *length = end - begin;
    return path + begin;
}

/* Sets the label of each directory that needs one to the last part of its name, or to its name
 * without slashes behind it. */
static void set_labels(nd_corpus *corpus, bool whole_names) {
    for (nd_source *s = corpus->sources; s < corpus->sources + corpus->source_count; s++) {
        if (s->kind != ND_SOURCE_TREE || s->pattern || s->files) continue;
        const char *last = last_part(s->name, &s->label_length);
        if (whole_names) s->label_length += (size_t)(last - s->name);
        s->label = whole_names ? s->name : last;
    }
}

static bool is_label(const nd_source *source, const char *label) {
    return source->label_length == strlen(label) &&
           memcmp(source->label, label, source->label_length) == 0;
}

/* Finds a directory whose label is no name, or is that of a directory before it (*other). NULL: no
 * directory is so. */
static const nd_source *bad_label(const nd_corpus *corpus, const nd_source **other) {
    for (const nd_source *s = corpus->sources; s < corpus->sources + corpus->source_count; s++) {
        *other = NULL;
        if (s->kind != ND_SOURCE_TREE || s->pattern || s->files) continue;
        if (s->label_length == 0 || is_label(s, ".") || is_label(s, "..")) return s;
        for (*other = corpus->sources; *other < s; ++*other)
            if ((*other)->kind == ND_SOURCE_TREE && (*other)->label_length == s->label_length &&
                memcmp((*other)->label, s->label, s->label_length) == 0)
                return s;
    }
    return NULL;
}

static nd_status label_directories(nd_corpus *corpus, nd_error *error) {
    const nd_source *other = NULL;
    if (corpus->source_count == 1) return ND_OK;
    set_labels(corpus, false);
    if (!bad_label(corpus, &other)) return ND_OK;
    set_labels(corpus, true);
    const nd_source *bad = bad_label(corpus, &other);
    if (bad && other)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s is named twice: its documents would be copies",
                       bad->name);
    return ND_OK;
}

/* ---- blank files */

/* A blank file whose name does not tell its format. */
static bool is_blank(const nd_source *source) {
    return source->kind == ND_SOURCE_RECORDS && source->format == ND_FORMAT_AUTO &&
           source->inode != 0 && !source->owned_name;
}

/* Whether blank files are texts: others are, or nothing else was named. */
static bool has_only_texts(const nd_corpus *corpus) {
    bool texts = false, others = false;
    for (size_t s = 0; s < corpus->source_count; s++) {
        const nd_source *source = &corpus->sources[s];
        texts = texts || nd_source_has_texts(source);
        others = others || !(is_blank(source) || source->fault);
    }
    return texts || !others;
}

/* Makes texts of blank files among texts. Among records a blank file has none. */
static nd_status settle_blank(nd_corpus *corpus, nd_error *error) {
    if (!has_only_texts(corpus)) return ND_OK;
    for (nd_source *s = corpus->sources; s < corpus->sources + corpus->source_count; s++) {
        if (!is_blank(s)) continue;
        if (!nd_reserve(&corpus->allocator, &s->files, &s->file_capacity, 1))
            return nd_fail_memory(error, sizeof s->name, "the inputs");
        s->files[s->file_count++] = s->name;
        s->kind = ND_SOURCE_TREE;
        corpus->total_known = false;
    }
    return ND_OK;
}

/* ---- what fits together */

/* "a directory", "CSV" */
static const char *kind_name(const nd_source *source) {
    bool tree = source->kind == ND_SOURCE_TREE && !source->files;
    return tree ? "a directory of texts" : nd_format_title(source->format);
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

/* Adds an input, and checks that it fits to the ones before. */
static nd_status add_checked(nd_corpus *corpus, const char *name, first_bytes *first,
                             nd_error *error) {
    ND_TRY(add_input(corpus, name, first, error));
    const nd_source *source = &corpus->sources[corpus->source_count - 1];
    bool known = source->kind == ND_SOURCE_TREE || source->format != ND_FORMAT_AUTO;
    return known ? nd_corpus_check_kind(corpus, source, error) : ND_OK;
}

/* Reads a file of names as a whole, with a NUL behind it. */
static nd_status read_names(nd_corpus *corpus, const char *file, size_t *size, nd_error *error) {
    const nd_allocator *a = &corpus->allocator;
    const nd_stream_in_options options = {
        .allocator = a, .progress = corpus->options.progress, .memory = corpus->options.memory};
    nd_stream_in *stream = NULL;
    size_t capacity = 0, got = 0, want = 1 << 16;
    ND_TRY(nd_stream_in_open(file, &options, &stream, error));
    nd_status status = ND_OK;
    for (*size = 0; status == ND_OK; *size += got) {
        if (!nd_reserve(a, &corpus->listed, &capacity, *size + want + 1))
            status = nd_fail_memory(error, *size + want, "the names of inputs");
        else status = nd_stream_in_read(stream, corpus->listed + *size, want, &got, error);
        if (status != ND_OK || got < want) break;
    }
    *size += got;
    nd_stream_in_close(stream);
    if (status == ND_OK) corpus->listed[*size] = '\0';
    return status;
}

/* Adds the inputs that the file names: in lines, or with a NUL behind each. */
static nd_status add_listed(nd_corpus *corpus, const char *file, first_bytes *first,
                            nd_error *error) {
    size_t size = 0, before = corpus->source_count;
    ND_TRY(read_names(corpus, file, &size, error));
    bool lines = !memchr(corpus->listed, '\0', size);
    char *at = corpus->listed, *end = at + size;
    for (char *c = at; lines && c < end; c++)
        if (*c == '\n' || (*c == '\r' && c[1] == '\n')) *c = '\0';
    for (; at < end; at += strlen(at) + 1)
        if (*at) ND_TRY(add_checked(corpus, at, first, error));
    return corpus->source_count > before
               ? ND_OK
               : nd_fail(error, ND_ERR_INPUT, "%s: it names no input",
                         strcmp(file, "-") == 0 ? "standard input" : file);
}

static nd_status add_inputs(nd_corpus *corpus, first_bytes *first, nd_error *error) {
    const nd_corpus_options *o = &corpus->options;
    for (size_t i = 0; i < o->input_count; i++)
        ND_TRY(add_checked(corpus, o->inputs[i], first, error));
    return o->files_from ? add_listed(corpus, o->files_from, first, error) : ND_OK;
}

nd_status nd_corpus_list_sources(nd_corpus *corpus, nd_error *error) {
    const nd_corpus_options *options = &corpus->options;
    if (options->records) {
        corpus->total_known = false;
        return add_source(corpus,
                          (nd_source){.name = "record",
                                      .kind = ND_SOURCE_CALLBACK,
                                      .place = options->records_stay ? ND_IN_MEMORY : ND_IN_SPOOL},
                          error);
    }
    first_bytes first = {0};
    nd_status status = nd_reserve(&corpus->allocator, &first.bytes, &first.capacity,
                                  ND_RECOGNISE_BYTES)
                           ? add_inputs(corpus, &first, error)
                           : nd_fail_memory(error, ND_RECOGNISE_BYTES, "the inputs");
    nd_release(&corpus->allocator, first.bytes);
    ND_TRY(status);
    ND_TRY(settle_blank(corpus, error));
    return label_directories(corpus, error);
}
