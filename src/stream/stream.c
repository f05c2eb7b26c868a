/* The handle of a stream. What a document needs is made (nd_arrival_make), its cluster found
 * (stream/leader_clusters.h, or with MinHash stream/stream_index.h), and written to the log; when
 * that is synced it may be answered. */
#include "stream/stream.h"

#include "base/argument.h"
#include "sketch/fingerprint.h"
#include "base/floats.h"
#include "base/format.h"
#include "text/analyzer.h"
#include "text/dictionary.h"
#include "terms/weight_table.h"
#include "text/stemmer.h"
#include "text/stop_words.h"
#include "unicode/icu_word_breaks.h"

#include <math.h>
#include <stdio.h>
void nd_stream_options_init(nd_stream_options *o) {
    nd_index_options index;
    nd_index_options_init(&index);
    *o = (nd_stream_options){.analyzer = index.analyzer,
                             .seed = index.seed,
                             .threshold = index.threshold,
                             .recall = index.recall,
                             .perms = index.perms,
                             .k = 3};
    nd_simhash_options_init(&o->simhash);
}

/* ---- settings */

static bool has_fingerprints(const nd_stream_settings *s) { return s->sketch == ND_SKETCH_SIMHASH; }

static nd_status check_simhash(const nd_stream_options *o, const nd_analyzer_options *analyzer,
                               nd_error *error) {
    ND_TRY(nd_simhash_options_check(&o->simhash, analyzer, error));
    if (o->simhash.weighting == ND_WEIGHTING_LEVELS)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "a stream has texts, not lists of words with levels");
    if (o->k > o->simhash.bits / 4)
        return nd_fail(error, ND_ERR_ARGUMENT, "k must be 0 to %u for %u bits, not %u",
                       o->simhash.bits / 4, o->simhash.bits, o->k);
    return ND_OK;
}

/* What of the words is kept to; the analyzer is checked. */
static void make_word_settings(const nd_stream_options *o, nd_stream_settings *s) {
    const nd_simhash_options *simhash = &o->simhash;
    if (o->analyzer == ND_SEGMENT) s->icu = nd_word_breaks_version();
    if (o->dictionary) s->dictionary = nd_dictionary_hash(o->dictionary);
    if (o->sketch != ND_SKETCH_SIMHASH) return;
    if (o->stem) nd_format(s->stem, sizeof s->stem, "%s", o->stem);
    if (simhash->stop) s->stop = nd_stop_words_hash(simhash->stop);
    if (simhash->weighting == ND_WEIGHTING_TABLE) s->table = nd_weights_hash(simhash->table);
}

static nd_status make_settings(const nd_stream_options *o, nd_stream_settings *s, nd_error *error) {
    ND_CHECK_ENUM(o->sketch, "sketch", ND_SKETCH_MINHASH, ND_SKETCH_SIMHASH, error);
    ND_CHECK_ENUM(o->mode, "mode", ND_STREAM_LEADER, ND_STREAM_FOLLOW, error);
    if (!(o->expire >= 0 && o->expire < 1e15))
        return nd_fail(error, ND_ERR_ARGUMENT, "expire must be 0 to 10^15 seconds, not %g",
                       o->expire);
    bool simhash = o->sketch == ND_SKETCH_SIMHASH;
    if (!simhash && o->mode == ND_STREAM_FOLLOW)
        return nd_fail(error, ND_ERR_ARGUMENT, "centres follow with ND_SKETCH_SIMHASH only");
    *s = (nd_stream_settings){.sketch = o->sketch,
                              .mode = o->mode,
                              .analyzer = o->analyzer,
                              .seed = o->seed,
                              .expire = o->expire};
    s->ngram = o->ngram ? o->ngram : simhash ? 1 : 5;
    const nd_analyzer_options analyzer = {.kind = o->analyzer,
                                          .ngram = s->ngram,
                                          .seed = o->seed,
                                          .stem = o->stem,
                                          .dictionary = o->dictionary};
    ND_TRY(nd_analyzer_options_check_passing(&analyzer, error));
    if (simhash) ND_TRY(check_simhash(o, &analyzer, error));
    make_word_settings(o, s);
    if (!simhash) {
        nd_plan plan;
        if (o->stem)
            return nd_fail(
                error, ND_ERR_ARGUMENT,
                "stem is for ND_SKETCH_SIMHASH: ND_SKETCH_MINHASH compares words as they are");
        s->perms = o->perms;
        s->threshold = o->threshold;
        s->recall = o->recall;
        return nd_plan_choose(o->threshold, o->recall, o->perms, &plan, error);
    }
    s->k = o->k;
    s->bits = o->simhash.bits;
    s->weighting = o->simhash.weighting;
    return ND_OK;
}

