/* The extension module neardup._core: the library's calls, for the Python files of the package,
 * which check and convert arguments and make the results that users see. */
#include "py_core.h"
#include "py_audit.h"
#include "py_dedup.h"
#include "py_distributed.h"
#include "py_extract.h"
#include "py_hamming_index.h"
#include "py_index.h"
#include "py_repeats.h"
#include "py_results.h"
#include "py_sketches.h"
#include "py_stream.h"
#include "py_text.h"
#include "py_texts.h"
#include "py_tlsh.h"
#include "py_tune.h"
#include "py_utf8.h"

core_state *core_state_of(PyObject *module) { return PyModule_GetState(module); }

core_state *core_state_of_type(PyTypeObject *type) { return PyType_GetModuleState(type); }

static PyObject *features(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    return PyUnicode_FromString(nd_features());
}

static PyObject *instruction_set(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    return PyUnicode_FromString(nd_instruction_set());
}

static PyMethodDef functions[] = {
    {"features", features, METH_NOARGS, NULL},
    {"instruction_set", instruction_set, METH_NOARGS, NULL},
    {"dedup", core_dedup, METH_O, NULL},
    {"exact", core_exact, METH_O, NULL},
    {"pairs", core_pairs, METH_O, NULL},
    {"preset", core_preset, METH_O, NULL},
    {"audit", core_audit, METH_O, NULL},
    {"tune", core_tune, METH_O, NULL},
    {"minhash", core_minhash, METH_O, NULL},
    {"simhash", core_simhash, METH_O, NULL},
    {"plan", core_plan, METH_VARARGS, NULL},
    {"plan_probability", core_plan_probability, METH_VARARGS, NULL},
    {"anchor_plan", core_anchor_plan, METH_VARARGS, NULL},
    {"anchor_plan_probability", core_anchor_plan_probability, METH_VARARGS, NULL},
    {"index_create", core_index_create, METH_VARARGS, NULL},
    {"index_open", core_index_open, METH_VARARGS, NULL},
    {"index_in_memory", core_index_in_memory, METH_O, NULL},
    {"hamming_create", core_hamming_create, METH_VARARGS, NULL},
    {"hamming_open", core_hamming_open, METH_VARARGS, NULL},
    {"hamming_in_memory", core_hamming_in_memory, METH_O, NULL},
    {"stream_open", core_stream_open, METH_VARARGS, NULL},
    {"sketch", core_sketch, METH_O, NULL},
    {"near", core_near, METH_VARARGS, NULL},
    {"verify", core_verify, METH_VARARGS, NULL},
    {"large_buckets", core_large_buckets, METH_VARARGS, NULL},
    {"edge_decider", core_edge_decider, METH_VARARGS, NULL},
    {"keywords", core_keywords, METH_O, NULL},
    {"idf", core_idf, METH_O, NULL},
    {"passages", core_passages, METH_O, NULL},
    {"texts", core_texts, METH_O, NULL},
    {"utf8_column", core_utf8_column, METH_VARARGS, NULL},
    {"lines", core_lines, METH_O, NULL},
    {"substrings", core_substrings, METH_O, NULL},
    {"cut", core_cut, METH_O, NULL},
    {"tlsh", core_tlsh, METH_VARARGS, NULL},
    {"tlsh_texts", core_tlsh_texts, METH_O, NULL},
    {"tlsh_distance", core_tlsh_distance, METH_VARARGS, NULL},
    {"tlsh_index", core_tlsh_index, METH_VARARGS, NULL},
    {0},
};

/* ---- the state */

static bool load_exceptions(core_state *state) {
    static const char *const names[] = {
        [ND_OK] = "Error",
        [ND_ERR_ARGUMENT] = "ArgumentError",
        [ND_ERR_MEMORY] = "OutOfMemoryError",
        [ND_ERR_IO] = "StorageError",
        [ND_ERR_INPUT] = "InputError",
        [ND_ERR_UNSUPPORTED] = "UnsupportedError",
        [ND_ERR_CANCELLED] = "CancelledError",
        [ND_ERR_CORRUPT] = "CorruptError",
        [ND_ERR_BUSY] = "BusyError",
    };
    PyObject *errors = PyImport_ImportModule("neardup._errors");
    if (!errors) return false;
    bool good = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        state->exceptions[i] = PyObject_GetAttrString(errors, names[i]);
        good = good && state->exceptions[i];
    }
    state->warning = PyObject_GetAttrString(errors, "DataWarning");
    Py_DECREF(errors);
    return good && state->warning;
}

