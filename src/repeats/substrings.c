/* nd_substrings: reads all documents, finds what repeats in their texts, cuts it, does the same
 * with what is left as often as is wanted, and writes what is left at last. */
#include "base/argument.h"
#include "base/floats.h"
#include "base/machine.h"
#include "repeats/cut_bounds.h"
#include "repeats/cut_outputs.h"
#include "repeats/repeat_texts.h"
#include "repeats/stretch_list.h"
#include "repeats/text_cuts.h"

#include <string.h>

static const nd_substrings_options defaults = {
    .struct_size = sizeof defaults, .least = 100, .drop_below = 1, .passes = 1};

void nd_substrings_options_init(nd_substrings_options *options, size_t struct_size) {
    nd_options_init(options, struct_size, &defaults, sizeof defaults);
}

typedef struct substrings {
    nd_substrings_options options;
    nd_input_options input, source;
    nd_run run;
    nd_corpus *corpus, *source_corpus;
    uint64_t sources; /* documents of the source: texts with smaller numbers */
    nd_repeat_texts texts;
    nd_cut_outputs outputs;
    nd_cut_bounds bounds;
    nd_text_cuts cuts, next_cuts; /* of all documents, before this pass and with it */
    bool cut_more;                /* this pass cuts something */
    /* The document that is cut next: */
    uint64_t document;
    nd_stretch_list stretches;
    nd_cuts_of_text own, other; /* its cuts before this pass; those of the source of a stretch */
    char *text;                 /* before this pass */
    size_t length, text_capacity;
    size_t whole_length; /* before the first pass */
    nd_text_span *spans; /* that are cut */
    size_t span_count, span_capacity;
    nd_id_buffer id, source_id;
    uint64_t named, source_named; /* 1 + the text whose name the buffer has */
    nd_job_summary summary;
} substrings;

/* ---- the text of a document before a pass */

/* Finds what was cut out of a document before this pass. */
static nd_status find_cuts(const substrings *s, uint64_t document, nd_cuts_of_text *out,
                           nd_error *error) {
    out->count = 0;
    out->left_out = false;
    return s->summary.passes > 1 ? nd_text_cuts_find(&s->cuts, document, out, error) : ND_OK;
}

/* Reads what is left of the text of s->document, and what was cut out of it. */
static nd_status read_text(substrings *s, nd_error *error) {
    nd_document_place place;
    const char *text;
    ND_TRY(nd_spool_read(&s->texts.places, &place, sizeof place,
                         (s->sources + s->document) * sizeof place, error));
    ND_TRY(find_cuts(s, s->document, &s->own, error));
    s->length = s->whole_length = (size_t)place.text_length;
    ND_TRY(nd_cut_writer_text(&s->outputs.writer, &place, &text, error));
    if (!nd_reserve(&s->run.allocator, &s->text, &s->text_capacity, s->length + 1))
        return nd_fail_memory(error, s->length, "a text");
    memcpy(s->text, text, s->length);
    s->length = nd_cut_text(s->text, s->length, &s->own);
    return ND_OK;
}

/* ---- what is cut */

/* Appends a stretch to s->spans, or joins it with the last one. */
static nd_status add_span(substrings *s, const nd_stretch *t, nd_error *error) {
    nd_text_span *last = s->span_count > 0 ? &s->spans[s->span_count - 1] : NULL;
    if (last && t->begin <= last->end) {
        if (t->end > last->end) last->end = (size_t)t->end;
        return ND_OK;
    }
    if (!nd_reserve(&s->run.allocator, &s->spans, &s->span_capacity, s->span_count + 1))
        return nd_fail_memory(error, s->span_count * sizeof *s->spans, "what is cut");
    s->spans[s->span_count++] = (nd_text_span){(size_t)t->begin, (size_t)t->end};
    return ND_OK;
}