/* Of a file: as make_settings makes them. */
static nd_status check_settings(const char *path, const nd_stream_settings *s, nd_error *error) {
    const nd_analyzer_options analyzer = {
        .kind = (nd_analyzer_kind)s->analyzer, .ngram = s->ngram, .seed = s->seed};
    bool fits = s->sketch <= ND_SKETCH_SIMHASH && s->mode <= ND_STREAM_FOLLOW && s->expire >= 0 &&
                nd_analyzer_options_check_passing(&analyzer, NULL) == ND_OK &&
                memchr(s->stem, 0, sizeof s->stem);
    bool simhash = s->sketch == ND_SKETCH_SIMHASH,
         bits = s->bits == 16 || s->bits == 32 || s->bits == 64 || s->bits == 128;
    if (simhash)
        fits = fits && bits && s->k <= s->bits / 4 &&
               (s->weighting <= ND_WEIGHTING_TF || s->weighting == ND_WEIGHTING_TABLE);
    else fits = fits && s->bits == 0 && s->mode == ND_STREAM_LEADER;
    return fits ? ND_OK
                : nd_fail(error, ND_ERR_CORRUPT, "%s: damaged: its settings do not fit each other",
                          path);
}

/* `given` (NULL: nothing is) has what the settings know by hashes. */
static void make_options(const nd_stream_settings *s, const nd_stream_options *given,
                         nd_stream_options *o) {
    nd_stream_options_init(o);
    o->sketch = (nd_sketch)s->sketch;
    o->mode = (nd_stream_mode)s->mode;
    o->analyzer = (nd_analyzer_kind)s->analyzer;
    o->ngram = s->ngram;
    o->seed = s->seed;
    o->expire = s->expire;
    o->stem = s->stem[0] ? s->stem : NULL;
    o->dictionary = given ? given->dictionary : NULL;
    if (!has_fingerprints(s)) {
        o->threshold = s->threshold;
        o->recall = s->recall;
        o->perms = s->perms;
        return;
    }
    o->k = s->k;
    o->simhash = (nd_simhash_options){.bits = s->bits, .weighting = (nd_weighting)s->weighting};
    if (given) o->simhash.table = given->simhash.table;
    if (given) o->simhash.stop = given->simhash.stop;
}

/* What else makes words, and what they weigh; its hashes depend on seed and stem. */
static nd_status compare_words(const char *path, const nd_stream_settings *a,
                               const nd_stream_settings *b, nd_error *error) {
    if (a->seed != b->seed)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: this stream was made with another seed", path);
    if (strcmp(a->stem, b->stem) != 0)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: this stream was made with %s%s, not with %s%s",
                       path, a->stem[0] ? "stem " : "no stem", a->stem,
                       b->stem[0] ? "stem " : "no stem", b->stem);
    if (a->icu != b->icu)
        return nd_fail(
            error, ND_ERR_ARGUMENT,
            "%s: this stream was made with ICU %u.%u, not with %u.%u, which cuts other words", path,
            a->icu >> 16, a->icu & 0xffff, b->icu >> 16, b->icu & 0xffff);
    const struct {
        const char *name;
        uint64_t was, is;
    } list[] = {{"dictionary", a->dictionary, b->dictionary},
                {"list of stop words", a->stop, b->stop},
                {"table of weights", a->table, b->table}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (list[i].was == list[i].is) continue;
        if (list[i].is == 0)
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "%s: the %s with which this stream was made is needed", path,
                           list[i].name);
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: this stream was made with %s %s", path,
                       list[i].was ? "another" : "no", list[i].name);
    }
    return ND_OK;
}

