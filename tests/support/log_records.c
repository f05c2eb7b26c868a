#include "log_records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

log_record log_records[LOG_MOST_RECORDS];
size_t log_record_count, log_group_count;

void log_forget_from(size_t groups) {
    while (log_record_count > 0 &&
           (log_group_count > groups || !log_records[log_record_count - 1].last)) {
        free(log_records[--log_record_count].payload);
        log_group_count -= log_records[log_record_count].last;
    }
}

size_t log_random_size(uint64_t *seed) {
    switch (random_below(seed, 6)) {
    case 0: return random_below(seed, 4);
    case 1: return random_below(seed, 40);
    case 2: return 470 + random_below(seed, 50);
    case 3: return 500 + random_below(seed, 30) + 511 * random_below(seed, 3);
    case 4: return random_below(seed, 600);
    default: return random_below(seed, 2500);
    }
}

/* Payloads that look like bytes never written (zeros, zeros at the end), or like other records (the
 * file's own bytes). */
static void fill_payload(log_record *e, uint64_t *seed) {
    e->payload = malloc(e->size + 1);
    assert_non_null(e->payload);
    for (size_t i = 0; i < e->size; i++) e->payload[i] = (unsigned char)random_next(seed);
    size_t kind = random_below(seed, 5), zeros = kind == 0   ? e->size
                                                 : kind == 1 ? random_below(seed, e->size + 1)
                                                             : 0;
    memset(e->payload + (e->size - zeros), 0, zeros);
    FILE *f = kind == 2 ? fopen("log", "r") : NULL;
    if (!f) return;
    assert_int_equal(fseek(f, (long)(LOG_HEAD + 16 * random_below(seed, 20)), SEEK_SET), 0);
    size_t n = fread(e->payload, 1, e->size, f);
    assert_true(n <= e->size);
    fclose(f);
}

void log_append_record(nd_wal *log, uint16_t type, size_t size, bool last, uint64_t *seed) {
    nd_error error;
    log_record *e = &log_records[log_record_count];
    assert_true(log_record_count < LOG_MOST_RECORDS);
    *e = (log_record){.type = type, .last = last, .size = size};
    fill_payload(e, seed);
    assert_int_equal(nd_wal_append(log, e->type, e->payload, e->size, &error), ND_OK);
    log_record_count++;
    log_group_count += last;
}

void log_append_group(nd_wal *log, uint64_t *seed) {
    for (size_t left = 1 + random_below(seed, 4); left > 0; left--) {
        uint16_t type = (uint16_t)(1 + random_below(seed, 0x7fff));
        log_append_record(log, type, log_random_size(seed), left == 1, seed);
    }
}

nd_status log_compare_record(void *context, uint16_t type, const unsigned char *payload,
                             size_t size, nd_error *error) {
    (void)error;
    log_given *g = context;
    assert_true(g->records < log_record_count);
    const log_record *e = &log_records[g->records++];
    assert_int_equal(type, e->type);
    assert_int_equal(size, e->size);
    if (size > 0) assert_memory_equal(payload, e->payload, size);
    g->groups += e->last;
    return ND_OK;
}

log_outcome log_read(const char *path) {
    log_outcome o = {0};
    log_given g = {0};
    o.status = nd_wal_read(path, LOG_NUMBER, log_compare_record, &g, &nd_allocator_default, &o.tail,
                           &o.error);
    assert_true(g.records == 0 || log_records[g.records - 1].last);
    o.groups = g.groups;
    return o;
}

log_outcome log_expect_groups(const char *path, size_t least, size_t most) {
    log_outcome o = log_read(path);
    if (o.status != ND_OK) fail_msg("%s", o.error.message);
    if (o.groups < least || o.groups > most)
        fail_msg("%zu groups, not %zu to %zu", o.groups, least, most);
    return o;
}

nd_wal *log_create(void) {
    nd_wal *log;
    nd_error error;
    log_forget_from(0);
    assert_int_equal(nd_wal_create("log", LOG_NUMBER, &nd_allocator_default, &log, &error), ND_OK);
    return log;
}

nd_status log_commit(nd_wal *log, bool sync, nd_error *error) {
    return sync ? nd_wal_commit_and_sync(log, error) : nd_wal_commit(log, error);
}

nd_wal *log_reopen(const log_outcome *read) {
    nd_wal *log = NULL;
    nd_error error;
    if (nd_wal_open("log", LOG_NUMBER, read->tail, &nd_allocator_default, &log, &error) != ND_OK)
        fail_msg("%s", error.message);
    assert_int_equal(nd_wal_size(log), read->tail.end);
    return log;
}

void log_put_file(const char *path, const unsigned char *bytes, size_t size) {
    static const unsigned char zeros[LOG_SECTOR];
    size_t used = size;
    while (used >= LOG_SECTOR && memcmp(bytes + used - LOG_SECTOR, zeros, LOG_SECTOR) == 0)
        used -= LOG_SECTOR;
    unlink(path); /* some file systems write a file at once if it replaces another */
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, used, f), used);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(truncate(path, (off_t)size), 0);
}

size_t log_get_file(const char *path, unsigned char *bytes, size_t room) {
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t size = fread(bytes, 1, room, f);
    fclose(f);
    return size;
}

void log_make(uint64_t seed, size_t groups) {
    nd_error error;
    nd_wal *log = log_create();
    for (size_t g = 0; g < groups; g++) {
        log_append_group(log, &seed);
        assert_int_equal(log_commit(log, g % 4 != 2, &error), ND_OK);
    }
    assert_int_equal(nd_wal_commit_and_sync(log, &error), ND_OK);
    nd_wal_close(log);
    log_expect_groups("log", log_group_count, log_group_count);
}
