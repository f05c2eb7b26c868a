#include "storage/write_ahead_log.h"

#include "base/hash.h"
#include "base/limits.h"
#include "io/file.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#define MAGIC "nd-log\r\n"

enum {
    VERSION = 1,
    SECTOR = 512,
    HEAD = SECTOR, /* bytes before the records */
    HEAD_HASHED = 504,
    ALIGN = 16,  /* records begin at multiples of it */
    HEADER = 16, /* bytes of a record's header; always within one sector */
    WITNESS = 0xff,
    LAST = 0x8000,                  /* flag beside the type: the record is the last of its group */
    MARK = 0,                       /* type of a mark */
    RETRIES = 3,                    /* damage is read again so often, a millisecond apart */
    PIECE = ND_LIMIT(1 << 18, 256), /* bytes read or written at a time */
    KEPT_GROUP = ND_LIMIT(4 << 20, 512), /* a larger buffer is freed after its group is written */
    UNMARKED = ND_LIMIT(4 << 20, 2048),  /* a group so far behind a mark is synced at once */
};

/* ---- the bytes of a record */

/* Mixes one 8-byte word into the 64-bit state. For a given word the step is a bijection of the
 * state, and for a given state one of the word. So payloads that differ in exactly one word always
 * differ in the 64-bit hash; only the cut to the 56 stored bits can make them equal. And no word
 * makes the hash forget the words before it, as a factor of zero does in hashes that multiply
 * words. */
static inline uint64_t hash_word(uint64_t hash, uint64_t word) {
    return nd_rotl64(hash ^ word, 29) * ND_HASH_POLY;
}

/* The hash is keyed with the number of the log and the offset of the record, so that no record of
 * another log, and no other record of this one, is mistaken for it. */
static uint64_t hash_begin(uint64_t number, uint64_t offset) {
    return nd_mix64(nd_mix64(number + ND_HASH_C0) + offset);
}

static uint64_t hash_bytes(uint64_t hash, const unsigned char *bytes, size_t size) {
    for (; size >= 8; bytes += 8, size -= 8) hash = hash_word(hash, nd_load_le64(bytes));
    return size > 0 ? hash_word(hash, nd_load_partial(bytes, size)) : hash;
}

typedef struct header {
    uint32_t size;
    uint16_t kind; /* type, with LAST */
    uint16_t check;
    uint64_t hash; /* 56 bits */
    bool witness;  /* set */
} header;

/* The factors are odd, so a header in which one of the four 16-bit words (the check is one of them)
 * is wrong never fits. This must be certain: with a wrong size that fits, the witnesses would be
 * looked for at wrong offsets. */
static uint16_t check_of(uint64_t begin, uint32_t size, uint16_t kind) {
    return (uint16_t)(begin + (size & 0xffff) * ND_HASH_C0 + (size >> 16) * ND_HASH_C1 +
                      kind * ND_HASH_C2);
}

static uint64_t hash_end(uint64_t hash, uint32_t size, uint16_t kind) {
    return nd_mix64(hash_word(hash, size | (uint64_t)kind << 32)) & (~UINT64_C(0) >> 8);
}

static void store_header(unsigned char *to, uint64_t begin, uint64_t payload_hash, uint32_t size,
                         uint16_t kind) {
    nd_store_le64(to, size | (uint64_t)kind << 32 | (uint64_t)check_of(begin, size, kind) << 48);
    nd_store_le64(to + 8, hash_end(payload_hash, size, kind) | (uint64_t)WITNESS << 56);
}

static header load_header(const unsigned char *from) {
    uint64_t low = nd_load_le64(from), high = nd_load_le64(from + 8);
    return (header){.size = (uint32_t)low,
                    .kind = (uint16_t)(low >> 32),
                    .check = (uint16_t)(low >> 48),
                    .hash = high & (~UINT64_C(0) >> 8),
                    .witness = high >> 56 != 0};
}

/* The end of the record at `offset`. `room` is the space before the witness of the first sector;
 * `witnesses` counts those that have bytes of the payload behind them. */
static uint64_t record_end(uint64_t offset, uint32_t size) {
    uint64_t body = offset + HEADER, room = SECTOR - 1 - body % SECTOR, witnesses = 0;
    if (size == 0) return body;
    if (size > room) witnesses = (size - room + SECTOR - 2) / (SECTOR - 1);
    return (body + size + witnesses + ALIGN) / ALIGN * ALIGN;
}

