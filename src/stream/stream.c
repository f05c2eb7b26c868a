/* The handle of a stream.
 *
 * An arrival is made from a text (stream/arrival_maker.h). Its cluster is found by its fingerprint
 * (stream/leader_clusters.h), or with MinHash by the stream's index (stream/stream_index.h). It is
 * written to the log (stream/stream_log.h), and may be answered when the log is synced. */
#include "stream/stream.h"

#include "base/argument.h"
#include "base/floats.h"
#include "job/job_options.h"
#include "sketch/fingerprint.h"
#include "stream/clusters_file.h"
#include "text/stemmer.h"
#include "unicode/icu_word_breaks.h"

#include <math.h>

/* ---- opening */

/* With MinHash; does nothing for a stream of fingerprints. */
static nd_status create_index(nd_stream *s, nd_error *error) {
    const nd_stream_settings *set = &s->settings;
    nd_index_parts index = {
        .options = {.threshold = set->threshold, .recall = set->recall, .perms = set->perms},
        .analyzer = {
            .kind = (nd_analyzer_kind)set->analyzer, .ngram = set->ngram, .seed = set->seed}};
    if (nd_stream_has_fingerprints(set)) return ND_OK;
    return nd_stream_index_create(&s->index, s->files.directory, &index, &s->allocator, error);
}

static nd_status create_clusters(nd_stream *s, nd_error *error) {
    const nd_stream_settings *set = &s->settings;
    const nd_cluster_settings settings = {.bits = set->bits,
                                          .k = set->k,
                                          .follow = set->mode == ND_STREAM_FOLLOW,
                                          .expire = set->expire,
                                          .seed = set->seed};
    return nd_clusters_create(&settings, &s->allocator, &s->clusters, error);
}

nd_status nd_stream_create_maker(const nd_stream *s, nd_arrival_maker **out, nd_error *error) {
    return nd_arrival_maker_create(&s->settings, &s->parts,
                                   s->index.index ? &s->index.index->shared.settings : NULL,
                                   &s->allocator, out, error);
}

/* Whether this stream could have written the record. */
static bool fits_stream(const nd_stream *s, const nd_arrival *a) {
    if (nd_stream_has_fingerprints(&s->settings))
        return a->kind == ND_ARRIVAL_NEAREST &&
               nd_fingerprint_fits(a->fingerprint, s->settings.bits);
    return a->kind != ND_ARRIVAL_NEAREST;
}

/* nd_wal_record_fn: adds an arrival of the log to the clusters again. */
static nd_status replay_arrival(void *context, uint16_t type, const unsigned char *payload,
                                size_t size, nd_error *error) {
    nd_stream *s = context;
    nd_arrival arrival;
    nd_placement placement;
    (void)type;
    bool fits = nd_arrival_load(payload, size, &arrival) && fits_stream(s, &arrival);
    nd_status status = fits ? nd_clusters_add(s->clusters, &arrival, &placement, error)
                            : ND_ERR_ARGUMENT;
    if (status == ND_ERR_ARGUMENT)
        return nd_fail(error, ND_ERR_CORRUPT, "%s/log-%llu: damaged: an arrival",
                       s->files.directory, (unsigned long long)s->files.number);
    return status == ND_OK ? nd_stream_files_add_member(&s->files, placement.founded, arrival.id,
                                                        arrival.id_length, error)
                           : status;
}

static nd_status create(nd_stream *s, const nd_stream_parts *options, nd_error *error) {
    nd_stream_parts usual;
    if (!options) ND_TRY(nd_stream_options_read(NULL, &usual, error));
    if (!options) options = &usual;
    ND_TRY(nd_stream_settings_make(options, &s->settings, error));
    nd_stream_settings_to_options(&s->settings, options, &s->parts);
    ND_TRY(nd_stream_index_clear(s->files.directory, &s->allocator, error));
    ND_TRY(create_index(s, error));
    ND_TRY(nd_stream_create_maker(s, &s->maker, error));
    ND_TRY(create_clusters(s, error));
    return nd_stream_files_save(&s->files, &s->settings, s->clusters, error);
}

/* The settings that an opening stream must have. Without options: its own; but a writer needs the
 * ICU that it was made with, and dictionary, stop words and table, which only options can give. */
static nd_status wanted_settings(const nd_stream *s, const nd_stream_parts *options,
                                 nd_stream_settings *out, nd_error *error) {
    if (options) return nd_stream_settings_make(options, out, error);
    *out = s->settings;
    if (s->files.mode == ND_INDEX_READ) return ND_OK;
    out->dictionary = out->stop = out->table = 0;
    if (out->icu) out->icu = nd_word_breaks_version();
    return ND_OK;
}