static nd_status compare_settings(const char *path, const nd_stream_settings *a,
                                  const nd_stream_settings *b, nd_error *error) {
    static const char *const sketches[] = {"MinHash", "SimHash"}, *const modes[] = {
                                                                      "leaders",
                                                                      "centres that follow"};
    if (a->sketch != b->sketch)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: this stream was made with %s, not with %s",
                       path, sketches[a->sketch == 1], sketches[b->sketch]);
    if (a->mode != b->mode)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: this stream was made with %s, not with %s",
                       path, modes[a->mode == 1], modes[b->mode]);
    if (a->analyzer != b->analyzer)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: this stream was made with the analyzer %s, not with %s", path,
                       nd_analyzer_name((nd_analyzer_kind)a->analyzer),
                       nd_analyzer_name((nd_analyzer_kind)b->analyzer));
    const struct {
        const char *name;
        double was, is;
    } list[] = {{"ngram", a->ngram, b->ngram},
                {"perms", a->perms, b->perms},
                {"threshold", a->threshold, b->threshold},
                {"recall", a->recall, b->recall},
                {"k", a->k, b->k},
                {"bits", a->bits, b->bits},
                {"weights", a->weighting, b->weighting},
                {"expire", a->expire, b->expire}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].was != list[i].is)
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "%s: this stream was made with another %s: %g, not %g", path,
                           list[i].name, list[i].was, list[i].is);
    return compare_words(path, a, b, error);
}

/* ---- from text to arrival */

nd_status nd_arrival_maker_create(const nd_stream *stream, nd_arrival_maker **out,
                                  nd_error *error) {
    const nd_stream_settings *s = &stream->settings;
    const nd_stream_options *o = &stream->options;
    const nd_analyzer_options analyzer = {.kind = o->analyzer,
                                          .ngram = s->ngram,
                                          .seed = s->seed,
                                          .stem = o->stem,
                                          .dictionary = o->dictionary};
    nd_analyzer_options words = analyzer;
    words.ngram = 1;
    if (words.kind == ND_CHARS) words.kind = ND_WORDS;
    nd_arrival_maker *m = nd_allocate_zero(&stream->allocator, 1, sizeof *m);
    if (!m) return nd_fail_memory(error, sizeof *m, "a stream");
    m->allocator = stream->allocator;
    nd_status status = nd_word_list_create(&words, o->simhash.stop, &m->allocator, &m->words,
                                           error);
    if (status == ND_OK && has_fingerprints(s)) {
        status = nd_analyzer_create_for(ND_SHINGLES_ALONE, &analyzer, &m->allocator, &m->analyzer,
                                        error);
        if (status == ND_OK)
            status = nd_text_simhash_create(m->analyzer, &o->simhash, NULL, &m->simhash, error);
    }
    if (status != ND_OK) nd_arrival_maker_free(m);
    else *out = m;
    return status;
}

void nd_arrival_maker_free(nd_arrival_maker *m) {
    if (!m) return;
    nd_allocator allocator = m->allocator;
    nd_text_simhash_free(m->simhash);
    nd_analyzer_free(m->analyzer);
    nd_word_list_free(m->words);
    nd_release(&allocator, m);
}

nd_status nd_arrival_make(nd_arrival_maker *m, const char *text, size_t length, nd_arrival *out,
                          nd_error *error) {
    out->fingerprint = (nd_fingerprint){0, 0}; /* a state is refused where a leader's has bits */
    if (m->simhash)
        ND_TRY(nd_text_simhash_make(m->simhash, text, length, &out->fingerprint, error));
    return nd_word_list_make(m->words, text, length, &out->words, &out->word_bytes, error);
}

/* ---- opening */

static nd_status open_index(nd_stream *s, bool create, nd_error *error) {
    const nd_stream_settings *o = &s->settings;
    if (has_fingerprints(o)) return ND_OK;
    const nd_index_options options = {
        (nd_analyzer_kind)o->analyzer, o->ngram, o->threshold, o->recall, o->perms, o->seed, false};
    return nd_stream_index_open(&s->index, s->files.directory, &options, s->options.dictionary,
                                create, &s->allocator, error);
}

