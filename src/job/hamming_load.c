/* Many fingerprints into an index at once: gathered from their source, their ids looked for, then to the log or to a segment of their own. Of an index that is built from them the segment is there before the index. */
#include "job/hamming.h"

#include "base/workers.h"
#include "corpus/fingerprint_in.h"
#include "io/part_sorter.h"
#include "job/id_list.h"

#include <inttypes.h>
#include <string.h>

enum {
    ID_PARTS = 256,
    PROGRESS = 4096, /* fingerprints between two reports */
#ifdef ND_TINY_LIMITS
    FEW = 10
#else
    FEW = 1000 /* go to the log: a segment has more files to sync */
#endif
};

typedef struct load {
    nd_index *index; /* NULL: it is being built */
    nd_store *store; /* of the index */
    const char *path;
    nd_index_settings settings;
    nd_allocator allocator;
    nd_job_options options;
    nd_scratch_disk disk;
    uint32_t count;
    unsigned fingerprint_size; /* 8 or 16 bytes */
    nd_spool fingerprints;
    nd_id_list ids;
    nd_part_sorter *hashes; /* of the ids, each with its fingerprint's place; NULL where ids are numbers, which ascend */
    uint32_t *replaced;     /* numbers in the index */
    size_t replaced_count, replaced_capacity;
    nd_segment_writer *writer;
} load;

static nd_status tell_progress(const load *l, nd_stage stage, uint64_t done, uint64_t total, nd_error *error) {
    const nd_job_options *o = &l->options;
    if (!o->on_progress || o->on_progress(o->notice_context, stage, done, total)) return ND_OK;
    return nd_fail(error, ND_ERR_CANCELLED, "cancelled");
}

/* ---- gathering */

static nd_status keep_id(load *l, const char *id, size_t length, nd_error *error) {
    ND_TRY(nd_id_list_add(&l->ids, id, length, error));
    if (!l->hashes) return ND_OK;
    uint64_t record[2] = {nd_id_hash(id, length), l->count};
    return nd_part_sorter_push_record(l->hashes, (size_t)(record[0] >> 56), record, error);
}

static nd_status keep(load *l, const nd_fingerprinted *given, uint32_t *number, nd_error *error) {
    unsigned char bytes[16];
    nd_id_digits digits;
    const char *id = given->id;
    size_t length = given->id_length;
    ND_TRY(nd_hamming_take_id(l->path, &l->settings, number, &digits, &id, &length, error));
    if ((l->store ? nd_store_numbers(l->store) : 0) + (uint64_t)l->count >= UINT32_MAX - 1)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: more than %u fingerprints", l->path, UINT32_MAX - 1);
    ND_TRY(keep_id(l, id, length, error));
    nd_store_le64(bytes, given->fingerprint.low);
    nd_store_le64(bytes + 8, given->fingerprint.high);
    l->count++;
    return nd_spool_append(&l->fingerprints, bytes, l->fingerprint_size, error);
}

static nd_status gather(load *l, const nd_fingerprint_source *source, nd_error *error) {
    nd_fingerprint_in *in;
    nd_fingerprinted given;
    uint32_t number = 0;
    bool more = true;
    if (l->settings.numbered && l->store) ND_TRY(nd_hamming_next_number(l->store, &number, error));
    ND_TRY(nd_fingerprint_in_open(source, l->settings.bits, &l->allocator, &in, error));
    nd_status status = ND_OK;
    while (status == ND_OK && more) {
        status = nd_fingerprint_in_next(in, &given, &more, error);
        if (status == ND_OK && more) status = keep(l, &given, &number, error);
        if (status == ND_OK && l->count % PROGRESS == 0) status = tell_progress(l, ND_STAGE_READ, l->count, 0, error);
    }
    nd_fingerprint_in_close(in);
    return status;
}

/* ---- what was gathered, by place */

typedef struct row_buffer {
    unsigned char fingerprint[16];
    nd_id_room id;
} row_buffer;

