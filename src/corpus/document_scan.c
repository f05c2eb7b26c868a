#include "corpus/document_scan.h"

#include "base/format.h"
#include "base/workers.h"
#include "corpus/corpus_inside.h"
#include "warc/warc_digest.h"

#include <string.h>

/* A block with its results; reused from block to block. */
typedef struct batch {
    nd_block block;
    void *own;      /* the stage's batch; NULL: the stage has none */
    char *warnings; /* one behind the other, each with its NUL */
    size_t warning_size, warning_capacity;
    nd_scan_counts counts; /* of the block; input_bytes is not set */
    nd_error failure;      /* returned when the batch is emitted */
    bool unsettled;        /* it was emitted, and the stage still has to settle it */
} batch;

typedef struct scan {
    nd_corpus *corpus;
    const nd_scan_means *means;
    const nd_scan_stage *stage;
    nd_scan_counts *counts; /* written by the emitting thread alone */
    uint32_t batch_count;
    batch *batches;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Guarded by `lock`. */
    batch **spare;
    uint32_t spare_count;
    batch **finished; /* block b is at b % batch_count until it is emitted */
    uint64_t next;    /* number of the block that is emitted next */
    bool emitting, failed;
} scan;

typedef struct scan_worker {
    scan *scan;
    nd_record_reader *reader;
    void *own; /* the stage's worker */
} scan_worker;

/* ---- mapping a block */

static nd_status add_warning(const scan *s, batch *b, const char *message, nd_error *error) {
    size_t length = strlen(message) + 1;
    if (!nd_reserve(&s->means->allocator, &b->warnings, &b->warning_capacity,
                    b->warning_size + length))
        return nd_fail_memory(error, length, "a message");
    memcpy(b->warnings + b->warning_size, message, length);
    b->warning_size += length;
    b->counts.skipped++;
    return ND_OK;
}

/* Maps a document. If the stage rejects the text, the record becomes a bad one: *state changes, and
 * `why` begins with the record's position, as in the reader's messages. */
static nd_status map_document(scan_worker *w, batch *b, const nd_scan_item *item,
                              nd_record_state *state, nd_error *why, nd_error *error) {
    const nd_scan_stage *stage = w->scan->stage;
    const nd_source *source = item->source;
    nd_error failure;
    nd_status status = stage->map(stage->plan, w->own, b->own, item, &failure);
    if (status == ND_OK) return ND_OK;
    if (status != ND_ERR_INPUT) return nd_fail(error, status, "%s", failure.message);
    unsigned long long line = item->record->line;
    *state = ND_RECORD_BAD;
    if (source->kind == ND_SOURCE_RECORDS)
        nd_fail(why, status, "%s:%llu: %s", nd_source_title(source), line, failure.message);
    else if (source->kind == ND_SOURCE_TREE)
        nd_fail(why, status, "%s%s%s: %s", source->files ? "" : source->name,
                source->files ? "" : "/", b->block.bytes + item->record->start, failure.message);
    else nd_fail(why, status, "record %llu: %s", line, failure.message);
    return ND_OK;
}

static void count_document(nd_scan_counts *counts, const nd_document *document) {
    counts->documents++;
    counts->text_bytes += document->length;
    counts->with_id += document->id != NULL;
    counts->with_priority += document->has_priority;
}

static nd_status map_block(scan_worker *w, batch *b, nd_error *error) {
    const scan *s = w->scan;
    const nd_corpus_options *options = &s->corpus->options;
    const nd_source *source = nd_corpus_source(s->corpus, b->block.source);
    if (s->stage->reset) s->stage->reset(b->own);
    for (size_t i = 0; i < b->block.count; i++) {
        nd_document document;
        nd_record_state state;
        nd_error why;
        ND_TRY(nd_record_reader_parse(w->reader, &b->block, i, &document, &state, &why, error));
        const nd_scan_item item = {&document, source, &b->block.records[i]};
        if (state == ND_RECORD_FINE) ND_TRY(map_document(w, b, &item, &state, &why, error));
        if (state == ND_RECORD_BINARY) {
            b->counts.binary++;
            continue;
        }
        if (state == ND_RECORD_FINE) {
            count_document(&b->counts, &document);
            continue;
        }
        bool skip = options->skip_errors ||
                    (state == ND_RECORD_INVALID_TEXT && options->invalid == ND_INVALID_SKIP);
        if (!skip) return nd_fail(error, ND_ERR_INPUT, "%s", why.message);
        ND_TRY(add_warning(s, b, why.message, error));
    }
    if (s->stage->complete) ND_TRY(s->stage->complete(s->stage->plan, w->own, b->own, error));
    return b->block.broken ? add_warning(s, b, b->block.broken, error) : ND_OK;
}

