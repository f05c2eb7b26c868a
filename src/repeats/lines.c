/* nd_lines: reads all documents and finds the units that repeat, among them or in an index; then
 * reads them again, and writes them without these units. */
#include "base/argument.h"
#include "base/floats.h"
#include "base/format.h"
#include "base/hash.h"
#include "base/machine.h"
#include "repeats/cut_outputs.h"
#include "repeats/document_names.h"
#include "repeats/text_units.h"
#include "repeats/unit_finder.h"
#include "text/analyzer.h"
#include "warc/uri_host.h"

#include <string.h>

/* What the second reading needs of a document. */
typedef struct document_note {
    nd_document_place place;
    uint64_t compared; /* its units that were compared with others */
} document_note;

static const nd_lines_options defaults = {
    .struct_size = sizeof defaults, .min_words = 3, .drop_below = 1, .more_than = 1};

void nd_lines_options_init(nd_lines_options *options, size_t struct_size) {
    nd_options_init(options, struct_size, &defaults, sizeof defaults);
}

typedef struct lines {
    nd_lines_options options;
    nd_input_options input;
    nd_run run;
    nd_corpus *corpus;
    nd_line_index *index; /* NULL: none */
    nd_unit_finder *finder;
    nd_document_names names;
    nd_spool notes;  /* document_note, by document */
    nd_spool begins; /* by unit: where it begins, 4 bytes */
    nd_cut_outputs outputs;
    nd_cut_unit next;  /* the next unit that is cut */
    nd_cut_unit *cuts; /* of a document */
    nd_text_span *spans;
    uint32_t *unit_begins;
    size_t cut_count, cut_capacity, span_count, span_capacity, begin_capacity;
    nd_id_buffer id, source_id;
    nd_job_summary summary;
} lines;

/* ---- reading */

typedef struct read_plan {
    const nd_allocator *allocator;
    const nd_lines_options *options;
} read_plan;

typedef struct worker {
    nd_text_units units;
    nd_analyzer *analyzer; /* NULL: units are compared by their bytes */
} worker;

/* A document of a block. Its id and its input's name are one behind the other in `bytes`. */
typedef struct entry {
    document_note note;
    size_t at, id_length, units;
    uint64_t line;
} entry;

typedef struct batch {
    entry *entries;
    char *bytes;
    nd_hashed_unit *hashed;
    uint32_t *begins;
    size_t count, capacity, size, byte_capacity, hashed_count, hashed_capacity, unit_count,
        unit_capacity;
    nd_id_buffer id; /* scratch */
} batch;

static void reset(void *own) {
    batch *b = own;
    b->count = b->size = b->hashed_count = b->unit_count = 0;
}

static void destroy_worker(const void *context, void *own) {
    const nd_allocator *a = ((const read_plan *)context)->allocator;
    worker *w = own;
    if (!w) return;
    nd_text_units_free(&w->units);
    nd_analyzer_free(w->analyzer);
    nd_release(a, w);
}

static nd_status create_worker(const void *context, void **out, nd_error *error) {
    const read_plan *plan = context;
    worker *w = *out = nd_allocate_zero(plan->allocator, 1, sizeof *w);
    if (!w) return nd_fail_memory(error, sizeof *w, "a worker");
    w->units = (nd_text_units){.allocator = *plan->allocator, .kind = plan->options->unit};
    nd_analyzer_options words;
    nd_analyzer_options_init(&words, sizeof words);
    words.ngram = 1;
    return plan->options->same == ND_UNITS_BY_BYTES
               ? ND_OK
               : nd_analyzer_create(&words, plan->allocator, &w->analyzer, error);
}

/* The hash of the host that a document is from; 0: hosts do not count. */
static uint64_t host_of(const nd_lines_options *o, const nd_document *d, const nd_id_buffer *id) {
    const nd_span own = {id->id, id->length};
    uint64_t hash[2];
    if (!o->by_host) return 0;
    nd_span host = nd_uri_host(d->uri.length > 0 ? d->uri : own);
    nd_hash_unit(host.bytes, host.length, hash);
    return hash[0];
}

/* Hashes a unit. *enough: it has enough words to be compared. */
static nd_status hash_unit(const worker *w, const nd_lines_options *o, const char *text,
                           const nd_text_unit *unit, uint64_t hash[2], bool *enough,
                           nd_error *error) {
    size_t length = unit->end - unit->begin;
    if (!w->analyzer) {
        *enough = nd_text_unit_has_words(text, unit, o->min_words);
        if (*enough) nd_hash_unit(text + unit->begin, length, hash);
        return ND_OK;
    }
    nd_shingles words;
    ND_TRY(nd_analyze(w->analyzer, text + unit->begin, length, &words, error));
    *enough = words.tokens >= o->min_words;
    hash[0] = nd_mix64(words.text_hash[0]);
    hash[1] = nd_mix64(words.text_hash[1]);
    return ND_OK;
}