/* Stores a payload with its witnesses and zeros, for the bytes [at, end) of the file. */
static void frame(unsigned char *to, uint64_t at, uint64_t end, const unsigned char *payload,
                  size_t size) {
    while (size > 0) {
        size_t room = SECTOR - 1 - (size_t)(at % SECTOR), n = size < room ? size : room;
        memcpy(to, payload, n);
        to += n;
        at += n;
        payload += n;
        size -= n;
        if (at % SECTOR == SECTOR - 1) {
            *to++ = WITNESS;
            at++;
        }
    }
    if (at == end) return;
    memset(to, 0, (size_t)(end - at));
    to[end - at - 1] = WITNESS;
}

/* Takes the witnesses out of the bytes [at, end) of the file, in place. False: one of them is zero.
 */
static bool unframe(unsigned char *body, uint64_t at, uint64_t end, size_t size) {
    const unsigned char *from = body;
    bool whole = true;
    while (size > 0) {
        size_t room = SECTOR - 1 - (size_t)(at % SECTOR), n = size < room ? size : room;
        memmove(body, from, n);
        body += n;
        from += n;
        at += n;
        size -= n;
        if (at % SECTOR == SECTOR - 1) {
            whole &= *from++ != 0;
            at++;
        }
    }
    return whole && (at == end || from[end - at - 1] != 0);
}

static bool is_mark(const unsigned char *bytes, uint64_t begin) {
    header h = load_header(bytes);
    return h.size == 0 && h.kind == MARK && h.check == check_of(begin, 0, MARK) &&
           h.hash == hash_end(begin, 0, MARK);
}

/* ---- the head of the file; its format is the same in every version */

static uint64_t head_hash(const unsigned char *head) {
    return nd_mix64(hash_bytes(ND_HASH_C1, head, HEAD_HASHED));
}

static void store_head(unsigned char *head, uint64_t number) {
    memset(head, 0, HEAD);
    memcpy(head, MAGIC, 8);
    nd_store_le32(head + 8, VERSION);
    nd_store_le64(head + 16, number);
    nd_store_le64(head + HEAD_HASHED, head_hash(head));
}

static nd_status check_head(int fd, const char *path, uint64_t number, uint64_t size,
                            nd_error *error) {
    unsigned char head[HEAD];
    if (size < HEAD + ALIGN)
        return nd_fail(error, ND_ERR_CORRUPT, "%s: cut off at byte %llu", path,
                       (unsigned long long)size);
    ND_TRY(nd_file_read_at(fd, head, HEAD, 0, path, error));
    if (memcmp(head, MAGIC, 8) != 0 || nd_load_le64(head + HEAD_HASHED) != head_hash(head))
        return nd_fail(error, ND_ERR_CORRUPT,
                       "%s: damaged, or no log: the head at byte 0 is not that of one", path);
    uint32_t version = nd_load_le32(head + 8);
    if (version != VERSION)
        return nd_fail(
            error, ND_ERR_ARGUMENT,
            "%s: in version %u of the format, of a newer neardup: this one reads version %u", path,
            version, VERSION);
    uint64_t found = nd_load_le64(head + 16);
    if (found != number)
        return nd_fail(error, ND_ERR_CORRUPT, "%s: another log: number %llu at byte 16", path,
                       (unsigned long long)found);
    if (size % ND_WAL_STEP != 0)
        return nd_fail(error, ND_ERR_CORRUPT, "%s: cut off at byte %llu: not a multiple of %d",
                       path, (unsigned long long)size, ND_WAL_STEP);
    return ND_OK;
}

bool nd_wal_is(const char *path, uint64_t number) {
    unsigned char head[HEAD];
    int fd;
    if (nd_file_open(path, ND_OPEN_READ, &fd, NULL) != ND_OK) return false;
    nd_status status = nd_file_read_at(fd, head, HEAD, 0, path, NULL);
    nd_file_close(fd);
    return status == ND_OK && memcmp(head, MAGIC, 8) == 0 &&
           nd_load_le64(head + HEAD_HASHED) == head_hash(head) && nd_load_le64(head + 16) == number;
}

/* ---- reading */

