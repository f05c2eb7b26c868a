/* The functions of json_simdjson.h in a build without simdjson. Creating a parser fails, so the
 * other functions are never called with one. */
#include "base/format.h"
#include "corpus/json_simdjson.h"

#ifndef ND_WITH_SIMDJSON

static const char absent[] = "this build has no simdjson: JSON Lines cannot be read";

nd_status nd_json_parser_create(const nd_record_fields *fields, const nd_allocator *allocator,
                                nd_json_parser **out, nd_error *error) {
    (void)fields;
    (void)allocator;
    (void)out;
    return nd_fail(error, ND_ERR_UNSUPPORTED, "%s", absent);
}

void nd_json_parser_free(nd_json_parser *parser) { (void)parser; }

nd_json_problem nd_json_parse(nd_json_parser *parser, const char *line, size_t length,
                              nd_record_values *out, char *why, size_t why_size) {
    (void)parser;
    (void)line;
    (void)length;
    (void)out;
    nd_format(why, why_size, "%s", absent);
    return ND_JSON_BAD_RECORD;
}

nd_json_problem nd_json_repair(nd_json_parser *parser, const char *line, size_t length,
                               const char **out, size_t *out_length) {
    (void)parser;
    (void)line;
    (void)length;
    (void)out;
    (void)out_length;
    return ND_JSON_BAD_RECORD;
}

#endif
