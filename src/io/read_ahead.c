#include "io/read_ahead.h"

#include "base/async_task.h"
#include "base/limits.h"

#include <string.h>

/* STEP: bytes that the decoder is asked for. PIECE: so many that the work on them takes longer than
 * to hand them over. */
enum { STEP = ND_LIMIT(256 << 10, 1000), PIECE = 4 * STEP };

typedef struct piece {
    unsigned char *bytes;
    size_t size, given;
    nd_error failure;  /* behind the bytes */
    uint64_t position; /* of the source, behind them */
} piece;

struct nd_read_ahead {
    nd_allocator allocator;
    nd_read_ahead_fn *fn;
    void *decoder;
    const nd_byte_source *source;
    uint32_t threads;
    nd_async_task *task; /* NULL: it has not been needed */
    piece now, next;     /* the caller reads `now` */
    bool running;        /* the task decodes `next`, or has done so */
    bool over;           /* nothing is left behind `now` */
};

nd_status nd_read_ahead_open(nd_read_ahead_fn *fn, void *decoder, const nd_byte_source *source,
                             uint32_t threads, const nd_allocator *allocator, nd_read_ahead **out,
                             nd_error *error) {
    nd_read_ahead *a = nd_allocate_zero(allocator, 1, sizeof *a);
    if (!a) return nd_fail_memory(error, sizeof *a, "a decompressor");
    a->allocator = *allocator;
    a->fn = fn;
    a->decoder = decoder;
    a->source = source;
    a->threads = threads;
    a->now.position = source->position;
    *out = a;
    return ND_OK;
}

void nd_read_ahead_close(nd_read_ahead *a) {
    if (!a) return;
    nd_allocator allocator = a->allocator;
    nd_async_task_free(a->task);
    nd_release(&allocator, a->now.bytes);
    nd_release(&allocator, a->next.bytes);
    nd_release(&allocator, a);
}

/* Decodes `size` bytes, a multiple of STEP; fewer at the end, and perhaps in front of a failure. */
static size_t decode_steps(nd_read_ahead *a, unsigned char *out, size_t size, nd_error *failure) {
    size_t got = 0, more = STEP;
    *failure = (nd_error){.status = ND_OK};
    for (; got < size && more == STEP && failure->status == ND_OK; got += more)
        (void)a->fn(a->decoder, out + got, STEP, &more, failure);
    return got;
}

static void decode_piece(nd_read_ahead *a, piece *p, size_t size) {
    p->given = 0;
    p->size = decode_steps(a, p->bytes, size, &p->failure);
    p->position = a->source->position;
}

/* nd_async_task_fn: a failure is reported behind the piece. */
static nd_status decode_next(void *context, nd_error *error) {
    nd_read_ahead *a = context;
    (void)error;
    decode_piece(a, &a->next, PIECE);
    return ND_OK;
}

static nd_status allocate_piece(nd_read_ahead *a, piece *p, size_t size, nd_error *error) {
    if (!p->bytes) p->bytes = nd_allocate(&a->allocator, size, 1);
    return p->bytes ? ND_OK : nd_fail_memory(error, size, "decompressed bytes");
}

static nd_status begin_next(nd_read_ahead *a, nd_error *error) {
    ND_TRY(allocate_piece(a, &a->next, PIECE, error));
    if (!a->task) ND_TRY(nd_async_task_create(&a->allocator, &a->task, error));
    nd_async_task_start(a->task, decode_next, a);
    a->running = true;
    return ND_OK;
}

/* Takes the next piece, and lets the one behind it be decoded. The first piece is decoded here. On
 * one thread a piece is a step. */
static nd_status take_piece(nd_read_ahead *a, nd_error *error) {
    size_t size = a->threads < 2 ? STEP : PIECE;
    if (a->running) {
        piece before = a->now;
        ND_TRY(nd_async_task_wait(a->task, error));
        a->now = a->next;
        a->next = before;
        a->running = false;
    } else {
        ND_TRY(allocate_piece(a, &a->now, size, error));
        decode_piece(a, &a->now, size);
    }
    a->over = a->now.size < size || a->now.failure.status != ND_OK;
    return a->over || a->threads < 2 ? ND_OK : begin_next(a, error);
}

/* Decodes whole steps to where the caller wants them. Returns the number of bytes. */
static size_t decode_in_place(nd_read_ahead *a, unsigned char *out, size_t size) {
    size_t whole = size / STEP * STEP, got = decode_steps(a, out, whole, &a->now.failure);
    a->now.position = a->source->position;
    a->over = got < whole || a->now.failure.status != ND_OK;
    return got;
}

nd_status nd_read_ahead_read(nd_read_ahead *a, void *buffer, size_t size, size_t *got,
                             nd_error *error) {
    unsigned char *out = buffer;
    for (*got = 0; *got < size;) {
        piece *p = &a->now;
        size_t left = p->size - p->given, taken = left < size - *got ? left : size - *got;
        if (taken > 0) memcpy(out + *got, p->bytes + p->given, taken);
        p->given += taken;
        *got += taken;
        if (taken > 0) continue;
        if (p->failure.status != ND_OK)
            return nd_fail(error, p->failure.status, "%s", p->failure.message);
        if (a->over) break;
        if (a->threads < 2 && size - *got >= STEP)
            *got += decode_in_place(a, out + *got, size - *got);
        else ND_TRY(take_piece(a, error));
    }
    return ND_OK;
}

uint64_t nd_read_ahead_position(const nd_read_ahead *a) { return a->now.position; }
