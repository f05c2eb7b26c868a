/* Memory for the library up to a limit: an allocator that gives no more than that. */
#ifndef CLI_BUDGET_H
#define CLI_BUDGET_H

#include "neardup.h"

#include <stdatomic.h>

typedef struct budget {
    uint64_t limit; /* bytes */
    atomic_uint_fast64_t used;
    atomic_bool exceeded; /* more was asked for */
} budget;

/* The budget is used as long as what was made with the allocator is there. */
nd_allocator budget_allocator(budget *b);

#endif