static nd_status add_units(const read_plan *plan, const worker *w, batch *b, const char *text,
                           uint64_t host, nd_error *error) {
    const nd_text_units *u = &w->units;
    if (!nd_reserve(plan->allocator, &b->hashed, &b->hashed_capacity, b->hashed_count + u->count) ||
        !nd_reserve(plan->allocator, &b->begins, &b->unit_capacity, b->unit_count + u->count))
        return nd_fail_memory(error, u->count * sizeof *b->hashed, "the lines of a text");
    for (size_t i = 0; i < u->count; i++) {
        uint64_t hash[2];
        bool enough;
        b->begins[b->unit_count++] = (uint32_t)u->units[i].begin;
        ND_TRY(hash_unit(w, plan->options, text, &u->units[i], hash, &enough, error));
        if (!enough) continue;
        if (host) hash[0] = nd_mix64(hash[0] + host);
        b->hashed[b->hashed_count++] = nd_hashed_unit_of(hash, i);
    }
    return ND_OK;
}

static nd_status map(const void *context, void *own_worker, void *own, const nd_scan_item *item,
                     nd_error *error) {
    const read_plan *plan = context;
    const nd_allocator *a = plan->allocator;
    const nd_document *d = item->document;
    worker *w = own_worker;
    batch *b = own;
    ND_TRY(nd_text_units_find(&w->units, d->text, d->length, error));
    ND_TRY(nd_document_id(item->source, item->record, d, a, &b->id, error));
    entry e = {.note.place = nd_document_place_of(item),
               .at = b->size,
               .id_length = b->id.length,
               .units = w->units.count,
               .line = b->id.line};
    size_t source_size = strlen(b->id.source) + 1, need = b->size + e.id_length + source_size;
    if (!nd_reserve(a, &b->entries, &b->capacity, b->count + 1) ||
        !nd_reserve(a, &b->bytes, &b->byte_capacity, need))
        return nd_fail_memory(error, need, "ids");
    size_t hashed = b->hashed_count;
    ND_TRY(add_units(plan, w, b, d->text, host_of(plan->options, d, &b->id), error));
    e.note.compared = b->hashed_count - hashed;
    b->entries[b->count++] = e;
    memcpy(b->bytes + b->size, b->id.id, e.id_length);
    memcpy(b->bytes + b->size + e.id_length, b->id.source, source_size);
    b->size = need;
    return ND_OK;
}

static nd_status emit(void *result, void *own, const nd_block *block, nd_error *error) {
    lines *l = result;
    batch *b = own;
    const nd_hashed_unit *hashed = b->hashed, *end = hashed + b->hashed_count;
    for (size_t i = 0; i < b->count; i++) {
        entry *e = &b->entries[i];
        const char *id = b->bytes + e->at;
        e->note.place.source = (uint32_t)block->source;
        ND_TRY(
            nd_document_names_add(&l->names, id, e->id_length, id + e->id_length, e->line, error));
        ND_TRY(nd_spool_append(&l->notes, &e->note, sizeof e->note, error));
        ND_TRY(nd_unit_finder_add(l->finder, e->units, hashed, (size_t)e->note.compared,
                                  (size_t)(end - hashed), error));
        hashed += e->note.compared;
    }
    return nd_spool_append(&l->begins, b->begins, b->unit_count * sizeof *b->begins, error);
}

static void destroy_batch(const void *context, void *own) {
    const nd_allocator *a = ((const read_plan *)context)->allocator;
    batch *b = own;
    nd_release(a, b->entries);
    nd_release(a, b->bytes);
    nd_release(a, b->hashed);
    nd_release(a, b->begins);
    nd_release(a, b->id.bytes);
}

static nd_status read_documents(lines *l, nd_error *error) {
    nd_scan_counts counts;
    const read_plan plan = {&l->run.allocator, &l->options};
    const nd_scan_stage stage = {.plan = &plan,
                                 .result = l,
                                 .create_worker = create_worker,
                                 .map = map,
                                 .destroy_worker = destroy_worker,
                                 .batch_size = sizeof(batch),
                                 .reset = reset,
                                 .emit = emit,
                                 .destroy_batch = destroy_batch};
    ND_TRY(nd_run_scan(&l->run, &l->input, l->corpus, &stage, &counts, error));
    nd_summary_add_scan(&l->summary, &counts);
    l->summary.units = nd_unit_finder_units(l->finder);
    return ND_OK;
}

