#include "dedup/exact_copies.h"

#include "dedup/equal_hashes.h"

#include <stdlib.h>

/* A distinct hash within a run of documents that agree in 38 bits of it. */
typedef struct original {
    uint64_t hash[2];
    uint32_t document;
} original;

typedef struct copy_finder {
    const nd_run *run;
    const nd_spool *hashes;
    const nd_ranks *ranks;
    nd_fates *fates;
    original *originals; /* distinct hashes of the current run */
    size_t count, capacity;
} copy_finder;

/* Compares each document of a run, in the order of rank, with the distinct hashes found so far.
 * There is only one, except with a probability of 2^-38 per pair. */
static nd_status mark_copies(copy_finder *f, const uint64_t *words, size_t count, nd_error *error) {
    enum { PROGRESS_DOCUMENTS = 4096 };
    f->count = 0;
    for (size_t i = 0; i < count; i++) {
        if (i % PROGRESS_DOCUMENTS == PROGRESS_DOCUMENTS - 1)
            ND_TRY(nd_progress_poll(f->run->progress, error));
        original o = {.document = (uint32_t)words[i]};
        ND_TRY(nd_spool_read(f->hashes, o.hash, sizeof o.hash, (uint64_t)o.document * sizeof o.hash,
                             error));
        size_t k = 0;
        while (k < f->count &&
               (f->originals[k].hash[0] != o.hash[0] || f->originals[k].hash[1] != o.hash[1]))
            k++;
        /* Protected documents come first, so the original of a protected one is protected. */
        if (k < f->count && nd_is_protected(f->ranks, o.document)) continue;
        if (k < f->count) {
            ND_TRY(nd_fates_mark_copy(f->fates, o.document, f->originals[k].document, error));
            continue;
        }
        if (!nd_reserve(&f->run->allocator, &f->originals, &f->capacity, k + 1))
            return nd_fail_memory(error, sizeof o, "exact copies");
        f->originals[f->count++] = o;
    }
    return ND_OK;
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* nd_hash_run_fn */
static nd_status resolve_run(void *context, const uint64_t *words, size_t count, nd_error *error) {
    copy_finder *f = context;
    if (!f->ranks->order) return mark_copies(f, words, count, error);
    uint64_t *ranks = nd_allocate(&f->run->allocator, count, sizeof *ranks);
    if (!ranks) return nd_fail_memory(error, count * sizeof *ranks, "exact copies");
    for (size_t i = 0; i < count; i++) ranks[i] = nd_rank_of(f->ranks, (uint32_t)words[i]);
    qsort(ranks, count, sizeof *ranks, by_value);
    for (size_t i = 0; i < count; i++) ranks[i] = nd_document_of(f->ranks, (uint32_t)ranks[i]);
    nd_status status = mark_copies(f, ranks, count, error);
    nd_release(&f->run->allocator, ranks);
    return status;
}

nd_status nd_find_exact_copies(const nd_run *run, nd_ingested *ingested, const nd_ranks *ranks,
                               nd_fates *fates, nd_error *error) {
    copy_finder finder = {
        .run = run, .hashes = &ingested->text_hashes, .ranks = ranks, .fates = fates};
    nd_status status = nd_hash_runs_each(ingested->text_hash_order, run, resolve_run, &finder,
                                         error);
    nd_release(&run->allocator, finder.originals);
    nd_key_sort_free(ingested->text_hash_order);
    ingested->text_hash_order = NULL;
    nd_spool_free(&ingested->text_hashes);
    return status;
}