typedef struct reader {
    const nd_allocator *allocator;
    const char *path;
    uint64_t number;
    int fd;
    uint64_t size;   /* of the file */
    uint64_t group;  /* offset of the group that is being read */
    uint64_t offset; /* of its next record */
    bool torn;
    unsigned char *bytes; /* a part of the file; payloads before `offset` are without witnesses */
    uint64_t base;        /* offset of that part, <= group */
    size_t held, capacity;
} reader;

/* Loads the file's bytes up to `end` <= size, and drops those before `keep`. */
static nd_status hold(reader *r, uint64_t keep, uint64_t end, nd_error *error) {
    if (end <= r->base + r->held) return ND_OK;
    size_t rest = (size_t)(r->base + r->held - keep);
    if (rest > 0) memmove(r->bytes, r->bytes + (keep - r->base), rest);
    r->base = keep;
    r->held = rest;
    uint64_t want = end - keep + PIECE;
    if (want > r->size - keep) want = r->size - keep;
    if (want > SIZE_MAX || !nd_reserve(r->allocator, &r->bytes, &r->capacity, (size_t)want))
        return nd_fail_memory(error, (size_t)want, "a group of the log");
    ND_TRY(
        nd_file_read_at(r->fd, r->bytes + rest, (size_t)want - rest, keep + rest, r->path, error));
    r->held = (size_t)want;
    return ND_OK;
}

static nd_status damage(const reader *r, const char *what, uint64_t offset, nd_error *error) {
    return nd_fail(error, ND_ERR_CORRUPT, "%s: damaged: %s at byte %llu", r->path, what,
                   (unsigned long long)offset);
}

/* Reads the record at r->offset; its payload then lies behind its header in memory. *found is false
 * at the end of the log and for a torn record. Whether a record is torn or damaged: (1) and (2). */
static nd_status read_record(reader *r, header *h, bool *found, nd_error *error) {
    uint64_t offset = r->offset, begin = hash_begin(r->number, offset);
    *found = false;
    if (offset + ALIGN > r->size)
        return damage(r, "cut off behind the record that ends", offset, error);
    ND_TRY(hold(r, r->group, offset + HEADER, error));
    const unsigned char *bytes = r->bytes + (offset - r->base);
    if ((nd_load_le64(bytes) | nd_load_le64(bytes + 8)) == 0) return ND_OK;
    *h = load_header(bytes);
    if (h->check != check_of(begin, h->size, h->kind))
        return h->witness ? damage(r, "the header of a record", offset, error) : ND_OK;
    uint64_t end = record_end(offset, h->size);
    if (h->size > ND_WAL_MAX_RECORD || end + ALIGN > r->size)
        return damage(r, "the file is cut off in, or right behind, the record", offset, error);
    ND_TRY(hold(r, r->group, end, error));
    unsigned char *payload = r->bytes + (offset - r->base) + HEADER;
    bool whole = unframe(payload, offset + HEADER, end, h->size);
    if (h->hash != hash_end(hash_bytes(begin, payload, h->size), h->size, h->kind))
        return h->witness && whole ? damage(r, "a record", offset, error) : ND_OK;
    if ((h->kind & (LAST - 1)) == MARK && (h->size > 0 || h->kind != MARK || offset != r->group))
        return damage(r, "a mark that cannot be", offset, error);
    *found = true;
    r->offset = end;
    return ND_OK;
}

/* Scans the file behind the last whole group. Bytes that are not zero are torn, unless a mark among
 * them proves that the records before it were on disk: then these are damaged (4). */
static nd_status scan_rest(reader *r, nd_error *error) {
    r->torn = false;
    r->base = r->group;
    r->held = 0;
    for (uint64_t offset = r->group; offset < r->size; offset += ALIGN) {
        ND_TRY(hold(r, offset, offset + ALIGN, error));
        const unsigned char *bytes = r->bytes + (offset - r->base);
        if ((nd_load_le64(bytes) | nd_load_le64(bytes + 8)) == 0) continue;
        r->torn = true;
        if (offset > r->group && is_mark(bytes, hash_begin(r->number, offset)))
            return damage(r, "records missing or not whole", r->group, error);
    }
    return ND_OK;
}

/* Reads the group at r->group, up to r->offset. *whole is false if there is no whole group. */
static nd_status read_group(reader *r, bool *whole, nd_error *error) {
    header h = {0};
    r->offset = r->group;
    do {
        ND_TRY(read_record(r, &h, whole, error));
        if (!*whole) return scan_rest(r, error);
    } while (!(h.kind & LAST));
    return ND_OK;
}