/* ---- emitting, in the order of input */

static void add_counts(nd_scan_counts *sum, const nd_scan_counts *more) {
    sum->documents += more->documents;
    sum->with_id += more->with_id;
    sum->with_priority += more->with_priority;
    sum->input_bytes += more->input_bytes;
    sum->text_bytes += more->text_bytes;
    sum->skipped += more->skipped;
    sum->binary += more->binary;
}

static nd_status emit_batch(scan *s, batch *b, nd_error *error) {
    for (const char *m = b->warnings; m && m < b->warnings + b->warning_size; m += strlen(m) + 1)
        nd_warn(&s->means->warnings, "%s", m);
    if (s->stage->emit) ND_TRY(s->stage->emit(s->stage->result, b->own, &b->block, error));
    /* Files with texts may be compressed, so the bytes of their texts are counted. */
    bool tree = nd_corpus_source(s->corpus, b->block.source)->kind == ND_SOURCE_TREE;
    b->counts.input_bytes = tree ? b->counts.text_bytes : b->block.input_bytes;
    add_counts(s->counts, &b->counts);
    uint64_t done = s->counts->input_bytes;
    return nd_progress_report(s->means->progress, ND_STAGE_READ, done,
                              nd_corpus_expected_bytes(s->corpus, done), error);
}

/* Emits block `next`, then each finished block directly behind it. REQUIRES: `lock` is held; it is
 * released during each emit. */
static nd_status emit_in_order(scan *s, nd_error *error) {
    nd_status status = ND_OK;
    for (batch *b; !s->failed && (b = s->finished[s->next % s->batch_count]);) {
        s->finished[s->next % s->batch_count] = NULL;
        pthread_mutex_unlock(&s->lock);
        status = b->failure.status == ND_OK
                     ? emit_batch(s, b, error)
                     : nd_fail(error, b->failure.status, "%s", b->failure.message);
        nd_block_release(&b->block, &s->corpus->allocator);
        b->unsettled = status == ND_OK && s->stage->settle;
        pthread_mutex_lock(&s->lock);
        s->failed = s->failed || status != ND_OK;
        s->next++;
        s->spare[s->spare_count++] = b;
        pthread_cond_broadcast(&s->changed);
    }
    return status;
}

/* Adds a batch to the finished ones, and emits in order unless another thread does so. A batch with
 * a large record waits until it is next, because its worker holds the corpus's gate. After a
 * failure the worker gives the gate back: another one may wait for it. */
static nd_status finish_batch(scan *s, batch *b, nd_error *error) {
    nd_status status = ND_OK;
    batch **place = &s->finished[b->block.number % s->batch_count];
    pthread_mutex_lock(&s->lock);
    while (b->block.gate && !s->failed && (s->next != b->block.number || s->emitting))
        pthread_cond_wait(&s->changed, &s->lock);
    *place = b;
    if (!s->emitting) {
        s->emitting = true;
        status = emit_in_order(s, error);
        s->emitting = false;
        pthread_cond_broadcast(&s->changed);
    }
    if (s->failed && *place == b) nd_block_release(&b->block, &s->corpus->allocator);
    pthread_mutex_unlock(&s->lock);
    return status;
}

