/* Functions that every program here needs: end with a message, allocate or end, read the clock. */
#ifndef BENCH_PROGRAM_H
#define BENCH_PROGRAM_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* PROGRAM_NAME is defined before this file is included. */
static inline void stop(const char *message) {
    fprintf(stderr, PROGRAM_NAME ": %s\n", message);
    exit(1);
}

static inline void *sized(void *memory, size_t count, size_t size) {
    memory = realloc(memory, count * size + 1);
    if (!memory) stop("out of memory");
    return memory;
}

/* Returns seconds. */
static inline double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#endif
