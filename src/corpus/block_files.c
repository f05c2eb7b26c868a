/* Files pass through a window of the stream. The window is filled by large reads; whole records are
 * copied out of it into the block, or the two change buffers, and the rest moves to its front. It
 * grows for a record that does not fit. Lines are claimed instead where they can be read later. */
#include "corpus/block_sources.h"

#include "base/format.h"
#include "corpus/block_faults.h"
#include "corpus/corpus_inside.h"
#include "corpus/recognise.h"
#include "corpus/table_encoding.h"
#include "unicode/encoding.h"

#include <string.h>

/* WINDOW: bytes read from a stream at a time. */
enum { WINDOW = ND_LIMIT(1 << 20, 300) };

/* ---- the window */

static nd_status open_file(nd_corpus *corpus, nd_source *source, nd_error *error) {
    if (source->fault) return nd_fail(error, ND_ERR_IO, "%s", source->fault);
    corpus->window_begin = corpus->window_end = 0;
    corpus->window_offset = 0;
    corpus->line = 0;
    corpus->discarding = false;
    corpus->search = (nd_format_search){0};
    corpus->cutter = (nd_record_cutter){.format = source->format};
    corpus->archive = (nd_warc_cutter){0};
    const nd_stream_in_options options = {.allocator = &corpus->allocator,
                                          .progress = corpus->options.progress,
                                          .memory = corpus->options.memory,
                                          .threads = corpus->options.threads};
    ND_TRY(nd_stream_in_open(source->name, &options, &corpus->stream, error));
    bool plain = nd_stream_in_compression(corpus->stream) == ND_COMPRESSION_NONE;
    source->place = plain && source->inode != 0 ? ND_IN_FILE : ND_IN_SPOOL;
    if (!plain) atomic_store(&corpus->compressed, true);
    return ND_OK;
}

/* Resizes the window to hold `want` bytes. A window that has grown for a long record is made small
 * again. */
static nd_status resize_window(nd_corpus *corpus, size_t want, nd_error *error) {
    if (corpus->window_capacity > 4 * (size_t)WINDOW && want <= WINDOW) {
        void *smaller = nd_reallocate(&corpus->allocator, corpus->window, WINDOW, 1);
        if (smaller) {
            corpus->window = smaller;
            corpus->window_capacity = WINDOW;
        }
    }
    return nd_reserve(&corpus->allocator, &corpus->window, &corpus->window_capacity, want)
               ? ND_OK
               : nd_fail_memory(error, want, "the input's buffer");
}

/* Reads on to the window's end. *at_end: nothing more comes. A live input gives what has arrived;
 * at its beginning that is enough to see a byte order mark. */
static nd_status read_on(nd_corpus *corpus, size_t room, size_t *got, bool *at_end,
                         nd_error *error) {
    enum { MARK = 3 };
    char *to = corpus->window + corpus->window_end;
    bool beginning = corpus->window_offset == 0 && corpus->window_end == 0;
    if (!corpus->options.live) {
        nd_status status = nd_stream_in_read(corpus->stream, to, room, got, error);
        *at_end = status == ND_OK && *got < room;
        return status;
    }
    *got = 0;
    do {
        size_t more = 0;
        nd_status status = nd_stream_in_read_some(corpus->stream, to + *got, room - *got, &more,
                                                  error);
        *got += more;
        *at_end = status == ND_OK && more == 0;
        if (status != ND_OK) return status;
    } while (beginning && *got < MARK && !*at_end);
    return ND_OK;
}

