#include "py_utf8.h"

#include "py_results.h"

typedef struct utf8_column {
    core_state *state;
    PyObject *is_ascii; /* str.isascii */
    array valid;        /* a bit for each text, from the lowest of each byte */
    texts texts;
} utf8_column;

static bool fail_memory(void) {
    PyErr_NoMemory();
    return false;
}

static bool put_bytes(utf8_column *c, const char *bytes, Py_ssize_t length) {
    return texts_put(&c->texts, bytes, (size_t)length) || fail_memory();
}

/* Takes the reference to `bytes`. NULL: an exception is set. */
static bool put_encoded(utf8_column *c, PyObject *bytes) {
    bool good = bytes && put_bytes(c, PyBytes_AsString(bytes), PyBytes_Size(bytes));
    Py_XDECREF(bytes);
    return good;
}

/* Of a str in ASCII, Python has the UTF-8 already. */
static bool put_str(utf8_column *c, PyObject *text) {
    Py_ssize_t length;
    PyObject *answer = PyObject_CallFunctionObjArgs(c->is_ascii, text, NULL);
    if (!answer) return false;
    bool ascii = Py_IsTrue(answer);
    Py_DECREF(answer);
    if (ascii) {
        const char *bytes = PyUnicode_AsUTF8AndSize(text, &length);
        return bytes && put_bytes(c, bytes, length);
    }
    PyObject *bytes = PyUnicode_AsUTF8String(text);
    if (!bytes && PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
        PyErr_Clear();
        bytes = PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass");
    }
    return put_encoded(c, bytes);
}

static bool is_missing(PyObject *text, PyObject *type) {
    if (Py_IsNone(text)) return true;
    if (PyFloat_Check(text)) return PyFloat_AsDouble(text) != PyFloat_AsDouble(text);
    return PyUnicode_CompareWithASCIIString(type, "NAType") == 0;
}

/* A missing text is empty in the column, and not valid. Any other object is an exception. */
static bool put_missing(utf8_column *c, PyObject *text, Py_ssize_t row) {
    PyObject *type = PyType_GetName(Py_TYPE(text));
    if (!type) return false;
    bool good = is_missing(text, type);
    if (good) good = put_bytes(c, "", 0);
    else
        core_raise_status(c->state, ND_ERR_INPUT, "row %zd: a text must be a str, not %U", row,
                          type);
    Py_DECREF(type);
    return good;
}

static bool put(utf8_column *c, PyObject *text, Py_ssize_t index, Py_ssize_t row) {
    bool is_str = PyUnicode_Check(text), is_bytes = PyBytes_Check(text);
    if (index % 8 == 0 && !ARRAY_PUT(&c->valid, unsigned char, 0)) return fail_memory();
    if (is_str || is_bytes) c->valid.items[index / 8] |= (char)(1 << index % 8);
    return is_str     ? put_str(c, text)
           : is_bytes ? put_bytes(c, PyBytes_AsString(text), PyBytes_Size(text))
                      : put_missing(c, text, row);
}

/* Room for all characters: one that is not in ASCII takes more. */
static bool reserve(utf8_column *c, PyObject *list) {
    size_t characters = 0;
    Py_ssize_t count = PyList_Size(list);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *text = PyList_GetItem(list, i);
        if (PyUnicode_Check(text)) characters += (size_t)PyUnicode_GetLength(text);
    }
    return array_reserve(&c->texts.bytes, characters + characters / 8) || fail_memory();
}

static PyObject *parts_of(utf8_column *c) {
    PyObject *result = PyDict_New();
    const result_part parts[] = {{.name = "valid", .array = &c->valid},
                                 {.name = "texts", .texts = &c->texts}};
    for (size_t i = 0; result && i < 2; i++)
        if (!result_put(c->state, result, &parts[i])) Py_CLEAR(result);
    return result;
}

PyObject *core_utf8_column(PyObject *module, PyObject *arguments) {
    utf8_column c = {.state = core_state_of(module)};
    PyObject *list, *result = NULL;
    Py_ssize_t row;
    if (!PyArg_ParseTuple(arguments, "O!n", &PyList_Type, &list, &row)) return NULL;
    c.is_ascii = PyObject_GetAttrString((PyObject *)&PyUnicode_Type, "isascii");
    bool good = c.is_ascii && reserve(&c, list);
    for (Py_ssize_t i = 0; good && i < PyList_Size(list); i++)
        good = put(&c, PyList_GetItem(list, i), i, row + i);
    if (good) result = parts_of(&c);
    Py_XDECREF(c.is_ascii);
    array_free(&c.valid);
    texts_free(&c.texts);
    return result;
}
