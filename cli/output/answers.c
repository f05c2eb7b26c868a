#include "output/answers.h"

#include "output/escape.h"
#include "output/interrupt.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void answers_begin(answers *a) {
    if (!a->begun && a->header) fputs(a->header, stdout);
    a->begun = true;
}

bool answers_go_on(answers *a) {
    if (ferror(stdout)) a->failure = errno;
    return !a->failure && !interrupt_pending();
}

nd_status answers_end(answers *a, nd_status status, nd_error *error) {
    if (status == ND_OK) answers_begin(a);
    if (status == ND_OK && fflush(stdout) != 0) a->failure = errno;
    if (!a->failure) return status;
    snprintf(error->message, sizeof error->message, "standard output: %s", strerror(a->failure));
    return ND_ERR_IO;
}

void answers_print_topics(const nd_stream_topic *topics, size_t count) {
    fputs(",\"topics\":[", stdout);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ",[" : "[", stdout);
        print_json_text(stdout, topics[i].term, topics[i].length);
        printf(",%.4f]", topics[i].weight);
    }
    putchar(']');
}