/* The same, but damage is read again: bytes that are read while another process writes them may mix
 * two moments. */
static nd_status read_group_with_retries(reader *r, bool *whole, nd_error *error) {
    for (unsigned retries = 0;; retries++) {
        nd_status status = read_group(r, whole, error);
        if (status != ND_ERR_CORRUPT || retries == RETRIES) return status;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        r->base = r->group;
        r->held = 0;
        ND_TRY(nd_file_size(r->fd, &r->size, r->path, error));
    }
}

static nd_status deliver_group(const reader *r, nd_wal_record_fn *fn, void *context,
                               nd_error *error) {
    for (uint64_t offset = r->group; offset < r->offset;) {
        const unsigned char *bytes = r->bytes + (offset - r->base);
        header h = load_header(bytes);
        if (h.kind != MARK)
            ND_TRY(fn(context, (uint16_t)(h.kind & (LAST - 1)), bytes + HEADER, h.size, error));
        offset = record_end(offset, h.size);
    }
    return ND_OK;
}

static nd_status read_groups(reader *r, nd_wal_record_fn *fn, void *context, nd_error *error) {
    ND_TRY(nd_file_size(r->fd, &r->size, r->path, error));
    ND_TRY(check_head(r->fd, r->path, r->number, r->size, error));
    for (bool whole = true; whole; r->group = r->offset) {
        ND_TRY(read_group_with_retries(r, &whole, error));
        if (!whole) return ND_OK;
        ND_TRY(deliver_group(r, fn, context, error));
    }
    return ND_OK;
}

nd_status nd_wal_read(const char *path, uint64_t number, nd_wal_record_fn *fn, void *context,
                      const nd_allocator *allocator, nd_wal_tail *tail, nd_error *error) {
    reader r = {
        .allocator = allocator, .path = path, .number = number, .group = HEAD, .base = HEAD};
    ND_TRY(nd_file_open(path, ND_OPEN_READ, &r.fd, error));
    nd_status status = read_groups(&r, fn, context, error);
    nd_file_close(r.fd);
    nd_release(allocator, r.bytes);
    *tail = (nd_wal_tail){.end = r.group, .torn = r.torn};
    return status;
}

/* ---- writing */

/* A group, as it will stand in the file from `begin` on. */
typedef struct group {
    uint64_t begin;
    unsigned char *bytes;
    size_t used, capacity;
} group;

struct nd_wal {
    nd_allocator allocator;
    char *path;
    uint64_t number;
    int fd;
    group current;   /* begins where the last group ends */
    bool durable;    /* state DURABLE: everything before the current group is on disk */
    uint64_t marked; /* offset of the last mark */
    /* The last record of the group. Its header is stored later, when it is known whether the record
     * stays the last one. */
    uint64_t last; /* offset in the file */
    uint64_t last_hash;
    uint32_t last_size;
    uint16_t last_type;
    nd_error failure;        /* of a commit */
    atomic_bool failed;      /* state FAILED: a commit or nd_wal_sync has failed */
    pthread_mutex_t syncing; /* one sync at a time; taken before `writing` */
    pthread_mutex_t writing; /* one write at a time, beside a sync. Under it: */
    uint64_t size;           /* of the file */
    group sealed;            /* a group that has ended; `used` 0: there is none */
};

/* The caller closes *out even after a failure. */
static nd_status make(const char *path, uint64_t number, const nd_allocator *allocator,
                      nd_wal **out, nd_error *error) {
    nd_wal *log = *out = nd_allocate_zero(allocator, 1, sizeof *log);
    if (!log) return nd_fail_memory(error, sizeof *log, path);
    *log = (nd_wal){.allocator = *allocator, .number = number, .fd = -1, .durable = true};
    pthread_mutex_init(&log->syncing, NULL);
    pthread_mutex_init(&log->writing, NULL);
    log->path = nd_string_join(allocator, path, "", "");
    return log->path ? ND_OK : nd_fail_memory(error, strlen(path), "a path");
}

static nd_status write_head(nd_wal *log, nd_error *error) {
    unsigned char head[HEAD];
    store_head(head, log->number);
    log->current.begin = HEAD;
    log->size = ND_WAL_STEP;
    ND_TRY(nd_file_resize(log->fd, log->size, log->path, error));
    ND_TRY(nd_file_write_at(log->fd, head, HEAD, 0, log->path, error));
    return nd_file_sync(log->fd, log->path, error);
}