static nd_status make_clusters(nd_stream *s, nd_error *error) {
    const nd_stream_settings *o = &s->settings;
    const nd_cluster_settings settings = {o->bits, o->k, o->mode == ND_STREAM_FOLLOW, o->expire,
                                          o->seed};
    return nd_clusters_create(&settings, &s->allocator, &s->clusters, error);
}

/* Whether this stream could have written it. */
static bool is_arrival(const nd_stream *s, const nd_arrival *a) {
    if (has_fingerprints(&s->settings))
        return a->kind == ND_ARRIVAL_NEAREST &&
               nd_fingerprint_fits(a->fingerprint, s->settings.bits);
    return a->kind != ND_ARRIVAL_NEAREST;
}

static nd_status take_again(void *context, uint16_t type, const unsigned char *payload, size_t size,
                            nd_error *error) {
    nd_stream *s = context;
    nd_arrival arrival;
    nd_placed placed;
    (void)type;
    bool known = nd_arrival_load(payload, size, &arrival) && is_arrival(s, &arrival);
    nd_status status = known ? nd_clusters_take(s->clusters, &arrival, &placed, error)
                             : ND_ERR_ARGUMENT;
    if (status == ND_ERR_ARGUMENT)
        return nd_fail(error, ND_ERR_CORRUPT, "%s/log-%llu: damaged: an arrival",
                       s->files.directory, (unsigned long long)s->files.number);
    return status == ND_OK ? nd_stream_files_add_member(&s->files, placed.founded, arrival.id,
                                                        arrival.id_length, error)
                           : status;
}

static nd_status create(nd_stream *s, const nd_stream_options *options, nd_error *error) {
    nd_stream_options o;
    nd_stream_options_init(&o);
    if (options) o = *options;
    ND_TRY(make_settings(&o, &s->settings, error));
    make_options(&s->settings, &o, &s->options);
    ND_TRY(nd_arrival_maker_create(s, &s->maker, error));
    ND_TRY(nd_stream_index_clear(s->files.directory, &s->allocator, error));
    ND_TRY(open_index(s, true, error));
    ND_TRY(make_clusters(s, error));
    return nd_stream_files_save(&s->files, &s->settings, s->clusters, error);
}

static nd_status take_up(nd_stream *s, const nd_stream_options *options,
                         const nd_sealed_file *state, nd_error *error) {
    ND_TRY(check_settings(nd_sealed_path(state), &s->settings, error));
    nd_stream_settings wanted = s->settings;
    if (options) {
        ND_TRY(make_settings(options, &wanted, error));
    } else if (s->files.write) {
        wanted.dictionary = wanted.stop = wanted.table = 0;
        if (wanted.icu) wanted.icu = nd_word_breaks_version();
    }
    ND_TRY(compare_settings(s->files.directory, &s->settings, &wanted, error));
    make_options(&s->settings, options, &s->options);
    if (s->files.write) ND_TRY(nd_arrival_maker_create(s, &s->maker, error));
    if (s->files.write) ND_TRY(open_index(s, false, error));
    ND_TRY(make_clusters(s, error));
    ND_TRY(nd_clusters_load(s->clusters, state, error));
    return nd_stream_files_replay(&s->files, take_again, s, error);
}

static nd_status open_once(nd_stream *s, const char *path, bool write,
                           const nd_stream_options *options, nd_error *error) {
    nd_sealed_file *state;
    bool missing;
    nd_status status = nd_stream_files_open(path, write, &s->allocator, &s->files, &s->settings,
                                            &state, &missing, error);
    if (status == ND_OK)
        status = missing ? create(s, options, error) : take_up(s, options, state, error);
    nd_sealed_close(state);
    return status == ND_OK && s->index.index ? nd_stream_index_settle(&s->index, s->clusters, error)
                                             : status;
}

static void let_go(nd_stream *s) {
    nd_arrival_maker_free(s->maker);
    if (s->files.making) nd_stream_index_remove(&s->index, s->files.directory);
    nd_stream_index_close(&s->index);
    nd_clusters_free(s->clusters);
    nd_stream_files_close(&s->files);
    *s = (nd_stream){.allocator = s->allocator};
}

/* Under a reader the files of a state may go, when a writer has saved the next: that is then looked
 * for. */
