#include "corpus/written_files.h"

#include "corpus/corpus_inside.h"

#include <string.h>

static bool are_one(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_source(const nd_source *source, const struct stat *file) {
    struct stat s;
    if (strcmp(source->name, "-") == 0 && fstat(0, &s) == 0 && are_one(&s, file) &&
        S_ISREG(s.st_mode))
        return true;
    if (source->inode != 0 && source->device == (uint64_t)file->st_dev &&
        source->inode == (uint64_t)file->st_ino)
        return true;
    for (size_t i = 0; i < source->file_count; i++)
        if (stat(source->files[i], &s) == 0 && are_one(&s, file)) return true;
    return false;
}

nd_status nd_fail_is_input(nd_error *error, const char *name) {
    return nd_fail(error, ND_ERR_ARGUMENT, "%s is an input: an output must be another file", name);
}

nd_status nd_corpus_add_written(nd_corpus *corpus, const struct stat *file, const char *name,
                                nd_error *error) {
    const char *list = nd_corpus_list(corpus);
    struct stat is;
    if (list && stat(list, &is) == 0 && are_one(&is, file))
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s has the names of the inputs: an output must be another file", name);
    for (size_t s = 0; s < nd_corpus_sources(corpus); s++)
        if (is_source(nd_corpus_source(corpus, s), file)) return nd_fail_is_input(error, name);
    if (!nd_reserve(&corpus->allocator, &corpus->written, &corpus->written_capacity,
                    corpus->written_count + 1))
        return nd_fail_memory(error, sizeof *corpus->written, "the outputs");
    corpus->written[corpus->written_count++] = (nd_written_file){(uint64_t)file->st_dev,
                                                                 (uint64_t)file->st_ino};
    return ND_OK;
}

bool nd_corpus_is_written(const nd_corpus *corpus, const struct stat *file) {
    for (size_t i = 0; i < corpus->written_count; i++)
        if (corpus->written[i].device == (uint64_t)file->st_dev &&
            corpus->written[i].inode == (uint64_t)file->st_ino)
            return true;
    return false;
}