/* Moves the rest of the window to its front, makes room behind it, and reads on. */
static nd_status refill_window(nd_corpus *corpus, nd_block *block, nd_error *error) {
    size_t left = corpus->window_end - corpus->window_begin;
    if (left > 0 && corpus->window_begin > 0)
        memmove(corpus->window, corpus->window + corpus->window_begin, left);
    corpus->window_offset += corpus->window_begin;
    corpus->window_begin = 0;
    corpus->window_end = left;
    size_t want = left < WINDOW / 2 ? WINDOW : left + left / 2;
    if (left > ND_LARGE_RECORD) nd_block_hold_gate(block, &corpus->gate);
    ND_TRY(resize_window(corpus, want, error));
    size_t got = 0;
    bool at_end, beginning = corpus->window_offset == 0 && left == 0;
    nd_status status = read_on(corpus, want - left, &got, &at_end, error);
    corpus->window_end += got;
    atomic_store(&corpus->read_bytes,
                 corpus->before_source + nd_stream_in_position(corpus->stream));
    if (status != ND_OK) return status;
    if (at_end) corpus->at_end = true;
    if (beginning && got >= 3 && memcmp(corpus->window, "\xEF\xBB\xBF", 3) == 0)
        corpus->window_begin = 3;
    return ND_OK;
}

/* Drops the window, which holds a part of a record over the limit and not its end. The record is
 * added to a block once, without bytes. */
static nd_status discard_window(nd_corpus *corpus, nd_block *block, nd_error *error) {
    if (!corpus->discarding) {
        corpus->discarding = true;
        nd_raw_record record = {.line = corpus->line + 1, .too_long = true};
        ND_TRY(nd_block_add_record(block, &corpus->allocator, record, error));
    }
    block->input_bytes += corpus->window_end - corpus->window_begin;
    corpus->window_begin = corpus->window_end;
    nd_record_cut_forget(&corpus->cutter);
    return ND_OK;
}

/* ---- the format and the header */

/* Checks that a file can be cut into records before its texts are decoded. The encoding of a
 * regular file was guessed when it was listed. */
static nd_status check_encoding(const nd_corpus *corpus, nd_source *source, nd_error *error) {
    const char *bytes = corpus->window + corpus->window_begin, *name = nd_source_title(source);
    size_t size = corpus->window_end - corpus->window_begin, mark;
    nd_input_format format = source->format;
    bool json = format == ND_FORMAT_JSON || format == ND_FORMAT_JSON_LINES;
    bool columns = format == ND_FORMAT_CSV || format == ND_FORMAT_TSV;
    if (!json && !columns) return ND_OK;
    bool beginning = corpus->window_offset == 0;
    const char *marked = beginning ? nd_encoding_of_mark(bytes, size, &mark) : NULL;
    if (beginning && corpus->guesses && source->inode == 0)
        ND_TRY(nd_table_guess_encoding(source, corpus->window, corpus->window_end,
                                       &corpus->allocator, error));
    bool guessed = source->encoding[0] != '\0';
    if (marked || (columns && !(guessed ? source->keeps_ascii : corpus->keeps_ascii)))
        return nd_fail(error, ND_ERR_INPUT,
                       "%s: records in %s are not read; iconv converts a file to UTF-8", name,
                       marked    ? marked
                       : guessed ? source->encoding
                                 : corpus->options.encoding);
    if (json && corpus->converts)
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s: JSON is in UTF-8; --encoding (encoding) is for texts, CSV and pages",
                       name);
    return ND_OK;
}

static bool has_texts(const nd_corpus *corpus) {
    bool texts = false;
    for (size_t s = 0; s < corpus->source_count; s++)
        texts = texts || nd_source_has_texts(&corpus->sources[s]);
    return texts;
}

/* Decides the format of a file by its first bytes, which are in the window now, unless more of them
 * may come (not `last`) and are needed. A blank one is of the kind of the others. */
static nd_status decide_format(nd_corpus *corpus, nd_source *source, bool last, nd_error *error) {
    const char *bytes = corpus->window + corpus->window_begin;
    size_t size = corpus->window_end - corpus->window_begin;
    if (source->format != ND_FORMAT_AUTO || (!last && size <= corpus->options.max_record &&
                                             nd_format_goes_on(&corpus->search, bytes, size)))
        return ND_OK;
    nd_input_format found = nd_recognise(source->name, bytes, size);
    bool pipe = source->inode == 0;
    bool blank = nd_skip_blank(bytes, size) == size;
    if (found == ND_FORMAT_TEXT && pipe) found = ND_FORMAT_AUTO; /* its name tells nothing */
    if (found == ND_FORMAT_PARQUET) return nd_block_fail_unnamed(source, error);
    if (found == ND_FORMAT_AUTO && (blank || !pipe))
        found = has_texts(corpus) ? ND_FORMAT_TEXT : ND_FORMAT_JSON_LINES;
    if (found == ND_FORMAT_AUTO)
        return nd_fail(error, ND_ERR_INPUT,
                       "%s: its format is not known: --format (format) names it",
                       nd_source_title(source));
    source->format = corpus->cutter.format = found;
    return blank ? ND_OK : nd_corpus_check_kind(corpus, source, error);
}

