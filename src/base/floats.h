/* Floating point as a program begins with it: rounded to nearest, subnormal numbers kept, no traps. What is
 * computed must not depend on what the host program has set on the calling thread. */
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

/* At the beginning of a block: sets that environment, and puts the host's back where the block is left. The
 * computing itself must be in a function that is called from the block, for the compiler knows nothing of
 * environments and may move an operation of the block itself over either end. Threads that begin in the block
 * inherit its environment. */
#define ND_DEFAULT_FLOATS __attribute__((cleanup(nd_floats_end), unused)) nd_floats nd_floats_ = nd_floats_begin()

#endif
