#include "py_handle.h"

void handle_init(handle *h, core_state *state, const char *kind, bool alone) {
    *h = (handle){.state = state, .kind = kind, .alone = alone};
    pthread_mutex_init(&h->lock, NULL);
}

void *handle_hold(handle *h) {
    pthread_mutex_lock(&h->lock);
    void *pointer = h->pointer;
    bool busy = h->alone && h->users > 0;
    if (pointer && !busy) h->users++;
    pthread_mutex_unlock(&h->lock);
    if (!pointer) {
        core_raise_status(h->state, ND_ERR_ARGUMENT, "the %s is closed", h->kind);
        return NULL;
    }
    if (!busy) return pointer;
    core_raise_status(h->state, ND_ERR_BUSY, "another thread uses this %s", h->kind);
    return NULL;
}

void handle_let_go(handle *h) {
    pthread_mutex_lock(&h->lock);
    h->users--;
    pthread_mutex_unlock(&h->lock);
}

void *handle_take(handle *h) {
    pthread_mutex_lock(&h->lock);
    void *pointer = h->users == 0 ? h->pointer : NULL;
    bool busy = h->users > 0;
    if (pointer) h->pointer = NULL;
    pthread_mutex_unlock(&h->lock);
    if (busy) core_raise_status(h->state, ND_ERR_BUSY, "another thread uses this %s", h->kind);
    return pointer;
}

void handle_destroy(handle *h) { pthread_mutex_destroy(&h->lock); }

void *object_allocate(PyTypeObject *type) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    return allocate(type, 0);
}

void object_free(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}
