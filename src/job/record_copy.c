#include "job/record_copy.h"

#include "base/workers.h"

#include <string.h>

/* Pieces have this many bytes, a multiple of what direct writing asks for, all but the last; and they are copied together when there are this many a thread. */
#ifdef ND_TINY_LIMITS
enum { PIECE_BYTES = 512, PIECES_A_THREAD = 2 };
#else
enum { PIECE_BYTES = 1 << 20, PIECES_A_THREAD = 8 };
#endif

/* Records of one source with nothing but newlines between them, or a part of them. */
typedef struct run {
    size_t source;
    uint64_t begin, end; /* places */
    bool newline;        /* one follows: the run's last record ends in this piece */
} run;

typedef struct piece {
    size_t first_run;
    uint64_t size, offset; /* in the output, with newlines */
} piece;

struct nd_record_copy {
    nd_job *job;
    nd_output_file *output;
    nd_reader **readers; /* one a thread */
    char **buffers;      /* of the threads: room for a piece and the alignment */
    run *runs;
    piece *pieces; /* the last is still growing */
    size_t run_count, run_capacity, piece_count, piece_capacity;
    atomic_size_t next;
};

nd_status nd_record_copy_create(nd_job *job, nd_output_file *output, nd_record_copy **out, nd_error *error) {
    const nd_allocator *a = &job->allocator;
    nd_record_copy *c = nd_allocate_zero(a, 1, sizeof *c);
    if (!c) return nd_fail_memory(error, sizeof *c, "copying records");
    c->job = job;
    c->output = output;
    c->readers = nd_allocate_zero(a, job->threads, sizeof *c->readers);
    c->buffers = nd_allocate_zero(a, job->threads, sizeof *c->buffers);
    nd_status status = c->readers && c->buffers ? ND_OK : nd_fail_memory(error, job->threads * sizeof *c->readers, "copying records");
    for (uint32_t i = 0; status == ND_OK && i < job->threads; i++) {
        c->buffers[i] = nd_allocate(a, PIECE_BYTES + ND_DIRECT_ALIGNMENT, 1);
        status = c->buffers[i] ? nd_reader_create(job->corpus, &c->readers[i], error) : nd_fail_memory(error, PIECE_BYTES, "copying records");
    }
    if (status != ND_OK) {
        nd_record_copy_free(c);
        return status;
    }
    *out = c;
    return ND_OK;
}

void nd_record_copy_free(nd_record_copy *c) {
    if (!c) return;
    const nd_allocator *a = &c->job->allocator;
    for (uint32_t i = 0; i < c->job->threads; i++) {
        if (c->readers) nd_reader_free(c->readers[i]);
        if (c->buffers) nd_release(a, c->buffers[i]);
    }
    nd_release(a, c->readers);
    nd_release(a, c->buffers);
    nd_release(a, c->runs);
    nd_release(a, c->pieces);
    nd_release(a, c);
}

/* ---- copying the pieces */

static char *aligned(char *buffer) {
    uintptr_t past = (uintptr_t)buffer % ND_DIRECT_ALIGNMENT;
    return past == 0 ? buffer : buffer + (ND_DIRECT_ALIGNMENT - past);
}

static nd_status gather(nd_record_copy *c, uint32_t thread, const piece *p, size_t end_run, char *to, nd_error *error) {
    for (size_t r = p->first_run; r < end_run; r++) {
        const run *from = &c->runs[r];
        size_t size = (size_t)(from->end - from->begin);
        if (size > 0) ND_TRY(nd_reader_read(c->readers[thread], from->source, from->begin, size, to, error));
        to += size;
        if (from->newline) *to++ = '\n';
    }
    return ND_OK;
}

static nd_status copy_pieces(void *context, uint32_t thread, nd_error *error) {
    nd_record_copy *c = context;
    for (size_t i; (i = atomic_fetch_add(&c->next, 1)) < c->piece_count;) {
        const piece *p = &c->pieces[i];
        char *bytes = aligned(c->buffers[thread]);
        ND_TRY(gather(c, thread, p, i + 1 < c->piece_count ? p[1].first_run : c->run_count, bytes, error));
        if (nd_output_file_is_open_order(c->output)) ND_TRY(nd_output_file_write_at(c->output, bytes, (size_t)p->size, p->offset, error));
        else ND_TRY(nd_output_file_write(c->output, bytes, (size_t)p->size, error));
    }
    return ND_OK;
}

nd_status nd_record_copy_flush(nd_record_copy *c, nd_error *error) {
    bool open_order = nd_output_file_is_open_order(c->output);
    for (size_t i = 0; open_order && i < c->piece_count; i++) c->pieces[i].offset = nd_output_file_reserve(c->output, c->pieces[i].size);
    atomic_store(&c->next, 0);
    nd_status status = nd_run_workers(&c->job->allocator, open_order ? c->job->threads : 1, copy_pieces, c, error);
    c->run_count = c->piece_count = 0;
    return status;
}

/* ---- collecting them */

/* Room for one more run, in a piece that is not full. */
static nd_status make_room(nd_record_copy *c, nd_error *error) {
    const nd_allocator *a = &c->job->allocator;
    bool new_piece = c->piece_count == 0 || c->pieces[c->piece_count - 1].size == PIECE_BYTES;
    if (new_piece && c->piece_count == (size_t)c->job->threads * PIECES_A_THREAD) ND_TRY(nd_record_copy_flush(c, error));
    if (!nd_reserve(a, &c->runs, &c->run_capacity, c->run_count + 1) || !nd_reserve(a, &c->pieces, &c->piece_capacity, c->piece_count + 1))
        return nd_fail_memory(error, sizeof *c->runs, "copying records");
    if (new_piece) c->pieces[c->piece_count++] = (piece){.first_run = c->run_count};
    return ND_OK;
}

/* The bytes [begin, end) of a source and a newline, over as many pieces as they need. */
static nd_status add_run(nd_record_copy *c, size_t source, uint64_t begin, uint64_t end, nd_error *error) {
    for (bool newline = false; !newline;) {
        ND_TRY(make_room(c, error));
        piece *last = &c->pieces[c->piece_count - 1];
        uint64_t left = PIECE_BYTES - last->size, taken = end - begin < left ? end - begin : left;
        newline = taken < left;
        c->runs[c->run_count++] = (run){source, begin, begin + taken, newline};
        last->size += taken + newline;
        begin += taken;
    }
    return ND_OK;
}

nd_status nd_record_copy_add(nd_record_copy *c, uint32_t document, nd_error *error) {
    const nd_document_entry *entry = nd_document_at(&c->job->documents, document);
    size_t source = nd_job_source_of(c->job, document);
    run *last = c->run_count > 0 ? &c->runs[c->run_count - 1] : NULL;
    piece *growing = c->piece_count > 0 ? &c->pieces[c->piece_count - 1] : NULL;
    bool continues = last && last->newline && last->source == source && last->end + 1 == entry->place && growing->size + entry->length < PIECE_BYTES;
    if (!continues) return add_run(c, source, entry->place, entry->place + entry->length, error);
    last->end += 1 + (uint64_t)entry->length;
    growing->size += 1 + (uint64_t)entry->length;
    return ND_OK;
}