/* Fills s->spans with what is cut of the document. */
static nd_status find_spans(substrings *s, nd_error *error) {
    size_t left = 0;
    nd_stretch t;
    bool found;
    s->span_count = 0;
    ND_TRY(nd_stretch_list_begin(&s->stretches, error));
    for (;;) {
        ND_TRY(nd_stretch_list_next(&s->stretches, &t, &found, error));
        if (!found) break;
        ND_TRY(add_span(s, &t, error));
    }
    ND_TRY(nd_cut_bounds_read(&s->bounds, s->text, s->length, error));
    for (size_t i = 0; i < s->span_count; i++) {
        nd_text_span bytes;
        ND_TRY(nd_repeat_texts_span(&s->texts, s->sources + s->document, s->spans[i].begin,
                                    s->spans[i].end, &bytes, error));
        bytes = nd_cut_bounds_inside(&s->bounds, bytes);
        if (bytes.begin < bytes.end) s->spans[left++] = bytes;
    }
    s->span_count = left;
    return ND_OK;
}

/* ---- evidence */

static nd_status find_name(const substrings *s, uint64_t text, uint64_t *named,
                           nd_id_buffer *buffer, nd_error *error) {
    if (*named == text + 1) return ND_OK;
    *named = text + 1;
    return nd_document_names_find(&s->texts.names, text, buffer, error);
}

/* Finds where symbols [begin, end) of a source were before the first pass. */
static nd_status find_source(substrings *s, uint64_t text, uint64_t begin, uint64_t end,
                             nd_text_span *out, nd_error *error) {
    ND_TRY(find_name(s, text, &s->source_named, &s->source_id, error));
    ND_TRY(nd_repeat_texts_span(&s->texts, text, begin, end, out, error));
    if (text < s->sources) return ND_OK;
    ND_TRY(find_cuts(s, text - s->sources, &s->other, error));
    *out = nd_uncut_span(&s->other, *out);
    return ND_OK;
}

/* Reports bytes `part` of the text, which are a part of a stretch. */
static nd_status report_part(substrings *s, const nd_stretch *t, nd_text_span part,
                             nd_error *error) {
    uint64_t first, text = s->sources + s->document;
    nd_text_span source, own = nd_uncut_span(&s->own, part);
    s->summary.pairs++;
    if (!nd_cut_outputs_list(&s->outputs)) return ND_OK;
    ND_TRY(
        nd_repeat_texts_symbol(&s->texts, text, t->begin, t->end - 1, part.begin, &first, error));
    first -= t->begin;
    ND_TRY(find_source(s, t->source_text, t->source_begin + first,
                       t->source_begin + t->end - t->begin, &source, error));
    const nd_repeated_stretch found = {.document = s->document,
                                       .id = s->id.id,
                                       .id_length = s->id.length,
                                       .file = s->id.source,
                                       .line = s->id.line,
                                       .begin = own.begin,
                                       .end = own.end,
                                       .source = t->source_text,
                                       .source_id = s->source_id.id,
                                       .source_id_length = s->source_id.length,
                                       .source_file = s->source_id.source,
                                       .source_line = s->source_id.line,
                                       .source_begin = source.begin};
    return nd_cut_outputs_report(&s->outputs, &found, error);
}

/* Reports what is cut of a stretch. All of it lies in one span before that is fitted to the bounds,
 * so it shares bytes with at most one span. *next: the first span that it may be. */
static nd_status report_stretch(substrings *s, const nd_stretch *t, size_t *next, nd_error *error) {
    nd_text_span part;
    ND_TRY(
        nd_repeat_texts_span(&s->texts, s->sources + s->document, t->begin, t->end, &part, error));
    while (*next < s->span_count && s->spans[*next].end <= part.begin) ++*next;
    if (*next == s->span_count) return ND_OK;
    const nd_text_span *cut = &s->spans[*next];
    if (part.begin < cut->begin) part.begin = cut->begin;
    if (part.end > cut->end) part.end = cut->end;
    if (part.begin < part.end) part = nd_whole_characters(s->text, s->length, part);
    return part.begin < part.end ? report_part(s, t, part, error) : ND_OK;
}

static nd_status report_stretches(substrings *s, nd_error *error) {
    size_t next = 0;
    nd_stretch t;
    bool found = true;
    ND_TRY(find_name(s, s->sources + s->document, &s->named, &s->id, error));
    ND_TRY(nd_stretch_list_begin(&s->stretches, error));
    while (found && next < s->span_count) {
        ND_TRY(nd_stretch_list_next(&s->stretches, &t, &found, error));
        if (found) ND_TRY(report_stretch(s, &t, &next, error));
    }
    return ND_OK;
}

/* ---- the documents of a pass */