/* ---- evidence */

/* Bytes [begin, end) of the document that is written. */
static nd_repeated_stretch stretch_of(const lines *l, uint64_t document, uint64_t begin,
                                      uint64_t end) {
    return (nd_repeated_stretch){.document = document,
                                 .id = l->id.id,
                                 .id_length = l->id.length,
                                 .file = l->id.source,
                                 .line = l->id.line,
                                 .begin = begin,
                                 .end = end};
}

/* Fills in where a unit of this run is. */
static nd_status find_source(lines *l, uint64_t unit, nd_repeated_stretch *cut, nd_error *error) {
    uint32_t begin;
    cut->source = nd_unit_finder_document(l->finder, unit);
    ND_TRY(nd_document_names_find(&l->names, cut->source, &l->source_id, error));
    ND_TRY(nd_spool_read(&l->begins, &begin, sizeof begin, unit * sizeof begin, error));
    cut->source_id = l->source_id.id;
    cut->source_id_length = l->source_id.length;
    cut->source_file = l->source_id.source;
    cut->source_line = l->source_id.line;
    cut->source_begin = begin;
    return ND_OK;
}

/* Reports a cut, which repeats a unit of this run or of the index. */
static nd_status report_unit(lines *l, uint64_t document, const nd_text_span *span, uint64_t unit,
                             nd_error *error) {
    nd_repeated_stretch cut = stretch_of(l, document, span->begin, span->end);
    if (unit & ND_SOURCE_INDEX)
        ND_TRY(nd_line_index_id(l->index, unit & ~ND_SOURCE_INDEX, &cut.source_id,
                                &cut.source_id_length, error));
    else ND_TRY(find_source(l, unit, &cut, error));
    return nd_cut_outputs_report(&l->outputs, &cut, error);
}

/* ---- writing */

/* Collects the cuts of units before `end`. */
static nd_status collect_cuts(lines *l, uint64_t end, nd_error *error) {
    for (l->cut_count = 0; l->next.unit < end; l->cut_count++) {
        if (!nd_reserve(&l->run.allocator, &l->cuts, &l->cut_capacity, l->cut_count + 1))
            return nd_fail_memory(error, l->cut_count * sizeof *l->cuts, "the lines of a text");
        l->cuts[l->cut_count] = l->next;
        ND_TRY(nd_unit_finder_next(l->finder, &l->next, error));
    }
    return ND_OK;
}

/* Cuts a span from a document: reports it, and makes it one of l->spans, if it does not follow the
 * last one. */
static nd_status cut_span(lines *l, uint64_t document, nd_text_span span, uint64_t source,
                          nd_error *error) {
    nd_text_span *last = l->span_count > 0 ? &l->spans[l->span_count - 1] : NULL;
    if (nd_cut_outputs_list(&l->outputs)) ND_TRY(report_unit(l, document, &span, source, error));
    l->summary.repeated_bytes += span.end - span.begin;
    if (last && last->end == span.begin) last->end = span.end;
    else l->spans[l->span_count++] = span;
    return ND_OK;
}

/* Cuts the document's units that are in l->cuts. The bytes of a unit end where the next one begins.
 */
static nd_status cut_units(lines *l, uint64_t document, uint64_t text_length, nd_error *error) {
    const nd_allocator *a = &l->run.allocator;
    uint64_t first = nd_unit_finder_first(l->finder, document);
    size_t count = (size_t)(nd_unit_finder_first(l->finder, document + 1) - first);
    const void *view;
    if (!nd_reserve(a, &l->spans, &l->span_capacity, l->cut_count) ||
        !nd_reserve(a, &l->unit_begins, &l->begin_capacity, count))
        return nd_fail_memory(error, count * sizeof *l->spans, "the lines of a text");
    ND_TRY(nd_spool_view(&l->begins, count * sizeof *l->unit_begins, first * sizeof *l->unit_begins,
                         l->unit_begins, &view, error));
    const uint32_t *begins = view;
    l->span_count = 0;
    for (size_t i = 0; i < l->cut_count; i++) {
        size_t unit = (size_t)(l->cuts[i].unit - first);
        size_t end = unit + 1 < count ? begins[unit + 1] : (size_t)text_length;
        ND_TRY(cut_span(l, document, (nd_text_span){begins[unit], end}, l->cuts[i].source, error));
    }
    l->summary.units_cut += l->cut_count;
    return ND_OK;
}

