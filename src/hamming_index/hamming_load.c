/* nd_hamming_load and nd_hamming_build: add many fingerprints to an index at once.
 *
 * They are gathered from their source, and their ids are checked against each other and against the
 * index. Then they go to the write-ahead log if they are few, else to a segment of their own. An
 * index that is built from them is created with this segment; there is no index until its state is
 * written. */
#include "base/floats.h"
#include "hamming_index/hamming_index.h"

#include "base/argument.h"
#include "base/limits.h"
#include "base/machine.h"
#include "base/printable.h"
#include "hamming_index/fingerprint_reader.h"
#include "io/external_sort.h"
#include "io/file.h"
#include "job/id_list.h"
#include "job/job_options.h"
#include "store/segment_writer.h"
#include "store/store_create.h"

#include <inttypes.h>
#include <string.h>

enum {
    ID_PARTS = 256,
    PROGRESS = 4096,         /* fingerprints between two progress reports */
    BATCH = 256,             /* fingerprints that are read together */
    FEW = ND_LIMIT(1000, 10) /* at most so many go to the log, because a segment has more files to
                                sync */
};

typedef struct load {
    nd_hamming_index *index; /* NULL: it is being built */
    nd_store *store;         /* the store of `index` */
    const char *path;
    nd_fingerprint_source source;
    nd_index_settings settings;
    nd_allocator allocator;
    nd_resources resources;
    bool replace;
    nd_progress progress;
    nd_stream_in_options input;
    nd_temp_space disk;
    uint32_t count;
    unsigned fingerprint_size; /* 8 or 16 bytes */
    bool rereadable;           /* fingerprints are read from their source again */
    nd_spool fingerprints;     /* the fingerprints, if they are not rereadable */
    nd_id_runs numbers;        /* ids that are numbers */
    nd_id_list ids;            /* all other ids */
    nd_external_sort *hashes;  /* hashes of these ids, each with the index of its fingerprint; else
                                  NULL */
    uint32_t *replaced;        /* numbers of the documents that are replaced */
    size_t replaced_count, replaced_capacity;
    nd_segment_writer *writer;
} load;

/* ---- gathering */

static nd_status keep_id(load *l, const char *id, size_t length, uint32_t number, nd_error *error) {
    if (l->settings.numbered) return nd_id_runs_add(&l->numbers, (nd_id_run){number, 1}, error);
    ND_TRY(nd_id_list_add(&l->ids, id, length, error));
    uint64_t record[2] = {nd_id_hash(id, length), l->count};
    return nd_external_sort_push_record(l->hashes, (size_t)(record[0] >> 56), record, error);
}

static nd_status keep(load *l, const nd_fingerprinted *given, uint32_t *next, nd_error *error) {
    unsigned char bytes[16];
    uint32_t number;
    ND_TRY(nd_hamming_assign_id(l->path, &l->settings, given->id, given->id_length, next, &number,
                                error));
    if ((l->store ? nd_store_document_count(l->store) : 0) + (uint64_t)l->count >= UINT32_MAX - 1)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: more than %u fingerprints", l->path,
                       UINT32_MAX - 1);
    ND_TRY(keep_id(l, given->id, given->id_length, number, error));
    l->count++;
    if (l->rereadable) return ND_OK;
    nd_store_le64(bytes, given->fingerprint.low);
    nd_store_le64(bytes + 8, given->fingerprint.high);
    return nd_spool_append(&l->fingerprints, bytes, l->fingerprint_size, error);
}

/* Reads a batch from a source without ids. If the read fails, the fingerprints before it are kept
 * first; if that fails, its failure is returned instead. */
static nd_status keep_batch(load *l, nd_fingerprint_reader *in, uint32_t *next, bool *more,
                            nd_error *error) {
    nd_fingerprint some[BATCH];
    nd_error failure;
    size_t count;
    nd_status status = nd_fingerprint_reader_read(in, some, BATCH, &count, &failure);
    *more = count == BATCH;
    for (size_t i = 0; i < count; i++)
        ND_TRY(keep(l, &(nd_fingerprinted){.fingerprint = some[i]}, next, error));
    return status == ND_OK ? ND_OK : nd_fail(error, status, "%s", failure.message);
}