/* Valid until the buffer is used again. */
static nd_status make_row(const load *l, uint32_t place, row_buffer *b, nd_stored_document *row, nd_error *error) {
    const void *fingerprint;
    ND_TRY(nd_id_list_get(&l->ids, place, &b->id, &row->id, &row->id_length, error));
    ND_TRY(nd_spool_view(&l->fingerprints, l->fingerprint_size, (uint64_t)place * l->fingerprint_size, b->fingerprint, &fingerprint, error));
    row->sketch = fingerprint;
    return ND_OK;
}

/* ---- ids */

static nd_status compare_ids(const load *l, uint32_t first, uint32_t second, nd_error *error) {
    row_buffer a = {.id = {NULL, 0}}, b = {.id = {NULL, 0}};
    nd_stored_document row = {.id = NULL}, other = {.id = NULL};
    nd_status status = make_row(l, first, &a, &row, error);
    if (status == ND_OK) status = make_row(l, second, &b, &other, error);
    if (status == ND_OK && row.id_length == other.id_length && memcmp(row.id, other.id, row.id_length) == 0)
        status = nd_fail(error, ND_ERR_ARGUMENT, "the id \"%.*s\" is given twice: to fingerprints %" PRIu32 " and %" PRIu32 " of the input",
                         (int)(row.id_length < 200 ? row.id_length : 200), row.id, first + 1, second + 1);
    nd_release(&l->allocator, a.id.bytes);
    nd_release(&l->allocator, b.id.bytes);
    return status;
}

/* Those of one hash stand together; all but a few hashes are of one id. */
static nd_status find_repeats(const load *l, const uint64_t *records, size_t count, nd_error *error) {
    for (size_t i = 0; i < count; i++)
        for (size_t j = i; j-- > 0 && records[2 * j] == records[2 * i];)
            ND_TRY(compare_ids(l, (uint32_t)records[2 * j + 1], (uint32_t)records[2 * i + 1], error));
    return ND_OK;
}

static nd_status check_repeats(const load *l, nd_error *error) {
    nd_part_buffer buffer = {0};
    nd_status status = ND_OK;
    for (size_t part = 0; status == ND_OK && part < ID_PARTS; part++) {
        status = nd_part_sorter_load_records(l->hashes, part, &buffer, error);
        if (status == ND_OK) status = find_repeats(l, buffer.words, buffer.count, error);
    }
    nd_part_buffer_free(&l->allocator, &buffer);
    return status;
}

static nd_status find_in_index(load *l, const nd_stored_document *row, nd_error *error) {
    uint32_t number;
    ND_TRY(nd_store_find_id(l->store, row->id, row->id_length, &number, error));
    if (number == UINT32_MAX) return ND_OK;
    if (!l->options.replace) return nd_hamming_fail_id(l->path, row->id, row->id_length, error);
    if (!nd_reserve(&l->allocator, &l->replaced, &l->replaced_capacity, l->replaced_count + 1))
        return nd_fail_memory(error, l->replaced_count * sizeof *l->replaced, "replaced fingerprints");
    l->replaced[l->replaced_count++] = number;
    return ND_OK;
}

static nd_status check_ids(load *l, nd_error *error) {
    row_buffer b = {.id = {NULL, 0}};
    nd_stored_document row = {.id = NULL};
    nd_status status = ND_OK;
    if (!l->hashes) return ND_OK;
    ND_TRY(check_repeats(l, error));
    if (!l->store || nd_store_live(l->store) == 0) return ND_OK;
    for (uint32_t place = 0; status == ND_OK && place < l->count; place++) {
        status = make_row(l, place, &b, &row, error);
        if (status == ND_OK) status = find_in_index(l, &row, error);
    }
    nd_release(&l->allocator, b.id.bytes);
    return status;
}

/* ---- to the log, or to a segment */