static nd_status open_stream(nd_stream *s, const char *path, bool write,
                             const nd_stream_options *options, nd_error *error) {
    for (;;) {
        nd_error failure;
        if (open_once(s, path, write, options, &failure) == ND_OK) {
            nd_stream_files_keep(&s->files);
            return ND_OK;
        }
        bool again = !write && nd_stream_files_have_moved(&s->files);
        let_go(s);
        if (!again) return nd_fail_as(error, &failure);
    }
}

nd_status nd_stream_open(const char *path, nd_index_mode mode, const nd_stream_options *options,
                         const nd_allocator *allocator, nd_stream **out, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need_path(path, error));
    ND_CHECK_ENUM(mode, "mode", ND_INDEX_READ, ND_INDEX_WRITE, error);
    ND_TRY(nd_need(out, "out", error));
    nd_allocator a = nd_allocator_or_default(allocator);
    nd_stream *s = nd_allocate_zero(&a, 1, sizeof *s);
    if (!s) return nd_fail_memory(error, sizeof *s, "a stream");
    s->allocator = a;
    nd_status status = open_stream(s, path, mode == ND_INDEX_WRITE, options, error);
    if (status != ND_OK) nd_release(&a, s);
    else *out = s;
    return status;
}

static nd_status read_settings(const char *path, nd_stream_files *files, bool *found,
                               nd_stream_settings *settings, nd_error *error) {
    nd_sealed_file *state;
    bool missing;
    nd_status status = nd_stream_files_open(path, false, &nd_allocator_default, files, settings,
                                            &state, &missing, error);
    *found = !missing;
    if (status == ND_OK) status = check_settings(nd_sealed_path(state), settings, error);
    nd_sealed_close(state);
    return missing ? ND_OK : status;
}

nd_status nd_stream_read_options(const char *path, bool *found, nd_stream_options *out,
                                 nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need_path(path, error));
    ND_TRY(nd_need(found, "found", error));
    ND_TRY(nd_need(out, "out", error));
    for (;;) {
        nd_stream_files files;
        nd_stream_settings settings;
        nd_stream_options read;
        nd_error failure;
        bool there;
        nd_status status = read_settings(path, &files, &there, &settings, &failure);
        bool again = status != ND_OK && nd_stream_files_have_moved(&files);
        nd_stream_files_close(&files);
        if (again) continue;
        if (status != ND_OK) return nd_fail_as(error, &failure);
        nd_stream_options_init(&read);
        if (there) make_options(&settings, NULL, &read);
        if (read.stem) ND_TRY(nd_stem_language(settings.stem, &read.stem, error));
        *found = there;
        *out = read;
        return ND_OK;
    }
}

void nd_stream_close(nd_stream *s) {
    ND_DEFAULT_FLOATS;
    if (!s) return;
    nd_error ignored;
    if (s->files.write && s->failure.status == ND_OK && nd_stream_sync(s, &ignored) != ND_OK)
        s->failure = ignored;
    let_go(s);
    nd_allocator allocator = s->allocator;
    nd_release(&allocator, s);
}

/* ---- documents */

/* Makes durable what has arrived. Then what was forgotten by it may go from the index. */
static nd_status sync_arrivals(nd_stream *s, nd_error *error) {
    if (s->index.index) ND_TRY(nd_index_sync(s->index.index, error));
    ND_TRY(nd_stream_log_sync(s->files.log, error));
    return s->index.index ? nd_stream_index_remove_forgotten(&s->index, error) : ND_OK;
}

static nd_status decide_by_text(nd_stream *s, nd_arrival *a, const char *text, size_t length,
                                nd_error *error) {
    bool stale;
    ND_TRY(nd_stream_index_decide(&s->index, s->clusters, a, text, length, &stale, error));
    if (!stale) return ND_OK;
    ND_TRY(sync_arrivals(s, error));
    ND_TRY(nd_stream_index_decide(&s->index, s->clusters, a, text, length, &stale, error));
    return stale ? nd_fail(error, ND_ERR_CORRUPT, "%s: damaged: its index has what is no cluster",
                           s->files.directory)
                 : ND_OK;
}