static nd_status gather_from(load *l, nd_fingerprint_reader *in, nd_error *error) {
    nd_fingerprinted given;
    uint32_t next = 0;
    if (l->settings.numbered && l->store) ND_TRY(nd_hamming_next_number(l->store, &next, error));
    for (bool more = true; more;) {
        if (l->rereadable) {
            ND_TRY(keep_batch(l, in, &next, &more, error));
        } else {
            ND_TRY(nd_fingerprint_reader_next(in, &given, &more, error));
            if (more) ND_TRY(keep(l, &given, &next, error));
        }
        if (l->count % PROGRESS == 0)
            ND_TRY(nd_progress_report(&l->progress, ND_STAGE_READ, l->count, 0, error));
    }
    return ND_OK;
}

static nd_status gather(load *l, nd_error *error) {
    nd_fingerprint_reader *in;
    ND_TRY(nd_fingerprint_reader_open(&l->source, l->settings.bits, &l->input, &in, error));
    l->rereadable = nd_fingerprint_reader_is_rereadable(in);
    nd_status status = gather_from(l, in, error);
    nd_fingerprint_reader_close(in);
    return status;
}

/* ---- ids */

static nd_status compare_ids(const load *l, uint32_t first, uint32_t second, nd_error *error) {
    nd_id_room rooms[2] = {{NULL, 0}, {NULL, 0}};
    const char *a = NULL, *b = NULL;
    size_t a_length, b_length;
    nd_status status = nd_id_list_get(&l->ids, first, &rooms[0], &a, &a_length, error);
    if (status == ND_OK) status = nd_id_list_get(&l->ids, second, &rooms[1], &b, &b_length, error);
    if (status == ND_OK && a_length == b_length && memcmp(a, b, a_length) == 0)
        status = nd_fail(error, ND_ERR_ARGUMENT,
                         "the id \"%.*s\" is given twice: to fingerprints %" PRIu32 " and %" PRIu32
                         " of the input",
                         nd_shown_length(a, a_length, ND_SHOWN_ID), a, first + 1, second + 1);
    for (int i = 0; i < 2; i++) nd_release(&l->allocator, rooms[i].bytes);
    return status;
}

/* Finds equal ids among records sorted by hash: the records of a hash follow each other. Nearly
 * every hash belongs to one id. */
static nd_status find_repeats(const load *l, const uint64_t *records, size_t count,
                              nd_error *error) {
    for (size_t i = 0; i < count; i++)
        for (size_t j = i; j-- > 0 && records[2 * j] == records[2 * i];)
            ND_TRY(
                compare_ids(l, (uint32_t)records[2 * j + 1], (uint32_t)records[2 * i + 1], error));
    return ND_OK;
}

static nd_status check_repeats(const load *l, nd_error *error) {
    nd_part_buffer buffer = {0};
    nd_status status = ND_OK;
    for (size_t part = 0; status == ND_OK && part < ID_PARTS; part++) {
        status = nd_external_sort_load_records(l->hashes, part, &buffer, error);
        if (status == ND_OK) status = find_repeats(l, buffer.words, buffer.count, error);
    }
    nd_part_buffer_free(&l->allocator, &buffer);
    return status;
}

static nd_status find_in_index(load *l, const char *id, size_t length, nd_error *error) {
    uint32_t number;
    ND_TRY(nd_store_find_id(l->store, id, length, &number, error));
    if (number == UINT32_MAX) return ND_OK;
    if (!l->replace) return nd_hamming_fail_id(l->path, id, length, error);
    if (!nd_reserve(&l->allocator, &l->replaced, &l->replaced_capacity, l->replaced_count + 1))
        return nd_fail_memory(error, l->replaced_count * sizeof *l->replaced,
                              "replaced fingerprints");
    l->replaced[l->replaced_count++] = number;
    return ND_OK;
}

static nd_status check_ids(load *l, nd_error *error) {
    const char *id;
    size_t length;
    nd_status status = ND_OK;
    if (l->settings.numbered) return ND_OK;
    ND_TRY(check_repeats(l, error));
    if (!l->store || nd_store_live_count(l->store) == 0) return ND_OK;
    nd_id_cursor cursor = nd_id_cursor_begin(&l->ids);
    for (uint32_t i = 0; status == ND_OK && i < l->count; i++) {
        status = nd_id_cursor_next(&cursor, &id, &length, error);
        if (status == ND_OK) status = find_in_index(l, id, length, error);
    }
    nd_id_cursor_free(&cursor);
    return status;
}