static nd_status add_to_log(load *l, nd_error *error) {
    row_buffer b = {.id = {NULL, 0}};
    nd_stored_document row = {.id = NULL};
    nd_status status = ND_OK;
    for (size_t i = 0; status == ND_OK && i < l->replaced_count; i++) status = nd_store_remove(l->store, l->replaced[i], error);
    for (uint32_t place = 0; status == ND_OK && place < l->count; place++) {
        status = make_row(l, place, &b, &row, error);
        if (status == ND_OK) status = nd_store_add(l->store, &row, error);
    }
    nd_release(&l->allocator, b.id.bytes);
    return status;
}

static nd_status put_rows(load *l, nd_error *error) {
    row_buffer b = {.id = {NULL, 0}};
    nd_stored_document row = {.id = NULL};
    nd_status status = ND_OK;
    for (uint32_t place = 0; status == ND_OK && place < l->count; place++) {
        status = make_row(l, place, &b, &row, error);
        if (status == ND_OK) status = nd_segment_put_document(l->writer, &row, error);
        if (status == ND_OK) status = nd_segment_put_fingerprint(l->writer, nd_stored_fingerprint(&row, l->settings.bits), place, error);
    }
    nd_release(&l->allocator, b.id.bytes);
    return status;
}

static nd_status write_segment(load *l, const char *path, nd_manifest_segment *segment, nd_error *error) {
    segment->documents = l->count;
    nd_status status = nd_segment_writer_create(path, &l->settings, l->count, &l->disk, (size_t)(l->options.memory / 2), &l->allocator, &l->writer,
                                                error);
    if (status == ND_OK) status = put_rows(l, error);
    if (status == ND_OK) status = nd_segment_finish(l->writer, &segment->seal, error);
    nd_segment_writer_free(l->writer);
    return status;
}

/* What is replaced goes with what replaces it: from the first mark on there is the next state, or no further change. */
static nd_status publish(load *l, const nd_manifest_segment *segment, nd_error *error) {
    nd_error failure;
    nd_status status = ND_OK;
    pthread_rwlock_wrlock(&l->index->view);
    for (size_t i = 0; status == ND_OK && i < l->replaced_count; i++) status = nd_store_mark_removed(l->store, l->replaced[i], &failure);
    pthread_rwlock_unlock(&l->index->view);
    if (status == ND_OK) status = nd_store_publish(l->store, segment, NULL, &failure);
    if (status == ND_OK) return ND_OK;
    if (l->replaced_count > 0) nd_store_give_up(l->store, &failure);
    return nd_fail(error, status, "%s", failure.message);
}

static nd_status add_segment(load *l, nd_error *error) {
    nd_manifest_segment segment = {0};
    char *path;
    ND_TRY(nd_store_segment_path(l->store, &path, &segment.file, error));
    nd_status status = write_segment(l, path, &segment, error);
    nd_release(&l->allocator, path);
    ND_TRY(status);
    nd_index_begin_state(l->index);
    status = publish(l, &segment, error);
    /* They are in the index now: where there is no room to merge it with others, the next change tries again. */
    nd_error failure;
    if (status == ND_OK && nd_store_merge(l->store, false, &failure) != ND_OK && l->options.on_warning)
        l->options.on_warning(l->options.notice_context, failure.message);
    return nd_index_end_state(l->index, status);
}

/* ---- all of it */

static nd_status begin(load *l, const nd_job_options *options, nd_error *error) {
    nd_job_options_init(&l->options);
    if (options) l->options = *options;
    l->allocator = nd_allocator_or_default(l->options.allocator);
    size_t memory = (size_t)l->options.memory / 8;
    l->fingerprint_size = l->settings.bits > 64 ? 16 : 8;
    l->disk.directory = l->options.work ? l->options.work : l->path;
    nd_spool_init(&l->fingerprints, &l->allocator, &l->disk, memory, "fingerprints");
    nd_id_list_init(&l->ids, memory, &l->disk, &l->allocator);
    if (l->settings.numbered) return ND_OK;
    ND_TRY(nd_part_sorter_create(&l->allocator, &l->disk, ID_PARTS, memory, "id hashes", &l->hashes, error));
    nd_part_sorter_set_records(l->hashes, 2, 1);
    return ND_OK;
}

