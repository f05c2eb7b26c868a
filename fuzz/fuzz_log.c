/* The input is the bytes of a write-ahead log. */
#include "storage/write_ahead_log.c" /* for its static functions: hashes and framing */

#include "small_index.h"
#include "store/store_inside.h"
#include "target.h"

#include <stdlib.h>

enum { MOST_BYTES = 1 << 14, MOST_RECORDS = MOST_BYTES / ALIGN };

static const small_file *file(void) { return small_index_file("log-"); }

/* ---- reading and rewriting the records of a log */

typedef struct record {
    uint16_t kind; /* type and LAST */
    size_t size;
    unsigned char *payload;
} record;

static record records[MOST_RECORDS];
static size_t record_count;
static unsigned char payloads[2 * MOST_BYTES]; /* payloads of the records, as they were read */

/* Accepts any header whose record fits in the file. Returns the end of the last record. */
static size_t take_records(const uint8_t *bytes, size_t size) {
    unsigned char *to = payloads;
    uint64_t at = HEAD;
    record_count = 0;
    while (at + HEADER <= size && record_count < MOST_RECORDS) {
        header h = load_header(bytes + at);
        uint64_t end = record_end(at, h.size);
        if ((nd_load_le64(bytes + at) | nd_load_le64(bytes + at + 8)) == 0 || h.size > size ||
            end > size)
            break;
        memcpy(to, bytes + at + HEADER, (size_t)(end - at) - HEADER);
        unframe(to, at + HEADER, end, h.size);
        records[record_count++] = (record){h.kind, h.size, to};
        to += end - at - HEADER;
        at = end;
    }
    return (size_t)at;
}

/* Writes as many records as fit, with their right hashes. Returns the end of the last record. */
static size_t put_records(uint8_t *bytes, size_t room) {
    uint64_t number = small_index_number(file()), at = HEAD;
    for (size_t i = 0; i < record_count; i++) {
        const record *r = &records[i];
        uint64_t begin = hash_begin(number, at), end = record_end(at, (uint32_t)r->size);
        if (end > room) break;
        frame(bytes + at + HEADER, at + HEADER, end, r->payload, r->size);
        store_header(bytes + at, begin, hash_bytes(begin, r->payload, r->size), (uint32_t)r->size,
                     r->kind);
        at = end;
    }
    return (size_t)at;
}

/* ---- mutations */

/* Corrects the hashes in place. The bytes behind the records stay. */
static void seal_again(uint8_t *bytes, size_t size) {
    if (size < HEAD) return;
    nd_store_le64(bytes + HEAD_HASHED, head_hash(bytes));
    put_records(bytes, take_records(bytes, size));
}

/* Inserts a record before record i. */
static void insert(size_t i, record r) {
    if (record_count == MOST_RECORDS) return;
    memmove(records + i + 1, records + i, (record_count - i) * sizeof *records);
    records[i] = r;
    record_count++;
}

static void change_payload(record *r, uint64_t *random) {
    static unsigned char changed[MOST_BYTES];
    if (r->size > MOST_BYTES / 2) return;
    memcpy(changed, r->payload, r->size);
    r->size = mutate_bytes(changed, r->size, r->size + 64, random);
    r->payload = changed;
}

static void change_records(uint64_t *random) {
    static unsigned char number[4];
    size_t i = random_below(random, record_count), j = random_below(random, record_count);
    record one = records[i];
    switch (random_below(random, 8)) {
    case 0: insert(j, one); break;
    case 1: memmove(records + i, records + i + 1, (--record_count - i) * sizeof *records); break;
    case 2:
        records[i] = records[j];
        records[j] = one;
        break;
    case 3: records[i].kind ^= LAST; break;
    case 4: records[i].kind = (uint16_t)(random_below(random, 4) | (records[i].kind & LAST)); break;
    case 5: /* a removal of any document */
        nd_store_le32(number, (uint32_t)random_below(random, 16));
        insert(j, (record){ND_LOG_REMOVE | LAST, sizeof number, number});
        break;
    default: change_payload(&records[i], random);
    }
}

/* Writes changed records behind the same head, and zeros behind them. */
static size_t mutate_records(uint8_t *bytes, size_t most, uint64_t *random) {
    change_records(random);
    size_t end = put_records(bytes, most / ND_WAL_STEP * ND_WAL_STEP - ALIGN),
           size = (end + ALIGN + ND_WAL_STEP - 1) / ND_WAL_STEP * ND_WAL_STEP;
    memset(bytes + end, 0, size - end);
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed) {
    uint64_t random = seed;
    if (size > MOST_BYTES || most > MOST_BYTES)
        target_fail("inputs are of at most %d bytes", MOST_BYTES);
    if (random_below(&random, 3) > 0 && size > HEAD && most >= ND_WAL_STEP) {
        take_records(bytes, size);
        if (record_count > 0) return mutate_records(bytes, most, &random);
    }
    size = mutate_bytes(bytes, size, most, &random);
    if (random_below(&random, 4) > 0) seal_again(bytes, size);
    return size;
}

/* ---- the target */

/* A document whose set has one upper part more, or less, than values. */
static void write_seed_set(const char *directory) {
    unsigned char bytes[MOST_BYTES];
    size_t size = file()->size, i = 0;
    if (size > sizeof bytes) target_fail("%s: too large to begin with", file()->name);
    memcpy(bytes, file()->bytes, size);
    size_t end = take_records(bytes, size);
    while (i < record_count && (records[i].kind & (LAST - 1)) != ND_LOG_ADD) i++;
    if (i == record_count) target_fail("%s: no document to begin with", file()->name);
    records[i].payload[records[i].size - 1] ^= 1;
    put_records(bytes, end);
    target_write_seed(directory, "set", bytes, size);
}

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    small_index_make();
    const char *seeds = target_seeds(*count, *arguments);
    if (!seeds) return 0;
    target_write_seed(seeds, "whole", file()->bytes, file()->size);
    write_seed_set(seeds);
    exit(0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    small_index_lay(file(), bytes, size);
    small_index_use();
    return 0;
}