static nd_status resume(nd_stream *s, const nd_stream_parts *options, const nd_sealed_file *state,
                        nd_error *error) {
    nd_stream_settings wanted;
    bool write = s->files.mode == ND_INDEX_WRITE;
    ND_TRY(nd_stream_settings_check(nd_sealed_path(state), &s->settings, error));
    ND_TRY(wanted_settings(s, options, &wanted, error));
    ND_TRY(nd_stream_settings_compare(s->files.directory, &s->settings, &wanted, error));
    nd_stream_settings_to_options(&s->settings, options, &s->parts);
    if (write && !nd_stream_has_fingerprints(&s->settings))
        ND_TRY(nd_stream_index_open(&s->index, s->files.directory, &s->allocator, error));
    if (write) ND_TRY(nd_stream_create_maker(s, &s->maker, error));
    ND_TRY(create_clusters(s, error));
    ND_TRY(nd_clusters_load(s->clusters, state, error));
    return nd_stream_files_replay(&s->files, replay_arrival, s, error);
}

static nd_status open_once(nd_stream *s, const char *path, nd_index_mode mode,
                           const nd_stream_parts *options, nd_error *error) {
    nd_stream_state state;
    nd_status status = nd_stream_files_open(&s->files, path, mode, &s->allocator, &state, error);
    s->settings = state.settings;
    if (status == ND_OK)
        status = state.file ? resume(s, options, state.file, error) : create(s, options, error);
    nd_sealed_close(state.file);
    return status == ND_OK && s->index.index
               ? nd_stream_index_reconcile(&s->index, s->clusters, error)
               : status;
}

static void close_parts(nd_stream *s) {
    nd_arrival_maker_free(s->maker);
    if (s->files.creating) nd_stream_index_remove(&s->index, s->files.directory);
    nd_stream_index_close(&s->index);
    nd_clusters_free(s->clusters);
    nd_stream_files_close(&s->files);
    *s = (nd_stream){.allocator = s->allocator};
}

/* When a writer saves a state it removes the files of the one before. A reader that is opening
 * these then fails, and opens the newer state. */
static nd_status open_stream(nd_stream *s, const char *path, nd_index_mode mode,
                             const nd_stream_parts *options, nd_error *error) {
    for (;;) {
        nd_error failure;
        if (open_once(s, path, mode, options, &failure) == ND_OK) {
            nd_stream_files_keep(&s->files);
            return ND_OK;
        }
        bool again = mode == ND_INDEX_READ && nd_stream_files_are_outdated(&s->files);
        close_parts(s);
        if (!again) return nd_fail_as(error, &failure);
    }
}

nd_status nd_stream_open(const char *path, nd_index_mode mode, const nd_stream_options *options,
                         const nd_allocator *allocator, nd_stream **out, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need_path(path, error));
    ND_CHECK_ENUM(mode, "mode", ND_INDEX_READ, ND_INDEX_WRITE, error);
    ND_TRY(nd_need(out, "out", error));
    nd_stream_parts parts;
    if (options) ND_TRY(nd_stream_options_read(options, &parts, error));
    nd_allocator a = nd_allocator_or_default(allocator);
    nd_stream *s = nd_allocate_zero(&a, 1, sizeof *s);
    if (!s) return nd_fail_memory(error, sizeof *s, "a stream");
    s->allocator = a;
    nd_status status = open_stream(s, path, mode, options ? &parts : NULL, error);
    if (status != ND_OK) nd_release(&a, s);
    else *out = s;
    return status;
}

/* *found false: there is no stream. That is found out by a failure to open one for reading. */
static nd_status read_settings(const char *path, const nd_allocator *allocator,
                               nd_stream_files *files, bool *found, nd_stream_settings *settings,
                               nd_error *error) {
    nd_stream_state state;
    nd_status status = nd_stream_files_open(files, path, ND_INDEX_READ, allocator, &state, error);
    *found = !state.missing;
    *settings = state.settings;
    if (status == ND_OK)
        status = nd_stream_settings_check(nd_sealed_path(state.file), settings, error);
    nd_sealed_close(state.file);
    return *found ? status : ND_OK;
}

/* Options that the caller frees. */
typedef struct owned_options {
    nd_stream_parts parts;
    nd_allocator allocator;
} owned_options;

