#include "output/progress.h"

#include "output/colour.h"
#include "output/complain.h"
#include "output/interrupt.h"
#include "output/numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR_MOST = 40, LINE_REST = 52, SECOND = 1000 };

/* A job may warn of millions of records; beyond the tenth warning the reader learns nothing new. */
enum { MOST_WARNINGS = 10 };

void progress_start(progress *bar, bool quiet) {
    *bar = (progress){.shown = !quiet && terminal_capable(STDERR_FILENO),
                      .colour = terminal_colour(STDERR_FILENO),
                      .stage = ND_STAGE_COUNT};
}

static long milliseconds_since(const struct timespec *then, const struct timespec *now) {
    return (long)(now->tv_sec - then->tv_sec) * SECOND + (now->tv_nsec - then->tv_nsec) / 1000000;
}

static size_t bar_width(void) {
    struct winsize window;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) window.ws_col = 80;
    if (window.ws_col <= LINE_REST) return 0;
    return window.ws_col - LINE_REST < BAR_MOST ? window.ws_col - LINE_REST : BAR_MOST;
}

/* An amount with its unit: bytes where the stage counts bytes, else a plain number. */
static void amount_text(nd_stage stage, double amount, char *text, size_t size) {
    static const char *const units[] = {"", "k", "M", "G", "T"};
    bool bytes = stage == ND_STAGE_READ;
    size_t unit = 0;
    for (; amount >= 1000 && unit < 4; unit++) amount /= 1000;
    snprintf(text, size, "%.*f %s%s", unit > 0 && amount < 100, amount, units[unit],
             bytes ? "B" : "");
}

static void draw(progress *bar, uint64_t done, uint64_t total, long milliseconds) {
    char amount[32], rate[32], left[32] = "", cells[BAR_MOST + 1] = "";
    double seconds = (double)milliseconds / SECOND,
           share = total ? (double)done / (double)total : 0;
    if (share > 1) share = 1;
    amount_text(bar->stage, (double)done, amount, sizeof amount);
    amount_text(bar->stage, seconds > 0 ? (double)done / seconds : 0, rate, sizeof rate);
    fprintf(stderr, "\r\033[K%-7s", nd_stage_name(bar->stage));
    if (total) {
        size_t width = bar_width(), full = (size_t)(share * (double)width);
        memset(cells, '#', full);
        fprintf(stderr, "[%s%s%s%*s] %3.0f %%  ", bar->colour ? "\033[32m" : "", cells,
                bar->colour ? "\033[0m" : "", (int)(width - full), "", 100 * share);
        if (seconds >= 2 && done)
            snprintf(left, sizeof left, "  %.0f s left", seconds * (1 - share) / share);
    }
    fprintf(stderr, "%s  %s/s%s", amount, rate, left);
    fflush(stderr);
}

bool progress_report(void *context, nd_stage stage, uint64_t done, uint64_t total) {
    progress *bar = context;
    if (bar->shown) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        /* Warnings come from other threads: the stream's lock is the bar's lock. */
        flockfile(stderr);
        if (stage != bar->stage) {
            bar->stage = stage;
            bar->stage_start = bar->last = now;
        } else if (milliseconds_since(&bar->last, &now) >= SECOND / 10) {
            bar->last = now;
            bar->drawn = true;
            draw(bar, done, total, milliseconds_since(&bar->stage_start, &now));
        }
        funlockfile(stderr);
    }
    return !interrupt_pending();
}

/* Removes the bar. */
static void clear(progress *bar) {
    flockfile(stderr);
    if (bar->drawn) fputs("\r\033[K", stderr);
    bar->drawn = false;
    fflush(stderr);
    funlockfile(stderr);
}

void progress_warning(void *context, const char *message) {
    progress *bar = context;
    flockfile(stderr);
    if (bar->warnings++ < MOST_WARNINGS) {
        clear(bar);
        complain("warning: %s", message);
    } else {
        snprintf(bar->last_warning, sizeof bar->last_warning, "%s", message);
    }
    funlockfile(stderr);
}

void progress_end(progress *bar) {
    char more[32];
    clear(bar);
    if (bar->warnings == MOST_WARNINGS + 1) complain("warning: %s", bar->last_warning);
    if (bar->warnings > MOST_WARNINGS + 1)
        complain("warning: %s more were not shown; the last: %s",
                 number_grouped(bar->warnings - MOST_WARNINGS, more), bar->last_warning);
}
