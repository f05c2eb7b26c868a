/* Every public structure that begins with struct_size, and every way in which a caller hands it to
 * the library. test_sizes tries all of them, and compares the lists with the public headers. */
#ifndef ND_TESTS_SIZED_USES_H
#define ND_TESTS_SIZED_USES_H

#include "contract.h"

typedef struct sized_structure {
    const char *name;
    size_t size;
    const void *given;               /* options with which every use succeeds; NULL: results */
    void (*init)(void *out, size_t); /* NULL: there is none */
    /* Of results: sets members to 0 that differ from call to call. */
    void (*level)(void *results);
} sized_structure;

/* A name of NULL is at the end. */
extern const sized_structure sized_structures[];

typedef struct sized_use {
    const char *through; /* a function with the structure as parameter, or the structure in which a
                            member points to it */
    const char *structure;
    nd_status (*call)(void *given);
} sized_use;

extern const sized_use sized_uses[];

/* Before each use: what the last one has changed is made anew. */
void begin_use_of_size(void);
void end_uses_of_sizes(void);

/* A hash of the results of the use, of its callbacks and of out.summary. */
uint64_t told_by_use(void);

#endif