/* Whether a text has enough words behind its cuts. A unit that was compared has a word at least, so
 * the text is seldom read for that. */
static nd_status has_enough(lines *l, const document_note *note, bool *enough, nd_error *error) {
    uint32_t least = l->options.drop_below;
    const char *text;
    uint64_t stay = note->compared - l->cut_count;
    *enough = least == 0 || (l->options.same == ND_UNITS_BY_BYTES && stay >= least);
    if (*enough) return ND_OK;
    ND_TRY(nd_cut_writer_text(&l->outputs.writer, &note->place, &text, error));
    *enough = nd_has_words_left(text, (size_t)note->place.text_length, l->spans, l->span_count,
                                least);
    return ND_OK;
}

/* Writes a document from which units are cut. */
static nd_status write_changed(lines *l, uint64_t document, const document_note *note,
                               nd_error *error) {
    const nd_document_place *place = &note->place;
    bool enough;
    ND_TRY(cut_units(l, document, place->text_length, error));
    ND_TRY(has_enough(l, note, &enough, error));
    if (!enough) {
        const nd_repeated_stretch whole = stretch_of(l, document, 0, place->text_length);
        l->summary.removed++;
        return nd_cut_outputs_list(&l->outputs) ? nd_cut_outputs_report(&l->outputs, &whole, error)
                                                : ND_OK;
    }
    l->summary.changed++;
    return nd_cut_writer_add(&l->outputs.writer, place, &l->id, l->spans, l->span_count, error);
}

static nd_status write_document(lines *l, uint64_t document, const document_note *note,
                                nd_error *error) {
    ND_TRY(collect_cuts(l, nd_unit_finder_first(l->finder, document + 1), error));
    bool listed = l->cut_count > 0 && nd_cut_outputs_list(&l->outputs);
    if (listed || nd_cut_writer_has_ids(&l->outputs.writer, &note->place))
        ND_TRY(nd_document_names_find(&l->names, document, &l->id, error));
    return l->cut_count > 0
               ? write_changed(l, document, note, error)
               : nd_cut_writer_add(&l->outputs.writer, &note->place, &l->id, NULL, 0, error);
}

static nd_status write_documents(lines *l, nd_error *error) {
    nd_spool_cursor cursor = {.spool = &l->notes};
    const uint64_t documents = l->summary.documents;
    nd_status status = nd_unit_finder_next(l->finder, &l->next, error);
    for (uint64_t d = 0; d < documents && status == ND_OK; d++) {
        const void *piece;
        document_note note;
        if (d % 256 == 0)
            status = nd_progress_report(l->run.progress, ND_STAGE_WRITE, d, documents, error);
        if (status == ND_OK) status = nd_spool_next(&cursor, sizeof note, &piece, error);
        if (status != ND_OK) break;
        memcpy(&note, piece, sizeof note);
        status = write_document(l, d, &note, error);
    }
    nd_release(&l->run.allocator, cursor.bytes);
    l->summary.kept = documents - l->summary.removed;
    return status == ND_OK ? nd_cut_writer_finish(&l->outputs.writer, error) : status;
}

/* ---- the run */

static nd_status check(const nd_lines_options *o, nd_error *error) {
    const struct {
        const char *name;
        unsigned value, most;
    } enums[] = {{"unit", (unsigned)o->unit, ND_UNIT_SENTENCE},
                 {"same", (unsigned)o->same, ND_UNITS_BY_WORDS},
                 {"keep", (unsigned)o->keep, ND_REPEATS_KEEP_NONE}};
    for (size_t i = 0; i < sizeof enums / sizeof *enums; i++)
        if (enums[i].value > enums[i].most)
            return nd_fail(error, ND_ERR_ARGUMENT, "%s has an unknown value, %u", enums[i].name,
                           enums[i].value);
    if (o->min_words < 1) return nd_fail(error, ND_ERR_ARGUMENT, "min_words must be at least 1");
    if (o->more_than < 1) return nd_fail(error, ND_ERR_ARGUMENT, "more_than must be at least 1");
    if (o->keep == ND_REPEATS_KEEP_FIRST && (o->by_host || o->more_than > 1))
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "more_than and by_host count documents only if no unit is kept (keep)");
    if (o->keep == ND_REPEATS_KEEP_NONE && o->index)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "an index (index) knows which lines came first, not in how many documents "
                       "they are: the first ones stay (keep)");
    return o->keep == ND_REPEATS_KEEP_NONE && o->across
               ? nd_fail(error, ND_ERR_ARGUMENT, "across: only if the first unit is kept (keep)")
               : ND_OK;
}

