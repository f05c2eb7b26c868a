/* Parts that both kinds of index have alike: the handle, its searchers, and calls on the whole
 * index. */
#ifndef ND_PYTHON_STORED_INDEX_H
#define ND_PYTHON_STORED_INDEX_H

#include "py_handle.h"

/* The calls of a kind of index. */
typedef struct stored_calls {
    void (*close)(void *index);
    nd_status (*sync)(void *index, nd_error *error);
    nd_status (*compact)(void *index, nd_error *error);
    nd_status (*check)(void *index, nd_error *error);
    nd_status (*refresh)(void *index, nd_error *error);
    void (*set_sync)(void *index, nd_sync sync);
    nd_status (*remove)(void *index, const char *id, size_t length, bool *found, nd_error *error);
    nd_status (*create_searcher)(void *index, void **out, nd_error *error);
    void (*free_searcher)(void *searcher);
} stored_calls;

enum { STORED_IDLE = 16 };

/* The beginning of an object of either type. */
typedef struct stored_object {
    PyObject_HEAD handle handle;
    const stored_calls *calls;
    void *idle[STORED_IDLE]; /* searchers that no call uses at the moment */
    size_t idle_count;
} stored_object;

/* Makes an object of a type, which owns the index. NULL: an exception is set, and the index is
 * closed. */
void *stored_wrap(core_state *state, PyTypeObject *type, const stored_calls *calls, void *index);
void stored_free(PyObject *self);

/* A searcher for a call; the caller gives it back. */
nd_status stored_take_searcher(stored_object *o, void *index, void **out, nd_error *error);
void stored_give_searcher(stored_object *o, void *searcher);

PyObject *stored_close(PyObject *self, PyObject *unused);
PyObject *stored_sync(PyObject *self, PyObject *unused);
PyObject *stored_compact(PyObject *self, PyObject *unused);
PyObject *stored_check(PyObject *self, PyObject *unused);
PyObject *stored_refresh(PyObject *self, PyObject *unused);
PyObject *stored_set_sync(PyObject *self, PyObject *each);
PyObject *stored_remove(PyObject *self, PyObject *id);

/* Methods of both types. */
#define STORED_METHODS                                                                             \
    {"close", stored_close, METH_NOARGS, NULL}, {"sync", stored_sync, METH_NOARGS, NULL},          \
        {"compact", stored_compact, METH_NOARGS, NULL},                                            \
        {"check", stored_check, METH_NOARGS, NULL},                                                \
        {"refresh", stored_refresh, METH_NOARGS, NULL},                                            \
        {"set_sync", stored_set_sync, METH_O, NULL}, {                                             \
        "remove", stored_remove, METH_O, NULL                                                      \
    }

#endif