static nd_status begin_file(nd_wal *log, nd_error *error) {
    char *unfinished = nd_string_join(&log->allocator, log->path, ND_UNFINISHED, "");
    if (!unfinished) return nd_fail_memory(error, strlen(log->path), "a path");
    nd_status status = nd_file_create(unfinished, &log->fd, error);
    if (status == ND_OK) {
        status = write_head(log, error);
        if (status == ND_OK)
            status = nd_file_name_finally(unfinished, log->path, &log->allocator, error);
        if (status != ND_OK) nd_file_remove(unfinished, NULL);
    }
    nd_release(&log->allocator, unfinished);
    return status;
}

nd_status nd_wal_create(const char *path, uint64_t number, const nd_allocator *allocator,
                        nd_wal **out, nd_error *error) {
    nd_wal *log;
    nd_status status = make(path, number, allocator, &log, error);
    if (status == ND_OK) status = begin_file(log, error);
    if (status != ND_OK) {
        nd_wal_close(log);
        return status;
    }
    *out = log;
    return ND_OK;
}

static nd_status write_zeros(const nd_wal *log, const unsigned char *zeros, uint64_t begin,
                             uint64_t end, nd_error *error) {
    for (uint64_t n; begin < end; begin += n) {
        n = end - begin < PIECE ? end - begin : PIECE;
        ND_TRY(nd_file_write_at(log->fd, zeros, (size_t)n, begin, log->path, error));
    }
    return ND_OK;
}

/* Cuts the log behind its last group by zeroing the rest of the file. The torn record's 16-byte
 * header is zeroed and synced first, and in it the witness byte first of all. Otherwise a reader
 * could find a header whose witness is still set before bytes already zeroed, and report a torn
 * record as damaged (6). */
static nd_status drop_torn(const nd_wal *log, const unsigned char *zeros, nd_error *error) {
    ND_TRY(write_zeros(log, zeros, log->current.begin + HEADER - 1, log->current.begin + HEADER,
                       error));
    ND_TRY(write_zeros(log, zeros, log->current.begin, log->current.begin + HEADER, error));
    ND_TRY(nd_file_sync(log->fd, log->path, error));
    return write_zeros(log, zeros, log->current.begin + HEADER, log->size, error);
}

/* Writes the bytes from log->current.begin back to the last mark again (7). Everything before a
 * mark is on disk already (4). */
static nd_status write_again(const nd_wal *log, unsigned char *bytes, nd_error *error) {
    bool marked = false;
    for (uint64_t begin = log->current.begin, n; begin > HEAD && !marked;) {
        n = begin - HEAD < PIECE ? begin - HEAD : PIECE;
        begin -= n;
        ND_TRY(nd_file_read_at(log->fd, bytes, (size_t)n, begin, log->path, error));
        ND_TRY(nd_file_write_at(log->fd, bytes, (size_t)n, begin, log->path, error));
        for (size_t i = 0; i < n && !marked; i += ALIGN)
            marked = is_mark(bytes + i, hash_begin(log->number, begin + i));
    }
    return ND_OK;
}

static nd_status recover(nd_wal *log, nd_wal_tail tail, nd_error *error) {
    log->current.begin = tail.end;
    ND_TRY(nd_file_size(log->fd, &log->size, log->path, error));
    ND_TRY(check_head(log->fd, log->path, log->number, log->size, error));
    if (log->current.begin + ALIGN > log->size)
        return nd_fail(error, ND_ERR_CORRUPT, "%s: cut off at byte %llu", log->path,
                       (unsigned long long)log->size);
    unsigned char *piece = nd_allocate_zero(&log->allocator, PIECE, 1);
    if (!piece) return nd_fail_memory(error, PIECE, log->path);
    nd_status status = tail.torn ? drop_torn(log, piece, error) : ND_OK;
    if (status == ND_OK) status = write_again(log, piece, error);
    if (status == ND_OK) status = nd_file_sync(log->fd, log->path, error);
    nd_release(&log->allocator, piece);
    return status;
}