/* Notes what was cut of the next document. */
static nd_status end_document(substrings *s, nd_error *error) {
    ND_TRY(nd_text_cuts_add(&s->next_cuts, &s->own, error));
    nd_stretch_list_clear(&s->stretches);
    s->document++;
    return ND_OK;
}

/* Goes on to document `end`: of those before it this pass cuts nothing. */
static nd_status pass_over(substrings *s, uint64_t end, nd_error *error) {
    while (s->document < end) {
        ND_TRY(find_cuts(s, s->document, &s->own, error));
        ND_TRY(end_document(s, error));
    }
    return ND_OK;
}

/* Whether too little of the document is left. Then all of it goes. */
static nd_status drop_if_short(substrings *s, nd_error *error) {
    const nd_repeated_stretch whole = {.document = s->document,
                                       .id = s->id.id,
                                       .id_length = s->id.length,
                                       .file = s->id.source,
                                       .line = s->id.line,
                                       .end = s->whole_length};
    if (nd_has_words_left(s->text, s->length, s->spans, s->span_count, s->options.drop_below))
        return ND_OK;
    s->own.left_out = true;
    s->spans[0] = (nd_text_span){0, s->length};
    s->span_count = 1;
    return nd_cut_outputs_report(&s->outputs, &whole, error);
}

/* Cuts the stretches out of the document. */
static nd_status cut_document(substrings *s, nd_error *error) {
    if (nd_stretch_list_is_empty(&s->stretches)) return pass_over(s, s->document + 1, error);
    ND_TRY(read_text(s, error));
    ND_TRY(find_spans(s, error));
    if (s->span_count == 0) return end_document(s, error);
    ND_TRY(report_stretches(s, error));
    for (size_t i = 0; i < s->span_count; i++)
        s->summary.repeated_bytes += s->spans[i].end - s->spans[i].begin;
    ND_TRY(drop_if_short(s, error));
    ND_TRY(nd_cut_more(&s->own, s->spans, s->span_count, &s->run.allocator, error));
    s->cut_more = true;
    return end_document(s, error);
}

/* nd_repeat_fn */
static nd_status take_repeat(void *context, const nd_repeat *r, nd_error *error) {
    substrings *s = context;
    nd_stretch t = {r->begin, r->end, r->source_text, r->source_begin};
    uint64_t document = r->text - s->sources;
    if (document > s->document) {
        ND_TRY(cut_document(s, error));
        ND_TRY(pass_over(s, document, error));
    }
    /* The first occurrence stays whole. */
    uint64_t source_end = t.source_begin + s->texts.least;
    if (t.source_text == r->text && source_end > t.begin &&
        s->options.keep == ND_REPEATS_KEEP_FIRST) {
        t.source_begin += source_end - t.begin;
        t.begin = source_end;
    }
    return t.begin < t.end ? nd_stretch_list_add(&s->stretches, &t, error) : ND_OK;
}

/* ---- passes */

static nd_status read_input(substrings *s, const nd_input_options *input, nd_corpus *corpus,
                            nd_error *error) {
    nd_scan_counts counts = {0};
    nd_status status = nd_repeat_texts_read(&s->texts, input, corpus, &counts, error);
    nd_summary_add_scan(&s->summary, &counts);
    return status;
}

static nd_status read_documents(substrings *s, nd_error *error) {
    if (s->source_corpus) {
        ND_TRY(read_input(s, &s->source, s->source_corpus, error));
        s->sources = s->texts.names.count;
        nd_repeat_finder_begin_targets(s->texts.finder);
    }
    return read_input(s, &s->input, s->corpus, error);
}

static uint64_t documents_of(const substrings *s) { return s->texts.names.count - s->sources; }

/* Searches the documents once. */
static nd_status search(substrings *s, nd_error *error) {
    s->document = 0;
    s->cut_more = false;
    s->named = s->source_named = 0;
    ND_TRY(nd_repeat_texts_run(&s->texts, s->options.keep, take_repeat, s, error));
    if (s->document < documents_of(s)) ND_TRY(cut_document(s, error));
    ND_TRY(pass_over(s, documents_of(s), error));
    nd_text_cuts_free(&s->cuts);
    s->cuts = s->next_cuts;
    nd_text_cuts_init(&s->next_cuts, &s->run.allocator, s->run.space, s->cuts.ends.limit);
    return ND_OK;
}

