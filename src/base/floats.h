/* The floating-point environment that a program starts with: rounding to nearest, subnormal numbers
 * kept, no traps. Results must not depend on the environment that the host program has set on the
 * calling thread. */
#ifndef ND_BASE_FLOATS_H
#define ND_BASE_FLOATS_H

#include <fenv.h>
#include <stdbool.h>

typedef struct nd_floats {
    bool changed;
    fenv_t host; /* if changed */
} nd_floats;

nd_floats nd_floats_begin(void);
void nd_floats_end(nd_floats *floats);

/* Stands at the beginning of a public function that computes with doubles. It sets the default
 * environment, and restores the host's when the function returns. Threads started in between
 * inherit the default one. */
#define ND_DEFAULT_FLOATS                                                                          \
    __attribute__((cleanup(nd_floats_end), unused)) nd_floats nd_floats_ = nd_floats_begin()

/* The compiler does not know about environments, and may move an operation out of the part of the
 * function that runs in the default one. Pinning the operands and the result there prevents that.
 * Values loaded from memory and stored to memory need no pin, because the environment is set and
 * restored by calls. */
#define ND_PIN(variable) __asm__ volatile("" : "+m"(variable) : : "memory")

#endif