nd_status nd_wal_open(const char *path, uint64_t number, nd_wal_tail tail,
                      const nd_allocator *allocator, nd_wal **out, nd_error *error) {
    nd_wal *log;
    nd_status status = make(path, number, allocator, &log, error);
    if (status == ND_OK) status = nd_file_open(path, ND_OPEN_READ_WRITE, &log->fd, error);
    if (status == ND_OK) status = recover(log, tail, error);
    if (status != ND_OK) {
        nd_wal_close(log);
        return status;
    }
    *out = log;
    return ND_OK;
}

/* Stores the header of the last record. `last` is LAST if it ends the group, otherwise 0. */
static void store_last_header(nd_wal *log, uint16_t last) {
    uint64_t begin = hash_begin(log->number, log->last);
    store_header(log->current.bytes + (log->last - log->current.begin), begin, log->last_hash,
                 log->last_size, log->last_type | last);
}

static void store_mark(nd_wal *log) {
    uint64_t begin = hash_begin(log->number, log->current.begin);
    store_header(log->current.bytes, begin, begin, 0, MARK);
    log->marked = log->current.begin;
}

nd_status nd_wal_append(nd_wal *log, uint16_t type, const void *payload, size_t size,
                        nd_error *error) {
    group *g = &log->current;
    if (log->failure.status != ND_OK) return nd_fail_as(error, &log->failure);
    if (type == MARK || type >= LAST)
        return nd_fail(error, ND_ERR_ARGUMENT, "the type of a log record must be 1 to %d, not %u",
                       LAST - 1, type);
    if (size > ND_WAL_MAX_RECORD)
        return nd_fail(error, ND_ERR_ARGUMENT, "a log record must be of at most %u bytes, not %zu",
                       ND_WAL_MAX_RECORD, size);
    bool first = g->used == 0, mark = first && log->durable;
    uint64_t offset = g->begin + g->used + (mark ? HEADER : 0),
             end = record_end(offset, (uint32_t)size);
    if (end - g->begin > SIZE_MAX ||
        !nd_reserve(&log->allocator, &g->bytes, &g->capacity, (size_t)(end - g->begin)))
        return nd_fail_memory(error, (size_t)(end - g->begin), "a group of the log");
    if (mark) store_mark(log);
    if (!first) store_last_header(log, 0);
    frame(g->bytes + (offset - g->begin) + HEADER, offset + HEADER, end, payload, size);
    log->last = offset;
    log->last_hash = hash_bytes(hash_begin(log->number, offset), payload, size);
    log->last_size = (uint32_t)size;
    log->last_type = type;
    g->used = (size_t)(end - g->begin);
    return ND_OK;
}

/* Makes the file at least `need` bytes long. The caller syncs before it writes to the new part (1).
 */
static nd_status extend(nd_wal *log, uint64_t need, nd_error *error) {
    log->size = (need + ND_WAL_STEP - 1) / ND_WAL_STEP * ND_WAL_STEP;
    return nd_file_resize(log->fd, log->size, log->path, error);
}

/* Writes the sealed group, if there is one. Sets *sync if the caller must sync. It must if the file
 * is nearly full, which is then extended for some more groups of this size: one sync makes the
 * group durable and the new part ready for records, so that no later group has to wait for two.
 * Without `may_sync` a file that is full already is left as it is. */
static nd_status write_sealed(nd_wal *log, bool may_sync, bool *sync, nd_error *error) {
    group *g = &log->sealed;
    const uint64_t end = g->begin + g->used, groups = 4 * (uint64_t)g->used,
                   ahead = groups > ND_WAL_STEP ? groups : ND_WAL_STEP;
    if (g->used == 0) return ND_OK;
    *sync = log->size < end + ahead / 2;
    if (log->size < end + ALIGN) {
        if (!may_sync) return ND_OK;
        ND_TRY(extend(log, end + ALIGN, error));
        ND_TRY(nd_file_sync(log->fd, log->path, error));
    }
    ND_TRY(nd_file_write_at(log->fd, g->bytes, g->used, g->begin, log->path, error));
    g->used = 0;
    if (g->capacity > KEPT_GROUP) {
        nd_release(&log->allocator, g->bytes);
        *g = (group){0};
    }
    return *sync ? extend(log, end + ahead, error) : ND_OK;
}

/* Writes the sealed group. With `may_sync` also syncs, if the caller must: before another thread
 * writes to the new part of a longer file (1). */
