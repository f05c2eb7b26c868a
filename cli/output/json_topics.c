#include "output/json_topics.h"

#include "output/escape.h"

void print_json_topics(FILE *out, const nd_stream_topic *topics, size_t count) {
    fputs(",\"topics\":[", out);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ",[" : "[", out);
        print_json_text(out, topics[i].term, topics[i].length);
        fprintf(out, ",%.4f]", topics[i].weight);
    }
    putc(']', out);
}
