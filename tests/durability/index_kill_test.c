/* A writer is killed at any moment, again and again, while another process reads. Acknowledged
 * changes are there, other operations are there completely or not at all, and the reader sees
 * complete states. index_kill_test [ROUNDS] */
#include "durability/documents.h"
#include "durability/image.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static unsigned rounds = 50;

/* A writer is killed after a random number of microseconds below this; a sanitizer makes it slower.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { LONGEST_LIFE_US = 120000 };
#else
enum { LONGEST_LIFE_US = 30000 };
#endif

/* The first documents come in batches; each batch has all of them in one version. */
enum { TOGETHER = 8, SESSION = 12 };

typedef struct shared {
    atomic_bool stop, sync_truly;
    atomic_ulong reads, states;
} shared;

static shared *common;
static pid_t reader;
static row any[TEXTS];

static void sleep_ms(double ms) {
    struct timespec time = {(time_t)(ms / 1000), (long)(ms * 1e6) % 1000000000};
    while (nanosleep(&time, &time) != 0 && errno == EINTR) continue;
}

/* Replaces the system's fsync. The death of a process loses nothing that the system has; and with
 * cheap syncs there are more operations to interrupt. */
int __wrap_fsync(int fd);
int __real_fsync(int fd);
int __wrap_fsync(int fd) { return atomic_load(&common->sync_truly) ? __real_fsync(fd) : 0; }

/* ---- the writer */

/* Sent before an operation and, with `done`, after it was acknowledged. A pipe writes it
 * atomically. */
typedef struct message {
    bool done;
    operation operation;
} message;

static void send(int fd, const operation *o, bool done) {
    message m = {done, *o};
    if (write(fd, &m, sizeof m) != (ssize_t)sizeof m) broken("a message is not sent");
}

static operation choose(uint64_t *seed, const row *now) {
    operation o = operation_random(seed, now, random_below(seed, 2));
    if (o.document >= TOGETHER) return o;
    if (content() == CONTENT_NUMBERS && now->version[0])
        return operation_one(OPERATION_COMPACT, 0, 0);
    return operation_many(0, TOGETHER, (uint8_t)(now->version[0] % TEXTS + 1));
}

static void work_on_handle(row *now, uint64_t *seed, int fd, operation *batch) {
    nd_error error;
    either_index *x;
    lookup *searcher;
    must(either_open("x", ND_INDEX_WRITE, NULL, &x, &error), &error);
    must(lookup_create(x, &searcher, &error), &error);
    either_set_sync(x, (nd_sync)random_below(seed, 3));
    for (unsigned i = 0; i < SESSION; i++) {
        *batch = choose(seed, now);
        if (batch->kind == OPERATION_BATCH) break;
        send(fd, batch, false);
        must(operation_perform(batch, now, x, searcher, &error), &error);
        send(fd, batch, true);
        operation_apply(batch, now);
    }
    lookup_free(searcher);
    either_close(x);
}

/* Works until the process is killed. */
static void write_forever(row now, uint64_t seed, int fd) {
    test_at("writer of %s with seed %llu", content_name(), (unsigned long long)seed);
    for (;;) {
        nd_error error;
        operation batch;
        work_on_handle(&now, &seed, fd, &batch);
        if (batch.kind != OPERATION_BATCH) continue;
        send(fd, &batch, false);
        must(operation_perform_batch(&batch, &now, "x", NULL, &error), &error);
        send(fd, &batch, true);
        operation_apply(&batch, &now);
    }
}

/* ---- the reader */

static void check_together(const row *r) {
    for (unsigned d = 1; d < TOGETHER; d++)
        if (r->version[d] != r->version[0]) broken("part of a batch: %s", row_text(r));
}

static void read_until_stopped(pid_t parent) {
    nd_error error;
    either_index *x = NULL;
    row last = {0}, found;
    test_at("reader");
    while (!atomic_load(&common->stop) && getppid() == parent) {
        if (x && atomic_load(&common->reads) % 8 != 0) {
            must(either_refresh(x, &error), &error);
        } else {
            either_close(x);
            must(either_open("x", ND_INDEX_READ, NULL, &x, &error), &error);
        }
        must(row_observe(x, any, TEXTS, &found, &error), &error);
        must(row_join(x, &found, &error), &error);
        check_together(&found);
        check_index(x, true);
        atomic_fetch_add(&common->reads, 1);
        if (!row_equal(&found, &last)) atomic_fetch_add(&common->states, 1);
        last = found;
    }
    either_close(x);
}

