/* From a text to an arrival: fingerprint, topic words, and with MinHash the parts that the stream's
 * index stores.
 *
 * All of it depends on the text and the stream's settings alone. So any number of threads make
 * arrivals, each with its own maker, and the one thread that adds them to the stream
 * (nd_stream_add_prepared) only looks up and writes. */
#ifndef ND_STREAM_ARRIVAL_MAKER_H
#define ND_STREAM_ARRIVAL_MAKER_H

#include "index/document_sketcher.h"
#include "stream/arrival.h"
#include "stream/stream_settings.h"

typedef struct nd_prepared_arrival {
    nd_arrival arrival;
    nd_stored_document document; /* with MinHash: sketch, keys and set */
} nd_prepared_arrival;

typedef struct nd_arrival_maker nd_arrival_maker;

/* `index`: settings of the stream's index, with MinHash. Dictionary, stop words and table of the
 * options are used as long as the maker. */
nd_status nd_arrival_maker_create(const nd_stream_settings *settings,
                                  const nd_stream_parts *options, const nd_index_settings *index,
                                  const nd_allocator *allocator, nd_arrival_maker **out,
                                  nd_error *error);
/* NULL is accepted. */
void nd_arrival_maker_free(nd_arrival_maker *maker);

/* Makes an arrival without id and time, valid until the next one. ND_ERR_INPUT: the text is not
 * UTF-8. */
nd_status nd_arrival_make(nd_arrival_maker *maker, const char *text, size_t length,
                          nd_prepared_arrival *out, nd_error *error);

#endif