static nd_status take(nd_stream *s, nd_arrival *a, const char *text, size_t length,
                      nd_placed *placed, nd_error *error) {
    if (nd_clusters_know(s->clusters, a->id, a->id_length, placed)) return ND_OK;
    ND_TRY(nd_clusters_advance(s->clusters, a->time, error));
    if (s->index.index) ND_TRY(decide_by_text(s, a, text, length, error));
    ND_TRY(nd_clusters_take(s->clusters, a, placed, error));
    ND_TRY(nd_stream_files_add_member(&s->files, placed->founded, a->id, a->id_length, error));
    return nd_stream_log_add(s->files.log, a, error);
}

nd_status nd_stream_check_changeable(const nd_stream *s, nd_error *error) {
    ND_TRY(nd_lock_check(&s->files.lock, s->files.directory, error));
    if (!s->files.write)
        return nd_fail(error, ND_ERR_ARGUMENT, "%s: opened for reading", s->files.directory);
    return s->failure.status == ND_OK ? ND_OK
                                      : nd_fail(error, s->failure.status, "%s", s->failure.message);
}

/* After a failure no more is taken. */
static nd_status end_change(nd_stream *s, nd_status status, nd_error *failure, nd_error *error) {
    if (status == ND_OK) return ND_OK;
    s->failure = *failure;
    return nd_fail_as(error, failure);
}

nd_status nd_stream_take(nd_stream *s, nd_arrival *a, const char *text, size_t length,
                         nd_stream_answer *answer, nd_error *error) {
    nd_placed placed;
    nd_error failure;
    ND_TRY(nd_stream_check_changeable(s, error));
    if (isinf(a->time))
        return nd_fail(error, ND_ERR_ARGUMENT, "time must be a finite number of seconds, or NaN");
    ND_TRY(end_change(s, take(s, a, text, length, &placed, &failure), &failure, error));
    if (answer)
        *answer = (nd_stream_answer){
            .id = a->id,
            .id_length = a->id_length,
            .cluster = placed.cluster,
            .cluster_length = placed.cluster_length,
            .is_new = placed.is_new,
            .again = placed.again,
            .similarity = s->settings.sketch == ND_SKETCH_MINHASH ? placed.similarity : 0,
            .distance = placed.distance};
    nd_cluster_view cluster;
    if (answer && s->topics > 0 && nd_clusters_find(s->clusters, placed.founded, &cluster)) {
        answer->topic_count = nd_stream_tell_topics(s, &cluster, s->topics, s->told);
        answer->topics = s->told;
    }
    return ND_OK;
}

void nd_stream_set_topics(nd_stream *s, uint32_t topics) { s->topics = topics; }

nd_status nd_stream_add(nd_stream *s, const char *id, size_t id_length, const char *text,
                        size_t length, double time, nd_stream_answer *answer, nd_error *error) {
    ND_DEFAULT_FLOATS;
    ND_TRY(nd_need(s, "stream", error));
    ND_TRY(nd_need_array(id, id_length, "id", error));
    ND_TRY(nd_need_array(text, length, "text", error));
    if (id_length > INT32_MAX) return nd_fail(error, ND_ERR_ARGUMENT, "an id has less than 2 GiB");
    nd_arrival arrival = {.id = id ? id : "", .id_length = id_length, .time = time};
    ND_TRY(nd_stream_check_changeable(s, error));
    ND_TRY(nd_arrival_make(s->maker, text ? text : "", length, &arrival, error));
    return nd_stream_take(s, &arrival, text ? text : "", length, answer, error);
}

static nd_status sync_all(nd_stream *s, nd_error *error) {
    ND_TRY(sync_arrivals(s, error));
    return nd_stream_files_is_long(&s->files)
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
    if (!s->index.index && !nd_stream_files_is_long(&s->files))
        return nd_stream_log_begin_sync(s->files.log, fn, context, error);
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

void nd_stream_describe(const nd_stream *s, nd_stream_info *out) {
    *out = (nd_stream_info){.options = s->options,
                            .documents = nd_clusters_documents(s->clusters),
                            .clusters = nd_clusters_count(s->clusters),
                            .clock = nd_clusters_clock(s->clusters),
                            .bytes = nd_stream_files_bytes(&s->files),
                            .cluster_memory = nd_clusters_memory(s->clusters),
                            .centre_memory = nd_clusters_table_memory(s->clusters)};
}
