/* Reads the text and the id of a plain record of JSON: an object on one line, as nearly all records
 * are. It makes no tree, and unescapes each string in one pass, so it takes half of the time of the
 * parser. A record that is not JSON, or not plain, is left to the parser (json_simdjson.h), which
 * says what is wrong with it. */
#ifndef ND_CORPUS_JSON_PLAIN_H
#define ND_CORPUS_JSON_PLAIN_H

#include "corpus/record_fields.h"

#include <stddef.h>

/* Whether records can be read so: one text and the id are wanted at most, both are members of the
 * object itself, and the kernel has a fast json_string: without one the parser is faster. */
bool nd_json_plain_serves(const nd_record_fields *fields);

/* Bytes that `buffer` must have for a line of `length` bytes. */
size_t nd_json_plain_room(size_t length);

/* Reads a line. True: it is one JSON object, valid UTF-8, and *out is what nd_json_parse gives for
 * it; text and id are in `buffer`. False: it was not read, for any reason. `id` NULL: it is not
 * wanted. */
bool nd_json_plain_read(const char *text, const char *id, const char *line, size_t length,
                        char *buffer, nd_record_values *out);

#endif
