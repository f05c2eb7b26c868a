/* Documents that are equal by a hash: exact copies of a text (they leave before anything is
 * compared), and repeated ids (which are told of). */
#include "base/printable.h"
#include "job/job.h"

#include <stdlib.h>
#include <string.h>

/* ---- exact copies: equal 128-bit hashes of the token sequence */

/* A distinct hash within a run of documents that agree in 40 bits of it. */
typedef struct original {
    uint64_t hash[2];
    uint32_t document;
} original;

typedef struct originals {
    original *list;
    size_t count, capacity;
} originals;

static nd_status mark_copy(nd_job *job, uint32_t copy, uint32_t of, nd_error *error) {
    if (!job->copies) {
        size_t size = (size_t)(job->documents.count + 7) / 8;
        job->copies = nd_allocate_zero(&job->allocator, size, 1);
        if (!job->copies) return nd_fail_memory(error, size, "the set of exact copies");
    }
    job->copies[copy >> 3] |= (uint8_t)(1u << (copy & 7));
    nd_document_entry *entry = nd_document_at(&job->documents, copy);
    entry->fate = ND_FATE_COPY;
    entry->link = of;
    return ND_OK;
}

/* Documents of a run, in the order of priority, each against the distinct hashes so far: one, but
 * for a chance of 2^-40. */
static nd_status settle_run(nd_job *job, const uint64_t *words, size_t count, originals *found,
                            nd_error *error) {
    enum { ASKED = 4096 };
    found->count = 0;
    for (size_t i = 0; i < count; i++) {
        if (i % ASKED == ASKED - 1) ND_TRY(nd_progress_ask(&job->progress, error));
        uint32_t document = (uint32_t)words[i];
        original o = {.document = document};
        ND_TRY(nd_spool_read(&job->hashes, o.hash, sizeof o.hash,
                             (uint64_t)document * sizeof o.hash, error));
        size_t k = 0;
        while (k < found->count &&
               (found->list[k].hash[0] != o.hash[0] || found->list[k].hash[1] != o.hash[1]))
            k++;
        if (k < found->count) {
            ND_TRY(mark_copy(job, document, found->list[k].document, error));
            continue;
        }
        if (!nd_reserve(&job->allocator, &found->list, &found->capacity, k + 1))
            return nd_fail_memory(error, sizeof o, "exact copies");
        found->list[found->count++] = o;
    }
    return ND_OK;
}

/* Calls `settle` for every run of two and more words that agree in the upper half; lower halves are
 * documents. */
typedef nd_status settle_fn(nd_job *job, const uint64_t *words, size_t count, originals *found,
                            nd_error *error);

static nd_status scan_runs(nd_job *job, nd_part_sorter *sorter, settle_fn *settle,
                           nd_error *error) {
    nd_part_buffer buffer = {0};
    originals found = {0};
    nd_status status = ND_OK;
    for (size_t p = 0; status == ND_OK && p < nd_part_sorter_parts(sorter); p++) {
        status = nd_part_sorter_load(sorter, p, 32, &buffer, error);
        uint64_t *words = buffer.words;
        for (size_t begin = 0, end; status == ND_OK && begin < buffer.count; begin = end) {
            for (end = begin + 1; end < buffer.count && words[end] >> 32 == words[begin] >> 32;)
                end++;
            if (end - begin > 1) status = settle(job, words + begin, end - begin, &found, error);
        }
    }
    nd_part_buffer_free(&job->allocator, &buffer);
    nd_release(&job->allocator, found.list);
    return status;
}

static int by_rank(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static nd_status settle_copies(nd_job *job, const uint64_t *words, size_t count, originals *found,
                               nd_error *error) {
    if (!job->rank_of) return settle_run(job, words, count, found, error);
    uint64_t *ranks = nd_allocate(&job->allocator, count, sizeof *ranks);
    if (!ranks) return nd_fail_memory(error, count * sizeof *ranks, "exact copies");
    for (size_t i = 0; i < count; i++) ranks[i] = nd_job_rank(job, (uint32_t)words[i]);
    qsort(ranks, count, sizeof *ranks, by_rank);
    for (size_t i = 0; i < count; i++) ranks[i] = nd_job_document(job, (uint32_t)ranks[i]);
    nd_status status = settle_run(job, ranks, count, found, error);
    nd_release(&job->allocator, ranks);
    return status;
}

nd_status nd_job_find_copies(nd_job *job, nd_error *error) {
    ND_TRY(scan_runs(job, job->hash_order, settle_copies, error));
    nd_part_sorter_free(job->hash_order);
    job->hash_order = NULL;
    nd_spool_free(&job->hashes);
    return ND_OK;
}

/* ---- repeated ids */

/* More are counted, not told one by one. */
enum { TOLD_REPEATS = 10 };

static nd_status tell_repeat(nd_job *job, uint32_t first, const nd_id_buffer *first_id,
                             uint32_t second, const nd_id_buffer *second_id, nd_error *error) {
    const char *first_name = nd_source_title(
        nd_corpus_source(job->corpus, nd_job_source_of(job, first)));
    const char *second_name = nd_source_title(
        nd_corpus_source(job->corpus, nd_job_source_of(job, second)));
    nd_error repeat;
    const char *end = job->store ? "in an index each document has its own"
                                 : "they are told apart by their place only";
    nd_status status = nd_fail(&repeat, ND_ERR_ARGUMENT,
                               "%s:%llu: id \"%.*s\" is also that of %s:%llu: %s", second_name,
                               (unsigned long long)second_id->line,
                               nd_shown_length(second_id->id, second_id->length, ND_SHOWN_ID),
                               second_id->id, first_name, (unsigned long long)first_id->line, end);
    if (job->store) return nd_fail(error, status, "%s", repeat.message);
    nd_job_warn(job, "%s", repeat.message);
    return ND_OK;
}

/* Each document of a run against the one before it that has the same id; runs agree in 40 bits of
 * the hash, so it is the last but for chance. */
static nd_status settle_ids(nd_job *job, const uint64_t *words, size_t count, originals *found,
                            nd_error *error) {
    (void)found;
    nd_id_buffer ids[2] = {0};
    nd_status status = nd_job_id(job, (uint32_t)words[0], &ids[0], error);
    for (size_t i = 1; status == ND_OK && i < count; i++) {
        nd_id_buffer *before = &ids[(i - 1) & 1], *now = &ids[i & 1];
        status = nd_job_id(job, (uint32_t)words[i], now, error);
        if (status != ND_OK || before->length != now->length ||
            memcmp(before->id, now->id, now->length) != 0)
            continue;
        if (job->summary.duplicate_ids++ < TOLD_REPEATS)
            status = tell_repeat(job, (uint32_t)words[i - 1], before, (uint32_t)words[i], now,
                                 error);
    }
    nd_release(&job->allocator, ids[0].bytes);
    nd_release(&job->allocator, ids[1].bytes);
    return status;
}

nd_status nd_job_find_repeated_ids(nd_job *job, nd_error *error) {
    ND_TRY(scan_runs(job, job->id_order, settle_ids, error));
    nd_part_sorter_free(job->id_order);
    job->id_order = NULL;
    if (job->summary.duplicate_ids > TOLD_REPEATS)
        nd_job_warn(job, "%llu repeated ids in all",
                    (unsigned long long)job->summary.duplicate_ids);
    return ND_OK;
}
