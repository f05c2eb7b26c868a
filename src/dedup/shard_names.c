#include "dedup/shard_names.h"

#include "base/format.h"
#include "corpus/recognise.h"
#include "dedup/output_format.h"
#include "io/compression.h"
#include "io/file.h"

#include <stdlib.h>
#include <string.h>

const char *nd_path_inside(const char *path) {
    while (*path == '/' || strncmp(path, "./", 2) == 0) path++;
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strcmp(part, "..") == 0 || strncmp(part, "../", 3) == 0) return NULL;
    }
    return path;
}

/* ---- one name */

/* Whether a source was found in a directory. */
static bool is_shard(const nd_source *source) { return source->owned_name != NULL; }

static bool has_same_directory(const nd_source *a, const nd_source *b) {
    return a->directory_length == b->directory_length &&
           memcmp(a->name, b->name, a->directory_length) == 0;
}

nd_shard_names nd_shard_names_of(const nd_corpus *corpus, nd_input_format asked) {
    nd_shard_names names = {.corpus = corpus, .asked = asked};
    const nd_source *first = NULL;
    for (size_t s = 0; s < nd_corpus_sources(corpus) && !names.has_several; s++) {
        const nd_source *source = nd_corpus_source(corpus, s);
        if (!is_shard(source) || source->fault) continue;
        if (!first) first = source;
        names.has_several = !has_same_directory(first, source);
    }
    return names;
}

/* Returns where the last part of a path of `length` bytes begins, whose slashes at the end do not
 * count. */
static size_t last_part(const char *path, size_t length) {
    while (length > 0 && path[length - 1] == '/') length--;
    while (length > 0 && path[length - 1] != '/') length--;
    return length;
}

/* The part of a source's name that its file in the directory has, too. */
static const char *relative_name(const nd_shard_names *names, const nd_source *source) {
    const char *name = source->name;
    if (!is_shard(source)) return name + last_part(name, strlen(name));
    if (!names->has_several) return name + source->directory_length;
    return name + last_part(name, source->directory_length);
}

static const char *compression_ending(const char *name) {
    switch (nd_compression_of_name(name)) {
    case ND_COMPRESSION_GZIP: return ".gz";
    case ND_COMPRESSION_ZSTD: return ".zst";
    default: return "";
    }
}

/* Exchanges the ending of a name for another one, in front of .gz or .zst. */
static nd_status exchange_ending(const char *name, nd_input_format asked, const nd_allocator *a,
                                 char **out, nd_error *error) {
    const char *compression = compression_ending(name);
    size_t length = strlen(name) - strlen(compression);
    char *stem = nd_allocate(a, length + 1, 1);
    if (!stem) return nd_fail_memory(error, length, "a path");
    memcpy(stem, name, length);
    stem[length] = '\0';
    if (nd_format_of_name(name) != ND_FORMAT_TEXT) *strrchr(stem, '.') = '\0';
    *out = nd_string_join(a, stem, nd_output_format_ending(asked), compression);
    nd_release(a, stem);
    return *out ? ND_OK : nd_fail_memory(error, length, "a path");
}

nd_status nd_shard_name(const nd_shard_names *names, size_t number, const nd_allocator *a,
                        char **out, nd_error *error) {
    const nd_source *source = nd_corpus_source(names->corpus, number);
    const char *name = nd_path_inside(relative_name(names, source));
    *out = NULL;
    if (source->kind != ND_SOURCE_RECORDS || strcmp(source->name, "-") == 0)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s has no name for its file in the directory of the output",
                       source->kind == ND_SOURCE_RECORDS ? "standard input" : "the input");
    if (!name || !*name)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: its name leads out of the output directory",
                       source->name);
    ND_TRY(nd_compression_check_name(source->name, error));
    if (names->asked != ND_FORMAT_AUTO && nd_format_of_name(name) != names->asked)
        return exchange_ending(name, names->asked, a, out, error);
    *out = nd_string_join(a, name, "", "");
    return *out ? ND_OK : nd_fail_memory(error, strlen(name), "a path");
}

nd_status nd_part_name(const nd_corpus *corpus, uint64_t number, nd_input_format format,
                       const nd_allocator *a, char **out, nd_error *error) {
    char name[40];
    nd_format(name, sizeof name, "part-%05llu", (unsigned long long)number);
    *out = nd_string_join(a, name, nd_output_format_ending(format),
                          compression_ending(nd_corpus_source(corpus, 0)->name));
    return *out ? ND_OK : nd_fail_memory(error, sizeof name, "a path");
}

/* ---- all names */

typedef struct shard_name {
    char *name;
    size_t source;
} shard_name;

/* The slash comes first: so a name stands right before the first one in a directory of that name.
 */
static int compare_names(const char *a, const char *b) {
    while (*a == *b && *a) {
        a++;
        b++;
    }
    int x = *a == '/' ? 1
            : *a      ? (unsigned char)*a + 1
                      : 0,
        y = *b == '/' ? 1
            : *b      ? (unsigned char)*b + 1
                      : 0;
    return x - y;
}

static int by_name(const void *a, const void *b) {
    const shard_name *x = a, *y = b;
    int order = compare_names(x->name, y->name);
    return order != 0 ? order : x->source < y->source ? -1 : x->source > y->source;
}

static nd_status check_different(const nd_corpus *corpus, const shard_name *names, size_t count,
                                 nd_error *error) {
    for (size_t i = 1; i < count; i++) {
        const char *name = names[i - 1].name, *next = names[i].name;
        size_t length = strlen(name);
        bool same = strcmp(name, next) == 0,
             inside = strncmp(name, next, length) == 0 && next[length] == '/',
             has_sizes = nd_format_of_name(next) != ND_FORMAT_PARQUET;
        if (!same && !inside) continue;
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s and %s: both would be %s in the output directory%s%s",
                       nd_corpus_source(corpus, names[i - 1].source)->name,
                       nd_corpus_source(corpus, names[i].source)->name, name,
                       same ? "" : ", a file and a directory",
                       has_sizes ? "; --shard-size (shard_size) numbers the files" : "");
    }
    return ND_OK;
}

nd_status nd_shard_names_check(const nd_shard_names *names, const nd_allocator *a,
                               nd_error *error) {
    size_t count = nd_corpus_sources(names->corpus);
    shard_name *all = nd_allocate_zero(a, count, sizeof *all);
    if (!all) return nd_fail_memory(error, count * sizeof *all, "the names of the outputs");
    nd_status status = ND_OK;
    size_t named = 0;
    for (size_t s = 0; s < count && status == ND_OK; s++) {
        if (nd_corpus_source(names->corpus, s)->fault) continue;
        all[named].source = s;
        status = nd_shard_name(names, s, a, &all[named++].name, error);
    }
    if (status == ND_OK) qsort(all, named, sizeof *all, by_name);
    if (status == ND_OK) status = check_different(names->corpus, all, named, error);
    for (size_t i = 0; i < named; i++) nd_release(a, all[i].name);
    nd_release(a, all);
    return status;
}
