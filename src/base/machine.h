/* What the library asks of the machine: cores, memory in use, and the time. */
#ifndef ND_BASE_MACHINE_H
#define ND_BASE_MACHINE_H

#include "base/alloc.h"

#include <stddef.h>
#include <stdint.h>

/* Cores that this process may use: 1 to ND_MAX_WORKERS. */
uint32_t nd_core_count(void);

/* The largest resident memory that the process has had so far, in bytes; 0: not known. */
uint64_t nd_peak_memory(void);

/* Bytes of a large page of the memory of common processors. */
enum { ND_LARGE_PAGE = 2 << 20 };
/* Asks for large pages for memory that is used at random, so that it waits less for address
 * translation. Call it before the memory is first written: each large page is then taken as a
 * whole. */
void nd_use_large_pages(void *memory, size_t bytes);
/* Allocates as nd_allocate does, and asks for large pages if the memory has room for them. */
void *nd_allocate_large(const nd_allocator *allocator, size_t count, size_t size);
/* The same, and the memory is zero. Pages from the system are, so they are not written. */
void *nd_allocate_large_zero(const nd_allocator *allocator, size_t count, size_t size);

/* Monotonic time in seconds. Only differences have a meaning. */
double nd_seconds(void);

#endif
