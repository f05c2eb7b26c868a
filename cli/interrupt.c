#include "interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

/* Written in whichever thread the signal finds, read in others; a lock-free atomic is safe in both. */
static atomic_int caught;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler must not take a lock");

static void note(int number) { atomic_store(&caught, number); }

void interrupt_catch(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction before, now = {.sa_handler = note};
        sigemptyset(&now.sa_mask);
        /* Writing goes on failing after the first SIGPIPE, while the job cleans up; the others a user repeats out of impatience. No SA_RESTART:
         * a read that waits for input is to end. */
        if (numbers[i] != SIGPIPE) now.sa_flags = (int)SA_RESETHAND;
        /* What the parent ignores (nohup, a job in the background) stays ignored. */
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) (void)sigaction(numbers[i], &now, NULL);
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