static void end(load *l, double began, nd_job_summary *summary) {
    double seconds = nd_seconds() - began;
    if (summary)
        *summary = (nd_job_summary){.documents = l->count,
                                    .work_bytes = l->disk.most,
                                    .total_seconds = seconds,
                                    .seconds[ND_STAGE_READ] = seconds,
                                    .peak_memory = nd_peak_memory(),
                                    .threads = 1};
    nd_spool_free(&l->fingerprints);
    nd_id_list_free(&l->ids);
    nd_part_sorter_free(l->hashes);
    nd_release(&l->allocator, l->replaced);
}

/* ---- into an index */

/* Numbers in the index must stand until the new segment is published. */
static nd_status settle(nd_index *x, nd_error *error) {
    nd_index_begin_state(x);
    return nd_index_end_state(x, nd_store_settle(x->store, error));
}

static nd_status run(load *l, const nd_fingerprint_source *source, bool *logged, nd_error *error) {
    ND_TRY(gather(l, source, error));
    if (l->count == 0) return ND_OK;
    *logged = l->count <= FEW && !nd_store_is_full(l->store);
    if (!*logged) ND_TRY(settle(l->index, error));
    ND_TRY(check_ids(l, error));
    if (!*logged) return add_segment(l, error);
    nd_error failure;
    pthread_rwlock_wrlock(&l->index->view);
    nd_status status = add_to_log(l, &failure);
    if (status != ND_OK) nd_store_give_up(l->store, &failure);
    pthread_rwlock_unlock(&l->index->view);
    return status == ND_OK ? ND_OK : nd_fail(error, status, "%s", failure.message);
}

nd_status nd_hamming_load(nd_index *x, const nd_fingerprint_source *source, const nd_job_options *options, nd_job_summary *summary, nd_error *error) {
    if (!x || !source) return nd_fail(error, ND_ERR_ARGUMENT, "index and source must not be NULL");
    ND_TRY(nd_hamming_check_index(x, error));
    if (options && options->replace && x->settings.numbered)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: its ids are numbers that ascend, so that none of them is replaced", x->path);
    load l = {.index = x, .path = x->path, .settings = x->settings};
    bool logged = false;
    double began = nd_seconds();
    ND_TRY(nd_index_begin_change(x, error));
    l.store = x->store;
    nd_status status = begin(&l, options, error);
    if (status == ND_OK) status = run(&l, source, &logged, error);
    status = nd_index_end_change(x, status, logged, error);
    end(&l, began, status == ND_OK ? summary : NULL);
    return status;
}

/* ---- a new index */

typedef struct building {
    load *load;
    const nd_fingerprint_source *source;
} building;

/* nd_store_first_fn; `context` is the building. */
static nd_status write_first(void *context, const char *path, nd_manifest_segment *segment, nd_error *error) {
    const building *b = context;
    ND_TRY(gather(b->load, b->source, error));
    ND_TRY(check_ids(b->load, error));
    return b->load->count > 0 ? write_segment(b->load, path, segment, error) : ND_OK;
}

nd_status nd_hamming_build(const char *path, const nd_hamming_options *hamming, const nd_fingerprint_source *source, const nd_job_options *options,
                           nd_job_summary *summary, nd_error *error) {
    if (!source) return nd_fail(error, ND_ERR_ARGUMENT, "source must not be NULL");
    load l = {.path = path};
    building b = {&l, source};
    double began = nd_seconds();
    ND_TRY(nd_hamming_settings(path, hamming, &l.settings, error));
    nd_status status = begin(&l, options, error);
    if (status == ND_OK) status = nd_store_create(path, &l.settings, write_first, &b, &l.allocator, error);
    end(&l, began, status == ND_OK ? summary : NULL);
    return status;
}