static nd_status write_alone(nd_wal *log, bool may_sync, bool *sync, nd_error *error) {
    pthread_mutex_lock(&log->writing);
    nd_status status = atomic_load(&log->failed)
                           ? nd_fail(error, ND_ERR_IO, "%s: a write or sync of it has failed",
                                     log->path)
                           : write_sealed(log, may_sync, sync, error);
    if (status == ND_OK && may_sync && *sync) status = nd_file_sync(log->fd, log->path, error);
    if (status != ND_OK) atomic_store(&log->failed, true);
    pthread_mutex_unlock(&log->writing);
    return status;
}

/* The system reports a failed write to one sync only. So only one sync runs at a time, and none is
 * tried after a failure (8). */
nd_status nd_wal_sync(nd_wal *log, nd_error *error) {
    bool synced = false; /* already, by the write */
    pthread_mutex_lock(&log->syncing);
    nd_status status = write_alone(log, true, &synced, error);
    if (status == ND_OK && !synced) status = nd_file_sync(log->fd, log->path, error);
    if (status != ND_OK) atomic_store(&log->failed, true);
    pthread_mutex_unlock(&log->syncing);
    return status;
}

/* Writes the sealed group. *sync: syncs, too; then whether it has done that. */
static nd_status put_sealed(nd_wal *log, bool *sync, nd_error *error) {
    if (!*sync) ND_TRY(write_alone(log, false, sync, error));
    return *sync ? nd_wal_sync(log, error) : ND_OK;
}

/* Ends the current group. REQUIRES: no group is sealed. */
static void seal(nd_wal *log) {
    store_last_header(log, LAST);
    pthread_mutex_lock(&log->writing);
    group free = log->sealed;
    log->sealed = log->current;
    log->current = free;
    log->current.begin = log->sealed.begin + log->sealed.used;
    pthread_mutex_unlock(&log->writing);
    log->durable = false;
}

/* Writes the groups. A longer file brings a mark at least once per ND_WAL_STEP bytes, or per few
 * groups, which bounds the bytes that an opening writes again (7). */
static nd_status commit(nd_wal *log, bool sync, nd_error *error) {
    bool synced = false;
    ND_TRY(put_sealed(log, &synced, error));
    if (log->current.used > 0) seal(log);
    if (log->durable) return ND_OK;
    ND_TRY(put_sealed(log, &sync, error));
    log->durable = sync;
    return ND_OK;
}

static nd_status check_not_failed(const nd_wal *log, nd_error *error) {
    if (log->failure.status != ND_OK) return nd_fail_as(error, &log->failure);
    if (atomic_load(&log->failed))
        return nd_fail(error, ND_ERR_IO, "%s: a sync of it has failed", log->path);
    return ND_OK;
}

static nd_status try_to_commit(nd_wal *log, bool sync, nd_error *error) {
    ND_TRY(check_not_failed(log, error));
    if (commit(log, sync, &log->failure) == ND_OK) return ND_OK;
    return nd_fail_as(error, &log->failure); /* state FAILED */
}

nd_status nd_wal_commit(nd_wal *log, nd_error *error) { return try_to_commit(log, false, error); }

nd_status nd_wal_commit_and_sync(nd_wal *log, nd_error *error) {
    return try_to_commit(log, true, error);
}

nd_status nd_wal_seal(nd_wal *log, nd_error *error) {
    bool synced = false, far = nd_wal_size(log) - log->marked > UNMARKED;
    if (far) return nd_wal_commit_and_sync(log, error);
    ND_TRY(check_not_failed(log, error));
    if (log->current.used == 0) return ND_OK;
    if (put_sealed(log, &synced, &log->failure) != ND_OK) return nd_fail_as(error, &log->failure);
    seal(log);
    return ND_OK;
}

bool nd_wal_has_group(const nd_wal *log) { return log->current.used > 0; }

uint64_t nd_wal_size(const nd_wal *log) { return log->current.begin + log->current.used; }

void nd_wal_close(nd_wal *log) {
    if (!log) return;
    nd_file_close(log->fd);
    pthread_mutex_destroy(&log->writing);
    pthread_mutex_destroy(&log->syncing);
    nd_allocator allocator = log->allocator;
    nd_release(&allocator, log->current.bytes);
    nd_release(&allocator, log->sealed.bytes);
    nd_release(&allocator, log->path);
    nd_release(&allocator, log);
}