/* ---- the test */

static pid_t start(void) {
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) broken_ends_process();
    return child;
}

/* Applies the acknowledged operations; *in_flight: the row that may be there instead. */
static bool take_messages(int fd, row *now, row *in_flight, unsigned *acknowledged) {
    message m;
    bool pending = false;
    while (read(fd, &m, sizeof m) == (ssize_t)sizeof m) {
        *in_flight = *now;
        operation_apply(&m.operation, in_flight);
        pending = !m.done;
        if (!m.done) continue;
        *now = *in_flight;
        ++*acknowledged;
    }
    return pending;
}

static void open_and_find(nd_index_mode mode, const row *known, size_t count, row *found) {
    nd_error error;
    either_index *x;
    must(either_open("x", mode, NULL, &x, &error), &error);
    check_index(x, mode == ND_INDEX_READ);
    must(row_observe(x, any, TEXTS, found, &error), &error);
    must(row_join(x, found, &error), &error);
    either_close(x);
    for (size_t k = 0; k < count; k++)
        if (row_equal(found, &known[k])) return;
    broken("the index holds %s, and not\n%s or\n%s", row_text(found), row_text(&known[0]),
           row_text(&known[count - 1]));
}

static unsigned kill_a_writer(row *now, uint64_t *seed) {
    int ends[2], status;
    unsigned acknowledged = 0;
    row known[2], found;
    uint64_t writer_seed = random_next(seed);
    assert_int_equal(pipe(ends), 0);
    pid_t writer = start();
    if (writer == 0) {
        close(ends[0]);
        write_forever(*now, writer_seed, ends[1]);
    }
    close(ends[1]);
    /* The pipe must not fill up: it has room for more messages than can be sent in this time. */
    sleep_ms((double)random_below(seed, LONGEST_LIFE_US) / 1000);
    assert_int_equal(kill(writer, SIGKILL), 0);
    assert_int_equal(waitpid(writer, &status, 0), writer);
    if (!WIFSIGNALED(status)) broken("the writer ended by itself, with status %d", status);
    known[0] = *now;
    bool pending = take_messages(ends[0], &known[0], &known[1], &acknowledged);
    close(ends[0]);
    open_and_find(ND_INDEX_READ, known, pending ? 2 : 1, &found);
    *now = found;
    if (random_below(seed, 2)) open_and_find(ND_INDEX_WRITE, now, 1, &found);
    return acknowledged;
}

static void test_killed_writers(void **state) {
    (void)state;
    nd_error error;
    row now = {.there = true};
    uint64_t seed = (uint64_t)time(NULL);
    unsigned acknowledged = 0;
    must(index_make("x", false, &error), &error);
    pid_t parent = getpid();
    reader = start();
    if (reader == 0) {
        read_until_stopped(parent);
        _exit(0);
    }
    for (unsigned round = 0; round < rounds; round++) {
        atomic_store(&common->sync_truly, round % 4 == 3);
        test_at("%s, seed %llu, round %u", content_name(), (unsigned long long)seed, round);
        acknowledged += kill_a_writer(&now, &seed);
    }
    int status;
    atomic_store(&common->stop, true);
    pid_t ended = waitpid(reader, &status, 0);
    reader = 0;
    assert_true(ended > 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) broken("the reader has failed");
    print_message("%u writers killed, %u operations acknowledged, %lu reads of %lu states\n",
                  rounds, acknowledged, atomic_load(&common->reads), atomic_load(&common->states));
}

static int begin_tests(void **state) {
    if (!common)
        common = mmap(NULL, sizeof *common, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                      0);
    for (unsigned k = 0; k < TEXTS; k++) {
        any[k].there = true;
        memset(any[k].version, (int)k + 1, DOCUMENTS);
    }
    if (common == MAP_FAILED) return -1;
    atomic_store(&common->stop, false);
    return image_enter(state);
}

static int end_tests(void **state) {
    if (reader > 0) {
        atomic_store(&common->stop, true);
        waitpid(reader, NULL, 0);
    }
    remove_directory("x");
    return leave_own_directory(state);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_killed_writers)};
    int failed = 0;
    if (argc > 1) rounds = (unsigned)strtoul(argv[1], NULL, 10);
    for (content_kind kind = CONTENT_DOCUMENTS; kind < CONTENTS; kind++) {
        content_use(kind);
        failed += cmocka_run_group_tests_name(content_name(), tests, begin_tests, end_tests);
    }
    return failed;
}
