#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t caught;

static void note(int number) { caught = number; }

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

bool interrupt_pending(void) { return caught != 0; }

void interrupt_obey(void) {
    int number = caught;
    if (number == 0) return;
    signal(number, SIG_DFL);
    raise(number);
    _exit(128 + number); /* blocked by the parent */
}
