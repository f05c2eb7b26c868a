/* An allocator with a limit. Any number of threads may use it. */
#ifndef CLI_BUDGET_H
#define CLI_BUDGET_H

#include "neardup.h"

#include <stdatomic.h>

typedef struct budget {
    uint64_t limit; /* bytes */
    atomic_uint_fast64_t used;
    atomic_bool exceeded; /* an allocation was refused */
} budget;

/* `b` must outlive all memory of the allocator. */
nd_allocator budget_allocator(budget *b);

#endif