/* Waits for a spare batch. NULL: another thread has failed. */
static batch *take_spare(scan *s) {
    pthread_mutex_lock(&s->lock);
    while (s->spare_count == 0 && !s->failed) pthread_cond_wait(&s->changed, &s->lock);
    batch *b = s->failed ? NULL : s->spare[--s->spare_count];
    pthread_mutex_unlock(&s->lock);
    return b;
}

/* ---- settling */

/* Gives a batch back. */
static void add_spare(scan *s, batch *b, bool failed) {
    pthread_mutex_lock(&s->lock);
    s->spare[s->spare_count++] = b;
    s->failed = s->failed || failed;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

static nd_status settle(scan_worker *w, batch *b, nd_error *error) {
    const nd_scan_stage *stage = w->scan->stage;
    if (!b->unsettled) return ND_OK;
    b->unsettled = false;
    nd_status status = stage->settle(stage->plan, w->own, b->own, error);
    if (status != ND_OK) add_spare(w->scan, b, true);
    return status;
}

/* Takes a batch that is not settled. NULL: there is none, or another thread has failed. */
static batch *take_unsettled(scan *s) {
    batch *found = NULL;
    pthread_mutex_lock(&s->lock);
    for (uint32_t i = 0; !s->failed && !found && i < s->spare_count; i++) {
        if (!s->spare[i]->unsettled) continue;
        found = s->spare[i];
        s->spare[i] = s->spare[--s->spare_count];
    }
    pthread_mutex_unlock(&s->lock);
    return found;
}

/* Settles the last batches. Batches that are emitted later are settled by the workers that emit
 * them, when these come here. */
static nd_status settle_rest(scan_worker *w, nd_error *error) {
    for (batch *b; (b = take_unsettled(w->scan));) {
        ND_TRY(settle(w, b, error));
        add_spare(w->scan, b, false); /* a worker may wait for it */
    }
    return ND_OK;
}

/* ---- workers */

static nd_status map_blocks(scan_worker *w, nd_error *error) {
    scan *s = w->scan;
    for (batch *b; (b = take_spare(s));) {
        ND_TRY(settle(w, b, error));
        b->failure.status = ND_OK;
        b->warning_size = 0;
        b->counts = (nd_scan_counts){0};
        nd_status status = nd_corpus_next_block(s->corpus, &b->block, &b->failure);
        if (b->block.end) {
            nd_block_release(
                &b->block, &s->corpus->allocator); /* it may have been read for a record left out */
            break;
        }
        if (status == ND_OK) map_block(w, b, &b->failure);
        nd_record_reader_release(w->reader);
        ND_TRY(finish_batch(s, b, error));
    }
    return settle_rest(w, error);
}

static nd_status combine(scan_worker *w, nd_error *error) {
    scan *s = w->scan;
    if (!s->stage->combine) return ND_OK;
    pthread_mutex_lock(&s->lock);
    nd_status status = s->failed ? ND_OK : s->stage->combine(s->stage->result, w->own, error);
    pthread_mutex_unlock(&s->lock);
    return status;
}

static nd_status run_worker(void *context, uint32_t index, nd_error *error) {
    (void)index;
    scan *s = context;
    const nd_scan_stage *stage = s->stage;
    scan_worker w = {.scan = s};
    nd_status status = nd_record_reader_create(s->corpus, &w.reader, error);
    if (status == ND_OK && stage->create_worker)
        status = stage->create_worker(stage->plan, &w.own, error);
    if (status == ND_OK) status = map_blocks(&w, error);
    if (status == ND_OK) status = combine(&w, error);
    if (stage->destroy_worker) stage->destroy_worker(stage->plan, w.own);
    nd_record_reader_free(w.reader);
    return status;
}

/* ---- the scan */

static nd_status create_batches(scan *s, nd_error *error) {
    const nd_allocator *a = &s->means->allocator;
    s->batch_count = ND_BATCHES_PER_THREAD * s->means->threads;
    s->batches = nd_allocate_zero(a, s->batch_count, sizeof *s->batches);
    s->spare = nd_allocate_zero(a, s->batch_count, sizeof *s->spare);
    s->finished = nd_allocate_zero(a, s->batch_count, sizeof *s->finished);
    if (!s->batches || !s->spare || !s->finished)
        return nd_fail_memory(error, s->batch_count * sizeof(batch), "blocks of records");
    for (uint32_t i = 0; i < s->batch_count; i++) {
        batch *b = s->spare[s->spare_count++] = &s->batches[i];
        if (s->stage->batch_size == 0) continue;
        b->own = nd_allocate_zero(a, s->stage->batch_size, 1);
        if (!b->own) return nd_fail_memory(error, s->stage->batch_size, "blocks of records");
    }
    return ND_OK;
}

static void destroy_batches(scan *s) {
    const nd_allocator *a = &s->means->allocator;
    for (uint32_t i = 0; s->batches && i < s->batch_count; i++) {
        batch *b = &s->batches[i];
        nd_block_free(&b->block, a);
        if (b->own && s->stage->destroy_batch) s->stage->destroy_batch(s->stage->plan, b->own);
        nd_release(a, b->own);
        nd_release(a, b->warnings);
    }
    nd_release(a, s->batches);
    nd_release(a, s->spare);
    nd_release(a, s->finished);
}

static void warn_of_links(const scan *s) {
    unsigned long long links = nd_corpus_links(s->corpus);
    if (links == 0) return;
    nd_warn(&s->means->warnings,
            "%llu symbolic link%s to files in the directories left out: --follow (follow_links) "
            "takes them",
            links, links == 1 ? "" : "s");
}

static void warn_of_binary_files(const scan *s) {
    unsigned long long count = s->counts->binary;
    if (count > 0)
        nd_warn(&s->means->warnings, "left out, being no text%s: %llu file%s of directories",
                count == 1 ? "" : "s", count, count == 1 ? "" : "s");
}

/* One line with the numbers of the WARC records that are no documents. */
static void warn_of_left_out(const scan *s) {
    char line[600];
    size_t length = 0;
    for (nd_warc_kind kind = 0; kind < ND_WARC_KINDS; kind++) {
        unsigned long long count = nd_corpus_left_out(s->corpus, kind);
        if (count == 0) continue;
        length += nd_format(line + length, sizeof line - length, "%s%llu %s",
                            length > 0 ? ", " : "", count, nd_warc_kind_name(kind, count > 1));
    }
    if (length > 0) nd_warn(&s->means->warnings, "left out, being no documents: %s", line);
}

static bool reads_archives(const nd_corpus *corpus) {
    for (size_t i = 0; i < nd_corpus_sources(corpus); i++)
        if (nd_corpus_source(corpus, i)->format == ND_FORMAT_WARC) return true;
    return false;
}

static void warn_of_digests(const scan *s) {
    unsigned long long count = nd_corpus_other_digests(s->corpus);
    if (s->corpus->options.digests && !nd_has_digests() && reads_archives(s->corpus))
        nd_warn(&s->means->warnings, "this build has no libcrypto: the digests of the records are "
                                     "not compared (--digests off, ignore_digests)");
    if (count > 0)
        nd_warn(&s->means->warnings,
                "%llu payload%s %s another digest than the record says; taken as %s", count,
                count == 1 ? "" : "s", count == 1 ? "has" : "have",
                count == 1 ? "it is" : "they are");
}

nd_status nd_document_scan(nd_corpus *corpus, const nd_scan_means *means,
                           const nd_scan_stage *stage, nd_scan_counts *counts, nd_error *error) {
    scan s = {.corpus = corpus, .means = means, .stage = stage, .counts = counts};
    *counts = (nd_scan_counts){0};
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.changed, NULL);
    nd_status status = create_batches(&s, error);
    if (status == ND_OK)
        status = nd_run_workers(&means->allocator, means->threads, run_worker, &s, error);
    if (status == ND_OK) {
        warn_of_links(&s);
        warn_of_binary_files(&s);
        warn_of_left_out(&s);
        warn_of_digests(&s);
    }
    destroy_batches(&s);
    pthread_cond_destroy(&s.changed);
    pthread_mutex_destroy(&s.lock);
    return status;
}
