/* Floating point as a program begins with it: rounded to nearest, subnormal numbers kept, no traps.
 * What is computed must not depend on what the host program has set on the calling thread. */
#ifndef ND_BASE_FLOATS_H
#define ND_BASE_FLOATS_H

#include <fenv.h>
#include <stdbool.h>

typedef struct nd_floats {
    bool changed;
    fenv_t host; /* where changed */
} nd_floats;

nd_floats nd_floats_begin(void);
void nd_floats_end(nd_floats *floats);

/* At the beginning of a public function that computes with doubles: sets that environment, and puts
 * the host's back where the function is left. Threads that are started meanwhile inherit it. */
#define ND_DEFAULT_FLOATS                                                                          \
    __attribute__((cleanup(nd_floats_end), unused)) nd_floats nd_floats_ = nd_floats_begin()

/* The compiler knows nothing of environments and may move an operation over their ends: not if the
 * values that it begins with, and its result, have been pinned between them. What comes from memory
 * and goes to memory needs no pin, for the ends are calls. */
#define ND_PIN(variable) __asm__ volatile("" : "+m"(variable) : : "memory")

#endif
