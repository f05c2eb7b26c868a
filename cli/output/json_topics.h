/* The topics of a cluster in JSON, as neardup stream and neardup clusters print them. */
#ifndef CLI_JSON_TOPICS_H
#define CLI_JSON_TOPICS_H

#include "neardup.h"

#include <stdio.h>

/* Continues an object: ,"topics":[["term",weight],...] */
void print_json_topics(FILE *out, const nd_stream_topic *topics, size_t count);

#endif
