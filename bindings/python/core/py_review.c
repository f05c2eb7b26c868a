#include "py_review.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static PyObject *fail(core_state *state) {
    return core_raise_status(state, ND_ERR_IO, "the sample of compared pairs: %s", strerror(errno));
}

bool review_table_open(core_state *state, review_table *out) {
    out->descriptor = memfd_create("neardup-review", MFD_CLOEXEC);
    snprintf(out->path, sizeof out->path, "/dev/fd/%d", out->descriptor);
    return out->descriptor >= 0 || fail(state);
}

PyObject *review_table_bytes(core_state *state, const review_table *t) {
    struct stat is;
    if (fstat(t->descriptor, &is) != 0) return fail(state);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)is.st_size);
    if (!bytes) return NULL;
    char *to = PyBytes_AsString(bytes);
    for (off_t at = 0; at < is.st_size;) {
        ssize_t length = pread(t->descriptor, to + at, (size_t)(is.st_size - at), at);
        if (length <= 0) {
            Py_DECREF(bytes);
            return fail(state);
        }
        at += length;
    }
    return bytes;
}

void review_table_close(review_table *t) {
    if (t->descriptor >= 0) close(t->descriptor);
    t->descriptor = -1;
}
