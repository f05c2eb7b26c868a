#include "output/interrupt.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

/* The signal handler runs in any thread, other threads read: a lock-free atomic is safe for both.
 */
static atomic_int caught;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler must not take a lock");

static void note(int number) { atomic_store(&caught, number); }

/* Writes to standard output without ever blocking for long. The reader of a pipe may stop reading,
 * and a signal may be delivered to another thread than the one that waits. So the wait is a poll of
 * 200 ms, repeated, and each write is at most PIPE_BUF bytes, which a ready pipe takes at once.
 * cookie_write_function_t: 0 on failure. */
static ssize_t write_unless_interrupted(void *context, const char *bytes, size_t size) {
    enum { PATIENCE = 200 };
    (void)context;
    size_t done = 0;
    while (done < size) {
        struct pollfd writable = {.fd = STDOUT_FILENO, .events = POLLOUT};
        int ready = poll(&writable, 1, PATIENCE);
        if (interrupt_pending()) {
            errno = EINTR;
            return 0;
        }
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        ssize_t written = write(STDOUT_FILENO, bytes + done,
                                size - done < PIPE_BUF ? size - done : PIPE_BUF);
        if (written < 0 && errno != EINTR && errno != EAGAIN) return 0;
        if (written > 0) done += (size_t)written;
    }
    return (ssize_t)size;
}

static void guard_standard_output(void) {
    static char buffer[1 << 16];
    FILE *guarded = fopencookie(NULL, "w",
                                (cookie_io_functions_t){.write = write_unless_interrupted});
    if (!guarded || fflush(stdout) != 0) return;
    setvbuf(guarded, buffer, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof buffer);
    stdout = guarded;
}

void interrupt_catch(void) {
    guard_standard_output();
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction before, now = {.sa_handler = note};
        sigemptyset(&now.sa_mask);
        /* The first SIGINT, SIGTERM or SIGHUP is noted; a second one, sent by an impatient user,
         * ends the program. SIGPIPE stays noted: while the job cleans up, writes go on failing.
         * No SA_RESTART: a read that waits for input must end. */
        if (numbers[i] != SIGPIPE) now.sa_flags = (int)SA_RESETHAND;
        /* A signal that the parent ignores (nohup, a background job) stays ignored. */
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            (void)sigaction(numbers[i], &now, NULL);
    }
}

bool interrupt_pending(void) { return atomic_load(&caught) != 0; }

void interrupt_obey(void) {
    int number = atomic_load(&caught);
    if (number == 0) return;
    signal(number, SIG_DFL);
    raise(number);
    _exit(128 + number); /* blocked by the parent */
}
