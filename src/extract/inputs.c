/* Tells which files a job would read, what it takes them for, and which fields they have. */
#include "base/argument.h"
#include "corpus/field_list.h"
#include "corpus/recognise.h"
#include "io/stream_in.h"
#include "job/run_context.h"

#include <string.h>

/* A function with its first argument. */
typedef struct info_receiver {
    nd_input_fn *fn;
    void *context;
} info_receiver;

static nd_status tell(const info_receiver *r, const nd_source *source, const char *name,
                      nd_error *error) {
    const nd_input_info info = {.name = name,
                                .size = source->size,
                                .format = nd_source_has_texts(source) ? ND_FORMAT_TEXT
                                                                      : source->format,
                                .directory = source->kind == ND_SOURCE_TREE && !source->files,
                                .encoding = source->encoding[0] ? source->encoding : NULL};
    return r->fn(r->context, &info) ? ND_OK : nd_fail(error, ND_ERR_CANCELLED, "cancelled");
}

/* A function for one of the open inputs. */
typedef nd_status inputs_fn(const void *receiver, const nd_run *run, const nd_corpus *corpus,
                            nd_error *error);

static nd_status with_inputs(const nd_input_options *given, const nd_resources *resources,
                             inputs_fn *fn, const void *receiver, nd_error *error) {
    nd_input_options input;
    ND_TRY(nd_input_options_read(given, &input, error));
    nd_run run;
    nd_corpus *corpus = NULL;
    const nd_input_plan plan = {.use = ND_INPUT_ONCE};
    nd_status status = nd_run_begin(resources, NULL, &run, error);
    if (status == ND_OK) status = nd_run_open_input(&run, &input, &plan, &corpus, error);
    if (status == ND_OK) status = fn(receiver, &run, corpus, error);
    nd_corpus_close(corpus);
    nd_run_end(&run);
    return status;
}

/* inputs_fn */
static nd_status tell_all(const void *receiver, const nd_run *run, const nd_corpus *corpus,
                          nd_error *error) {
    (void)run;
    const info_receiver *r = receiver;
    for (size_t s = 0; s < nd_corpus_sources(corpus); s++) {
        const nd_source *source = nd_corpus_source(corpus, s);
        if (!source->files) ND_TRY(tell(r, source, source->name, error));
        for (size_t i = 0; i < source->file_count; i++)
            ND_TRY(tell(r, source, source->files[i], error));
    }
    return ND_OK;
}

nd_status nd_inputs(const nd_input_options *input, nd_input_fn *fn, void *context,
                    const nd_resources *resources, nd_error *error) {
    const info_receiver receiver = {fn, context};
    ND_TRY(nd_need(fn, "fn", error));
    return with_inputs(input, resources, tell_all, &receiver, error);
}

/* ---- fields */

typedef struct field_receiver {
    nd_input_field_fn *fn;
    void *context;
} field_receiver;

/* Tells the fields of a file by its first bytes. */
static nd_status tell_fields_of(const field_receiver *r, const nd_run *run, const nd_source *source,
                                nd_error *error) {
    const nd_stream_in_options options = {.allocator = &run->allocator, .memory = run->memory};
    nd_stream_in *stream = NULL;
    size_t size = 0;
    char *first = nd_allocate(&run->allocator, ND_RECOGNISE_BYTES, 1);
    if (!first) return nd_fail_memory(error, ND_RECOGNISE_BYTES, "the fields of a record");
    nd_status status = nd_stream_in_open(source->name, &options, &stream, error);
    if (status == ND_OK)
        status = nd_stream_in_read(stream, first, ND_RECOGNISE_BYTES, &size, error);
    nd_stream_in_close(stream);
    if (status == ND_OK && !nd_list_fields(source->format, first, size, r->fn, r->context))
        status = nd_fail(error, ND_ERR_CANCELLED, "cancelled");
    nd_release(&run->allocator, first);
    return status;
}

/* inputs_fn */
static nd_status tell_fields(const void *receiver, const nd_run *run, const nd_corpus *corpus,
                             nd_error *error) {
    for (size_t s = 0; s < nd_corpus_sources(corpus); s++) {
        const nd_source *source = nd_corpus_source(corpus, s);
        if (source->inode != 0 && source->size > 0)
            return tell_fields_of(receiver, run, source, error);
    }
    return ND_OK;
}

nd_status nd_input_fields(const nd_input_options *input, nd_input_field_fn *fn, void *context,
                          const nd_resources *resources, nd_error *error) {
    const field_receiver receiver = {fn, context};
    ND_TRY(nd_need(fn, "fn", error));
    return with_inputs(input, resources, tell_fields, &receiver, error);
}