/* Kept rows of several files are written behind one header. */
static nd_status check_header(const nd_corpus *corpus, const nd_source *source, char delimiter,
                              nd_error *error) {
    for (const nd_source *other = corpus->sources; other < source; other++) {
        if (!other->header) continue;
        if (nd_csv_same_cells(other->header, other->header_length, source->header,
                              source->header_length, delimiter))
            return ND_OK;
        return nd_fail(error, ND_ERR_ARGUMENT,
                       "%s has other columns than %s: the files of one run have the same header",
                       nd_source_title(source), nd_source_title(other));
    }
    return ND_OK;
}

/* Takes the first row of a file as its header, unless columns are named by their numbers. */
static nd_status take_header(nd_corpus *corpus, nd_source *source, const nd_cut *cut, size_t start,
                             bool *is_header, nd_error *error) {
    const nd_record_fields *fields = &corpus->options.fields;
    const nd_allocator *a = &corpus->allocator;
    char delimiter = source->format == ND_FORMAT_TSV ? '\t' : ',';
    bool has_columns = source->format == ND_FORMAT_CSV || source->format == ND_FORMAT_TSV;
    *is_header = has_columns && !source->columns.texts && !nd_csv_by_number(fields);
    if (!has_columns || source->columns.texts) return ND_OK;
    if (*is_header && cut->fault)
        return nd_fail(error, ND_ERR_INPUT, "%s: the header: %s", nd_source_title(source),
                       cut->fault);
    if (*is_header) {
        source->header_length = cut->end - cut->begin;
        source->header = nd_allocate(a, source->header_length + 1, 1);
        if (!source->header) return nd_fail_memory(error, source->header_length, "a header");
        memcpy(source->header, corpus->window + cut->begin, source->header_length);
        source->header_offset = corpus->window_offset + cut->begin;
        corpus->header_start = start;
        ND_TRY(check_header(corpus, source, delimiter, error));
    }
    nd_error why;
    nd_status status = nd_csv_columns_find(fields, delimiter, source->header, source->header_length,
                                           a, &source->columns, &why);
    return status == ND_OK ? ND_OK
                           : nd_fail(error, status, "%s: %s", nd_source_title(source), why.message);
}

/* ---- web archives */

/* Takes the first record of a file as its header. */
static nd_status take_warcinfo(nd_corpus *corpus, nd_source *source, const nd_warc_cut *cut,
                               size_t start, nd_error *error) {
    source->header_length = cut->end - cut->begin;
    source->header = nd_allocate(&corpus->allocator, source->header_length + 1, 1);
    if (!source->header) return nd_fail_memory(error, source->header_length, "a header");
    memcpy(source->header, corpus->window + cut->begin, source->header_length);
    source->header_offset = corpus->window_offset + cut->begin;
    corpus->header_start = start;
    for (const nd_source *other = corpus->sources; other < source; other++)
        if (other->header && nd_source_is_arc(other) != nd_source_is_arc(source))
            return nd_fail(error, ND_ERR_ARGUMENT,
                           "%s and %s: one is ARC and one is WARC: one run reads one of them",
                           nd_source_title(other), nd_source_title(source));
    return ND_OK;
}