/* ---- to the log or to a segment, in order */

typedef struct rows {
    nd_fingerprint_reader *in; /* NULL: fingerprints come from the spool */
    nd_spool_cursor fingerprints;
    nd_id_run_cursor numbers;
    nd_id_run run; /* the numbers that come next */
    nd_id_cursor ids;
    nd_id_digits digits;
} rows;

static nd_status begin_rows(const load *l, rows *r, nd_error *error) {
    *r = (rows){.fingerprints = {.spool = &l->fingerprints},
                .numbers = nd_id_run_cursor_begin(&l->numbers),
                .ids = nd_id_cursor_begin(&l->ids)};
    return l->rereadable
               ? nd_fingerprint_reader_open(&l->source, l->settings.bits, &l->input, &r->in, error)
               : ND_OK;
}

static void end_rows(const load *l, rows *r) {
    nd_fingerprint_reader_close(r->in);
    nd_release(&l->allocator, r->fingerprints.bytes);
    nd_id_run_cursor_free(&r->numbers);
    nd_id_cursor_free(&r->ids);
}

static nd_status reread(const load *l, rows *r, nd_fingerprint *fingerprints, uint32_t count,
                        nd_error *error) {
    size_t read;
    ND_TRY(nd_fingerprint_reader_read(r->in, fingerprints, count, &read, error));
    return read == count ? ND_OK
                         : nd_fail(error, ND_ERR_IO,
                                   "%s: changed while it was read: it has fewer fingerprints",
                                   l->source.path);
}

/* Releases the memory of the spool as it is read, because the tables need memory from now on. */
static nd_status next_fingerprints(load *l, rows *r, nd_fingerprint *fingerprints, uint32_t count,
                                   nd_error *error) {
    const void *bytes;
    if (r->in) return reread(l, r, fingerprints, count, error);
    ND_TRY(nd_spool_next(&r->fingerprints, (size_t)count * l->fingerprint_size, &bytes, error));
    for (uint32_t i = 0; i < count; i++) {
        const unsigned char *p = (const unsigned char *)bytes + (size_t)i * l->fingerprint_size;
        fingerprints[i] = (nd_fingerprint){nd_load_le64(p),
                                           l->fingerprint_size > 8 ? nd_load_le64(p + 8) : 0};
    }
    nd_spool_drop(&l->fingerprints, r->fingerprints.next);
    return ND_OK;
}

static nd_status next_id(rows *r, bool numbered, nd_stored_document *row, nd_error *error) {
    if (!numbered) return nd_id_cursor_next(&r->ids, &row->id, &row->id_length, error);
    if (r->run.count == 0) ND_TRY(nd_id_run_cursor_next(&r->numbers, &r->run, error));
    row->id = r->digits.bytes;
    row->id_length = nd_id_of_number(r->run.first++, &r->digits);
    r->run.count--;
    return ND_OK;
}

static nd_status log_row(load *l, rows *r, nd_error *error) {
    unsigned char bytes[16];
    nd_fingerprint fingerprint;
    nd_stored_document row = {.sketch = bytes};
    ND_TRY(next_fingerprints(l, r, &fingerprint, 1, error));
    nd_store_le64(bytes, fingerprint.low);
    nd_store_le64(bytes + 8, fingerprint.high);
    ND_TRY(next_id(r, l->settings.numbered, &row, error));
    return nd_store_add(l->store, &row, error);
}

/* Searches wait until the log is written, so no callback may run: it might search. */
static nd_status add_to_log(load *l, nd_error *error) {
    rows r;
    l->input.progress = NULL;
    nd_status status = begin_rows(l, &r, error);
    for (uint32_t i = 0; status == ND_OK && i < l->count; i++) status = log_row(l, &r, error);
    for (size_t i = 0; status == ND_OK && i < l->replaced_count; i++)
        status = nd_store_remove(l->store, l->replaced[i], error);
    end_rows(l, &r);
    return status;
}

static nd_status write_numbers(load *l, rows *r, nd_error *error) {
    do {
        ND_TRY(nd_id_run_cursor_next(&r->numbers, &r->run, error));
        if (r->run.count > 0) ND_TRY(nd_segment_put_numbers(l->writer, r->run, error));
    } while (r->run.count > 0);
    return ND_OK;
}