static nd_status open_outputs(lines *l, nd_error *error) {
    const nd_cut_destinations to = {l->options.output, l->options.removed, l->options.on_cut,
                                    l->options.context};
    return nd_cut_outputs_open(&l->run, l->corpus, &l->input, &to, &l->outputs, error);
}

static nd_status publish(lines *l, nd_error *error) {
    ND_TRY(nd_cut_outputs_finish(&l->outputs, &l->summary.output_bytes, error));
    double began = nd_seconds();
    if (l->index)
        ND_TRY(nd_line_index_add(l->index, nd_unit_finder_fresh(l->finder), &l->names, error));
    ND_TRY(nd_progress_report(l->run.progress, ND_STAGE_SYNC, 0, 0, error));
    /* If the process is killed between the two, the same run makes the same outputs again. */
    ND_TRY(nd_cut_outputs_publish(&l->outputs, error));
    if (l->index) ND_TRY(nd_line_index_publish(l->index, error));
    nd_cut_outputs_accept(&l->outputs);
    l->summary.seconds[ND_STAGE_SYNC] = nd_seconds() - began;
    return ND_OK;
}

/* Does a part of the work, and notes its time. */
static nd_status timed(lines *l, nd_stage stage, nd_status (*fn)(lines *, nd_error *),
                       nd_error *error) {
    double began = nd_seconds();
    nd_status status = fn(l, error);
    l->summary.seconds[stage] = nd_seconds() - began;
    return status;
}

static nd_status open_index(lines *l, nd_error *error) {
    const nd_line_settings settings = {l->options.unit, l->options.same, l->options.min_words};
    return l->options.index
               ? nd_line_index_open(&l->run, l->options.index, &settings, &l->index, error)
               : ND_OK;
}

static nd_status find_repeats(lines *l, nd_error *error) {
    return nd_unit_finder_run(l->finder, error);
}

static nd_status run(lines *l, nd_error *error) {
    const nd_input_plan plan = {.use = ND_INPUT_AGAIN};
    const nd_unit_rule rule = {l->options.keep, l->options.across, l->options.more_than};
    ND_TRY(nd_run_begin(l->options.resources, l->options.output, &l->run, error));
    const nd_allocator *a = &l->run.allocator;
    size_t ids = nd_memory_share(&l->run.budget, ND_MEMORY_IDS),
           few = nd_memory_share(&l->run.budget, ND_MEMORY_ID_ENDS);
    nd_document_names_init(&l->names, a, l->run.space, ids);
    nd_spool_init(&l->notes, a, l->run.space, few, "the places of documents");
    nd_spool_init(&l->begins, a, l->run.space, few, "the places of lines");
    ND_TRY(nd_run_open_input(&l->run, &l->input, &plan, &l->corpus, error));
    ND_TRY(open_outputs(l, error));
    ND_TRY(open_index(l, error));
    ND_TRY(nd_unit_finder_create(&l->run, &rule, l->index, &l->finder, error));
    ND_TRY(timed(l, ND_STAGE_READ, read_documents, error));
    ND_TRY(timed(l, ND_STAGE_MATCH, find_repeats, error));
    ND_TRY(timed(l, ND_STAGE_WRITE, write_documents, error));
    ND_TRY(publish(l, error));
    nd_run_fill_summary(&l->run, &l->summary);
    return ND_OK;
}

static void release(lines *l) {
    const nd_allocator *a = &l->run.allocator;
    if (!l->run.shared) return;
    nd_cut_outputs_free(&l->outputs);
    nd_unit_finder_free(l->finder);
    nd_line_index_free(l->index);
    nd_release(a, l->cuts);
    nd_release(a, l->spans);
    nd_release(a, l->unit_begins);
    nd_release(a, l->id.bytes);
    nd_release(a, l->source_id.bytes);
    nd_document_names_free(&l->names);
    nd_spool_free(&l->notes);
    nd_spool_free(&l->begins);
    nd_corpus_close(l->corpus);
    nd_run_end(&l->run);
}

nd_status nd_lines(const nd_lines_options *options, nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    lines l = {.options = defaults};
    ND_TRY(nd_need(options, "options", error));
    ND_TRY(nd_job_summary_check(summary, error));
    ND_TRY(ND_READ_OPTIONS(options, &l.options, "nd_lines_options", error));
    ND_TRY(nd_input_options_read(l.options.input, &l.input, error));
    ND_TRY(check(&l.options, error));
    nd_status status = run(&l, error);
    if (status == ND_OK) nd_job_summary_give(summary, &l.summary);
    release(&l);
    return status;
}