/* Adds a document to the block. Other records are counted, and their bytes are dropped. */
static nd_status add_archived(nd_corpus *corpus, nd_block *block, const nd_warc_cut *cut,
                              bool too_long, nd_error *error) {
    bool info = cut->kind == ND_WARC_INFO && corpus->line == 1;
    if (!cut->fault && cut->kind != ND_WARC_DOCUMENT && !info) {
        corpus->left_out[cut->kind]++;
        return ND_OK;
    }
    nd_raw_record record = {.start = block->size,
                            .length = too_long ? 0 : cut->end - cut->begin,
                            .offset = corpus->window_offset + cut->begin,
                            .line = corpus->line,
                            .size = cut->end - cut->begin,
                            .too_long = too_long,
                            .fault = cut->fault};
    ND_TRY(nd_block_add_bytes(block, &corpus->allocator, corpus->window + cut->begin, record.length,
                              error));
    return info ? take_warcinfo(corpus, &corpus->sources[block->source], cut, record.start, error)
                : nd_block_add_record(block, &corpus->allocator, record, error);
}

/* Finds the next record in the window. *over: it is over the limit. */
static bool next_archived(nd_corpus *corpus, nd_warc_cut *cut, bool *over) {
    size_t from = corpus->window_begin, end = corpus->window_end;
    uint64_t most = corpus->options.max_record;
    bool whole = nd_warc_cut_record(&corpus->archive, corpus->window, from, end, corpus->at_end,
                                    cut);
    *over = whole ? cut->end - cut->begin > most
                  : end - from > most &&
                        nd_warc_cut_over(&corpus->archive, corpus->window, from, end, cut);
    return whole || *over;
}

/* Moves documents from the window to the block. */
static nd_status cut_archive(nd_corpus *corpus, nd_block *block, nd_error *error) {
    nd_warc_cut cut;
    bool over;
    while (!nd_block_is_full(block) && next_archived(corpus, &cut, &over)) {
        size_t from = corpus->window_begin;
        if (!cut.blank) {
            corpus->line++;
            ND_TRY(add_archived(corpus, block, &cut, over && !cut.fault, error));
        }
        block->input_bytes += cut.next - from;
        corpus->window_begin = cut.next;
    }
    return ND_OK;
}

/* ---- records of files */

/* Finds the record that begins at `from` in the window. */
static bool next_record(nd_corpus *corpus, size_t from, nd_cut *cut) {
    size_t end = corpus->window_end;
    if (nd_record_cut(&corpus->cutter, corpus->window, from, end, corpus->at_end, cut)) return true;
    bool over = end - from > corpus->options.max_record && !corpus->discarding;
    return over && nd_record_cut_line(&corpus->cutter, corpus->window, from, end, cut);
}

static uint64_t count_newlines(const char *bytes, size_t begin, size_t end) {
    uint64_t count = 0;
    for (const char *at = bytes + begin; (at = memchr(at, '\n', (size_t)(bytes + end - at))); at++)
        count++;
    return count;
}

/* Moves the first `size` bytes of the window, most of its content, to an empty block: the two
 * change buffers, and the rest is copied to the front of the new window. */
static nd_status exchange_buffers(nd_corpus *corpus, nd_block *block, size_t size,
                                  nd_error *error) {
    const nd_allocator *a = &corpus->allocator;
    size_t rest = corpus->window_end - size;
    if (!nd_reserve(a, &corpus->window, &corpus->window_capacity, size + ND_JSON_PADDING) ||
        !nd_reserve(a, &block->bytes, &block->capacity, rest + 1))
        return nd_fail_memory(error, rest, "a block of records");
    char *window = block->bytes;
    size_t capacity = block->capacity;
    if (rest > 0) memcpy(window, corpus->window + size, rest);
    block->bytes = corpus->window;
    block->capacity = corpus->window_capacity;
    block->size = size;
    memset(block->bytes + size, 0, ND_JSON_PADDING);
    corpus->window = window;
    corpus->window_capacity = capacity;
    corpus->window_begin = 0;
    corpus->window_end = rest;
    corpus->window_offset += size;
    return ND_OK;
}

/* Moves the bytes of the window up to `end` to the block. */
static nd_status move_to_block(nd_corpus *corpus, nd_block *block, size_t end, nd_error *error) {
    size_t begin = corpus->window_begin, rest = corpus->window_end - end;
    if (begin == 0 && block->size == 0 && end >= WINDOW / 2 && rest < end)
        return exchange_buffers(corpus, block, end, error);
    corpus->window_begin = end;
    return nd_block_add_bytes(block, &corpus->allocator, corpus->window + begin, end - begin,
                              error);
}

