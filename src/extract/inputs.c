/* Tells which files a job would read, and what it takes them for. */
#include "base/argument.h"
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
                                .directory = source->kind == ND_SOURCE_TREE && !source->files};
    return r->fn(r->context, &info) ? ND_OK : nd_fail(error, ND_ERR_CANCELLED, "cancelled");
}

static nd_status tell_all(const info_receiver *r, const nd_corpus *corpus, nd_error *error) {
    for (size_t s = 0; s < nd_corpus_sources(corpus); s++) {
        const nd_source *source = nd_corpus_source(corpus, s);
        if (!source->files) ND_TRY(tell(r, source, source->name, error));
        for (size_t i = 0; i < source->file_count; i++)
            ND_TRY(tell(r, source, source->files[i], error));
    }
    return ND_OK;
}

nd_status nd_inputs(const nd_input_options *given, nd_input_fn *fn, void *context,
                    const nd_resources *resources, nd_error *error) {
    ND_TRY(nd_need(fn, "fn", error));
    nd_input_options input;
    ND_TRY(nd_input_options_read(given, &input, error));
    nd_run run;
    nd_corpus *corpus = NULL;
    const info_receiver receiver = {fn, context};
    const nd_input_plan plan = {.use = ND_INPUT_ONCE};
    nd_status status = nd_run_begin(resources, NULL, &run, error);
    if (status == ND_OK) status = nd_run_open_input(&run, &input, &plan, &corpus, error);
    if (status == ND_OK) status = tell_all(&receiver, corpus, error);
    nd_corpus_close(corpus);
    nd_run_end(&run);
    return status;
}