static nd_status write_ids(load *l, rows *r, uint32_t count, nd_error *error) {
    for (uint32_t i = 0; i < count; i++) {
        nd_stored_document row = {.id = NULL};
        ND_TRY(next_id(r, false, &row, error));
        ND_TRY(nd_segment_put_document(l->writer, &row, error));
    }
    return ND_OK;
}

static nd_status write_rows(load *l, nd_error *error) {
    rows r;
    nd_fingerprint fingerprints[BATCH];
    nd_status status = begin_rows(l, &r, error);
    if (status == ND_OK && l->settings.numbered) status = write_numbers(l, &r, error);
    for (uint32_t i = 0; status == ND_OK && i < l->count; i += BATCH) {
        uint32_t count = l->count - i < BATCH ? l->count - i : BATCH;
        if (i % PROGRESS == 0)
            status = nd_progress_report(&l->progress, ND_STAGE_WRITE, i, l->count, error);
        if (status == ND_OK && !l->settings.numbered) status = write_ids(l, &r, count, error);
        if (status == ND_OK) status = next_fingerprints(l, &r, fingerprints, count, error);
        if (status == ND_OK)
            status = nd_segment_put_fingerprints(l->writer, fingerprints, i, count, error);
    }
    end_rows(l, &r);
    return status;
}

static nd_status write_segment(load *l, const char *path, nd_manifest_segment *segment,
                               nd_error *error) {
    segment->documents = l->count;
    const nd_segment_request request = {.path = path,
                                        .settings = &l->settings,
                                        .documents = l->count,
                                        .disk = &l->disk,
                                        .memory_limit = (size_t)(l->resources.memory / 8 * 5),
                                        .allocator = &l->allocator};
    nd_status status = nd_segment_writer_create(&request, &l->writer, error);
    if (status == ND_OK) status = write_rows(l, error);
    if (status == ND_OK) status = nd_segment_finish(l->writer, &segment->seal, error);
    nd_segment_writer_free(l->writer);
    return status;
}

static nd_status add_segment(load *l, nd_error *error) {
    nd_manifest_segment segment = {0};
    char *path;
    ND_TRY(nd_store_segment_path(l->store, &path, &segment.file, error));
    nd_status status = write_segment(l, path, &segment, error);
    nd_release(&l->index->shared.allocator, path);
    ND_TRY(status);
    const nd_index_publication publication = {
        .segment = &segment, .removed = l->replaced, .removed_count = l->replaced_count};
    status = nd_index_store_publish(&l->index->shared, &publication, error);
    /* The fingerprints are in the index now. If the compaction fails, e.g. because the disk is
     * full, the next change tries again. */
    nd_error failure;
    bool unmerged = status == ND_OK &&
                    nd_index_store_compact_levels(&l->index->shared, &failure) != ND_OK;
    if (unmerged && l->resources.on_warning)
        l->resources.on_warning(l->resources.context, failure.message);
    return status;
}

/* ---- beginning and ending */

static nd_status begin(load *l, nd_error *error) {
    l->allocator = nd_allocator_or_default(l->resources.allocator);
    l->progress = nd_progress_of(&l->resources);
    l->input = (nd_stream_in_options){
        .allocator = &l->allocator, .progress = &l->progress, .memory = l->resources.memory};
    size_t memory = (size_t)l->resources.memory / 8;
    l->fingerprint_size = l->settings.bits > 64 ? 16 : 8;
    l->disk.progress = &l->progress;
    bool on_disk = !l->store || !nd_store_is_in_memory(l->store);
    l->disk.directory = l->resources.work ? l->resources.work
                        : on_disk         ? l->path
                                          : nd_temporary_directory();
    nd_spool_init(&l->fingerprints, &l->allocator, &l->disk, memory, "fingerprints");
    nd_id_runs_init(&l->numbers, &l->allocator, &l->disk, memory / 2);
    nd_id_list_init(&l->ids, memory, &l->disk, &l->allocator);
    if (l->settings.numbered) return ND_OK;
    const nd_external_sort_settings sorting = {.disk = &l->disk,
                                               .parts = ID_PARTS,
                                               .memory_limit = memory,
                                               .words = 2,
                                               .keys = 1,
                                               .what = "id hashes"};
    return nd_external_sort_create_records(&l->allocator, &sorting, &l->hashes, error);
}

