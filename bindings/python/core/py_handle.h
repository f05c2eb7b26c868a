/* A handle of the library inside a Python object: calls hold it, and closing waits for none of
 * them but fails while one runs. */
#ifndef ND_PYTHON_HANDLE_H
#define ND_PYTHON_HANDLE_H

#include "py_core.h"

#include <pthread.h>

typedef struct handle {
    core_state *state;
    const char *kind; /* "index", for messages */
    void *pointer;    /* NULL: closed */
    size_t users;     /* calls that run */
    bool alone;       /* one call at a time */
    pthread_mutex_t lock;
} handle;

void handle_init(handle *h, core_state *state, const char *kind, bool alone);
/* The pointer for a call; the caller calls handle_let_go. NULL: an exception is set. */
void *handle_hold(handle *h);
void handle_let_go(handle *h);
/* Takes the pointer away, for closing it. NULL without an exception: it is closed already. NULL
 * with an exception: a call runs. */
void *handle_take(handle *h);
void handle_destroy(handle *h);

/* Objects of types of this extension. */
void *object_allocate(PyTypeObject *type);
void object_free(PyObject *object);

#endif