static nd_status make_options(const nd_stream_settings *settings, const nd_allocator *allocator,
                              nd_stream_options **out, nd_error *error) {
    owned_options *o = nd_allocate_zero(allocator, 1, sizeof *o);
    if (!o) return nd_fail_memory(error, sizeof *o, "options");
    o->allocator = *allocator;
    nd_stream_settings_to_options(settings, NULL, &o->parts);
    const char **stem = &o->parts.analyzer.stem;
    nd_status status = *stem ? nd_stem_language(settings->stem, stem, error) : ND_OK;
    if (status == ND_OK) *out = &o->parts.options;
    else nd_release(allocator, o);
    return status;
}

nd_status nd_stream_read_options(const char *path, const nd_allocator *allocator,
                                 nd_stream_options **out, nd_error *error) {
    ND_DEFAULT_FLOATS;
    const nd_allocator a = nd_allocator_or_default(allocator);
    ND_TRY(nd_need_path(path, error));
    ND_TRY(nd_need(out, "out", error));
    for (;;) {
        nd_stream_files files;
        nd_stream_settings settings;
        nd_error failure;
        bool there;
        nd_status status = read_settings(path, &a, &files, &there, &settings, &failure);
        bool again = status != ND_OK && nd_stream_files_are_outdated(&files);
        nd_stream_files_close(&files);
        if (again) continue;
        if (status != ND_OK) return nd_fail_as(error, &failure);
        if (there) return make_options(&settings, &a, out, error);
        *out = NULL;
        return ND_OK;
    }
}

void nd_stream_options_free(nd_stream_options *options) {
    if (!options) return;
    owned_options *o = (owned_options *)options;
    nd_allocator allocator = o->allocator;
    nd_release(&allocator, o);
}

void nd_stream_close(nd_stream *s) {
    ND_DEFAULT_FLOATS;
    if (!s) return;
    nd_error ignored;
    if (s->files.mode == ND_INDEX_WRITE && s->failure.status == ND_OK &&
        nd_stream_sync(s, &ignored) != ND_OK)
        s->failure = ignored;
    close_parts(s);
    nd_allocator allocator = s->allocator;
    nd_release(&allocator, s);
}

/* ---- documents */

/* Makes all arrivals durable; then documents of forgotten clusters may leave the index. */
static nd_status sync_arrivals(nd_stream *s, nd_error *error) {
    ND_TRY(nd_stream_log_sync(s->files.log, s->index.index, error));
    return s->index.index ? nd_stream_index_remove_forgotten(&s->index, error) : ND_OK;
}

static nd_status decide_by_index(nd_stream *s, nd_prepared_arrival *prepared, nd_error *error) {
    bool stale;
    ND_TRY(nd_stream_index_decide(&s->index, s->clusters, prepared, &stale, error));
    if (!stale) return ND_OK;
    ND_TRY(sync_arrivals(s, error));
    ND_TRY(nd_stream_index_decide(&s->index, s->clusters, prepared, &stale, error));
    return stale ? nd_fail(error, ND_ERR_CORRUPT,
                           "%s: damaged: its index has a document without a cluster",
                           s->files.directory)
                 : ND_OK;
}

static nd_status add_arrival(nd_stream *s, nd_prepared_arrival *prepared, nd_placement *placement,
                             nd_error *error) {
    nd_arrival *a = &prepared->arrival;
    if (nd_clusters_find_recent(s->clusters, a->id, a->id_length, placement)) return ND_OK;
    ND_TRY(nd_clusters_advance(s->clusters, a->time, error));
    if (s->index.index) ND_TRY(decide_by_index(s, prepared, error));
    ND_TRY(nd_clusters_add(s->clusters, a, placement, error));
    ND_TRY(nd_stream_files_add_member(&s->files, placement->founded, a->id, a->id_length, error));
    return nd_stream_log_add(s->files.log, a, error);
}

nd_status nd_stream_check_changeable(const nd_stream *s, nd_error *error) {
    ND_TRY(nd_process_lock_check(&s->files.lock, s->files.directory, error));
    if (s->files.mode == ND_INDEX_READ)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: opened for reading", s->files.directory);
    return s->failure.status == ND_OK ? ND_OK
                                      : nd_fail(error, s->failure.status, "%s", s->failure.message);
}

/* After a failed change memory and files may differ: the stream accepts no further change. */
static nd_status end_change(nd_stream *s, nd_status status, nd_error *failure, nd_error *error) {
    if (status == ND_OK) return ND_OK;
    s->failure = *failure;
    return nd_fail_as(error, failure);
}