static PyStructSequence_Field match_fields[] = {
    {"id", "id of the document of the index"},
    {"similarity", "Jaccard similarity"},
    {"intersection", "shingles that both texts have"},
    {"union", "shingles that one of them has"},
    {"estimated", "whether the similarity is an estimate; then the counts are 0"},
    {0},
};

static PyStructSequence_Desc match_description = {
    "neardup.Match", "A document of an index that is a near-duplicate of a text.", match_fields, 5};

static PyStructSequence_Field near_fields[] = {
    {"id", "id of the fingerprint: a str, or its number"},
    {"distance", "bits that differ"},
    {"fingerprint", "the fingerprint, an int"},
    {0},
};

static PyStructSequence_Desc near_description = {
    "neardup.Near", "A fingerprint of an index that is near another one.", near_fields, 3};

static PyStructSequence_Field answer_fields[] = {
    {"id", "id of the document"},
    {"cluster", "id of the first document of its cluster"},
    {"is_new", "whether the document founded the cluster"},
    {"again", "whether one of the last 1,024 documents had this id; then nothing has changed"},
    {"similarity", "minhash: Jaccard similarity with the cluster's first document"},
    {"distance", "simhash: bits that differ from the cluster's centre"},
    {"topics", "topics of the cluster, each a term and its weight"},
    {0},
};

static PyStructSequence_Desc answer_description = {
    "neardup.Answer", "The cluster of a document of a stream.", answer_fields, 7};

static bool add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **out) {
    *out = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
    return *out && PyModule_AddType(module, *out) == 0;
}

static bool add_tuple(PyObject *module, PyStructSequence_Desc *description, PyTypeObject **out) {
    *out = PyStructSequence_NewType(description);
    return *out && PyModule_AddType(module, *out) == 0;
}

static int execute(PyObject *module) {
    core_state *state = core_state_of(module);
    bool good = load_exceptions(state) &&
                add_type(module, &buffer_spec, &state->types[TYPE_BUFFER]) &&
                add_type(module, &analyzer_spec, &state->types[TYPE_ANALYZER]) &&
                add_type(module, &index_spec, &state->types[TYPE_INDEX]) &&
                add_type(module, &hamming_spec, &state->types[TYPE_HAMMING]) &&
                add_type(module, &stream_spec, &state->types[TYPE_STREAM]) &&
                add_type(module, &large_buckets_spec, &state->types[TYPE_LARGE_BUCKETS]) &&
                add_type(module, &edge_decider_spec, &state->types[TYPE_EDGE_DECIDER]) &&
                add_type(module, &tlsh_index_spec, &state->types[TYPE_TLSH_INDEX]) &&
                add_tuple(module, &match_description, &state->types[TYPE_MATCH]) &&
                add_tuple(module, &near_description, &state->types[TYPE_NEAR]) &&
                add_tuple(module, &answer_description, &state->types[TYPE_ANSWER]) &&
                PyModule_AddStringConstant(module, "version", nd_version()) == 0 &&
                PyModule_AddStringConstant(module, "unicode_version", ND_UNICODE_VERSION) == 0;
    return good ? 0 : -1;
}

static int visit_state(PyObject *module, visitproc visit, void *arg) {
    core_state *state = core_state_of(module);
    if (!state) return 0;
    for (size_t i = 0; i < sizeof state->exceptions / sizeof *state->exceptions; i++)
        Py_VISIT(state->exceptions[i]);
    Py_VISIT(state->warning);
    for (size_t i = 0; i < TYPES; i++) Py_VISIT(state->types[i]);
    return 0;
}

static int clear_state(PyObject *module) {
    core_state *state = core_state_of(module);
    if (!state) return 0;
    for (size_t i = 0; i < sizeof state->exceptions / sizeof *state->exceptions; i++)
        Py_CLEAR(state->exceptions[i]);
    Py_CLEAR(state->warning);
    for (size_t i = 0; i < TYPES; i++) Py_CLEAR(state->types[i]);
    return 0;
}

static void free_state(void *module) { clear_state(module); }

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, execute},
    {0},
};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,        .m_name = "neardup._core", .m_doc = "The calls of libneardup.",
    .m_size = sizeof(core_state), .m_methods = functions,    .m_slots = slots,
    .m_traverse = visit_state,    .m_clear = clear_state,    .m_free = free_state,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