/* Gives the finder what is left of all texts. */
static nd_status read_again(substrings *s, nd_error *error) {
    const uint64_t documents = documents_of(s);
    ND_TRY(nd_repeat_texts_restart(&s->texts, error));
    for (s->document = 0; s->document < documents; s->document++) {
        if (s->document % 256 == 0)
            ND_TRY(
                nd_progress_report(s->run.progress, ND_STAGE_READ, s->document, documents, error));
        ND_TRY(read_text(s, error));
        ND_TRY(nd_repeat_texts_add(&s->texts, s->text, s->length, error));
    }
    return ND_OK;
}

static nd_status search_all(substrings *s, nd_error *error) {
    s->summary.passes = 1;
    ND_TRY(search(s, error));
    while (s->cut_more && s->summary.passes != s->options.passes) {
        s->summary.passes++;
        ND_TRY(read_again(s, error));
        ND_TRY(search(s, error));
    }
    return ND_OK;
}

/* ---- writing */

static nd_status write_document(substrings *s, uint64_t document, nd_error *error) {
    nd_document_place place;
    uint64_t text = s->sources + document;
    ND_TRY(nd_spool_read(&s->texts.places, &place, sizeof place, text * sizeof place, error));
    ND_TRY(nd_text_cuts_find(&s->cuts, document, &s->own, error));
    s->summary.removed += s->own.left_out;
    s->summary.changed += s->own.count > 0 && !s->own.left_out;
    if (s->own.left_out) return ND_OK;
    if (nd_cut_writer_has_ids(&s->outputs.writer, &place))
        ND_TRY(nd_document_names_find(&s->texts.names, text, &s->id, error));
    return nd_cut_writer_add(&s->outputs.writer, &place, &s->id, s->own.spans, s->own.count, error);
}

static nd_status write_documents(substrings *s, nd_error *error) {
    const uint64_t documents = documents_of(s);
    for (uint64_t d = 0; d < documents; d++) {
        if (d % 256 == 0)
            ND_TRY(nd_progress_report(s->run.progress, ND_STAGE_WRITE, d, documents, error));
        ND_TRY(write_document(s, d, error));
    }
    s->summary.kept = documents - s->summary.removed;
    return nd_cut_writer_finish(&s->outputs.writer, error);
}

static nd_status publish(substrings *s, nd_error *error) {
    ND_TRY(nd_cut_outputs_finish(&s->outputs, &s->summary.output_bytes, error));
    ND_TRY(nd_progress_report(s->run.progress, ND_STAGE_SYNC, 0, 0, error));
    ND_TRY(nd_cut_outputs_publish(&s->outputs, error));
    nd_cut_outputs_accept(&s->outputs);
    return ND_OK;
}

/* ---- the run */

static nd_status check(const nd_substrings_options *o, nd_error *error) {
    if (o->least_tokens == 0 && (o->least < ND_SUBSTRINGS_LEAST || o->least > ND_SUBSTRINGS_MOST))
        return nd_fail(error, ND_ERR_ARGUMENT, "least must be %d to %d bytes, not %u",
                       ND_SUBSTRINGS_LEAST, ND_SUBSTRINGS_MOST, o->least);
    if (o->least_tokens > 0 &&
        (o->least_tokens < ND_SUBSTRINGS_TOKENS_LEAST || o->least_tokens > ND_SUBSTRINGS_MOST))
        return nd_fail(error, ND_ERR_ARGUMENT, "least_tokens must be %d to %d tokens, not %u",
                       ND_SUBSTRINGS_TOKENS_LEAST, ND_SUBSTRINGS_MOST, o->least_tokens);
    if ((unsigned)o->keep > ND_REPEATS_KEEP_NONE)
        return nd_fail(error, ND_ERR_ARGUMENT, "keep has an unknown value, %d", (int)o->keep);
    if ((unsigned)o->cut_at > ND_CUT_AT_SENTENCES)
        return nd_fail(error, ND_ERR_ARGUMENT, "cut_at has an unknown value, %d", (int)o->cut_at);
    if (o->source && o->keep == ND_REPEATS_KEEP_NONE)
        return nd_fail(error, ND_ERR_ARGUMENT, "keep must be ND_REPEATS_KEEP_FIRST with a source");
    return o->source && o->passes != 1
               ? nd_fail(error, ND_ERR_ARGUMENT, "passes must be 1 with a source")
               : ND_OK;
}