nd_status nd_stream_add_prepared(nd_stream *s, nd_prepared_arrival *prepared,
                                 nd_stream_answer *answer, nd_error *error) {
    const nd_arrival *a = &prepared->arrival;
    nd_placement placement;
    nd_error failure;
    if (isinf(a->time))
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "value must be a time, a finite number of seconds, or NaN");
    ND_TRY(end_change(s, add_arrival(s, prepared, &placement, &failure), &failure, error));
    if (!answer) return ND_OK;
    *answer = (nd_stream_answer){
        .source = "",
        .id = a->id,
        .id_length = a->id_length,
        .cluster = placement.cluster,
        .cluster_length = placement.cluster_length,
        .is_new = placement.is_new,
        .again = placement.again,
        .similarity = nd_stream_has_fingerprints(&s->settings) ? 0 : placement.similarity,
        .distance = placement.distance};
    nd_cluster_view cluster;
    if (s->topic_count > 0 && nd_clusters_find(s->clusters, placement.founded, &cluster)) {
        answer->topic_count = nd_clusters_topics(s->clusters, &cluster, s->topic_count, s->topics);
        answer->topics = s->topics;
    }
    return ND_OK;
}

void nd_stream_set_topics(nd_stream *s, uint32_t topics) { s->topic_count = topics; }

nd_status nd_stream_add(nd_stream *s, const nd_record *given, const nd_stream_answer **answer,
                        nd_error *error) {
    ND_DEFAULT_FLOATS;
    nd_prepared_arrival prepared;
    nd_record document;
    ND_TRY(nd_need(s, "stream", error));
    ND_TRY(nd_record_read(given, &document, error));
    if (document.id_length > INT32_MAX)
        return nd_fail(error, ND_ERR_ARGUMENT, "an id must be shorter than 2 GiB");
    ND_TRY(nd_stream_check_changeable(s, error));
    ND_TRY(nd_arrival_make(s->maker, document.text, document.length, &prepared, error));
    prepared.arrival.id = document.id;
    prepared.arrival.id_length = document.id_length;
    prepared.arrival.time = document.value;
    ND_TRY(nd_stream_add_prepared(s, &prepared, answer ? &s->answer : NULL, error));
    if (answer) *answer = &s->answer;
    return ND_OK;
}

/* ---- durability */

static nd_status sync_all(nd_stream *s, nd_error *error) {
    ND_TRY(sync_arrivals(s, error));
    return nd_stream_files_should_save(&s->files)
               ? nd_stream_files_save(&s->files, &s->settings, s->clusters, error)
               : ND_OK;
}

nd_status nd_stream_sync(nd_stream *s, nd_error *error) {
    ND_DEFAULT_FLOATS;
    nd_error failure;
    ND_TRY(nd_need(s, "stream", error));
    ND_TRY(nd_stream_check_changeable(s, error));
    return end_change(s, sync_all(s, &failure), &failure, error);
}

static nd_status begin_sync(nd_stream *s, nd_stream_synced_fn *fn, void *context, nd_error *error) {
    ND_TRY(nd_stream_log_wait(s->files.log, error));
    if (s->index.forgotten_size == 0 && !nd_stream_files_should_save(&s->files))
        return nd_stream_log_begin_sync(s->files.log, s->index.index, fn, context, error);
    ND_TRY(sync_all(s, error));
    fn(context);
    return ND_OK;
}

nd_status nd_stream_begin_sync(nd_stream *s, nd_stream_synced_fn *fn, void *context,
                               nd_error *error) {
    nd_error failure;
    ND_TRY(nd_stream_check_changeable(s, error));
    return end_change(s, begin_sync(s, fn, context, &failure), &failure, error);
}

nd_status nd_stream_end_sync(nd_stream *s, nd_error *error) {
    nd_error failure;
    return s->files.log ? end_change(s, nd_stream_log_wait(s->files.log, &failure), &failure, error)
                        : ND_OK;
}

nd_status nd_stream_describe(const nd_stream *s, nd_stream_info *out, nd_error *error) {
    ND_TRY(nd_need(s, "stream", error));
    ND_TRY(nd_need(out, "out", error));
    ND_TRY(nd_results_check(out, sizeof *out, "nd_stream_info", error));
    const nd_stream_info made = {.options = &s->parts.options,
                                 .documents = nd_clusters_documents(s->clusters),
                                 .clusters = nd_clusters_count(s->clusters),
                                 .clock = nd_clusters_clock(s->clusters),
                                 .bytes = nd_stream_files_bytes(&s->files),
                                 .cluster_memory = nd_clusters_memory(s->clusters),
                                 .centre_memory = nd_clusters_centre_memory(s->clusters)};
    nd_results_write(out, &made, sizeof made);
    return ND_OK;
}