/* Moves whole records from the window to the block, all of them at once. */
static nd_status cut_records(nd_corpus *corpus, nd_block *block, nd_error *error) {
    nd_source *source = &corpus->sources[block->source];
    if (source->format == ND_FORMAT_WARC) return cut_archive(corpus, block, error);
    size_t begin = corpus->window_begin, from = begin, base = block->size;
    const char *bytes = corpus->window;
    nd_status status = ND_OK;
    nd_cut cut;
    while (status == ND_OK && block->count < block->most &&
           base + (from - begin) < ND_BLOCK_BYTES && next_record(corpus, from, &cut)) {
        nd_raw_record record = {.start = base + (cut.begin - begin),
                                .length = cut.end - cut.begin,
                                .offset = corpus->window_offset + cut.begin,
                                .line = corpus->line + 1,
                                .size = cut.end - cut.begin,
                                .fault = cut.fault};
        bool skip = corpus->discarding || cut.blank, is_header = false;
        record.too_long = record.length > corpus->options.max_record;
        if (!skip) status = take_header(corpus, source, &cut, record.start, &is_header, error);
        if (!skip && !is_header && status == ND_OK)
            status = nd_block_add_record(block, &corpus->allocator, record, error);
        corpus->line += count_newlines(bytes, cut.end, cut.next);
        if (source->format != ND_FORMAT_JSON_LINES)
            corpus->line += count_newlines(bytes, from, cut.end);
        corpus->discarding = false;
        from = cut.next;
    }
    block->input_bytes += from - begin;
    return status == ND_OK ? move_to_block(corpus, block, from, error) : status;
}

/* Cuts what the window has, once the format is known. */
static nd_status cut_window(nd_corpus *corpus, nd_block *block, nd_error *error) {
    nd_input_format format = corpus->sources[block->source].format;
    if (format == ND_FORMAT_AUTO) return ND_OK;
    ND_TRY(cut_records(corpus, block, error));
    bool over = corpus->window_end - corpus->window_begin > corpus->options.max_record;
    return block->count == 0 && !nd_block_is_full(block) && format != ND_FORMAT_WARC &&
                   (over || corpus->discarding)
               ? discard_window(corpus, block, error)
               : ND_OK;
}

/* nd_record_begins_fn; `context` is the cutter of the archive. */
static bool begins_record(const void *context, const char *bytes, size_t size) {
    const nd_warc_cutter *archive = context;
    return nd_warc_begins(archive->arc, bytes, 0, size) == ND_WARC_WHOLE;
}

/* Goes on behind a damaged member of an archive that has more than one. What was delivered of the
 * member is dropped, because its checksum is not known to be right. *resumed: the block has a
 * message, and the stream goes on. */
static nd_status pass_damage(nd_corpus *corpus, nd_block *block, const nd_error *damage,
                             bool *resumed, nd_error *error) {
    nd_stream_gap gap;
    char rest[100];
    ND_TRY(
        nd_stream_in_resume(corpus->stream, begins_record, &corpus->archive, &gap, resumed, error));
    size_t left = corpus->window_end - corpus->window_begin;
    if (*resumed || gap.begin > 0)
        corpus->window_end -= gap.delivered < left ? (size_t)gap.delivered : left;
    if (!*resumed) return ND_OK;
    nd_format(rest, sizeof rest, "; its compressed bytes %llu to %llu are left out",
              (unsigned long long)gap.begin, (unsigned long long)gap.end);
    return nd_block_break(corpus, block, damage->status, damage, rest, error);
}

/* Handles damage of the stream, in front of which records have not been cut yet. *over: nothing
 * else can be read. */
static nd_status take_damage(nd_corpus *corpus, nd_block *block, const nd_error *damage, bool *over,
                             nd_error *error) {
    nd_source *source = &corpus->sources[block->source];
    bool resumed = false, decided = decide_format(corpus, source, true, NULL) == ND_OK;
    bool archive = source->format == ND_FORMAT_WARC && damage->status == ND_ERR_INPUT;
    if (archive && corpus->options.skip_errors)
        ND_TRY(pass_damage(corpus, block, damage, &resumed, error));
    if (decided) ND_TRY(cut_records(corpus, block, error));
    /* The failure of the stream comes again when these records have been taken. */
    *over = !resumed && block->count == 0;
    return ND_OK;
}

