/* What the library asks of the machine: cores, memory in use, and the time. */
#ifndef ND_BASE_MACHINE_H
#define ND_BASE_MACHINE_H

#include <stdint.h>

/* Cores that this process may use: 1 to ND_MAX_WORKERS. */
uint32_t nd_core_count(void);

/* The largest resident memory that the process has had so far, in bytes; 0: not known. */
uint64_t nd_peak_memory(void);

/* Monotonic time in seconds. Only differences have a meaning. */
double nd_seconds(void);

#endif
