/* A table of answers on standard output, written while they are found. */
#ifndef CLI_ANSWERS_H
#define CLI_ANSWERS_H

#include "neardup.h"

typedef struct answers {
    const char *header; /* with its newline; NULL: none */
    bool begun;
    int failure; /* errno of standard output */
} answers;

/* The header waits for the first answer: what fails before has written nothing. */
void answers_begin(answers *a);
/* After an answer: false where there is no more to write, for standard output has failed or a
 * signal has come. */
bool answers_go_on(answers *a);
/* After all, which ended with `status`: that, or the failure of standard output. */
nd_status answers_end(answers *a, nd_status status, nd_error *error);

/* ,"topics":[["term",weight],...] of a JSON object that has been begun. */
void answers_print_topics(const nd_stream_topic *topics, size_t count);

#endif
