/* The memory that a process may use: that of the machine, or less if a control group of Linux
 * limits it, as containers and batch systems do. */
#ifndef ND_IO_MEMORY_LIMIT_H
#define ND_IO_MEMORY_LIMIT_H

#include <stdint.h>

/* Bytes; UINT64_MAX: not known. */
uint64_t nd_memory_limit(void);

/* The least limit of the control groups in a file like /proc/self/cgroup, and of the groups above
 * them, which are directories in `root` (version 2) or in root/memory (version 1). UINT64_MAX:
 * nothing limits it. */
uint64_t nd_memory_limit_of_groups(const char *groups, const char *root);

#endif
