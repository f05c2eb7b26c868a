#include "py_stored_index.h"

void *stored_wrap(core_state *state, PyTypeObject *type, const stored_calls *calls, void *index) {
    stored_object *o = object_allocate(type);
    if (!o) {
        calls->close(index);
        return NULL;
    }
    handle_init(&o->handle, state, "index", false);
    o->handle.pointer = index;
    o->calls = calls;
    return o;
}

static void free_searchers(stored_object *o) {
    while (o->idle_count > 0) o->calls->free_searcher(o->idle[--o->idle_count]);
}

void stored_free(PyObject *self) {
    stored_object *o = (stored_object *)self;
    free_searchers(o);
    o->calls->close(o->handle.pointer);
    handle_destroy(&o->handle);
    object_free(self);
}

nd_status stored_take_searcher(stored_object *o, void *index, void **out, nd_error *error) {
    *out = NULL;
    pthread_mutex_lock(&o->handle.lock);
    if (o->idle_count > 0) *out = o->idle[--o->idle_count];
    pthread_mutex_unlock(&o->handle.lock);
    return *out ? ND_OK : o->calls->create_searcher(index, out, error);
}

void stored_give_searcher(stored_object *o, void *searcher) {
    if (!searcher) return;
    pthread_mutex_lock(&o->handle.lock);
    if (o->idle_count < STORED_IDLE) {
        o->idle[o->idle_count++] = searcher;
        searcher = NULL;
    }
    pthread_mutex_unlock(&o->handle.lock);
    if (searcher) o->calls->free_searcher(searcher);
}

/* ---- methods */

PyObject *stored_close(PyObject *self, PyObject *unused) {
    stored_object *o = (stored_object *)self;
    (void)unused;
    void *index = handle_take(&o->handle);
    if (!index) return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    free_searchers(o);
    PyThreadState *others = PyEval_SaveThread();
    o->calls->close(index);
    PyEval_RestoreThread(others);
    return Py_NewRef(Py_None);
}

static PyObject *call(PyObject *self, nd_status (*fn)(void *index, nd_error *error)) {
    stored_object *o = (stored_object *)self;
    nd_error error;
    void *index = handle_hold(&o->handle);
    if (!index) return NULL;
    PyThreadState *others = PyEval_SaveThread();
    nd_status status = fn(index, &error);
    PyEval_RestoreThread(others);
    handle_let_go(&o->handle);
    return status == ND_OK ? Py_NewRef(Py_None) : core_raise(o->handle.state, &error);
}

PyObject *stored_sync(PyObject *self, PyObject *unused) {
    (void)unused;
    return call(self, ((stored_object *)self)->calls->sync);
}

PyObject *stored_compact(PyObject *self, PyObject *unused) {
    (void)unused;
    return call(self, ((stored_object *)self)->calls->compact);
}

PyObject *stored_check(PyObject *self, PyObject *unused) {
    (void)unused;
    return call(self, ((stored_object *)self)->calls->check);
}

/* Moves to the newest state. No other call may run meanwhile, so the handle is taken. */
PyObject *stored_refresh(PyObject *self, PyObject *unused) {
    stored_object *o = (stored_object *)self;
    nd_error error;
    (void)unused;
    void *index = handle_take(&o->handle);
    if (!index) {
        if (!PyErr_Occurred())
            core_raise_status(o->handle.state, ND_ERR_ARGUMENT, "the index is closed");
        return NULL;
    }
    PyThreadState *others = PyEval_SaveThread();
    nd_status status = o->calls->refresh(index, &error);
    PyEval_RestoreThread(others);
    o->handle.pointer = index;
    return status == ND_OK ? Py_NewRef(Py_None) : core_raise(o->handle.state, &error);
}

/* set_sync(each): False: changes become durable by sync(). */
PyObject *stored_set_sync(PyObject *self, PyObject *each) {
    stored_object *o = (stored_object *)self;
    void *index = handle_hold(&o->handle);
    if (!index) return NULL;
    o->calls->set_sync(index, PyObject_IsTrue(each) ? ND_SYNC_EACH : ND_SYNC_BATCH);
    handle_let_go(&o->handle);
    return Py_NewRef(Py_None);
}

/* remove(id): whether the index had it. */
PyObject *stored_remove(PyObject *self, PyObject *id) {
    stored_object *o = (stored_object *)self;
    size_t length;
    bool found;
    nd_error error;
    const char *bytes = core_utf8(o->handle.state, id, "id", &length);
    void *index = bytes ? handle_hold(&o->handle) : NULL;
    if (!index) return NULL;
    PyThreadState *others = PyEval_SaveThread();
    nd_status status = o->calls->remove(index, bytes, length, &found, &error);
    PyEval_RestoreThread(others);
    handle_let_go(&o->handle);
    return status == ND_OK ? PyBool_FromLong(found) : core_raise(o->handle.state, &error);
}