/* Cuts what the window has, and reads on until that gives a record. */
static nd_status read_records(nd_corpus *corpus, nd_block *block, nd_error *error) {
    nd_source *source = &corpus->sources[block->source];
    for (;;) {
        ND_TRY(cut_window(corpus, block, error));
        if (block->count > 0 || nd_block_is_full(block)) return ND_OK;
        if (corpus->at_end && corpus->window_begin == corpus->window_end) return ND_OK;
        nd_error damage;
        nd_status status = refill_window(corpus, block, &damage);
        bool damaged = status == ND_ERR_INPUT || status == ND_ERR_IO;
        if (damaged) {
            bool over = false;
            ND_TRY(take_damage(corpus, block, &damage, &over, error));
            if (!over) return ND_OK;
        }
        if (status == ND_OK) status = decide_format(corpus, source, corpus->at_end, &damage);
        if (status == ND_OK) status = check_encoding(corpus, source, &damage);
        if (status != ND_OK) return nd_fail(error, status, "%s", damage.message);
    }
}

/* Claims the next lines of a file for the block, if they may be claimed. Else the stream and the
 * window go on behind the latest claim. */
static bool claim_lines(nd_corpus *corpus, nd_block *block) {
    const nd_source *source = &corpus->sources[block->source];
    nd_line_claims *claims = &corpus->claims;
    uint64_t at = corpus->window_offset + corpus->window_begin;
    if (source->format != ND_FORMAT_JSON_LINES || source->place != ND_IN_FILE ||
        corpus->options.live || corpus->discarding || at == 0)
        return false;
    if (!claims->open) nd_line_claims_begin(claims, at, corpus->line);
    if (nd_line_claims_take(claims, corpus->stream, source->size, block)) {
        atomic_store(&corpus->read_bytes, corpus->before_source + claims->offset);
        return true;
    }
    bool broken;
    nd_line_claims_end(claims, &corpus->line, &broken);
    if (broken) corpus->at_end = true;
    if (claims->offset == at) return false;
    nd_record_cut_forget(&corpus->cutter);
    nd_stream_in_seek(corpus->stream, claims->offset);
    corpus->window_begin = corpus->window_end = 0;
    corpus->window_offset = claims->offset;
    return false;
}

nd_status nd_block_read_file(nd_corpus *corpus, nd_block *block, nd_error *error) {
    nd_source *source = &corpus->sources[block->source];
    nd_error failure;
    nd_status status = corpus->stream ? ND_OK : open_file(corpus, source, &failure);
    corpus->header_start = SIZE_MAX;
    if (status == ND_OK && claim_lines(corpus, block)) return ND_OK;
    if (status == ND_OK) status = read_records(corpus, block, &failure);
    nd_line_claims_learn(&corpus->claims, block->input_bytes, block->count);
    if (status != ND_OK) {
        ND_TRY(nd_block_end_broken_source(corpus, block, status, &failure, error));
        corpus->window_begin = corpus->window_end;
    }
    if (source->place != ND_IN_SPOOL || corpus->options.once || block->size == 0) return ND_OK;
    uint64_t base = corpus->spool.size;
    if (corpus->header_start != SIZE_MAX) source->header_offset = base + corpus->header_start;
    for (size_t i = 0; i < block->count; i++)
        block->records[i].offset = base + block->records[i].start;
    return nd_spool_append(&corpus->spool, block->bytes, block->size, error);
}

bool nd_block_file_has_document(const nd_corpus *corpus) {
    nd_record_cutter cutter = corpus->cutter; /* which is left as it is */
    nd_cut cut;
    return corpus->sources[corpus->current].format != ND_FORMAT_WARC && !corpus->discarding &&
           nd_record_cut(&cutter, corpus->window, corpus->window_begin, corpus->window_end,
                         corpus->at_end, &cut) &&
           !cut.blank;
}