static nd_status open_files(substrings *s, const nd_cut_destinations *to, nd_error *error) {
    const nd_input_plan again = {.use = ND_INPUT_AGAIN}, once = {.use = ND_INPUT_ONCE};
    ND_TRY(nd_run_open_input(&s->run, &s->input, &again, &s->corpus, error));
    ND_TRY(nd_cut_outputs_open(&s->run, s->corpus, &s->input, to, &s->outputs, error));
    if (!s->options.source) return ND_OK;
    ND_TRY(nd_run_open_input(&s->run, &s->source, &once, &s->source_corpus, error));
    return nd_cut_outputs_check(&s->outputs, s->source_corpus, error);
}

/* Does a part of the work, and notes its time. */
static nd_status timed(substrings *s, nd_stage stage, nd_status (*fn)(substrings *, nd_error *),
                       nd_error *error) {
    double began = nd_seconds();
    nd_status status = fn(s, error);
    s->summary.seconds[stage] = nd_seconds() - began;
    return status;
}

static nd_status run(substrings *s, const nd_cut_destinations *to, nd_error *error) {
    const nd_substrings_options *o = &s->options;
    bool tokens = o->least_tokens > 0;
    ND_TRY(nd_run_begin(o->resources, o->output, &s->run, error));
    size_t few = nd_memory_share(&s->run.budget, ND_MEMORY_ID_ENDS);
    nd_text_cuts_init(&s->cuts, &s->run.allocator, s->run.space, few);
    nd_text_cuts_init(&s->next_cuts, &s->run.allocator, s->run.space, few);
    nd_stretch_list_init(&s->stretches, &s->run);
    ND_TRY(nd_cut_bounds_create(o->cut_at, &s->run.allocator, &s->bounds, error));
    ND_TRY(nd_repeat_texts_create(&s->run, tokens ? ND_SYMBOL_TOKENS : ND_SYMBOL_BYTES,
                                  tokens ? o->least_tokens : o->least, &s->texts, error));
    ND_TRY(open_files(s, to, error));
    ND_TRY(timed(s, ND_STAGE_READ, read_documents, error));
    ND_TRY(timed(s, ND_STAGE_MATCH, search_all, error));
    ND_TRY(timed(s, ND_STAGE_WRITE, write_documents, error));
    ND_TRY(timed(s, ND_STAGE_SYNC, publish, error));
    nd_run_fill_summary(&s->run, &s->summary);
    return ND_OK;
}

static void release(substrings *s) {
    const nd_allocator *a = &s->run.allocator;
    if (!s->run.shared) return;
    nd_cut_outputs_free(&s->outputs);
    nd_cut_bounds_free(&s->bounds);
    nd_repeat_texts_free(&s->texts);
    nd_text_cuts_free(&s->cuts);
    nd_text_cuts_free(&s->next_cuts);
    nd_cuts_of_text_free(&s->own, a);
    nd_cuts_of_text_free(&s->other, a);
    nd_stretch_list_free(&s->stretches);
    nd_release(a, s->text);
    nd_release(a, s->spans);
    nd_release(a, s->id.bytes);
    nd_release(a, s->source_id.bytes);
    nd_corpus_close(s->corpus);
    nd_corpus_close(s->source_corpus);
    nd_run_end(&s->run);
}

nd_status nd_substrings(const nd_substrings_options *options, nd_cut_fn *fn, void *context,
                        nd_job_summary *summary, nd_error *error) {
    ND_DEFAULT_FLOATS;
    substrings s = {.options = defaults};
    ND_TRY(nd_need(options, "options", error));
    ND_TRY(nd_job_summary_check(summary, error));
    ND_TRY(ND_READ_OPTIONS(options, &s.options, "nd_substrings_options", error));
    ND_TRY(nd_input_options_read(s.options.input, &s.input, error));
    if (s.options.source) ND_TRY(nd_input_options_read(s.options.source, &s.source, error));
    ND_TRY(check(&s.options, error));
    const nd_cut_destinations to = {s.options.output, s.options.removed, fn, context};
    nd_status status = run(&s, &to, error);
    if (status == ND_OK) nd_job_summary_give(summary, &s.summary);
    release(&s);
    return status;
}