static void end(load *l, double began, nd_job_summary *summary) {
    double seconds = nd_seconds() - began;
    const nd_job_summary made = {.documents = l->count,
                                 .work_bytes = l->disk.most,
                                 .total_seconds = seconds,
                                 .seconds[ND_STAGE_READ] = seconds,
                                 .peak_memory = nd_peak_memory(),
                                 .threads = 1};
    nd_job_summary_give(summary, &made);
    nd_spool_free(&l->fingerprints);
    nd_id_runs_free(&l->numbers);
    nd_id_list_free(&l->ids);
    nd_external_sort_free(l->hashes);
    nd_release(&l->allocator, l->replaced);
}

/* ---- into an index */

static nd_status run(load *l, bool *logged, nd_error *error) {
    ND_TRY(gather(l, error));
    if (l->count == 0) return ND_OK;
    *logged = nd_store_is_in_memory(l->store) || (l->count <= FEW && !nd_store_is_full(l->store));
    /* Numbers in the index must not change until the new segment is published. */
    if (!*logged) ND_TRY(nd_index_store_flush_removed(&l->index->shared, error));
    ND_TRY(check_ids(l, error));
    if (!*logged) return add_segment(l, error);
    nd_error failure;
    nd_index_store_begin_edit(&l->index->shared);
    uint32_t count = nd_store_document_count(l->store);
    nd_status status = add_to_log(l, &failure);
    if (status != ND_OK) nd_store_abandon_group(l->store, count, &failure);
    nd_index_store_end_edit(&l->index->shared);
    return status == ND_OK ? ND_OK : nd_fail(error, status, "%s", failure.message);
}

nd_status nd_hamming_load(nd_hamming_index *x, const nd_fingerprint_source *source,
                          const nd_hamming_load_options *options, nd_job_summary *summary,
                          nd_error *error) {
    ND_DEFAULT_FLOATS;
    nd_hamming_load_options o = {0};
    load l = {.index = x};
    ND_TRY(nd_need(x, "index", error));
    ND_TRY(nd_job_summary_check(summary, error));
    ND_TRY(ND_READ_OPTIONS(options, &o, "nd_hamming_load_options", error));
    ND_TRY(nd_fingerprint_source_read(source, &l.source, error));
    ND_TRY(nd_resources_read(o.resources, &l.resources, error));
    if (o.replace) ND_TRY(nd_hamming_check_replaces(x, error));
    l.replace = o.replace;
    l.path = x->shared.path;
    l.settings = x->shared.settings;
    bool logged = false;
    double began = nd_seconds();
    ND_TRY(nd_index_store_begin_change(&x->shared, error));
    l.store = x->shared.store;
    nd_store_set_progress(x->shared.store, &l.progress);
    nd_status status = begin(&l, error);
    if (status == ND_OK) status = run(&l, &logged, error);
    nd_store_set_progress(x->shared.store, NULL);
    if (status == ND_OK && logged) status = nd_index_store_commit_change(&x->shared, error);
    else nd_index_store_end_change(&x->shared);
    end(&l, began, status == ND_OK ? summary : NULL);
    return status;
}

/* ---- a new index */

/* nd_first_segment_fn; `context` is the load. */
static nd_status write_first(void *context, const char *path, nd_manifest_segment *segment,
                             nd_error *error) {
    load *l = context;
    ND_TRY(gather(l, error));
    ND_TRY(check_ids(l, error));
    return l->count > 0 ? write_segment(l, path, segment, error) : ND_OK;
}

nd_status nd_hamming_build(const char *path, const nd_hamming_options *options,
                           const nd_fingerprint_source *source, const nd_resources *resources,
                           nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    load l = {.path = path};
    ND_TRY(nd_need_path(path, error));
    ND_TRY(nd_job_summary_check(summary, error));
    ND_TRY(nd_fingerprint_source_read(source, &l.source, error));
    ND_TRY(nd_resources_read(resources, &l.resources, error));
    double began = nd_seconds();
    ND_TRY(nd_hamming_settings(options, &l.settings, error));
    nd_status status = begin(&l, error);
    if (status == ND_OK)
        status = nd_store_create(path, &l.settings, write_first, &l, &l.allocator, error);
    end(&l, began, status == ND_OK ? summary : NULL);
    return status;
}
